"""A ledger's URL is one of two forms, and its password is never shown."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.ledger import LedgerUnreachableError, open_ledger
from plumbrule.ledger.database import name_of, read_url

AT = datetime(2026, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize("address", ["postgres://u@h/d", "postgresql://u@h/d", "postgresql+psycopg://u@h/d"])
def test_postgresql_is_always_reached_through_psycopg(address: str) -> None:
    """The short forms that people write mean the same."""
    assert name_of(read_url(address)) == "postgresql+psycopg://u@h/d"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ledger.db", "the ledger's address is not a URL: use sqlite:///FILE or postgresql"),
        ("", "is not a URL"),
        ("mysql://u:sentinel@h/d", "no ledger can be kept there: use sqlite:///FILE"),
        ("postgresql+asyncpg://u:sentinel@h/d", "no ledger can be kept there"),
        ("sqlite://", "a ledger needs a file"),
        ("sqlite:///:memory:", "a ledger needs a file"),
        ("postgresql://u:sentinel@h:port/d", "is not a URL"),
        ("sqlite:///\udcff.db", "is not a URL"),
        ("sqlite:///a\0b.db", "is not a URL"),
        ("postgresql://\udcff:sentinel@h/d", "is not a URL"),
    ],
)
def test_another_address_is_refused(address: str, reason: str) -> None:
    """The error says what to use, and shows no password."""
    with pytest.raises(UsageError) as caught:
        read_url(address)
    assert reason in str(caught.value)
    assert "sentinel" not in str(caught.value)


def test_a_server_that_does_not_answer() -> None:
    """One line that names the server and not the password."""
    with pytest.raises(LedgerUnreachableError) as caught:
        open_ledger("postgresql+psycopg://ana:sentinel@127.0.0.1:1/ledger", at=AT)
    message = str(caught.value)
    assert message.startswith("postgresql+psycopg://ana:***@127.0.0.1:1/ledger: the server cannot be reached: ")
    assert "sentinel" not in message
    assert "\n" not in message
    assert caught.value.exit_code == 4


def test_a_file_is_kept_durably(tmp_path: Path) -> None:
    """Write-ahead log, and every commit on the disk before it returns."""
    with open_ledger(f"sqlite:///{tmp_path}/l.db", at=AT) as ledger, ledger.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    with closing(sqlite3.connect(tmp_path / "l.db")) as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_without_psycopg_the_extra_is_named() -> None:
    """A user of PostgreSQL is told what to install."""
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from plumbrule.ledger import open_ledger\n"
        "try: open_ledger('postgresql://h/d')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "MissingExtraError a ledger on PostgreSQL needs an extra: pip install 'plumbrule[postgres]'\n"


def test_a_password_in_the_query_is_not_shown() -> None:
    """The driver takes one there as well."""
    name = name_of(read_url("postgresql://h/d?user=u&password=sentinel&sslpassword=sentinel"))
    assert "sentinel" not in name
    assert "user=u" in name
