"""An interrupted scoring ends at once, with one line, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from tests.clock import wait_until
from tests.processes import start_interruptible

COMMAND = Path(sys.executable).with_name("plumbrule")


@pytest.fixture(scope="module")
def long_dataset(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a dataset that takes minutes to score."""
    path = tmp_path_factory.mktemp("long") / "long.jsonl"
    context = "The wire fee is $25. The firm sells bonds."
    with path.open("wb") as file:
        for number in range(60_000):
            record = {
                "id": str(number),
                "question": "Fee?",
                "answer": f"The firm pays ${number}.",
                "contexts": [context],
            }
            file.write(orjson.dumps(record) + b"\n")
    yield path
    path.unlink()


def interrupt(arguments: list[object], folder: Path) -> tuple[int, bytes, bytes]:
    """Start the command, send Ctrl-C to it and its workers once it writes, and return how it ended."""
    process = start_interruptible(
        [COMMAND, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(lambda: process.poll() is not None or any(part.stat().st_size for part in folder.glob(".*.part")))
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return process.returncode, out, err


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_is_one_line_and_leaves_nothing(long_dataset: Path, tmp_path: Path, workers: int) -> None:
    """Exit code 130; the old results stay, no part file stays, and no worker prints a traceback."""
    (tmp_path / "out.jsonl").write_bytes(b"old\n")
    code, out, err = interrupt(["score", long_dataset, "-o", "out.jsonl", "--workers", workers], tmp_path)
    assert (code, out) == (130, b"")
    [line] = [line for line in err.decode().splitlines() if line]
    assert line.startswith("plumbrule: interrupted")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("out.jsonl", b"old\n")]
