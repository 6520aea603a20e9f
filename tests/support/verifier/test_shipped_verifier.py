"""The verifier that ships in a package of its own: what it is made of, what it sees, and that it repeats itself."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score
from training.everyday_rows import read_everyday

from plumbrule.support.verifier import Verifier, open_verifier

PACKAGE = Path(__file__).parents[3] / "packages/plumbrule-verifier"
FOLDER = PACKAGE / "src/plumbrule_verifier"
PASSAGES = [
    "Incoming wire transfers cost $15. Outgoing wire transfers cost $30 within the country and $45 abroad.",
    "The fee for outgoing wires is waived for Premier customers, unless the transfer is in a foreign currency.",
    "Requests that arrive before 4 pm are sent on the same business day; later ones on the next.",
]
ANSWERS = [
    ("What does an incoming wire cost?", "An incoming wire costs $15.", "An incoming wire costs $30."),
    ("When is my wire sent?", "Before 4 pm: the same business day.", "Before 4 pm: on the next business day."),
    ("Who pays no fee for outgoing wires?", "Premier customers do not pay it.", "No customer pays it."),
]


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    """Open the verifier."""
    return open_verifier(FOLDER)


def test_it_is_small() -> None:
    """A repository carries each of its files: under 30 MB, and under 115 together."""
    sizes = [path.stat().st_size for path in FOLDER.iterdir() if path.is_file()]
    assert max(sizes) < 30_000_000
    assert sum(sizes) < 115_000_000


def test_it_reads_answers(verifier: Verifier) -> None:
    """It is one of answers, and has a part beside binding."""
    assert verifier.answers is not None
    assert verifier.answers.verifier > 0
    assert verifier.identity["name"] == "mpnet-contrasts"


def test_it_ranks_right_answers_above_wrong_ones(verifier: Verifier) -> None:
    """Those of an author whom it was not fitted to: more often than not, by far."""
    rows = read_everyday("birch")[:120]
    told = [verifier.verify_answer(row.contexts, row.question, row.answer) for row in rows]
    assert roc_auc_score([row.right for row in rows], told) > 0.6


def test_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    """Scores do not depend on the process, on the number of processes, or on what is scored beside."""
    rows = [
        {"id": f"{number}-{place}", "question": question, "answer": answer, "contexts": PASSAGES}
        for number in range(10)
        for place, (question, *answers) in enumerate(ANSWERS)
        for answer in [answers[number % 2]]
    ]
    written: list[list[str]] = []
    for workers, lines in (("1", rows), ("2", rows), ("1", rows[3:4])):
        part = tmp_path / f"part-{len(written)}.jsonl"
        part.write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
        out = tmp_path / f"{len(written)}.jsonl"
        command = [sys.executable, "-m", "plumbrule", "score", str(part), "-o", str(out), "--workers", workers]
        subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PLUMBRULE_VERIFIER": str(FOLDER)})
        written.append(out.read_text(encoding="utf-8").splitlines())

    assert len(written[0]) == len(rows)
    assert written[0] == written[1]
    assert written[2] == written[0][3:4]
    assert json.loads(written[0][0])["support"]["verifier"]["name"] == "mpnet-contrasts"


def test_its_wheel_is_whole(tmp_path: Path) -> None:
    """It has the graph, its tokenizer and configuration, the licence and whom it is owed to."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=PACKAGE)
    [wheel] = tmp_path.glob("plumbrule_verifier-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name.rpartition("/")[2] for name in archive.namelist()}

    weights = {path.name for path in FOLDER.glob("weights-*.bin")}
    assert weights | {"model.onnx", "tokenizer.json", "verifier.yaml", "__init__.py", "LICENSE", "NOTICE"} <= names
