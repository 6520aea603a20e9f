"""Makes the database engine of a ledger from its URL: what it may be, and how it is made durable."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, exc, text
from sqlalchemy.engine import URL, make_url

from plumbrule.errors import MissingExtraError, UsageError
from plumbrule.ledger.ledger_errors import told_clearly
from plumbrule.terminal import is_text, masked_address

_LOCK_KEY = 0x506C756D62  # "Plumb": the advisory lock that writers take in PostgreSQL, one after the other
_DURABLE = (  # a stricter setting stays
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
# By default the server plans for the first rows of a cursor, and goes through all entries in their order to find them.
_READ_WHOLE = "SELECT set_config('cursor_tuple_fraction', '1', false)"
# A process that is stopped in the middle of a change that others wait for is ended by the server.
_HASTE = text("SELECT set_config('idle_in_transaction_session_timeout', '5000', true)")
_NO_LIMIT = -1  # of connections: as many as threads read; one that waits for another's connection could wait for ever
_FORMS = "sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"


def read_url(address: str | URL) -> URL:
    """Return the URL of a ledger, or say which forms there are."""
    try:
        url = make_url(address)
    except (exc.ArgumentError, ValueError):
        url = None
    if url is None or not is_text(f"{url.username}{url.host}{url.database}"):
        raise UsageError(f"the ledger's address is not a URL: use {_FORMS}")  # it may hold a password
    if url.drivername in {"postgres", "postgresql"}:
        url = url.set(drivername="postgresql+psycopg")
    name = name_of(url)
    if url.drivername not in {"sqlite", "sqlite+pysqlite", "postgresql+psycopg"}:
        raise UsageError(f"{name}: no ledger can be kept there: use {_FORMS}")
    if url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}:
        raise UsageError(f"{name}: a ledger needs a file: use sqlite:///FILE")
    return url


def name_of(url: URL) -> str:
    """Return the URL as it may be shown: without its password, which may also stand in its query."""
    return masked_address(url.render_as_string(hide_password=True))


def make_engine(url: URL, *, lock_timeout_s: float) -> Engine:
    """Return an engine whose every commit is on the disk before it returns."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": lock_timeout_s}, max_overflow=_NO_LIMIT)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        import psycopg  # noqa: F401, PLC0415 - an extra that most users do not need
    except ImportError:
        raise MissingExtraError(need="a ledger on PostgreSQL", extra="postgres") from None
    arguments = {} if "connect_timeout" in url.query else {"connect_timeout": max(2, round(lock_timeout_s))}
    engine = create_engine(url, connect_args=arguments, max_overflow=_NO_LIMIT)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - a connection of psycopg, an extra
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{round(lock_timeout_s * 1000)}ms"])
            cursor.execute(_DURABLE)
            cursor.execute(_READ_WHOLE)
        connection.commit()

    return engine


@contextmanager
def reading(engine: Engine, name: str) -> Iterator[Connection]:
    """Give a connection that sees the ledger as it is at one moment."""
    with told_clearly(name), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine, name: str, *, hasty: bool = False) -> Iterator[Connection]:
    """Give the one connection that may write; what it wrote is durable when the block has ended well."""
    with changing(engine, name, hasty=hasty) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
        yield connection


@contextmanager
def changing(engine: Engine, name: str, *, hasty: bool = False) -> Iterator[Connection]:
    """Give a connection that may write beside the chain, to tables of other kinds; all is kept or nothing.

    A ``hasty`` one loses it where the process stands still, from the first lock that it waits for on: a server can
    see to that, a file cannot.
    """
    with (
        told_clearly(name),
        engine.connect().execution_options(plumbrule_writes=True) as connection,
        connection.begin(),
    ):
        if hasty and connection.dialect.name == "postgresql":
            connection.execute(_HASTE)
        yield connection


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by _begin_sqlite, never by the driver
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes its lock at the beginning: one that read first could not go on after another has written.
    writes = connection.get_execution_options().get("plumbrule_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
