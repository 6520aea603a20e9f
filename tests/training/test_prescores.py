"""The cards made by hand, and the floor of how near the pre-scores come to them."""

from collections import Counter

from training.prescores.__main__ import FILES, compare_levels, prescored_cards, read_cards

from plumbrule.prescores.checks import DIMENSIONS
from plumbrule.rubrics import LEVELS


def test_each_card_rates_each_dimension() -> None:
    """A level, or nothing on a refusal."""
    for card in (card for name in FILES for card in read_cards(name)):
        assert set(card["gold"]) == set(DIMENSIONS)
        assert set(card["gold"].values()) <= {*LEVELS, None}


def test_the_proposals_come_near() -> None:
    """Short right answers, numbered passages and the asker's own figures do not cost a level any more."""
    outcomes = Counter(
        (dimension, compare_levels(card["gold"][dimension], prescore.scores[dimension]))
        for card, prescore in prescored_cards("cards")
        for dimension in DIMENSIONS
    )
    assert outcomes["response_completeness", "exact"] >= 36
    assert outcomes["response_completeness", "too low"] <= 2
    assert outcomes["attribution_accuracy", "exact"] >= 34
    assert outcomes["grounding_integrity", "too low"] <= 3
