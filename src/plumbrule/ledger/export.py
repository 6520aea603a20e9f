"""Writes a ledger out whole: as JSON lines that can be restored, or as Parquet for analysis."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import orjson

from plumbrule.errors import MissingExtraError, UsageError
from plumbrule.files import written_whole
from plumbrule.hashing import canonical_json
from plumbrule.ledger.chain import BrokenChainError, Row, walk
from plumbrule.ledger.entry_rows import stream
from plumbrule.ledger.ledger_errors import LedgerBrokenError
from plumbrule.ledger.store import Ledger
from plumbrule.ledger.tables import COLUMNS

_BATCH_ROWS = 5000

Withholds = Callable[[str, str], bool]  # by kind and subject


def export(ledger: Ledger, path: Path, *, withholds: Withholds = lambda _kind, _subject: False) -> int:
    """Write every entry to ``path``, by its suffix; return how many entries there are.

    Where ``withholds`` says so by kind and subject, the body stays out. Its hash is written, so that every link can be
    checked all the same; only ``restore`` needs the bodies. What is archived has its hash alone, too.
    """
    if path.suffix == ".jsonl":
        return export_jsonl(ledger, path, withholds=withholds)
    if path.suffix == ".parquet":
        return export_parquet(ledger, path, withholds=withholds)
    raise UsageError(f"{path}: a ledger is exported to .jsonl or .parquet")


def export_jsonl(ledger: Ledger, path: Path, *, withholds: Withholds = lambda _kind, _subject: False) -> int:
    """Write one entry a line, its body as JSON; the same entries give the same bytes from every database."""
    count = 0
    with written_whole(path, private=True) as file:
        for row in _whole(ledger):
            file.write(_line(row, withheld=_withheld(row, withholds)))
            count += 1
    return count


def export_parquet(ledger: Ledger, path: Path, *, withholds: Withholds) -> int:
    """Write one entry a row, its body as JSON text."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra that most users do not need
        import pyarrow.parquet as pq  # noqa: PLC0415 - the same
    except ImportError:
        raise MissingExtraError(need="writing Parquet", extra="parquet") from None
    schema = pa.schema([(name, pa.int64() if name == "sequence" else pa.string()) for name in COLUMNS])
    rows = _whole(ledger)
    count = 0
    with written_whole(path, private=True) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := [_bare(row) if _withheld(row, withholds) else row for row in islice(rows, _BATCH_ROWS)]:
            writer.write_table(
                pa.table([pa.array(column) for column in zip(*batch, strict=True)], names=COLUMNS).cast(schema)
            )
            count += len(batch)
    return count


def _whole(ledger: Ledger) -> Iterator[Row]:
    """Yield the rows of a chain that is whole: a broken one is not spread any further."""
    try:
        with closing(stream(ledger.engine, ledger.name)) as rows:
            yield from walk(rows)
    except BrokenChainError as error:
        raise LedgerBrokenError(f"{ledger.name}: {error.broken.message}: nothing was written") from None


def _withheld(row: Row, withholds: Withholds) -> bool:
    """Tell whether a row is written without its body; what is archived has none."""
    return not row[5] or withholds(row[1].decode(), row[2].decode())


def _bare(row: Row) -> tuple[int | bytes | None, ...]:
    return (*row[:5], None, *row[6:])


def _line(row: Row, *, withheld: bool) -> bytes:
    sequence, *texts = row
    parts: dict[str, object] = {name: text.decode() for name, text in zip(COLUMNS[1:], texts, strict=True)}
    parts |= {"sequence": sequence, "body": None if withheld else orjson.Fragment(row[5])}
    if withheld:
        parts["withheld" if row[5] else "archived"] = True
    return canonical_json(parts) + b"\n"
