"""Results as columns, for pandas and Polars: one row for each answer, in the order in which they came."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Literal

from plumbrule.codec import to_json
from plumbrule.errors import MissingExtraError, UsageError
from plumbrule.reports.verdict_files import verdict_fields
from plumbrule.runs.run_results import SampleSummary
from plumbrule.samples import Sample
from plumbrule.verdicts import Verdict

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Kind = Literal["text", "number", "flag", "texts"]
Columns = Mapping[str, tuple[Kind, Sequence[object]]]

_NUMBERS = ("float", "int")


_VERDICT_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("id", "question", "answer", "verdict"), "text"),
    "passed": "flag",
    "headline": "text",
    **dict.fromkeys(("relevance", "completeness", "hallucination", "support"), "number"),
    "support_band": "text",
    "refused": "flag",
    **dict.fromkeys(("reasons", "flags", "unsupported"), "texts"),
}


def verdict_columns(rows: Sequence[tuple[Sample, Verdict]]) -> Columns:
    """Return the verdicts with their scores, by the names that files of verdicts have."""
    told = [verdict_fields(sample, verdict) for sample, verdict in rows]
    return {
        name: (kind, [list(value) if isinstance(value := each[name], tuple) else value for each in told])
        for name, kind in _VERDICT_KINDS.items()
    }


def sample_columns(samples: Sequence[SampleSummary]) -> Columns:
    """Return the samples of a run, every field by its documented name."""
    return {
        field.name: (_kind(str(field.type)), [to_json(getattr(sample, field.name)) for sample in samples])
        for field in fields(SampleSummary)
    }


def to_pandas(columns: Columns, *, labels: Sequence[Hashable] | None = None) -> "pd.DataFrame":
    """Return the columns as a DataFrame; ``labels`` are the index of the rows."""
    try:
        import pandas as pd  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError(need="to_pandas()", extra="notebook") from None
    kinds = {"number": "float64", "flag": "boolean", "text": None, "texts": "object"}
    index = None if labels is None else pd.Index(labels)
    series = {
        name: pd.Series(values, dtype=kinds[kind], index=index)
        if values
        else pd.Series([], dtype=kinds[kind] or "object")
        for name, (kind, values) in columns.items()
    }
    return pd.DataFrame(series)


def to_polars(columns: Columns) -> "pl.DataFrame":
    """Return the columns as a DataFrame of Polars."""
    try:
        import polars as pl  # noqa: PLC0415 - nothing else needs it
    except ImportError:
        raise UsageError("to_polars() needs Polars: pip install polars") from None
    kinds = {"number": pl.Float64(), "flag": pl.Boolean(), "text": pl.String(), "texts": pl.List(pl.String())}
    return pl.DataFrame([pl.Series(name, values, dtype=kinds[kind]) for name, (kind, values) in columns.items()])


def _kind(annotation: str) -> Kind:
    if "tuple" in annotation:
        return "texts"
    if "bool" in annotation:
        return "flag"
    return "number" if any(number in annotation for number in _NUMBERS) else "text"
