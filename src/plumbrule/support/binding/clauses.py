"""Which clause of the contexts each word of a sentence comes from, and what that clause says otherwise."""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plumbrule.support.binding.binding_words import BindingWords
from plumbrule.support.binding.slots import BoundGround, Piece, read_context
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas

_MARK = re.compile(r"[,;:()–—?!|]|\.(?=\s)|(?<=\s)-(?=\s)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A stretch between two marks: its words by weight, those of its sentence less, and whether it denies."""

    own: frozenset[str]
    words: Mapping[str, float]
    denies: bool
    classes: frozenset[str]  # of the function words of its sentence


class _Cut:
    """A piece cut into clauses."""

    def __init__(self, piece: Piece, known: BindingWords) -> None:
        marks = [mark.start() for mark in _MARK.finditer(piece.text)]
        joints, self.at, last = 0, [], known.constants.most_clauses - 1
        for lemma, start in zip(piece.lemmas, piece.starts, strict=True):
            self.at.append(min(last, bisect_left(marks, start) + joints))
            if lemma in known.joints and piece.text[start].islower():  # what opens a sentence parts nothing
                joints += 1
        self.parts: dict[int, list[str]] = {}
        for lemma, part in zip(piece.lemmas, self.at, strict=True):
            self.parts.setdefault(part, []).append(lemma)
        self.denies = {part: _denies(own, known) for part, own in self.parts.items()}


def _denies(sequence: Sequence[str], known: BindingWords) -> bool:
    """Tell whether a clause denies what it speaks of; two denials cancel out."""
    count = 0
    for at, lemma in enumerate(sequence):
        if "deny" in known.classes.get(lemma, ()):
            count += at + 1 >= len(sequence) or sequence[at + 1] not in known.support.idle
        elif lemma in known.negative:
            count += 1
    return count % 2 == 1


def cut_clauses(piece: Piece, side: Mapping[str, float], known: BindingWords) -> list[Clause]:
    """Return the clauses of a unit of the contexts; ``side`` are words that say what the whole unit is of."""
    cut = _Cut(piece, known)
    stop, decay = known.stop, known.constants.segment_decay
    contents = {part: frozenset(lemma for lemma in own if lemma not in stop) for part, own in cut.parts.items()}
    classes = frozenset(name for lemma in piece.lemmas for name in known.classes.get(lemma, ()))
    found = []
    for part, own in contents.items():
        words = dict(side)
        for other, theirs in contents.items():
            if other != part:
                weight = 1.0 / (1.0 + decay * abs(other - part))
                words.update({lemma: weight for lemma in theirs if words.get(lemma, 0.0) < weight})
        words.update(dict.fromkeys(own, 1.0))
        found.append(Clause(own=own, words=words, denies=cut.denies[part], classes=classes))
    return found


def _read_clauses(view: TextView, known: BindingWords) -> list[Clause]:
    """Return the clauses of a context."""
    context, constants = view.by(read_context, known), known.constants
    title = context.pieces[0].content[: constants.title_words] if context.pieces else []
    found: list[Clause] = []
    for at, (place, piece) in enumerate(zip(context.places, context.pieces, strict=True)):
        if len(found) >= constants.most_units:
            break
        side = dict.fromkeys(title, constants.title_weight)
        if place.cell:
            beside = [lemma for lemma in lemmas(place.side) if lemma not in known.stop]
            side |= dict.fromkeys(beside, constants.row_weight)
        elif at and not context.places[at - 1].cell:
            side |= dict.fromkeys(context.pieces[at - 1].content, constants.previous_weight)
        found += cut_clauses(piece, side, known)
    return found


class ClauseIndex:
    """The clauses of all contexts, by the words that they have."""

    def __init__(self, contexts: Sequence[TextView], ground: BoundGround, known: BindingWords) -> None:
        self._ground, self._known = ground, known
        self.clauses = [clause for view in contexts for clause in view.by(_read_clauses, known)]
        self.clauses = self.clauses[: known.constants.most_units]
        self._gains: dict[str, dict[int, float]] = {}
        self._homes: dict[str, list[int]] = {}

    def gains(self, lemma: str) -> dict[int, float]:
        """Return what a word adds to the fit of each clause that has it, itself or in its sentence."""
        if lemma not in self._gains:
            found: dict[int, float] = {}
            for other, share in self._forms(lemma):
                worth = share * self._ground.rarity(other)
                for index, clause in enumerate(self.clauses):
                    if other in clause.words:
                        found[index] = max(found.get(index, 0.0), worth * clause.words[other])
            self._gains[lemma] = found
        return self._gains[lemma]

    def worth(self, lemma: str) -> float:
        """Return how much a word tells."""
        return self._ground.rarity(lemma)

    def homes(self, lemma: str) -> list[int]:
        """Return the clauses that have a word themselves, or another form of it."""
        if lemma not in self._homes:
            forms = [other for other, _ in self._forms(lemma)]
            self._homes[lemma] = [index for index in self.gains(lemma) if not self.clauses[index].own.isdisjoint(forms)]
        return self._homes[lemma]

    def _forms(self, lemma: str) -> list[tuple[str, float]]:
        constants = self._known.constants
        if lemma in self._ground.words:
            return [(lemma, 1.0)]
        forms = [(other, constants.form_share) for other in self._ground.forms(lemma)]
        synonyms = self._known.support.thesaurus.synonyms(lemma)
        return forms + [(other, constants.synonym_share) for other in synonyms if other in self._ground.words]


def clause_measures(piece: Piece, asked: Collection[str], index: ClauseIndex, known: BindingWords) -> dict[str, float]:
    """Return what a sentence takes from several clauses, what it turns round, and what it leaves out or puts in."""
    cut = _Cut(piece, known)
    words = _words(piece, cut, known)
    if not words:
        return {}
    fits = _fits(words, asked, index, known)
    nearest = [max(fit, key=lambda clause: (fit[clause], -clause)) for fit in fits.values() if fit]
    found = _strays(piece, cut, words, fits, asked, index, known)
    mine = {name for lemma in piece.lemmas for name in known.classes.get(lemma, ())}
    theirs = {name for clause in nearest for name in index.clauses[clause].classes}
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
    for at, (lemma, part) in enumerate(zip(piece.lemmas, cut.at, strict=True)):
        if lemma not in known.stop and lemma not in known.support.talk:
            found.setdefault((lemma, part), _Word(lemma, part, at))
    return list(found.values())


def _fits(
    words: Sequence[_Word], asked: Collection[str], index: ClauseIndex, known: BindingWords
) -> dict[int, dict[int, float]]:
    """Return, for each clause of a sentence, how well its words fit each clause of the contexts; nearer words more."""
    constants = known.constants
    question = [index.gains(lemma) for lemma in sorted(asked) if lemma not in known.stop]
    found: dict[int, dict[int, float]] = {}
    for part in sorted({word.part for word in words}):
        fit: dict[int, float] = {}
        for word in words:
            share = 1.0 / (1.0 + constants.segment_decay * abs(word.part - part))
            for clause, gain in index.gains(word.lemma).items():
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
    for lemma, part, at in words:
        worth, fit, gains = index.worth(lemma), fits[part], index.gains(lemma)
        total += worth
        homes = index.homes(lemma)
        if not homes:
            continue
        rest = {clause: fit[clause] - gains[clause] for clause in homes}
        home = max(rest, key=lambda clause: (rest[clause], -clause))
        best = max([amount - gains.get(clause, 0.0) for clause, amount in fit.items()])
        margin = (best - rest[home]) / (best + rest[home] + known.constants.smoothing)
        stray += worth * margin
        start = piece.starts[at]
        if lemma not in asked and not any(first <= start < end for first, end in values):
            if known.support.thesaurus.kind(lemma) != "v":
                found["stray_noun"] = max(found.get("stray_noun", 0.0), margin)
            if at and piece.text[start].isupper():
                found["stray_name"] = max(found.get("stray_name", 0.0), margin)
        held += worth
        if index.clauses[home].denies and not cut.denies[part]:
            lost += worth
    found["stray"] = stray / total
    found["deny_lost"] = lost / held if held else 0.0
    return found
