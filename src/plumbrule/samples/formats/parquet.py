"""Reads Parquet in small batches: one sample a row."""

from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from plumbrule.errors import InputError, MissingExtraError
from plumbrule.samples.byte_streams import Rows

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 256


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
        columns = file.schema_arrow.names
        if len(set(columns)) < len(columns):
            raise InputError(f"{name}: two columns have the same name")
        total = file.metadata.num_rows
        for batch in file.iter_batches(batch_size=_BATCH_ROWS):
            table = pa.Table.from_batches([batch]).cast(_in_microseconds(batch.schema), safe=False)
            for record in table.to_pylist():
                number += 1
                yield number, record
            progress(number / total)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).split("\n", 1)[0]
        raise InputError(f"{name}: not a readable Parquet file, after record {number}: {reason}") from None


def _in_microseconds(schema: "pa.Schema") -> "pa.Schema":
    """Return ``schema`` with times as Python can hold them: it knows no nanoseconds."""
    import pyarrow as pa  # noqa: PLC0415 -- an extra that most users do not need

    for index, field in enumerate(schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            schema = schema.set(index, field.with_type(pa.timestamp("us", field.type.tz)))
    return schema
