"""What a fit writes can be opened by the package, and is measured with figures that others get too."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from training.data import Labelled
from training.verifier_export import build_graph, write_folder
from training.verifier_measure import WEIGHTS, risks_of
from training.verifier_pairs import asked_of

from plumbrule.errors import InputError
from plumbrule.support.support_model import load_model
from plumbrule.support.verifier import open_verifier
from training import verifier, verifier_export

WIDTH, HEADS = 16, 2
VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "office", "opens", "at", "nine", "closes", ".")


def small_weights(layers: int = 2) -> dict[str, Any]:
    """Return the weights of a BERT of narrow layers, by chance but the same each time."""
    rng = np.random.default_rng(4)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.position_embeddings.weight": (128, WIDTH),
        "head.weight": (1, 2 * WIDTH),
        "head.bias": (1,),
    }
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[f"{at}{part}.weight"], shapes[f"{at}{part}.bias"] = (WIDTH, WIDTH), (WIDTH,)
        shapes[f"{at}intermediate.dense.weight"], shapes[f"{at}intermediate.dense.bias"] = (32, WIDTH), (32,)
        shapes[f"{at}output.dense.weight"], shapes[f"{at}output.dense.bias"] = (WIDTH, 32), (WIDTH,)
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    for at in (
        "embeddings.",
        *(f"encoder.layer.{n}.{part}" for n in range(layers) for part in ("attention.output.", "output.")),
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


def matched_weights() -> dict[str, Any]:
    """Return those of a model that points a token of the sentence to its like in the evidence."""
    points = np.tile(np.array([0.5, 2.0], np.float32), (3, 1))
    return {**small_weights(3), "match.bias": points, "match.embedding": np.eye(2, WIDTH, dtype=np.float32)}


def distant_weights() -> dict[str, Any]:
    """Return those of a model whose heads think of a token by how far it stands after another one, too."""
    told = np.random.default_rng(5).normal(size=(HEADS, 2 * 128 - 1)).astype(np.float32)
    return {**matched_weights(), "distance.bias": told}


def run(weights: dict[str, Any], ranges: dict[str, Any] | None = None, **feed: list[list[int]]) -> list[float]:
    """Return what the graph of these weights says of each row, on one thread: others cannot be forked beside more."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    graph = build_graph(weights, heads=HEADS, ranges=ranges or {})
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options)
    wanted = {each.name for each in session.get_inputs()}
    given = {name: np.array(rows, np.int64) for name, rows in feed.items() if name in wanted}
    return [float(row[0]) for row in session.run(["logits"], given)[0]]


def logit(weights: dict[str, Any], evidence: list[int], sentence: list[int], pad: int = 0) -> float:
    """Return what the graph of these weights says of two rows of tokens."""
    (found,) = run(
        weights,
        input_ids=[evidence + sentence + [0] * pad],
        token_type_ids=[[0] * len(evidence) + [1] * len(sentence) + [0] * pad],
        attention_mask=[[1] * len(evidence + sentence) + [0] * pad],
    )
    return found


EVIDENCE, SENTENCE = [2, 4, 5, 6, 3], [5, 9, 3]


def test_padding_does_not_change_a_logit() -> None:
    """A row has the same logit alone and filled up beside a longer one, as it has in the batches of a fit."""
    weights = small_weights()
    assert logit(weights, EVIDENCE, SENTENCE, 5) == pytest.approx(logit(weights, EVIDENCE, SENTENCE), abs=1e-5)


def test_rows_of_a_batch_do_not_change_each_other() -> None:
    """Where the sentence begins may differ from row to row; each row has the logit that it has alone."""
    weights = small_weights()
    texts = [(EVIDENCE, SENTENCE), (EVIDENCE[:2], [7, 5, 9, 4, 8, 3])]
    found = run(
        weights,
        input_ids=[evidence + sentence for evidence, sentence in texts],
        token_type_ids=[[0] * len(evidence) + [1] * len(sentence) for evidence, sentence in texts],
        attention_mask=[[1] * len(EVIDENCE + SENTENCE)] * 2,
    )
    assert found == pytest.approx([logit(weights, *text) for text in texts], abs=1e-5)


def by_hand(weights: dict[str, Any], evidence: list[int], sentence: list[int]) -> float:
    """Return the logit by the book: every token reads every other but for the evidence, which reads no sentence."""
    ids, first = np.array(evidence + sentence), len(evidence)
    own = np.arange(len(ids)) >= first
    layers, deep = 3, WIDTH // HEADS
    places = np.arange(len(ids))
    told = weights.get("distance.bias", np.zeros((HEADS, 255)))[:, places[None] - places[:, None] + 127]

    def normed(at: str, x: Any) -> Any:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * weights[f"{at}LayerNorm.weight"] + weights[f"{at}LayerNorm.bias"]

    def linear(name: str, x: Any) -> Any:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = normed("embeddings.", x + weights["embeddings.token_type_embeddings.weight"][own.astype(int)])
    alike = (ids[:, None] == ids[None]) & own[:, None] & ~own[None]
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        if layer == layers // 3:
            x = x + weights["match.embedding"][alike.any(1).astype(int)] * own[:, None]
        met = []
        for head in range(HEADS):
            part = slice(head * deep, (head + 1) * deep)
            query, key, value = (linear(f"{at}attention.self.{name}", x)[:, part] for name in ("query", "key", "value"))
            scores = query @ key.T / np.sqrt(deep) + (layer >= layers // 3) * alike * weights["match.bias"][layer, head]
            scores = scores + told[head]
            shares = np.exp(np.where(~own[:, None] & own[None], -np.inf, scores))
            met.append(shares / shares.sum(1, keepdims=True) @ value)
        x = normed(f"{at}attention.output.", x + linear(f"{at}attention.output.dense", np.concatenate(met, 1)))
        wide = linear(f"{at}intermediate.dense", x)
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        x = normed(f"{at}output.", x + linear(f"{at}output.dense", wide))
    pooled = np.concatenate([x[own].mean(0), x[own].max(0)])
    return float(pooled @ weights["head.weight"][0] + weights["head.bias"][0])


@pytest.mark.parametrize(("evidence", "sentence"), [(EVIDENCE, SENTENCE), ([2, 3], [7, 5, 9, 4, 8, 3]), ([2], [3])])
def test_a_pair_in_two_streams(evidence: list[int], sentence: list[int]) -> None:
    """The graph that multiplies only what reads with what is read says what the whole product would."""
    for weights in (matched_weights(), distant_weights()):
        assert logit(weights, evidence, sentence) == pytest.approx(by_hand(weights, evidence, sentence), abs=1e-4)


def test_numbers_are_evened_for_eight_bits() -> None:
    """What is divided by how great it becomes is multiplied again: in float32 the logit is the same."""
    weights, rng = matched_weights(), np.random.default_rng(6)
    ranges = {
        f"encoder.layer.{layer}.{part}.dense": rng.uniform(0.1, 50.0, width)
        for layer in range(3)
        for part, width in (("intermediate", WIDTH), ("output", 32))
    }
    given = {"input_ids": [EVIDENCE + SENTENCE], "token_type_ids": [[0] * len(EVIDENCE) + [1] * len(SENTENCE)]}
    assert run(weights, ranges, **given) == pytest.approx([by_hand(weights, EVIDENCE, SENTENCE)], abs=1e-4)


def test_a_large_model_is_kept_in_parts(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large for one file is written as several, which say the same."""
    asked = [("the office opens at nine", "the office closes")]
    whole = open_verifier(written)
    monkeypatch.setattr(verifier_export, "_PART_BYTES", 8_300)
    monkeypatch.setattr(verifier_export, "_OWN_BYTES", 200)
    write_folder(written.parent, small_weights(), heads=HEADS, tokenizer=written.parent / "given.json")
    parts = sorted(each.name for each in written.glob("weights-*.bin"))
    assert len(parts) > 1
    assert all((written / name).stat().st_size <= 8_300 for name in parts)
    assert open_verifier(written).verify(asked) == whole.verify(asked)


def test_a_token_is_pointed_to_its_like_in_the_evidence() -> None:
    """What is learned of tokens that the evidence has counts where the sentence has one of them, and nowhere else."""
    weights = matched_weights()
    other = {**weights, "match.bias": weights["match.bias"] + 1}
    assert logit(other, EVIDENCE, SENTENCE) != logit(weights, EVIDENCE, SENTENCE)
    assert logit(other, EVIDENCE, [9, 10]) == logit(weights, EVIDENCE, [9, 10])


def test_the_methods_agree_where_the_verifier_weighs_nothing_or_all(written: Path) -> None:
    """The mixed risks lie between that of the small model and that of the verifier; no context, no evidence."""
    row = Labelled(
        id="1",
        data_set="one",
        task="qa",
        generator=None,
        question="",
        answer="the office closes at nine.",
        contexts=("the office opens at nine.",),
        unsupported=True,
        spans=(),
    )
    risks = risks_of(row, asked_of(row.answer, row.contexts), open_verifier(written), load_model())
    mixed = [risks[f"small model, verifier at {weight:g}"] for weight in WEIGHTS]
    ordered = [risks["small model"], *mixed, risks["verifier"]]
    assert ordered == sorted(ordered) or ordered == sorted(ordered, reverse=True)
    assert risks["word overlap"] == pytest.approx(1 / 5)
    bare = risks_of(replace(row, contexts=()), asked_of(row.answer, ()), open_verifier(written), load_model())
    assert bare["word overlap"] == 1
    assert bare["verifier"] > 10  # nothing supports it, whatever a model makes of an empty text


def test_without_the_data_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the labelled answers are absent, the script is skipped with one line that says how to go on."""
    place = str(tmp_path / "absent")
    assert verifier.main(["measure", place, "--data", place]) == 0
    assert capsys.readouterr().out == (
        f"skipped: there is no folder {place} with labelled answers; name one with --data\n"
    )


def test_an_unknown_data_set_is_refused(labelled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is no data set is told, with those that there are."""
    assert verifier.main(["fit", "x", "--leave", "one,nope", "--data", str(labelled)]) == 2
    assert capsys.readouterr().out == "--leave: there is no data set nope; there are: one, two\n"


def test_fits_are_measured_on_what_they_left_out(
    written: Path, labelled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table has a column for each data set that the fit left out, and none for the others."""
    told = {"left_out": ["two"], "labelled": 3, "repeats": 2, "made": 50_000, "seen": 50_006, "minutes": 30.5}
    (written.parent / "fit.json").write_text(json.dumps(told))
    assert verifier.main(["measure", str(written.parent), "--data", str(labelled)]) == 0
    shown = capsys.readouterr().out
    assert "| pairs seen | 50,006 |" in shown
    assert "|  | two | mean |" in shown
    assert "| two towns |" in shown


def test_what_no_fit_left_out_cannot_be_measured(written: Path, labelled: Path) -> None:
    """A fit on everything has nothing left to be measured on, and no data set is measured twice."""
    told = {"left_out": [], "labelled": 3, "repeats": 2, "made": 5, "seen": 11, "minutes": 1.0}
    (written.parent / "fit.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match="left out here: none"):
        verifier.main(["measure", str(written.parent), "--data", str(labelled)])
    (written.parent / "fit.json").write_text(json.dumps({**told, "left_out": ["one"]}))
    with pytest.raises(InputError, match="must be left out by one fit"):
        verifier.main(["measure", str(written.parent), str(written.parent), "--data", str(labelled)])


def test_how_great_numbers_become_is_told_by_what_is_read(written: Path) -> None:
    """With texts to read, the numbers of two products in each layer are evened; what is said stays near."""
    weights, given = matched_weights(), written.parent / "given.json"
    found = []
    texts: list[list[tuple[list[int], list[int]]]] = [[], [(EVIDENCE, SENTENCE)]]
    for read in texts:
        write_folder(written.parent, weights, heads=HEADS, tokenizer=given, read=read)
        nodes = onnx.load(written / "model.onnx").graph.node
        (told,) = open_verifier(written).verify([("the office opens at nine", "the office closes")])
        found.append((len(nodes), told))
    (plain, one), (evened, other) = found
    assert evened == plain + 2 * 3
    assert other == pytest.approx(one, abs=0.1)
