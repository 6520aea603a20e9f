"""A dataset is checked as a whole: fields, counts, and every bad record."""

from pathlib import Path

import orjson
import pytest
from inline_snapshot import snapshot

from plumbrule.api.datasets import validate_file
from plumbrule.codec import to_json
from plumbrule.samples import DatasetFile

RECORDS = (
    {"id": "a", "query": "What is the fee?", "answer": "$25.", "contexts": ["$25."], "colour": "red"},
    {"id": "b", "query": "What is the fee?"},
    {"id": "c", "query": "What is the fee?", "refusal": {"code": "X"}},
)


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DatasetFile:
    """Return a dataset with an answer, a bad record and a refusal."""
    monkeypatch.chdir(tmp_path)
    Path("answers.jsonl").write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in RECORDS))
    return DatasetFile("answers.jsonl")


def test_the_check_is_that_of_the_command(dataset: DatasetFile) -> None:
    """Every key stands as documented, in a fixed order."""
    assert to_json(validate_file(dataset)) == snapshot(
        {
            "source": "answers.jsonl",
            "format": "jsonl",
            "counts": {"attempted": 3, "read": 2, "bad": 1},
            "facts": {
                "answered": 1,
                "refused_declared": 1,
                "timed_out": 0,
                "without_contexts": 1,
                "without_question": 0,
            },
            "fields": {
                "id": {"id": 2},
                "question": {"query": 2},
                "answer": {"answer": 1},
                "contexts": {"contexts": 1},
                "refusal": {"refusal": 1},
            },
            "ignored": {"colour": 1},
            "notes": {},
            "bad": [{"line": 2, "reason": "answer is null and there is no refusal"}],
        }
    )


def test_bad_records_may_be_handed_over(dataset: DatasetFile) -> None:
    """Then none is kept, so that memory does not grow with them; they are counted all the same."""
    lines: list[int] = []
    check = validate_file(dataset, on_bad=lambda error: lines.append(error.line))
    assert lines == [2]
    assert (check.bad, check.counts.bad) == ((), 1)
    assert check.missing_fields == ()
