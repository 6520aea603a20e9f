"""Hallucination is the greater of the share of unsupported anchors and the drift penalty (R5)."""

from fractions import Fraction

import pytest

import plumbrule
from plumbrule.verdicts.hallucination import Hallucination

VALUES_ONLY: dict[str, object] = {"hallucination.anchors": ["number", "date"]}


def hallucination(answer: str, *contexts: str, **overrides: object) -> Hallucination:
    """Return the hallucination of an answer, by numbers and dates alone unless told otherwise."""
    return plumbrule.score(answer=answer, contexts=contexts, overrides={**VALUES_ONLY, **overrides}).hallucination


def test_the_score_is_the_share_of_unsupported_anchors() -> None:
    """R5: two of three unsupported is two thirds, exactly."""
    found = hallucination("Fees are $1, $2 and $3.", "Fees are $1.")
    assert (found.claims, found.unsupported, len(found.anchors)) == (Fraction(2, 3), 2, 3)
    assert found.exact == Fraction(2, 3)
    assert found.score == float(Fraction(2, 3))


def test_anchors_stand_in_the_order_of_the_answer() -> None:
    """Numbers, dates and claims are listed as a reader meets them."""
    answer = "The fee is $25 since 2024. The firm sells bonds."
    anchors = plumbrule.score(answer=answer, contexts=[answer]).hallucination.anchors
    assert [(anchor.kind, anchor.text) for anchor in anchors] == [
        ("claim", "The fee is $25"),
        ("number", "$25"),
        ("date", "2024"),
        ("claim", "The firm sells bonds"),
    ]
    assert all(answer[anchor.start : anchor.end] == anchor.text for anchor in anchors)


def test_no_anchors_is_no_hallucination() -> None:
    """G4: nothing to verify gives 0."""
    found = hallucination("Fees are fair.", "Fees are fair.")
    assert (found.claims, found.anchors, found.score) == (Fraction(0), (), 0.0)


def test_no_context_supports_nothing() -> None:
    """G4: with an empty context every anchor is unsupported."""
    assert hallucination("Fees are $1 and $2.").score == 1.0


@pytest.mark.parametrize(
    ("shared", "penalty"), [(0, Fraction(1, 5)), (1, Fraction(1, 5)), (2, Fraction(0)), (10, Fraction(0))]
)
def test_drift_is_an_overlap_below_a_fifth(shared: int, penalty: Fraction) -> None:
    """R5: below 0.2 gives the penalty 0.2; two of ten words is 0.2 exactly and does not."""
    words = ["alpha", "bravo", "carrot", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet"]
    found = hallucination(" ".join(words), " ".join(words[:shared]))
    assert (found.ngram_overlap, found.drift_penalty) == (Fraction(shared, 10), penalty)
    assert found.exact == penalty


def test_drift_never_fails_an_answer() -> None:
    """G2: the penalty alone cannot fail, and has a flag of its own."""
    verdict = plumbrule.score(question="Who sang?", answer="Sang opera divas.", contexts=["Cats purr."])
    assert "topic_drift" in verdict.flags
    assert not [reason for reason in verdict.reasons if reason.startswith("hallucination")]


def test_overlap_counts_words_of_all_contexts_by_lemma() -> None:
    """G3: containment is the share of the answer's content words that stand in any context."""
    assert hallucination("The firms sold bonds", "A firm.", "Bond.").ngram_overlap == Fraction(2, 3)


def test_overlap_of_longer_ngrams() -> None:
    """G3: n is the rubric's."""
    ngram = {"hallucination.drift.ngram": 2}
    assert hallucination("alpha bravo carrot", "alpha bravo", **ngram).ngram_overlap == Fraction(1, 2)
    assert hallucination("alpha bravo carrot", "alpha. carrot bravo", **ngram).ngram_overlap == 0
    assert hallucination("alpha", "alpha", **ngram).ngram_overlap is None


def test_an_answer_without_content_has_no_overlap() -> None:
    """Stop words alone cannot drift."""
    found = hallucination("It is so.", "Cats.")
    assert (found.ngram_overlap, found.drift_penalty) == (None, Fraction(0))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["number"], {"number"}),
        (["date"], {"date"}),
        (["claim"], {"claim"}),
        ([], set()),
        (["number", "date", "claim"], {"number", "date", "claim"}),
    ],
)
def test_the_rubric_chooses_the_anchors(kinds: list[str], expected: set[str]) -> None:
    """Only the kinds that the rubric names are checked."""
    found = hallucination("The fee is $25 since March 2024.", **{"hallucination.anchors": kinds})
    assert {anchor.kind for anchor in found.anchors} == expected


def test_every_item_of_a_list_is_checked() -> None:
    """Ten things claimed are ten claims: the two that the context lacks are found."""
    things = "postage, insurance, tax, storage, handling, packing, customs, labels"
    verdict = plumbrule.score(
        question="What does the fee include?",
        answer=f"The fee includes {things}, catering and yachts.",
        contexts=[f"The fee includes {things}."],
    )
    assert [anchor.text.split()[-1] for anchor in verdict.hallucination.anchors if not anchor.supported] == [
        "catering",
        "yachts",
    ]
