"""How well contexts support answers, as reports show it: bands, counts, and what they were made with."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Body = Mapping[str, Any]

_PARTS = ("model", "calibration", "verifier")


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportStamp:
    """What support scores were made with; ``part`` is model, calibration or verifier."""

    part: str
    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportTotals:
    """How many samples of the decisive repeat are in each band; the stamps are those of every repeat."""

    supported: int
    doubtful: int
    unsupported: int
    not_given: int  # a refusal, no answer, or a judge that does not give it
    stamps: tuple[SupportStamp, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportSentence:
    """One sentence of an answer beside the passage nearest to it; ``passage`` counts from 1."""

    text: str
    claims: bool
    probability: float
    band: str
    passage: int | None
    evidence: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSupport:
    """The support of one answer, sentence by sentence."""

    score: float
    band: str
    sentences: tuple[SupportSentence, ...]
    stamps: tuple[SupportStamp, ...]


def stamps_of(supports: Iterable[Body]) -> tuple[SupportStamp, ...]:
    """Return what these scores were made with, each stamp once."""
    stamps = {
        (place, part, stamp["name"], stamp["version"], stamp["sha256"])
        for support in supports
        for place, part in enumerate(_PARTS)
        if (stamp := support.get(part)) is not None
    }
    return tuple(
        SupportStamp(part=part, name=name, version=version, sha256=sha256)
        for _, part, name, version, sha256 in sorted(stamps)
    )


def count_bands(bands: Iterable[str | None], stamps: tuple[SupportStamp, ...]) -> SupportTotals:
    """Count samples by band; one without a score is in none."""
    counts = Counter(bands)
    return SupportTotals(
        supported=counts["supported"],
        doubtful=counts["doubtful"],
        unsupported=counts["unsupported"],
        not_given=counts[None],
        stamps=stamps,
    )


def answer_support(support: Body | None, answer: str, contexts: Sequence[str]) -> AnswerSupport | None:
    """Return the support of an answer with the texts at its offsets."""
    if support is None:
        return None
    return AnswerSupport(
        score=support["score"],
        band=support["band"],
        sentences=tuple(_sentence(sentence, answer, contexts) for sentence in support["sentences"]),
        stamps=stamps_of([support]),
    )


def _sentence(sentence: Body, answer: str, contexts: Sequence[str]) -> SupportSentence:
    evidence = sentence["evidence"]
    return SupportSentence(
        text=answer[sentence["start"] : sentence["end"]],
        claims=sentence["claims"],
        probability=sentence["probability"],
        band=sentence["band"],
        passage=None if evidence is None else evidence["context"] + 1,
        evidence=None if evidence is None else contexts[evidence["context"]][evidence["start"] : evidence["end"]],
        reasons=tuple(sentence["reasons"]),
    )
