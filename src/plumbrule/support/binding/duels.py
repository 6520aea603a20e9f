"""Hold each value of an answer against the places of the contexts that speak of the same thing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from plumbrule.support.binding.binding_words import BindingWords
from plumbrule.support.binding.derivations import derivation
from plumbrule.support.binding.mentions import Mention, comparable, equal
from plumbrule.support.binding.slots import BoundGround, Fits, Piece, Slot, Weights

Outcome = Literal["bound", "asked", "absent", "derived", "vague"]

_RANGE = re.compile(r"\s*(?:-|–|—|to|until|till|and)\s*")
_LONGEST_RANGE = 6
_FEW = 4  # cells that others are compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What became of one value of a sentence.

    ``bound``: the contexts have it; ``margin`` says how much better the sentence's words fit the ``rival``, another
    value, than the place that has it. ``asked``: the asker brought it. ``absent``: no context has it. ``derived``: it
    follows from others, at a ``level`` of 1 to 3. ``vague``: a small count or a fraction, too vague to be missed.
    """

    sentence: int
    mention: Mention
    outcome: Outcome
    margin: float = 0.0
    level: int = 0
    cue: bool = False  # the sentence says that it has worked something out
    place: Slot | None = None
    rival: Slot | None = None
    rival_weight: float = 0.0  # how well the words fit the rival of a value that is absent


class Duels:
    """Binds the values of one answer."""

    def __init__(self, question: Piece, sentences: Sequence[Piece], ground: BoundGround, known: BindingWords) -> None:
        self._question, self._sentences, self._ground, self._known = question, sentences, ground, known
        weight = known.constants.question_weight
        self._asked_words: Weights = dict.fromkeys(question.content, weight)
        self._asked = [
            int(mention.plain)
            for mention in question.mentions
            if mention.kind == "number" and mention.plain.denominator == 1
        ]
        values = [(index, mention) for index, piece in enumerate(sentences) for mention in piece.mentions]
        self._values = values[: known.constants.most_mentions]
        slots = ground.slots if values else ()
        self._identifiers = {slot.mention.key for slot in slots if slot.mention.kind == "identifier"}
        self._words: dict[tuple[int, int], Weights] = {}
        self._beside: dict[int, Weights] = {}
        self._equals = [self._equal_slots(index, mention) for index, mention in self._values]
        self._holders = self._find_holders()
        self._relevant: dict[tuple[int, int], list[tuple[str, float, float]]] = {}
        self._sure: list[tuple[int, Mention]] = []  # what the answer may reckon with beside what the question names

    def bindings(self) -> list[Binding]:
        """Return what became of each value, in their order."""
        values = list(zip(self._values, self._equals, strict=True))
        self._sure = [value for value, equals in values if equals or self._is_asked(*value)]
        found = []
        for (index, mention), equals in values:
            binding = self._bind(index, mention, equals)
            if binding.outcome == "derived":
                self._sure.append((index, mention))
            found.append(binding)
        if len(self._sure) > len([each for each in found if each.outcome in ("bound", "asked")]):
            # a result may stand before what it was worked out from
            return [
                self._bind(each.sentence, each.mention, equals) if each.outcome == "absent" else each
                for each, (_, equals) in zip(found, values, strict=True)
            ]
        return found

    def _equal_slots(self, index: int, mention: Mention) -> list[Slot]:
        """Return the slots that have the value of a mention, in their order."""
        text = self._sentences[index].text
        return [slot for slot in self._ground.alike(mention) if equal(mention, text, slot.mention, slot.text)]

    def _find_holders(self) -> dict[int, list[tuple[int, Mention]]]:
        """Return the first two values of the answer that equal each slot's; one may be that which is bound."""
        holders: dict[int, list[tuple[int, Mention]]] = {}
        for value, equals in zip(self._values, self._equals, strict=True):
            for slot in equals:
                known = holders.setdefault(id(slot), [])
                if len(known) < 2:
                    known.append(value)
        return holders

    def _is_asked(self, index: int, mention: Mention) -> bool:
        """Tell whether the question has a value."""
        text, asked = self._sentences[index].text, self._question
        return any(equal(mention, text, other, asked.text) for other in asked.mentions)

    def _wanted(self, index: int, mention: Mention) -> Weights:
        """Return the words that tell what a value of the answer is of, as the contexts have them."""
        key = (index, mention.start)
        if key not in self._words:
            words = self._sentences[index].words_of(mention)
            self._words[key] = self._ground.wanted(words, self._wanted_beside(index))
        return self._words[key]

    def _wanted_beside(self, index: int) -> Weights:
        """Return the words of the question and of the other sentences, as the contexts have them."""
        known = self._beside.get(index)
        if known is None:
            constants = self._known.constants
            words: Weights = {}
            for other, piece in enumerate(self._sentences):
                if other != index:
                    weight = constants.before_weight if other == index - 1 else constants.answer_weight
                    words.update(dict.fromkeys(piece.content, weight))
            for lemma, weight in self._asked_words.items():
                words[lemma] = max(words.get(lemma, 0.0), weight)
            known = self._beside[index] = self._ground.wanted(words)
        return known

    def _bind(self, index: int, mention: Mention, equals: Sequence[Slot]) -> Binding:
        ground, constants = self._ground, self._known.constants
        wanted = self._wanted(index, mention)
        fits = ground.fits(wanted)
        same = {id(slot) for slot in equals}
        rivals = [slot for slot in ground.alike(mention) if id(slot) not in same and self._rivals(mention, slot)]
        fitting = [slot for slot in equals if fits[slot]]
        places = sorted(fitting or equals, key=lambda slot: -fits[slot])[: constants.most_rivals]
        cells = [slot for slot in places if slot.place.cell and slot.own]
        if cells:
            chosen = {id(slot) for slot in (*rivals, *places)}
            rivals += [slot for slot in _rival_cells(cells, ground) if id(slot) not in chosen]
        rivals = sorted(rivals, key=lambda slot: -fits[slot])[: constants.most_rivals]
        held = self._held(mention, rivals)
        asked = self._is_asked(index, mention)
        if not places:
            return self._bind_absent(
                index, mention, [slot for slot in rivals if id(slot) not in held], fits, asked=asked
            )
        if mention.dimension == "count:" and mention.text.lower() in self._identifiers:
            return Binding(sentence=index, mention=mention, outcome="bound", margin=-1.0, place=places[0])
        best = min((self._duel(slot, mention, rivals, held, wanted) for slot in places), key=lambda result: result[0])
        if best[0] > 0 and not asked:
            level, cue = self._derivation(index, mention, fits)
            if level == 3 and cue:
                return Binding(sentence=index, mention=mention, outcome="derived", level=level, cue=cue, rival=best[2])
        return Binding(sentence=index, mention=mention, outcome="asked" if asked else "bound", margin=best[0],
                       place=best[1], rival=best[2])  # fmt: skip

    def _rivals(self, mention: Mention, slot: Slot) -> bool:
        """Tell whether a slot has another value of what may be the same thing."""
        theirs = slot.mention
        if mention.base == theirs.base == "money" and bool(mention.amount) != bool(theirs.amount):
            return False  # what is free is another thing, or another way to say it
        if mention.base == "count" and theirs.dimension == "count:" and slot.place.cell and mention.noun:
            return mention.noun in slot.words
        return comparable(mention, theirs)

    def _derivation(self, index: int, mention: Mention, fits: Fits) -> tuple[int, bool]:
        """Return how well a value follows from others, and whether the sentence says that it was worked out."""
        cue = self._known.cues.search(self._sentences[index].text) is not None
        if mention.kind == "identifier":  # follows from nothing
            return 0, cue
        named = sorted(self._sure, key=lambda value: abs(value[0] - index))
        sure = [*self._question.mentions, *[other for _, other in named if other is not mention]]
        near = sorted(self._ground.slots, key=lambda slot: -fits[slot])
        different = {(slot.mention.dimension, slot.mention.text): slot.mention for slot in reversed(near)}
        operands = list(reversed(different.values()))[: self._known.constants.most_operands]
        return derivation(mention, sure, operands, self._known.constants.rounded), cue

    def _bind_absent(self, index: int, mention: Mention, rivals: Sequence[Slot], fits: Fits, *, asked: bool) -> Binding:
        if asked:
            return Binding(sentence=index, mention=mention, outcome="asked")
        if mention.text.lower() in self._identifiers:
            return Binding(sentence=index, mention=mention, outcome="bound", margin=-1.0)
        rival = rivals[0] if rivals else None
        level, cue = self._derivation(index, mention, fits)
        if level > 1 or (level and cue):
            return Binding(sentence=index, mention=mention, outcome="derived", level=level, cue=cue, rival=rival)
        counted = mention.base == "count" and (mention.text.lower() in self._known.small or rival is None)
        free = mention.base == "money" and not mention.amount
        if mention.base == "fraction" or counted or free:
            return Binding(sentence=index, mention=mention, outcome="vague", rival=rival)
        weight = fits[rival] if rival is not None else 0.0
        return Binding(sentence=index, mention=mention, outcome="absent", rival=rival, rival_weight=weight)

    def _held(self, mention: Mention, rivals: Sequence[Slot]) -> dict[int, tuple[int, Mention]]:
        """Return the rivals whose value another mention of the answer has, and which one."""
        held: dict[int, tuple[int, Mention]] = {}
        for slot in rivals:
            holder = next((each for each in self._holders.get(id(slot), ()) if each[1] is not mention), None)
            if holder is not None:
                held[id(slot)] = holder
        return held

    def _duel(
        self,
        place: Slot,
        mention: Mention,
        rivals: Sequence[Slot],
        held: Mapping[int, tuple[int, Mention]],
        wanted: Weights,
    ) -> tuple[float, Slot, Slot | None]:
        """Return the margin of the rival that fits best against a place that has the value, and both."""
        constants = self._known.constants
        worst: tuple[float, Slot | None] = (-1.0, None)
        mine = self._in_range(place)
        for rival in rivals:
            if rival.place is place.place and not rival.place.cell and _one_range(rival, place):
                continue
            for_place, for_rival = self._fit(wanted, place, rival), self._fit(wanted, rival, place)
            theirs = self._in_range(rival)
            for_rival += constants.range_gain * max(0, theirs - mine)
            for_place += constants.range_gain * max(0, mine - theirs)
            column = place.place.cell and rival.place.cell and place.place.key == rival.place.key
            if column:
                for_rival *= constants.column_share
            if id(rival) in held:  # another value is this rival's: only a swap that fits both better counts
                other = self._wanted(*held[id(rival)])
                for_place += self._fit(other, rival, place)
                for_rival += self._fit(other, place, rival)
                if for_rival <= for_place * constants.swap_share:
                    continue
            margin = (for_rival - for_place) / (for_rival + for_place + constants.smoothing)
            if place.mention.unit != rival.mention.unit and not column and mention.kind == "number":
                margin *= constants.unit_share
            if margin > worst[0]:
                worst = margin, rival
        return worst[0], place, worst[1]

    def _fit(self, wanted: Weights, slot: Slot, without: Slot) -> float:
        """Return how many of the wanted words a slot has, by weight, beyond those that another has too."""
        relevant = self._relevant.get((id(wanted), id(slot)))
        if relevant is None:
            relevant = [(lemma, weight, wanted[lemma]) for lemma, weight in slot.words.items() if lemma in wanted]
            self._relevant[id(wanted), id(slot)] = relevant
        others = without.words
        return sum([wish * more for lemma, weight, wish in relevant if (more := weight - others.get(lemma, 0.0)) > 0])

    def _in_range(self, slot: Slot) -> int:
        """Return 1 where a number of the asker lies in a range that a slot speaks of, -1 where it lies outside."""
        if not self._asked:
            return 0
        ranges = slot.ranges(self._known)
        if not ranges:
            return 0
        return 1 if any(first <= asked <= last for first, last in ranges for asked in self._asked) else -1


def _rival_cells(cells: Sequence[Slot], ground: BoundGround) -> list[Slot]:
    """Return the values of the columns of some cells, and of all cells that can be compared with one of them."""
    columns = {(slot.place.key, slot.mention.kind) for slot in cells}
    few = [slot.mention for slot in cells[:_FEW]]
    return [
        slot
        for slot in ground.slots
        if slot.own and slot.place.cell
        and ((slot.place.key, slot.mention.kind) in columns or any(comparable(each, slot.mention) for each in few))
    ]  # fmt: skip


def _one_range(one: Slot, other: Slot) -> bool:
    """Tell whether two values are the ends of one range: "10:00 to 17:00"."""
    first, last = sorted((one.mention, other.mention), key=lambda mention: mention.start)
    between = one.text[first.end : last.start]
    return len(between) <= _LONGEST_RANGE and _RANGE.fullmatch(between) is not None
