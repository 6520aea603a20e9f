"""A folder of chunk files with a manifest: what is there and right need not be made again."""

import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar

import orjson

from plumbrule.codec import from_json, json_line, optional_key
from plumbrule.engines.chunks import Chunk
from plumbrule.errors import InputError, UsageError
from plumbrule.files import open_file, written_whole
from plumbrule.object_stores import UrlFolder, is_url

MANIFEST = "manifest.json"
_CHUNK_FILE = re.compile(r"verdicts-\d{8}\.jsonl")
_BETWEEN_WRITES_S = 5.0  # of the manifest: what is made after the last one is made again, should the program be killed
_WORDS = {"plumbrule": "version of Plumbrule", "support": "model or verifier", "chunk_size": "size of chunks"}

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkEntry:
    """One chunk file: what it was made from, and what is in it."""

    file: str
    samples_sha256: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEntry:
    """The dataset: its name, its size where it is known, and once all of it is read how many of its records are bad."""

    source: str
    bytes: int | None
    bad_records: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a folder holds; everything but the input says what results depend on beside the samples."""

    manifest: int = 1
    plumbrule: str
    rubric: Mapping[str, str]
    support: Mapping[str, Mapping[str, str] | None] | None = optional_key()  # the model and the verifier
    chunk_size: int
    input: InputEntry
    complete: bool = False
    chunks: tuple[ChunkEntry, ...] = ()


class Folder(Protocol):
    """A place for files, each written whole or not at all."""

    name: str

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None where there is none."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""

    def names(self) -> list[str]:
        """Return the names of the files."""

    def remove(self, name: str) -> None:
        """Remove a file."""


class LocalFolder:
    """A folder of this machine; a file gets its name when it is complete."""

    def __init__(self, path: Path) -> None:
        self.name = f"{path}/"
        self._path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{path}: cannot be made a folder: {error.strerror}") from None

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None where there is none."""
        try:
            with open_file(self._path / name) as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{self._path / name}: cannot be read: {error.strerror}") from None

    def write(self, name: str, content: bytes) -> None:
        """Write a file to another name, and rename it."""
        with written_whole(self._path / name) as file:
            file.write(content)

    def names(self) -> list[str]:
        """Return the names of the files."""
        return sorted(path.name for path in self._path.iterdir() if path.is_file())

    def remove(self, name: str) -> None:
        """Remove a file."""
        try:
            (self._path / name).unlink()
        except OSError as error:
            raise UsageError(f"{self._path / name}: cannot be removed: {error.strerror}") from None


def open_folder(address: str) -> Folder:
    """Return the folder at a path or at the address of an object store."""
    return UrlFolder(address) if is_url(address) else LocalFolder(Path(address))


@dataclass(slots=True)
class ChunkFolder:
    """Chunk files of one dataset by one rubric; ``head`` says what they are, without chunks."""

    folder: Folder
    head: Manifest
    _before: dict[str, ChunkEntry] = field(default_factory=dict)
    _chunks: dict[str, ChunkEntry] = field(default_factory=dict)
    _written_at: float = 0.0

    def __post_init__(self) -> None:
        content = self.folder.read(MANIFEST)
        if content is not None:
            self._before = {entry.file: entry for entry in self._read(content).chunks}
        self._write_manifest(self.head, self._before)

    def kept(self, chunk: Chunk[S]) -> bytes | None:
        """Return the content of a chunk that is there and right: made from these samples, and as it was written."""
        entry = self._before.get(self._file_name(chunk))
        if entry is None or (entry.samples_sha256, entry.rows) != (_sha256_of(chunk), len(chunk.samples)):
            return None
        content = self.folder.read(entry.file)
        if content is None or len(content) != entry.bytes or hashlib.sha256(content).hexdigest() != entry.sha256:
            return None
        self._chunks[entry.file] = entry
        return content

    def add(self, chunk: Chunk[S], content: bytes) -> None:
        """Write what was made of a chunk."""
        entry = ChunkEntry(
            file=self._file_name(chunk),
            samples_sha256=_sha256_of(chunk),
            rows=len(chunk.samples),
            bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
        )
        self.folder.write(entry.file, content)
        self._chunks[entry.file] = entry
        if time.monotonic() - self._written_at > _BETWEEN_WRITES_S:
            self.save()

    def save(self) -> None:
        """Write down what is there so far."""
        self._write_manifest(self.head, self._before | self._chunks)

    def complete(self, read: InputEntry) -> None:
        """Write the manifest of all chunks, and remove chunk files of another input."""
        for name in self.folder.names():
            if _CHUNK_FILE.fullmatch(name) and name not in self._chunks:
                self.folder.remove(name)
        self._write_manifest(replace(self.head, input=read, complete=True), self._chunks)

    def _file_name(self, chunk: Chunk[S]) -> str:
        return f"verdicts-{(chunk.first - 1) // self.head.chunk_size:08}.jsonl"

    def _read(self, content: bytes) -> Manifest:
        where = f"{self.folder.name}{MANIFEST}"
        try:
            manifest = from_json(Manifest, orjson.loads(content), where=where)
        except orjson.JSONDecodeError:
            raise InputError(f"{where}: is not JSON: remove it, or name another folder") from None
        for name in ("manifest", "plumbrule", "rubric", "support", "chunk_size"):
            if getattr(manifest, name) != getattr(self.head, name):
                raise UsageError(
                    f"{where}: the verdicts there were made with another {_WORDS.get(name, name)}: name another folder"
                )
        return manifest

    def _write_manifest(self, head: Manifest, entries: Mapping[str, ChunkEntry]) -> None:
        manifest = replace(head, chunks=tuple(entries[name] for name in sorted(entries)))
        self.folder.write(MANIFEST, json_line(manifest, indent=True))
        self._written_at = time.monotonic()


def _sha256_of(chunk: Chunk[S]) -> str:
    """Return the digest of samples; the text of a dataclass has all its fields, and takes any character."""
    digest = hashlib.sha256()
    for sample in chunk.samples:
        digest.update(repr(sample).encode())
    return digest.hexdigest()
