"""Whether a value that no context has follows from others: a sum, a difference, a product, a share, a conversion."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

from plumbrule.support.binding.mentions import Mention
from plumbrule.text.dates import Date
from plumbrule.text.numbers import Number

_CONVERTED = frozenset({"length", "mass", "volume", "area", "data", "speed", "period"})
_COUNTING = frozenset({"count", "period", "length", "mass", "volume", "data", "area", "energy_electric"})
_TOGETHER = 12  # values that are added up by threes
_DAY = 24 * 60


def derivation(mention: Mention, said: Sequence[Mention], known: Sequence[Mention], rounded: float) -> int:
    """Return how well a value follows from others.

    0 where it does not; 1 from values of the contexts alone; 2 from one of them and one that the answer or the question
    names; 3 from values that the answer or the question names. ``said`` holds those, ``known`` those of the contexts.
    """
    if mention.kind == "date":
        return _time_derivation(mention, said, known) if mention.dimension == "time" else 0
    if mention.kind != "number":
        return 0
    for level, one, other in ((3, said, said), (2, known, said), (1, known, known)):
        if mention.amount in _results(mention.base, one, other) or _shares_give(mention, one, other, rounded):
            return level
        if level == 3 and mention.amount in _sums(mention.base, said):
            return level
    return 2 if _converted(mention, [*said, *known], rounded) else 0


def _amounts(base: str, mentions: Iterable[Mention]) -> list[Fraction]:
    """Return the values of the same kind, and naked numbers, which may be."""
    found = [
        each.amount if each.base == base and base != "count" else each.plain
        for each in mentions
        if each.kind == "number" and (each.base == base or each.dimension == "count:" or each.naked)
    ]
    return list(dict.fromkeys(found))


def _counts(mentions: Iterable[Mention]) -> list[Fraction]:
    found = [each.plain for each in mentions if each.kind == "number" and each.base in _COUNTING]
    return list(dict.fromkeys(each for each in found if each > 1))


def _results(base: str, one: Sequence[Mention], other: Sequence[Mention]) -> set[Fraction]:
    """Return all sums, differences, products and quotients of one value of either."""
    found: set[Fraction] = set()
    mine, theirs = _amounts(base, one), _amounts(base, other)
    for first in mine:
        for second in theirs:
            if first and second:
                found |= {first + second, abs(first - second)}
    for amounts, counts in ((mine, _counts(other)), (theirs, _counts(one))):
        for amount in amounts:
            for count in counts:
                found |= {amount * count, amount / count}
    return found - {Fraction(0)}


def _sums(base: str, said: Sequence[Mention]) -> Iterator[Fraction]:
    amounts = sorted(_amounts(base, said))[:_TOGETHER]
    counts = _counts(said)[:_TOGETHER]
    for first, second in combinations_with_replacement(amounts, 2):
        for third in amounts:
            yield first + second + third
            yield first + second - third
        for count in counts:
            yield first * count + second
            yield second * count + first


def _shares_give(mention: Mention, one: Sequence[Mention], other: Sequence[Mention], rounded: float) -> bool:
    wanted = mention.amount
    if wanted <= 0:
        return False
    for amounts, shares in (
        (_amounts(mention.base, one), _shares(other)),
        (_amounts(mention.base, other), _shares(one)),
    ):
        for amount in amounts:
            for share in shares:
                for result in (amount * share, amount * (1 - share), amount * (1 + share)):
                    if abs(result - wanted) <= wanted * Fraction(rounded) / 4:
                        return True
    return False


def _shares(mentions: Iterable[Mention]) -> list[Fraction]:
    found = [
        each.amount / 100 if each.base == "percent" else each.amount
        for each in mentions
        if each.kind == "number" and each.base in ("percent", "fraction")
    ]
    return list(dict.fromkeys(found))


def _converted(mention: Mention, others: Iterable[Mention], rounded: float) -> bool:
    for other in others:
        if other is mention or other.kind != "number" or not other.unit or not mention.unit:
            continue
        if mention.base == other.base and mention.base in _CONVERTED and mention.unit != other.unit and mention.amount:
            if abs(other.amount - mention.amount) <= abs(mention.amount) * Fraction(rounded):
                return True
        elif {mention.base, other.base} == {"celsius", "fahrenheit"}:
            celsius, fahrenheit = (mention, other) if mention.base == "celsius" else (other, mention)
            if abs(celsius.amount * Fraction(9, 5) + 32 - fahrenheit.amount) <= 1:
                return True
    return False


def _minutes(mention: Mention) -> set[int]:
    if not isinstance(mention.value, Date):
        return set()
    return {reading.time[0] * 60 + reading.time[1] for reading in mention.value.readings if reading.time is not None}


def _time_derivation(mention: Mention, said: Sequence[Mention], known: Sequence[Mention]) -> int:
    wanted = _minutes(mention)
    for level, operands in ((2, [*said, *known]), (1, list(known))):
        near = said if level == 2 else known
        times = {minute for each in near if each.dimension == "time" for minute in _minutes(each)}
        lengths = {
            int(each.amount / 60)
            for each in operands
            if each.base == "period" and isinstance(each.value, Number) and each.amount < 86_400
        }
        if any((time + sign * length) % _DAY in wanted for time in times for length in lengths for sign in (1, -1)):
            return level
    return 0
