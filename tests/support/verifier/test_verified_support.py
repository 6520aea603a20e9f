"""A verifier beside the small model: its log-odds are weighed in where a sentence claims something and has evidence."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import plumbrule
from plumbrule.support.support_model import load_model
from plumbrule.support.support_scorer import Support
from plumbrule.support.verifier import open_verifier

Make = Callable[..., Path]
OFFICE = "The Paris office opens at nine."


def support(answer: str, *contexts: str, **rules: Any) -> Support:
    """Return the support of an answer with these rules."""
    overrides = {f"support.{name}": value for name, value in rules.items()}
    found = plumbrule.score(answer=answer, contexts=contexts, overrides=overrides).support
    assert found is not None
    return found


def probabilities(found: Support) -> list[float]:
    """Return the probabilities of the sentences."""
    return [sentence.probability for sentence in found.sentences]


PLAIN = {"name": "plain", "version": "1", "model": load_model().sha256, "labels": 0, "unsupported_share": 0.5}
# knots that leave log-odds as they are
AS_THEY_ARE = {**PLAIN, "answers": [[-30, -30], [30, 30]], "sentences": [[-30, -30], [30, 30]]}


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability."""
    return math.log(probability / (1 - probability))


@pytest.mark.parametrize("weight", [0.0, 0.25, 0.5, 1.0])
def test_the_log_odds_are_weighed(make: Make, weight: float) -> None:
    """The mean of the model's and the verifier's, by the rubric's weight."""
    folder = make()
    answer = "the office closes at five"
    alone = support(answer, OFFICE, calibration=AS_THEY_ARE).sentences[0].probability
    said = open_verifier(folder).verify([(OFFICE, answer)])[0]
    fused = support(answer, OFFICE, calibration=AS_THEY_ARE, verifier=str(folder), verifier_weight=weight)
    expected = (1 - weight) * log_odds(alone) + weight * log_odds(said)
    assert log_odds(fused.sentences[0].probability) == pytest.approx(expected, abs=1e-4)
    assert log_odds(fused.score) == pytest.approx(expected, abs=1e-4)


def test_a_verifier_is_stamped(make: Make) -> None:
    """Every result names it with its hash."""
    folder = make()
    found = support(OFFICE, OFFICE, verifier=str(folder))
    assert found.to_dict()["verifier"] == open_verifier(folder).identity


def test_what_has_no_evidence_or_claims_nothing_is_not_asked(make: Make) -> None:
    """A courtesy stays certain, and a sentence without evidence keeps the model's probability."""
    answer = "Thank you! Zorbles quax. The office opens at nine."
    folder = str(make())
    alone, fused = support(answer, OFFICE), support(answer, OFFICE, verifier=folder)
    assert probabilities(fused)[:2] == probabilities(alone)[:2]
    assert probabilities(fused)[2] != probabilities(alone)[2]


def test_facts_are_asked_as_they_are_read(make: Make) -> None:
    """The verifier sees the words of a fact, not its JSON."""
    folder = str(make())
    data = '{"office_opens": "at nine"}'
    found = support("office opens at nine", data, verifier=folder, verifier_weight=1, calibration=AS_THEY_ARE)
    assert found.sentences[0].probability > 0.99
