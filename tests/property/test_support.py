"""What holds for the support of every answer: probabilities, places and bytes, whatever the text and the company."""

import json
import os
import random
import subprocess
import sys
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from plumbrule.rubrics import load_verdict
from plumbrule.samples import Passage, Sample
from plumbrule.support.evidence_index import Ground, UnitsByWord
from plumbrule.support.measures import compare
from plumbrule.support.support_scorer import Support, SupportScorer
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.verdict import VerdictScorer

RULES = load_verdict().rubric.support
SCORER = SupportScorer(RULES)
ALWAYS = {"support.when": "always", "hallucination.anchors": ["number", "date"]}
MANY = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])

NAMES = ["Acme Corp", "the World Bank", "Jane Doe", "she", "I", "The fee", "WiFi", "Outdoor seating", "NASA’s plan"]
VERBS = ["is", "was not", "paid", "increased to", "never reached", "must be", "has", "does not mention"]
THINGS = ["$25", "5%", "three years", "March 5, 2024", "9 a.m. on Monday", "Paris", "all clients [1]", "no fee [2, 3]"]
SENTENCE = st.builds(
    lambda *parts: " ".join(parts),
    st.sampled_from(NAMES),
    st.sampled_from(VERBS),
    st.sampled_from(THINGS),
).map(lambda said: f"{said}.")
PROSE = st.lists(SENTENCE | st.sampled_from(["Thank you!", "Here are the fees:\n", "- "]), max_size=6).map(" ".join)
DATA = st.dictionaries(
    st.sampled_from(["WiFi", "OutdoorSeating", "stars", "Monday", "fee_usd", "review", "né"]),
    st.sampled_from([True, False, None, 4.5, 25, "9:00 AM - 5:00 PM", "no", "The fee is $25. " * 9, "é\n😀 \ud83d"])
    | st.text(max_size=100),
    max_size=5,
).map(json.dumps)
TABLE = st.lists(st.sampled_from(["| fee | year |\n", "|---|---|\n", "| $25 | 2024 |\n", "Text.\n"]), max_size=6).map(
    "".join
)
TEXT = PROSE | DATA | TABLE | st.text(max_size=80)


def score(answer: str, contexts: list[str], scorer: SupportScorer = SCORER) -> Support | None:
    """Return the support of an answer, read again."""
    return scorer.score(TextView(answer), [TextView(text) for text in contexts])


def check(answer: str, contexts: list[str], found: Support | None) -> None:
    """Check what holds for every support."""
    if found is None:
        assert all(lemma.strip("0123456789,") == "" for lemma in TextView(answer).lemmas)  # no words but citations
        return
    record = found.to_dict()
    assert orjson.loads(orjson.dumps(record)) == record
    assert 0 <= found.score <= 1
    at = 0
    for sentence in found.sentences:
        assert 0 <= sentence.probability <= 1
        assert at <= sentence.start < sentence.end <= len(answer)
        at = sentence.end
        assert (sentence.claims and sentence.band != "supported") or not sentence.reasons
        for finding in sentence.findings:
            assert sentence.start <= finding.start < finding.end <= len(answer)
        if sentence.evidence is not None:
            context, start, end, text = sentence.evidence
            assert contexts[context][start:end] == text != ""
    at = 0
    for start, end in found.spans:
        assert at <= start < end <= len(answer)
        at = end


@given(TEXT, st.lists(TEXT, max_size=4))
@MANY
@example("\x00\x1b[31m\x85\u2028 a", ["\x00 a"])
@example("\u202e52$ si eef ehT", ["\u202e52$ \u2066eef\u2069"])
@example("²³ ½ Ⅻ ㊿ 𝟙𝟚 [²]", ["1⁄2 [½]"])
@example("费用是25美元。", ["费用是25美元。"])
@example("İstanbul ǅ ẞ", ["i̇stanbul ǆ ss"])
@example("A's 'S ’s S’s", ["'s"])
@example('{"a": 1}', ['{"a": "\\ud800"}', "{", "["])
def test_any_text_is_scored(answer: str, contexts: list[str]) -> None:
    """Probabilities lie in [0, 1], offsets point at what they quote, and JSON can be written."""
    check(answer, contexts, score(answer, contexts))


SIZE = 100_000
HOSTILE = {
    "one word": "a" * SIZE,
    "one number": "1" * SIZE,
    "control characters": "\x00\x07\x1b[31m" * (SIZE // 7),
    "right to left": "\u202eשלום \u2066" * (SIZE // 8),
    "emoji": "🙂" * SIZE,
    "punctuation": "!?.,;" * (SIZE // 5),
    "ideographs": "費用是" * (SIZE // 3),
    "opened braces": "{" * SIZE,
    "opened brackets": "[" * SIZE,
    "bars": "|" * SIZE,
    "rows": "| fee | $5 |\n" * (SIZE // 13),
    "escapes": '{"a": "' + "\\u00e9" * (SIZE // 6) + '"}',
    "markers": "[1, " * (SIZE // 4),
    "strange names": " and ".join(f"Zor{number:x}b" for number in range(SIZE // 12)),
    "facts": json.dumps({f"Wi{number}Fi": number % 2 == 0 for number in range(SIZE // 16)}),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_scored(text: str) -> None:
    """A hundred thousand characters as the answer and as the context."""
    common = "The fee is $5 for Zorb. It has Wi 7 Fi."
    for answer, contexts in ((text, [common]), (common, [text, common])):
        check(answer, contexts, score(answer, contexts))


@given(st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=3)), min_size=1, max_size=5), st.randoms(use_true_random=False))
@settings(MANY, max_examples=40)
def test_other_samples_do_not_count(pairs: list[tuple[str, list[str]]], draw: random.Random) -> None:
    """In a batch, in any order and with contexts that were read before, each sample gets what it gets alone."""
    samples = [
        Sample(id=str(number), question="", answer=answer, contexts=tuple(Passage(text=text) for text in contexts))
        for number, (answer, contexts) in enumerate(pairs)
    ]
    alone = {sample.id: VerdictScorer(load_verdict(None, ALWAYS)).score(sample).support for sample in samples}
    shuffled = samples * 2
    draw.shuffle(shuffled)
    for verdict in VerdictScorer(load_verdict(None, ALWAYS)).score_many(shuffled):
        assert verdict.support == alone[verdict.id]


@pytest.mark.parametrize(
    ("sentence", "other"),
    [
        ("The wire fee is $25 a month.", "The wire fee is $95 a month."),
        ("Refunds take six weeks.", "Refunds take nine weeks."),
        ("Acme was founded in 1987.", "Acme was founded in 1989."),
        ("The deadline is March 5, 2024.", "The deadline is March 6, 2024."),
        ("Profits rose by 5% in Q3 2023.", "Profits rose by 7% in Q3 2023."),
    ],
)
@given(before=PROSE, after=PROSE)
@settings(max_examples=25)
def test_another_number_lowers_the_score(sentence: str, other: str, before: str, after: str) -> None:
    """A sentence word for word from the context scores above the same with another number, whatever surrounds it."""
    context = f"{before}\n\n{sentence}\n\n{after}"
    right, wrong = score(sentence, [context]), score(other, [context])
    assert right is not None
    assert wrong is not None
    if other not in context:
        assert right.score > wrong.score


@given(PROSE, st.lists(PROSE, max_size=3))
@MANY
def test_the_answer_bears_itself_out(answer: str, contexts: list[str]) -> None:
    """With the answer itself among the contexts, no name, number, date or word is missing."""
    found = score(answer, [*contexts, answer])
    kinds = {finding.kind for sentence in found.sentences for finding in sentence.findings} if found else set()
    assert kinds.isdisjoint({"word", "name", "number", "date"})


BY_PROXIMITY = VerdictScorer(load_verdict())
BY_EVIDENCE = VerdictScorer(load_verdict(None, {"hallucination.claim_check": "evidence"}))


@given(PROSE, st.lists(PROSE, max_size=2))
@settings(MANY, max_examples=60)
def test_evidence_checks_the_same_claims_and_more(answer: str, contexts: list[str]) -> None:
    """No parsed claim is lost but those of courtesies, and what is held supported has its evidence."""
    sample = Sample(id="x", question="", answer=answer, contexts=tuple(Passage(text=text) for text in contexts))
    one, other = BY_PROXIMITY.score(sample), BY_EVIDENCE.score(sample)
    if other.support is None:
        return
    polite = [(each.start, each.end) for each in other.support.sentences if not each.claims]
    checked = {(each.kind, each.start, each.end) for each in other.hallucination.anchors}
    for anchor in one.hallucination.anchors:
        if not (anchor.kind == "claim" and any(start <= anchor.start < end for start, end in polite)):
            assert (anchor.kind, anchor.start, anchor.end) in checked
    assert all(each.evidence is not None for each in other.hallucination.anchors if each.supported)


def records() -> list[dict[str, Any]]:
    """Return samples of every kind, always the same."""
    draw = random.Random(20240305)  # noqa: S311 - no secret

    def prose() -> str:
        said = [(draw.choice(NAMES), draw.choice(VERBS), draw.choice(THINGS)) for _ in range(draw.randint(1, 4))]
        return " ".join(f"{' '.join(parts)}." for parts in said)

    data = {"WiFi": False, "OutdoorSeating": True, "stars": 4.5, "fee": "$25"}
    return [{"answer": prose(), "contexts": [prose(), prose(), json.dumps(data)]} for _ in range(60)]


PROGRAM = """
import hashlib, orjson, sys
from plumbrule.rubrics import load_verdict
from plumbrule.support.support_scorer import SupportScorer
from plumbrule.text.text_view import TextView
scorer = SupportScorer(load_verdict().rubric.support)
for row in orjson.loads(sys.stdin.buffer.read()):
    found = scorer.score(TextView(row["answer"]), [TextView(text) for text in row["contexts"]])
    print(orjson.dumps(found.to_dict()).decode(), found.sentences)
"""


def test_processes_and_hash_seeds_change_nothing() -> None:
    """The same bytes in two processes whose sets have another order, down to findings and contributions."""
    printed = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=orjson.dumps(records()),
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "77777")
    ]
    assert printed[0].count(b"\n") == 60
    assert printed[0] == printed[1]


class Counted(UnitsByWord):
    """Postings that count how often they are asked for."""

    asked = 0

    def get(self, lemma: str, _: object = None) -> list[int]:
        """Count, then answer."""
        Counted.asked += 1
        return super().get(lemma)


def test_the_work_grows_with_the_answer_and_not_with_its_square() -> None:
    """On a context of 20,000 words, twice as many sentences look up twice as many words."""
    words = [f"word{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}" for number in range(400)]
    draw = random.Random(7)  # noqa: S311 - no secret
    context = TextView(" ".join(f"{' '.join(draw.choices(words, k=9)).title()} end." for _ in range(2000)))
    sentences = [f"{' '.join(draw.choices(words, k=9)).title()} end." for _ in range(100)]
    asked = []
    for count in (50, 100):
        ground = Ground([context], support_words())
        ground.where = Counted([(0, ground.passages[0])])
        Counted.asked = 0
        assert len(compare(TextView(" ".join(sentences[:count])), ground, support_words())) == count
        asked.append(Counted.asked)
    assert 0 < asked[1] <= 2.2 * asked[0]
