"""The columns of an archive beside the text: the figures of each result, as its run's own rubric grades it."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.runs.anchor.labelled_run import ADDRESS, begin

from plumbrule.api.ledger import archive_runs
from plumbrule.ledger import open_ledger
from plumbrule.runs.archive.query_columns import query_columns
from plumbrule.runs.archive.retention import select_runs
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.summary import summarise_run

pq = pytest.importorskip("pyarrow.parquet")

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
PAGE = Path(__file__).parents[3] / "docs" / "ledger.md"
TOOLS = os.environ.get("PLUMBRULE_TOOLS_PYTHON")
DUCKDB = "import duckdb, json, sys; print(json.dumps(duckdb.sql(sys.stdin.read()).fetchall()))"


def archived(folder: Path) -> list[dict[str, Any]]:
    """Archive a run of five answers, two of them wrong, and return the rows of the archive."""
    run = begin(folder, samples=5, wrong=2)
    with open_ledger(ADDRESS.format(folder)) as ledger:
        archive_runs(ledger, select_runs(ledger, [run]), folder / "archive", author="Ada", reason="old", at=AT)
    rows: list[dict[str, Any]] = pq.read_table(folder / "archive" / "entries-000000.parquet").to_pylist()
    return rows


def test_the_columns_are_what_the_run_says(tmp_path: Path) -> None:
    """Each figure of a result equals that of the summary before; a sample has the columns of its run alone."""
    run = begin(tmp_path, samples=5, wrong=2)
    with open_ledger(ADDRESS.format(tmp_path)) as ledger:
        summary = summarise_run(ledger, find_run(ledger, run), samples=True)
        selection = select_runs(ledger, [run])
        archive_runs(ledger, selection, tmp_path / "archive", author="Ada", reason="old", at=AT)
        types = query_columns(ledger).types
    rows = pq.read_table(tmp_path / "archive" / "entries-000000.parquet").to_pylist()
    results = sorted((row for row in rows if row["kind"] == "result"), key=lambda row: row["sample_id"])
    about = {"run", "run_name", "dataset", "model", "judge"}
    assert summary.samples is not None
    for row, sample in zip(results, summary.samples, strict=True):
        assert {name: row[name] for name in types if name not in about} == {
            name: getattr(sample, name) for name in types if name not in about
        }
        assert (row["run"], row["run_name"], row["dataset"], row["judge"]) == (run, "labelled", "fees", "rules")
    assert sum(row["passed"] for row in results) == 3
    [first, *_] = [row for row in rows if row["kind"] == "sample"]
    assert (first["run"], first["passed"], first["sample_id"]) == (run, None, None)


def test_a_result_that_cannot_be_read_is_archived_all_the_same(tmp_path: Path) -> None:
    """Its text is kept; its columns, and a number that no column holds, are null."""
    run = begin(tmp_path, samples=1)
    with open_ledger(ADDRESS.format(tmp_path)) as ledger:
        [entry] = ledger.results(run)
        body = entry.value
        body["result"] |= {"sample_id": "large", "input_tokens": 2**64 - 1}
        ledger.append("result", f"{run}/1/large", body, "test", at=AT)
        ledger.append("result", f"{run}/1/odd", {"result": {"accuracy_score": "x"}}, "test", at=AT)
        archive_runs(ledger, select_runs(ledger, [run]), tmp_path / "archive", author="Ada", reason="old", at=AT)
    rows = pq.read_table(tmp_path / "archive" / "entries-000000.parquet").to_pylist()
    large, odd = rows[-2:]
    assert (large["sample_id"], large["input_tokens"], large["output_tokens"]) == ("large", None, 10)
    assert (odd["run"], odd["accuracy_score"], odd["passed"]) == (run, None, None)
    assert orjson.loads(odd["body"]) == {"result": {"accuracy_score": "x"}}


def test_the_page_names_every_column(tmp_path: Path) -> None:
    """And no other; the documented query uses columns that are there."""
    [first, *_] = archived(tmp_path)
    section = PAGE.read_text(encoding="utf-8").partition("### Queries with DuckDB")[2].partition("\n## ")[0]
    own = re.findall(r"^\| (`.*?) \| (?:every|a result)", section, re.MULTILINE)
    named = re.findall(r"`(\w+)`", " ".join(own))
    with open_ledger(ADDRESS.format(tmp_path)) as ledger:
        assert sorted(named) == sorted(query_columns(ledger).types)
    assert {"recorded_at_utc", "model", "passed", "kind"} <= set(first)


@pytest.mark.skipif(TOOLS is None, reason="PLUMBRULE_TOOLS_PYTHON names no environment with duckdb")
def test_the_query_of_the_page_runs_in_duckdb(tmp_path: Path) -> None:
    """Pass rate by month and model straight from the files, and a part of the text."""
    rows = archived(tmp_path)
    [query] = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    def ask(sql: str) -> Any:
        done = subprocess.run(
            [str(TOOLS), "-c", DUCKDB], input=sql, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return orjson.loads(done.stdout)

    month = rows[0]["recorded_at_utc"][:7]
    assert ask(query) == [[month, rows[0]["model"], 5, 0.6]]
    asked = "SELECT count(body->>'$.result.rationale') FROM 'archive/*.parquet' WHERE kind = 'result'"
    assert ask(asked) == [[5]]
