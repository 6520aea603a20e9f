"""Reads a question: what of it is asked, its parts, the kind of value wanted; and the sentences that answer a part."""

import re
from dataclasses import dataclass

from examples.assistant.retrieval import POLICY, Found, Index, content_words

from plumbrule.text.dates import Date
from plumbrule.text.values import Value, comparable, extract_values, match_value

_ASKING = (
    "what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|within|at|by|"
    "with|for"
)
_TELLING = "tell|list|name|give|summari[sz]e|confirm|spell|promise|repeat"
_REQUEST = re.compile(rf"(?:\b(?:{_ASKING})\b.*\?$)|^\W*(?:so|and|but)?\W*(?:{_ASKING}|{_TELLING})\b", re.IGNORECASE)
_SEGMENT = re.compile(r"(?<=[.?!;:])\s+|(?:^|\s)\(?\d{1,2}\)\s")
_PART = re.compile(
    r";|\?|,?\s+and\s+(?=(?:what|which|who|whose|when|where|why|how|is|are|does|do|within|at what|by what|with)\b)|"
    r",\s+(?=(?:what|which|who|when|where|how|with)\b)",
    re.IGNORECASE,
)
# What kind of value answers a question that is put like this; the first that fits counts.
_KINDS = (
    (re.compile(r"percent|\bshare\b", re.IGNORECASE), {"percent"}),
    (re.compile(r"\b(?:(?:at|by) (?:what|which) time|latest time|cut-off times?)\b", re.IGNORECASE), {"time"}),
    (
        re.compile(
            r"\bhow (?:long|soon|far|quickly)\b|how many (?:\w+ )?(?:days|weeks|months|years|hours)\b", re.IGNORECASE
        ),
        {"duration"},
    ),
    (re.compile(r"\b(?:fees?|fines?|charges?|amount|dollar|cost)\b|how much (?!per)", re.IGNORECASE), {"money"}),
    (re.compile(r"\bhow many\b", re.IGNORECASE), {"count", "duration"}),
    (re.compile(r"\b(?:limit)\b", re.IGNORECASE), {"money", "count", "percent", "duration"}),
)
_NOT_A_VALUE = re.compile(r"^\W*(?:are|is|do|does|who|whose)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One thing asked: its text, its words, and the kinds of value that would answer it (none: any sentence may)."""

    text: str
    words: tuple[str, ...]
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A sentence of a passage that answers a part, with how much of the part's words it has."""

    found: Found
    sentence: str
    coverage: float


def asked(query: str) -> str:
    """Return what is asked, without what was said before it; all of it where the question alone names nothing."""
    segments = [segment.strip() for segment in _SEGMENT.split(query) if segment and segment.strip()]
    wanted = " ".join(segment for segment in segments if _REQUEST.search(segment))
    return wanted if content_words(wanted) else query


def parts_of(question: str) -> list[Part]:
    """Return the things that a question asks for; a piece that names nothing of its own is no part."""
    parts = []
    for piece in _PART.split(question):
        words = tuple(content_words(piece or ""))
        if words:
            parts.append(Part(text=piece, words=words, kinds=_kinds(piece)))
    return parts


def is_ambiguous(words: list[str], index: Index) -> bool:
    """Tell whether the words of a question fit several documents alike, so that nobody can know which is meant."""
    if not words:
        return True
    if len(words) == 1:
        return index.sources_with(words[0]) > 1
    return all(index.sources_with(word) > 2 for word in words)


def answers_to(part: Part, found: list[Found], index: Index) -> list[Answer]:
    """Return the sentences that answer a part, the best of each passage, the best first."""
    answers = []
    for each in found:
        if index.share(part.words, each.words) < POLICY["part_coverage"]:
            continue  # something was asked that the passage does not speak of
        rated = [
            Answer(found=each, sentence=sentence, coverage=index.share(part.words, _words(sentence) | each.heading))
            for sentence in each.sentences
            if not part.kinds or part.kinds & {_kind(value) for value in extract_values(sentence)}
        ]
        fitting = [answer for answer in rated if answer.coverage >= POLICY["sentence_coverage"]]
        if fitting:
            answers.append(
                max(fitting, key=lambda answer: (answer.coverage, index.share(part.words, _words(answer.sentence))))
            )
    return sorted(answers, key=lambda answer: -answer.coverage)


def conflict_in(answers: list[Answer]) -> tuple[Answer, str, Answer, str] | None:
    """Return two answers of different sources that say the same with different values, and those values."""
    for place, one in enumerate(answers):
        for other in answers[place + 1 :]:
            words, others = _words(one.sentence), _words(other.sentence)
            alike = len(words & others) >= POLICY["conflict_overlap"] * min(len(words), len(others))
            if one.found.passage["source_id"] == other.found.passage["source_id"] or not alike:
                continue
            pair = _differing(one.sentence, other.sentence)
            if pair is not None:
                return one, pair[0], other, pair[1]
    return None


def _differing(one: str, other: str) -> tuple[str, str] | None:
    values, others = extract_values(one), extract_values(other)
    for value in values:
        rivals = [rival for rival in others if comparable(value, rival)]
        if rivals and not any(match_value(value, one, rival, other) for rival in rivals):
            return one[value.start : value.end], other[rivals[0].start : rivals[0].end]
    return None


def _kinds(text: str) -> frozenset[str]:
    if _NOT_A_VALUE.search(text):
        return frozenset()
    return next((frozenset(kinds) for pattern, kinds in _KINDS if pattern.search(text)), frozenset())


def _kind(value: Value) -> str:
    if isinstance(value, Date):
        return "time" if value.granularity == "time" else "date"
    unit = value.unit
    if unit is None:
        return "count"
    if unit.dimension == "percent":
        return "percent"
    return "money" if unit.dimension.isupper() else "duration"


def _words(text: str) -> frozenset[str]:
    return frozenset(content_words(text))
