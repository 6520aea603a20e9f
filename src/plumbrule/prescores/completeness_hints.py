"""Hints on completeness: parts of the question that have no answer, and answers to something else.

A part is answered by what was said for it, not by its words said again: "Ten years" answers how long invoices are kept.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from plumbrule.prescores.checks import Hint, spot_in
from plumbrule.prescores.study import Study
from plumbrule.text.phrases import contains_any
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.completeness import TopicWords, extract_keywords

_ASKING = (
    "what|which|who|whom|whose|when|where|why|how|whether|is|are|was|were|do|does|did|"  # the words of a new question
    "can|could|may|must|should|will|has"
)
_SPLIT = re.compile(
    rf"[?;\n]+|,?\s+(?:and|or)\s+(?:also\s+)?(?=(?:{_ASKING})\b)|,\s+(?=(?:{_ASKING})\b)|(?:^|\s)\(?\d{{1,2}}[.)]\s",
    re.IGNORECASE,
)
_STEM = 4  # letters that words of one family share
_STOP = re.compile(r"[,;:.!?…]\s|\n")  # between the pieces of an answer; the comma of a number is none
_MARKER = re.compile(r"[\[【][^\[\]【】\n]{1,60}[\]】]")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPart:
    """One thing asked: its place in the question, and the keywords that no other part has."""

    start: int
    end: int
    own: frozenset[str]
    answered: bool


def question_parts(
    question: TextView,
    answer: TextView,
    words: TopicWords,
    *,
    declined: Sequence[tuple[int, int]] = (),
    value_asked: Sequence[str] = (),
) -> list[QuestionPart]:
    """Return the parts of a question that asks more than one thing; none for one that asks one thing.

    A part is answered where what is left of the answer, without the clauses that decline, has a word of its own. Each
    other part takes one piece of the answer that no part has claimed; one that asks for a value takes one with a value.
    """
    places = _part_places(question.text)
    keyed = [frozenset(extract_keywords(TextView(question.text[start:end]), words)) for start, end in places]
    asked = Counter(word for keys in keyed for word in keys)
    owned = [
        (place, frozenset(word for word in keys if asked[word] == 1)) for place, keys in zip(places, keyed, strict=True)
    ]
    owned = [(place, own) for place, own in owned if own]
    if len(owned) < 2:
        return []
    said = _without(answer.text, declined)
    known = TextView(said).lemma_set
    unclaimed = [piece for piece in _pieces(said, words) if not any(own & piece.lemma_set for _, own in owned)]
    answered = [not own.isdisjoint(known) for _, own in owned]
    wants_value = [contains_any(question.text[start:end], value_asked) is not None for (start, end), _ in owned]
    for index in sorted(range(len(owned)), key=lambda index: (not wants_value[index], index)):
        if answered[index]:
            continue
        fitting = [piece for piece in unclaimed if _gives_value(piece, question)] if wants_value[index] else unclaimed
        if fitting:
            unclaimed.remove(fitting[0])
            answered[index] = True
    return [
        QuestionPart(start=start, end=end, own=own, answered=part_answered)
        for ((start, end), own), part_answered in zip(owned, answered, strict=True)
    ]


def completeness_hints(study: Study) -> list[Hint]:
    """Return what the answer seems to leave out, and the level that this proposes."""
    rules, words = study.policy.compliance.completeness, study.policy.words
    if not study.answered or not study.keywords:
        return []
    declined = study.declined
    parts = question_parts(study.question, study.answer, words.topic, declined=declined, value_asked=rules.value_asked)
    if not _is_on_topic(study):
        message = "neither the answer nor what it is drawn from speaks of what was asked"
        return [Hint(code="off_topic", message=message, level=rules.off_topic)]
    open_ = [part for part in parts if not part.answered]
    if open_:
        most = 2 * len(open_) > len(parts)
        return [
            Hint(
                code="parts_unanswered",
                message=f"parts of the question that seem to have no answer: {len(open_)} of {len(parts)}",
                level=rules.most_parts_unanswered if most else rules.parts_unanswered,
                evidence=tuple(spot_in("question", study.question.text, part.start, part.end) for part in open_),
            )
        ]
    if declined or study.interaction.sample.grounding_status == study.policy.compliance.statuses.partial:
        spots = tuple(spot_in("answer", study.answer.text, start, end) for start, end in declined)
        message = "the answer says itself that it leaves a part open"
        return [Hint(code="parts_left_open", message=message, level=rules.parts_unanswered, evidence=spots)]
    return [Hint(code="parts_answered", message="each part of the question has an answer", level="Strong")]


def _part_places(text: str) -> list[tuple[int, int]]:
    places: list[tuple[int, int]] = []
    start = 0
    for cut in (*_SPLIT.finditer(text), None):
        end = cut.start() if cut is not None else len(text)
        if text[start:end].strip():
            places.append((start, end))
        start = cut.end() if cut is not None else end
    return places


def _without(text: str, stretches: Sequence[tuple[int, int]]) -> str:
    """Return a text without its citation markers and without these stretches, each in place of itself."""
    kept = _MARKER.sub(lambda marker: " " * len(marker[0]), text)
    for start, end in stretches:
        kept = kept[:start] + " " * (end - start) + kept[end:]
    return kept


def _pieces(text: str, words: TopicWords) -> list[TextView]:
    """Return what stands between the stops of a text and says something."""
    views = map(TextView, _STOP.split(text))
    return [view for view in views if not view.lemma_set <= words.stop or view.values]


def _gives_value(piece: TextView, question: TextView) -> bool:
    """Tell whether a piece gives a number or a date that the asker did not give."""
    given = {question.text[value.start : value.end] for value in question.values}
    return any(piece.text[value.start : value.end] not in given for value in piece.values)


def _akin(word: str, other: str) -> bool:
    """Tell whether two lemmas are one, or begin alike: "apply" and "application"."""
    return word == other or (len(word) > _STEM and word[:_STEM] == other[:_STEM])


def _is_on_topic(study: Study) -> bool:
    """Tell whether the answer has a keyword of the question, or is drawn from a sentence that has one."""
    if not study.keywords.isdisjoint(study.answer.lemma_set):
        return True
    least = study.policy.compliance.completeness.drawn_from
    stop = study.policy.words.topic.stop
    for sentence in study.answer.sentences:
        said = study.answer.lemmas_beside(sentence.start) - stop
        shares = [
            (len(said & beside), any(_akin(word, other) for word in study.keywords for other in beside))
            for view in study.passages
            for place in view.sentences
            for beside in [view.lemmas_beside(place.start)]
        ]
        shared, on_topic = max(shares, default=(0, False))
        if on_topic and shared * least.denominator >= least.numerator * len(said):
            return True
    return False
