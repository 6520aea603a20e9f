"""The store of what is no part of the ledger: secrets, accounts, sessions, drafts, background work.

For a SQLite ledger it is a file of its own beside it; for a PostgreSQL ledger it is a few tables in the same database.
A module that keeps something here defines its tables on ``METADATA`` and uses ``Store.begin``.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, Table, Text, insert, select, text
from sqlalchemy.exc import IntegrityError

from plumbrule.files import make_private
from plumbrule.ledger.database import make_engine, read_url

METADATA = MetaData()
_LOCK_TIMEOUT_S = 15.0
_LOCK_KEY = 0x506C756D62_57  # the advisory lock of `change` in PostgreSQL; another than the ledger's

_settings = Table("web_settings", METADATA, Column("name", Text, primary_key=True), Column("value", Text))


class Store:
    """A small database beside the ledger."""

    def __init__(self, address: str) -> None:
        url = read_url(address)
        if url.get_backend_name() == "sqlite" and url.database:
            file = Path(url.database)
            file.parent.mkdir(parents=True, exist_ok=True)
            make_private(file)
        self._engine = make_engine(url, lock_timeout_s=_LOCK_TIMEOUT_S)
        self.make_tables()

    def make_tables(self) -> None:
        """Make the tables that are not there yet; a page that is imported later may have defined more."""
        METADATA.create_all(self._engine)

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Give a connection whose changes are kept together, or not at all."""
        with self._engine.begin() as connection:
            yield connection

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """Give a connection that reads before it changes; nobody else changes anything meanwhile."""
        with self._engine.connect().execution_options(plumbrule_writes=True) as connection, connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
            yield connection

    def secret(self, name: str) -> bytes:
        """Return a random secret that stays the same over restarts; it is made at first use."""
        with self.begin() as connection:
            value = _find_setting(connection, name)
        if value is None:
            value = secrets.token_hex(32)
            try:
                with self.begin() as connection:
                    connection.execute(insert(_settings).values(name=name, value=value))
            except IntegrityError:  # another process made it at the same moment
                with self.begin() as connection:
                    value = _find_setting(connection, name) or value
        return bytes.fromhex(value)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()


def store_address(ledger: str) -> str:
    """Return the address of the store that belongs to a ledger."""
    url = read_url(ledger)
    if url.get_backend_name() != "sqlite" or not url.database:
        return ledger
    file = Path(url.database)
    return f"sqlite:///{file.with_name(f'{file.stem}.web.db')}"


def _find_setting(connection: Connection, name: str) -> str | None:
    return connection.execute(select(_settings.c.value).where(_settings.c.name == name)).scalar()
