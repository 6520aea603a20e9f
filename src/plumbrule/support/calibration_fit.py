"""Fit the calibration to labels, and measure it on labels that it was not fitted to."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plumbrule.errors import InputError
from plumbrule.hashing import sha256_of
from plumbrule.stats.auroc import auroc_estimate
from plumbrule.stats.bootstrap import resample_items
from plumbrule.stats.intervals import Interval
from plumbrule.stats.log_loss import LogLossGap, log_loss_gap
from plumbrule.support.calibration import (
    Bin,
    Curve,
    Example,
    calibration_error,
    fit_curve,
    log_odds_of,
    logistic,
    reliability,
)

FOLDS = 5
LEAST_LABELS = 20
LEAST_OF_A_KIND = 5
_SEED = 42
_RESAMPLES = 400  # for the interval of a calibration error


class Judged(NamedTuple):
    """One answer that people judged: its id, the model's own log-odds, and whether they found it supported."""

    id: str
    log_odds: float
    supported: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How far the probabilities are from what was seen, with the 95% interval of that error by resampling answers."""

    expected_calibration_error: float
    bins: tuple[Bin, ...]
    interval_95: Interval | None = None

    @property
    def error(self) -> float:
        """The expected calibration error."""
        return self.expected_calibration_error


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The curves that labels ask for, and how reliable the probabilities were before and are now.

    Whether the new curve is better is decided by the log loss of each answer, before and after: the calibration error
    favours a curve that was fitted again, even where the old one was perfect.
    """

    answers: Curve
    sentences: Curve
    before: Reliability
    after: Reliability  # of answers by curves that were fitted without them
    auroc: float
    auroc_interval: Interval | None
    log_loss: LogLossGap

    @property
    def ranks(self) -> bool:
        """Whether the score ranks the answers better than chance; if not, no curve can mend that."""
        return self.auroc_interval is not None and self.auroc_interval.low > 0.5


def fit(judged: Sequence[Judged], answers: Curve, sentences: Curve) -> Fit:
    """Fit the answers' curve to labels, and move the sentences' curve by the mean change of the answers' log-odds.

    Labels say nothing of single sentences, so that their curve keeps its form.
    """
    check_enough(judged)
    fitted = fit_curve(_examples(judged), answers.tail_slope)
    change = math.fsum([fitted.log_odds(each.log_odds) - answers.log_odds(each.log_odds) for each in judged])
    labels = [each.supported for each in judged]
    area = auroc_estimate([each.log_odds for each in judged], labels, seed=_SEED)
    old, new = [answers.probability(each.log_odds) for each in judged], _cross_fitted(judged, answers.tail_slope)
    gap = log_loss_gap(old, new, labels)
    assert area.value is not None  # noqa: S101 - there are labels of either kind
    assert gap is not None  # noqa: S101 - the same
    return Fit(
        answers=fitted,
        sentences=sentences.moved(change / len(judged)),
        before=_reliability(old, labels),
        after=_reliability(new, labels),
        auroc=area.value,
        auroc_interval=area.interval,
        log_loss=gap,
    )


def check_enough(judged: Sequence[Judged]) -> None:
    """Refuse labels that are too few to say anything."""
    supported = sum(each.supported for each in judged)
    unsupported = len(judged) - supported
    if len(judged) < LEAST_LABELS or min(supported, unsupported) < LEAST_OF_A_KIND:
        raise InputError(
            f"too few labels to calibrate by: {supported} supported and {unsupported} unsupported answers; it takes "
            f"{LEAST_LABELS}, and {LEAST_OF_A_KIND} of either kind (--prior SHARE needs none)"
        )


def shift_to(share: float, before: float) -> float:
    """Return what another share of unsupported answers adds to every log-odds of support."""
    return log_odds_of(1.0 - share) - log_odds_of(1.0 - before)


def _cross_fitted(judged: Sequence[Judged], tail_slope: float) -> list[float]:
    """Return each answer's probability by a curve that was fitted to the other folds."""
    fold_of = _folds(judged)
    found = [0.0] * len(judged)
    for fold in range(FOLDS):
        others = [each for each, its in zip(judged, fold_of, strict=True) if its != fold]
        curve = fit_curve(_examples(others), tail_slope)
        for index, each in enumerate(judged):
            if fold_of[index] == fold:
                found[index] = logistic(curve.log_odds(each.log_odds))
    return found


def _folds(judged: Sequence[Judged]) -> list[int]:
    """Deal the answers of each kind over the folds, in an order that has to do with nothing: that of a hash."""
    folds = [0] * len(judged)
    order = sorted(range(len(judged)), key=lambda index: (judged[index].supported, sha256_of(judged[index].id), index))
    for turn, index in enumerate(order):
        folds[index] = turn % FOLDS
    return folds


def _examples(judged: Sequence[Judged]) -> list[Example]:
    return [Example(each.log_odds, each.supported) for each in judged]


def _reliability(probabilities: Sequence[float], labels: Sequence[bool]) -> Reliability:
    def error(drawn: Sequence[tuple[float, bool]]) -> float:
        return calibration_error([probability for probability, _ in drawn], [label for _, label in drawn])

    pairs = list(zip(probabilities, labels, strict=True))
    interval = resample_items(pairs, error, seed=_SEED, resamples=_RESAMPLES, method="basic").interval
    return Reliability(
        expected_calibration_error=round(error(pairs), 6),
        bins=tuple(reliability(probabilities, labels)),
        interval_95=None if interval is None else Interval(max(0.0, interval.low), min(1.0, interval.high)),
    )
