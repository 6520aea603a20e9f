"""Single values from outside: each becomes the type that a sample keeps, or is refused with a reason."""

import datetime as dt
import math
from decimal import Decimal
from numbers import Real
from uuid import UUID

from plumbrule.terminal import shortened

# Deeper than any real metadata, and well inside what the JSON writer can nest.
MAX_DEPTH = 100
# The whole numbers that a float, and so every JSON reader, holds exactly.
MAX_WHOLE = 2**53
MAX_COUNT = 10**12  # of tokens and the like: a million of them still add up to 64 bits
# float and int stand first, so that the common case never asks the abstract class.
NUMBERS = (float, int, Real, Decimal)
SEQUENCES = (list, tuple)
_INT64 = range(-(2**63), 2**63)
_SHOWN = 40
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Misfit(ValueError):  # noqa: N818 -- the reason alone; the reader adds the place and raises a RecordError
    """Why one record cannot become a sample."""


def described(value: object) -> str:
    """Say what ``value`` is, for the end of a sentence; nested values are named, never printed."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(shortened(value, _SHOWN))
    if isinstance(value, NUMBERS):
        return "a number"
    if isinstance(value, SEQUENCES):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return f"a value of type {type(value).__name__}"


def text(name: str, value: object) -> str:
    """Return ``value`` where it is text."""
    if not isinstance(value, str):
        raise Misfit(f"{name} must be text, not {described(value)}")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise Misfit(f"{name} holds half of a character (character {error.start + 1})") from None
    return value


def label(name: str, value: object) -> str:
    """Return ``value`` as text where it is text, a number, a date or a UUID: ids come in all of these."""
    if isinstance(value, str):
        return text(name, value)
    if isinstance(value, dt.date):  # a datetime is a date too
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, NUMBERS):
        raise Misfit(f"{name} must be text, not {described(value)}")
    if isinstance(value, int):
        if value not in _INT64:
            raise Misfit(f"{name} is a number that is too large; write it as text")
        return str(value)
    amount = number(name, value)
    # A column of whole numbers with gaps is kept as floats by many tools: 12.0 is the id 12.
    return str(int(amount)) if amount.is_integer() and abs(amount) <= MAX_WHOLE else str(amount)


def number(name: str, value: object, *, flat: bool = False) -> float:
    """Return ``value`` as a finite float; in flat formats a number may be written as text."""
    written = flat and isinstance(value, str) and "_" not in value  # only Python reads 1_000 as a number
    if isinstance(value, bool) or not (written or isinstance(value, NUMBERS)):
        raise Misfit(f"{name} must be a number, not {described(value)}")
    try:
        amount = float(value)  # type: ignore[arg-type]  # the line above leaves only what float takes
    except OverflowError:
        amount = math.inf
    except ValueError:
        raise Misfit(f"{name} must be a number, not {described(value)}") from None
    if not math.isfinite(amount):
        raise Misfit(f"{name} is not a finite number")
    return amount


def amount_of(name: str, value: object, *, flat: bool = False) -> float:
    """Return ``value`` as a number that is not negative."""
    if type(value) is float and 0 <= value < math.inf:  # the common case, kept short for speed
        return value
    amount = number(name, value, flat=flat)
    if amount < 0:
        raise Misfit(f"{name} must not be negative")
    return amount


def count_of(name: str, value: object, *, flat: bool = False) -> int:
    """Return ``value`` as a whole number that is not negative; 12.0 counts as 12."""
    if type(value) is int and 0 <= value <= MAX_COUNT:  # the common case, kept short for speed
        return value
    amount = amount_of(name, value, flat=flat)
    if not amount.is_integer():
        raise Misfit(f"{name} must be a whole number")
    if amount > MAX_COUNT:
        raise Misfit(f"{name} is too large for a count")
    return int(amount)


def flag(name: str, value: object, *, flat: bool = False) -> bool:
    """Return ``value`` as true or false; flat formats may write it as a word or as 0 and 1."""
    if isinstance(value, bool):
        return value
    if flat:
        word = value.strip().lower() if isinstance(value, str) else label(name, value)
        if word in _FLAGS:
            return _FLAGS[word]
    raise Misfit(f"{name} must be true or false, not {described(value)}")


def plain(name: str, value: object, *, depth: int = 0) -> object:
    """Return a copy of ``value`` made of plain JSON values only, ready to be stored and hashed."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text(name, value)
    if isinstance(value, int):
        if value not in _INT64:
            raise Misfit(f"{name} holds a number that is too large; write it as text")
        return value
    if depth >= MAX_DEPTH:
        raise Misfit(f"{name} is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, SEQUENCES):
        return [plain(name, item, depth=depth + 1) for item in value]
    if isinstance(value, dict):
        return {key_of(name, key): plain(name, item, depth=depth + 1) for key, item in value.items()}
    if isinstance(value, NUMBERS):
        if not math.isfinite(value):
            raise Misfit(f"{name} holds a number that is not finite")
        return float(value)
    if isinstance(value, (dt.date, UUID)):
        return label(name, value)
    raise Misfit(f"{name} holds {described(value)}, which JSON does not know")


def key_of(name: str, key: object) -> str:
    """Return the key of an object, which is text in JSON."""
    if not isinstance(key, str):
        raise Misfit(f"{name} has a key that is not text")
    return text(name, key)
