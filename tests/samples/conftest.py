"""Files and readings that the tests of the samples room share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from plumbrule.errors import RecordError
from plumbrule.samples import Reading, Sample


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one full reading gave."""

    samples: list[Sample]
    errors: list[RecordError]
    reading: Reading

    @property
    def complaints(self) -> list[tuple[int, str]]:
        """Return the place and reason of each bad record."""
        return [(error.line, error.reason) for error in self.errors]


Read = Callable[..., Outcome]
Write = Callable[[str, object], Path]


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
def read(write: Write) -> Read:
    """Return a function that writes a file, reads all of it and collects the bad records."""

    def read_file(name: str, content: object, mapping: Mapping[str, str] | None = None) -> Outcome:
        errors: list[RecordError] = []
        reading = Reading(write(name, content), mapping=mapping, on_bad=errors.append)
        return Outcome(samples=list(reading), errors=errors, reading=reading)

    return read_file
