"""What each value of the contexts is of: the words beside it, by weight."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import log
from typing import Protocol

from plumbrule.support.binding.binding_words import BindingConstants, BindingWords
from plumbrule.support.binding.mentions import (
    CITATION,
    Mention,
    comparable,
    compared_sorts,
    find_mentions,
    implied_dates,
    sort_of,
    with_unit,
)
from plumbrule.support.binding.places import Place, read_places
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas, spans
from plumbrule.text.word_places import WordPlaces
from plumbrule.text.work_limits import FEW_SLOTS, MOST_BOUND_FORMS, MOST_FORMS

_SEGMENT = re.compile(r"[,;:()–—]|\s-\s|\b(?:and|but|or|while|whereas|plus)\b")
_ASKED_RANGE = re.compile(r"\b(\d+)\s*(?:-|–|to|and)\s*(\d+)\b")

Weights = dict[str, float]
Words = tuple[list[str], list[int], list[int]]  # lemmas, and where each word starts and ends


class Piece:
    """A stretch of text with its lemmas, the segments they stand in, and its mentions.

    Only the first of very many mentions are bound; the others are mentions all the same, not words that say what a
    value is of.
    """

    def __init__(self, text: str, known: BindingWords, words: Words | None = None) -> None:
        self.text = text
        self._known = known
        markers = [marker.span() for marker in CITATION.finditer(text)] if "[" in text or "【" in text else []
        self.lemmas, self.starts, self.ends = words if words is not None else (lemmas(text), *spans(text))
        if markers:  # a citation marker says nothing of its own
            kept = [
                at for at, start in enumerate(self.starts) if not any(first <= start < last for first, last in markers)
            ]
            self.lemmas, self.starts, self.ends = (
                [self.lemmas[at] for at in kept], [self.starts[at] for at in kept], [self.ends[at] for at in kept]
            )  # fmt: skip
        stop = known.stop
        self.content = [lemma for lemma in self.lemmas if lemma not in stop]
        self.signs = 0  # read with the mentions
        self._all_mentions: list[Mention] | None = None  # read once; most cells of a table are never asked for theirs
        self._parts: _Parts | None = None

    @property
    def mentions(self) -> list[Mention]:
        """The values that are bound."""
        return self._find_mentions()[: self._known.constants.most_mentions]

    def _find_mentions(self) -> list[Mention]:
        if self._all_mentions is None:
            self.signs = self._known.signs.of(self.text)
            self._all_mentions = find_mentions(self.text, self._known, self.signs)
        return self._all_mentions

    def _read(self) -> "_Parts":
        """Return the segments, read once: most pieces are never asked for theirs."""
        if self._parts is None:
            self._parts = _Parts(self, self._find_mentions(), self._known.stop)
        return self._parts

    def denies(self) -> bool:
        """Tell whether any word denies something."""
        known = self._known
        return any(lemma in known.negative or "deny" in known.classes.get(lemma, ()) for lemma in self.lemmas)

    def words_of(self, mention: Mention) -> Weights:
        """Return the words that say what a value is of: where there are several, the nearer the more."""
        constants, parts = self._known.constants, self._read()
        others = [other for other in self._find_mentions() if other is not mention and comparable(mention, other)]
        if not others:
            return dict.fromkeys([lemma for lemma, _, within in parts.words if within is not mention], 1.0)
        here = bisect_left(parts.cuts, mention.start)
        shared = self._head_end(min([mention, *others], key=lambda each: each.start))
        weights = [
            1.0 / (1.0 + constants.segment_decay * abs(segment - here))
            * (constants.later_share if segment > here else 1.0)
            for segment in range(len(parts.cuts) + 1)
        ]  # fmt: skip
        found: Weights = {}
        taken = {id(each) for each in (mention, *others)}
        for (lemma, start, within), segment in zip(parts.words, parts.segments, strict=True):
            if id(within) not in taken:
                weight = weights[segment] if start >= shared else 1.0
                if weight > found.get(lemma, -1.0):
                    found[lemma] = weight
        return found

    def _head_end(self, first: Mention) -> int:
        """Return where the words end that head all values of a sentence: "The fee is £85 on weekdays and £120 …".

        Where a label stands before its value ("adults £9, children £5"), no words head all of them.
        """
        parts = self._read()
        segment = bisect_left(parts.cuts, first.start)
        for (_, start, _), place in zip(parts.words, parts.segments, strict=True):
            if start >= first.end and place == segment:  # labelled
                return first.start
        return 0


class _Parts:
    """The words of a piece that are no stop words, and the segments that its marks and conjunctions cut it into.

    Each word is told with where it starts and the mention, if it stands in one. The segments are read where a piece
    has several values that can be compared.
    """

    def __init__(self, piece: Piece, mentions: Sequence[Mention], stop: Collection[str]) -> None:
        starts, ends = piece.starts, piece.ends
        within: list[Mention | None] = [None] * len(starts)
        for mention in reversed(mentions):  # of two that a word stands in, the first
            first, last = bisect_right(ends, mention.start), bisect_left(starts, mention.end)
            within[first:last] = [mention] * (last - first)
        self._text, self._mentions = piece.text, mentions
        self.words = [word for word in zip(piece.lemmas, starts, within, strict=True) if word[0] not in stop]

    @cached_property
    def cuts(self) -> list[int]:
        """Where one segment ends and the next begins."""
        mentions = self._mentions
        mention_ends = [mention.end for mention in mentions]
        cuts = []
        for start, end in [mark.span() for mark in _SEGMENT.finditer(self._text)]:
            index = bisect_right(mention_ends, start)
            if index == len(mentions) or mentions[index].start >= end:  # "7:00" and "1,000" are whole
                cuts += [start, start] if self._text[start] == ";" else [start]  # a semicolon parts more than a comma
        return cuts

    @cached_property
    def segments(self) -> list[int]:
        """The segment of each word."""
        cuts = self.cuts
        return [bisect_left(cuts, start) for _, start, _ in self.words]


@dataclass(slots=True, kw_only=True, eq=False)
class Slot:
    """A value of a context with the words that say what it is of, which are read when they are asked for."""

    mention: Mention
    text: str  # that the mention's places count in
    read_words: Callable[[], Weights]
    place: Place
    own: bool = True  # a value of the cell itself, not of its header
    _words: Weights | None = None
    _ranges: list[tuple[int, int]] | None = None

    @property
    def words(self) -> Weights:
        """The words that say what the value is of, by weight."""
        if self._words is None:
            self._words = self.read_words()
        return self._words

    def ranges(self, known: BindingWords) -> list[tuple[int, int]]:
        """Return the ranges of numbers that the place speaks of, but for one that the value itself is an end of."""
        if self._ranges is None:
            self._ranges = self._find_ranges(known)
        return self._ranges

    def _find_ranges(self, known: BindingWords) -> list[tuple[int, int]]:
        place = self.place
        if place.cell:
            said = f"{place.head} {place.text}"
        else:  # the part of the sentence that the value stands in
            said = self.text[self.text.rfind(";", 0, self.mention.start) + 1 :].partition(";")[0]
        found = _ranges(said, known)
        value = self.mention.plain if self.mention.kind == "number" else None
        return [each for each in found if value not in each]


_MANY = 10**9


def _ranges(text: str, known: BindingWords) -> list[tuple[int, int]]:
    both = [each for each in _ASKED_RANGE.finditer(text) if len(each[0]) < 20 and int(each[1]) < int(each[2])]
    found = [(int(each[1]), int(each[2])) for each in both]
    begun = {each.start() for each in both}  # "aged 18 to 64" has an end
    for bound in known.bounds.finditer(text):
        word, digits = (bound["before"] or bound["after"]).lower(), bound["first"] or bound["last"]
        if len(digits) > 9 or bound.start("first") in begun:
            continue
        number = int(digits)
        if word in known.under:
            found.append((0, number - 1))
        elif word in known.up_to:
            found.append((0, number))
        else:
            strictly = word in known.over and bound["before"]
            found.append((number + 1 if strictly else number, _MANY))
    return found


class _Beside:
    """The sentences of a context, which say together what each value is of; a value is read when it is asked for."""

    def __init__(self, places: Sequence[Place], pieces: Sequence[Piece], constants: BindingConstants) -> None:
        self._places, self._pieces, self._constants = places, pieces, constants
        first = pieces[0].content[: constants.title_words] if pieces else []
        self._title = dict.fromkeys(first, constants.title_weight)
        self._sides: dict[int, Weights] = {}

    def words_of(self, index: int, mention: Mention) -> Weights:
        """Return the words of a value: those of its sentence, and less of the sentences beside it and of the title."""
        words = self._side(index).copy()
        for lemma, weight in self._pieces[index].words_of(mention).items():
            if weight > words.get(lemma, -1.0):
                words[lemma] = weight
        return words

    def words_of_implied(self, index: int, mention: Mention) -> Weights:
        """Return the words of a day or a month that a sentence implies: its own weigh what they weigh in it."""
        return {**self._side(index), **self._pieces[index].words_of(mention)}

    def _side(self, index: int) -> Weights:
        known = self._sides.get(index)
        if known is not None:
            return known
        side = self._sides[index] = dict(self._title)
        for other, weight in ((index + 1, self._constants.next_weight), (index - 1, self._constants.previous_weight)):
            if 0 <= other < len(self._places) and not self._places[other].cell:
                _add(side, self._pieces[other].content, weight)
        return side


class BoundContext:
    """One context: its places, their pieces, and the slots of its values."""

    def __init__(self, context: int, view: TextView, known: BindingWords) -> None:
        constants = known.constants
        self.places = read_places(context, view.text, constants, view.sentences)
        self.pieces = [
            Piece(f"{place.head}: {place.text}", known) if place.cell else Piece(place.text, known, _words(view, place))
            for place in self.places
        ]
        self.words = _word_places(self.pieces, constants)
        self._known = known

    @cached_property
    def slots(self) -> list[Slot]:
        """The values in their order, read when an answer has one to hold against them."""
        known, constants = self._known, self._known.constants
        found: list[Slot] = []
        beside = _Beside(self.places, self.pieces, constants)
        for index, place in enumerate(self.places):
            if len(found) >= constants.most_slots:
                break
            if place.cell:
                found += _slots_of_cell(place, known)
            else:
                found += self._slots_of_sentence(index, place, beside, known)
        return found

    def _slots_of_sentence(self, index: int, place: Place, beside: _Beside, known: BindingWords) -> Iterator[Slot]:
        piece = self.pieces[index]
        own = piece.mentions
        for mention in own:
            words = partial(beside.words_of, index, mention)
            yield Slot(mention=mention, text=piece.text, read_words=words, place=place)
        for mention in implied_dates(piece.text, own, known, piece.signs):
            words = partial(beside.words_of_implied, index, mention)
            yield Slot(mention=mention, text=mention.text, read_words=words, place=place)


def _word_places(pieces: Sequence[Piece], constants: BindingConstants) -> WordPlaces:
    return WordPlaces([set(piece.lemmas) for piece in pieces], stem=constants.stem)


def _slots_of_cell(place: Place, known: BindingWords) -> Iterator[Slot]:
    constants = known.constants
    words: Weights = {}
    _add(words, _content(place.side, known), constants.row_weight)
    _add(words, _content(place.head, known), 1.0)
    own, heading = (find_mentions(text, known)[: constants.most_mentions] for text in (place.text, place.head))
    for mention in own:
        mention.cell = True
        given = with_unit(mention, place.key, known) if mention.dimension == "count:" else mention
        beside = dict(words)
        own_words = set(lemmas(mention.text))
        for lemma in _content(place.text, known):
            if lemma not in own_words:
                beside.setdefault(lemma, constants.cell_weight)
        yield Slot(mention=given, text=place.text, read_words=beside.copy, place=place)
    for mention in [*implied_dates(place.text, own, known), *implied_dates(place.head, heading, known)]:
        yield Slot(mention=mention, text=mention.text, read_words=words.copy, place=place, own=False)
    for mention in heading:
        mention.cell = True
        beside = dict(words)
        for lemma in _content(place.text, known):
            beside.setdefault(lemma, constants.header_cell_weight)
        for lemma in lemmas(mention.text):
            beside.pop(lemma, None)
        yield Slot(mention=mention, text=place.head, read_words=beside.copy, place=place, own=False)


def _content(text: str, known: BindingWords) -> list[str]:
    return [lemma for lemma in lemmas(text) if lemma not in known.stop]


def _words(view: TextView, place: Place) -> Words | None:
    """Return the words of a sentence as its context has them; None where it begins or ends inside of a run of them."""
    start, end = place.start, place.end
    if end - start != len(place.text) or not view.text.startswith(place.text, start):  # a sentence of a JSON value
        return None
    return words_at(view, start, end)


def words_at(view: TextView, start: int, end: int) -> Words | None:
    """Return the words of a stretch as its text has them; None where it begins or ends inside of a run of them."""
    words = view.words_of_stretch(start, end)
    if words is None:
        return None
    first, last = words
    starts, ends = view.spans
    return view.lemmas[first:last], [at - start for at in starts[first:last]], [at - start for at in ends[first:last]]


def _add(words: Weights, more: Iterable[str], weight: float) -> None:
    for lemma in more:
        if weight > words.get(lemma, -1.0):
            words[lemma] = weight


def read_context(view: TextView, known: BindingWords) -> BoundContext:
    """Return a context as binding reads it."""
    return BoundContext(0, view, known)


class BoundGround:
    """All contexts of an answer: their slots, and how much each word tells."""

    def __init__(self, contexts: Sequence[TextView], known: BindingWords) -> None:
        self.known = known
        self._contexts = contexts
        pieces: list[Piece] = []
        self._words: list[tuple[int, WordPlaces]] = []  # of each context, and the place of its first piece
        most_units = known.constants.most_units
        for view in contexts:
            if len(pieces) >= most_units:
                break
            context = view.by(read_context, known)
            self._words.append((len(pieces), context.words))
            pieces += context.pieces
        self.pieces = pieces[:most_units]
        if len(pieces) > most_units:
            self._words = [(0, _word_places(self.pieces, known.constants))]
        self._alike: dict[frozenset[str], list[Slot]] = {}
        self._where: dict[str, list[int]] = {}  # of the words that were asked for
        self._rarity: dict[str, float] = {}
        self._forms: dict[str, list[str]] = {}
        self._written: dict[str, list[tuple[str, float]]] = {}
        self._table: _WordTable | None = None

    @cached_property
    def slots(self) -> list[Slot]:
        """The values of all contexts, read when an answer has one to hold against them."""
        most = self.known.constants.most_slots
        found: list[Slot] = []
        for view in self._contexts:
            if len(found) >= most:
                break
            found += view.by(read_context, self.known).slots
        return found[:most]

    @cached_property
    def _sorts(self) -> list[str]:
        return [sort_of(slot.mention) for slot in self.slots]

    @cached_property
    def _rows(self) -> dict[int, int]:
        return {id(slot): row for row, slot in enumerate(self.slots)}

    def fits(self, wanted: Weights) -> "Fits":
        """Return how many of the wanted words each slot has, by weight; few slots are summed up one by one."""
        if len(self.slots) <= FEW_SLOTS:
            return _EachFit(wanted)
        if self._table is None:
            self._table = _WordTable(self.slots)
        return _TableFits(self._rows, self._table.sums(wanted))

    def alike(self, mention: Mention) -> list[Slot]:
        """Return the slots, in their order, that may equal or rival a value: those of a sort that it compares with."""
        sorts = compared_sorts(mention)
        if sorts is None:
            return self.slots
        if sorts not in self._alike:
            self._alike[sorts] = [slot for slot, sort in zip(self.slots, self._sorts, strict=True) if sort in sorts]
        return self._alike[sorts]

    def where(self, lemma: str) -> list[int]:
        """Return the pieces that have a word."""
        known = self._where.get(lemma)
        if known is None:
            known = self._where[lemma] = [first + index for first, words in self._words for index in words.get(lemma)]
        return known

    def rarity(self, lemma: str) -> float:
        """Return how much a word tells: the fewer places have it, the more."""
        known = self._rarity.get(lemma)
        if known is None:
            smoothing = self.known.constants.rarity_smoothing
            total = len(self.pieces) + smoothing
            known = self._rarity[lemma] = log(1.0 + total / (smoothing + len(self.where(lemma))))
        return known

    def forms(self, lemma: str) -> list[str]:
        """Return the words of the contexts that look like other forms of a word."""
        constants = self.known.constants
        if len(lemma) < constants.stem:
            return []
        if lemma not in self._forms:
            letters = lemma[: constants.stem]
            alike = {other for _, words in self._words for other in words.beginning(letters)}
            found = [
                other
                for other in sorted(alike)[:MOST_FORMS]
                if _shared(lemma, other) >= constants.form_letters * min(len(lemma), len(other))
            ]
            self._forms[lemma] = found[:MOST_BOUND_FORMS]
        return self._forms[lemma]

    def written(self, lemma: str) -> list[tuple[str, float]]:
        """Return a word as the contexts have it, by its share: itself, or in another form, or by a synonym."""
        known = self._written.get(lemma)
        if known is None:
            constants = self.known.constants
            if self.where(lemma):
                known = [(lemma, 1.0)]
            else:
                known = [(other, constants.form_share) for other in self.forms(lemma)]
                synonyms = self.known.support.thesaurus.synonyms(lemma)
                known += [(other, constants.synonym_share) for other in synonyms if self.where(other)]
                digits = str(self.known.hours.get(lemma, ""))  # "two zones" is "2 zones"
                if digits and self.where(digits):
                    known.append((digits, 1.0))
            self._written[lemma] = known
        return known

    def wanted(self, words: Mapping[str, float], beside: Mapping[str, float] | None = None) -> Weights:
        """Return the words of a sentence as the contexts have them, beside those that are wanted already."""
        found = dict(beside or {})
        for lemma, weight in words.items():
            for other, share in self.written(lemma):
                amount = share * weight * self.rarity(other)
                if amount > found.get(other, -1.0):
                    found[other] = amount
        return found


class Fits(Protocol):
    """How many of some wanted words each slot of a ground has, by weight, added up in the order of the slot's words."""

    def __getitem__(self, slot: Slot) -> float: ...


class _EachFit:
    def __init__(self, wanted: Weights) -> None:
        self._wanted = wanted
        self._sums: dict[int, float] = {}

    def __getitem__(self, slot: Slot) -> float:
        known = self._sums.get(id(slot))
        if known is None:
            wanted, known = self._wanted, 0.0
            for part in [wanted[lemma] * weight for lemma, weight in slot.words.items() if lemma in wanted]:
                known += part  # one by one, as the table adds them up: sum() is more exact in some versions of Python
            self._sums[id(slot)] = known
        return known


class _TableFits:
    def __init__(self, rows: Mapping[int, int], sums: Sequence[float]) -> None:
        self._rows, self._sums = rows, sums

    def __getitem__(self, slot: Slot) -> float:
        return self._sums[self._rows[id(slot)]]


class _WordTable:
    """The words of all slots in one table, so that a hundred slots of a thousand words each cost little to sum up."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        import numpy as np  # noqa: PLC0415 - it loads slowly, and only answers with values need it

        self._np, self._slots = np, len(slots)
        self._columns: dict[str, int] = {}
        columns = [self._columns.setdefault(lemma, len(self._columns)) for slot in slots for lemma in slot.words]
        self._places = np.array(columns, dtype=np.intp)
        self._weights = np.array([weight for slot in slots for weight in slot.words.values()], dtype=np.float64)
        self._rows = np.repeat(np.arange(len(slots)), np.array([len(slot.words) for slot in slots], dtype=np.intp))

    def sums(self, wanted: Weights) -> list[float]:
        """Return the sum over the wanted words of each slot, added up in the order of the slot's words."""
        share = self._np.zeros(len(self._columns))
        for lemma, weight in wanted.items():
            if lemma in self._columns:
                share[self._columns[lemma]] = weight
        parts = share[self._places] * self._weights
        sums: list[float] = self._np.bincount(self._rows, weights=parts, minlength=self._slots).tolist()
        return sums


def _shared(one: str, other: str) -> int:
    for index, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return index
    return min(len(one), len(other))
