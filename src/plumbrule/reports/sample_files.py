"""The samples of a run as a file: the formats of tables, and JSON."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial

import orjson

from plumbrule.reports.table_files import TABLE_FILES, Cell, Table, TableFile
from plumbrule.runs.report.sample_rows import SampleRow
from plumbrule.runs.run_results import SampleSummary

_SUMMARY = tuple(field.name for field in fields(SampleSummary) if field.name not in {"sample_id", "repeat"})
_LINE = ("category", "causes", "support_score", "support_band")
COLUMNS = ("sample_id", "repeat", "question", *_LINE, *_SUMMARY)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFile:
    """A format that samples are written in; ``write`` gives the file piece by piece."""

    media_type: str
    write: Callable[[Iterable[SampleRow]], Iterator[bytes]]


def _record(row: SampleRow) -> dict[str, object]:
    values: dict[str, object] = {
        "sample_id": row.sample.sample_id,
        "repeat": row.sample.repeat,
        "question": row.line.question,
        **{name: getattr(row.line, name) for name in _LINE},
        **{name: getattr(row.sample, name) for name in _SUMMARY},
    }
    return values


def _cell(value: object) -> Cell:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _write_table(kind: TableFile, rows: Iterable[SampleRow]) -> Iterator[bytes]:
    cells = ([_cell(value) for value in _record(row).values()] for row in rows)
    return kind.write(Table(title="samples", columns=dict.fromkeys(COLUMNS, str), rows=cells))


def _write_json(rows: Iterable[SampleRow]) -> Iterator[bytes]:
    before = b"[\n"
    for row in rows:
        yield before + orjson.dumps(_record(row))
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


SAMPLE_FILES: Mapping[str, SampleFile] = {
    **{
        suffix.removeprefix("."): SampleFile(
            media_type=TABLE_FILES[suffix].media_type, write=partial(_write_table, TABLE_FILES[suffix])
        )
        for suffix in (".csv", ".xlsx")
    },
    "json": SampleFile(media_type="application/json", write=_write_json),
}
