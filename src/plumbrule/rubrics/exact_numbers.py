"""Numbers of a rubric, read as the decimals that were written, so that comparisons are exact."""

from fractions import Fraction


def exact(value: object) -> Fraction:
    """Return a number as an exact fraction; a boolean or a text is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic reports only ValueError
    try:
        return Fraction(str(value))
    except ValueError:
        raise ValueError("must be a finite number") from None
