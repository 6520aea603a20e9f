"""Refusal: whether the assistant declined to answer, and whether it should have."""

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from plumbrule.samples.sample_model import Sample
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas

_WORD = re.compile(r"[a-z']+")

Judgement = Literal["as_expected", "wrong_code", "unneeded", "missing", "unjudged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalWording:
    """How a refusal is known by its words; it comes from the rubric."""

    phrases: Mapping[str, tuple[str, ...]]  # by a lemma that an answer with the phrase must have
    impersonal: frozenset[str]  # those that need no speaker
    speakers: frozenset[str]
    courtesies: frozenset[str]
    at_most_words: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalFinding:
    """Whether the assistant refused, and whether that was expected."""

    refused: bool
    declared: bool
    code: str | None
    start: int | None  # where the answer's wording says so
    end: int | None
    expected: bool | None
    expected_code: str | None
    judgement: Judgement


def index_phrases(phrases: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the phrases by the longest of their lemmas, so that most answers need no search."""
    index: dict[str, tuple[str, ...]] = {}
    for phrase in phrases:
        key = max(lemmas(phrase), key=lambda lemma: (len(lemma), lemma), default="")
        index[key] = (*index.get(key, ()), phrase)
    return index


def judge_refusal(sample: Sample, answer: TextView, wording: RefusalWording) -> RefusalFinding | None:
    """Return what is known of a refusal; None for an answer that is none and was not expected to be one."""
    declared = sample.refused
    worded = _find_wording(answer, wording)
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


def _find_wording(answer: TextView, wording: RefusalWording) -> re.Match[str] | None:
    """Find the first refusing phrase as whole words, whatever their case, spacing and apostrophe."""
    keys = wording.phrases.keys()
    if keys.isdisjoint(answer.lemmas) or len(answer.text.split(None, wording.at_most_words)) > wording.at_most_words:
        return None
    folded = answer.text.lower()
    phrases = [
        phrase
        for key in keys & answer.lemma_set
        for phrase in wording.phrases[key]
        if _may_stand_in(phrase, folded) and _pattern(phrase).search(answer.text) is not None
    ]
    if not phrases:
        return None
    opening = _opening(answer, wording)
    places = [
        place
        for phrase in phrases
        if (place := _pattern(phrase).search(answer.text, opening.start, opening.end)) is not None
        and (phrase in wording.impersonal or _has_speaker(answer.text[opening.start : place.start()], wording))
    ]
    return min(places, key=lambda place: (place.start(), -place.end()), default=None)


def _may_stand_in(phrase: str, folded: str) -> bool:
    """Tell whether a text in lower case has every word of the phrase: they are found sooner than their pattern."""
    if not (folded.isascii() and phrase.isascii()):  # other letters may have more than two cases
        return True
    return all([word in folded for word in phrase.split()])  # noqa: C419 - so few are looked up faster than generated


def _opening(answer: TextView, wording: RefusalWording) -> Sentence:
    """Return the first sentence that is more than a courtesy."""
    for sentence in answer.sentences:
        if wording.courtesies.isdisjoint(_words(answer.text[sentence.start : sentence.end])):
            return sentence
        if any(
            _pattern(phrase).search(answer.text, *sentence) for keyed in wording.phrases.values() for phrase in keyed
        ):
            return sentence  # "I am sorry, but I cannot find it."
    return Sentence(0, 0)


def _has_speaker(before: str, wording: RefusalWording) -> bool:
    """Tell whether a phrase is said of the assistant, or opens the sentence without saying of whom."""
    words = [word for word in _words(before) if word not in wording.courtesies]
    return not words or not wording.speakers.isdisjoint(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


@functools.lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    spaced = r"\s+".join(re.escape(word).replace("'", "['’]") for word in phrase.split())
    return re.compile(rf"(?<!\w){spaced}(?!\w)", re.IGNORECASE)
