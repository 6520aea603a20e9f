"""The parts of a question that asks several things, and which of them an answer leaves open."""

import re
from collections import Counter
from dataclasses import dataclass

from plumbrule.scorers.completeness import TopicWords, extract_keywords
from plumbrule.text.view import TextView

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
