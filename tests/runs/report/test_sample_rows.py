"""The rows of a run: in which order they stand, and what they can be filtered by."""

import random
from dataclasses import replace

import pytest
from tests.reports.conftest import Make

from plumbrule.api.reports import view_run
from plumbrule.ledger import Ledger
from plumbrule.runs.report.sample_rows import ORDERS, RunView, SampleFilter, choices_of, sort_rows
from plumbrule.runs.run_entries import find_run


@pytest.fixture
def view(ledger: Ledger, make: Make) -> RunView:
    """Give a run of eight samples with three latencies, one of which is not known, and a category on every other."""
    latencies: list[float | None] = [300.0, None, 100.0]
    report = make([{"latency_e2e_ms": latencies[number % 3]} for number in range(8)])
    view = view_run(ledger, find_run(ledger, report.run_id))
    rows = tuple(
        replace(row, line=replace(row.line, category="fees" if number % 2 else None))
        for number, row in enumerate(view.rows)
    )
    return replace(view, rows=rows)


def test_a_view_has_its_rows_by_sample_and_what_they_can_be_filtered_by(ledger: Ledger, view: RunView) -> None:
    """The choices are counted when the view is made, not whenever somebody looks."""
    made = view_run(ledger, find_run(ledger, view.report.run_id))
    named = [(row.sample.sample_id, row.sample.repeat) for row in made.rows]
    assert (named, made.choices) == (sorted(named), choices_of(made.rows))
    assert sum(made.choices.verdict.values()) == 8


@pytest.mark.parametrize("order", [f"{sign}{order}" for order in ORDERS for sign in ("", "-")])
def test_equal_rows_stay_by_sample_and_unknown_ones_come_last(view: RunView, order: str) -> None:
    """Both ways round: where all are equal, or unknown, nothing moves."""
    ordered = sort_rows(view.rows, order)
    assert sorted(map(id, ordered)) == sorted(map(id, view.rows))
    if order.endswith("latency"):
        known = [300.0, 300.0, 300.0, 100.0, 100.0]
        expected = [*(known if order.startswith("-") else known[::-1]), None, None, None]
        assert [row.sample.latency_e2e_ms for row in ordered] == expected
        same = [row.sample.sample_id for row in ordered if row.sample.latency_e2e_ms == 300.0]
        assert same == sorted(same)


def test_a_filter_keeps_what_meets_every_condition_in_its_order(view: RunView) -> None:
    """One condition after the other leaves the same rows as all of them together."""
    rows = random.Random(1).sample(view.rows, len(view.rows))  # noqa: S311 - no secret
    text = view.rows[3].sample.sample_id
    assert SampleFilter().select(rows) == rows
    assert SampleFilter(category="fees").select(rows) == [row for row in rows if row.line.category == "fees"]
    assert SampleFilter(category="fees", text=text).select(rows) == [view.rows[3]]
    assert SampleFilter(category="none", text=text).select(rows) == []
