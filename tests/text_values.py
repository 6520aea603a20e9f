"""The numbers, or the dates, of a text: what many tests of reading them ask for."""

from plumbrule.text.dates import Date
from plumbrule.text.numbers import Number
from plumbrule.text.values import extract_values


def extract_numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text that are not a part of a date."""
    return tuple(value for value in extract_values(text) if isinstance(value, Number))


def extract_dates(text: str) -> tuple[Date, ...]:
    """Return the dates and times of a text."""
    return tuple(value for value in extract_values(text) if isinstance(value, Date))
