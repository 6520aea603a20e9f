"""Which days of the week a sentence speaks of, and which a key of data names."""

from collections.abc import Sequence

from plumbrule.support.word_lists import SupportWords


def days_said(said: Sequence[str], known: SupportWords, text: str) -> frozenset[str]:
    """Return the days of the week that a sentence speaks of, ranges filled in."""
    if known.every_day.search(text):
        return frozenset(known.days)
    found: set[str] = set()
    for one, other in known.dashed_days.findall(text):
        first, last = known.day_forms.get(one.removesuffix("s")), known.day_forms.get(other.removesuffix("s"))
        if first is not None and last is not None:
            found.update(_days_between(first, last, known))
    before: tuple[int, str] | None = None
    for index, lemma in enumerate(said):
        if lemma in known.day_spans:
            found.update(_days_between(*known.day_spans[lemma], known))
        if lemma not in known.days:
            continue
        found.add(lemma)
        if before is not None and index - before[0] == 2 and said[index - 1] in known.day_ranges:
            found.update(_days_between(before[1], lemma, known))
        before = index, lemma
    return frozenset(found)


def days_of_key(key: Sequence[str], known: SupportWords, *, dashed: bool) -> frozenset[str]:
    """Return the days that a key of data names and nothing beside: "Mon", "Monday to Friday", "weekdays"; else none."""
    if len(key) == 1 and key[0] in known.day_spans:
        return frozenset(_days_between(*known.day_spans[key[0]], known))
    between = known.day_ranges | known.day_joins
    named = [known.day_forms.get(lemma, "") for lemma in key if lemma not in between]
    if not all(named):
        return frozenset()
    if len(named) == 2 and (dashed or not known.day_ranges.isdisjoint(key)):
        return frozenset(_days_between(named[0], named[1], known))
    return frozenset(named)


def _days_between(first: str, last: str, known: SupportWords) -> list[str]:
    start, days = known.days.index(first), known.days
    return [days[(start + step) % len(days)] for step in range((days.index(last) - start) % len(days) + 1)]
