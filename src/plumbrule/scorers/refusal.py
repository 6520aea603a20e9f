"""Refusal: whether the assistant declined to answer, and whether it should have."""

import functools
import re
from dataclasses import dataclass
from typing import Literal

from plumbrule.samples.model import Sample

Judgement = Literal["as_expected", "wrong_code", "unneeded", "missing", "unjudged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalWording:
    """How a refusal is known by its words; it comes from the rubric."""

    phrases: tuple[str, ...]
    within_characters: int
    at_most_words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalFinding:
    """What was found of a refusal, and how it stands to what was expected."""

    refused: bool
    declared: bool
    code: str | None
    start: int | None  # where the answer's wording says so
    end: int | None
    expected: bool | None
    expected_code: str | None
    judgement: Judgement


def judge_refusal(sample: Sample, wording: RefusalWording) -> RefusalFinding | None:
    """Return what there is to say of a refusal; None for an answer that nobody expected to be one."""
    declared = sample.refusal is not None or (sample.grounding_status or "").upper() == "REFUSED"
    worded = _find_wording(sample.answer or "", wording)
    refused = declared or worded is not None
    code = sample.refusal.code if sample.refusal is not None else None
    expected = sample.expected.refuse if sample.expected is not None else None
    expected_code = sample.expected.refusal_code if sample.expected is not None else None
    if expected is None and expected_code:
        expected = True
    if not refused and not expected:
        return None
    return RefusalFinding(
        refused=refused,
        declared=declared,
        code=code,
        start=worded.start() if worded else None,
        end=worded.end() if worded else None,
        expected=expected,
        expected_code=expected_code,
        judgement=_judge(refused, expected, code, expected_code),
    )


def _judge(refused: bool, expected: bool | None, code: str | None, expected_code: str | None) -> Judgement:  # noqa: FBT001 - three-valued facts, in the order of the sentence
    if not refused:
        return "missing"
    if expected is None:
        return "unjudged"
    if not expected:
        return "unneeded"
    return "wrong_code" if expected_code and code and code != expected_code else "as_expected"


def _find_wording(answer: str, wording: RefusalWording) -> re.Match[str] | None:
    """Find the first refusing phrase as whole words, whatever their case, spacing and apostrophe."""
    opening = answer[: wording.within_characters]
    plain = " ".join(opening.casefold().replace("’", "'").split())
    said = [phrase for phrase in wording.phrases if phrase in plain]
    if not said or len(answer.split(None, wording.at_most_words)) > wording.at_most_words:
        return None
    places = [place for phrase in said if (place := _pattern(phrase).search(opening)) is not None]
    return min(places, key=lambda place: (place.start(), -place.end()), default=None)


@functools.lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    spaced = r"\s+".join(re.escape(word).replace("'", "['’]") for word in phrase.split())
    return re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)
