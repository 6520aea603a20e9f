"""Values as tables of Python hold them, as plain Python: a missing value is None, an array is a list.

Nothing is imported for that: NumPy, pandas, Polars and Arrow are known by what their values offer.
"""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal

from plumbrule.samples.value_types import MAX_DEPTH, SEQUENCES

_PLAIN = (str, bool, int, type(None))
_TO_LIST = ("tolist", "to_list", "to_pylist")  # NumPy and pandas, Polars, Arrow


def plain_value(value: object, *, depth: int = 0) -> object:
    """Return a value as plain Python; what nobody knows how to read stays as it is, to be refused by its name."""
    if type(value) in _PLAIN or depth > MAX_DEPTH:
        return value
    if isinstance(value, SEQUENCES):
        return [plain_value(item, depth=depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {key: plain_value(item, depth=depth + 1) for key, item in value.items()}
    if _is_missing(value):
        return None
    for name in _TO_LIST:
        convert = getattr(value, name, None)
        if callable(convert):
            converted = convert()
            return converted if converted is value else plain_value(converted, depth=depth + 1)
    as_python = getattr(value, "as_py", None)  # a scalar of Arrow
    return as_python() if callable(as_python) else value


def _is_missing(value: object) -> bool:
    """Tell whether a value stands for a missing one: NaN, NaT (a date that is not equal to itself), or NA of pandas."""
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, float | dt.date):
        return value != value  # noqa: PLR0124 - that is how NaN is known
    return type(value).__name__ == "NAType"
