"""Tables of Python are read as records, whatever library they are of."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import datasets
from plumbrule.errors import UsageError
from plumbrule.samples import Sample, records_of, samples_from

COLUMNS: dict[str, list[Any]] = {
    "user": ["What is the fee?", "What is the limit?"],
    "answer": ["The fee is $25.", "The limit is 10."],
    "contexts": [["The fee is $25.", "It is due."], ["The limit is 10."]],
    "latency_e2e_ms": [1.5, None],
}
TEXT = {**COLUMNS, "contexts": ['["The fee is $25.", "It is due."]', "['The limit is 10.']"]}
TABLES: dict[str, Callable[[dict[str, list[Any]]], object]] = {
    "columns": lambda columns: columns,
    "pandas": pd.DataFrame,
    "pandas with Arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "arrow batches": lambda columns: pa.table(columns).to_reader(),
    "hugging face": datasets.Dataset.from_dict,
    "hugging face as a stream": lambda columns: datasets.Dataset.from_dict(columns).to_iterable_dataset(),
    "hugging face slice": lambda columns: datasets.Dataset.from_dict(columns)[:2],
}


def read(table: object) -> list[Sample]:
    """Return the samples of a table."""
    records = records_of(table)
    return list(samples_from(records.rows, mapping={"question": "user"}, flat=records.flat))


@pytest.mark.parametrize("columns", [COLUMNS, TEXT], ids=["lists", "lists as text"])
@pytest.mark.parametrize("kind", TABLES)
def test_every_table_gives_the_same_samples(kind: str, columns: dict[str, list[Any]]) -> None:
    """A list may stand in its cell as a list or as text, as it does once a table was a CSV file."""
    samples = read(TABLES[kind](columns))
    assert [sample.question for sample in samples] == COLUMNS["user"]
    assert [sample.answer for sample in samples] == COLUMNS["answer"]
    assert [[passage.text for passage in sample.contexts] for sample in samples] == COLUMNS["contexts"]
    assert [sample.latency_e2e_ms for sample in samples] == [1.5, None]


def test_arrays_in_cells_are_lists() -> None:
    """As pandas has them after it read Parquet."""
    frame = pd.DataFrame({**COLUMNS, "contexts": [np.array(texts) for texts in COLUMNS["contexts"]]})
    assert [len(sample.contexts) for sample in read(frame)] == [2, 1]


def test_a_frame_keeps_its_index() -> None:
    """So that results can be joined to it."""
    assert list(records_of(pd.DataFrame(COLUMNS, index=["a", "b"])).labels or ()) == ["a", "b"]


def test_a_list_of_mappings_is_not_a_table() -> None:
    """Text that happens to look like a list stays text there."""
    records = records_of([{"answer": "A.", "contexts": '["a", "b"]'}])
    [sample] = samples_from(records.rows, flat=records.flat)
    assert [passage.text for passage in sample.contexts] == ['["a", "b"]']


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"question": "What?", "answer": "That."}, "samples is one mapping: give a list"),
        ({"question": ["What?"], "answer": ["a", "b"]}, "columns of one length"),
        (datasets.DatasetDict({"train": datasets.Dataset.from_dict(COLUMNS)}), "one split of a dataset"),
        (5, "not a number"),
        (b"text", "not a value of type bytes"),
        (pd.DataFrame([["a", "b"]], columns=["answer", "answer"]), "two columns are called 'answer'"),
        (pa.table([["a"], ["b"]], names=["answer", "answer"]), "two columns are called 'answer'"),
    ],
    ids=["a sample", "uneven columns", "splits", "number", "bytes", "pandas", "arrow"],
)
def test_what_is_no_table_is_refused(given: object, reason: str) -> None:
    """With what can be given instead."""
    with pytest.raises(UsageError, match=reason):
        list(records_of(given).rows)
