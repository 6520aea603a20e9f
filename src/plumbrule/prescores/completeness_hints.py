"""Hints on completeness: keywords that the answer leaves out, and parts of the question with no answer."""

import re
from collections import Counter
from dataclasses import dataclass

from plumbrule.prescores.checks import Hint, spot_in
from plumbrule.prescores.study import Study
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.completeness import TopicWords, extract_keywords, score_completeness

_ASKING = (
    "what|which|who|whom|whose|when|where|why|how|whether|is|are|was|were|do|does|did|"  # the words of a new question
    "can|could|may|must|should|will|has"
)
_SPLIT = re.compile(
    rf"[?;\n]+|,?\s+(?:and|or)\s+(?:also\s+)?(?=(?:{_ASKING})\b)|,\s+(?=(?:{_ASKING})\b)|(?:^|\s)\(?\d{{1,2}}[.)]\s",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPart:
    """One thing asked: its place in the question, and the keywords that no other part has."""

    start: int
    end: int
    own: frozenset[str]
    answered: bool


def question_parts(question: TextView, answer: TextView, words: TopicWords) -> list[QuestionPart]:
    """Return the parts of a question that asks more than one thing; none for one that asks one thing."""
    places: list[tuple[int, int]] = []
    start = 0
    for cut in (*_SPLIT.finditer(question.text), None):
        end = cut.start() if cut is not None else len(question.text)
        if question.text[start:end].strip():
            places.append((start, end))
        start = cut.end() if cut is not None else end
    keyed = [frozenset(extract_keywords(TextView(question.text[start:end]), words)) for start, end in places]
    asked = Counter(word for keys in keyed for word in keys)
    parts = []
    for index, (start, end) in enumerate(places):
        own = frozenset(word for word in keyed[index] if asked[word] == 1)
        if own:
            answered = not own.isdisjoint(answer.lemma_set)
            parts.append(QuestionPart(start=start, end=end, own=own, answered=answered))
    return parts if len(parts) > 1 else []


def completeness_hints(study: Study) -> list[Hint]:
    """Return what the answer seems to leave out, and the level that this proposes."""
    rules = study.policy.compliance.completeness
    if not study.answered or not study.keywords:
        return []
    covered = score_completeness(study.question, study.answer, study.policy.words.topic)
    figures = (("keyword_share", covered.score),)
    missing = ", ".join(covered.missing)
    hints = []
    if covered.share == 0:
        message = "not one keyword of the question stands in the answer"
        hints.append(Hint(code="off_topic", message=message, level=rules.off_topic, figures=figures))
    elif covered.share < rules.keywords_below:
        message = f"keywords of the question that the answer does not have: {missing}"
        hints.append(Hint(code="keywords_missing", message=message, level=rules.keywords_missing, figures=figures))
    parts = question_parts(study.question, study.answer, study.policy.words.topic)
    open_ = [part for part in parts if not part.answered]
    if open_:
        most = 2 * len(open_) > len(parts)
        hints.append(
            Hint(
                code="parts_unanswered",
                message=f"parts of the question that seem to have no answer: {len(open_)} of {len(parts)}",
                level=rules.most_parts_unanswered if most else rules.parts_unanswered,
                evidence=tuple(spot_in("question", study.question.text, part.start, part.end) for part in open_),
            )
        )
    if not hints:
        hints.append(Hint(code="keywords_covered", message="the question's keywords are covered", level="Strong",
                          figures=figures))  # fmt: skip
    return hints
