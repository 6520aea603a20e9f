"""What each value of the contexts is of: the words beside it, by weight."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from plumbrule.support.binding.binding_words import BindingWords
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
from plumbrule.text.work_limits import MOST_BOUND_FORMS, MOST_FORMS

_SEGMENT = re.compile(r"[,;:()–—]|\s-\s|\b(?:and|but|or|while|whereas|plus)\b")
_ASKED_RANGE = re.compile(r"\b(\d+)\s*(?:-|–|to|and)\s*(\d+)\b")

Weights = dict[str, float]


class Piece:
    """A stretch of text with its lemmas, the segments they stand in, and its mentions.

    Only the first of very many mentions are bound; the others are mentions all the same, not words that say what a
    value is of.
    """

    def __init__(self, text: str, known: BindingWords) -> None:
        self.text = text
        self._known = known
        markers = [marker.span() for marker in CITATION.finditer(text)]
        self.lemmas, (self.starts, self.ends) = lemmas(text), spans(text)
        if markers:  # a citation marker says nothing of its own
            kept = [
                at for at, start in enumerate(self.starts) if not any(first <= start < last for first, last in markers)
            ]
            self.lemmas, self.starts, self.ends = (
                [self.lemmas[at] for at in kept], [self.starts[at] for at in kept], [self.ends[at] for at in kept]
            )  # fmt: skip
        stop = known.stop
        self.content = [lemma for lemma in self.lemmas if lemma not in stop]
        self._parts: _Parts | None = None

    @property
    def mentions(self) -> list[Mention]:
        """The values that are bound."""
        return self._read().mentions[: self._known.constants.most_mentions]

    def _read(self) -> "_Parts":
        """Return the mentions and the segments, read once; most cells of a table are never asked for theirs."""
        if self._parts is None:
            self._parts = _Parts(self.text, self.starts, self.ends, self._known)
        return self._parts

    def denies(self) -> bool:
        """Tell whether any word denies something."""
        known = self._known
        return any(lemma in known.negative or "deny" in known.classes.get(lemma, ()) for lemma in self.lemmas)

    def words_of(self, mention: Mention) -> Weights:
        """Return the words that say what a value is of: where there are several, the nearer the more."""
        constants, stop, parts = self._known.constants, self._known.stop, self._read()
        others = [other for other in parts.mentions if other is not mention and comparable(mention, other)]
        several = bool(others)
        here = bisect_left(parts.cuts, mention.start)
        shared = self._head_end(min([mention, *others], key=lambda each: each.start)) if others else 0
        found: Weights = {}
        taken = {id(each) for each in (mention, *others)}
        for lemma, start, segment, within in zip(self.lemmas, self.starts, parts.segments, parts.within, strict=True):
            if lemma in stop or id(within) in taken:
                continue
            weight = 1.0
            if several and start >= shared:
                weight /= 1.0 + constants.segment_decay * abs(segment - here)
                weight *= constants.later_share if segment > here else 1.0
            found[lemma] = max(found.get(lemma, 0.0), weight)
        return found

    def _head_end(self, first: Mention) -> int:
        """Return where the words end that head all values of a sentence: "The fee is £85 on weekdays and £120 …".

        Where a label stands before its value ("adults £9, children £5"), no words head all of them.
        """
        parts = self._read()
        segment = bisect_left(parts.cuts, first.start)
        labelled = any(
            start >= first.end and place == segment and lemma not in self._known.stop
            for lemma, start, place in zip(self.lemmas, self.starts, parts.segments, strict=True)
        )
        return first.start if labelled else 0


class _Parts:
    """The mentions of a piece, and the segments that its marks and conjunctions cut it into."""

    def __init__(self, text: str, starts: Sequence[int], ends: Sequence[int], known: BindingWords) -> None:
        self.mentions = find_mentions(text, known)
        self._mention_ends = [mention.end for mention in self.mentions]
        self.within = [self._mention_at(*place) for place in zip(starts, ends, strict=True)]
        marks = [mark.span() for mark in _SEGMENT.finditer(text)]
        # "7:00" and "1,000" are whole
        self.cuts = [start for start, end in marks if self._mention_at(start, end) is None]
        self.segments = [bisect_left(self.cuts, start) for start in starts]

    def _mention_at(self, start: int, end: int) -> Mention | None:
        """Return the mention that a stretch stands in: the first that ends after its start."""
        index = bisect_right(self._mention_ends, start)
        if index < len(self.mentions) and self.mentions[index].start < end:
            return self.mentions[index]
        return None


@dataclass(slots=True, kw_only=True, eq=False)
class Slot:
    """A value of a context with the words that say what it is of."""

    mention: Mention
    text: str  # that the mention's places count in
    words: Weights
    place: Place
    own: bool = True  # a value of the cell itself, not of its header

    def ranges(self, known: BindingWords) -> list[tuple[int, int]]:
        """Return the ranges of numbers that the place speaks of, but for one that the value itself is an end of."""
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


class BoundContext:
    """One context: its places, their pieces, and the slots of its values."""

    def __init__(self, context: int, text: str, known: BindingWords) -> None:
        constants = known.constants
        self.places = read_places(context, text, constants)
        self.pieces = [
            Piece(f"{place.head}: {place.text}" if place.cell else place.text, known) for place in self.places
        ]
        self.slots: list[Slot] = []
        first = self.pieces[0].content[: constants.title_words] if self.pieces else []
        title = dict.fromkeys(first, constants.title_weight)
        for index, (place, piece) in enumerate(zip(self.places, self.pieces, strict=True)):
            if len(self.slots) >= constants.most_slots:
                break
            if place.cell:
                self._add_cell(place, known)
            else:
                self._add_sentence(index, place, piece, title, known)

    def _add_sentence(self, index: int, place: Place, piece: Piece, title: Weights, known: BindingWords) -> None:
        constants = known.constants
        side = dict(title)
        for other, weight in ((index + 1, constants.next_weight), (index - 1, constants.previous_weight)):
            if 0 <= other < len(self.places) and not self.places[other].cell:
                _add(side, self.pieces[other].content, weight)
        for mention in piece.mentions:
            words = dict(side)
            for lemma, weight in piece.words_of(mention).items():
                words[lemma] = max(weight, words.get(lemma, 0.0))
            self.slots.append(Slot(mention=mention, text=piece.text, words=words, place=place))
        for mention in implied_dates(piece.text, piece.mentions, known):
            self.slots.append(
                Slot(mention=mention, text=mention.text, words={**side, **piece.words_of(mention)}, place=place)
            )

    def _add_cell(self, place: Place, known: BindingWords) -> None:
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
            self.slots.append(Slot(mention=given, text=place.text, words=beside, place=place))
        for mention in [*implied_dates(place.text, own, known), *implied_dates(place.head, heading, known)]:
            self.slots.append(Slot(mention=mention, text=mention.text, words=dict(words), place=place, own=False))
        for mention in heading:
            mention.cell = True
            beside = dict(words)
            for lemma in _content(place.text, known):
                beside.setdefault(lemma, constants.header_cell_weight)
            for lemma in lemmas(mention.text):
                beside.pop(lemma, None)
            self.slots.append(Slot(mention=mention, text=place.head, words=beside, place=place, own=False))


def _content(text: str, known: BindingWords) -> list[str]:
    return [lemma for lemma in lemmas(text) if lemma not in known.stop]


def _add(words: Weights, more: Iterable[str], weight: float) -> None:
    for lemma in more:
        words[lemma] = max(words.get(lemma, 0.0), weight)


def read_context(view: TextView, known: BindingWords) -> BoundContext:
    """Return a context as binding reads it."""
    return BoundContext(0, view.text, known)


class BoundGround:
    """All contexts of an answer: their slots, and how much each word tells."""

    def __init__(self, contexts: Sequence[TextView], known: BindingWords) -> None:
        self.known = known
        self.contexts = [view.by(read_context, known) for view in contexts]
        self.pieces = [piece for context in self.contexts for piece in context.pieces][: known.constants.most_units]
        slots = [slot for context in self.contexts for slot in context.slots]
        self.slots = slots[: known.constants.most_slots]
        self._sorts = [sort_of(slot.mention) for slot in self.slots]
        self._alike: dict[frozenset[str] | None, list[Slot]] = {None: self.slots}
        units = Counter(lemma for piece in self.pieces for lemma in set(piece.lemmas))
        smoothing = known.constants.rarity_smoothing
        total = len(self.pieces) + smoothing
        self._rarity = {lemma: log(1.0 + total / (smoothing + count)) for lemma, count in units.items()}
        self._unknown = log(1.0 + total / smoothing)
        self.words = units.keys()
        self._stems: dict[str, list[str]] = {}
        stem = known.constants.stem
        for lemma in sorted(units):
            if len(lemma) >= stem:
                self._stems.setdefault(lemma[:stem], []).append(lemma)
        self._forms: dict[str, list[str]] = {}
        self._rows = {id(slot): row for row, slot in enumerate(self.slots)}
        self._table: _WordTable | None = None

    def fits(self, wanted: Weights) -> "Fits":
        """Return how many of the wanted words each slot has, by weight."""
        if not self.slots:
            return Fits({}, ())
        if self._table is None:
            self._table = _WordTable(self.slots)
        return Fits(self._rows, self._table.sums(wanted))

    def alike(self, mention: Mention) -> list[Slot]:
        """Return the slots, in their order, that may equal or rival a value: those of a sort that it compares with."""
        sorts = compared_sorts(mention)
        if sorts not in self._alike:
            self._alike[sorts] = [
                slot for slot, sort in zip(self.slots, self._sorts, strict=True) if sort in (sorts or ())
            ]
        return self._alike[sorts]

    def rarity(self, lemma: str) -> float:
        """Return how much a word tells: the fewer places have it, the more."""
        return self._rarity.get(lemma, self._unknown)

    def forms(self, lemma: str) -> list[str]:
        """Return the words of the contexts that look like other forms of a word."""
        constants = self.known.constants
        if len(lemma) < constants.stem:
            return []
        if lemma not in self._forms:
            found = [
                other
                for other in self._stems.get(lemma[: constants.stem], ())[:MOST_FORMS]
                if _shared(lemma, other) >= constants.form_letters * min(len(lemma), len(other))
            ]
            self._forms[lemma] = found[:MOST_BOUND_FORMS]
        return self._forms[lemma]

    def wanted(self, words: Mapping[str, float]) -> Weights:
        """Return the words of a sentence as the contexts have them: themselves, in another form, or by a synonym."""
        constants, thesaurus = self.known.constants, self.known.support.thesaurus
        found: Weights = {}
        for lemma, weight in words.items():
            if lemma in self.words:
                found[lemma] = max(found.get(lemma, 0.0), weight)
                continue
            for other in self.forms(lemma):
                found[other] = max(found.get(other, 0.0), constants.form_share * weight)
            for other in thesaurus.synonyms(lemma):
                if other in self.words:
                    found[other] = max(found.get(other, 0.0), constants.synonym_share * weight)
        return {lemma: weight * self.rarity(lemma) for lemma, weight in found.items()}


class Fits:
    """How many of some wanted words each slot of a ground has, by weight."""

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
