"""How alike two token lists are: TF-IDF cosine of the pair, Jaccard, containment of n-grams."""

import math
from collections.abc import Sequence
from fractions import Fraction

from plumbrule.text.ratios import ratio

# Fitted on two texts, smoothed inverse document frequency takes just two values:
# ln((1 + 2) / (1 + df)) + 1 is 1 for a term in both, and this for a term in one.
_IDF_OF_ONE = math.log(1.5) + 1.0


def compare_tokens(left: Sequence[str], right: Sequence[str]) -> tuple[float, float]:
    """Return the cosine of the TF-IDF vectors of two token lists, fitted on the two alone, and their Jaccard index.

    The Jaccard index is the share of the distinct tokens of both that stand in both.
    """
    left_counts, right_counts = _counts(left), _counts(right)
    shared = left_counts.keys() & right_counts.keys()
    if not shared:
        return 0.0, 0.0
    jaccard = len(shared) / (len(left_counts) + len(right_counts) - len(shared))
    dot = left_shared = right_shared = 0
    for term in shared:  # sums of integers: their order does not matter
        count, other = left_counts[term], right_counts[term]
        dot += count * other
        left_shared += count * count
        right_shared += other * other
    weight = _IDF_OF_ONE * _IDF_OF_ONE
    left_norm = left_shared + weight * (_square(left_counts, left) - left_shared)
    right_norm = right_shared + weight * (_square(right_counts, right) - right_shared)
    return min(1.0, dot / math.sqrt(left_norm * right_norm)), jaccard


def _counts(items: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:  # a Counter takes longer to make than to count so few
        counts[item] = counts.get(item, 0) + 1
    return counts


def _square(counts: dict[str, int], items: Sequence[str]) -> int:
    return len(items) if len(counts) == len(items) else sum([count * count for count in counts.values()])


def ngrams(items: Sequence[str], n: int) -> set[tuple[str, ...]]:
    """Return the distinct runs of ``n`` neighbouring tokens."""
    return set(zip(*(items[offset:] for offset in range(n)), strict=False))


def containment(inner: Sequence[str], outers: Sequence[Sequence[str]], n: int) -> Fraction | None:
    """Return the share of the n-grams of ``inner`` that stand in any of ``outers``; None where it has none."""
    wanted = ngrams(inner, n)
    if not wanted:
        return None
    missing = wanted
    for outer in outers:
        if not missing:
            break
        missing = missing - ngrams(outer, n)
    return ratio(len(wanted) - len(missing), len(wanted))
