"""How far raters agree: ordinal alpha, AC1, weighted kappa and the confusion matrix, with ratings missing.

Ratings are rows, one for each thing rated, with a column for each rater; None is a rating that was not made. Every
figure is None where it is not defined: with nothing rated twice, or with no variation to set agreement against.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from plumbrule.errors import InputError
from plumbrule.stats.bootstrap import Resampled, resample_items
from plumbrule.stats.intervals import Interval

Row = Sequence[int | None]
Label = TypeVar("Label", bound=Hashable)
_Counts = dict[int, int]  # how many raters gave each level


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaEstimate:
    """Krippendorff's alpha and its bootstrap interval; ``undefined`` counts the resamples that had no alpha."""

    value: float | None
    interval: Interval | None
    pairable: int  # things that were rated twice or more
    undefined: int


def tabulate(ratings: Iterable[tuple[str, str, int]]) -> list[list[int | None]]:
    """Return (thing, rater, level) as rows and columns, both sorted by name; a rating twice is an error."""
    table: dict[str, dict[str, int]] = {}
    for thing, rater, level in ratings:
        row = table.setdefault(thing, {})
        if rater in row:
            raise InputError(f"'{rater}' rated '{thing}' twice; keep one rating")
        row[rater] = level
    raters = sorted({rater for row in table.values() for rater in row})
    return [[table[thing].get(rater) for rater in raters] for thing in sorted(table)]


def alpha_over_items(
    items: Sequence[Sequence[Row]], levels: Sequence[int], *, seed: int, resamples: int = 1_000
) -> AlphaEstimate:
    """Return alpha over the rows of all items, with the 95% interval of a seeded bootstrap over the items.

    An item has a row for each thing that was rated of it, such as a dimension. The rows of one item are not
    independent, so they are drawn together. ``pairable`` counts the rows that were rated twice or more;
    items without any are left out. The interval is None where fewer than half of the resamples have an alpha.
    """
    grouped = [patterns for rows in items if (patterns := _patterns(rows, levels))]

    def figure(drawn: Sequence[list[tuple[tuple[int, int], ...]]]) -> float | None:
        return _alpha(Counter(pattern for patterns in drawn for pattern in patterns), levels)

    found = resample_items(grouped, figure, seed=seed, resamples=resamples)
    return AlphaEstimate(
        value=found.value,
        interval=found.interval,
        pairable=sum(map(len, grouped)),
        undefined=found.undefined,
    )


def kappa_over_items(
    items: Sequence[Sequence[tuple[int | None, int | None]]],
    levels: Sequence[int],
    *,
    seed: int,
    resamples: int = 1_000,
) -> Resampled:
    """Return the quadratic kappa over the pairs of all items, with an interval by resampling items."""

    def figure(drawn: Sequence[Sequence[tuple[int | None, int | None]]]) -> float | None:
        return quadratic_kappa([pair for pairs in drawn for pair in pairs], levels)

    return resample_items(items, figure, seed=seed, resamples=resamples)


def gwet_ac1(rows: Iterable[Row], levels: Sequence[int]) -> float | None:
    """Return Gwet's AC1 for any number of raters; ``levels`` are all that could have been given."""
    agreements = []
    shares: dict[int, list[float]] = {level: [] for level in levels}
    for counts in (_counted(row, levels) for row in rows):
        total = sum(counts.values())
        if total == 0:
            continue
        for level in levels:
            shares[level].append(counts.get(level, 0) / total)
        if total > 1:
            agreements.append(sum(n * (n - 1) for n in counts.values()) / (total * (total - 1)))
    if not agreements or len(levels) < 2:
        return None
    observed = _mean(agreements)
    prevalence = [_mean(each) for each in shares.values()]
    chance = math.fsum(share * (1 - share) for share in prevalence) / (len(levels) - 1)
    return (observed - chance) / (1 - chance)  # chance is at most 1 / len(levels)


def quadratic_kappa(pairs: Iterable[tuple[int | None, int | None]], levels: Sequence[int]) -> float | None:
    """Return Cohen's kappa of two raters, disagreement weighted by the square of the levels between them."""
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    matrix = confusion_matrix(both, levels)
    size = len(levels)
    total = len(both)
    rows = [sum(row) for row in matrix]
    columns = [sum(matrix[i][j] for i in range(size)) for j in range(size)]
    observed = sum((i - j) ** 2 * matrix[i][j] for i in range(size) for j in range(size))
    expected = sum((i - j) ** 2 * rows[i] * columns[j] for i in range(size) for j in range(size))
    return 1 - observed * total / expected if expected else None


def confusion_matrix(pairs: Iterable[tuple[Label, Label]], labels: Sequence[Label]) -> list[list[int]]:
    """Return how often each label of the first column met each of the second; an unknown label is an error."""
    places = {label: place for place, label in enumerate(labels)}
    matrix = [[0] * len(labels) for _ in labels]
    for one, other in pairs:
        matrix[_place(one, places)][_place(other, places)] += 1
    return matrix


def _patterns(rows: Iterable[Row], levels: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    """Return for each row that was rated twice or more how many raters gave each level."""
    counted = (_counted(row, levels) for row in rows)
    return [tuple(sorted(counts.items())) for counts in counted if sum(counts.values()) > 1]


def _counted(row: Row, levels: Sequence[int]) -> _Counts:
    counts = Counter(level for level in row if level is not None)
    for level in counts:
        if level not in levels:
            raise InputError(f"{level} is no level; the levels are {', '.join(map(str, levels))}")
    return counts


def _alpha(patterns: Mapping[tuple[tuple[int, int], ...], int], levels: Sequence[int]) -> float | None:
    """Return alpha from the rows by pattern: 1 - observed / expected disagreement."""
    totals = dict.fromkeys(levels, 0)
    for pattern, times in patterns.items():
        for level, count in pattern:
            totals[level] += count * times
    everything = sum(totals.values())
    distance = _ordinal_distances(totals, levels)
    expected = math.fsum(totals[a] * totals[b] * distance[a, b] for a, b in distance)
    if not expected:
        return None
    observed = math.fsum(
        times * m * n * distance[a, b] / (sum(count for _, count in pattern) - 1)
        for pattern, times in patterns.items()
        for a, m in pattern
        for b, n in pattern
        if a != b
    )
    return 1 - (everything - 1) * observed / expected


def _ordinal_distances(totals: Mapping[int, int], levels: Sequence[int]) -> dict[tuple[int, int], float]:
    """Return the squared distance of each pair: the ratings between them, those at either end counted by half."""
    distances = {}
    for i, low in enumerate(levels):
        between = 0.0
        for place, high in enumerate(levels[i + 1 :], i + 1):
            between += (totals[levels[place - 1]] + totals[high]) / 2
            distances[low, high] = distances[high, low] = between**2
    return distances


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _place(label: Label, places: Mapping[Label, int]) -> int:
    if label not in places:
        raise InputError(f"{label!r} is not among {', '.join(map(repr, places))}")
    return places[label]
