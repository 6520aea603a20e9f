"""A run as a Python caller holds it: a sequence of samples with a summary, tables, a chart and a picture."""

import asyncio
import json
from pathlib import Path

import pytest

import plumbrule
from plumbrule import RunResults

ROWS = [
    {"id": "right", "question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."],
     "reference": "The fee is $25.", "latency_e2e_ms": 100, "input_tokens": 10, "output_tokens": 5},
    {"id": "wrong", "question": "What is the fee?", "answer": "The <b>fee</b> is $30.", "contexts": ["The fee is $25."],
     "reference": "The fee is $25.", "latency_e2e_ms": 100, "input_tokens": 10, "output_tokens": 5},
]  # fmt: skip
CONFIG = "name: small\ndataset: {path: rows.jsonl, id: rows}\ncandidate: {kind: recorded}\njudge: {kind: rules}\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a configuration."""
    made = tmp_path_factory.mktemp("run")
    (made / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (made / "run.yaml").write_text(CONFIG)
    return made


@pytest.fixture(scope="module")
def results(folder: Path) -> RunResults:
    """Return a run that was carried out where an event loop runs, as in a notebook."""

    async def cell() -> RunResults:
        return plumbrule.run(folder / "run.yaml", f"sqlite:///{folder}/ledger.db")

    return asyncio.run(cell())


def test_a_run_is_a_sequence_of_samples(results: RunResults) -> None:
    """Each in its repeat, with those that failed apart."""
    assert [sample.sample_id for sample in results] == ["right", "wrong"]
    assert [sample.sample_id for sample in results.failures] == ["wrong"]
    assert (len(results), results[1].passed, [each.passed for each in results[:1]]) == (2, False, [True])
    assert (results.progress.finished, results.judged, results.summary().complete) == (2, 2, True)


def test_the_summary_is_the_one_of_the_ledger(results: RunResults, folder: Path) -> None:
    """It is computed once, and says what ``show_run`` says."""
    assert results.summary() == plumbrule.show_run(results.run_id, f"sqlite:///{folder}/ledger.db")


def test_tables_have_every_documented_field(results: RunResults) -> None:
    """By its name, with numbers as numbers."""
    frame = results.to_pandas()
    assert list(frame["passed"]) == [True, False]
    assert (frame.dtypes["accuracy_score"], frame.dtypes["sample_score"]) == ("float64", "float64")
    assert results.to_polars().columns == list(frame.columns)
    assert results.to_polars()["failed"].to_list()[0] == []


def test_a_chart_has_the_gates(results: RunResults) -> None:
    """Each beside its limit, and the scores of the samples."""
    titles = [part["title"] for part in json.loads(results.plot().to_json())["hconcat"] if "title" in part]
    assert titles[-1] == "sample_score"
    assert "pass_rate" in json.dumps(json.loads(results.plot().to_json()))


def test_a_notebook_shows_gates_and_failures(results: RunResults) -> None:
    """With the evidence marked and every text escaped."""
    page = results._repr_html_() or ""
    assert "NO RELEASE" in page
    assert "value-contradicted" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "Fraction(" not in repr(results)
    assert "failures 1" in repr(results)
