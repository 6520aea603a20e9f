"""The textbook implementation of the verdict rubric, to measure against: what a careful reader would write first."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[$€£]?\d[\d,]*(?:\.\d+)?\s?(?:%|percent|million|billion|thousand)?")
_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}/\d{1,2}/\d{2,4}\b|\b(?:19|20)\d{2}\b|"
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}"
    r"(?:,\s*\d{4})?\b|\b\d{1,2}:\d{2}\b"
)
_WINDOW = 300


class Figures(NamedTuple):
    """What the verdict is made of."""

    relevance: float
    completeness: float
    hallucination: float


def score(question: str, answer: str, contexts: list[str], stop: frozenset[str], parser: "Language | None") -> str:
    """Return the verdict, one sample at a time."""
    figures = measure(question, answer, contexts, stop, parser)
    if figures.hallucination > 0.5 or figures.relevance < 0.1:
        return "FAIL"
    return "WARN" if figures.completeness < 0.6 else "PASS"


def measure(
    question: str, answer: str, contexts: list[str], stop: frozenset[str], parser: "Language | None"
) -> Figures:
    """Return the figures of a sample, worked out as the formulas stand."""
    context = "\n".join(contexts)
    matrix = TfidfVectorizer().fit_transform([question, answer])
    cosine = float(cosine_similarity(matrix[0], matrix[1])[0, 0])
    asked, said, given = (set(_WORD.findall(text.lower())) for text in (question, answer, context))
    relevance = (cosine + len(asked & said) / max(len(asked | said), 1)) / 2
    keywords = asked - stop
    completeness = len(keywords & said) / len(keywords) if keywords else 1.0
    anchors = [*_NUMBER.findall(answer), *_DATE.findall(answer)]
    known = {*(text.strip() for text in _NUMBER.findall(context)), *_DATE.findall(context)}
    unsupported = sum(anchor.strip() not in known for anchor in anchors)
    total = len(anchors)
    if parser is not None:
        claims = list(_triples(parser(answer)))
        evidence = list(_places(parser(context)))
        total += len(claims)
        unsupported += sum(not _near(subject, target, evidence) for subject, target in claims)
    content = said - stop
    drift = 0.2 if content and len(content & given) / len(content) < 0.2 else 0.0
    return Figures(relevance, completeness, max(unsupported / total if total else 0.0, drift))


def _triples(doc: "Doc") -> Iterator[tuple[str, str]]:
    for token in doc:
        if token.dep_ in {"nsubj", "nsubjpass"}:
            for child in token.head.children:
                if child.dep_ in {"dobj", "attr", "acomp"}:
                    yield token.text.lower(), child.text.lower()


def _places(doc: "Doc") -> Iterator[tuple[str, int]]:
    for token in doc:
        yield token.text.lower(), token.idx


def _near(subject: str, target: str, evidence: list[tuple[str, int]]) -> bool:
    subjects = [place for word, place in evidence if word == subject]
    targets = [place for word, place in evidence if word == target]
    return any(abs(one - other) <= _WINDOW for one in subjects for other in targets)
