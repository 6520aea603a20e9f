"""Whether a value that no context has follows from others: reckoned from values that are named, or by the calendar."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import accumulate, chain, combinations, product
from typing import NamedTuple

from plumbrule.support.binding.mentions import Mention
from plumbrule.text.dates import Date, Reading
from plumbrule.text.numbers import Number

_CONVERTED = frozenset({"length", "mass", "volume", "area", "data", "speed", "period"})
_COUNTING = frozenset({"count", "period", "length", "mass", "volume", "data", "area", "energy_electric"})
_TOGETHER = 10  # values that are reckoned with by threes
_DAY = 24 * 60
_SECONDS = 86_400
_YEAR = 2001  # of a day whose year is not said
_EQUAL = 1e-6  # how far apart the same number may come out


class _Operands(NamedTuple):
    """Values as operands of one result: in its unit, as counts, as shares, and by what they measure."""

    amounts: list[float]
    counts: list[float]
    shares: list[float]
    measured: dict[str, list[float]]
    is_share: bool  # the result is a percentage


def derivation(mention: Mention, said: Sequence[Mention], known: Sequence[Mention], rounded: float) -> int:
    """Return how well a value follows from others.

    0 where it does not; 1 from values of the contexts alone; 2 from one of them and others that the answer or the
    question names; 3 from values that the answer or the question names. ``said`` holds those, ``known`` those of the
    contexts.
    """
    if mention.kind == "date":
        return _date_derivation(mention, said, known)
    if mention.kind != "number" or mention.amount <= 0:
        return 0
    wanted = float(mention.plain)
    ours, theirs = _operands(mention, said[:_TOGETHER]), _operands(mention, known)
    near = wanted * rounded / 4
    lapse = _lapse_derivation(mention, said, known)
    for level, operands in ((3, ours), (2, theirs)):
        if lapse == level or _holds(chain(_pairs(operands, ours), _triples(operands, ours)), wanted, near):
            return level
    if _converted(mention, [*said, *known], rounded):
        return 2
    return 1 if lapse or _holds(_pairs(theirs, theirs), wanted, near) else 0


def _operands(mention: Mention, others: Iterable[Mention]) -> _Operands:
    """Return what a value may be reckoned from: amounts of its kind, and naked numbers, which may be."""
    found = _Operands([], [], [], {}, mention.base == "percent")
    over, under = (mention.amount / mention.plain).as_integer_ratio()  # of the unit
    for each in others:
        if each.kind != "number" or each.amount <= 0:
            continue
        plain = float(each.plain)
        if each.base in ("percent", "fraction"):
            found.shares.append(plain / 100 if each.base == "percent" else plain)
        if each.base in _COUNTING and plain > 1:
            found.counts.append(plain)
        if each.base == mention.base and mention.base != "count":
            if _period_kind(each) == _period_kind(mention):
                top, bottom = each.amount.as_integer_ratio()
                found.amounts.append(top * under / (bottom * over))  # as exact as a fraction, and faster
        elif each.base == mention.base or each.dimension == "count:" or each.naked:
            found.amounts.append(plain)
        found.measured.setdefault(each.dimension, []).append(float(each.amount))
    amounts, counts, shares = ([*dict.fromkeys(values)] for values in (found.amounts, found.counts, found.shares))
    return found._replace(amounts=amounts, counts=counts, shares=shares)


def _period_kind(mention: Mention) -> str:
    """Return what keeps months, days and working days apart."""
    value = mention.value
    return value.unit.dimension if mention.base == "period" and isinstance(value, Number) and value.unit else ""


def _pairs(one: _Operands, other: _Operands) -> Iterator[float]:
    """Yield all sums, differences, products, quotients and shares of one value of either."""
    for first in one.amounts:
        for second in other.amounts:
            yield first + second
            yield abs(first - second)
    for amounts, of in ((one.amounts, other), (other.amounts, one)):
        for amount in amounts:
            for count in of.counts:
                yield amount * count
                yield amount / count
            for share in of.shares:
                yield amount * share
                yield amount * (1 - share)
                yield amount * (1 + share)


def _triples(one: _Operands, ours: _Operands) -> Iterator[float]:
    """Yield what three values give, of which at most one is not the answer's or the question's."""
    yield from _sums(one, ours)
    yield from _products(one, ours)
    yield from _portions(one, ours)
    yield from _rates(one, ours)


def _sums(one: _Operands, ours: _Operands) -> Iterator[float]:
    """Yield sums and differences of three, and the sums of all in a row."""
    for first in one.amounts:
        for second, third in combinations(ours.amounts, 2):
            yield first + second + third
            yield abs(first + second - third)
            yield abs(first - second + third)
            yield abs(first - second - third)
    if one is ours:
        for start in range(len(ours.amounts)):
            yield from accumulate(ours.amounts[start:])


def _products(one: _Operands, ours: _Operands) -> Iterator[float]:
    """Yield products with a sum or a difference: 3 nights at £37 and £4.50."""
    for first in one.amounts:
        for second, count in product(ours.amounts, ours.counts):
            yield first * count + second
            yield abs(first * count - second)
            yield first + second * count
            yield abs(first - second * count)
            yield (first + second) * count
            yield abs(first - second) * count
    for count in one.counts:
        for first, second in combinations(ours.amounts, 2):
            yield first * count + second
            yield first + second * count
            yield (first + second) * count


def _portions(one: _Operands, ours: _Operands) -> Iterator[float]:
    """Yield shares with a sum or a product: £95 and 20% of £1,000; 2% of £6,000 for 3 weeks; 6% and 2.5% of £100."""
    for amounts, counts, shares in (
        (one.amounts, ours.counts, ours.shares),
        (ours.amounts, ours.counts, one.shares),
    ):
        for first, share in product(amounts, shares):
            for count in counts:
                yield first * count * share
                yield first * count * (1 - share)
                yield first * (count + share)
            for second in ours.amounts:
                yield first + second * share
                yield abs(first - second * share)
                yield second + first * share
    for first in one.amounts:
        for share, more in combinations(ours.shares, 2):
            yield first * (share + more)
            yield first * (1 - share - more)


def _rates(one: _Operands, ours: _Operands) -> Iterator[float]:
    """Yield what a rate gives: "£3 per £1,000" for £6,000; and a part of a whole as a percentage."""
    for ratio in _ratios(one, ours):
        for amount in {*one.amounts, *ours.amounts}:
            yield amount * ratio
        if ours.is_share:
            yield 100 * ratio
            yield 100 * abs(1 - ratio)


def _ratios(one: _Operands, ours: _Operands) -> Iterator[float]:
    """Yield how many times a value that is named holds another of the same dimension."""
    for dimension, values in ours.measured.items():
        for value in values:
            for part in {*one.measured.get(dimension, ()), *values}:
                if part != value:
                    yield value / part


def _holds(results: Iterable[float], wanted: float, near: float) -> bool:
    """Tell whether a value is among the results, or as near as rounding brings it to one that has more decimals."""
    for result in results:
        away = abs(result - wanted)
        if away <= _EQUAL or (away <= near and abs(100 * result - round(100 * result)) > _EQUAL):
            return True
    return False


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


def _lapse_derivation(mention: Mention, said: Sequence[Mention], known: Sequence[Mention]) -> int:
    """Return how well a period follows from two times of day, two days or two years that it lies between."""
    if mention.base != "period":
        return 0
    lapses = _lapses if _period_kind(mention) == "clock_time" else _months_between
    for level, one, other in ((3, said, said), (2, known, said), (1, known, known)):
        for first in one:
            for second in other:
                if first.kind == second.kind == "date" and int(mention.amount) in lapses(first, second):
                    return level
    return 0


def _lapses(first: Mention, second: Mention) -> set[int]:
    """Return the seconds that lie between two times of day, or between two days."""
    times = {(late - early) % _DAY * 60 for early in _minutes(first) for late in _minutes(second)}
    days = {abs(late - early).days * _SECONDS for early in _days(first) for late in _days(second)}
    return times | days


def _months_between(first: Mention, second: Mention) -> set[int]:
    """Return the months that lie between two years, or two months of them."""
    return {
        abs(12 * (late.year - early.year) + (late.month or 1) - (early.month or 1))
        for early in _readings(first)
        for late in _readings(second)
        if early.year is not None and late.year is not None and bool(early.month) == bool(late.month)
    }


def _readings(mention: Mention) -> Sequence[Reading]:
    return mention.value.readings if isinstance(mention.value, Date) else ()


def _days(mention: Mention) -> set[date]:
    """Return the days that a date may be; a month is its first."""
    if not isinstance(mention.value, Date) or mention.dimension not in ("day", "month"):
        return set()
    return {day for reading in mention.value.readings for day in _day_of(reading)}


def _day_of(reading: Reading) -> list[date]:
    try:
        return [date(reading.year or _YEAR, reading.month, reading.day or 1)] if reading.month is not None else []
    except ValueError:  # 31 June
        return []


def _date_derivation(mention: Mention, said: Sequence[Mention], known: Sequence[Mention]) -> int:
    """Return how well a time follows from one and a period, a day likewise, and a weekday from its day."""
    if mention.dimension == "weekday":
        return 3 if any(_weekday(mention) == day.weekday() for each in said for day in _dated(each)) else 0
    for level, starts, periods in ((3, said, said), (2, said, known), (2, known, said), (1, known, known)):
        lengths = {int(each.amount) for each in periods if _period_kind(each) == "clock_time"}
        if mention.dimension == "time":
            times = {minute for each in starts for minute in _minutes(each)}
            ends = {(time + sign * length // 60) % _DAY for time in times for length in lengths for sign in (1, -1)}
            if not ends.isdisjoint(_minutes(mention)):
                return level
        elif mention.dimension == "day":
            days = {day for each in starts for day in _days(each)}
            spans = [timedelta(seconds=length) for length in sorted(lengths) if length < 400 * _SECONDS]
            reached = {(day + sign * span).timetuple()[1:3] for day in days for span in spans for sign in (1, -1)}
            if any(day.timetuple()[1:3] in reached for day in _days(mention)):
                return level
    return 0


def _weekday(mention: Mention) -> int | None:
    return next((each.weekday for each in mention.value.readings), None) if isinstance(mention.value, Date) else None


def _dated(mention: Mention) -> list[date]:
    """Return the days whose year is said: only those have a weekday."""
    if not isinstance(mention.value, Date) or mention.dimension != "day":
        return []
    return [day for reading in mention.value.readings if reading.year is not None for day in _day_of(reading)]
