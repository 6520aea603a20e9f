"""Slips: an error put into a right answer, or into a sentence of the passages, by rule, at a place that is known.

A number or a name gives way to another one of the passages, two of them change places, or a word gives way to its
opposite. An opposite alone would tell the label, so as often as it slips in an answer it changes places with its word
everywhere, and nothing becomes wrong. What stands under a heading, or in a row of a table, is said of another one.
"""

import random
import re
from collections.abc import Callable, Sequence
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
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_UNDER = re.compile(
    r"(?:^|(?<=[.;] )|(?<=\n))[-*\s]*([A-Z(\"'][^.:;|\n]{1,45}): ((?:[^.:;|\n]|[.:](?=\d)){3,80})(?=[.;](?:\s|$)|\n|$)"
)
_TOGETHER = re.compile(r"\s*(?:,|and|or|to|until|–|-|/|&|\s)*\s*")  # between what is said of two alike
_WORD = re.compile(r"[a-z]{2}")
_WHOLE = re.compile(r"[A-Z][^|]*[.!?]")
_COPIED = (6, 40)  # words of a sentence of the passages that is copied
_LONGER = 2  # characters by which the other value may be longer or shorter
_FROM_LISTS = 0.7  # of what is copied out of passages with headings or tables
_LEAST_LISTED = 3
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
    made = _wrong(answer, passages, rng)
    return _with(text, [(made, False)], rng) if made else text


def copy_out(text: Text, rng: random.Random) -> Text:
    """Return the text with two answers more: what the passages say word for word, and the same with an error.

    They are a sentence, or what stands under a heading or in a row of a table, if the passages have such things.
    """
    listed = _listed(text.contexts)
    if listed and rng.random() < _FROM_LISTS:
        pairs = _crossed(listed, rng)
        return _with(text, pairs, rng)
    sentences = [each.strip() for context in text.contexts for each in _SENTENCE.split(context)]
    least, most = _COPIED
    sentences = [each for each in sentences if least <= len(each.split()) <= most and _WHOLE.fullmatch(each)]
    if not sentences:
        return text
    copied = rng.choice(sentences)
    made = _wrong(copied, " ".join(text.contexts), rng)
    return _with(text, [(copied, True), (made, False)], rng) if made else text


def _with(text: Text, more: Sequence[tuple[str, bool]], rng: random.Random) -> Text:
    """Return the text with some answers more, at any place; it is no longer known which ones reckon."""
    answers = list(text.answers)
    for each in more:
        answers.insert(rng.randrange(len(answers) + 1), each)
    return text._replace(answers=answers, reckoned=())


def _wrong(answer: str, passages: str, rng: random.Random) -> str | None:
    """Return what is right with an error, where a rule finds something to change."""
    ways = [
        _other_value(_NUMBER, passages), _other_value(_NAME, passages), _exchanged(_NUMBER), _exchanged(_NAME),
        _opposite,
    ]  # fmt: skip
    rng.shuffle(ways)
    for way in ways:
        made = way(answer, rng)
        if made and made != answer and made not in passages:
            return made
    return None


def _exchanged(pattern: re.Pattern[str]) -> Callable[[str, random.Random], str | None]:
    """Return a rule by which two values change places that are not said of the same thing."""

    def change(answer: str, rng: random.Random) -> str | None:
        found = list(pattern.finditer(answer))
        pairs = [
            (one, other)
            for one, other in combinations(found, 2)
            if one[0] != other[0] and abs(len(one[0]) - len(other[0])) <= 1 and _apart(answer, one, other)
        ]
        if not pairs:
            return None
        one, other = rng.choice(pairs)
        between = answer[one.end() : other.start()]
        return answer[: one.start()] + other[0] + between + one[0] + answer[other.end() :]

    return change


def _apart(answer: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Tell whether what stands between two values says something, so that they are not two of one list or name."""
    between = answer[one.end() : other.start()]
    return _WORD.search(between) is not None and not _TOGETHER.fullmatch(between)


def _listed(contexts: Sequence[str]) -> list[tuple[str, str]]:
    """Return what the passages say under headings and in rows of tables: of what, and what."""
    found = []
    for context in contexts:
        rows = [
            [cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in context.splitlines()
            if line.count("|") > 1 and not set(line) <= set("|-: ")
        ]
        if len(rows) >= _LEAST_LISTED and len({len(row) for row in rows}) == 1:
            head, *body = rows
            found += [
                (f"{row[0]}, {name}", cell)
                for row in body
                for name, cell in zip(head[1:], row[1:], strict=True)
                if row[0] and name and cell
            ]
        found += [(of, said) for of, said in _UNDER.findall(context) if of.lower() not in said.lower()]
    return found if len(found) >= _LEAST_LISTED else []


def _crossed(listed: Sequence[tuple[str, str]], rng: random.Random) -> list[tuple[str, bool]]:
    """Return what is said of a thing, and the same said of another."""
    known = {of: {said for other, said in listed if other == of} for of, _ in listed}
    of, said = rng.choice(listed)
    form = rng.choice(("{}: {}.", "For {} it is {}.", "{} – {}", "{1} ({0})", "According to the text, {}: {}."))
    others = [other for other in known if said not in known[other] and other != of]
    if not others:
        return []
    return [(form.format(of, said), True), (form.format(rng.choice(others), said), False)]


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
