"""Slips: an error put into a right answer by rule, at a place that is known.

A number or a name gives way to another one of the passages, two numbers change places, or a word gives way to its
opposite. An opposite alone would tell the label, so as often as it slips in an answer it changes places with its word
everywhere, and nothing becomes wrong.
"""

import random
import re
from collections.abc import Callable
from itertools import combinations

from training.verifier_swaps import Text, bounded, swap

OPPOSITES = (
    ("before", "after"), ("at least", "at most"), ("more than", "less than"), ("earlier", "later"), ("above", "below"),
    ("minimum", "maximum"), ("increase", "decrease"), ("includes", "excludes"), ("included", "excluded"),
    ("first", "last"), ("must", "may"), ("all", "some"), ("higher", "lower"), ("shorter", "longer"),
    ("buyer", "seller"), ("sent", "received"), ("employer", "employee"), ("landlord", "tenant"),
    ("sender", "recipient"), ("lender", "borrower"), ("days", "weeks"), ("hours", "minutes"), ("weeks", "months"),
    ("months", "years"), ("weekdays", "weekends"), ("adults", "children"), ("with", "without"), ("can", "cannot"),
    ("is", "is not"), ("are", "are not"), ("does", "does not"), ("open", "closed"), ("inside", "outside"),
    ("refundable", "non-refundable"), ("optional", "mandatory"), ("required", "not required"), ("both", "neither"),
    ("over", "under"), ("morning", "afternoon"), ("Monday", "Thursday"), ("Tuesday", "Friday"),
    ("Wednesday", "Saturday"), ("January", "March"), ("April", "June"), ("July", "September"), ("October", "December"),
    ("two", "three"), ("four", "five"), ("six", "ten"), ("half", "a third"), ("twice", "once"), ("old", "new"),
    ("manager", "director"), ("customer", "provider"), ("read", "write"), ("enabled", "disabled"),
    ("cheaper", "more expensive"), ("faster", "slower"), ("more", "fewer"), ("either", "neither"),
)  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.,])\d[\d,.:]*(?<![.,:])(?!\w)")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w-]{2,}")
_APART = re.compile(r"\b(?!(?:and|or|to|until)\b)[a-z]{2,}\b")  # says something of one of two values
_LONGER = 2  # characters by which the other value may be longer or shorter
_SHARE = 0.3  # of questions whose opposites change places everywhere


def vary_words(text: Text, rng: random.Random) -> Text:
    """Return the text with two opposites put for each other everywhere, in some texts; what reckons is left out."""
    if rng.random() >= _SHARE:
        return text
    all_words = " ".join((*text.contexts, *(answer for answer, _ in text.answers)))
    pairs = [pair for pair in OPPOSITES if any(bounded(word).search(all_words) for word in pair)]
    if not pairs:
        return text
    return swap(text, rng.choice(pairs))


def slip(text: Text, rng: random.Random) -> Text:
    """Return the text with one wrong answer more, made of a right one, where a rule finds something to change."""
    right = [answer for answer, is_right in text.answers if is_right]
    if not right:
        return text
    answer = rng.choice(right)
    passages = " ".join(text.contexts)
    ways = [_other_value(_NUMBER, passages), _other_value(_NAME, passages), _exchanged, _opposite]
    rng.shuffle(ways)
    for way in ways:
        made = way(answer, rng)
        if made and made != answer:
            place = rng.randrange(len(text.answers) + 1)
            answers = [*text.answers[:place], (made, False), *text.answers[place:]]
            return text._replace(answers=answers, reckoned=())
    return text


def _other_value(pattern: re.Pattern[str], passages: str) -> Callable[[str, random.Random], str | None]:
    def change(answer: str, rng: random.Random) -> str | None:
        known: list[str] = sorted(set(pattern.findall(passages)))
        places = [found for found in pattern.finditer(answer) if found[0] in known]
        if not places:
            return None
        place = rng.choice(places)
        others = [each for each in known if each not in answer and abs(len(each) - len(place[0])) <= _LONGER]
        if not others:
            return None
        return answer[: place.start()] + rng.choice(others) + answer[place.end() :]

    return change


def _exchanged(answer: str, rng: random.Random) -> str | None:
    """Let two numbers change places that are written alike and are not said of the same thing."""
    pairs = [
        (one, other)
        for one, other in combinations(_NUMBER.finditer(answer), 2)
        if one[0] != other[0] and len(one[0]) == len(other[0]) and _APART.search(answer, one.end(), other.start())
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return answer[: one.start()] + other[0] + answer[one.end() : other.start()] + one[0] + answer[other.end() :]


def _opposite(answer: str, rng: random.Random) -> str | None:
    pairs = [(one, other) for pair in OPPOSITES for one, other in (pair, pair[::-1])]
    rng.shuffle(pairs)
    for one, other in pairs:
        longer = one in other and bounded(other).search(answer)  # "is" of "is not" stands for itself alone
        places = [] if longer else list(bounded(one).finditer(answer))
        if places:
            place = rng.choice(places)
            return answer[: place.start()] + other + answer[place.end() :]
    return None
