"""A first look: one answer or the first rows of a file, bounded in length, rows and time, and nothing kept."""

from pathlib import Path

import orjson
import pytest

from plumbrule.api import trial
from plumbrule.api.scoring import score
from plumbrule.api.trial import try_answer, try_file
from plumbrule.errors import InputError, UsageError

PASSAGE = "The fee is $25 for a domestic wire."


def rows(count: int, **fields: object) -> bytes:
    """Return a file of so many rows."""
    row = {"question": "What is the fee?", "answer": "The fee is $30.", "contexts": [PASSAGE], **fields}
    return b"\n".join(orjson.dumps({"id": f"r{number}", **row}) for number in range(count))


def test_one_answer_gets_the_verdict_that_score_gives() -> None:
    """By either rubric that ships."""
    for rubric in (None, "recommended"):
        tried = try_answer("What is the fee?", "The fee is $30.", [PASSAGE], rubric=rubric)
        told = score(question="What is the fee?", answer="The fee is $30.", contexts=[PASSAGE], rubric=rubric)
        assert (tried.verdict.verdict, tried.verdict.support) == (told.verdict, told.support)


@pytest.mark.parametrize(
    ("question", "answer", "passages", "message"),
    [
        ("q" * 2_001, "a", ["b"], "The question has 2,001 characters; at most 2,000"),
        ("q", "a" * 100_000, ["b"], "The answer has 100,000 characters; at most 6,000"),
        ("q", "a", ["b" * 20_000] * 2, "The passages has 40,000 characters together; at most 24,000"),
        ("q", "a", ["b"] * 10_000, "The list of passages has 10,000 passages; at most 50"),
    ],
)
def test_what_is_too_long_is_not_tried(question: str, answer: str, passages: list[str], message: str) -> None:
    """The message says how long it is and what the most is."""
    with pytest.raises(UsageError, match=message):
        try_answer(question, answer, passages)


def test_a_file_is_tried_up_to_a_number_of_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bad rows are counted, rows that are too long are left out, and more rows are said to be there."""
    monkeypatch.setattr(trial, "MOST_ROWS", 4)
    path = tmp_path / "file.jsonl"
    path.write_bytes(rows(2) + b'\n{"answer": 7}\n' + rows(1, id="long", answer="a" * 40_000) + b"\n" + rows(9, id="x"))
    tried = try_file(path)
    assert (tried.scored, tried.bad, tried.left_out, tried.more, tried.out_of_time) == (2, 1, 1, True, False)
    assert [row.sample.id for row in tried.rows] == ["r0", "r1"]
    assert tried.summary.verdicts["FAIL"] + tried.summary.verdicts["PASS"] + tried.summary.verdicts["WARN"] == 2
    assert len(tried.problems) == 1


def test_a_file_is_tried_for_a_limited_time(tmp_path: Path) -> None:
    """What was checked until then is shown."""
    path = tmp_path / "file.jsonl"
    path.write_bytes(rows(5))
    moments = iter([0.0, 1.0, 2.0, trial.LONGEST_S + 1])
    tried = try_file(path, clock=lambda: next(moments))
    assert (tried.scored, tried.more, tried.out_of_time) == (2, True, True)


def test_a_file_without_a_readable_row(tmp_path: Path) -> None:
    """It is an error that says what is wrong with the first."""
    path = tmp_path / "file.jsonl"
    path.write_bytes(b'{"answer": 7}\n')
    with pytest.raises(InputError, match="Not one row could be read: "):
        try_file(path)
