"""Recall and nDCG against gold passages, worked by hand."""

from fractions import Fraction
from math import log2

import pytest

from plumbrule.prescores.retrieval_checks import ndcg, recall


@pytest.mark.parametrize(
    ("ranked", "gold", "found"),
    [
        (["a", "b"], ["a"], 1),
        (["a", "b"], ["a", "c"], Fraction(1, 2)),
        ([], ["a"], 0),
        (["a"], [], 0),
        (["a", "a"], ["a", "a"], 1),
    ],
)
def test_recall(ranked: list[str], gold: list[str], found: Fraction) -> None:
    """The share of the gold passages among the retrieved; doubles count once."""
    assert recall(ranked, gold) == found


@pytest.mark.parametrize(
    ("ranked", "gold", "gain"),
    [
        (["a", "b", "c"], ["a"], 1.0),
        (["b", "a", "c"], ["a"], 1 / log2(3)),
        (["b", "c", "a"], ["a"], 0.5),
        (["a", "b", "c"], ["a", "c"], 1.5 / (1 + 1 / log2(3))),
        (["b"], ["a"], 0.0),
        ([], ["a"], 0.0),
        (["a"], [], 0.0),
        (["x", "x", "a"], ["a"], 1 / log2(3)),
        (["x", "y", "z", "a"], ["a"], 0.0),
    ],
)
def test_ndcg(ranked: list[str], gold: list[str], gain: float) -> None:
    """Each gold passage gains 1 / log2(rank + 1), over the best order there could be, among the first three."""
    assert ndcg(ranked, gold, 3) == pytest.approx(gain, abs=1e-11)
