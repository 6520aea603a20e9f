"""What the contexts contradict in an answer is decided in one place."""

import pytest

import plumbrule
from plumbrule.support.findings import Finding
from plumbrule.verdicts.contradictions import Contradiction, contradicting, contradictions


def test_a_contradicted_anchor_counts_with_what_the_context_says() -> None:
    """The stretch of the answer, and the rival."""
    verdict = plumbrule.score(answer="The wire fee is $30.", contexts=["The wire fee is $25."])
    found = contradictions(verdict.hallucination.anchors, None)
    assert Contradiction(start=16, end=19, against="$25") in found
    assert list(found) == sorted(found, key=lambda each: (each.start, each.end))


def test_a_finding_of_the_support_score_counts() -> None:
    """An opposite word contradicts where the sentence is not held supported, also without an anchor."""
    answer = "You can enter the vault before noon."
    verdict = plumbrule.score(answer=answer, contexts=["You can enter the vault after noon."])
    assert not any(anchor.reason == "contradicted" for anchor in verdict.hallucination.anchors)
    [found] = contradictions(verdict.hallucination.anchors, verdict.support)
    assert (answer[found.start : found.end], found.against) == ("before", "after")
    assert "contradicted" in verdict.flags


def test_what_is_supported_is_not_contradicted() -> None:
    """Neither by anchors nor by findings."""
    verdict = plumbrule.score(answer="The wire fee is $25.", contexts=["The wire fee is $25."])
    assert contradictions(verdict.hallucination.anchors, verdict.support) == ()


@pytest.mark.parametrize(
    ("finding", "counts"),
    [
        (Finding(0, 1, "opposite", "after"), True),
        (Finding(0, 1, "denial", "not"), True),
        (Finding(0, 1, "number", "25"), False),
        (Finding(0, 1, "word"), False),
    ],
)
def test_which_findings_count(finding: Finding, counts: bool) -> None:  # noqa: FBT001 - one of the cases
    """Numbers and dates are decided by their anchors; a word that stands nowhere contradicts nothing."""
    assert bool(contradicting([finding])) is counts
