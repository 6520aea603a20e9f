"""Traits follow from response, trace and findings, by the signs that the rubric names."""

from dataclasses import replace
from typing import Any

import pytest

from plumbrule.interactions.contract_findings import finding
from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.trace import Decision, Grounding, Trace
from plumbrule.reviews.interaction_archive import traits_of
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard
from plumbrule.samples.sample_model import Refusal, Sample


def interaction(trace: Trace | None = None, findings: tuple[str, ...] = (), **fields: Any) -> Interaction:
    """Return an interaction with these signs."""
    found = tuple(finding(code, "here", "said") for code in findings)
    return Interaction(
        sample=Sample(id="x", question="Margin fees?", answer="a", **fields), trace=trace, findings=found
    )


@pytest.mark.parametrize(
    ("given", "traits"),
    [
        (interaction(), ()),
        (interaction(grounding_status="FULLY_GROUNDED"), ()),
        (interaction(grounding_status="refused"), ("refused",)),
        (interaction(refusal=Refusal(code="NO_ELIGIBLE_DOCS")), ("refused",)),
        (interaction(Trace(decision=Decision(outcome="REFUSE"))), ("refused",)),
        (interaction(grounding_status="PARTIALLY_GROUNDED"), ("partially_grounded",)),
        (interaction(Trace(grounding=Grounding(status="PARTIALLY_GROUNDED"))), ("partially_grounded",)),
        (interaction(Trace(decision=Decision(outcome="PARTIAL_ANSWER"))), ("partially_grounded",)),
        (interaction(tags=("Edge-Case",)), ("edge_case",)),
        (interaction(Trace(grounding=Grounding(conflict_detected=True))), ("edge_case",)),
        (interaction(Trace(decision=Decision(escalation_triggered=True))), ("edge_case",)),
        (interaction(findings=("status_mismatch",)), ("edge_case",)),
        (interaction(findings=("trace_missing",)), ()),
        (interaction(tags=("difficult topic",)), ("difficult_topic",)),
        (interaction(grounding_status="REFUSED", tags=("edge-case",)), ("refused", "edge_case")),
    ],
)
def test_signs(given: Interaction, traits: tuple[str, ...], loaded: Loaded[ScorecardRubric]) -> None:
    """Any one sign is enough, whatever its case."""
    assert traits_of(given, loaded.rubric) == traits


def test_topics_of_ones_own() -> None:
    """Words of the question, as whole words, and categories."""
    rules = [{"key": "difficult_topic", "question_words": ["margin"], "categories": ["Options"]}]
    strata = [{"key": "all", "title": "All", "share": 1, "any_of": []}]
    rubric = load_scorecard(overrides={"traits": rules, "strata": strata}).rubric
    assert traits_of(interaction(), rubric) == ("difficult_topic",)
    other = interaction(category="options")
    assert traits_of(replace(other, sample=replace(other.sample, question="Marginal?")), rubric) == ("difficult_topic",)
    plain = interaction()
    assert traits_of(replace(plain, sample=replace(plain.sample, question="Marginal?")), rubric) == ()
