"""Make sentences that a context supports, and ones that it does not, from the sentences of the context itself."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from plumbrule.support.word_lists import SupportWords
from plumbrule.text.text_view import TextView
from training.data import Labelled

_SHORTEST, _LONGEST = 6, 40  # words of a sentence worth changing
SOURCES = 500  # of each data set
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
_DROPPABLE = (
    re.compile(r"\s\([^()]*\)|\s(?:very|also|just|really|quite|actually|currently|then|even|now|still|already)(?=\s)"),
    re.compile(r"^[^,]{3,60},\s(?=\w)"),
    re.compile(r",\s(?:which|who|where|while|with|including|and|but|as|because|although)\s[^,]*[.]?$"),
)
_STRONGER = {
    " may ": " must ", " might ": " must ", " can ": " must ", " should ": " must ", " some ": " all ",
    " most ": " all ", " many ": " all ", " several ": " all ", " often ": " always ", " usually ": " always ",
    " sometimes ": " always ", " generally ": " always ",
}  # fmt: skip
_NEGATIONS = (" not ", " never ", " no ")


class Pair(NamedTuple):
    """A made sentence with the contexts it was made from."""

    data_set: str
    sentence: str
    contexts: tuple[str, ...]
    unsupported: bool
    how: str


def make_pairs(rows: Sequence[Labelled], known: SupportWords, *, each: int = 1) -> Iterator[Pair]:
    """Yield pairs from ``each`` sentences of up to some hundred sources of each data set; the same each time."""
    by_set: dict[str, dict[str, Labelled]] = {}
    for row in rows:
        if not row.contexts[0].lstrip().startswith("{"):
            by_set.setdefault(row.data_set, {}).setdefault(row.source, row)
    for data_set in sorted(by_set):
        chosen = [by_set[data_set][source] for source in sorted(by_set[data_set])]
        random.Random(data_set).shuffle(chosen)  # noqa: S311 - no secret
        for row in chosen[:SOURCES]:
            yield from _Maker(row, known).pairs(each)


class _Maker:
    """The sentences made from one source."""

    def __init__(self, row: Labelled, known: SupportWords) -> None:
        self._row, self._known = row, known
        self._rng = random.Random(row.id)  # noqa: S311
        self._names = [*sorted(set(_NAME.findall(row.source))), *_OTHER_NAMES]

    def pairs(self, each: int) -> Iterator[Pair]:
        sentences = [
            context[sentence.start : sentence.end]
            for context in self._row.contexts
            for sentence in TextView(context).sentences
        ]
        usable = [text for text in sentences if _SHORTEST <= len(text.split()) <= _LONGEST and "\n" not in text]
        for _ in range(each if usable else 0):
            yield from self._pairs_of(self._rng.choice(usable))

    def _pairs_of(self, text: str) -> Iterator[Pair]:
        for how, said in (
            ("reworded", self._reworded(text, 1)),
            ("reworded", self._reworded(text, 2)),
            ("shortened", self._shortened(text)),
            ("shortened", self._shortened(self._reworded(text, 1))),
        ):
            if said != text:
                yield Pair(self._row.data_set, said, self._row.contexts, unsupported=False, how=how)
        changes: dict[str, Callable[[str], str | None]] = {
            "number": self._number,
            "name": self._name,
            "roles": self._roles,
            "negation": self._negation,
            "opposite": self._opposite,
            "noun": self._noun,
            "strength": self._strength,
        }
        for how, change in changes.items():
            changed = change(text)
            if changed is not None and changed != text:
                said = self._reworded(changed, self._rng.choice((0, 0, 1, 2)))
                yield Pair(self._row.data_set, said, self._row.contexts, unsupported=True, how=how)

    def _reworded(self, text: str, count: int) -> str:
        """Say it with other verbs: what people do when they tell the same again."""
        thesaurus = self._known.thesaurus
        for _ in range(count):
            choices = [
                (lemma, start, end)
                for lemma, start, end in self._words(text)
                if thesaurus.synonyms(lemma) and thesaurus.kind(lemma) == "v"
            ]
            if choices:
                lemma, start, end = self._rng.choice(choices)
                text = _replaced(text, start, end, self._rng.choice(thesaurus.synonyms(lemma)))
        return text

    def _shortened(self, text: str) -> str:
        """Leave out what can be left out: words in brackets, an adverb, the first clause or the last."""
        cuts = [found.span() for pattern in _DROPPABLE for found in pattern.finditer(text)]
        if not cuts:
            return text
        start, end = self._rng.choice(cuts)
        said = (text[:start] + text[end:]).rstrip(".") + "."
        return said[0].upper() + said[1:] if len(said.split()) >= _SHORTEST - 1 else text

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
        if text[start:end].casefold() == text[later:last].casefold():
            return None
        if text[end:later].strip(" ,&-") in {"", "and", "or"}:  # one name, or a list that says the same in any order
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

    def _strength(self, text: str) -> str | None:
        """Make it claim more than it does."""
        found = [word for word in _STRONGER if word in text]
        if not found:
            return None
        word = self._rng.choice(found)
        return text.replace(word, _STRONGER[word], 1)

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
    for ending in ("ing", "ed", "s"):
        if old.endswith(ending) and not word.endswith(ending):
            word = (word[:-1] if word.endswith("e") and ending != "s" else word) + ending
            break
    return f"{text[:start]}{word}{text[end:]}"
