"""Entries as rows of the database: written in bulk, and streamed as bytes for everything that walks the chain."""

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Engine

from plumbrule.ledger.chain import Row
from plumbrule.ledger.entry import Entry
from plumbrule.ledger.ledger_errors import told_clearly
from plumbrule.ledger.tables import COLUMNS, GUARDS, entries

_SELECT = f"SELECT {', '.join(COLUMNS)} FROM entries ORDER BY sequence"  # noqa: S608 - the names are our own
_INSERT = entries.insert()
_COPY = f"COPY entries ({', '.join(COLUMNS)}) FROM STDIN"
_COPY_FROM = 100  # rows; COPY has a start-up cost
_FETCH = 2000  # rows at a time from a server


def row_of(entry: Entry) -> dict[str, Any]:
    """Return an entry as a row."""
    return {name: getattr(entry, name) for name in COLUMNS}


def insert(connection: Connection, new: Sequence[Entry]) -> None:
    """Write entries inside the transaction of ``connection``."""
    if not new:
        return
    if connection.dialect.name == "postgresql" and len(new) >= _COPY_FROM:
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(_COPY) as copy:
            for entry in new:
                copy.write_row([getattr(entry, name) for name in COLUMNS])
    else:
        connection.execute(_INSERT, [row_of(entry) for entry in new])


def stream(engine: Engine, name: str) -> Generator[Row]:
    """Yield every row in the order of the chain, as the ledger is at one moment."""
    with told_clearly(name):
        raw = engine.raw_connection()
        try:
            driver: Any = raw.driver_connection
            yield from _stream_sqlite(driver) if isinstance(driver, sqlite3.Connection) else _stream_postgres(driver)
        finally:
            raw.close()


def missing_guards(engine: Engine, name: str) -> tuple[str, ...]:
    """Return the triggers that should refuse changes and are not there or not at work."""
    if engine.dialect.name == "sqlite":
        statement = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    else:
        ours = ", ".join(f"to_regclass('{table}')" for table in ("entries", "ledger_info"))
        statement = f"SELECT tgname FROM pg_trigger WHERE tgenabled = 'A' AND tgrelid IN ({ours})"  # noqa: S608 - our own
    with told_clearly(name), engine.connect() as connection:
        there = set(connection.exec_driver_sql(statement).scalars())
    return tuple(sorted(GUARDS[engine.dialect.name] - there))


def _stream_sqlite(connection: sqlite3.Connection) -> Iterator[Row]:
    kept, connection.text_factory = connection.text_factory, bytes  # text that was damaged may not even be UTF-8
    cursor = connection.cursor()
    try:
        yield from cursor.execute(_SELECT)
    finally:
        cursor.close()
        connection.text_factory = kept


def _stream_postgres(connection: Any) -> Iterator[Row]:  # noqa: ANN401 - a connection of psycopg, an extra
    with connection.cursor(name="plumbrule_walk") as cursor:
        cursor.itersize = _FETCH
        for sequence, *texts in cursor.execute(_SELECT):
            yield (sequence, *[text.encode() for text in texts])
