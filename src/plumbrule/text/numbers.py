"""Says what a number is, and when a number of a context supports a number of an answer."""

from fractions import Fraction
from typing import NamedTuple

from plumbrule.text.units import Unit


class Number(NamedTuple):
    """A number in a text: where it stands, its value with its scale, its unit or the noun that it counts.

    The span covers sign, currency, scale and unit, never the counted noun. A ``weak`` number ("a year", an
    enumerator such as "(2)") may support another but is too vague to be checked itself.
    """

    start: int
    end: int
    value: Fraction
    unit: Unit | None = None
    counted: str | None = None
    weak: bool = False

    @property
    def naked(self) -> bool:
        """Whether nothing tells what the number measures, as in a table's cell."""
        return self.unit is None and self.counted is None


def _convertible(one: Unit, two: Unit) -> list[tuple[Unit, Unit]]:
    """Return the readings of two units that share a dimension."""
    return [
        (first, second)
        for first in (one, one.other)
        for second in (two, two.other)
        if first is not None and second is not None and first.dimension == second.dimension
    ]


def supports(context: Number, answer: Number) -> bool:
    """Tell whether both numbers are the same value of the same thing, as far as they say of what.

    A naked number may stand for a value with a unit or a currency, but never for a percentage; a counted
    number stands only for another counted or naked one.
    """
    one, two = context.unit, answer.unit
    if one is two:  # equal small values are one object
        return context.value is answer.value or context.value == answer.value
    if one is None or two is None:
        bare, measured = (context, two) if one is None else (answer, one)
        if bare.counted is not None or measured is None or measured.dimension == "percent":
            return False
        return context.value == answer.value
    return any(context.value * first.factor == answer.value * second.factor for first, second in _convertible(one, two))


def comparable_numbers(answer: Number, context: Number) -> bool:
    """Tell whether a different value of the second would contradict the first."""
    if answer.weak or context.weak:
        return False
    if answer.unit is not None and context.unit is not None:
        return answer.unit.dimension == context.unit.dimension or bool(_convertible(answer.unit, context.unit))
    if answer.unit is None and context.unit is None and answer.counted and context.counted:
        return singular(answer.counted) == singular(context.counted)
    return False


def singular(noun: str) -> str:
    """Return a counted noun without the mark of its plural."""
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun.removesuffix("s")
