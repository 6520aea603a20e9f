"""Exact ratios at little cost: the same small ones come again and again, and are made once."""

from fractions import Fraction
from functools import lru_cache

from plumbrule.rubrics.exact_numbers import ExactNumber

#: The fraction of two whole numbers; finding one is several times as fast as reducing it.
ratio = lru_cache(maxsize=4096)(ExactNumber)


def is_below(one: Fraction, other: Fraction) -> bool:
    """Tell whether one is less than the other; their own comparison first asks what kind of number each is."""
    over, under = one.as_integer_ratio()
    other_over, other_under = other.as_integer_ratio()
    return over * other_under < other_over * under
