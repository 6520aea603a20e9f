"""Arrow IPC: the file form, the stream form and Feather give the same samples; what is hostile is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pytest

from plumbrule.errors import InputError, UsageError
from plumbrule.samples import Passage, Reading

COLUMNS: dict[str, Any] = {
    "id": ["a", "b", "c"],
    "response": ["A", "B", "C"],
    "retrieved_contexts": [["x", "y"], [], ["z"]],
    "metadata": [{"n": 1}, None, {"n": 3}],
}


def as_file(table: pa.Table, path: Path, **options: Any) -> None:
    """Write a table in the file form, a row in each batch."""
    with pa.ipc.new_file(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=1)


def as_stream(table: pa.Table, path: Path, **options: Any) -> None:
    """Write a table in the stream form, as the datasets library caches it."""
    with pa.ipc.new_stream(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)


def as_feather(table: pa.Table, path: Path) -> None:
    """Write a table as pandas' to_feather does."""
    pyarrow.feather.write_feather(table, str(path))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.arrow", as_file),
        ("a.arrow", as_stream),
        ("a.ipc", lambda table, path: as_stream(table, path, compression="zstd")),
        ("a.ipc", lambda table, path: as_file(table, path, compression="lz4")),
        ("a.feather", as_feather),
    ],
)
def test_every_form_gives_the_same_samples(tmp_path: Path, name: str, write: Callable[..., None]) -> None:
    """File and stream, packed or not, with lists, structs and words that a dictionary holds."""
    table = pa.table({**COLUMNS, "category": pa.array(["u", "v", "u"]).dictionary_encode()})
    write(table, tmp_path / name)
    reading = Reading(tmp_path / name)
    samples = list(reading)
    assert [(sample.id, sample.answer, sample.category) for sample in samples] == [
        ("a", "A", "u"),
        ("b", "B", "v"),
        ("c", "C", "u"),
    ]
    assert samples[0].contexts == (Passage(text="x"), Passage(text="y"))
    assert samples[2].metadata == {"n": 3}
    assert reading.format == "arrow"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "there are no records in it"),
        (b"ARROW1\0\0", "not a readable Arrow file, after record 0"),
        (b"{}\n", "not a readable Arrow file, after record 0"),
        (b"FEA1....", "Feather of version 1; write it again with version 2"),
        (b"\xff\xff\xff\xff\xff\xff\xff\x7f" + b"x" * 64, "not a readable Arrow file, after record 0"),
    ],
)
def test_what_is_no_arrow(tmp_path: Path, content: bytes, complaint: str) -> None:
    """It is told in one line, whatever the first bytes promise."""
    (tmp_path / "a.arrow").write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        list(Reading(tmp_path / "a.arrow"))


def test_a_file_that_is_cut_says_how_far_it_was_read(tmp_path: Path) -> None:
    """What a broken copy left out is not passed over in silence."""
    path = tmp_path / "a.arrow"
    as_stream(pa.table({"answer": ["x" * 1000] * 10}), path)
    path.write_bytes(path.read_bytes()[:-600])
    with pytest.raises(InputError, match="not a readable Arrow file, after record 0"):
        list(Reading(path))


def test_a_small_file_does_not_fill_the_memory(tmp_path: Path) -> None:
    """A batch that says it unpacks to thousands of times its size is refused before it is unpacked."""
    path = tmp_path / "a.arrow"
    as_stream(pa.table({"answer": ["a" * 100_000_000]}), path, compression="zstd")
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match=r"a\.arrow: a batch unpacks to 100,000,0\d\d bytes"):
        list(Reading(path))


def test_a_record_has_its_limit(tmp_path: Path) -> None:
    """A row of more than 16 MB is refused by its number."""
    path = tmp_path / "a.arrow"
    as_stream(pa.table({"answer": ["a", "b" * (17 << 20)]}), path)
    with pytest.raises(InputError, match="record 2 is longer than 16 MB"):
        list(Reading(path))


def test_it_is_a_file_with_a_name() -> None:
    """Standard input cannot be read twice."""
    with pytest.raises(UsageError, match="Arrow cannot be read from standard input; name the file"):
        Reading("-", format="arrow")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """Nobody could tell which of them is meant."""
    as_file(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["answer", "answer"]), tmp_path / "a.arrow")
    with pytest.raises(InputError, match="stands twice in the header"):
        list(Reading(tmp_path / "a.arrow"))
