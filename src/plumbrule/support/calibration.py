"""Calibration: the curve that turns the model's log-odds of support into the probability that labels show."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

# These shape how a curve is fitted; what they make are the knots, which are kept with the model or the calibration.
_MOST_KNOTS = 8
_LABELS_A_KNOT = 25
_LEAST_SLOPE = 0.02  # the curve always rises a little, so that it never makes two answers equal that were not
_BOUND = 1e-6  # how near to 0 or 1 a share that a curve is fitted to may be
_DECIMALS = 6  # of a knot, as it is written
_LEAST_STEP = 0.001  # between two knots, so that the least slope shows in those decimals


class Example(NamedTuple):
    """One label: the model's own log-odds, whether people found it supported, and what the label weighs."""

    log_odds: float
    supported: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A rising line through knots, from the model's log-odds to calibrated log-odds."""

    knots: tuple[tuple[float, float], ...]
    tail_slope: float  # with which it goes on rising beyond its knots

    def log_odds(self, raw: float) -> float:
        """Return the calibrated log-odds."""
        first, last = self.knots[0], self.knots[-1]
        if raw <= first[0]:
            return first[1] + self.tail_slope * (raw - first[0])
        if raw >= last[0]:
            return last[1] + self.tail_slope * (raw - last[0])
        at = next(index for index, (place, _) in enumerate(self.knots) if place > raw)
        (left, low), (right, high) = self.knots[at - 1], self.knots[at]
        return low + (high - low) * (raw - left) / (right - left)

    def probability(self, raw: float) -> float:
        """Return the calibrated probability."""
        return logistic(self.log_odds(raw))

    def moved(self, shift: float) -> "Curve":
        """Return the curve with this much added to its log-odds: another share of unsupported answers."""
        shift = round(shift, _DECIMALS)
        return replace(self, knots=tuple((place, round(value + shift, _DECIMALS)) for place, value in self.knots))


def fit_curve(examples: Sequence[Example], tail_slope: float, most_knots: int = _MOST_KNOTS) -> Curve:
    """Return the rising curve through the shares of supported examples, in groups of about equal weight.

    A share is drawn a little towards that of all examples, so that a few labels never make a certainty.
    """
    knots = max(2, min(most_knots, len(examples) // _LABELS_A_KNOT))
    ordered = sorted(examples)
    scale = len(ordered) / math.fsum([example.weight for example in ordered])
    whole = (_share(ordered) * len(ordered) + 0.5) / (len(ordered) + 1.0)  # labels of one kind prove no certainty
    groups = _groups(ordered, knots)
    shares = [
        (_share(group) * weight + whole) / (weight + 1.0)
        for group in groups
        for weight in [scale * math.fsum([example.weight for example in group])]
    ]
    weights = [math.fsum([example.weight for example in group]) for group in groups]
    found: list[tuple[float, float]] = []
    for group, share in zip(groups, _rising(shares, weights), strict=True):
        total = math.fsum([example.weight for example in group])
        place = round(math.fsum([example.log_odds * example.weight for example in group]) / total, _DECIMALS)
        value = round(log_odds_of(share), _DECIMALS)
        if found:
            if place < found[-1][0] + _LEAST_STEP:
                continue  # the same answers over again
            value = max(value, round(found[-1][1] + _LEAST_SLOPE * (place - found[-1][0]), _DECIMALS))
        found.append((place, value))
    return Curve(knots=tuple(found), tail_slope=tail_slope)


def _share(examples: Sequence[Example]) -> float:
    supported = math.fsum([example.weight for example in examples if example.supported])
    return supported / math.fsum([example.weight for example in examples])


def _groups(ordered: Sequence[Example], count: int) -> list[list[Example]]:
    """Cut examples into runs of about equal weight; those with the same log-odds stay together."""
    whole = math.fsum([example.weight for example in ordered])
    groups: list[list[Example]] = [[] for _ in range(count)]
    before = 0.0
    for _, alike in groupby(ordered, key=lambda example: example.log_odds):
        tied = list(alike)
        weight = math.fsum([example.weight for example in tied])
        groups[min(count - 1, int(count * (before + weight / 2) / whole))] += tied
        before += weight
    return [group for group in groups if group]


def _rising(shares: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nearest row of shares that never falls, by pooling neighbours that do."""
    pools: list[tuple[float, float, int]] = []  # share, weight, how many
    for share, weight in zip(shares, weights, strict=True):
        pools.append((share, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (low, one, left), (high, other, right) = pools[-2:]
            pools[-2:] = [((low * one + high * other) / (one + other), one + other, left + right)]
    return [share for share, _, count in pools for _ in range(count)]


def logistic(log_odds: float) -> float:
    """Return the probability with these log-odds."""
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    return math.exp(log_odds) / (1.0 + math.exp(log_odds))


def log_odds_of(probability: float, bound: float = _BOUND) -> float:
    """Return the log-odds of a probability, kept away from certainty by a bound."""
    bounded = min(1.0 - bound, max(bound, probability))
    return math.log(bounded / (1.0 - bounded))


def calibration_error(probabilities: Sequence[float], supported: Sequence[bool], bins: int = 10) -> float:
    """Return the expected calibration error: the mean distance of the probability from the share supported."""
    return math.fsum(
        [abs(each.probability - each.share) * each.answers for each in reliability(probabilities, supported, bins)]
    ) / len(probabilities)


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers whose probability lies between two bounds: how many, their mean probability, the share supported."""

    low: float
    high: float
    answers: int
    probability: float
    share: float


def reliability(probabilities: Sequence[float], supported: Sequence[bool], bins: int = 10) -> list[Bin]:
    """Return the bins of a reliability diagram that hold anything."""
    held: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for probability, label in zip(probabilities, supported, strict=True):
        held[min(bins - 1, int(probability * bins))].append((probability, label))
    return [
        Bin(
            low=index / bins,
            high=(index + 1) / bins,
            answers=len(inside),
            probability=math.fsum([probability for probability, _ in inside]) / len(inside),
            share=sum(label for _, label in inside) / len(inside),
        )
        for index, inside in enumerate(held)
        if inside
    ]
