"""The small model over the measures: a weighted sum for each sentence, and what the sentences make of the answer."""

import hashlib
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import orjson

from plumbrule.support.binding.binding_words import BINDING_FILES, read_binding_data
from plumbrule.support.calibration import Curve
from plumbrule.support.constants import MODEL_FILE, Constants, constants_of, read_data
from plumbrule.support.measures import MEASURES, MeasureName
from plumbrule.support.word_lists import WORD_FILES


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportModel:
    """The weights of the measures, how a long answer's sentences add up, and the calibration that ships."""

    name: str
    version: str
    sha256: str
    intercept: float
    weights: tuple[float, ...]  # in the order of MEASURES; risk per unit of the measure
    length_power: float
    constants: Constants
    sentences: Curve
    answers: Curve
    unsupported_share: float  # of the answers that the calibration was fitted on

    @property
    def stamp(self) -> dict[str, str]:
        """What every result says of the model that made it."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256}

    def log_odds(self, measures: Sequence[float]) -> float:
        """Return the log-odds, as yet uncalibrated, that a sentence with these measures is supported."""
        return -self.intercept - math.fsum(map(operator.mul, self.weights, measures))

    def answer_log_odds(self, sentences: Sequence[float]) -> float:
        """Return the log-odds, as yet uncalibrated, that all sentences with these log-odds are supported.

        Were they independent, the risks -ln(p) would just add up; they are not, so their sum is divided by a power
        of their number.
        """
        risk = math.fsum(map(_softplus, sentences)) / len(sentences) ** self.length_power
        constants = self.constants.answers
        return -math.log(max(constants.least_odds, math.expm1(min(constants.most_risk, risk))))

    def contributions(self, measures: Sequence[float]) -> list[tuple[MeasureName, float]]:
        """Return what each measure adds to the risk of a sentence, the greatest first; those that add nothing not."""
        found = [
            (name, weight * measure) for name, weight, measure in zip(MEASURES, self.weights, measures, strict=True)
        ]
        return sorted([each for each in found if each[1]], key=lambda each: (-abs(each[1]), MEASURES.index(each[0])))


def _softplus(log_odds: float) -> float:
    """Return -ln(p) of the probability with these log-odds."""
    return math.log1p(math.exp(-log_odds)) if log_odds > 0 else -log_odds + math.log1p(math.exp(log_odds))


@cache
def load_model() -> SupportModel:
    """Return the model that ships, read once; its hash covers its constants, its words and binding too."""
    digest = hashlib.sha256()
    for name in (MODEL_FILE, *WORD_FILES):
        digest.update(hashlib.sha256(read_data(name)).digest())
    for name in BINDING_FILES:
        digest.update(hashlib.sha256(read_binding_data(name)).digest())
    raw: Mapping[str, Any] = orjson.loads(read_data(MODEL_FILE))
    return model_of(raw, digest.hexdigest())


def model_of(raw: Mapping[str, Any], sha256: str) -> SupportModel:
    """Return the model that a model file describes."""
    constants = constants_of(raw)
    slope, calibration = constants.answers.tail_slope, raw["calibration"]
    return SupportModel(
        name=raw["name"],
        version=raw["version"],
        sha256=sha256,
        intercept=raw["intercept"],
        weights=tuple(raw["weights"][name] for name in MEASURES),
        length_power=raw["length_power"],
        constants=constants,
        sentences=curve_of(calibration["sentences"], slope),
        answers=curve_of(calibration["answers"], slope),
        unsupported_share=calibration["unsupported_share"],
    )


def curve_of(knots: Sequence[Sequence[float]], tail_slope: float) -> Curve:
    """Return the curve that a file's knots describe."""
    return Curve(knots=tuple((float(place), float(value)) for place, value in knots), tail_slope=tail_slope)
