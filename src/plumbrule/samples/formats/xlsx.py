"""Reads XLSX: one sample a row of the first sheet, the first row names the columns, an empty cell is no value.

A title of one cell above that row is left out.
"""

import datetime as dt
import zipfile
from collections.abc import Callable, Iterable
from typing import BinaryIO
from xml.etree.ElementTree import ParseError

from plumbrule.errors import InputError, MissingExtraError
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, MAX_RECORD_MB, Flaw, Rows
from plumbrule.samples.formats.columns import is_title, named_columns

_MOST_UNPACKED = 1 << 28  # bytes of all parts: texts of cells are held together, so that this bounds the memory
_MOST_EXPANSION = 200  # of one part that is large: real sheets are packed to a twentieth
_LARGE_PART = 1 << 24
_MOST_PARTS = 10_000
_MOST_COLUMNS = 1000
_PROLOGUE = 1 << 10  # bytes in which a document type would be declared


def read_xlsx(handle: BinaryIO, name: str, progress: Callable[[float], None]) -> Rows:
    """Yield each row as a record with its number in the sheet, and tell ``progress`` the share of rows done."""
    try:
        from openpyxl import load_workbook  # noqa: PLC0415 -- an extra that most users do not need
    except ImportError:
        raise MissingExtraError(need="reading XLSX", extra="xlsx") from None

    number = 0
    try:
        if not handle.read(1):
            return
        handle.seek(0)
        _check_archive(handle, name)
        book = load_workbook(handle, read_only=True, data_only=True, keep_links=False)
        sheets = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        if not sheets:
            raise InputError(f"{name}: there is no sheet in it")
        sheet = sheets[0]
        sheet.reset_dimensions()  # some writers give wrong ones
        columns: list[str] | None = None
        titles: list[tuple[int, list[object]]] = []
        for number, row in enumerate(sheet.iter_rows(max_col=_MOST_COLUMNS, values_only=True), 1):
            cells = [_cell(value) for value in row]
            if all(cell is None for cell in cells):
                continue
            if columns is None:
                if is_title(cells):
                    titles.append((number, cells))
                else:
                    columns = _named(cells, name)
                continue
            yield number, _record(columns, cells)
        if columns is None and titles:  # no title after all, but a table of one column
            columns = _named(titles[0][1], name)
            yield from ((number, _record(columns, cells)) for number, cells in titles[1:])
        progress(1.0)
    except (zipfile.BadZipFile, ParseError, OSError, ValueError, KeyError, TypeError, IndexError, EOFError) as error:
        reason = str(error).split("\n", 1)[0][:200]
        raise InputError(f"{name}: not a readable XLSX file, after row {number}: {reason}") from None


def _check_archive(handle: BinaryIO, name: str) -> None:
    """Refuse an archive whose parts unpack to more than is held, or declare entities that grow."""
    with zipfile.ZipFile(handle) as archive:
        parts = archive.infolist()
        if len(parts) > _MOST_PARTS:
            raise InputError(f"{name}: the archive has {len(parts):,} parts")
        total = sum(part.file_size for part in parts)
        if total > _MOST_UNPACKED:
            raise InputError(f"{name}: it unpacks to {total:,} bytes; save it as CSV, which is read as a stream")
        for part in parts:
            if part.file_size > max(_LARGE_PART, _MOST_EXPANSION * part.compress_size):
                raise InputError(f"{name}: its part {part.filename!r:.60} unpacks to {part.file_size:,} bytes")
            with archive.open(part) as content:
                if b"<!doctype" in content.read(_PROLOGUE).lower():
                    raise InputError(f"{name}: its part {part.filename!r:.60} declares a document type")
    handle.seek(0)


def _named(cells: list[object], name: str) -> list[str]:
    return named_columns(["" if cell is None else str(cell) for cell in cells], name)


def _record(columns: list[str], cells: list[object]) -> object:
    if any(cell is not None for cell in cells[len(columns) :]):
        return Flaw(f"the row has {len(cells)} cells and the header {len(columns)}")
    if sum(len(cell) for cell in cells if isinstance(cell, str)) > MAX_RECORD_BYTES:
        return Flaw(f"the row is longer than {MAX_RECORD_MB} MB")
    named: Iterable[tuple[str, object]] = zip(columns, cells, strict=False)
    return {key: cell for key, cell in named if key and cell is not None}


def _cell(value: object) -> object:
    """Return a cell as a sample may hold it; an empty text is a missing value, as in CSV."""
    if isinstance(value, dt.time | dt.timedelta):
        return str(value)
    return None if value == "" else value
