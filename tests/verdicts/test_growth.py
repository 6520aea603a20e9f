"""The work on an answer grows in proportion to what is given, whatever it repeats.

Work is counted in calls, of Python's own functions too, so that no figure depends on how busy the machine is.
"""

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from bench.growth import CASES, MOST_RATIO

import plumbrule
from plumbrule.support import evidence_index, fact_checks, value_evidence
from plumbrule.support.binding import slots
from plumbrule.text import text_view, work_limits
from plumbrule.text.work_limits import MOST_PARSED
from plumbrule.verdicts import claim_evidence


def calls_of(work: Callable[[], object]) -> int:
    """Return how many calls a piece of work makes."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.fixture
def _low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower every limit, so that short texts reach it."""
    for module in (claim_evidence, evidence_index, fact_checks, slots, text_view, value_evidence):
        for name in vars(work_limits):
            if name.startswith("MOST_") and hasattr(module, name):
                monkeypatch.setattr(module, name, 16)


@pytest.mark.usefixtures("_low_limits")
@pytest.mark.parametrize(
    ("case", "n"),
    [
        ("contexts", 60),
        ("sentences of a context", 60),
        ("contexts and answer", 60),
        ("unsupported amounts", 60),
        ("data and answer", 60),
        ("equal sentences", 60),
        ("answer", 60),
        ("forms of a word", 60),
        ("digit groups", 100),
        ("dates", 60),
        ("names", 60),
        ("table rows", 60),
    ],
)
def test_four_times_the_text_is_four_times_the_work(case: str, n: int) -> None:
    """The ratio of calls from n to 4n stays under 4.5 for contexts, answers, amounts, dates and names."""
    prepare, _ = CASES[case]
    prepare(20)()  # the first time loads what is needed
    one, four = calls_of(prepare(n)), calls_of(prepare(4 * n))
    assert four / one < MOST_RATIO


def test_an_answer_beyond_all_answers_is_scored_and_says_what_was_not_read() -> None:
    """Its numbers are all checked, its claims up to the limit, and it never passes."""
    answer = "The fee is $25. " * 10 + "!" * MOST_PARSED + " The fee is $30."
    verdict = plumbrule.score(question="What is the fee?", answer=answer, contexts=["The fee is $25."])
    assert "claims_cut" in verdict.flags
    assert verdict.reasons[-1] == "claims after the first 50,000 characters were not read"
    assert verdict.verdict != "PASS"
    claims = [anchor for anchor in verdict.hallucination.anchors if anchor.kind == "claim"]
    assert claims
    assert max(anchor.start for anchor in claims) < MOST_PARSED
    assert [anchor.text for anchor in verdict.hallucination.anchors if not anchor.supported] == ["$30"]
    whole = plumbrule.score(answer=answer[:1000], contexts=["The fee is $25."])
    assert "claims_cut" not in whole.flags


def test_evidence_is_never_longer_than_a_few_sentences() -> None:
    """A context without an end of sentence is not quoted whole beside each sentence of an answer."""
    context = "the wire fee of an office and " * 2_000
    verdict = plumbrule.score(answer="The wire fee of an office rose. " * 5, contexts=[context])
    assert verdict.support is not None
    lengths = [len(each.evidence.text) for each in verdict.support.sentences if each.evidence is not None]
    assert lengths
    assert max(lengths) <= 3 * 4_000 + 2
