"""The samples of a run as a file: CSV, XLSX, JSON. A text from outside is never a formula of a spreadsheet."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

import orjson
import xlsxwriter

from plumbrule.runs.report.sample_rows import SampleRow
from plumbrule.runs.run_results import SampleSummary
from plumbrule.terminal import cell_text, safe

_LONGEST_CELL = 32_767  # characters that a cell of XLSX holds
_CHUNK = 1 << 16
_SUMMARY = tuple(field.name for field in fields(SampleSummary) if field.name not in {"sample_id", "repeat"})
_LINE = ("category", "causes", "support_score", "support_band")
COLUMNS = ("sample_id", "repeat", "question", *_LINE, *_SUMMARY)

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFile:
    """A format that samples are written in; ``write`` gives the file piece by piece."""

    media_type: str
    write: Callable[[Iterable[SampleRow]], Iterator[bytes]]


def _record(row: SampleRow) -> dict[str, object]:
    values: dict[str, object] = {
        "sample_id": row.sample.sample_id,
        "repeat": row.sample.repeat,
        "question": row.question,
        **{name: getattr(row.line, name) for name in _LINE},
        **{name: getattr(row.sample, name) for name in _SUMMARY},
    }
    return values


def _cells(row: SampleRow) -> list[Cell]:
    return [_cell(value) for value in _record(row).values()]


def _cell(value: object) -> Cell:
    if isinstance(value, tuple):
        value = ", ".join(map(str, value))
    if isinstance(value, str):
        return cell_text(safe(value))
    return value if value is None or isinstance(value, int | float) else str(value)


def _write_csv(rows: Iterable[SampleRow]) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(_cells(row))
        if buffer.tell() > _CHUNK:
            yield _taken(buffer)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return text


def _write_json(rows: Iterable[SampleRow]) -> Iterator[bytes]:
    before = b"[\n"
    for row in rows:
        yield before + orjson.dumps(_record(row))
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def _write_xlsx(rows: Iterable[SampleRow]) -> Iterator[bytes]:
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with tempfile.TemporaryFile() as file:
        with xlsxwriter.Workbook(file, options) as book:
            sheet = book.add_worksheet("samples")
            bold = book.add_format({"bold": True})
            for column, name in enumerate(COLUMNS):
                sheet.write_string(0, column, name, bold)
            sheet.freeze_panes(1, 1)
            for number, row in enumerate(rows, 1):
                for column, value in enumerate(_cells(row)):
                    if isinstance(value, str):
                        sheet.write_string(number, column, value[:_LONGEST_CELL])
                    elif isinstance(value, bool):
                        sheet.write_boolean(number, column, value)
                    elif value is not None:
                        sheet.write_number(number, column, value)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            yield chunk


SAMPLE_FILES: Mapping[str, SampleFile] = {
    "csv": SampleFile(media_type="text/csv; charset=utf-8", write=_write_csv),
    "xlsx": SampleFile(
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", write=_write_xlsx
    ),
    "json": SampleFile(media_type="application/json", write=_write_json),
}
