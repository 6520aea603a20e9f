"""Entries as rows of the database: written in bulk, and streamed as bytes for everything that walks the chain."""

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Engine

from plumbrule.ledger.chain import Header, Row
from plumbrule.ledger.entry import Entry
from plumbrule.ledger.ledger_errors import told_clearly
from plumbrule.ledger.tables import COLUMNS, entries

_HEADER = tuple(name for name in COLUMNS if name != "body")
_INSERT = entries.insert()
_COPY = f"COPY entries ({', '.join(COLUMNS)}) FROM STDIN"
_COPY_FROM = 100  # rows; COPY has a start-up cost
_FETCH = 2000  # rows at a time from a server


def row_of(entry: Entry) -> dict[str, Any]:
    """Return an entry as a row."""
    return {name: getattr(entry, name) for name in COLUMNS}


def entry_of(row: Row) -> Entry:
    """Return a row as an entry."""
    sequence, *texts = row
    return Entry(sequence=sequence, **{name: text.decode() for name, text in zip(COLUMNS[1:], texts, strict=True)})


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


def stream(engine: Engine, name: str, *, after: int | None = None) -> Generator[Row]:
    """Yield every row in the order of the chain, as the ledger is at one moment; or those that follow an entry."""
    condition = "" if after is None else f"WHERE sequence > {after:d} "
    return _rows(engine, name, f"SELECT {', '.join(COLUMNS)} FROM entries {condition}ORDER BY sequence", ())  # noqa: S608 - the names are our own


def headers(engine: Engine, name: str, *, kind: str, scope: str | None, upto: int) -> Generator[Header]:
    """Yield the headers of a kind in the order of the chain, up to an entry; of one scope, or of all for None."""
    # the plus keeps SQLite to the index by kind and subject
    mark, index_of, sequence = ("?", "instr", "+sequence") if _is_sqlite(engine) else ("%s", "strpos", "sequence")
    conditions = [f"kind = {mark}", f"{sequence} <= {mark}"]
    values: list[object] = [kind, upto]
    if scope == "":
        conditions.append(f"{index_of}(subject, '/') = 0")
    elif scope is not None:
        conditions += [f"subject >= {mark}", f"subject < {mark}"]
        values += [f"{scope}/", f"{scope}0"]  # the character after the slash
        if "/" not in scope:  # what has three parts or more is of a scope with two
            conditions.append(f"{index_of}(substr(subject, {len(scope) + 2}), '/') = 0")
    statement = f"SELECT {', '.join(_HEADER)} FROM entries WHERE {' AND '.join(conditions)} ORDER BY sequence"  # noqa: S608 - the names are our own
    return _rows(engine, name, statement, values)


def _is_sqlite(engine: Engine) -> bool:
    return engine.dialect.name == "sqlite"


def _rows(engine: Engine, name: str, statement: str, values: Sequence[object]) -> Generator[Any]:
    with told_clearly(name):
        raw = engine.raw_connection()
        try:
            driver: Any = raw.driver_connection
            rows = _rows_of_sqlite if _is_sqlite(engine) else _rows_of_postgres
            yield from rows(driver, statement, values)
        finally:
            raw.close()


def _rows_of_sqlite(connection: sqlite3.Connection, statement: str, values: Sequence[object]) -> Iterator[Any]:
    kept, connection.text_factory = connection.text_factory, bytes  # text that was damaged may not even be UTF-8
    cursor = connection.cursor()
    try:
        yield from cursor.execute(statement, values)
    finally:
        cursor.close()
        connection.text_factory = kept


def _rows_of_postgres(connection: Any, statement: str, values: Sequence[object]) -> Iterator[Any]:  # noqa: ANN401 - a connection of psycopg, an extra
    with connection.cursor(name="plumbrule_walk") as cursor:
        cursor.itersize = _FETCH
        for sequence, *texts in cursor.execute(statement, values):
            yield (sequence, *[text.encode() for text in texts])
