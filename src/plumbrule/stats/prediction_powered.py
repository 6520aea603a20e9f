"""People's labels for a part of the samples, a judge's predictions for all: the mean that labels alone would give.

Prediction-powered inference, power-tuned (PPI++: Angelopoulos, Duchi and Zrnic, arXiv 2311.01453): the predictions'
mean over the samples without a label, times lambda, and the mean of what the labels say beyond lambda times the
prediction. However wrong the judge is, the estimate is of what people would say; a good judge narrows it, a bad one
gets a lambda near 0. The labelled samples must be a random part of all.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from plumbrule.errors import InputError
from plumbrule.stats.intervals import Z95, Interval
from plumbrule.stats.quantiles import t_quantile

Value = Fraction | float | int
Sample = TypeVar("Sample", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredMean:
    """A mean anchored by labels, with two 95% intervals.

    ``interval`` is the one to decide on. ``normal`` is that of the paper, by the normal approximation: fit for many
    labels, too narrow below about 200 or near the edges. ``tuning`` is lambda. ``design_effect`` is how much clusters
    widen the variance; 1 without clusters.
    """

    value: float
    interval: Interval
    normal: Interval
    tuning: float
    labels: int
    samples: int
    design_effect: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """What each labelled and each other value shares with some of them, such as a document, in the same order."""

    labelled: Sequence[Hashable]
    others: Sequence[Hashable]


def anchored_mean(predictions: Mapping[Sample, Value], labels: Mapping[Sample, Value]) -> AnchoredMean | None:
    """Return the anchored mean where the labelled samples are part of all samples; None below two labels.

    A label of a sample that has no prediction is an error.
    """
    unknown = [sample for sample in labels if sample not in predictions]
    if unknown:
        raise InputError(
            f"{unknown[0]!r} has a label but no prediction; leave out labels of samples that were not judged"
        )
    pairs = [(label, predictions[sample]) for sample, label in labels.items()]
    return prediction_powered_mean(pairs, [value for sample, value in predictions.items() if sample not in labels])


def prediction_powered_mean(
    labelled: Sequence[tuple[Value, Value]],
    others: Sequence[Value],
    *,
    tuning: float | None = None,
    clusters: Clusters | None = None,
) -> AnchoredMean | None:
    """Return the mean of values in [0, 1] from (label, prediction) pairs and the predictions of all other samples.

    ``tuning`` fixes lambda: 1 is plain prediction-powered inference, 0 labels alone. None below two labels. The
    deciding interval guards against few labels: two pseudo-labels of 0 and 1 with the mean prediction join the labels,
    their residuals' skewness moves the ends outwards (Johnson, 1978), and Student's t takes the place of the normal
    distribution. With labels alone that is the interval of ``mean_estimate``. Values that share a cluster are not
    independent: the variance is then that of the clusters' sums of influence, K / (K - 1) * sum_c u_c^2, where it is
    more, and t has no more than K - 1 degrees of freedom.
    """
    if len(labelled) < 2:
        return None
    labels = [float(label) for label, _ in labelled]
    predicted = [float(prediction) for _, prediction in labelled]
    unlabelled = [float(prediction) for prediction in others]
    if tuning is None:
        tuning = _tuning(labels, predicted, unlabelled)
    imputed = tuning * _mean(unlabelled) if unlabelled else 0.0
    of_others = tuning**2 * _variance(unlabelled) / len(unlabelled) if unlabelled else 0.0
    residuals = [label - tuning * prediction for label, prediction in zip(labels, predicted, strict=True)]
    value = imputed + _mean(residuals)
    plain = of_others + _variance(residuals) / len(residuals)
    reach = Z95 * math.sqrt(plain)
    dependence = _Dependence(freedom=len(residuals) + 1)
    if clusters is not None:
        dependence = _dependence(residuals, [tuning * value for value in unlabelled], clusters, plain)
    return AnchoredMean(
        value=min(1.0, max(0.0, value)),
        interval=_guarded(
            residuals,
            imputed=imputed,
            of_others=of_others,
            middle=tuning * _mean([*predicted, *unlabelled]),
            value=value,
            dependence=dependence,
        ),
        normal=_clipped(value - reach, value + reach),
        tuning=tuning,
        labels=len(labelled),
        samples=len(labelled) + len(unlabelled),
        design_effect=dependence.effect,
    )


def _guarded(
    residuals: Sequence[float],
    *,
    imputed: float,
    of_others: float,
    middle: float,
    value: float,
    dependence: "_Dependence",
) -> Interval:
    if dependence.freedom < 1:  # one cluster says nothing of the others
        return Interval(0.0, 1.0)
    more = [*residuals, *(-middle, 1 - middle) * dependence.pseudo]
    count, centre = len(more), _mean(more)
    square = _variance(more) / (count - 1)
    cube = math.fsum((residual - centre) ** 3 for residual in more) / count**3 + dependence.cube
    variance = (square + of_others) * dependence.effect
    quantile = t_quantile(0.975, dependence.freedom)
    reach = quantile * math.sqrt(variance)
    shift = cube / (6 * variance) * (1 + 2 * quantile**2)
    low = min(value, imputed + centre) + min(0.0, shift) - reach
    high = max(value, imputed + centre) + max(0.0, shift) + reach
    return _clipped(low, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dependence:
    """What clusters change: the variance's factor, t's freedom, the third moment, and pseudo-labels of each kind."""

    effect: float = 1.0
    freedom: int
    cube: float = 0.0
    pseudo: int = 1


def _dependence(residuals: Sequence[float], imputed: Sequence[float], clusters: Clusters, plain: float) -> _Dependence:
    """Return what clusters change, where ``plain`` is the variance without them."""
    sums: dict[Hashable, float] = {}
    alone = 0.0
    for values, groups in ((residuals, clusters.labelled), (imputed, clusters.others)):
        centre = _mean(values) if values else 0.0
        for value, group in zip(values, groups, strict=True):
            influence = (value - centre) / len(values)
            sums[group] = sums.get(group, 0.0) + influence
            alone += influence**3
    count = len(sums)
    square = math.fsum(influence**2 for influence in sums.values()) * count / max(1, count - 1)
    return _Dependence(
        effect=max(1.0, square / plain) if plain else 1.0,
        freedom=min(len(residuals) + 1, count - 1),
        cube=math.fsum(influence**3 for influence in sums.values()) - alone,
        pseudo=math.ceil(len(residuals) / len(set(clusters.labelled))),  # those of a cluster of the average size
    )


def _tuning(labels: Sequence[float], predicted: Sequence[float], unlabelled: Sequence[float]) -> float:
    """Return the lambda that makes the variance least, cut to [0, 1]; 0 where predictions do not vary."""
    if not unlabelled:
        return 0.0
    count = len(labels)
    mean, centre = _mean(labels), _mean(predicted)
    covariance = math.fsum((y - mean) * (f - centre) for y, f in zip(labels, predicted, strict=True)) / count
    everything = [*predicted, *unlabelled]
    variance = _variance(everything) * len(everything) / (len(everything) - 1)
    if variance == 0:
        return 0.0
    return min(1.0, max(0.0, covariance / ((1 + count / len(unlabelled)) * variance)))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    centre = _mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / len(values)


def _clipped(low: float, high: float) -> Interval:
    return Interval(min(1.0, max(0.0, low)), max(0.0, min(1.0, high)))
