"""Checkpoints: the end of the chain at one moment, kept elsewhere, so that cutting or rewriting it is found out."""

from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from plumbrule.errors import InputError
from plumbrule.files import written_whole
from plumbrule.hashing import canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The last entry of a ledger at one moment."""

    ledger_id: str
    sequence: int
    entry_sha256: str
    recorded_at_utc: str


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint as one line of JSON."""
    with written_whole(path) as file:
        file.write(canonical_json(asdict(checkpoint)) + b"\n")


def read_checkpoint(path: Path) -> Checkpoint:
    """Read what ``write_checkpoint`` wrote."""
    try:
        value = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError:
        raise InputError(f"{path}: is not a checkpoint: name a file that ledger verify wrote") from None
    names = {"ledger_id": str, "sequence": int, "entry_sha256": str, "recorded_at_utc": str}
    if not isinstance(value, dict) or {name: type(part) for name, part in value.items()} != names:
        raise InputError(f"{path}: is not a checkpoint: it must hold {', '.join(names)} and nothing else")
    return Checkpoint(**value)
