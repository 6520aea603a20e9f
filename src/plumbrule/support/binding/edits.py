"""How a sentence changes the passage that it is nearest to: what it leaves out, puts in, and turns round."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from plumbrule.support.binding.binding_words import BindingWords
from plumbrule.support.binding.mentions import Mention, equal
from plumbrule.support.binding.slots import BoundGround, Piece


class _Run(NamedTuple):
    """Words that a unit and a sentence share in the same order."""

    unit: int
    sentence: int
    size: int


class _Gap(NamedTuple):
    """Words between two runs, from the first to before the last: those of the unit, and those in their place."""

    unit: tuple[int, int]
    sentence: tuple[int, int]


class InPlace(NamedTuple):
    """A value of a sentence, and the other one that its unit has in the same place."""

    value: Mention
    other: Mention


@dataclass(slots=True, kw_only=True)
class Edits:
    """What tells a sentence from the unit that it is nearest to; measures by name, 0 where there is no difference."""

    near: float = 0.0  # share of its words, by weight, that stand in the same order in the contexts
    unit: int | None = None
    measures: dict[str, float] = field(default_factory=dict)
    put_in: tuple[int, ...] = ()  # which words of the sentence change what the unit says
    in_place: tuple[InPlace, ...] = ()


def find_edits(sentence: Piece, ground: BoundGround, asked: Collection[str], known: BindingWords) -> Edits:
    """Return how a sentence differs from what the contexts say in nearly the same words."""
    content = set(sentence.content)
    aligned = _align(sentence, content, ground, known)
    if aligned is None:
        return Edits()
    unit, runs, matched = aligned
    constants = known.constants
    weights = [ground.rarity(lemma) if lemma in content else constants.stop_weight for lemma in sentence.lemmas]
    near = sum([weights[at] for at in sorted(matched)]) / sum(weights)
    theirs = ground.pieces[unit].lemmas
    in_unit = {run.unit + step for run in runs for step in range(run.size)}
    first, last = min(in_unit), max(in_unit)
    put_in = [at for at in range(len(sentence.lemmas)) if at not in matched]
    left_out = [theirs[at] for at in range(first, last) if at not in in_unit]
    beside = theirs[last + 1 : last + 1 + constants.tail_reach] + theirs[max(0, first - constants.head_reach) : first]
    opens = 1 if sentence.lemmas[0] in known.affirming or sentence.lemmas[0] in known.denying else 0
    classes = _classes(sentence.lemmas[opens:], known)  # "No, …" answers a question and denies nothing that follows
    unit_classes = _classes(theirs, known)
    unit_classes |= {other for one, other in known.implied if one in unit_classes}
    put_classes = _classes([sentence.lemmas[at] for at in put_in if at >= opens], known)
    put_classes -= known.echoed & _classes(sorted(asked), known)
    left_classes, beside_classes = _classes(left_out, known), _classes(beside, known)
    measures: dict[str, float] = {}
    for name in known.names:
        if name in put_classes and name not in unit_classes:
            measures[f"put_{name}"] = near
        if name in left_classes and name not in classes:
            measures[f"left_{name}"] = near
        if name in beside_classes and name not in classes:
            measures[f"beside_{name}"] = near
    for one, other in known.swaps:
        if one in classes and other not in classes and other in unit_classes and one not in unit_classes:
            measures[f"swap_{one}_{other}"] = near
    words = _word_changes(sentence, put_in, set(theirs), ground, asked, known)
    size = max(1, len(content))
    measures |= {
        "opposite": float(bool(words.opposite)), "opposite_near": near * bool(words.opposite),
        "foreign_near": near * len(words.foreign) / size, "moved_near": near * len(words.moved) / size,
    }  # fmt: skip
    measures["replaced"] = near * _has_replaced(sentence.lemmas, theirs, runs, words.foreign, known)
    measures["foreign_name"] = float(_has_foreign_name(sentence, put_in, set(theirs), ground, asked, known))
    gaps = list(_gaps(sentence, ground.pieces[unit], runs, known.constants.longest_gap))
    measures["name_in_place"] = near * any(_have_other_names(gap, sentence, ground.pieces[unit]) for gap in gaps)
    changes = (
        len(words.moved) + len(words.opposite) + len(words.foreign) + len(words.new) + len(put_classes - unit_classes)
        + len((left_classes & known.kept) - classes)
    )  # fmt: skip
    measures["edited"] = near * bool(changes)
    measures["copy_with_change"] = near * near * (0 < changes <= constants.most_changes)
    telling = [*words.opposite, *words.foreign, *words.new]
    telling += [
        at for at in put_in if at >= opens and known.classes.get(sentence.lemmas[at], frozenset()) - unit_classes
    ]
    in_place = [pair for gap in gaps for pair in _values_in_place(gap, sentence, ground.pieces[unit])]
    return Edits(near=near, unit=unit, measures=measures, put_in=tuple(sorted(set(telling))), in_place=tuple(in_place))


def _align(
    sentence: Piece, content: set[str], ground: BoundGround, known: BindingWords
) -> tuple[int, list[_Run], set[int]] | None:
    """Return the unit that shares most of a sentence, the runs that they share, and which words the contexts have."""
    constants = known.constants
    weights = {lemma: ground.rarity(lemma) for lemma in sorted(content)}
    shared: dict[int, list[float]] = {}
    for lemma, weight in weights.items():
        for unit in ground.where(lemma):
            shared.setdefault(unit, []).append(weight)
    overlaps = sorted([(-sum(parts), unit) for unit, parts in shared.items()])
    matcher = SequenceMatcher(None, (), sentence.lemmas, autojunk=False)
    candidates = []
    for _, unit in overlaps[: constants.candidates]:
        matcher.set_seq1(ground.pieces[unit].lemmas[: constants.most_aligned])
        runs = _runs(matcher, sentence.lemmas, content)
        if not runs:
            continue
        places = [run.sentence + step for run in runs for step in range(run.size)]
        covered = sum([weights.get(sentence.lemmas[at], constants.stop_weight) for at in places])
        copied = sum([run.size for run in runs if run.size >= constants.least_run])
        candidates.append((-(covered + constants.run_weight * copied), unit, runs))
    if not candidates:
        return None
    candidates.sort(key=lambda each: each[:2])
    _, unit, runs = candidates[0]
    matched = {run.sentence + step for run in runs for step in range(run.size)}
    for _, _, others in candidates[1:]:
        for run in others:
            more = [at for at in range(run.sentence, run.sentence + run.size) if at not in matched]
            if len(more) >= constants.least_run and sum(sentence.lemmas[at] in content for at in more) > 1:
                matched.update(more)
    return unit, runs, matched


def _runs(matcher: SequenceMatcher[str], sentence: Sequence[str], content: set[str]) -> list[_Run]:
    """Return the runs of words that a unit and a sentence share in order; a lone stop word is none."""
    blocks = matcher.get_matching_blocks()
    return [_Run(*block) for block in blocks if block.size > 1 or (block.size and sentence[block.b] in content)]


def _classes(words: Sequence[str], known: BindingWords) -> set[str]:
    return {name for lemma in words for name in known.classes.get(lemma, ())}


class _WordChanges(NamedTuple):
    """Which words of a sentence its unit does not have there, by what they are."""

    moved: list[int]  # the unit has them elsewhere
    opposite: list[int]
    foreign: list[int]  # only other places of the contexts have them
    new: list[int]  # no context has them


def _word_changes(
    sentence: Piece, put_in: Sequence[int], unit: set[str], ground: BoundGround, asked: Collection[str],
    known: BindingWords,
) -> _WordChanges:  # fmt: skip
    changes = _WordChanges([], [], [], [])
    thesaurus, listed = known.support.thesaurus, known.support.antonyms
    mentions = [(mention.start, mention.end) for mention in sentence.mentions]
    for at in put_in:
        lemma, start = sentence.lemmas[at], sentence.starts[at]
        if lemma in known.stop or lemma in known.support.talk or any(first <= start < end for first, end in mentions):
            continue
        opposites = {*thesaurus.antonyms(lemma), *listed.get(lemma, ()), f"un{lemma}", lemma.removeprefix("un")}
        if lemma in unit:
            changes.moved.append(at)
        elif not opposites.isdisjoint(unit):
            changes.opposite.append(at)
        elif lemma in asked or not unit.isdisjoint((*thesaurus.synonyms(lemma), *ground.forms(lemma))):
            continue
        elif ground.where(lemma):
            changes.foreign.append(at)
        else:
            changes.new.append(at)
    return changes


def _has_replaced(
    sentence: Sequence[str], unit: Sequence[str], runs: Sequence[_Run], foreign: Sequence[int], known: BindingWords
) -> bool:
    """Tell whether a word of another place stands where the unit has one of its own, between the same words."""
    said, longest = set(sentence), known.constants.longest_gap
    for one, other in pairwise(runs):
        theirs = unit[one.unit + one.size : other.unit]
        first, last = one.sentence + one.size, other.sentence
        if (
            len(theirs) <= longest
            and last - first <= longest
            and any(first <= at < last for at in foreign)
            and any(lemma not in known.stop and lemma not in said for lemma in theirs)
        ):
            return True
    return False


def _gaps(sentence: Piece, unit: Piece, runs: Sequence[_Run], longest: int) -> Iterator[_Gap]:
    """Yield where a few words stand in the place of a few others, between the same words or after the last of them."""
    for one, other in pairwise((*runs, _Run(len(unit.lemmas), len(sentence.lemmas), 0))):
        ours, theirs = (one.sentence + one.size, other.sentence), (one.unit + one.size, other.unit)
        if not other.size:  # the unit may go on with other things
            theirs = theirs[0], min(theirs[1], theirs[0] + ours[1] - ours[0] + 1)
        if 0 < ours[1] - ours[0] <= longest and 0 < theirs[1] - theirs[0] <= longest:
            yield _Gap(theirs, ours)


def _values_in_place(gap: _Gap, sentence: Piece, unit: Piece) -> Iterator[InPlace]:
    """Yield the values of a sentence in whose place its unit has another of their kind."""
    there = _mentions_in(unit, *gap.unit)
    for mention in _mentions_in(sentence, *gap.sentence) if there else ():
        alike = [each for each in there if each.kind == mention.kind]
        if alike and not any(equal(mention, sentence.text, each, unit.text) for each in there):
            yield InPlace(mention, alike[0])


def _mentions_in(piece: Piece, first: int, last: int) -> list[Mention]:
    """Return the values that have one of the words from ``first`` to before ``last``."""
    start, end = piece.starts[first], piece.ends[last - 1]
    return [mention for mention in piece.mentions if mention.start < end and mention.end > start]


def _have_other_names(gap: _Gap, sentence: Piece, unit: Piece) -> bool:
    """Tell whether a capitalised word stands in the place of others, of which it is none."""
    if _mentions_in(sentence, *gap.sentence) or _mentions_in(unit, *gap.unit):
        return False
    ours, theirs = _names_in(sentence, *gap.sentence), _names_in(unit, *gap.unit)
    return bool(ours and theirs) and ours.isdisjoint(theirs)


def _names_in(piece: Piece, first: int, last: int) -> set[str]:
    """Return the capitalised words from ``first`` to before ``last``; after a mark any word may have a capital."""
    return {
        piece.lemmas[at]
        for at in range(max(1, first), last)
        if piece.text[piece.starts[at]].isupper() and not piece.text[piece.ends[at - 1] : piece.starts[at]].strip(" ")
    }


def _has_foreign_name(
    sentence: Piece, put_in: Sequence[int], unit: set[str], ground: BoundGround, asked: Collection[str],
    known: BindingWords,
) -> bool:  # fmt: skip
    """Tell whether a sentence puts in a capitalised word that only other places of the contexts have."""
    mentions = [(mention.start, mention.end) for mention in sentence.mentions]
    for at in put_in:
        lemma, start = sentence.lemmas[at], sentence.starts[at]
        if lemma in known.support.stop or lemma in asked or lemma in unit or not _names_in(sentence, at, at + 1):
            continue
        if any(first <= start < end for first, end in mentions):
            continue
        if ground.where(lemma) or ground.forms(lemma):
            return True
    return False
