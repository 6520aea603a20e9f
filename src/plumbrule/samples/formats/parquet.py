"""Reads Parquet in small batches: one sample a row."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from plumbrule.errors import InputError, MissingExtraError
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, MAX_RECORD_MB, Rows
from plumbrule.samples.formats.columns import named_columns

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 256
_BATCH_BYTES = 1 << 25
_LARGE_CHUNK = 1 << 26
_MOST_EXPANSION = 200  # text is packed to a twentieth at best, endless repetition to a ten-thousandth


def read_parquet(handle: BinaryIO, name: str, progress: Callable[[float], None]) -> Rows:
    """Yield each row as a record with its number, and tell ``progress`` the share of rows done."""
    try:
        import pyarrow as pa  # noqa: PLC0415 -- an extra that most users do not need
        import pyarrow.parquet as pq  # noqa: PLC0415 -- the same
    except ImportError:
        raise MissingExtraError(need="reading Parquet", extra="parquet") from None

    number = 0
    try:
        start = handle.read(4)
        handle.seek(0)
        if not start:
            return
        if start != b"PAR1":
            raise InputError(f"{name}: not a Parquet file; one that is packed must be unpacked first")
        file = pq.ParquetFile(handle)
        named_columns(file.schema_arrow.names, name)
        total = file.metadata.num_rows
        for group in range(file.metadata.num_row_groups):
            rows = _rows_at_once(file.metadata.row_group(group), name)
            for batch in file.iter_batches(batch_size=rows, row_groups=[group]):
                check_rows(batch, name, number)
                for record in batch_rows(batch):
                    number += 1
                    yield number, record
                progress(number / total)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(f"{name}: not a readable Parquet file, after record {number}: {reason}") from None


def batch_rows(batch: "pa.RecordBatch") -> Iterator[dict[str, object]]:
    """Yield the rows of a batch as Python values, a few hundred at a time."""
    import pyarrow as pa  # noqa: PLC0415 -- an extra that most users do not need

    schema = _in_microseconds(batch.schema)
    for start in range(0, batch.num_rows, _BATCH_ROWS):
        yield from pa.Table.from_batches([batch.slice(start, _BATCH_ROWS)]).cast(schema, safe=False).to_pylist()


def _rows_at_once(group: "pa.RowGroupMetaData", name: str) -> int:
    """Return how many rows can be held at once, though each may repeat the largest value of its group."""
    chunks = [group.column(index) for index in range(group.num_columns)]
    for chunk in chunks:
        check_expansion(
            f"the column {chunk.path_in_schema!r:.60}",
            packed=chunk.total_compressed_size,
            unpacked=chunk.total_uncompressed_size,
            name=name,
        )
    largest: int = sum(max(0, chunk.total_uncompressed_size) for chunk in chunks)
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // max(1, largest)))


def check_expansion(what: str, *, packed: int, unpacked: int, name: str) -> None:
    """Refuse what unpacks to far more than text can: it was made to fill the memory."""
    if unpacked > _LARGE_CHUNK and unpacked > _MOST_EXPANSION * max(1, packed):
        raise InputError(f"{name}: {what} unpacks to {unpacked:,} bytes")


def check_rows(batch: "pa.RecordBatch", name: str, before: int) -> None:
    """Refuse a row that is longer than a record may be."""
    if batch.nbytes <= MAX_RECORD_BYTES:
        return
    for index in range(batch.num_rows):
        if batch.slice(index, 1).nbytes > MAX_RECORD_BYTES:
            raise InputError(f"{name}: record {before + index + 1} is longer than {MAX_RECORD_MB} MB")


def _in_microseconds(schema: "pa.Schema") -> "pa.Schema":
    """Return ``schema`` with times as Python can hold them: it knows no nanoseconds."""
    import pyarrow as pa  # noqa: PLC0415 -- an extra that most users do not need

    for index, field in enumerate(schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            schema = schema.set(index, field.with_type(pa.timestamp("us", field.type.tz)))
    return schema
