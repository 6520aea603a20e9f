"""Bind an answer to its contexts: the findings in words, and one risk for each sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from plumbrule.support.binding.binding_words import BindingWords, binding_words
from plumbrule.support.binding.clauses import ClauseIndex, clause_measures
from plumbrule.support.binding.duels import Binding, Duels
from plumbrule.support.binding.edits import Edits, find_edits
from plumbrule.support.binding.mentions import Mention
from plumbrule.support.binding.slots import BoundGround, Piece, Slot, words_at
from plumbrule.support.measures import MEASURES, Comparison
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView
from plumbrule.text.work_limits import MOST_BOUND

# A text that is laid out: a heading with what stands under it, a row of a table, an object, a list.
_LAID_OUT = re.compile(
    r"(?:^|[.;] )[\w(][^.:;\n]{1,45}: \S|\|.{1,80}\||\{\s*\"|^\s{0,8}(?:[-*•§]|\d+[.)])\s", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A stretch of the answer that the contexts speak against, and what they have in its place."""

    start: int
    end: int
    margin: float
    against: str  # the rival as the context writes it
    of: str  # what the rival is said of


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundSentence:
    """One sentence: its measures by name, the risk that they make, and what speaks against it."""

    sentence: Sentence
    measures: Mapping[str, float]
    log_odds: float  # that the sentence says what its contexts say; 0 where binding does not decide
    share: float  # of the log-odds of coverage that is added to its own
    copied: bool  # it repeats a passage and changes nothing
    made_up: bool  # it says much, and no passage has a word of it
    contradictions: tuple[Contradiction, ...]
    changes: tuple[tuple[int, int], ...]  # the words that change what its passage says
    passage: str  # that it says nearly the same as


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerBinding:
    """What binding makes of an answer."""

    sentences: tuple[BoundSentence, ...]
    short: bool  # a short answer to a question: small changes are what goes wrong there
    decides: bool  # and there is something to bind


class BoundContexts:
    """What binding reads of contexts and of a question, for all answers to it over the same contexts."""

    def __init__(self, contexts: Sequence[TextView], known: BindingWords) -> None:
        self._contexts, self._known = contexts, known
        self.ground = BoundGround(contexts, known)
        self._clauses: ClauseIndex | None = None
        self._asked: tuple[str, Piece] | None = None  # as one, so that threads cannot mix two questions

    @property
    def clauses(self) -> ClauseIndex:
        """The clauses of the contexts, read when they are asked for."""
        if self._clauses is None:
            self._clauses = ClauseIndex(self._contexts, self.ground, self._known)
        return self._clauses

    def asked(self, question: str) -> Piece:
        """Return a question as binding reads it; the last one is kept."""
        kept = self._asked
        if kept is None or kept[0] != question:
            longest = self._known.constants.longest_question
            kept = self._asked = question, Piece(question[:longest], self._known)
        return kept[1]


def bind(
    question: str,
    answer: TextView,
    contexts: Sequence[TextView],
    known: BindingWords | None = None,
    *,
    compared: Sequence[Comparison] = (),
    read: BoundContexts | None = None,
) -> AnswerBinding:
    """Hold every value, identifier and change of wording of an answer against its contexts.

    ``known`` is what ships unless another is given; ``compared`` is what coverage makes of the sentences, which tells
    how much a change weighs. ``read`` is what was read of these contexts for another answer.
    """
    known = known if known is not None else binding_words()
    coverage = {each.sentence.start: _covered(each) for each in compared}
    read = read if read is not None else BoundContexts(contexts, known)
    ground = read.ground
    places = answer.sentences
    bound = [place for place in places[: known.constants.most_sentences] if place.end <= MOST_BOUND]
    pieces = [Piece(answer.text[place.start : place.end], known, words_at(answer, *place)) for place in bound]
    asked = read.asked(question)
    bindings: dict[int, list[Binding]] = {}
    for binding in Duels(asked, pieces, ground, known).bindings():
        bindings.setdefault(binding.sentence, []).append(binding)
    words = frozenset(asked.lemmas)
    values = sum(len(own) for own in bindings.values())
    short = _is_short(asked, answer, contexts, known, values=bool(values))
    all_edits = [find_edits(piece, ground, words, known) if short else Edits() for piece in pieces]
    decides = short and (values > 0 or (len(contexts) > 1 and any(edits.near for edits in all_edits)))
    index = read.clauses if decides else None
    share = known.support_share if len(contexts) > 1 else known.constants.alone_share
    sentences = []
    for at, (place, piece, edits) in enumerate(zip(bound, pieces, all_edits, strict=True)):
        own = bindings.get(at, [])
        passage = ground.pieces[edits.unit].text if edits.unit is not None else ""
        measures = measures_of(own, edits, known) | _apart(at, all_edits)
        if index is not None:
            measures |= clause_measures(piece, words, index, known)
            measures |= {"values": float(len(own)), "length": float(len(piece.content))}
            measures |= coverage.get(place.start, {})
            if not at and _affirms_denied(piece, asked, ground, known):
                measures["yes_denied"] = 1.0
        sentences.append(
            BoundSentence(
                sentence=place,
                measures=measures,
                log_odds=-log_risk(measures, known) if decides else 0.0,
                share=share,
                copied=_is_copy(edits, measures, known),
                made_up=_is_made_up(piece, measures, known),
                contradictions=tuple(_contradictions(own, edits, passage, place.start, values, known, decides=decides)),
                changes=tuple((place.start + piece.starts[put], place.start + piece.ends[put]) for put in edits.put_in),
                passage=passage,
            )
        )
    sentences += [
        BoundSentence(
            sentence=place,
            measures={},
            log_odds=0.0,
            share=share,
            copied=False,
            made_up=False,
            contradictions=(),
            changes=(),
            passage="",
        )
        for place in places[len(bound) :]
    ]
    return AnswerBinding(sentences=tuple(sentences), short=short, decides=decides)


def _covered(compared: Comparison) -> dict[str, float]:
    """Return the measures of coverage by names of their own, those that are not 0."""
    return {f"cover_{name}": amount for name, amount in zip(MEASURES, compared.measures, strict=True) if amount}


def measures_of(bindings: Sequence[Binding], edits: Edits, known: BindingWords) -> dict[str, float]:
    """Return the measures of a sentence, those that are not 0."""
    measures = dict(edits.measures)

    def add(name: str, amount: float = 1.0) -> None:
        measures[name] = measures.get(name, 0.0) + amount

    for each in bindings:
        if each.outcome == "absent":
            add("absent")
            add(f"absent_{_sort(each)}")
            if each.rival_weight > known.constants.rivalled:
                add("absent_rivalled")
        elif each.outcome == "derived":
            add(f"derived_{each.level}" + ("_cue" if each.cue else ""))
        elif each.outcome == "bound" and each.margin > 0:
            name = f"duel_{_ground_of(each)}"
            measures[name] = max(measures.get(name, 0.0), each.margin)
            measures["duel"] = max(measures.get("duel", 0.0), each.margin)
        elif each.outcome == "bound" and each.margin < known.constants.least_bound:
            add("bound")
    for each, _ in _in_place(bindings, edits):
        measures[f"in_place_{each.outcome}"] = edits.near
    return {name: amount for name, amount in measures.items() if amount}


def _in_place(bindings: Sequence[Binding], edits: Edits) -> Iterator[tuple[Binding, Mention]]:
    """Yield the values in whose place the nearest passage has another, with that; not what is asked or worked out."""
    others = {id(pair.value): pair.other for pair in edits.in_place}
    for each in bindings:
        if id(each.mention) in others and each.outcome != "asked" and not each.cue:
            yield each, others[id(each.mention)]


def _apart(index: int, edits: Sequence[Edits]) -> dict[str, float]:
    """Return how much farther a sentence is from the contexts than the nearest of its answer: what is made up is."""
    nearest = max([each.near for each in edits])
    return {"apart": nearest - edits[index].near} if nearest > edits[index].near else {}


def _affirms_denied(sentence: Piece, asked: Piece, ground: BoundGround, known: BindingWords) -> bool:
    """Tell whether an answer says yes where the passage that is nearest to the question denies, or the reverse."""
    if not sentence.lemmas or sentence.lemmas[0] not in known.affirming:
        return False
    words = set(asked.content)
    shared = [
        sum([ground.rarity(lemma) for lemma in sorted(words.intersection(piece.lemmas))]) for piece in ground.pieces
    ]
    most = max(shared, default=0.0)
    return most > 0 and ground.pieces[shared.index(most)].denies() != asked.denies()


def _is_copy(edits: Edits, measures: Mapping[str, float], known: BindingWords) -> bool:
    """Tell whether a sentence repeats a passage, changes nothing, and has its values where they belong."""
    if edits.near < known.constants.verbatim or measures.get("edited"):
        return False
    return not measures.get("absent") and not measures.get("duel")


def _is_made_up(piece: Piece, measures: Mapping[str, float], known: BindingWords) -> bool:
    """Tell whether a sentence says much, and no passage has a word of it; a short one may say the same in others."""
    return measures.get("cover_evidence", 0.0) >= 1 and len(piece.content) >= known.constants.least_made_up


def _sort(binding: Binding) -> str:
    mention = binding.mention
    if mention.kind != "number":
        return mention.kind
    return mention.base if mention.base in ("money", "percent", "period", "count") else "quantity"


def _ground_of(binding: Binding) -> str:
    if binding.mention.kind == "identifier":
        return "identifier"
    if binding.place is None or binding.rival is None:
        return "prose"
    if binding.place.place.cell:
        return "cell"
    return "same" if binding.place.place is binding.rival.place else "prose"


def log_risk(measures: Mapping[str, float], known: BindingWords) -> float:
    """Return the log-odds that a sentence with these measures is wrong."""
    weights = known.weights
    alone = fsum([weights.get(name, 0.0) * amount for name, amount in measures.items()])
    return known.intercept + alone + known.trees.total(measures)


def _contradictions(
    bindings: Sequence[Binding],
    edits: Edits,
    passage: str,
    base: int,
    values: int,
    known: BindingWords,
    *,
    decides: bool,
) -> list[Contradiction]:
    """Return the values that the contexts give otherwise.

    It must be surer where an answer has many values, and in texts that binding does not decide on. Where the passage
    that a sentence nearly repeats has another value in the place of its own, that is the rival.
    """
    constants = known.constants
    shown = constants.shown_margin if decides else constants.shown_elsewhere
    shown += constants.shown_step * max(0, values - constants.few_values)
    rivalled = constants.rivalled if decides else constants.rivalled_elsewhere
    near = {"absent": constants.shown_in_place, "bound": constants.shown_moved} if decides else {}
    in_place = {
        id(each): other for each, other in _in_place(bindings, edits) if edits.near >= near.get(each.outcome, 2)
    }
    found = []
    for each in bindings:
        rival, other = each.rival, in_place.get(id(each))
        if other is not None:
            margin, against, of = edits.near, passage[other.start : other.end], passage
        elif each.outcome == "bound" and rival is not None and each.margin >= shown:
            margin, against, of = each.margin, _shown(rival), _said_of(rival)
        elif each.outcome == "absent" and rival is not None and each.rival_weight > rivalled:
            margin, against, of = 1.0, _shown(rival), _said_of(rival)
        else:
            continue
        start, end = base + each.mention.start, base + each.mention.end
        found.append(Contradiction(start=start, end=end, margin=margin, against=against, of=of))
    return found


def _shown(slot: Slot) -> str:
    return slot.text[slot.mention.start : slot.mention.end] or slot.mention.text


def _said_of(slot: Slot) -> str:
    place = slot.place
    return place.head if place.cell else place.text


def _is_short(
    asked: Piece, answer: TextView, contexts: Sequence[TextView], known: BindingWords, *, values: bool
) -> bool:
    """Tell whether an answer is a short one to a question over contexts that speak of what is asked.

    In talk over one text, what is added goes wrong; so one context must have words of the question, and contexts of a
    few words more of them. A document that tells what holds needs none: a loosely worded question has none of its own.
    """
    constants = known.constants
    if not known.asks.search(asked.text) or len(answer.lemmas) > constants.most_answer_words:
        return False
    words = sum([len(view.lemmas) for view in contexts])
    brief = words < constants.least_context_words
    if not brief and len(contexts) > 1:
        return True
    if words <= constants.most_document_words and any(
        _LAID_OUT.search(view.text) or (not brief and known.documents.search(view.text)) for view in contexts
    ):
        return True
    least = constants.least_asked if values else constants.least_asked_unvalued
    return _asked_of(asked, contexts, known) >= least + (constants.more_asked if brief else 0)


def _asked_of(asked: Piece, contexts: Sequence[TextView], known: BindingWords) -> int:
    """Return how many words of a question the contexts have: whether they speak of what is asked."""
    words = {lemma for lemma in asked.content if lemma not in known.support.talk}
    return len([word for word in words if any(word in view.lemma_set for view in contexts)])
