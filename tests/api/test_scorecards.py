"""Scorecards from Python: the same decision as on the command line."""

import doctest
from fractions import Fraction
from pathlib import Path

import pytest

import plumbrule
from plumbrule.api import scorecards

CARD = {
    "attribution_accuracy": "Adequate",
    "retrieval_relevance": "Strong",
    "grounding_integrity": 4,
    "response_completeness": "3",
    "refusal_appropriateness": "Adequate",
    "compliance_alignment": "Adequate",
}


def test_one_card() -> None:
    """It reads as an object, exact, and like its JSON."""
    decision = plumbrule.decide_scorecard(CARD)
    assert decision.overall == Fraction(345, 100)
    assert decision["overall"] == 3.45
    assert decision["band"] == "acceptable_with_monitoring"
    assert decision["blockers"] == []


def test_another_rubric(tmp_path: Path) -> None:
    """A file, by its name or path, and single values."""
    path = tmp_path / "mine.yaml"
    path.write_text("version: mine\nrecommendation: {pass_at_least: 3.4}\n")
    with pytest.raises(
        plumbrule.UsageError, match=r"weaker than the one that ships: recommendation\.pass_at_least 3\.4"
    ):
        plumbrule.decide_scorecard(CARD, rubric=path)
    for named in (path, str(path)):
        assert plumbrule.decide_scorecard(CARD, rubric=named, accept_weaker_policy=True).recommendation == "Pass"
    overrides = {"recommendation.fail_below": 3.46}
    assert plumbrule.decide_scorecard(CARD, overrides=overrides).recommendation == "Fail"


def test_bad_scores_are_an_input_error() -> None:
    """A caller can catch it by the public name."""
    with pytest.raises(plumbrule.InputError, match="'attribution_accuracy' is missing"):
        plumbrule.decide_scorecard({})


def test_the_example_is_true() -> None:
    """The docstring shows what happens."""
    assert doctest.testmod(scorecards).failed == 0
