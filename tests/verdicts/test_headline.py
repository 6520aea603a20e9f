"""A verdict that the evidence is against says so in one glance."""

from collections.abc import Sequence

import pytest

import plumbrule
from plumbrule.verdicts import Concern, headline_of


@pytest.mark.parametrize(
    ("outcome", "concerns", "headline"),
    [
        ("PASS", [], "PASS"),
        ("PASS", ["contradicted"], "PASS · contradicted"),
        ("WARN", ["unsupported"], "WARN · unsupported"),
        ("PASS", ["contradicted", "unsupported"], "PASS · contradicted · unsupported"),
        ("FAIL", ["contradicted"], "FAIL"),
    ],
)
def test_the_headline(outcome: str, concerns: Sequence[Concern], headline: str) -> None:
    """What does not fail has the concerns beside it; a FAIL says enough."""
    assert headline_of(outcome, concerns) == headline


def test_a_contradicted_pass() -> None:
    """One of two anchors is contradicted: the rubric passes it, and the headline and the JSON say so."""
    verdict = plumbrule.score(
        question="What fee does the firm charge for a domestic wire?",
        answer="The firm charges a fee of $35 for a domestic wire.",
        contexts=["The firm charges a fee of $25 for a domestic wire and $45 for an international wire."],
    )
    assert verdict.verdict == "PASS"
    assert "contradicted" in verdict.concerns
    assert verdict.headline.startswith("PASS · contradicted")
    assert verdict["headline"] == verdict.headline


def test_a_refusal_is_not_unsupported() -> None:
    """It says nothing that a context should support."""
    verdict = plumbrule.score(question="What is the fee?", answer="I cannot answer that.", contexts=["Cats purr."])
    assert (verdict.concerns, verdict.headline) == ((), "PASS")
