"""Scoring a dataset: verdicts to a file, a typed summary, the worst samples, and what was left out."""

import csv
import io
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest
from openpyxl import load_workbook

from plumbrule.api.scoring import explain, score_file, verdict_rules
from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.samples import DatasetFile

RULES = verdict_rules(claims=False)
GOOD = {"id": "right", "question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."]}
WRONG = {**GOOD, "id": "wrong", "answer": "The fee is $30."}
BAD = {"id": "bad", "question": "What is the fee?"}


@pytest.fixture
def dataset(tmp_path: Path) -> DatasetFile:
    """Return a dataset with a right answer, a bad record and a wrong answer."""
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in (GOOD, BAD, WRONG)))
    return DatasetFile(path)


def test_a_file_gets_one_line_for_each_sample(dataset: DatasetFile, tmp_path: Path) -> None:
    """The lines are the verdicts in the order of the dataset; the summary counts them beside the bad records."""
    output = tmp_path / "verdicts.jsonl"
    scored = score_file(dataset, rules=RULES, into=output, skip_bad=True, workers=1)
    lines = [orjson.loads(line) for line in output.read_bytes().splitlines()]
    assert [(line["id"], line["verdict"]) for line in lines] == [("right", "PASS"), ("wrong", "FAIL")]
    counts = scored.summary.counts
    assert (counts.attempted, counts.scored, counts.errored) == (3, 2, 1)
    assert scored.summary.rubric is not None
    assert scored.summary.rubric.sha256 == RULES.stamp()["sha256"]
    assert [worst.verdict.id for worst in scored.worst] == ["wrong"]
    assert scored.worst[0].sample.answer == "The fee is $30."
    assert [error.line for error in scored.skipped] == [2]
    assert scored.unread == ()


def test_a_stream_gets_the_same_lines(dataset: DatasetFile, tmp_path: Path) -> None:
    """What is open already is written to and left open."""
    stream, output = io.BytesIO(), tmp_path / "verdicts.jsonl"
    score_file(dataset, rules=RULES, into=stream, skip_bad=True, workers=1)
    score_file(dataset, rules=RULES, into=output, skip_bad=True, workers=1)
    assert stream.getvalue() == output.read_bytes()


def test_without_skipping_a_bad_record_is_an_error(dataset: DatasetFile, tmp_path: Path) -> None:
    """Nothing is written then."""
    output = tmp_path / "verdicts.jsonl"
    with pytest.raises(RecordError, match=r"answers\.jsonl:2: answer is null"):
        score_file(dataset, rules=RULES, into=output, workers=1)
    assert not output.exists()


def test_no_sample_at_all_is_an_error(tmp_path: Path) -> None:
    """A summary of nothing would look like a result."""
    path = tmp_path / "bad.jsonl"
    path.write_bytes(orjson.dumps(BAD))
    with pytest.raises(InputError, match="not one of its 1 records could be read"):
        score_file(DatasetFile(path), rules=RULES, skip_bad=True, workers=1)


def test_fields_that_no_record_has_are_named(tmp_path: Path) -> None:
    """A mapping may be missing."""
    path = tmp_path / "answers.jsonl"
    path.write_bytes(orjson.dumps({"answer": "The fee is $25."}))
    assert score_file(DatasetFile(path), rules=RULES, workers=1).unread == ("question", "contexts")


def test_the_dataset_is_not_written_over(dataset: DatasetFile) -> None:
    """The results need a file of their own."""
    with pytest.raises(UsageError, match="is the dataset itself"):
        score_file(dataset, rules=RULES, into=Path(dataset.path))


def test_progress_is_reported(dataset: DatasetFile) -> None:
    """From the first sample on, with the size of the file."""
    reports: list[tuple[int, int, int | None]] = []
    score_file(dataset, rules=RULES, skip_bad=True, workers=1, progress=lambda *report: reports.append(report))
    assert [(count, total) for count, _, total in reports] == [(1, Path(dataset.path).stat().st_size)]


def test_one_sample_is_explained(dataset: DatasetFile) -> None:
    """It is found by its id; another id is an error that says how many there are."""
    scored = explain(dataset, "wrong", rules=RULES, skip_bad=True)
    assert (scored.sample.id, scored.verdict.verdict) == ("wrong", "FAIL")
    with pytest.raises(UsageError, match="there is no sample 'other' among 2"):
        explain(dataset, "other", rules=RULES, skip_bad=True)


def test_choices_are_laid_over_the_rubric() -> None:
    """Without claims no parser is needed; a verifier is of use to the support score only."""
    assert "claim" not in RULES.rubric.hallucination.anchors
    assert verdict_rules(support=True).rubric.support.when == "always"
    with pytest.raises(UsageError, match="add --support"):
        verdict_rules(support=False, verifier=Path("folder"))


def test_each_format_has_the_same_rows(dataset: DatasetFile, tmp_path: Path) -> None:
    """The suffix of the output names its format, and every format has a row for each sample."""
    expected = [orjson.loads(line)["id"] for line in _written(dataset, tmp_path / "a.jsonl").splitlines()]

    assert [
        row["id"] for row in csv.DictReader(io.StringIO(_written(dataset, tmp_path / "a.csv").decode()))
    ] == expected
    assert pq.read_table(io.BytesIO(_written(dataset, tmp_path / "a.parquet")))["id"].to_pylist() == expected
    sheet = load_workbook(io.BytesIO(_written(dataset, tmp_path / "a.XLSX"))).active
    assert [row[0] for row in sheet.iter_rows(min_row=2, values_only=True)] == expected
    assert _written(dataset, tmp_path / "a.html").count(b"<tr>") == len(expected) + 1
    assert _written(dataset, tmp_path / "a.md").count(b"\n") == len(expected) + 2


@pytest.mark.parametrize("name", ["a", "a.txt", "a.json", "a.jsonl.gz"])
def test_an_output_of_no_known_format(dataset: DatasetFile, tmp_path: Path, name: str) -> None:
    """Results are never written in a format that the file's name does not say."""
    with pytest.raises(UsageError, match="results are written to"):
        score_file(dataset, rules=RULES, into=tmp_path / name, workers=1)
    assert not (tmp_path / name).exists()


def _written(dataset: DatasetFile, path: Path) -> bytes:
    score_file(dataset, rules=RULES, into=path, workers=1, skip_bad=True)
    return path.read_bytes()
