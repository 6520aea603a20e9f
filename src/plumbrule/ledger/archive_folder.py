"""An archive: a folder of Parquet files with entries of a ledger, whole, and a manifest that names every file.

The canonical text of a body stands in the files byte for byte, so that every hash can be worked out again. Beside the
columns of an entry are others for queries; no hash is taken over them but that of the file.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from plumbrule.codec import from_json, to_json
from plumbrule.errors import InputError, MissingExtraError, UsageError
from plumbrule.files import PRIVATE, read_file, sha256_of_file
from plumbrule.hashing import canonical_json
from plumbrule.ledger.chain import Row, header_hash
from plumbrule.ledger.tables import COLUMNS
from plumbrule.terminal import is_text

if TYPE_CHECKING:
    import pyarrow as pa

FORM = "plumbrule-archive-1"
MANIFEST = "manifest.json"
_LARGEST_MANIFEST = 1 << 28  # bytes
_FILE_ROWS = 1_000_000
_BATCH_ROWS = 5000
_BATCH_BYTES = 1 << 25
_FOLDER_MODE = 0o700

Cell = str | int | float | bool | None
CellType = type[str] | type[int] | type[float] | type[bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryColumns:
    """Columns for queries beside those of an entry, and how they are filled from a row; what is left out is null."""

    types: Mapping[str, CellType]
    cells: Callable[[Row], Mapping[str, Cell]]


NO_COLUMNS = QueryColumns(types={}, cells=lambda _row: {})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedFile:
    """One file of an archive: the numbers of its first and last entry, and what it is known by."""

    file: str
    rows: int
    first: int
    last: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveManifest:
    """What an archive holds, and where in the chain; no time and no machine, so that the same can be made again."""

    form: str = FORM
    ledger_id: str
    entries: int
    kinds: Mapping[str, int]
    first: int
    first_previous_sha256: str
    last: int
    last_entry_sha256: str
    runs: Mapping[str, Mapping[str, int]]  # by run and kind, how many entries
    files: tuple[ArchivedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFolder:
    """An archive that is there; its files are not looked into yet."""

    path: Path
    manifest: ArchiveManifest
    manifest_sha256: str

    def check_files(self) -> None:
        """Refuse an archive of which a file was changed or taken away."""
        for file in self.manifest.files:
            path = self.path / Path(file.file).name
            try:
                digest = sha256_of_file(path)
            except OSError as error:
                raise InputError(f"{path}: cannot be read: {error.strerror}: the archive is not whole") from None
            if digest != file.sha256:
                raise InputError(f"{path}: is not the file that was archived: take it from another copy of the archive")

    def rows(self) -> Iterator[Row]:
        """Yield the archived entries in the order of the chain, as rows with their bodies."""
        pq = _parquet()
        for file in self.manifest.files:
            with pq.ParquetFile(self.path / Path(file.file).name) as parquet:
                for group in range(parquet.num_row_groups):  # each is a batch that was written
                    table = parquet.read_row_group(group, columns=list(COLUMNS))
                    numbers, *texts = (column.to_pylist() for column in table.columns)
                    encoded = ([text.encode() for text in column] for column in texts)
                    yield from zip(numbers, *encoded, strict=True)

    def checked_rows(self) -> Iterator[Row]:
        """Yield the archived entries, each as its own hash says."""
        for row in self.rows():
            header = (*row[:5], *row[6:])
            if hashlib.sha256(row[5]).hexdigest().encode() != row[6] or header_hash(header) != row[8]:
                raise InputError(
                    f"{self.path}: entry {row[0]} is not the one that was written: take another copy of it"
                )
            yield row


def open_archive(path: Path) -> ArchiveFolder:
    """Return the archive in a folder."""
    file = path / MANIFEST
    try:
        content = read_file(file, most=_LARGEST_MANIFEST)
        value = orjson.loads(content)
        form = value["form"]
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}: name a folder of 'ledger archive'") from None
    except (orjson.JSONDecodeError, TypeError, KeyError):
        raise InputError(f"{file}: is not the manifest of an archive") from None
    if form != FORM:
        raise InputError(f"{file}: is of the form {form!r:.60}, which this Plumbrule cannot read: upgrade it")
    manifest = from_json(ArchiveManifest, value, where=str(file))
    return ArchiveFolder(path=path, manifest=manifest, manifest_sha256=hashlib.sha256(content).hexdigest())


def write_archive(path: Path, rows: Iterable[Row], *, ledger_id: str, columns: QueryColumns) -> ArchiveFolder:
    """Write rows to a new folder, whole or not at all; the same archive that is there already is taken as it is."""
    path = path.absolute()
    if not is_text(str(path)):
        raise UsageError(f"{path}: its name must be text, since the ledger names it: name another folder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent))
    except OSError as error:
        raise UsageError(f"{path}: cannot be made a folder: {error.strerror}") from None
    try:
        _write_files(temporary, iter(rows), ledger_id=ledger_id, columns=columns)
        if (path / MANIFEST).exists():
            if (path / MANIFEST).read_bytes() != (temporary / MANIFEST).read_bytes():
                raise UsageError(f"{path}: holds another archive, which is never written over: name a new folder")
        else:
            temporary.chmod(_FOLDER_MODE)
            temporary.rename(path)
            _to_disk(path.parent)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return open_archive(path)


class _Tally:
    """What was written: how much of which run and kind, and the first and the last row."""

    def __init__(self) -> None:
        self.first: Row | None = None
        self.last: Row | None = None
        self.runs: dict[str, dict[str, int]] = {}

    def over(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield rows, each counted."""
        for row in rows:
            kind, of_run = row[1].decode(), self.runs.setdefault(row[2].partition(b"/")[0].decode(), {})
            of_run[kind] = of_run.get(kind, 0) + 1
            self.first, self.last = self.first or row, row
            yield row

    @property
    def kinds(self) -> dict[str, int]:
        """Return how many there are of each kind."""
        kinds: dict[str, int] = {}
        for of_run in self.runs.values():
            for kind, count in of_run.items():
                kinds[kind] = kinds.get(kind, 0) + count
        return kinds


def _write_files(folder: Path, rows: Iterator[Row], *, ledger_id: str, columns: QueryColumns) -> None:
    """Write the files and the manifest, and see them to the disk."""
    tally = _Tally()
    files: list[ArchivedFile] = []
    while (row := next(rows, None)) is not None:
        file = folder / f"entries-{len(files):06}.parquet"
        files.append(_write_file(file, tally.over(chain([row], islice(rows, _FILE_ROWS - 1))), columns))
    if tally.first is None or tally.last is None:
        raise UsageError("there is nothing to archive")
    manifest = ArchiveManifest(
        ledger_id=ledger_id,
        entries=sum(tally.kinds.values()),
        kinds=tally.kinds,
        first=tally.first[0],
        first_previous_sha256=tally.first[7].decode(),
        last=tally.last[0],
        last_entry_sha256=tally.last[8].decode(),
        runs=tally.runs,
        files=tuple(files),
    )
    with _new_file(folder / MANIFEST) as written:
        written.write(canonical_json(to_json(manifest)) + b"\n")
    _to_disk(folder / MANIFEST, folder)


def _write_file(path: Path, rows: Iterator[Row], columns: QueryColumns) -> ArchivedFile:
    """Write rows to one file of Parquet."""
    pa, pq = _arrow(), _parquet()
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    own = [(name, pa.int64() if name == "sequence" else pa.string()) for name in COLUMNS]
    schema = pa.schema([*own, *((name, types[kind]) for name, kind in columns.types.items())])
    tally = _Tally()
    with _new_file(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batches(tally.over(rows)):
            writer.write_table(_table(batch, schema, columns))
    _to_disk(path)
    return ArchivedFile(
        file=path.name,
        rows=sum(tally.kinds.values()),
        first=tally.first[0] if tally.first else -1,
        last=tally.last[0] if tally.last else -1,
        bytes=path.stat().st_size,
        sha256=sha256_of_file(path),
    )


def _table(batch: Sequence[Row], schema: "pa.Schema", columns: QueryColumns) -> "pa.Table":
    pa = _arrow()
    numbers, *texts = zip(*batch, strict=True)
    own = [pa.array(numbers, pa.int64()), *(pa.array(text, pa.binary()).cast(pa.string()) for text in texts)]
    cells = [columns.cells(row) for row in batch]
    others = [pa.array([cell.get(name) for cell in cells], schema.field(name).type) for name in columns.types]
    return pa.table([*own, *others], schema=schema)


def batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Yield rows in batches that fit into memory."""
    batch: list[Row] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row[5])
        if len(batch) == _BATCH_ROWS or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _new_file(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE), "wb")


def _to_disk(*paths: Path) -> None:
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _arrow() -> Any:  # noqa: ANN401 - a module
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra that most users do not need
    except ImportError:
        raise MissingExtraError(need="an archive", extra="parquet") from None
    return pa


def _parquet() -> Any:  # noqa: ANN401 - a module
    _arrow()
    import pyarrow.parquet as pq  # noqa: PLC0415 - an extra that most users do not need

    return pq
