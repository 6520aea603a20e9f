"""Values as tables of Python hold them become plain Python, and a missing value is None however it is written."""

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from plumbrule.samples import Passage, sample_from
from plumbrule.samples.python_values import plain_value

MISSING = [
    None,
    math.nan,
    np.float32("nan"),
    np.float64("nan"),
    np.datetime64("NaT"),
    pd.NA,
    pd.NaT,
    Decimal("NaN"),
    Decimal("sNaN"),
    pa.scalar(None),
]
VALUES = [
    (np.int64(3), 3),
    (np.float32(0.5), 0.5),
    (np.bool_(True), True),  # noqa: FBT003 - the value itself
    (np.str_("text"), "text"),
    (np.array(["a", "b"]), ["a", "b"]),
    (np.array(["a", None], dtype=object), ["a", None]),
    (np.array([{"text": "a", "score": np.float64("nan")}]), [{"text": "a", "score": None}]),
    (pd.Series(["a"]), ["a"]),
    (pl.Series(["a"]), ["a"]),
    (pa.array(["a"]), ["a"]),
    (pa.scalar(3), 3),
    (("a", math.nan), ["a", None]),
    (dt.date(2026, 1, 2), dt.date(2026, 1, 2)),
    (pd.Timestamp("2026-01-02"), dt.datetime(2026, 1, 2)),  # noqa: DTZ001 - a column without a zone
    (math.inf, math.inf),
]


@pytest.mark.parametrize("value", MISSING, ids=lambda value: type(value).__name__)
def test_a_missing_value_is_none(value: object) -> None:
    """NaN, NaT and NA of every library say the same."""
    assert plain_value(value) is None


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=lambda value: repr(value)[:30])
def test_a_value_becomes_plain(value: object, expected: object) -> None:
    """Scalars and arrays, at any depth."""
    assert plain_value(value) == expected


def test_what_nobody_can_read_stays() -> None:
    """It is refused later, by its name; a list that holds itself ends at the depth that is read."""
    passage, unknown = Passage(text="a"), object()
    assert plain_value(passage) is passage
    assert plain_value(unknown) is unknown
    endless: list[object] = []
    endless.append(endless)
    assert plain_value(endless) != []


def test_a_record_may_hold_them() -> None:
    """A sample is the same as from plain values, a missing field as if it were not there."""
    sample = sample_from(
        {
            "id": np.int64(7),
            "question": pd.NA,
            "answer": np.str_("The fee is $25."),
            "contexts": np.array(["The fee is $25."]),
            "latency_e2e_ms": np.float32(1.5),
            "input_tokens": math.nan,
            "timed_out": np.bool_(False),  # noqa: FBT003 - the value itself
            "metadata": {"seen": pd.Timestamp("2026-01-02"), "rank": np.int32(2), "gap": math.nan},
        }
    )
    assert (sample.id, sample.question, sample.answer) == ("7", "", "The fee is $25.")
    assert [passage.text for passage in sample.contexts] == ["The fee is $25."]
    assert (sample.latency_e2e_ms, sample.input_tokens, sample.timed_out) == (1.5, None, False)
    assert sample.metadata == {"seen": "2026-01-02T00:00:00", "rank": 2, "gap": None}
