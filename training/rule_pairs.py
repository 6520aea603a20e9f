"""Make sentences that a context supports, and ones that it does not, from the sentences of the context itself."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from plumbrule.scorers.support.words import SupportWords
from plumbrule.text.view import TextView
from training.data import Labelled

_SHORTEST, _LONGEST = 6, 40  # words of a sentence worth changing
_SOURCES = 500  # of each data set
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
_OTHER_NAMES = ("Henderson", "Brazil", "Oxford", "Microsoft")
_AUXILIARIES = (
    " is ",
    " are ",
    " was ",
    " were ",
    " will ",
    " can ",
    " has ",
    " have ",
    " would ",
    " could ",
    " must ",
)
_NEGATIONS = (" not ", " never ", " no ")


class Pair(NamedTuple):
    """A made sentence with the contexts it was made from."""

    data_set: str
    sentence: str
    contexts: tuple[str, ...]
    unsupported: bool
    how: str


def make_pairs(rows: Sequence[Labelled], known: SupportWords) -> Iterator[Pair]:
    """Yield pairs from up to some hundred sources of each data set; the same each time."""
    by_set: dict[str, dict[str, Labelled]] = {}
    for row in rows:
        if not row.contexts[0].lstrip().startswith("{"):
            by_set.setdefault(row.data_set, {}).setdefault(row.source, row)
    for data_set in sorted(by_set):
        chosen = [by_set[data_set][source] for source in sorted(by_set[data_set])]
        random.Random(data_set).shuffle(chosen)  # noqa: S311 - no secret
        for row in chosen[:_SOURCES]:
            yield from _Maker(row, known).pairs()


class _Maker:
    """The sentences made from one source."""

    def __init__(self, row: Labelled, known: SupportWords) -> None:
        self._row, self._known = row, known
        self._rng = random.Random(row.id)  # noqa: S311
        self._names = [*sorted(set(_NAME.findall(row.source))), *_OTHER_NAMES]

    def pairs(self) -> Iterator[Pair]:
        sentences = [
            context[sentence.start : sentence.end]
            for context in self._row.contexts
            for sentence in TextView(context).sentences
        ]
        usable = [text for text in sentences if _SHORTEST <= len(text.split()) <= _LONGEST and "\n" not in text]
        if not usable:
            return
        text = self._rng.choice(usable)
        for count in (1, 1, 2, 3):
            said = self._reworded(text, count)
            if said != text:
                yield Pair(self._row.data_set, said, self._row.contexts, unsupported=False, how="reworded")
        changes: dict[str, Callable[[str], str | None]] = {
            "number": self._number,
            "name": self._name,
            "roles": self._roles,
            "negation": self._negation,
            "opposite": self._opposite,
            "noun": self._noun,
        }
        for how, change in changes.items():
            changed = change(text)
            if changed is not None and changed != text:
                said = self._reworded(changed, self._rng.choice((0, 0, 1, 2)))
                yield Pair(self._row.data_set, said, self._row.contexts, unsupported=True, how=how)

    def _reworded(self, text: str, count: int) -> str:
        """Say it with synonyms, verbs first: what people do when they tell the same again."""
        thesaurus = self._known.thesaurus
        for _ in range(count):
            choices = [
                (lemma, start, end)
                for lemma, start, end in self._words(text)
                if thesaurus.synonyms(lemma) and (thesaurus.kind(lemma) == "v" or self._rng.random() < 0.4)
            ]
            if choices:
                lemma, start, end = self._rng.choice(choices)
                text = _replaced(text, start, end, self._rng.choice(thesaurus.synonyms(lemma)))
        return text

    def _number(self, text: str) -> str | None:
        values = [v for v in TextView(text).values if not v.weak and any(map(str.isdigit, text[v.start : v.end]))]
        if not values:
            return None
        value = self._rng.choice(values)
        digits = [place for place in range(value.start, value.end) if text[place].isdigit()]
        place = self._rng.choice(digits)
        digit = (int(text[place]) + self._rng.randint(1, 8)) % 10
        return f"{text[:place]}{digit}{text[place + 1 :]}"

    def _capitals(self, text: str) -> list[tuple[int, int]]:
        view = TextView(text)
        return [(start, end) for start, end in zip(*view.spans, strict=True) if start and text[start].isupper()]

    def _name(self, text: str) -> str | None:
        places = self._capitals(text)
        others = [name for name in self._names if name not in text]
        if not places or not others:
            return None
        start, end = self._rng.choice(places)
        return f"{text[:start]}{self._rng.choice(others)}{text[end:]}"

    def _roles(self, text: str) -> str | None:
        places = self._capitals(text)
        if len(places) < 2:
            return None
        (start, end), (later, last) = sorted(self._rng.sample(places, 2))
        if end + 1 >= later or text[start:end].casefold() == text[later:last].casefold():
            return None
        return f"{text[:start]}{text[later:last]}{text[end:later]}{text[start:end]}{text[last:]}"

    def _negation(self, text: str) -> str | None:
        for word in _NEGATIONS:
            if word in text:
                return text.replace(word, " ", 1)
        for word in _AUXILIARIES:
            if word in text:
                return text.replace(word, f"{word}not ", 1)
        return None

    def _opposite(self, text: str) -> str | None:
        found = [
            (opposites, start, end)
            for lemma, start, end in self._words(text)
            if (opposites := sorted({*self._known.antonyms.get(lemma, ()), *self._known.thesaurus.antonyms(lemma)}))
        ]
        if not found:
            return None
        opposites, start, end = self._rng.choice(found)
        return _replaced(text, start, end, self._rng.choice(opposites))

    def _noun(self, text: str) -> str | None:
        """Put a noun of another sentence of the source in a noun's place: another relation."""
        mine = [place for place in self._words(text) if self._is_noun(place[0])]
        said = {lemma for lemma, _, _ in self._words(text)}
        others = sorted({lemma for lemma, _, _ in self._words(self._row.source[:5_000]) if self._is_noun(lemma)} - said)
        if not mine or not others:
            return None
        _, start, end = self._rng.choice(mine)
        return _replaced(text, start, end, self._rng.choice(others))

    def _is_noun(self, lemma: str) -> bool:
        return lemma in self._known.thesaurus and self._known.thesaurus.kind(lemma) == "-"

    def _words(self, text: str) -> list[tuple[str, int, int]]:
        view = TextView(text)
        return [
            (lemma, start, end)
            for lemma, start, end in zip(view.lemmas, *view.spans, strict=True)
            if lemma not in self._known.stop and text[start:end].islower()
        ]


def _replaced(text: str, start: int, end: int, word: str) -> str:
    """Put a word in another's place with the other's ending."""
    old = text[start:end]
    for ending, joined in (("ing", "ing"), ("ed", "ed"), ("s", "s")):
        if old.endswith(ending) and not word.endswith(ending):
            word = (word[:-1] if word.endswith("e") and ending != "s" else word) + joined
            break
    return f"{text[:start]}{word}{text[end:]}"
