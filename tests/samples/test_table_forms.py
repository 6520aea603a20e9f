"""Tables come with any delimiter, encoding, spelling of names and number of context columns, and as spreadsheets."""

import csv
import datetime as dt
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from plumbrule.errors import InputError, UsageError
from plumbrule.samples import DATASET_SUFFIXES, Reading, Sample

Write = Callable[..., Path]


def one(path: Path, **options: Any) -> Sample:
    """Return the only sample of a file."""
    [sample] = Reading(path, **options)
    return sample


def parts_of(sample: Sample) -> tuple[str, str | None, list[str]]:
    """Return what a sample was read for."""
    return sample.question, sample.answer, [passage.text for passage in sample.contexts]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_header_shows_the_delimiter(write: Write, sign: str) -> None:
    """A CSV file is read by the delimiter that its header has, whatever the cells hold."""
    path = write("a.csv", f'question{sign}answer{sign}contexts\nQ{sign}"A, b; c|d"{sign}C\n')

    assert parts_of(one(path)) == ("Q", "A, b; c|d", ["C"])


def test_excel_declares_its_delimiter(write: Write) -> None:
    """The first line that Excel writes for its delimiter is no header, and counts as a line."""
    path = write("a.csv", "sep=;\nquestion;answer\nQ;A\nQ;\n")
    places: list[int] = []
    [sample] = Reading(path, on_bad=lambda error: places.append(error.line))

    assert parts_of(sample) == ("Q", "A", [])
    assert places == [4]


def test_context_columns_of_any_name_are_mapped_together(write: Write) -> None:
    """``contexts=Source`` takes ``Source 1``, ``Source 2``, in their order; a column of just that name comes first."""
    table = "question,answer,Source 2,Source 1,Source 10\nQ,A,two,one,\nR,B,,first,tenth\n"
    first, second = Reading(write("a.csv", table), mapping={"contexts": "Source"})
    [alone] = Reading(write("b.csv", "answer,Source,Source 2\nA,one,two\n"), mapping={"contexts": "Source"})

    assert parts_of(first) == ("Q", "A", ["one", "two"])
    assert parts_of(second) == ("R", "B", ["first", "tenth"])
    assert parts_of(alone) == ("", "A", ["one"])


def test_messages_in_cells_are_read_as_in_json(tmp_path: Path) -> None:
    """Langfuse and others export traces as CSV with whole messages in ``input`` and ``output``; other JSON is text."""
    rows = [
        {"input": '{"messages": [{"role": "user", "content": "Q"}]}', "output": '{"role": "ai", "content": "A"}'},
        {"input": '{"question": "Q"}', "output": "A"},
        {"input": "[see above] Q", "output": '{"rows": 3, "state": {"done": true}}'},
    ]
    with (tmp_path / "traces.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["input", "output"])
        table.writeheader()
        table.writerows(rows)
    first, second, third = Reading(tmp_path / "traces.csv")

    assert parts_of(first) == parts_of(second) == ("Q", "A", [])
    assert parts_of(third) == ("[see above] Q", rows[2]["output"], [])


def test_a_title_above_the_header_is_left_out(write: Write, tmp_path: Path) -> None:
    """A row of several cells whose first alone is filled is a title, as people write above a table; not one column."""
    path = write("a.csv", "Export of the third quarter,,\nquestion,answer,contexts\nQ,A,C\n")
    book, single = Workbook(), Workbook()
    for row in (["Export of the third quarter"], ["by hand"], [], ["question", "answer", "contexts"], ["Q", "A", "C"]):
        book.active.append(row)
    book.active.merge_cells("A1:C1")
    book.save(tmp_path / "a.xlsx")
    for row in (["answer"], ["A"]):
        single.active.append(row)
    single.save(tmp_path / "single.xlsx")

    assert parts_of(one(path)) == parts_of(one(tmp_path / "a.xlsx")) == ("Q", "A", ["C"])
    assert parts_of(one(tmp_path / "single.xlsx")) == ("", "A", [])


def test_line_ends_of_an_old_macintosh_are_told(write: Write) -> None:
    """Lines that end in a carriage return alone are no CSV, and the message says what to do."""
    with pytest.raises(InputError, match="save the file with line ends of Unix or Windows"):
        list(Reading(write("a.csv", "question,answer\rQ,A\r")))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_told(write: Write, encoding: str) -> None:
    """UTF-16 without its mark is no garbled table: the message names the encoding, which then reads it."""
    path = write("a.csv", "question,answer\nQ,A\n".encode(encoding))

    with pytest.raises(InputError, match=f"--encoding {encoding} reads it"):
        list(Reading(path))
    assert parts_of(one(path, encoding=encoding)) == ("Q", "A", [])


def test_a_delimiter_is_named(write: Write) -> None:
    """``--delimiter`` wins over the header, takes a sign or a word, and nothing else."""
    path = write("a.csv", "answer^contexts\nA^C\n")

    assert parts_of(one(path, delimiter="^")) == ("", "A", ["C"])
    assert one(write("b.csv", "a,b,answer\tid\n,\t7\n"), delimiter="tab", mapping={"answer": "a,b,answer"}).id == "7"
    with pytest.raises(UsageError, match="one character"):
        Reading(path, delimiter="::")
    with pytest.raises(UsageError, match="is for CSV"):
        Reading(write("a.jsonl", "{}"), delimiter=";")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_a_byte_order_mark_tells_the_encoding(write: Write, name: str, encoding: str) -> None:
    """UTF-16 with a byte-order mark, as Excel saves it, is read without being asked."""
    text = "answer,contexts\nA €5 fee,Fée\n" if name == "a.csv" else '{"answer": "A €5 fee", "contexts": ["Fée"]}'
    mark = "\ufeff" if encoding == "utf-16-le" else ""

    assert parts_of(one(write(name, (mark + text).encode(encoding)))) == ("", "A €5 fee", ["Fée"])


def test_an_encoding_is_named(write: Write) -> None:
    """Text in another encoding is read when the user names it; without, the message says how."""
    path = write("a.csv", "answer,contexts\nA €5 fee,Fée\n".encode("cp1252"))

    assert parts_of(one(path, encoding="cp1252")) == ("", "A €5 fee", ["Fée"])
    with pytest.raises(InputError, match="--encoding"):
        list(Reading(path))
    with pytest.raises(UsageError, match="no such encoding"):
        Reading(path, encoding="cp125")
    with pytest.raises(UsageError, match="no such encoding"):
        Reading(path, encoding="base64")
    with pytest.raises(InputError, match="not ascii text"):
        list(Reading(path, encoding="ascii"))


def test_a_header_is_read_in_any_case(write: Write) -> None:
    """Capitals, spaces, hyphens and camel case make no other name; the name as it is documented wins."""
    path = write("a.csv", "ID,User Input,Actual-Output,retrievalContext,ANSWER\n7,Q,A,C,B\n")

    assert (one(path).id, *parts_of(one(path))) == ("7", "Q", "B", ["C"])
    assert one(write("a.jsonl", [{"Answer": "x", "answer": "y"}])).answer == "y"


@pytest.mark.parametrize(
    "header", ["context_1,context_2,context_10", "Context 2,Context 1,Context 10", "passage1,passage2,passage10"]
)
def test_contexts_stand_in_several_columns(write: Write, header: str) -> None:
    """Numbered columns of contexts are passages in the order of their numbers; an empty cell is none."""
    cells = "two,one,ten" if header.startswith("Context") else "one,two,ten"
    path = write("a.csv", f"answer,{header}\nA,{cells}\nB,,,only\n")
    first, second = Reading(path)

    assert parts_of(first)[2] == ["one", "two", "ten"]
    assert parts_of(second)[2] == ["only"]


def test_a_record_has_so_many_keys_at_most(write: Write) -> None:
    """A record of more keys than a table may have columns is a bad record; the next one is read."""
    wide = {"answer": "A.", **{f"k{number}": 1 for number in range(16_384)}}
    reasons: list[str] = []
    [sample] = Reading(write("a.jsonl", [wide, {"answer": "B."}]), on_bad=lambda error: reasons.append(str(error)))

    assert sample.answer == "B."
    [reason] = reasons
    assert reason.endswith("a.jsonl:1: the record has 16,385 keys; at most 16,384 are read")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_a_table_has_so_many_columns_at_most(write: Write, tmp_path: Path, suffix: str) -> None:
    """A table of more columns than a sheet of Excel has is refused before its rows are read; one of as many is read."""
    for extra, wide in ((16_382, False), (16_383, True)):
        names = ["id", "answer", *(f"c{number}" for number in range(extra))]
        cells = ["1", "A.", *("x" for _ in range(extra))]
        path = tmp_path / f"{extra}.{suffix}"
        if suffix == "csv":
            path = write(path.name, f"{','.join(names)}\n{','.join(cells)}\n")
        else:
            table = pa.table([[cell] for cell in cells], names=names)
            pq.write_table(table, path) if suffix == "parquet" else pa.feather.write_feather(table, path)

        if wide:
            with pytest.raises(InputError, match="the table has 16,385 columns; at most 16,384 are read"):
                one(path)
        else:
            assert one(path).answer == "A."


@pytest.mark.parametrize(
    "entry",
    [
        {"document": {"content": "C", "id": "d1"}, "score": 0.5},
        {"document.content": "C", "document.id": "d1", "score": 0.5},
        {"node": {"text": "C", "id": "d1"}, "score": 0.5},
        {"docid": "d1", "score": 0.5, "doc": {"segment": "C"}},
        {"lc": 1, "kwargs": {"page_content": "C", "id": "d1"}, "score": 0.5},
    ],
)
def test_the_text_of_a_context_is_nested(write: Write, entry: dict[str, object]) -> None:
    """A passage is found inside the document of a search result, with its id and score."""
    [passage] = one(write("a.jsonl", [{"answer": "A", "contexts": [entry]}])).contexts

    assert (passage.text, passage.id, passage.score) == ("C", "d1", 0.5)


def test_a_mapping_leads_through_lists(write: Write) -> None:
    """A dotted path of ``--map`` goes through every item of a list."""
    record = {"answer": "A", "hits": [{"document": {"body": "one"}}, {"document": {"body": "two"}}]}

    assert parts_of(one(write("a.jsonl", [record]), mapping={"contexts": "hits.document.body"}))[2] == ["one", "two"]


BY_COLUMNS: list[dict[str, object]] = [
    {"question": ["Q", "R"], "answer": ["A", "B"], "contexts": [["C"], ["D"]]},
    {"question": {"0": "Q", "1": "R"}, "answer": {"0": "A", "1": "B"}, "contexts": {"0": ["C"], "1": ["D"]}},
    {"columns": ["question", "answer", "contexts"], "index": [0, 1], "data": [["Q", "A", ["C"]], ["R", "B", ["D"]]]},
]


@pytest.mark.parametrize("document", BY_COLUMNS)
def test_json_by_columns(write: Write, document: dict[str, object]) -> None:
    """A document that lists each field once, as datasets and pandas write it, is read row by row."""
    samples = list(Reading(write("a.json", orjson.dumps(document))))

    assert [parts_of(sample) for sample in samples] == [("Q", "A", ["C"]), ("R", "B", ["D"])]


def test_columns_of_different_lengths(write: Write) -> None:
    """Columns that do not go together are refused, with their lengths."""
    with pytest.raises(InputError, match="question 1, answer 2"):
        list(Reading(write("a.json", '{"question": ["Q"], "answer": ["A", "B"]}')))


def book_of(*rows: tuple[object, ...]) -> bytes:
    """Return a workbook with these rows."""
    book, buffer = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(buffer)
    return buffer.getvalue()


def test_a_spreadsheet(write: Write) -> None:
    """A sheet is read as CSV is: header, empty cells, JSON in cells; numbers and dates are ids and times."""
    when = dt.datetime(2026, 5, 4, 9, 0)  # noqa: DTZ001 - a sheet knows no zones
    path = write(
        "a.xlsx",
        book_of(
            ("ID", "Question", "Answer", "context_1", "context_2", "timestamp", "input_tokens"),
            (7, "Q", "A", "one", None, when, 12),
            (None,) * 7,
            (8, "R", "B", "two", "four", None, None),
        ),
    )
    first, second = Reading(path)

    assert (first.id, *parts_of(first)) == ("7", "Q", "A", ["one"])
    assert (first.timestamp, first.input_tokens) == ("2026-05-04T09:00:00", 12)
    assert parts_of(second)[2] == ["two", "four"]


def test_a_bad_row_of_a_spreadsheet(write: Write) -> None:
    """A bad row is told by its number in the sheet."""
    errors: list[int] = []
    path = write("a.xlsx", book_of(("answer",), ("A",), (3,)))

    assert len(list(Reading(path, on_bad=lambda error: errors.append(error.line)))) == 1
    assert errors == [3]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "not a readable XLSX file"),
        ("bomb", "unpacks to"),
        ("entities", "declares a document type"),
        ("other", "not a readable XLSX file"),
    ],
)
def test_a_hostile_spreadsheet(write: Write, content: str | bytes, reason: str) -> None:
    """A file that is no workbook, unpacks to too much, or declares entities is one clear error."""
    buffer = io.BytesIO()
    if isinstance(content, str):
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            if content == "bomb":
                archive.writestr("xl/sharedStrings.xml", b" " * (1 << 25))
            elif content == "entities":
                archive.writestr("xl/workbook.xml", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
            else:
                archive.writestr("a.txt", b"text")
    with pytest.raises(InputError, match=reason):
        list(Reading(write("a.xlsx", content if isinstance(content, bytes) else buffer.getvalue())))


def test_what_can_be_read_is_told() -> None:
    """Whoever offers to read a file can ask which suffixes there are."""
    assert {".csv", ".xlsx", ".jsonl.gz", ".parquet"} <= set(DATASET_SUFFIXES)
    assert ".xlsx.gz" not in DATASET_SUFFIXES
