"""A table as a file: CSV, XLSX, Parquet, HTML, Markdown. A text from outside is never a formula or markup in it.

The rows are taken one by one and the file is given piece by piece, so that neither is held whole.
"""

import csv
import datetime as dt
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plumbrule.errors import MissingExtraError, UsageError
from plumbrule.reports.markdown import inline
from plumbrule.reports.page import page_environment
from plumbrule.terminal import cell_text, safe, shortened

Cell = str | int | float | bool | None
Row = Sequence[Cell]

_LONGEST_CELL = 32_767  # characters that a cell of XLSX holds
_MOST_ROWS = 1_048_575  # of a sheet, below its header
_LONGEST_SHOWN = 200  # characters of a cell on a page, which is read by people
_CHUNK = 1 << 16
_BATCH = 1000
_EPOCH = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - a sheet knows no zones; the same rows give the same file


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a file of a table is made of; columns have types, for formats that know them."""

    title: str
    columns: Mapping[str, type[str] | type[int] | type[float] | type[bool]]
    rows: Iterable[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """A format that tables are written in; ``write`` gives the file piece by piece."""

    media_type: str
    write: Callable[[Table], Iterator[bytes]]


def _text(value: str) -> str:
    """Return text as a cell of a spreadsheet."""
    return cell_text(safe(value))


def _write_csv(table: Table) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow([_text(cell) if isinstance(cell, str) else cell for cell in row])
        if buffer.tell() > _CHUNK:
            yield _taken(buffer)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return text


def _write_xlsx(table: Table) -> Iterator[bytes]:
    try:
        import xlsxwriter  # noqa: PLC0415 - an extra that most users do not need
    except ImportError:
        raise MissingExtraError(need="writing XLSX", extra="xlsx") from None
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with tempfile.TemporaryFile() as file:
        with xlsxwriter.Workbook(file, options) as book:
            book.set_properties({"created": _EPOCH})
            sheet = book.add_worksheet(table.title)
            bold = book.add_format({"bold": True})
            for column, name in enumerate(table.columns):
                sheet.write_string(0, column, name, bold)
            sheet.freeze_panes(1, 1)
            for number, row in enumerate(table.rows, 1):
                if number > _MOST_ROWS:
                    raise UsageError(f"a sheet of XLSX holds {_MOST_ROWS:,} rows: write them to .csv or .parquet")
                for column, value in enumerate(row):
                    if isinstance(value, str):
                        sheet.write_string(number, column, _text(value)[:_LONGEST_CELL])
                    elif isinstance(value, bool):
                        sheet.write_boolean(number, column, value)
                    elif value is not None:
                        sheet.write_number(number, column, value)
        file.seek(0)
        while chunk := file.read(_CHUNK):
            yield chunk


def _write_parquet(table: Table) -> Iterator[bytes]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra that most users do not need
        import pyarrow.parquet as pq  # noqa: PLC0415 - the same
    except ImportError:
        raise MissingExtraError(need="writing Parquet", extra="parquet") from None
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, kind in table.columns.items()])
    with tempfile.TemporaryFile() as file:
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            for batch in _batches(table.rows):
                columns = zip(zip(*batch, strict=True), schema.types, strict=True)
                writer.write_table(pa.table([pa.array(cells, kind) for cells, kind in columns], schema=schema))
        file.seek(0)
        while chunk := file.read(_CHUNK):
            yield chunk


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _write_html(table: Table) -> Iterator[bytes]:
    environment, style = page_environment()
    template = environment.get_template("table.html")
    rows = ([_shown(cell) for cell in row] for row in table.rows)
    for piece in template.generate(title=table.title, columns=list(table.columns), rows=rows, **style):
        yield piece.encode()


def _write_markdown(table: Table) -> Iterator[bytes]:
    yield f"| {' | '.join(table.columns)} |\n|{'---|' * len(table.columns)}\n".encode()
    for row in table.rows:
        yield f"| {' | '.join(inline(_shown(cell)) for cell in row)} |\n".encode()


def _shown(value: Cell) -> str:
    """Return a cell for people: long texts are cut, and numbers have few digits."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return shortened(" ".join(value.split()), _LONGEST_SHOWN) if isinstance(value, str) else str(value)


TABLE_FILES: Mapping[str, TableFile] = {
    ".csv": TableFile(media_type="text/csv; charset=utf-8", write=_write_csv),
    ".xlsx": TableFile(
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", write=_write_xlsx
    ),
    ".parquet": TableFile(media_type="application/vnd.apache.parquet", write=_write_parquet),
    ".html": TableFile(media_type="text/html; charset=utf-8", write=_write_html),
    ".md": TableFile(media_type="text/markdown; charset=utf-8", write=_write_markdown),
}
