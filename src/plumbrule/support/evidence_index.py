"""The ground an answer stands on: its contexts cut into units, sentences or facts, that can be looked up by word."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import log
from typing import NamedTuple

from plumbrule.support.fact_checks import FactSheet
from plumbrule.support.facts import read_facts
from plumbrule.support.word_lists import SupportWords
from plumbrule.text.text_view import TextView, TextViews
from plumbrule.text.tokens import lemmas, words
from plumbrule.text.values import Value
from plumbrule.text.word_places import WordPlaces
from plumbrule.text.work_limits import MOST_FORMS, MOST_PLACES, MOST_WINDOWS


class Window(NamedTuple):
    """A run of units of one context."""

    first: int
    last: int  # inclusive


class Passage:
    """One context: its units, the lemmas of each, and its facts where it is data."""

    def __init__(self, view: TextView, known: SupportWords) -> None:
        facts = read_facts(view.text, known)
        if facts is None:
            self.view = view
            self.places = [(sentence.start, sentence.end) for sentence in view.sentences]
            self.cuts = self.places
        else:  # read as the text that the facts make, and told by their places in the data
            self.view = TextView("\n".join([fact.text for fact in facts]))
            self.places = [(fact.start, fact.end) for fact in facts]
            self.cuts = []
            start = 0
            for fact in facts:
                self.cuts.append((start, start + len(fact.text)))
                start += len(fact.text) + 1
        self.sheet = FactSheet(facts, known, view.text) if facts else None
        ranges = [self.view.words_between(start, end) for start, end in self.cuts]
        self.units = [frozenset(self.view.lemmas[first:last]) for first, last in ranges]
        self.lemmas = self.view.lemma_set
        if facts:  # a sentence may write a key as one word
            size = known.constants.ground.joined_key_words
            joined = [_joined(fact.key, size) | self.sheet.days_of(fact) for fact in facts] if self.sheet else []
            self.units = [unit | key for unit, key in zip(self.units, joined, strict=True)]
            self.lemmas = self.lemmas.union(*joined)
        self.where = WordPlaces([unit - known.stop for unit in self.units], stem=known.constants.ground.stem)
        self._known = known
        self._names: Names | None = None

    @property
    def names(self) -> "Names":
        """The names that the context has."""
        if self._names is None:
            self._names = Names(self.view.text, self._known)
        return self._names


def read_passage(view: TextView, known: SupportWords) -> Passage:
    """Return the passage that a context makes; a view keeps it."""
    return Passage(view, known)


class UnitsByWord:
    """Which units of all contexts have each word that is no stop word, worked out for the words that are asked for."""

    def __init__(self, passages: Sequence[tuple[int, Passage]]) -> None:
        self._passages = passages  # each with the place of its first unit
        self._units: dict[str, list[int]] = {}

    def __contains__(self, lemma: str) -> bool:
        return bool(self.get(lemma))

    def get(self, lemma: str, _: object = None) -> list[int]:
        """Return the units that have a word; none where no context has it."""
        known = self._units.get(lemma)
        if known is None:
            known = self._units[lemma] = [
                base + unit for base, passage in self._passages for unit in passage.where.get(lemma)
            ]
        return known


class Ground:
    """All contexts of an answer as one row of units."""

    def __init__(self, contexts: Sequence[TextView], known: SupportWords) -> None:
        self.passages = [view.by(read_passage, known) for view in contexts]
        self.units: list[frozenset[str]] = []
        self._bases: list[int] = []
        for passage in self.passages:
            self._bases.append(len(self.units))
            self.units += passage.units
        self.where = UnitsByWord([*zip(self._bases, self.passages, strict=True)])
        self.lemmas = frozenset[str]().union(*[passage.lemmas for passage in self.passages])
        self.sheets = [passage.sheet for passage in self.passages if passage.sheet is not None]
        self.days = frozenset[str]().union(*[sheet.days for sheet in self.sheets])  # that the keys of data name
        self.views = TextViews(passage.view for passage in self.passages)
        self._known = known
        self._constants = known.constants.ground
        self._written_as = known.written_as
        self._weights: dict[str, float] = {}
        self._windows: dict[tuple[tuple[str, float], ...], Window | None] = {}
        self._sequences: dict[int, list[str]] = {}
        self._window_lemmas: dict[Window, frozenset[str]] = {}  # the sentences of an answer ask for the same ones

    def has_name(self, word: str) -> bool:
        """Tell whether a name, or a part of one, stands in a context, in full or as it is written in capitals."""
        folded = bare(word)
        short = self._written_as.get(folded)
        return any(
            passage.names.has(word, folded) or (short is not None and short in passage.names.shouted)
            for passage in self.passages
        )

    def abbreviates(self, parts: Sequence[str]) -> bool:
        """Tell whether a context has the initials of a name of several words."""
        if len(parts) < self._constants.least_initials:
            return False
        initials = "".join([part[0].casefold() for part in parts])
        return any(initials in passage.names.capitals for passage in self.passages)

    def weight(self, lemma: str) -> float:
        """Return how much a lemma tells: the fewer units have it, the more."""
        known = self._weights.get(lemma)
        if known is None:
            smoothing = self._constants.rarity_smoothing
            known = log(1.0 + (len(self.units) + smoothing) / (smoothing + len(self.where.get(lemma))))
            self._weights[lemma] = known
        return known

    def alike(self, lemma: str) -> str | None:
        """Return the word of the contexts that looks most like another form of ``lemma``."""
        stem = self._constants.stem
        if len(lemma) < stem:
            return None
        best: tuple[int, str] | None = None
        share = self._constants.form_share
        begun = dict.fromkeys([known for passage in self.passages for known in passage.where.beginning(lemma[:stem])])
        for known in islice(begun, MOST_FORMS):
            shorter = min(len(lemma), len(known))
            common = _common(lemma, known, stem, shorter)
            if common >= share * shorter and (best is None or (-common, known) < best):
                best = (-common, known)
        return best[1] if best else None

    def best_window(self, wanted: Mapping[str, float]) -> Window | None:
        """Return the run of units that has most of these lemmas by weight, the first of equals."""
        key = tuple(wanted.items())
        if key in self._windows:  # an answer that repeats itself asks the same again and again
            return self._windows[key]
        found = self._find_window(wanted)
        if len(self._windows) < MOST_WINDOWS:
            self._windows[key] = found
        return found

    def _find_window(self, wanted: Mapping[str, float]) -> Window | None:
        scores: dict[int, float] = {}
        for lemma, units in self._telling(wanted):
            weight = wanted[lemma]
            for unit in units:
                scores[unit] = scores.get(unit, 0.0) + weight
        best: tuple[float, Window] | None = None
        for unit in _highest(scores, self._constants.candidates):
            window = self._around(unit)
            have = self.lemmas_of(window)
            covered = -sum([weight for lemma, weight in wanted.items() if lemma in have])
            if best is None or (covered, window) < best:
                best = covered, window
        return best[1] if best else None

    def _telling(self, wanted: Iterable[str]) -> list[tuple[str, list[int]]]:
        """Return these lemmas with the units that have them; of endless contexts the rarest, which tell most."""
        present = [(lemma, units) for lemma in wanted if (units := self.where.get(lemma))]
        if sum([len(units) for _, units in present]) <= MOST_PLACES:
            return present
        telling: list[tuple[str, list[int]]] = []
        left = MOST_PLACES
        for lemma, units in sorted(present, key=lambda found: len(found[1])):
            telling.append((lemma, units[:left]))
            left -= len(telling[-1][1])
        return telling

    def trimmed(self, window: Window, wanted: Mapping[str, float]) -> Window:
        """Return a window without the units at its ends that have none of these lemmas of their own."""
        first, last = window
        while first < last:
            inner = self.lemmas_of(Window(first + 1, last))
            if not wanted.keys() & self.units[first] <= inner:
                break
            first += 1
        while first < last:
            inner = self.lemmas_of(Window(first, last - 1))
            if not wanted.keys() & self.units[last] <= inner:
                break
            last -= 1
        return Window(first, last)

    def lemmas_of(self, window: Window) -> frozenset[str]:
        """Return the lemmas of a window."""
        known = self._window_lemmas.get(window)
        if known is None:
            known = frozenset[str]().union(*self.units[window.first : window.last + 1])
            if len(self._window_lemmas) < MOST_WINDOWS:
                self._window_lemmas[window] = known
        return known

    def sequence(self, unit: int) -> list[str]:
        """Return the lemmas of a unit in their order."""
        known = self._sequences.get(unit)
        if known is None:
            view, first, last = self._words_of(unit)
            known = view.lemmas[first:last]
            if len(self._sequences) < MOST_WINDOWS:
                self._sequences[unit] = known
        return known

    def written(self, unit: int, place: int) -> str:
        """Return a word of a unit as it is written, by its place in the unit's sequence."""
        view, first, _ = self._words_of(unit)
        return view.text[view.spans[0][first + place] : view.spans[1][first + place]]

    def is_data(self, unit: int) -> bool:
        """Tell whether a unit is a fact rather than a sentence."""
        return self.passages[self._owner(unit)].sheet is not None

    def view_of(self, window: Window) -> TextView:
        """Return the text that a window is a part of."""
        return self.passages[self._owner(window.first)].view

    def values_of(self, window: Window) -> tuple[Value, ...]:
        """Return the numbers and dates of a window."""
        view, start, end = self._cut(window)
        return view.values_between(start, end)

    def text_of(self, window: Window) -> str:
        """Return the text of a window, facts as they are read."""
        view, start, end = self._cut(window)
        return view.text[start:end]

    def place(self, window: Window) -> tuple[int, int, int]:
        """Return the context of a window, and where in it the window begins and ends."""
        owner = self._owner(window.first)
        places, base = self.passages[owner].places, self._bases[owner]
        return owner, places[window.first - base][0], places[window.last - base][1]

    def _cut(self, window: Window) -> tuple[TextView, int, int]:
        """Return the text that a window is a part of, and where in it the window begins and ends."""
        owner = self._owner(window.first)
        passage, base = self.passages[owner], self._bases[owner]
        return passage.view, passage.cuts[window.first - base][0], passage.cuts[window.last - base][1]

    def _around(self, unit: int) -> Window:
        owner = self._owner(unit)
        first = self._bases[owner]
        last = first + len(self.passages[owner].units) - 1
        reach = self._constants.reach
        return Window(max(first, unit - reach), min(last, unit + reach))

    def _words_of(self, unit: int) -> tuple[TextView, int, int]:
        """Return the text that a unit is a part of, and the range of its words there."""
        owner = self._owner(unit)
        passage = self.passages[owner]
        return passage.view, *passage.view.words_between(*passage.cuts[unit - self._bases[owner]])

    def _owner(self, unit: int) -> int:
        """Return the context that a unit stands in; one without units has the same base as the next."""
        return bisect_left(self._bases, unit + 1) - 1


def _highest(scores: Mapping[int, float], count: int) -> list[int]:
    """Return the units with the highest scores, the first of equals first."""
    return [unit for _, unit in sorted([(-score, unit) for unit, score in scores.items()])[:count]]


def _joined(key: str, size: int) -> frozenset[str]:
    """Return the lemma of a key of so many words written as one: "WiFi"."""
    return frozenset(lemmas(key.replace(" ", ""))) if key.count(" ") == size - 1 else frozenset()


def _common(one: str, other: str, stem: int, shorter: int) -> int:
    """Return how many letters two words share that share so many at least."""
    for index in range(stem, shorter):
        if one[index] != other[index]:
            return index
    return shorter


class Names:
    """The capitalised words of a text; the initials that runs of them make are read when they are asked for."""

    def __init__(self, text: str, known: SupportWords) -> None:
        self._text, self._known = text, known
        surface = set(words(text))
        names = [word for word in surface if word[0].isupper()]
        self.capitals = {bare(word) for word in names}
        self.shouted = {word for word in names if word.isupper()}
        self._plain = surface.difference(names)
        self._beginnings: set[tuple[str, int]] | None = None
        self._initials: set[str] | None = None

    def has(self, word: str, folded: str) -> bool:
        """Tell whether a name, or a part of one, stands in the text: also its initials, and "Chinese" for "China".

        ``folded`` is the bare word.
        """
        if folded in self.capitals or folded in self._plain:
            return True
        if word.isupper() and folded in self._read_initials():
            return True
        constants = self._known.constants.ground
        stem, most = constants.name_stem, constants.name_difference
        if len(folded) < stem:
            return False
        if self._beginnings is None:
            self._beginnings = {(name[:stem], len(name)) for name in self.capitals}
        head, size = folded[:stem], len(folded)
        return any((head, length) in self._beginnings for length in range(size - most, size + most + 1))

    def _read_initials(self) -> set[str]:
        if self._initials is None:
            constants, joins = self._known.constants.ground, self._known.name_joins
            self._initials = set()
            kept = 1 - constants.longest_name
            run: list[str] = []
            before = -1
            surface = words(self._text)
            for place in [place for place, word in enumerate(surface) if word[0].isupper()]:
                if place > before + 1 and not joins.issuperset(surface[before + 1 : place]):
                    run = []
                run = [*run[kept:], bare(surface[place])[0]]
                for size in range(constants.least_initials, len(run) + 1):
                    self._initials.add("".join(run[-size:]))
                before = place
        return self._initials


def bare(word: str) -> str:
    """Return a word in lower case without its possessive ending."""
    return word.casefold().removesuffix("'s").removesuffix("’s")
