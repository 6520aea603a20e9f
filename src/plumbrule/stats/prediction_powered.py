"""People's labels for a part of the samples, a judge's predictions for all: the mean that labels alone would give.

Prediction-powered inference, power-tuned (PPI++: Angelopoulos, Duchi and Zrnic, arXiv 2311.01453): the predictions'
mean over the samples without a label, times lambda, and the mean of what the labels say beyond lambda times the
prediction. However wrong the judge is, the estimate is of what people would say; a good judge narrows it, a bad one
gets a lambda near 0. The labelled samples must be a random part of all.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist
from typing import TypeVar

from plumbrule.errors import InputError
from plumbrule.stats.intervals import Z95, Interval
from plumbrule.stats.quantiles import t_quantile

Value = Fraction | float | int
Sample = TypeVar("Sample", bound=Hashable)
_MOST = 10**9  # labels or samples, beyond which no plan goes


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
            _Moments.of(residuals),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredShare:
    """A share of all answers that people give this label, and the judge this prediction."""

    label: float
    prediction: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOutlook:
    """Answers as they are or are expected to be: what the deciding interval would be with more labels of them.

    ``value`` is taken to be the true mean; ``answers`` say how labels and predictions vary together. ``of_one`` is the
    variance of the prediction of a sample without a label, where that is not one answer's, such as with repeats.
    ``design_effect`` and ``clusters`` allow for samples that share something, in the same proportions as now.
    """

    value: float
    answers: Sequence[AnsweredShare]
    of_one: float | None = None
    design_effect: float = 1.0
    clusters: int | None = None

    def labels_for_power(self, limit: float, *, samples: int | None, power: float) -> int | None:
        """Return how many labels make the deciding interval exclude ``limit`` with this power; None where none do.

        The labels are of ``samples`` in all, so they are never more than these; None for labels without a judge.
        """
        return self._fewest_labels(lambda labels, total: self._excludes(limit, labels, total, power), samples)

    def labels_for_margin(self, margin: float, *, samples: int | None) -> int | None:
        """Return how many labels make the deciding interval reach no further than ``margin`` to either side."""
        return self._fewest_labels(lambda labels, total: self._reaches(margin, labels, total), samples)

    def samples_for_power(self, limit: float, *, labels: int, power: float) -> int | None:
        """Return how many samples in all make so many labels enough; None where no number does."""
        return self._fewest_samples(lambda total: self._excludes(limit, labels, total, power), labels)

    def samples_for_margin(self, margin: float, *, labels: int) -> int | None:
        """Return how many samples in all make so many labels reach the margin; None where no number does."""
        return self._fewest_samples(lambda total: self._reaches(margin, labels, total), labels)

    def _fewest_labels(self, enough: Callable[[int, int], bool], samples: int | None) -> int | None:
        counts = range(2, (_MOST if samples is None else samples) + 1)
        place = bisect_left(counts, x=True, key=lambda labels: enough(labels, labels if samples is None else samples))
        return counts[place] if place < len(counts) else None

    @staticmethod
    def _fewest_samples(enough: Callable[[int], bool], labels: int) -> int | None:
        counts = range(labels, _MOST + 1)
        place = bisect_left(counts, x=True, key=enough) if labels >= 2 else len(counts)
        return counts[place] if place < len(counts) else None

    def _reaches(self, margin: float, labels: int, samples: int) -> bool:
        interval = self._expected(labels, samples).interval
        return max(self.value - interval.low, interval.high - self.value) <= margin

    def _excludes(self, limit: float, labels: int, samples: int, power: float) -> bool:
        expected, z = self._expected(labels, samples), NormalDist().inv_cdf(power)
        if self.value > limit:
            return expected.interval.low - z * expected.error_low >= limit
        return expected.interval.high + z * expected.error_high <= limit

    def _expected(self, labels: int, samples: int) -> "_Expected":
        shares = [answer.share for answer in self.answers]
        predicted = _Moments.of([answer.prediction for answer in self.answers], shares)
        said = _Moments.of([answer.label for answer in self.answers], shares)
        together = math.fsum(
            answer.share * (answer.label - said.mean) * (answer.prediction - predicted.mean) for answer in self.answers
        ) / math.fsum(shares)
        others, of_one = samples - labels, predicted.variance if self.of_one is None else self.of_one
        tuning = 0.0
        if others and predicted.variance:
            tuning = min(1.0, max(0.0, together / ((1 + labels / others) * predicted.variance)))
        imputed = tuning * predicted.mean
        residuals = _Moments.of([answer.label - tuning * answer.prediction for answer in self.answers], shares)
        expected = replace(residuals, count=labels, mean=self.value - imputed)
        of_others = tuning**2 * of_one / others if others else 0.0
        freedom, pseudo = labels + 1, 1
        if self.clusters is not None:
            freedom, pseudo = min(freedom, self.clusters - 1), math.ceil(labels / self.clusters)
        interval = _guarded(
            expected,
            imputed=imputed,
            of_others=of_others,
            middle=imputed,
            value=self.value,
            dependence=_Dependence(effect=self.design_effect, freedom=freedom, pseudo=pseudo),
        )
        # a skewed mean and its spread err together, so that one end of the interval varies more than the mean
        lean = expected.cube / expected.variance**1.5 / math.sqrt(labels) if expected.variance else 0.0
        low, high = (
            math.sqrt((expected.variance * more / labels + of_others) * self.design_effect)
            for more in (1 + t_quantile(0.975, max(1, freedom)) * max(0.0, side) for side in (-lean, lean))
        )
        return _Expected(interval=interval, error_low=low, error_high=high)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expected:
    """The interval that so many labels are expected to give, and by how much either end varies."""

    interval: Interval
    error_low: float
    error_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moments:
    """How many values there are, their mean, and their second and third moments about it."""

    count: float
    mean: float
    variance: float
    cube: float

    @classmethod
    def of(cls, values: Sequence[float], weights: Sequence[float] | None = None) -> "_Moments":
        weights = [1.0] * len(values) if weights is None else weights
        pairs, count = list(zip(values, weights, strict=True)), math.fsum(weights)
        mean = math.fsum(value * weight for value, weight in pairs) / count
        variance, cube = (
            math.fsum((value - mean) ** power * weight for value, weight in pairs) / count for power in (2, 3)
        )
        return cls(count=count, mean=mean, variance=variance, cube=cube)

    def joined(self, values: Sequence[float]) -> "_Moments":
        """Return the moments with some more values."""
        count = self.count + len(values)
        mean = (self.count * self.mean + math.fsum(values)) / count
        off = self.mean - mean
        squares = self.count * (self.variance + off**2) + math.fsum((value - mean) ** 2 for value in values)
        cubes = self.count * (self.cube + 3 * self.variance * off + off**3)
        cubes += math.fsum((value - mean) ** 3 for value in values)
        return _Moments(count=count, mean=mean, variance=squares / count, cube=cubes / count)


def _guarded(
    residuals: _Moments,
    *,
    imputed: float,
    of_others: float,
    middle: float,
    value: float,
    dependence: "_Dependence",
) -> Interval:
    if dependence.freedom < 1:  # one cluster says nothing of the others
        return Interval(0.0, 1.0)
    more = residuals.joined((-middle, 1 - middle) * dependence.pseudo)
    square = more.variance / (more.count - 1)
    cube = more.cube / more.count**2 + dependence.cube
    variance = (square + of_others) * dependence.effect
    quantile = t_quantile(0.975, dependence.freedom)
    reach = quantile * math.sqrt(variance)
    shift = cube / (6 * variance) * (1 + 2 * quantile**2)
    low = min(value, imputed + more.mean) + min(0.0, shift) - reach
    high = max(value, imputed + more.mean) + max(0.0, shift) + reach
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
