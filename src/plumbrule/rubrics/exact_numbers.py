"""Numbers of a rubric, read as the decimals that were written, so that comparisons are exact."""

from fractions import Fraction


class ExactNumber(Fraction):
    """A fraction that people see as the decimal nearest to it."""

    __slots__ = ()

    def __repr__(self) -> str:
        try:
            return repr(float(self))
        except OverflowError:
            return str(self)


def exact(value: object) -> ExactNumber:
    """Return a number as an exact fraction; a boolean or a text is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic reports only ValueError
    try:
        return ExactNumber(str(value))
    except ValueError:
        raise ValueError("must be a finite number") from None
