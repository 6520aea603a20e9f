"""A table has the same rows in every format, and a text from outside is text in all of them."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from openpyxl import load_workbook

from plumbrule.errors import UsageError
from plumbrule.reports import table_files
from plumbrule.reports.table_files import TABLE_FILES, Row, Table

COLUMNS: dict[str, type[str] | type[int] | type[float] | type[bool]] = {"id": str, "text": str, "score": float}
ROWS: list[Row] = [
    ["a", '=HYPERLINK("http://example.test","x")', 0.5],
    ["b", "<script>alert(1)</script> | **bold** @cmd", None],
    ["c", "+1\x1b[31m", 1.0],
]


def written(suffix: str, rows: list[Row] = ROWS) -> bytes:
    """Return the table as a file of this format."""
    return b"".join(TABLE_FILES[suffix].write(Table(title="verdicts", columns=COLUMNS, rows=iter(rows))))


def test_csv_has_no_formula() -> None:
    """What a spreadsheet would work out begins with an apostrophe; an empty cell is no value."""
    rows = list(csv.reader(io.StringIO(written(".csv").decode())))

    assert rows[0] == ["id", "text", "score"]
    assert [row[1][:2] for row in rows[1:]] == ["'=", "<s", "'+"]
    assert rows[2][2] == ""


def test_xlsx_has_no_formula() -> None:
    """Every text of a sheet is a text, also one that begins like a formula; the same rows give the same bytes."""
    sheet = load_workbook(io.BytesIO(written(".xlsx"))).active
    cells = list(sheet.iter_rows(min_row=2))

    assert [cell.data_type for row in cells for cell in row[:2]] == ["s"] * 6
    assert cells[0][1].value == "'" + str(ROWS[0][1])
    assert [row[2].value for row in cells] == [0.5, None, 1]
    assert written(".xlsx") == written(".xlsx")


def test_parquet_keeps_texts_and_types() -> None:
    """Parquet has the texts as they are, and numbers as numbers."""
    table = pq.read_table(io.BytesIO(written(".parquet")))

    assert [list(row.values()) for row in table.to_pylist()] == ROWS
    assert [str(kind) for kind in table.schema.types] == ["string", "string", "double"]


def test_a_page_has_no_markup_of_others() -> None:
    """HTML and Markdown show what stands in a cell; nothing of it is markup."""
    page, text = written(".html").decode(), written(".md").decode()

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert page.count("<tr>") == text.count("\n") - 1 == 1 + len(ROWS)
    assert "\x1b" not in page + text
    assert all(line.count(" | ") == 2 for line in text.splitlines() if not line.startswith("|---"))


def test_a_table_is_never_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are taken as the file is given; a sheet that is full says so."""
    taken: list[int] = []

    def rows() -> Iterator[Row]:
        for number in range(5):
            taken.append(number)
            yield [str(number), "y", 1.0]

    pieces = TABLE_FILES[".md"].write(Table(title="t", columns=COLUMNS, rows=rows()))
    next(pieces)
    next(pieces)
    assert taken == [0]
    monkeypatch.setattr(table_files, "_MOST_ROWS", 4)
    with pytest.raises(UsageError, match="holds 4 rows"):
        written(".xlsx", list(rows()))


def test_an_empty_table(tmp_path: Path) -> None:
    """A table without rows is a whole file all the same."""
    for suffix in TABLE_FILES:
        (tmp_path / f"a{suffix}").write_bytes(written(suffix, []))
    assert pq.read_table(tmp_path / "a.parquet").column_names == list(COLUMNS)
    assert load_workbook(tmp_path / "a.xlsx").active.max_row == 1
