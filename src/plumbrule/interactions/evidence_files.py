"""Files of evidence, one or a folder of them, as one stream of raw JSON records with their places."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plumbrule.errors import InputError, UsageError
from plumbrule.interactions.contract_findings import Finding, finding
from plumbrule.names import FORMATS
from plumbrule.samples.byte_streams import STANDARD_INPUT, Flaw, Rows, Source, format_of
from plumbrule.samples.formats.json import read_json, sniff_lines
from plumbrule.samples.formats.jsonl import read_jsonl

_READ = frozenset({"json", "jsonl"})
_SUFFIXES = tuple(suffix for suffix, kind in FORMATS.items() if kind in _READ)
_PACKED = ("", ".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON value, or the flaw that kept it from being read, with the file and line it stands on."""

    where: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFile:
    """A file that lies somewhere else than its name says, such as one that was uploaded: places show the name."""

    path: Path
    name: str

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __str__(self) -> str:
        return self.name


class Evidence:
    """The files at a path; they can be read more than once."""

    def __init__(self, source: str | os.PathLike[str], *, also: tuple[str, ...] = ()) -> None:
        self.source = str(source)  # as places and messages show it
        self._root = Path(source)
        if self.source == STANDARD_INPUT:
            raise UsageError("interactions are joined from files, which standard input is not: name a file or a folder")
        self.files: list[Path] = []
        self.texts: list[Path] = []  # files with a suffix of ``also``
        self._others: list[Path] = []
        self._done = 0
        self._opened: Source | None = None
        self._sort(also)
        self._total = sum(path.stat().st_size for path in self.files)

    def position(self) -> tuple[int, int | None]:
        """Return the bytes read so far, and those of all files."""
        return self._done + (self._opened.consumed if self._opened is not None else 0), self._total

    def skipped(self) -> list[Finding]:
        """Return a finding for each file that was left aside."""
        known = ", ".join(_SUFFIXES)
        return [finding("file_skipped", str(path), f"not read: only {known} are") for path in self._others]

    def records(self) -> Iterator[Record]:
        """Yield every record of every file, in the order of their names."""
        for path in self.files:
            name = self.source + str(path).removeprefix(str(self._root))
            try:
                with Source(str(path), name) as opened:
                    self._opened = opened
                    rows, by_line = _rows(opened, format_of(str(path)))
                    for place, value in rows:
                        yield Record(f"{name}:{place}" if by_line else f"{name}: record {place}", value)
            except InputError as error:  # one broken file among many is a finding, like one broken line
                yield Record(name, Flaw(str(error).removeprefix(f"{name}: ")))
            self._done += self._opened.consumed if self._opened is not None else 0
            self._opened = None

    def _sort(self, also: tuple[str, ...]) -> None:
        root = self._root
        if not root.is_dir():
            if root.exists() and not _is_json(root) and root.suffix not in also:
                read = f"only {', '.join(_SUFFIXES)} are read here (also packed as .gz or .zst)"
                raise UsageError(f"{self.source}: {read}")
            if not root.exists():
                raise InputError(f"{self.source}: no such file or folder")
            (self.texts if root.suffix in also else self.files).append(root)
            return
        for folder, inner, names in os.walk(root):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if name.startswith("."):
                    continue
                if _is_json(path):
                    self.files.append(path)
                else:
                    (self.texts if path.suffix in also else self._others).append(path)
        if not self.files and not self.texts:
            raise InputError(f"{self.source}: there is no {' or '.join(_SUFFIXES)} file in this folder")


def _is_json(path: Path) -> bool:
    return path.name.lower().endswith(tuple(suffix + packed for suffix in _SUFFIXES for packed in _PACKED))


def _rows(opened: Source, kind: str) -> tuple[Rows, bool]:
    stream = opened.unpacked()
    if kind == "json":
        stream, lines = sniff_lines(stream)
        if not lines:
            return read_json(stream, opened.name), False
    return read_jsonl(stream), True
