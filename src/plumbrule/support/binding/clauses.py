"""Which clause of the contexts each word of a sentence comes from, and what that clause says otherwise."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from plumbrule.support.binding.binding_words import BindingWords
from plumbrule.support.binding.slots import BoundGround, Piece, read_context
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas

_MARK = re.compile(r"[,;:()–—?!|]|\.(?=\s)|(?<=\s)-(?=\s)")


class _Cut:
    """A piece cut into clauses: the words between two marks or conjunctions, by the number of marks before them."""

    def __init__(self, piece: Piece, known: BindingWords) -> None:
        lemmas, starts, text = piece.lemmas, piece.starts, piece.text
        cuts = [bisect_left(starts, mark.start()) for mark in _MARK.finditer(text)]
        if not known.joints.isdisjoint(lemmas):
            cuts += [
                at + 1
                for at, lemma in enumerate(lemmas)
                if lemma in known.joints and text[starts[at]].islower()  # what opens a sentence parts nothing
            ]
            cuts.sort()
        del cuts[known.constants.most_clauses - 1 :]
        places = zip([0, *cuts], [*cuts, len(lemmas)], strict=True)
        self._known = known
        self.parts = {part: lemmas[first:last] for part, (first, last) in enumerate(places) if first < last}

    def denies(self, part: int) -> bool:
        """Tell whether a clause denies what it speaks of; two denials cancel out."""
        return _denies(self.parts[part], self._known)


def _denies(sequence: Sequence[str], known: BindingWords) -> bool:
    """Tell whether a clause denies what it speaks of; two denials cancel out."""
    if known.denials.isdisjoint(sequence):
        return False
    count = 0
    for at, lemma in enumerate(sequence):
        if "deny" in known.classes.get(lemma, ()):
            count += at + 1 >= len(sequence) or sequence[at + 1] not in known.support.idle
        elif lemma in known.negative:
            count += 1
    return count % 2 == 1


class _ContextClauses:
    """The clauses of a context in their order; one has its own words, and those of its sentence less."""

    def __init__(self, view: TextView, known: BindingWords) -> None:
        context, constants = view.by(read_context, known), known.constants
        self._known, self._places, self._pieces = known, context.places, context.pieces
        self._where = context.words
        self._title = frozenset(context.pieces[0].content[: constants.title_words]) if context.pieces else frozenset()
        self._rows: dict[str, list[int]] = {}  # cells by the words of their rows
        for at, place in enumerate(context.places):
            for lemma in set(lemmas(place.side)) if place.cell else ():
                self._rows.setdefault(lemma, []).append(at)
        self._cuts: list[_Cut] = []
        self._firsts: list[int] = []  # clause of each piece
        self.size = 0
        for piece in context.pieces:
            if self.size >= constants.most_units:
                break
            cut = _Cut(piece, known)
            self._cuts.append(cut)
            self._firsts.append(self.size)
            self.size += len(cut.parts)

    def weights(self, lemma: str) -> tuple[dict[int, float], list[int]]:
        """Return what a word weighs in each clause that has it, itself, in its sentence or in what stands beside it.

        And which clauses have it themselves.
        """
        found: dict[int, float] = {}
        homes: list[int] = []
        inside = self._where.get(lemma)
        if lemma in self._known.stop or not (inside or lemma in self._rows):  # as in most contexts
            return found, homes
        having = frozenset(inside)
        for at, side in self._sides(lemma, inside).items():
            if at < len(self._cuts):
                if at in having:
                    self._weigh(lemma, at, side, found, homes)
                else:
                    first = self._firsts[at]
                    found.update(dict.fromkeys(range(first, first + len(self._cuts[at].parts)), side))
        return found, homes

    def _sides(self, lemma: str, inside: Collection[int]) -> dict[int, float]:
        """Return the pieces that have a word, or beside which it stands, and what it weighs there if it is not in."""
        constants, places = self._known.constants, self._places
        title = constants.title_weight if lemma in self._title else 0.0
        found = dict.fromkeys(range(len(places)) if title else inside, title)
        for at in inside:
            if at + 1 < len(places) and not places[at].cell and not places[at + 1].cell:
                found[at + 1] = constants.previous_weight
        found.update(dict.fromkeys(self._rows.get(lemma, ()), constants.row_weight))
        return found

    def _weigh(self, lemma: str, at: int, side: float, found: dict[int, float], homes: list[int]) -> None:
        """Weigh a word in the clauses of a piece that has it."""
        parts = self._cuts[at].parts
        own = [part for part, words in parts.items() if lemma in words]
        decay = self._known.constants.segment_decay
        for clause, part in enumerate(parts, self._firsts[at]):
            if part in own:
                found[clause] = 1.0
                homes.append(clause)
            else:
                nearest = min([abs(other - part) for other in own])
                found[clause] = max(side, 1.0 / (1.0 + decay * nearest))

    def denies(self, clause: int) -> bool:
        """Tell whether a clause denies what it speaks of."""
        cut, part = self._find(clause)
        return cut.denies(part)

    def classes(self, clause: int) -> set[str]:
        """Return the classes of the function words of a clause's sentence."""
        return _classes(self._pieces[self._piece(clause)], self._known)

    def _piece(self, clause: int) -> int:
        return bisect_right(self._firsts, clause) - 1

    def _find(self, clause: int) -> tuple[_Cut, int]:
        at = self._piece(clause)
        cut = self._cuts[at]
        return cut, list(cut.parts)[clause - self._firsts[at]]


def _read_clauses(view: TextView, known: BindingWords) -> _ContextClauses:
    return _ContextClauses(view, known)


def _classes(piece: Piece, known: BindingWords) -> set[str]:
    return {name for lemma in known.classes.keys() & piece.lemmas for name in known.classes[lemma]}


class ClauseIndex:
    """The clauses of all contexts, by the words that they have."""

    def __init__(self, contexts: Sequence[TextView], ground: BoundGround, known: BindingWords) -> None:
        self._ground = ground
        self._most = known.constants.most_units
        self._contexts: list[_ContextClauses] = []
        self._bases: list[int] = []  # first clause of each context
        size = 0
        for view in contexts:
            if size >= self._most:
                break
            self._contexts.append(view.by(_read_clauses, known))
            self._bases.append(size)
            size += self._contexts[-1].size
        self._gains: dict[str, dict[int, float]] = {}
        self._homes: dict[str, list[int]] = {}

    def gains(self, lemma: str) -> dict[int, float]:
        """Return what a word adds to the fit of each clause that has it, itself or in its sentence."""
        known = self._gains.get(lemma)
        if known is None:
            known = self._gains[lemma] = {}
            homes: dict[int, None] = {}
            for other, share in self._ground.written(lemma):
                worth = share * self._ground.rarity(other)
                for base, context in zip(self._bases, self._contexts, strict=True):
                    weights, own = context.weights(other)
                    if not weights:
                        continue
                    for clause, weight in weights.items():
                        gain = worth * weight
                        if base + clause < self._most and gain > known.get(base + clause, -1.0):
                            known[base + clause] = gain
                    homes.update(dict.fromkeys([base + clause for clause in own if base + clause < self._most]))
            self._homes[lemma] = list(homes)
        return known

    def worth(self, lemma: str) -> float:
        """Return how much a word tells."""
        return self._ground.rarity(lemma)

    def homes(self, lemma: str) -> list[int]:
        """Return the clauses that have a word themselves, or another form of it."""
        self.gains(lemma)
        return self._homes[lemma]

    def denies(self, clause: int) -> bool:
        """Tell whether a clause denies what it speaks of."""
        context, place = self._find(clause)
        return context.denies(place)

    def classes(self, clause: int) -> set[str]:
        """Return the classes of the function words of a clause's sentence."""
        context, place = self._find(clause)
        return context.classes(place)

    def _find(self, clause: int) -> tuple[_ContextClauses, int]:
        """Return the context of a clause, and its place in it."""
        at = bisect_right(self._bases, clause) - 1
        return self._contexts[at], clause - self._bases[at]


def clause_measures(piece: Piece, asked: Collection[str], index: ClauseIndex, known: BindingWords) -> dict[str, float]:
    """Return what a sentence takes from several clauses, what it turns round, and what it leaves out or puts in."""
    cut = _Cut(piece, known)
    words = _words(piece, cut, known)
    if not words:
        return {}
    fits = _fits(words, asked, index, known)
    nearest = [max(fit, key=lambda clause: (fit[clause], -clause)) for fit in fits.values() if fit]
    found = _strays(piece, cut, words, fits, asked, index, known)
    mine = _classes(piece, known)
    theirs = {name for clause in nearest for name in index.classes(clause)}
    found |= {f"more_{name}": 1.0 for name in known.limits if name in mine and name not in theirs}
    found |= {f"less_{name}": 1.0 for name in known.conditions if name in theirs and name not in mine}
    return {name: amount for name, amount in found.items() if amount}


class _Word(NamedTuple):
    """A content word of a sentence: the clause it stands in, and its place."""

    lemma: str
    part: int
    at: int


def _words(piece: Piece, cut: _Cut, known: BindingWords) -> list[_Word]:
    """Return the content words of a sentence, each once in a clause."""
    found: dict[tuple[str, int], _Word] = {}
    parts = [part for part, words in cut.parts.items() for _ in words]
    for at, (lemma, part) in enumerate(zip(piece.lemmas, parts, strict=True)):
        if lemma not in known.stop and lemma not in known.support.talk:
            found.setdefault((lemma, part), _Word(lemma, part, at))
    return list(found.values())


def _fits(
    words: Sequence[_Word], asked: Collection[str], index: ClauseIndex, known: BindingWords
) -> dict[int, dict[int, float]]:
    """Return, for each clause of a sentence, how well its words fit each clause of the contexts; nearer words more."""
    constants = known.constants
    question = [index.gains(lemma) for lemma in sorted(asked) if lemma not in known.stop]
    said = [(word.part, index.gains(word.lemma)) for word in words]
    found: dict[int, dict[int, float]] = {}
    for part in sorted({place for place, _ in said}):
        fit: dict[int, float] = {}
        for place, gains in said:
            share = 1.0 / (1.0 + constants.segment_decay * abs(place - part))
            for clause, gain in gains.items():
                fit[clause] = fit.get(clause, 0.0) + share * gain
        for gains in question:
            for clause, gain in gains.items():
                if clause in fit:
                    fit[clause] += constants.answer_weight * gain
        found[part] = fit
    return found


def _strays(
    piece: Piece,
    cut: _Cut,
    words: Sequence[_Word],
    fits: Mapping[int, Mapping[int, float]],
    asked: Collection[str],
    index: ClauseIndex,
    known: BindingWords,
) -> dict[str, float]:
    """Return how far the words stand apart from the clauses that the others fit best, and which are turned round."""
    found: dict[str, float] = {}
    total = stray = held = lost = 0.0
    values = [(mention.start, mention.end) for mention in piece.mentions]
    ranked = {part: sorted(fit, key=fit.__getitem__, reverse=True) for part, fit in fits.items()}
    for lemma, part, at in words:
        worth, fit, gains = index.worth(lemma), fits[part], index.gains(lemma)
        total += worth
        homes = index.homes(lemma)
        if not homes:
            continue
        rest = {clause: fit[clause] - gains[clause] for clause in homes}
        home = max(rest, key=lambda clause: (rest[clause], -clause))
        beside = next((fit[clause] for clause in ranked[part] if clause not in gains), -1.0)
        best = max([beside, *[fit[clause] - gain for clause, gain in gains.items()]])
        margin = (best - rest[home]) / (best + rest[home] + known.constants.smoothing)
        stray += worth * margin
        start = piece.starts[at]
        if lemma not in asked and not any(first <= start < end for first, end in values):
            if known.support.thesaurus.kind(lemma) != "v":
                found["stray_noun"] = max(found.get("stray_noun", 0.0), margin)
            if at and piece.text[start].isupper():
                found["stray_name"] = max(found.get("stray_name", 0.0), margin)
        held += worth
        if index.denies(home) and not cut.denies(part):
            lost += worth
    found["stray"] = stray / total
    found["deny_lost"] = lost / held if held else 0.0
    return found
