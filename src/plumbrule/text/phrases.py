"""Phrases and quotations in a text: found as whole words, whatever their case, spacing and apostrophes."""

import functools
import re
from collections.abc import Iterable, Iterator

# What opens and closes a quotation; a straight single quote only where no letter or figure touches it outside.
_QUOTATION = re.compile(
    r"“(?P<a>[^“”]{1,2000})”|\"(?P<b>[^\"\n]{1,2000})\"|«(?P<c>[^«»]{1,2000})»|„(?P<d>[^„“”]{1,2000})[“”]|"
    r"(?<!\w)‘(?P<e>[^‘\n]{1,2000}?)’(?!\w)|(?<!\w)'(?P<f>[^'\n]{1,2000})'(?!\w)|^[ \t]*>(?P<g>[^\n]{1,2000})$",
    re.MULTILINE,
)


def find_phrase(text: str, phrase: str) -> Iterator[re.Match[str]]:
    """Yield where a phrase stands in a text; ``*`` in it leaves out up to four words."""
    return _pattern(phrase).finditer(text)


def contains_any(text: str, phrases: Iterable[str]) -> re.Match[str] | None:
    """Return where the first of the phrases to come stands."""
    return _any_of(tuple(phrases)).search(text)


def opens_with(text: str, phrases: Iterable[str]) -> bool:
    """Tell whether a text begins with one of the phrases."""
    return _any_of(tuple(phrases)).match(text) is not None


def quotations(text: str) -> list[tuple[int, int]]:
    """Return the inside of every quotation, from where to where."""
    return [match.span(match.lastgroup or 0) for match in _QUOTATION.finditer(text)]


@functools.lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(_written(phrase), re.IGNORECASE)


@functools.lru_cache(maxsize=256)
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_written, phrases)) or r"(?!)", re.IGNORECASE)


def _written(phrase: str) -> str:
    parts = [
        r"(?:\w[\w'’-]*\s+){0,4}?" if word == "*" else re.escape(word).replace("'", "['’]") + r"\s+"
        for word in phrase.split()
    ]
    whole = "".join(parts).removesuffix(r"\s+")
    return rf"(?<!\w){whole}(?!\w)"
