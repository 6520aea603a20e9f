"""Quantiles and tails of Student's t, beta and binomial distributions, from the incomplete beta function.

Reference: Press et al., Numerical Recipes, section 6.4 (continued fraction of the incomplete beta function).
"""

import math
from functools import lru_cache

_PLACES = 10  # of a quantile: what the mathematical libraries of all platforms agree on


@lru_cache(maxsize=4_096)
def t_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's t distribution; ``freedom`` need not be a whole number."""
    if probability < 0.5:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_tail(high, freedom) > 1 - probability:
        low, high = high, high * 2
    for _ in range(70):
        middle = (low + high) / 2
        if t_tail(middle, freedom) > 1 - probability:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, _PLACES)


def t_tail(t: float, freedom: float) -> float:
    """Return the probability of a value above ``t`` >= 0: half the regularised incomplete beta function."""
    square = t * t
    x, rest, a, b = freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5
    if rest == 0:
        return 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a / 2
    return (1 - front * _beta_fraction(rest, b, a) / b) / 2


def beta_cdf(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function: the probability of a beta variable at or below ``x``."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


@lru_cache(maxsize=4_096)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the quantile of the beta distribution."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if beta_cdf(middle, a, b) < probability:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, _PLACES + 2)


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value
