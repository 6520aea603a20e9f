"""The first broken link is found, whatever the rows hold."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.ledger import Draft
from plumbrule.ledger.chain import BEFORE_ALL, Row, judge, link

AT = datetime(2026, 1, 31, tzinfo=UTC)


def chain(count: int = 5) -> list[Row]:
    """Return the rows of a good chain."""
    rows: list[Row] = []
    previous = BEFORE_ALL
    for sequence in range(count):
        kind, subject = ("note", f"s{sequence}") if sequence else ("ledger", "ledger-1")
        draft = Draft(kind=kind, subject=subject, body=sequence, author="ana", at=AT)
        entry = link(draft.sealed(), sequence=sequence, previous_sha256=previous)
        texts = (kind, subject, "ana", entry.recorded_at_utc, entry.body, entry.body_sha256, previous)
        kind_, subject_, author, at, body, body_sha256, before = (text.encode() for text in texts)
        rows.append((sequence, kind_, subject_, author, at, body, body_sha256, before, entry.entry_sha256.encode()))
        previous = entry.entry_sha256
    return rows


def test_the_hash_is_pinned() -> None:
    """The hash of an entry never changes between versions: this one is worked out with sha256sum."""
    draft = Draft(kind="note", subject="run-1", body={"a": 1}, author="ana", at=AT)
    entry = link(draft.sealed(), sequence=1, previous_sha256="0" * 64)
    assert entry.body_sha256 == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert entry.entry_sha256 == "03e4140fb173133e24da7c53aeea781d4dfbde9c0ee4df601b6091f38be8987b"


def test_a_good_chain() -> None:
    """Every row is counted and the last hash told."""
    rows = chain()
    found = judge(rows, ledger_id="ledger-1")
    assert (found.whole, found.entries, found.last_sha256) == (True, 5, rows[-1][8].decode())


@given(place=st.integers(0, 4), column=st.integers(1, 8), data=st.data())
def test_any_changed_byte_is_found(place: int, column: int, data: Any) -> None:
    """Whichever byte of whichever column is flipped, to whatever, the entry is named."""
    rows = chain()
    row: list[Any] = list(rows[place])
    text = bytearray(row[column])
    text[data.draw(st.integers(0, len(text) - 1))] ^= data.draw(st.integers(1, 255))
    row[column] = bytes(text)
    rows[place] = tuple(row)
    found = judge(rows, ledger_id="ledger-1").broken
    assert found is not None
    assert found.sequence == place


@given(st.permutations(range(5)), st.integers(0, 5))
def test_any_other_order_is_found(order: list[int], length: int) -> None:
    """Rows that are moved or left out break the chain at the first that is not in its place."""
    rows = chain()
    given_rows = [rows[number] for number in order[:length]]
    found = judge(given_rows, ledger_id="ledger-1").broken
    right = next((place for place, number in enumerate(order[:length]) if number != place), None)
    if right is None and length:
        assert found is None
    else:
        assert found is not None
        assert found.fault == "gap"


@pytest.mark.parametrize("column", range(1, 9))
@pytest.mark.parametrize("value", [None, 7])
def test_a_column_without_text_is_found(column: int, value: object) -> None:
    """SQLite lets a number or nothing stand where text belongs; that is a fault, not a crash."""
    rows = chain()
    row: list[Any] = list(rows[3])
    row[column] = value
    rows[3] = tuple(row)
    found = judge(rows, ledger_id="ledger-1").broken
    assert found is not None
    assert found.sequence == 3


def test_moving_text_between_columns_is_found() -> None:
    """A line break smuggled into a column does not make two rows look alike."""
    rows = chain()
    row: list[Any] = list(rows[2])
    row[2], row[3] = row[2] + b"\n" + row[3], b""
    rows[2] = tuple(row)
    assert not judge(rows, ledger_id="ledger-1").whole
