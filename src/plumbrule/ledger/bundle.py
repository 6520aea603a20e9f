"""An audit bundle: all of a run, the chain that it stands in, and what checks both, in one file.

Of every other entry the chain has the hash alone. The same ledger gives the same bytes.
"""

import hashlib
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

from plumbrule.errors import InputError
from plumbrule.files import written_whole
from plumbrule.hashing import canonical_json
from plumbrule.ledger import bundle_verifier
from plumbrule.ledger.bundle_verifier import CHAIN, CHECKPOINT, FORMAT, MANIFEST, RESULTS, RUBRICS, BrokenBundleError
from plumbrule.ledger.chain import BrokenChainError, Row, walk
from plumbrule.ledger.checkpoint import Checkpoint
from plumbrule.ledger.entry_rows import stream
from plumbrule.ledger.ledger_errors import LedgerBrokenError
from plumbrule.ledger.store import Ledger
from plumbrule.ledger.tables import COLUMNS

_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that an archive knows
_UNIX = 3
_MODE = 0o644 << 16
_README = """# Audit bundle of a run

{files}

Check it on any machine that has Python 3.8 or later; nothing else is needed:

    unzip -p BUNDLE.zip verify.py > verify.py
    python verify.py BUNDLE.zip

It walks along the hash chain of the whole ledger, of which this bundle has the bodies of run {run_id}: each entry holds
the hash of the one before, up to the checkpoint. It holds every file here against the manifest, and the results and
rubrics against the chain. Take verify.py from a Plumbrule that you trust, or read it: it is short.

Who changes everything at once, the chain and the checkpoint with it, is found out by a checkpoint of the same ledger
that was kept elsewhere (plumbrule ledger checkpoint --to FILE):

    python verify.py BUNDLE.zip CHECKPOINT.json

With Plumbrule: plumbrule ledger verify BUNDLE.zip [--checkpoint CHECKPOINT.json]
"""
_WHAT = {
    "MANIFEST.json": "the SHA-256 of every other file",
    "README.md": "this text",
    "chain.jsonl": "every entry of the ledger, those of the run with their bodies",
    "checkpoint.json": "the end of the chain, signed by the key of the ledger's owner",
    "results.jsonl": "the results of the run, one a line",
    "verify.py": "checks this bundle",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleVerification:
    """What a whole bundle holds."""

    run_id: str
    ledger_id: str
    entries: int
    entries_of_run: int
    last_sha256: str
    files: tuple[str, ...]


def write_bundle(
    ledger: Ledger, run_id: str, path: Path, *, checkpoint: Checkpoint, reports: Mapping[str, bytes] | None = None
) -> None:
    """Write what the ledger holds of a run to ``path``, with the chain up to ``checkpoint``; whole, or not at all."""
    digests: dict[str, str] = {}
    with (
        written_whole(path, private=True) as file,
        tempfile.TemporaryFile() as results,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
    ):
        rubrics = _write_chain(ledger, run_id, checkpoint, archive, results, digests)
        results.seek(0)
        with _entry(archive, RESULTS, digests) as part:
            shutil.copyfileobj(results, part)
        others = {f"{RUBRICS}{name}.json": body for name, body in rubrics.items()}
        others |= {CHECKPOINT: canonical_json(checkpoint.content()) + b"\n", **(reports or {})}
        others["verify.py"] = Path(bundle_verifier.__file__).read_bytes()
        others["README.md"] = _readme(run_id, others).encode()
        for name, content in sorted(others.items()):
            with _entry(archive, name, digests) as part:
                part.write(content)
        manifest = canonical_json({"format": FORMAT, "run_id": run_id, "files": digests}) + b"\n"
        with _entry(archive, MANIFEST, {}) as part:
            part.write(manifest)


def verify_bundle(path: Path, kept: Checkpoint | None = None) -> BundleVerification:
    """Return what a bundle holds where it is whole; a LedgerBrokenError says what is wrong with it."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    try:
        held = bundle_verifier.verify(path, None if kept is None else kept.content())
    except BrokenBundleError as error:
        raise LedgerBrokenError(f"{path}: {error}") from None
    return BundleVerification(**{**held, "files": tuple(held["files"])})


def _write_chain(
    ledger: Ledger,
    run_id: str,
    checkpoint: Checkpoint,
    archive: zipfile.ZipFile,
    results: IO[bytes],
    digests: dict[str, str],
) -> dict[str, bytes]:
    """Write the chain, and the results beside it; return the rubrics of the run."""
    rubrics: dict[str, bytes] = {}
    with _entry(archive, CHAIN, digests) as chain:
        for row in _rows(ledger, checkpoint):
            subject, kind, body = row[2].decode(), row[1].decode(), row[5]
            own = subject == run_id or subject.startswith(f"{run_id}/")
            chain.write(_line(row, own=own))
            if own and kind == "result":
                results.write(body + b"\n")
            elif own and kind == "rubric":
                rubrics[subject.rsplit("/", 1)[1]] = body + b"\n"
    return rubrics


def _rows(ledger: Ledger, checkpoint: Checkpoint) -> Iterator[Row]:
    try:
        with closing(stream(ledger.engine, ledger.name)) as rows:
            for row in walk(rows):
                yield row
                if row[0] == checkpoint.sequence:
                    return
    except BrokenChainError as error:
        raise LedgerBrokenError(f"{ledger.name}: {error.broken.message}: nothing was written") from None


def _line(row: Row, *, own: bool) -> bytes:
    """Return an entry as one line; the body is a text, so that every reader has the bytes that were hashed."""
    parts: dict[str, object] = {name: value.decode() for name, value in zip(COLUMNS[1:], row[1:], strict=True)}
    return canonical_json({**parts, "sequence": row[0], "body": parts["body"] if own else None}) + b"\n"


@contextmanager
def _entry(archive: zipfile.ZipFile, name: str, digests: dict[str, str]) -> Iterator["_Hashed"]:
    """Give a file of the archive to write to, and keep its digest."""
    info = zipfile.ZipInfo(name, _DATE)
    info.create_system, info.external_attr = _UNIX, _MODE
    with archive.open(info, "w", force_zip64=True) as file:
        hashed = _Hashed(file)
        yield hashed
    digests[name] = hashed.digest.hexdigest()


class _Hashed:
    """A file that is hashed as it is written."""

    def __init__(self, file: BinaryIO | IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self._file.write(data)


def _readme(run_id: str, others: Mapping[str, bytes]) -> str:
    said = {name: "a rubric in force" if name.startswith(RUBRICS) else "the report" for name in others} | _WHAT
    return _README.format(run_id=run_id, files="\n".join(f"- `{name}`: {said[name]}" for name in sorted(said)))
