"""Numbers as people read them, the same in reports, on a terminal and in the reasons of a decision."""

from collections.abc import Sequence
from typing import NamedTuple

NONE = "none"
_LARGE = 100  # from here on one decimal, below it three
SIGNS = {"at_least": "≥", "at_most": "≤"}


def figure(value: float | None, *, against: float | None = None) -> str:
    """Return a figure as people read it; it is never rounded to or across the limit that it is compared with."""
    if value is None:
        return NONE
    return f"{value:z,.{_places(value, abs(value), against)}f}"


def figures(*values: float | None, against: float | None = None) -> tuple[str | None, ...]:
    """Return figures that are read together, all with the decimals of the one that has most; None stays None."""
    known = [value for value in values if value is not None]
    largest = max(map(abs, known), default=0)
    places = max((_places(value, largest, against) for value in known), default=0)
    return tuple(None if value is None else f"{value:z,.{places}f}" for value in values)


class Measured(NamedTuple):
    """A figure, others that stand beside it, and its interval: all with the same decimals."""

    values: tuple[str, ...]
    interval: str


def measured(
    values: Sequence[float | None],
    low: float | None,
    high: float | None,
    *,
    against: float | None = None,
    absent: str = NONE,
) -> Measured:
    """Return figures with the interval of the first; none of them is rounded across the limit ``against``."""
    *shown, low_text, high_text = figures(*values, low, high, against=against)
    return Measured(tuple(absent if text is None else text for text in shown), between(low_text, high_text))


def score(value: float | None) -> str:
    """Return a score of people, an average of them, or an end of its interval, with two decimals."""
    return NONE if value is None else f"{value:.2f}"


def between(low: str | None, high: str | None) -> str:
    """Return an interval in words; None is an end that so few samples cannot bound."""
    if low is None or high is None:
        return f"{low} or more" if low is not None else f"{high} or less" if high is not None else NONE
    return f"{low} to {high}"


def _places(value: float, largest: float, against: float | None) -> int:
    """Return how many decimals a figure needs beside others of which ``largest`` is the largest."""
    if float(value).is_integer():
        return 0
    places = 1 if largest >= _LARGE else 3
    while places < 16 and not _keeps_side(value, places, against):
        places += 1
    return len(f"{value:.{places}f}".rstrip("0").partition(".")[2])


def _keeps_side(value: float, places: int, against: float | None) -> bool:
    shown = round(value, places)
    return against is None or (shown > against, shown < against) == (value > against, value < against)
