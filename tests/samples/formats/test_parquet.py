"""Parquet: nested columns, JSON text and times all become values."""

import datetime as dt
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plumbrule.errors import InputError, UsageError
from plumbrule.samples import Passage, Reading

Read = Callable[..., Any]


def written(path: Path, columns: dict[str, Any]) -> Path:
    """Write ``columns`` as a Parquet file."""
    pq.write_table(pa.table(columns), path)
    return path


def test_columns_become_values(tmp_path: Path) -> None:
    """Lists, structs, JSON text, whole floats and nanosecond times are all understood."""
    time = pa.array([1_700_000_000_123_456_789, None], pa.timestamp("ns", "UTC"))
    path = written(
        tmp_path / "a.parquet",
        {
            "response": ["A", ""],
            "retrieved_contexts": [["x", "y"], None],
            "metadata": [{"a": 1.5, "day": dt.date(2024, 3, 5)}, None],
            "citations": ['[{"passage": "p"}]', None],
            "input_tokens": [12.0, None],
            "timestamp": time,
            "extra": [1, 2],
        },
    )
    reading = Reading(path)
    [first, second] = reading

    assert first.contexts == (Passage(text="x"), Passage(text="y"))
    assert first.metadata == {"a": 1.5, "day": "2024-03-05"}
    assert (first.citations[0].passage, first.input_tokens) == ("p", 12)
    assert first.timestamp == "2023-11-14T22:13:20.123456+00:00"
    assert (second.answer, second.contexts, second.timestamp) == ("", (), None)
    assert reading.fields["answer"] == {"response": 2}
    assert reading.ignored == {"extra": 2}
    assert reading.position() == (path.stat().st_size, path.stat().st_size)


def test_bad_rows_are_told_by_number(tmp_path: Path) -> None:
    """A bad row is told by its number, in every batch."""
    path = written(
        tmp_path / "a.parquet",
        {
            "answer": ["x"] * 600 + [None],
            "id": [str(n) for n in range(601)],
            "latency_e2e_ms": [float("nan")] + [1.0] * 600,
        },
    )
    bad: list[tuple[int, str]] = []
    reading = Reading(path, on_bad=lambda error: bad.append((error.line, error.reason)))

    assert len(list(reading)) == 599
    assert bad == [
        (1, "latency_e2e_ms is not a finite number"),
        (601, "answer is null and there is no refusal"),
    ]


@pytest.mark.parametrize("content", [b"PAR1 and then nothing of use", b"\x1f\x8b packed", b"text"])
def test_what_is_no_parquet(read: Read, content: bytes) -> None:
    """A file that is no Parquet file, or is packed once more, is one clear error."""
    with pytest.raises(InputError, match=r"a\.parquet: not a "):
        read("a.parquet", content)


def test_standard_input_is_refused() -> None:
    """Parquet is read from its end, so it cannot come through a pipe."""
    with pytest.raises(UsageError, match="standard input"):
        Reading("-", format="parquet")


def test_without_the_extra(tmp_path: Path) -> None:
    """Without pyarrow the error names the extra to install."""
    path = written(tmp_path / "a.parquet", {"answer": ["A"]})
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from plumbrule.errors import MissingExtraError\n"
        "from plumbrule.samples import Reading\n"
        "try: list(Reading(sys.argv[1]))\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)

    assert done.stdout == "reading Parquet needs an extra: pip install 'plumbrule[parquet]'\n"
