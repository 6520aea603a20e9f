"""Checkpoints: the end of the chain at one moment, kept elsewhere, so that cutting or rewriting it is found out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from plumbrule.codec import optional_key, to_json
from plumbrule.errors import InputError
from plumbrule.files import read_file, written_whole
from plumbrule.hashing import canonical_json

_LARGEST = 1 << 20  # bytes of a checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The last entry of a ledger at one moment."""

    ledger_id: str
    sequence: int
    entry_sha256: str
    recorded_at_utc: str
    key_id: str | None = optional_key()  # of the key that signed it; None where nobody did
    hmac_sha256: str | None = optional_key()

    def content(self) -> dict[str, Any]:
        """Return the checkpoint as JSON holds it."""
        content: dict[str, Any] = to_json(self)
        return content


def write_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write a checkpoint as one line of JSON, for its owner only."""
    with written_whole(path, private=True) as file:
        file.write(canonical_json(checkpoint.content()) + b"\n")


def read_checkpoint(path: Path) -> Checkpoint:
    """Read what ``write_checkpoint`` wrote; whether a signature is right is for those who have the key."""
    try:
        value = orjson.loads(read_file(path, most=_LARGEST))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError:
        raise InputError(f"{path}: is not a checkpoint: name a file that ledger checkpoint wrote") from None
    names = {"ledger_id": str, "sequence": int, "entry_sha256": str, "recorded_at_utc": str}
    signed = names | {"key_id": str, "hmac_sha256": str}
    if not isinstance(value, dict) or {name: type(part) for name, part in value.items()} not in (names, signed):
        raise InputError(f"{path}: is not a checkpoint: it must hold {', '.join(names)} and nothing but its signature")
    return Checkpoint(**value)
