"""Check what a sentence says of a key that data holds: whether it is so, and what its value is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from plumbrule.support.facts import Line
from plumbrule.support.weekdays import days_of_key, days_said
from plumbrule.support.word_lists import SupportWords, Truth
from plumbrule.text.dates import Date
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas
from plumbrule.text.values import Value, match_value
from plumbrule.text.work_limits import MOST_FACTS

_DASHED_KEY = re.compile(r"\"?\w+\s*(?:[-–—]|\\u201[34])")  # JSON may write a dash by its number
_WORD = re.compile(r"\w+")


class FactFindings(NamedTuple):
    """The facts that a sentence speaks against, in words: it says the opposite, what is not known, another value."""

    denied: tuple[str, ...]
    unknown: tuple[str, ...]
    other_value: tuple[str, ...]


class _Fact(NamedTuple):
    text: str
    key: tuple[str, ...]  # the lemmas that tell this key from the others
    head: str
    truth: Truth | None
    days: frozenset[str]  # that the key names, for the hours of a week
    shut: bool
    view: TextView


class FactSheet:
    """The facts of one context, ready to be asked."""

    def __init__(self, lines: Sequence[Line], known: SupportWords, text: str) -> None:
        self._known = known
        self._text = text
        named = [(line, tuple(lemmas(line.key))) for line in lines if line.key]
        counts: dict[str, int] = {}
        for key in sorted({key for _, key in named}):
            for lemma in dict.fromkeys(key):
                counts[lemma] = counts.get(lemma, 0) + 1
        truths: dict[tuple[str, ...], set[Truth | None]] = {}
        for line, key in named:
            truths.setdefault(key, set()).add(line.truth)
        self._facts = []
        for line, key in named:
            if not key or (line.truth is not None and len(truths[key]) > 1):
                continue  # said both ways under one name
            telling = tuple(lemma for lemma in key if counts[lemma] == 1) or key
            days, shut = self.days_of(line), line.value.casefold() in known.shut
            self._facts.append(_Fact(line.text, telling, key[-1], line.truth, days, shut, TextView(line.value)))
        self.days = frozenset[str]().union(*[fact.days for fact in self._facts])
        self._by_word: dict[str, list[int]] = {}  # that a sentence which speaks of the fact must have
        for index, fact in enumerate(self._facts):
            for word in {"".join(fact.key), fact.key[-1], fact.head, *fact.days}:
                self._by_word.setdefault(word, []).append(index)

    def days_of(self, line: Line) -> frozenset[str]:
        """Return the days that the key of a fact names; its words no longer have the dash of a range."""
        return days_of_key(lemmas(line.key), self._known, dashed=_DASHED_KEY.match(self._text, line.start) is not None)

    def check(self, said: Sequence[str], text: str, values: Sequence[Value], answer: str) -> FactFindings:
        """Compare a sentence, its lemmas, text and values, with the facts that it names."""
        places: dict[str, int] = {}
        for index, lemma in enumerate(said):
            places.setdefault(lemma.replace("-", ""), index)  # the lemma of "WiFi" is "wi-fi"
        for index, (one, following) in enumerate(pairwise(said)):
            places.setdefault(one + following, index)
        denied, unknown = self._against_truths(said, places)
        other = self._against_hours(said, text, values, answer) + self._against_numbers(said, places, values, answer)
        return FactFindings(tuple(denied), tuple(unknown), tuple(other))

    def _facts_with(self, words: Iterable[str]) -> list[_Fact]:
        """Return the facts that one of these words may speak of, in order; not more than can be looked at."""
        indexes = {index for word in words for index in self._by_word.get(word, ())[:MOST_FACTS]}
        return [self._facts[index] for index in sorted(indexes)]

    def _against_truths(self, said: Sequence[str], places: Mapping[str, int]) -> tuple[list[str], list[str]]:
        denied: list[str] = []
        unknown: list[str] = []
        for fact in self._facts_with(places):
            place = _place(fact.key, places) if fact.truth is not None else None
            if place is None:
                continue
            negated = _negated(said, place, len(fact.key), self._known)
            if fact.truth == "unknown":
                unknown += [] if negated else [fact.text]
            elif (fact.truth == "no") != negated:
                denied.append(fact.text)
        return denied, unknown

    def _against_hours(self, said: Sequence[str], text: str, values: Sequence[Value], answer: str) -> list[str]:
        known = self._known
        days = days_said(said, known, text.casefold())
        times = [value for value in values if isinstance(value, Date) and value.granularity == "time"]
        words = set(_WORD.findall(text.casefold()))
        denies = not known.negations.isdisjoint(said)
        says_shut = known.shut_said in words and not denies and (bool(times) or known.open_said not in words)
        return [
            fact.text
            for fact in self._facts_with(days)
            if fact.truth is None
            and not fact.days.isdisjoint(days)
            and _is_otherwise(fact, times, answer, says_shut=says_shut)
        ]

    def _against_numbers(
        self, said: Sequence[str], places: Mapping[str, int], values: Sequence[Value], answer: str
    ) -> list[str]:
        numbers = _by_first_lemma([value for value in values if not isinstance(value, Date)], answer)
        counted: dict[str, tuple[str, bool]] = {}
        near: dict[str, list[Value]] = {}  # the numbers near the head of a key
        reach = self._known.constants.fact_checks.near
        for fact in self._facts_with(places) if numbers else ():
            if fact.truth is not None or fact.days or fact.head not in places or not fact.view.values:
                continue
            if fact.head not in near:
                place = places[fact.head]
                beside = dict.fromkeys(said[max(0, place - reach) : place + reach + 1])
                near[fact.head] = [value for lemma in beside for value in numbers.get(lemma, ())]
            if near[fact.head]:
                text, hit = counted.get(fact.head, (fact.text, False))
                hit = hit or any(_among(value, fact.view, near[fact.head], answer) for value in fact.view.values)
                counted[fact.head] = text, hit
        return [text for text, hit in counted.values() if not hit]


def _is_otherwise(fact: _Fact, times: Sequence[Value], answer: str, *, says_shut: bool) -> bool:
    """Tell whether a sentence says other times of a day than the fact, or that it is shut where it is not."""
    hours = [value for value in fact.view.values if isinstance(value, Date)]
    if not times:  # from midnight to midnight may mean either
        return says_shut and len({fact.view.text[value.start : value.end] for value in hours}) > 1
    if fact.shut:
        return not says_shut
    enough = all if len(times) >= len(hours) else any  # "opens at nine" tells one end of the hours
    return bool(hours) and not enough([_among(value, fact.view, times, answer) for value in hours])


def _place(key: tuple[str, ...], places: Mapping[str, int]) -> int | None:
    whole = "".join(key)
    if whole in places:
        return places[whole]
    if all(lemma in places for lemma in key):
        return places[key[-1]]
    return None


def _negated(said: Sequence[str], place: int, size: int, known: SupportWords) -> bool:
    """Tell whether a denial reaches the word at ``place``: one before it in its statement, or one shortly after."""
    restarted = False
    for index in range(place - 1, -1, -1):
        lemma = said[index]
        if lemma in known.negations and not restarted:
            return True
        if lemma in known.turns or restarted:
            break
        restarted = lemma in known.restarts and not (index and said[index - 1] in known.negations)
    for index in range(place + 1, min(len(said), place + size + known.constants.fact_checks.denial_reach)):
        if said[index] in known.negations:
            return True
        if said[index] in known.turns or (said[index] in known.restarts and said[index] not in known.links):
            return False
    return False


def _among(value: Value, view: TextView, mine: Sequence[Value], answer: str) -> bool:
    return any(match_value(own, answer, value, view.text) is not None for own in mine)


def _by_first_lemma(values: Sequence[Value], answer: str) -> dict[str, list[Value]]:
    found: dict[str, list[Value]] = {}
    for value in values:
        for lemma in lemmas(answer[value.start : value.end])[:1]:
            found.setdefault(lemma, []).append(value)
    return found
