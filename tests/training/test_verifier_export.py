"""What a fit writes can be opened by the package, and is measured with figures that others get too."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from sklearn.metrics import roc_auc_score
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from training.verifier_export import build_graph, write_folder
from training.verifier_measure import auroc, judge

from plumbrule.scorers.verifier import open_verifier
from training import verifier

WIDTH, HEADS = 16, 2
VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "office", "opens", "at", "nine", "closes", ".")


def small_weights() -> dict[str, Any]:
    """Return the weights of a BERT of two narrow layers, by chance but the same each time."""
    rng = np.random.default_rng(4)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.position_embeddings.weight": (128, WIDTH),
        "head.weight": (1, 2 * WIDTH),
        "head.bias": (1,),
    }
    for layer in (0, 1):
        at = f"encoder.layer.{layer}."
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[f"{at}{part}.weight"], shapes[f"{at}{part}.bias"] = (WIDTH, WIDTH), (WIDTH,)
        shapes[f"{at}intermediate.dense.weight"], shapes[f"{at}intermediate.dense.bias"] = (32, WIDTH), (32,)
        shapes[f"{at}output.dense.weight"], shapes[f"{at}output.dense.bias"] = (WIDTH, 32), (WIDTH,)
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    for at in (
        "embeddings.",
        *(f"encoder.layer.{n}.{part}" for n in (0, 1) for part in ("attention.output.", "output.")),
    ):
        weights[f"{at}LayerNorm.weight"] = np.ones(WIDTH, np.float32)
        weights[f"{at}LayerNorm.bias"] = np.zeros(WIDTH, np.float32)
    return weights


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Write the small model as a fit does, and return its folder."""
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(VOCABULARY)}, unk_token=VOCABULARY[1]))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(tmp_path / "given.json"))
    write_folder(tmp_path, small_weights(), heads=HEADS, tokenizer=tmp_path / "given.json")
    return tmp_path / "verifier"


def test_the_package_opens_what_a_fit_writes(written: Path) -> None:
    """The folder opens as a verifier that judges the two texts apart: another sentence has another probability."""
    opened = open_verifier(written)
    one, other = opened.verify(
        [("the office opens at nine", "the office opens"), ("the office opens at nine", "closes")]
    )
    assert 0 <= one <= 1
    assert one != other


def test_padding_does_not_change_a_logit() -> None:
    """A row has the same logit alone and filled up beside a longer one, as it has in the batches of a fit."""
    session = onnxruntime.InferenceSession(build_graph(small_weights(), heads=HEADS).SerializeToString())
    ids, kinds = [2, 4, 5, 6, 3, 5, 9, 3], [0, 0, 0, 0, 0, 1, 1, 1]

    def run(pad: int) -> float:
        feed = {
            "input_ids": [ids + [0] * pad],
            "token_type_ids": [kinds + [0] * pad],
            "attention_mask": [[1] * len(ids) + [0] * pad],
        }
        return float(session.run(["logits"], {name: np.array(row, np.int64) for name, row in feed.items()})[0][0, 0])

    assert run(5) == pytest.approx(run(0), abs=1e-5)


def test_an_answer_without_evidence_is_at_the_highest_risk(written: Path) -> None:
    """Where there is no context, nothing is supported: no verifier is asked, and all words are missing."""
    row = {"answer": "the office opens", "contexts": [], "task": "qa", "id": "1", "label": 1}
    judged = judge(open_verifier(written), "file", row)
    assert judged.overlap == 1
    assert judged.verifier == pytest.approx(9.2103, abs=1e-4)  # -log(0.0001)


def test_auroc_is_that_of_scikit_learn() -> None:
    """With ties and without, the figure is the reference's."""
    rng = np.random.default_rng(8)
    labels = rng.integers(0, 2, 200).tolist()
    scores = [value + label for value, label in zip(rng.integers(0, 9, 200).tolist(), labels, strict=True)]
    assert auroc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


def test_without_the_data_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the labelled answers are absent, the script is skipped with one line that says how to go on."""
    place = str(tmp_path / "absent")
    monkeypatch.setattr(sys, "argv", ["verifier", "measure", "--leave", "begin", "--out", place, "--data", place])
    assert verifier.main() == 0
    assert capsys.readouterr().out == (
        f"skipped: there is no folder {place} with labelled answers; name one with --data\n"
    )


def test_an_unknown_data_set_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is no data set is told, with those that there are."""
    monkeypatch.setattr(sys, "argv", ["verifier", "measure", "--leave", "begin,nope", "--out", "x"])
    assert verifier.main() == 2
    assert "there is no data set nope" in capsys.readouterr().out
