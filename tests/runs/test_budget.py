"""A run keeps within its budget, and counts what it cannot know as what was expected."""

import pytest

from plumbrule.judges.judgement import JudgeIdentity, Judgement
from plumbrule.runs.budget import Expected, Meter, Spending
from plumbrule.runs.candidate import Answered
from plumbrule.runs.config_schema import Budget
from plumbrule.samples import Sample

JUDGE = JudgeIdentity(name="any", version="1", sha256="0" * 64)


def test_what_is_reported_counts_as_it_is() -> None:
    """Tokens and cost of whoever was called; nobody called, nothing spent."""
    expected = Expected(answer=Spending(calls=1, tokens=7, cost_usd=0.7))
    sample = Sample(id="q", answer="a", input_tokens=30, output_tokens=4)
    assert expected.of_answer(Answered(sample=sample)) == Spending()
    called = Answered(sample=sample, requests=2, cost_usd=0.5)
    assert expected.of_answer(called) == Spending(calls=2, tokens=34, cost_usd=0.5)


def test_what_is_not_reported_counts_as_expected() -> None:
    """A provider that does not count must not make a budget endless."""
    expected = Expected(judgement=Spending(calls=1, tokens=7, cost_usd=0.7))
    said = Judgement(
        accuracy_score=2,
        faithfulness_score=2,
        rationale="r",
        judge=JUDGE,
        requests=1,
        input_tokens=None,
        output_tokens=2,
    )
    assert expected.of_judgement(said) == Spending(calls=1, tokens=7, cost_usd=0.7)
    assert expected.task == Spending(calls=1, tokens=7, cost_usd=0.7)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(), None),
        (Budget(max_calls=3), None),
        (Budget(max_calls=2), "one more would pass budget.max_calls 2"),
        (Budget(max_tokens=29), "one more would pass budget.max_tokens 29"),
        (Budget(max_cost_usd=0.25), "one more would pass budget.max_cost_usd 0.25"),
    ],
)
def test_a_task_begins_only_where_there_is_room(budget: Budget, said: str | None) -> None:
    """For itself and for those under way, each like the finished ones on average."""
    meter = Meter(budget=budget, expected=Expected(answer=Spending(calls=100)))
    meter.begin()
    meter.end(Spending(calls=1, tokens=10, cost_usd=0.1))
    meter.begin()
    assert meter.reason_to_stop() == said
