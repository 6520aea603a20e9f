"""Checks an audit bundle of Plumbrule with the standard library of Python 3.8 or later alone.

    python verify.py BUNDLE.zip [CHECKPOINT.json]

It says whether the bundle is whole, and else the first thing that is wrong; the exit code is 0 or 1. A checkpoint of
the ledger that was kept somewhere else makes sure that the chain in the bundle is the one that was there then.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import zipfile
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = "plumbrule-bundle-1"
MANIFEST = "MANIFEST.json"
CHAIN = "chain.jsonl"
CHECKPOINT = "checkpoint.json"
RESULTS = "results.jsonl"
RUBRICS = "rubrics/"
_TAG = "plumbrule-entry-1"
_BEFORE_ALL = "0" * 64
_HASHED = ("sequence", "kind", "subject", "author", "recorded_at_utc", "body_sha256", "previous_sha256")
_COLUMNS = (*_HASHED, "body", "entry_sha256")
_CHUNK = 1 << 20
_LARGEST_MANIFEST = 1 << 24
_LONGEST_LINE = 1 << 28


class BrokenBundleError(Exception):
    """What is wrong with a bundle."""


def verify(path: str | os.PathLike[str], kept: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what a bundle holds, as a dict; raise BrokenBundleError where it is not whole.

    ``kept`` is a checkpoint that was kept elsewhere, as a dict.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - a device would be read without end
            raise BrokenBundleError("it cannot be read: it is not a regular file")
        with zipfile.ZipFile(path) as archive:
            return _verify(archive, kept)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, KeyError, TypeError, NotImplementedError) as error:
        raise BrokenBundleError(f"it cannot be read: {error}") from None


def _verify(archive: zipfile.ZipFile, kept: dict[str, Any] | None) -> dict[str, Any]:
    manifest = _manifest(archive)
    for name, digest in sorted(manifest["files"].items()):
        if _digest(archive, name) != digest:
            raise BrokenBundleError(f"{name} is not the file that was bundled")
    checkpoint = json.loads(archive.read(CHECKPOINT))
    entries = _walk(archive, manifest["run_id"])
    own, last, ledger_id = 0, None, None
    results = archive.open(RESULTS)
    rubrics = {name for name in manifest["files"] if name.startswith(RUBRICS)}
    known = {checkpoint["sequence"]: checkpoint["entry_sha256"]}
    if kept is not None:
        _same(kept["ledger_id"], checkpoint["ledger_id"], "the checkpoint that you kept is of another ledger")
    with results:
        for entry in entries:
            last = entry
            if entry["sequence"] == 0:
                ledger_id = entry["subject"]
            if kept is not None and entry["sequence"] == kept["sequence"]:
                _same(
                    entry["entry_sha256"], kept["entry_sha256"], "it is not the chain of the checkpoint that you kept"
                )
                kept = None
            if entry["body"] is None:
                continue
            own += 1
            if entry["kind"] == "result":
                _same(_line(results), entry["body"] + "\n", RESULTS + " is not what the chain holds")
            elif entry["kind"] == "rubric":
                name = RUBRICS + entry["subject"].rsplit("/", 1)[1] + ".json"
                _same(archive.read(name).decode(), entry["body"] + "\n", name + " is not what the chain holds")
                rubrics.discard(name)
        _same(_line(results), "", RESULTS + " has more than the chain holds")
    if last is None or kept is not None:
        raise BrokenBundleError("its chain ends before the checkpoint")
    _same(rubrics, set(), "it has a rubric that the chain does not hold")
    _same(known, {last["sequence"]: last["entry_sha256"]}, "its chain does not end at its checkpoint")
    _same(ledger_id, checkpoint["ledger_id"], "its chain is of another ledger than its checkpoint")
    if not own:
        raise BrokenBundleError("it holds nothing of the run")
    return {
        "run_id": manifest["run_id"],
        "ledger_id": ledger_id,
        "entries": last["sequence"] + 1,
        "entries_of_run": own,
        "last_sha256": last["entry_sha256"],
        "files": sorted(manifest["files"]),
    }


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    parts = archive.infolist()
    if any(part.compress_type != zipfile.ZIP_STORED or part.compress_size != part.file_size for part in parts):
        raise BrokenBundleError("it was packed again: its files are stored as they are")
    if archive.getinfo(MANIFEST).file_size > _LARGEST_MANIFEST:
        raise BrokenBundleError("its manifest is too large")
    content = archive.read(MANIFEST)
    manifest: dict[str, Any] = json.loads(content)
    whole = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"
    if set(manifest) != {"files", "format", "run_id"} or manifest["format"] != FORMAT or whole.encode() != content:
        raise BrokenBundleError("its manifest is not as it was written")
    names = [part.filename for part in parts]
    if sorted(names) != sorted([MANIFEST, *manifest["files"]]):
        raise BrokenBundleError("its files are not those of its manifest")
    return manifest


def _digest(archive: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    with archive.open(name) as file:
        for chunk in iter(lambda: file.read(_CHUNK), b""):
            digest.update(chunk)
    return digest.hexdigest()


def _walk(archive: zipfile.ZipFile, run_id: str) -> Iterator[dict[str, Any]]:
    """Yield every entry of the chain that is rightly linked to the one before; what is of the run must be there."""
    expected, before = 0, _BEFORE_ALL
    with archive.open(CHAIN) as file:
        for line in iter(lambda: _line(file), ""):
            entry = json.loads(line)
            where = f"entry {expected}: "
            if set(entry) != set(_COLUMNS) or entry["sequence"] != expected or entry["previous_sha256"] != before:
                raise BrokenBundleError(where + "it does not follow the entry before it")
            text = "\n".join([_TAG, *(str(entry[name]) for name in _HASHED)])
            if hashlib.sha256(text.encode()).hexdigest() != entry["entry_sha256"]:
                raise BrokenBundleError(
                    where + "its kind, subject, author, time or hash is not the one that was written"
                )
            body = entry["body"]
            if body is None and (entry["subject"] == run_id or entry["subject"].startswith(run_id + "/")):
                raise BrokenBundleError(where + "its body is missing, and it is of the run")
            if body is not None and hashlib.sha256(body.encode()).hexdigest() != entry["body_sha256"]:
                raise BrokenBundleError(where + "its body is not the one that was written")
            yield entry
            expected, before = expected + 1, entry["entry_sha256"]


def _line(file: IO[bytes]) -> str:
    return file.readline(_LONGEST_LINE).decode()


def _same(given: object, expected: object, complaint: str) -> None:
    if given != expected:
        raise BrokenBundleError(complaint)


def main(arguments: list[str]) -> int:
    """Check the bundle that the arguments name, say what came of it, and return the exit code."""
    if len(arguments) not in (1, 2):
        sys.stderr.write("usage: python verify.py BUNDLE.zip [CHECKPOINT.json]\n")
        return 2
    try:
        kept = None
        if len(arguments) == 2:
            with open(arguments[1], encoding="utf-8") as file:  # noqa: PTH123 - a script of few imports
                kept = json.load(file)
        held = verify(arguments[0], kept)
    except (BrokenBundleError, OSError, ValueError) as error:
        sys.stderr.write(f"broken: {arguments[0]}: {error}\n")
        return 1
    of_run = f"run {held['run_id']}, {held['entries_of_run']} of {held['entries']} entries"
    sys.stdout.write(f"whole: {arguments[0]}: {of_run} of {held['ledger_id']}, last {held['last_sha256'][:12]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
