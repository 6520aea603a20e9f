"""Who may carry out a run: what a lock in a file keeps out, and what its last holder leaves behind."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger, open_ledger, run_lock

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """Return an empty ledger in a file."""
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as opened:
        yield opened


@pytest.mark.parametrize("how", ["shared", "alone"])
def test_a_file_that_its_last_holder_removes_is_not_held(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Who has opened it by then takes the one that others find; nothing is left when they have gone."""
    last = ExitStack()
    last.enter_context(ledger.hold("run-1", shared=True))

    def open_and_let_the_last_one_leave(path: Path, *, timeout: float, isolation_level: None) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=timeout, isolation_level=isolation_level)
        last.close()
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(run_lock, "connect", open_and_let_the_last_one_leave)
        held = ledger.hold("run-1", shared=how == "shared")
        held.__enter__()
    with pytest.raises(UsageError, match="another process is carrying it out"), ledger.hold("run-1"):
        pass
    held.__exit__(None, None, None)
    assert list(tmp_path.glob("*.lock")) == []


def test_only_a_run_can_be_joined(ledger: Ledger) -> None:
    """The line that refuses a second holder names --workers for a run, and not for anything else."""
    for subject, advice in {"run-1": "or join it where it was begun with --workers", "archive": "or stop it"}.items():
        with ledger.hold(subject), pytest.raises(UsageError) as refusal, ledger.hold(subject):
            pass
        assert str(refusal.value).endswith(advice)
