"""An entry can be stored as it is, or is refused with the reason."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.ledger import KINDS, Draft, EntryError, ResultKey
from plumbrule.ledger.entry import utc_text

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def draft(**changes: object) -> Draft:
    """Return a good draft with some parts changed."""
    return Draft(**{"kind": "note", "subject": "run-1", "body": {}, "author": "ana", "at": AT, **changes})  # type: ignore[arg-type]


def test_kinds_are_sorted() -> None:
    """The list in an error message is easy to search."""
    assert sorted(set(KINDS)) == list(KINDS)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "verdict"}, "'verdict' is not a kind of entry: use one of account, acknowledgement, alert,"),
        ({"subject": ""}, "the subject '' of a note is empty"),
        ({"subject": "a\nb"}, "holds a control character"),
        ({"author": "a\x00"}, "holds a control character"),
        ({"author": ""}, "the author '' of a note is empty"),
        ({"subject": "é" * 1001}, "longer than 2000 bytes"),
        ({"author": "\ud800"}, "not valid text"),
        ({"body": {"a": "\ud800"}}, "the body of note run-1 has no JSON text"),
        ({"body": {1: "a"}}, "has no JSON text: Dict key must be str"),
        ({"body": 2**64}, "has no JSON text: Integer exceeds 64-bit range"),
        ({"body": object()}, "has no JSON text"),
    ],
)
def test_what_cannot_be_stored_is_refused(changes: dict[str, object], reason: str) -> None:
    """The error says which part and why, on one line."""
    with pytest.raises(EntryError) as caught:
        draft(**changes).sealed()
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_longest_subject() -> None:
    """The limit itself is allowed."""
    sealed = draft(subject="x" * 2000).sealed()
    assert (sealed.body, sealed.recorded_at_utc) == ("{}", "2026-01-31T09:30:00.000000Z")


def test_a_moment_is_stored_in_utc() -> None:
    """Every time has the same length, so that text sorts as time does."""
    assert utc_text(AT.astimezone(timezone(timedelta(hours=5, minutes=30)))) == "2026-01-31T09:30:00.000000Z"
    assert utc_text(AT.replace(microsecond=7)) == "2026-01-31T09:30:00.000007Z"


def test_a_moment_without_a_zone_is_refused() -> None:
    """Nobody could tell later when it was."""
    with pytest.raises(ValueError, match="without a time zone"):
        draft(at=AT.replace(tzinfo=None)).sealed()


@given(sample=TEXT, repeat=st.integers(0, 10**6))
def test_a_result_key_can_be_read_back(sample: str, repeat: int) -> None:
    """Any sample id has a subject of its own that can be stored."""
    key = ResultKey(run="run-1", repeat=repeat, sample=sample)
    assert ResultKey.read(key.subject) == key
    if len(key.subject.encode()) <= 2000:
        draft(kind="result", subject=key.subject).sealed()


@given(TEXT, TEXT)
def test_different_samples_have_different_subjects(one: str, other: str) -> None:
    """No two samples are taken for one."""
    subjects = {ResultKey(run="run-1", repeat=0, sample=sample).subject for sample in (one, other)}
    assert len(subjects) == len({one, other})


def test_a_run_id_is_one_part_of_a_path() -> None:
    """With a slash in it one run could take another's results."""
    for run in ("", "a/b"):
        with pytest.raises(EntryError, match="is empty or holds a slash"):
            _ = ResultKey(run=run, repeat=0, sample="q").subject


@pytest.mark.parametrize("subject", ["run-1", "run-1/q", "run-1/x/q", "run-1/-1/q"])
def test_another_subject_is_not_a_key(subject: str) -> None:
    """What is not the subject of a result is not guessed at."""
    with pytest.raises(EntryError, match="is not the subject of a result"):
        ResultKey.read(subject)
