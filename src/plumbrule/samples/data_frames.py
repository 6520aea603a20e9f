"""Tables of Python as records: DataFrames of pandas and Polars, Arrow tables, Hugging Face datasets, columns by name.

Nothing is imported for that but what the caller has: each is known by what it offers. Cells that hold a list or an
object as text are opened, as in a file of flat cells.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from plumbrule.errors import MissingExtraError, UsageError
from plumbrule.samples.formats.parquet import batch_rows
from plumbrule.samples.python_values import plain_value
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import SEQUENCES, described

_TAKEN = "a list of mappings, a DataFrame, an Arrow table, a Hugging Face dataset or the path of a file"


class ArrowTable(Protocol):
    """A table that can be read as a stream of Arrow, as those of pandas, Polars, PyArrow and DuckDB can."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the table as a capsule with an Arrow stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """Samples as they come from Python, and how they are read."""

    rows: Iterable[Sample | Mapping[str, object]]
    flat: bool = False  # cells may hold lists and objects as text
    labels: Sequence[Hashable] | None = None  # what the table calls its rows


def records_of(given: object) -> Records:
    """Return samples, or a table of them, as records; anything else is refused."""
    table: Any = given
    if isinstance(given, Mapping):
        return Records(rows=_from_columns(given), flat=True)
    if hasattr(given, "itertuples") and hasattr(given, "columns"):  # a DataFrame of pandas
        return Records(
            rows=_named(table.columns, table.itertuples(index=False, name=None)), flat=True, labels=list(table.index)
        )
    if hasattr(given, "iter_rows") and hasattr(given, "columns"):  # a DataFrame of Polars
        return Records(rows=_named(table.columns, table.iter_rows()), flat=True)
    if hasattr(given, "column_names") and isinstance(given, Iterable) and not hasattr(given, "__arrow_c_stream__"):
        return Records(rows=given, flat=True)  # a dataset of Hugging Face gives its rows as mappings
    if hasattr(given, "__arrow_c_stream__"):
        return Records(rows=_arrow_rows(given), flat=True)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise UsageError(f"samples must be {_TAKEN}, not {described(given)}")
    return Records(rows=given)


def _named(columns: Iterable[object], rows: Iterable[Sequence[object]]) -> Iterator[Mapping[str, object]]:
    names = [str(column) for column in columns]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise UsageError(f"samples: two columns are called '{twice}'")
    return (dict(zip(names, row, strict=True)) for row in rows)


def _from_columns(columns: Mapping[object, object]) -> Iterator[Mapping[str, object]]:
    """Yield the rows of columns by name, as a slice of a Hugging Face dataset holds them."""
    splits = [column for column in columns.values() if hasattr(column, "column_names")]
    values = [plain_value(column) for column in columns.values()] if not splits else []
    lists = [column for column in values if isinstance(column, SEQUENCES)]
    if len(lists) < len(values) or len({len(column) for column in lists}) != 1:
        raise UsageError(
            "samples is one mapping: give a list of samples, columns of one length by their names, or one split of a "
            "dataset"
        )
    return _named(columns, zip(*lists, strict=True))


def _arrow_rows(table: object) -> Iterator[Mapping[str, object]]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra that most users do not need
    except ImportError:
        raise MissingExtraError(need="reading an Arrow table", extra="parquet") from None
    reader = pa.RecordBatchReader.from_stream(table)
    return _named(reader.schema.names, (list(row.values()) for batch in reader for row in batch_rows(batch)))
