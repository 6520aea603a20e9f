"""Relevance is the mean of TF-IDF cosine and Jaccard between question and answer (R1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plumbrule
from plumbrule.verdicts.relevance import score_relevance

TOKENS = st.lists(st.sampled_from(["fee", "wire", "cap", "bond"]), max_size=8)


@given(TOKENS, TOKENS)
def test_the_score_is_the_mean_of_both(question: list[str], answer: list[str]) -> None:
    """R1: S_rel = (cosine + Jaccard) / 2, in [0, 1]."""
    found = score_relevance(question, answer)
    assert found.score == pytest.approx((found.cosine + found.jaccard) / 2, abs=2e-12)
    assert 0 <= found.score <= 1


def test_known_values() -> None:
    """One shared word of two: cosine as the textbook has it, Jaccard one half."""
    found = score_relevance(["fee"], ["fee", "30"])
    assert (found.cosine, found.jaccard, found.score) == (0.579738671538, 0.5, 0.539869335769)


def test_stop_words_are_left_out_unless_the_rubric_wants_them() -> None:
    """By content words 'What is the fee?' and 'What is the time?' share nothing."""
    question, answer = "What is the fee?", "What is the time?"
    content = plumbrule.score(question=question, answer=answer).relevance
    every = plumbrule.score(question=question, answer=answer, overrides={"relevance.tokens": "all"}).relevance
    assert content is not None
    assert every is not None
    assert (content.score, every.score > 0.5) == (0.0, True)


def test_a_question_of_stop_words_is_compared_as_it_stands() -> None:
    """'Who is he?' has no content word, and is not irrelevant to everything for that."""
    relevance = plumbrule.score(question="Who is he?", answer="He is the clerk.").relevance
    assert relevance is not None
    assert relevance.score > 0.1


def test_no_question_is_not_scored() -> None:
    """Where nothing was asked there is no relevance, and a flag says so."""
    verdict = plumbrule.score(answer="The fee is $25.", contexts=["The fee is $25."])
    assert verdict.relevance is None
    assert "no_question" in verdict.flags
    assert verdict.verdict == "PASS"


def test_a_score_at_the_limit_is_not_below_it() -> None:
    """R1 fails below the limit: the printed score, set as the limit, does not fail."""
    for words in range(1, 20):
        question, answer = "wire fee", "wire " + " ".join(f"word{number}" for number in range(words))
        relevance = plumbrule.score(question=question, answer=answer).relevance
        assert relevance is not None
        at_limit = {"relevance.fail_below": relevance.score}
        reasons = plumbrule.score(question=question, answer=answer, overrides=at_limit).reasons
        assert not [reason for reason in reasons if reason.startswith("relevance")]
