"""One reading tells what it read, what it could not, and under which names."""

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plumbrule.samples
from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.samples import Reading
from plumbrule.samples.dataset_reader import OTHER_KEYS, REPEATED

Read = Callable[..., Any]
Write = Callable[..., Path]


def test_the_first_bad_record_is_raised(write: Write) -> None:
    """Without ``on_bad`` the first bad record ends the reading, and its message names file and line."""
    path = write("a.jsonl", [{"answer": "A"}, {"answer": 3}])
    reading = Reading(path)

    with pytest.raises(RecordError) as caught:
        list(reading)
    assert str(caught.value) == f"{path}:2: answer must be text, not a number"
    assert (reading.read, reading.bad) == (1, 1)


def test_what_was_understood(read: Read) -> None:
    """Good and bad records, the origin of each field, unknown keys and remarks are counted."""
    reading = read(
        "a.jsonl",
        [
            {"id": 1, "response": "A", "contexts": "one", "foo": 1},
            {"id": 2, "answer": "A", "foo": 1},
            {"id": 3, "answer": None, "bar": 1},
            {"answer": "A", "citations": [{"passage": "p"}]},
        ],
    ).reading

    assert (reading.read, reading.bad) == (3, 1)
    assert reading.fields == {
        "id": {"id": 2},
        "answer": {"response": 1, "answer": 2},
        "contexts": {"contexts": 1, "citations[].passage": 1},
        "citations": {"citations": 1},
    }
    assert reading.ignored == {"foo": 2}
    assert reading.notes == {"contexts given as one string": 1, "id made from the content": 1}


def test_a_mapping_is_used(read: Read) -> None:
    """The user's mapping is applied to every record and seen in the counts."""
    outcome = read("a.jsonl", [{"mine": {"text": "A"}}], {"answer": "mine.text"})

    assert outcome.samples[0].answer == "A"
    assert outcome.reading.fields == {"answer": {"mine.text": 1}}
    assert outcome.reading.ignored == {}


def test_a_wrong_mapping_is_refused_at_once() -> None:
    """A mapping to no field is refused before any file is opened."""
    with pytest.raises(UsageError, match="no field 'anwser'"):
        Reading("missing.jsonl", mapping={"anwser": "x"})


def test_duplicates(read: Read) -> None:
    """The second of two equal ids is bad and names the first; rows that repeat without ids get ids of their own."""
    outcome = read(
        "a.jsonl",
        [
            {"id": "x", "answer": "1"},
            {"id": 7, "answer": "2"},
            {"id": "7", "answer": "3"},
            {"answer": "4"},
            {"response": "4"},
            {"id": "x", "answer": "5"},
            {"answer": "4"},
        ],
    )

    assert [sample.answer for sample in outcome.samples] == ["1", "2", "4", "4", "4"]
    assert outcome.complaints == [(3, "duplicate id '7', first on line 2"), (6, "duplicate id 'x', first on line 1")]
    made = outcome.samples[2].id
    assert [sample.id for sample in outcome.samples[2:]] == [made, f"{made}-2", f"{made}-3"]
    assert outcome.reading.notes[REPEATED] == 2


def test_a_made_id_keeps_clear_of_given_ones(read: Read) -> None:
    """The number behind a made id is never that of an id that was there before."""
    [first] = read("a.jsonl", [{"answer": "4"}]).samples
    outcome = read("b.jsonl", [{"answer": "4"}, {"id": f"{first.id}-2", "answer": "5"}, {"answer": "4"}])

    assert [sample.id for sample in outcome.samples] == [first.id, f"{first.id}-2", f"{first.id}-3"]


def test_a_bad_record_does_not_take_its_id(read: Read) -> None:
    """Only a record that became a sample counts as the first of its id."""
    outcome = read("a.jsonl", [{"id": "x", "answer": None}, {"id": "x", "answer": "A"}])

    assert [sample.answer for sample in outcome.samples] == ["A"]


def test_a_reading_goes_once(write: Write) -> None:
    """A second pass over one Reading is a mistake in the program."""
    reading = Reading(write("a.jsonl", [{"answer": "A"}]))
    list(reading)

    with pytest.raises(RuntimeError, match="once"):
        iter(reading)


def test_the_position_grows(write: Write) -> None:
    """The position goes from nothing to the size of the file."""
    path = write("a.jsonl", [{"id": n, "answer": "A" * 1000} for n in range(2000)])
    reading = Reading(path)
    assert reading.position() == (0, None)
    seen = [reading.position()[0] for _ in reading]

    assert seen == sorted(seen)
    assert 0 < seen[0] < seen[-1] == path.stat().st_size
    assert reading.position()[1] == path.stat().st_size


def test_countless_names_are_bounded(read: Read) -> None:
    """A new unknown key in every record does not fill the memory."""
    reading = read("a.jsonl", [{"answer": str(n), f"key{n}": 1} for n in range(1500)]).reading

    assert len(reading.ignored) == 1001
    assert reading.ignored[OTHER_KEYS] == 500


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, suffix: str) -> None:
    """Ten times the records take the same memory, but for the table of ids."""
    peaks = []
    for count in (1500, 15_000):
        path = tmp_path / f"{count}.{suffix}"
        records = ({"id": f"q{n}", "answer": f"answer {n} " * 20} for n in range(count))
        with path.open("wb") as file:
            if suffix == "csv":
                file.write(b"id,answer\n")
                file.writelines(f"{each['id']},{each['answer']}\n".encode() for each in records)
            else:
                ends = (b"", b"\n") if suffix == "jsonl" else (b"[", b",\n")
                for number, each in enumerate(records):
                    file.write((ends[0] if number == 0 else ends[1]) + orjson.dumps(each))
                file.write(b"\n" if suffix == "jsonl" else b"]")
        tracemalloc.start()
        try:
            assert sum(1 for _ in Reading(path)) == count
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()

    # 15,000 ids need a table of 32,768 places of 16 bytes, and half as much again while it doubles
    assert peaks[1] - peaks[0] < 900_000


PIECES = [b'{"answer": "a"}', b'{"id": 1, "answer": "b"}', b"[", b"]", b"{", b"}", b",", b"\n", b'"', b"answer"]
PIECES += [b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf", b"\xff", b"\0", b"PAR1", b"results", b":", b"1e5"]


@given(content=st.lists(st.sampled_from(PIECES) | st.binary(max_size=5), max_size=12).map(b"".join))
@pytest.mark.parametrize("form", ["jsonl", "json", "csv", "tsv", "parquet"])
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, form: str, content: bytes) -> None:
    """Whatever bytes a file holds, reading it gives samples, bad records or one clear error."""
    path = tmp_path_factory.getbasetemp() / f"any.{form}"
    path.write_bytes(content)
    bad: list[RecordError] = []
    reading = Reading(path, on_bad=bad.append)
    try:
        samples = list(reading)
    except InputError as error:
        message = str(error)
        assert "\n" not in message, message
    else:
        assert (len(samples), len(bad)) == (reading.read, reading.bad)


def test_the_public_names() -> None:
    """What the room exports is sorted and there."""
    names = plumbrule.samples.__all__

    assert names == sorted(names, key=lambda name: (not name.isupper(), name))
    assert all(hasattr(plumbrule.samples, name) for name in names)


def test_nothing_heavy_is_loaded_by_the_import() -> None:
    """Readers of rare formats are loaded only when such a file is read."""
    code = (
        "import sys, plumbrule.samples\n"
        "print([name for name in ('ijson', 'pyarrow', 'pydantic', 'zstandard') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
