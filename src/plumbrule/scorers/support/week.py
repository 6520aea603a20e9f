"""Which days of the week a sentence speaks of, and which a key of data names."""

import re
from collections.abc import Sequence

from plumbrule.scorers.support.words import SupportWords
from plumbrule.text.tokens import lemmas

_DASHED = re.compile(r"(day)s?\s*[-–—]\s*(\w+day)")  # "Monday-Friday", of which the dash is no word
_RANGES = frozenset({"to", "through", "until", "thru"})


def days_said(said: Sequence[str], known: SupportWords, text: str) -> frozenset[str]:
    """Return the days of the week that a sentence speaks of, ranges filled in."""
    if any(phrase in text for phrase in known.every_day):
        return frozenset(known.days)
    if dashed := _DASHED.sub(r"\1 to \2", text) if _DASHED.search(text) else None:
        said = lemmas(dashed)
    found: set[str] = set()
    before, place = "", -9
    for index, lemma in enumerate(said):
        if lemma in known.day_spans:
            found.update(_days_between(*known.day_spans[lemma], known))
        if lemma not in known.days:
            continue
        found.add(lemma)
        if index - place == 2 and said[index - 1] in _RANGES:
            found.update(_days_between(before, lemma, known))
        before, place = lemma, index
    return frozenset(found)


def days_of_key(key: Sequence[str], known: SupportWords) -> frozenset[str]:
    """Return the days that a key of data names and nothing beside: "Mon", "Monday-Friday", "weekdays"; else none."""
    if len(key) == 1 and key[0] in known.day_spans:
        return frozenset(_days_between(*known.day_spans[key[0]], known))
    named = [known.day_forms.get(lemma) for lemma in key if lemma not in _RANGES]
    if not named or len(named) > 2 or None in named:
        return frozenset()
    return frozenset(_days_between(str(named[0]), str(named[-1]), known))


def _days_between(first: str, last: str, known: SupportWords) -> list[str]:
    start, days = known.days.index(first), known.days
    return [days[(start + step) % len(days)] for step in range((days.index(last) - start) % len(days) + 1)]
