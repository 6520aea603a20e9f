"""The command line as a user meets it: arguments in; exit code, output and complaints out."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule import cli

COMMAND = Path(sys.executable).with_name("plumbrule")


@dataclass(frozen=True, slots=True)
class Done:
    """What one call of the command gave."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[Any]:
        """Return each line of the output as JSON."""
        return [orjson.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Done]
Write = Callable[..., Path]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Run:
    """Return a function that runs the command in this process, in a folder of its own, 100 columns wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("FORCE_COLOR", "PLUMBRULE_DEBUG", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def run_command(*arguments: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli.invoke([str(argument) for argument in arguments])
        sys.stdout.flush()
        sys.stderr.flush()
        out, err = capfdbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return run_command


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """Return a function that runs the command as a process of its own."""

    def run_command(*arguments: object, stdin: bytes = b"", **environment: str) -> Done:
        kept = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "PLUMBRULE_DEBUG"}}
        done = subprocess.run(
            [str(COMMAND), *map(str, arguments)],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**kept, "COLUMNS": "100", **environment},
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run_command


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes bytes, text, or a list of records as JSON Lines."""

    def write_file(name: str, content: object) -> Path:
        path = tmp_path / name
        if isinstance(content, list):
            content = b"".join(orjson.dumps(record) + b"\n" for record in content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)  # type: ignore[arg-type]  # bytes
        return path

    return write_file


@pytest.fixture
def records() -> list[dict[str, Any]]:
    """Return four records: one fails, one passes, one warns, one is a refusal."""
    question = "What is the wire fee?"
    context = "The wire fee is $25."
    return [
        {"id": "wrong", "question": question, "answer": "The wire fee is $30.", "contexts": [context]},
        {"id": "right", "question": question, "answer": "The wire fee is $25.", "contexts": [context]},
        {"id": "thin", "question": "Which wire fee applies?", "answer": "The fee is $25.", "contexts": [context]},
        {"id": "refused", "question": question, "answer": None, "refusal": {"code": "NO_DOCS"}},
    ]


@pytest.fixture
def calibration(run: Run, write: Write) -> Path:
    """Return a rubric file with a calibration that was fitted to labels: hardly an answer is borne out."""
    context = "The firm charges a fee of $25 for a domestic wire. Branches open at nine."
    said = (
        "The firm charges a fee of $25 for a domestic wire.",
        "Branches open at nine.",
        "A cheque costs $90 in Peru.",
    )
    labels = [
        {"id": f"a{number}", "answer": said[number % 3], "contexts": [context], "supported": number % 6 == 0}
        for number in range(60)
    ]
    path = write("desk.jsonl", labels).with_name("calibration.yaml")
    assert run("support", "calibrate", "desk.jsonl", "-o", path, "--version", "3").code == 0
    return path


@pytest.fixture
def dataset(write: Write, records: list[dict[str, Any]]) -> Path:
    """Return a file with the four records."""
    return write("answers.jsonl", records)
