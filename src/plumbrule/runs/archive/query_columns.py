"""The figures of a result as columns of an archive, beside its text: what most queries ask for, by their own names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from plumbrule.errors import InputError
from plumbrule.ledger import Cell, CellType, Ledger, QueryColumns, Row, entry_of
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.run_entries import find_run, read_result, read_run, rubric_of
from plumbrule.runs.sample_results import grade

_OF_RUN: Mapping[str, CellType] = {"run": str, "run_name": str, "dataset": str, "model": str, "judge": str}
_OF_RESULT: Mapping[str, CellType] = {
    "sample_id": str,
    "repeat": int,
    "accuracy_score": int,
    "faithfulness_score": int,
    "refused": bool,
    "timed_out": bool,
    "contradicted": bool,
    "unsupported": bool,
    "candidate_error": str,
    "evaluator_error": str,
    "latency_e2e_ms": float,
    "latency_model_ms": float,
    "input_tokens": int,
    "output_tokens": int,
}
_OF_GRADE: Mapping[str, CellType] = {"passed": bool, "sample_score": float}
_LARGEST = (1 << 63) - 1
_MOST_RUNS = 1000  # that are remembered: entries of runs at the same time stand between one another


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    cells: Mapping[str, Cell]
    rubric: BenchmarkRubric | None  # None where this version cannot grade by it


def query_columns(ledger: Ledger) -> QueryColumns:
    """Return the columns; a result that this version cannot read has those of its run alone."""

    @lru_cache(maxsize=_MOST_RUNS)
    def about(run: str) -> _Run:
        try:
            outline = read_run(find_run(ledger, run)).body
            cells: dict[str, Cell] = {
                "run": run,
                "run_name": outline.summary.name,
                "dataset": outline.summary.dataset,
                "model": outline.metadata.model_id,
                "judge": outline.summary.judge,
            }
            return _Run(cells=cells, rubric=rubric_of(ledger, run))
        except InputError:
            return _Run(cells={"run": run}, rubric=None)

    def cells_of(row: Row) -> Mapping[str, Cell]:
        run = about(row[2].partition(b"/")[0].decode())
        return run.cells if row[1] != b"result" else {**run.cells, **_result_cells(row, run.rubric)}

    return QueryColumns(types={**_OF_RUN, **_OF_RESULT, **_OF_GRADE}, cells=cells_of)


def _result_cells(row: Row, rubric: BenchmarkRubric | None) -> dict[str, Cell]:
    try:
        result = read_result(entry_of(row)).result
        cells: dict[str, Cell] = {name: _bounded(getattr(result, name)) for name in _OF_RESULT}
        if rubric is not None:
            graded = grade(result, rubric)
            score = None if graded.sample_score is None else float(graded.sample_score)
            cells |= {"passed": graded.passed, "sample_score": score}
    except InputError:
        return {}
    return cells


def _bounded(cell: Cell) -> Cell:
    """Return a cell, or None for a whole number that no column holds."""
    return None if isinstance(cell, int) and cell > _LARGEST else cell
