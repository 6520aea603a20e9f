"""Likeness of token lists: equal to the textbook, symmetric, and exact where it can be."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from plumbrule.text.similarity import compare_tokens, containment, ngrams

TOKENS = st.lists(st.sampled_from(["fee", "wire", "cap", "bond", "fund", "1200", "é", "日"]), max_size=14)
ANY_TOKENS = st.lists(st.text(min_size=1, max_size=4), max_size=10)


def textbook_cosine(left: list[str], right: list[str]) -> float:
    """Return scikit-learn's cosine of two token lists."""
    matrix = TfidfVectorizer(analyzer=lambda given: given).fit_transform([left, right])
    return float((matrix[0] @ matrix[1].T).toarray()[0, 0])


@given(st.one_of(TOKENS, ANY_TOKENS), st.one_of(TOKENS, ANY_TOKENS))
@example(["fee"], ["fee"])
@example(["fee", "fee", "wire"], ["fee"])
@example(["fee"], [])
@example(["fee"] * 1000, ["fee", "wire"] * 1000)
def test_cosine_equals_scikit_learn(left: list[str], right: list[str]) -> None:
    """The cosine is that of scikit-learn's TfidfVectorizer, fitted on the two texts alone, to 1e-9."""
    if left or right:
        assert compare_tokens(left, right)[0] == pytest.approx(textbook_cosine(left, right), rel=0, abs=1e-9)


@given(TOKENS, TOKENS)
def test_cosine_is_a_share_whatever_the_order(left: list[str], right: list[str]) -> None:
    """The cosine lies in [0, 1], is symmetric, and does not see the order of words."""
    cosine = compare_tokens(left, right)[0]
    assert 0 <= cosine <= 1
    assert cosine == compare_tokens(right, left)[0] == compare_tokens(sorted(left), right[::-1])[0]


@given(TOKENS)
def test_a_text_is_like_itself(tokens: list[str]) -> None:
    """A text with words has likeness 1 with itself; one without has none."""
    assert compare_tokens(tokens, tokens)[0] == pytest.approx(1.0 if tokens else 0.0)
    assert compare_tokens(tokens, tokens)[1] == (1 if tokens else 0)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", Fraction(0)),
        ("a", "", Fraction(0)),
        ("a b", "b c", Fraction(1, 3)),
        ("a a a b", "b b c", Fraction(1, 3)),
        ("a b c", "a b c", Fraction(1)),
    ],
)
def test_jaccard_is_the_share_of_distinct_tokens(left: str, right: str, expected: Fraction) -> None:
    """Jaccard counts each word once; no words at all share nothing."""
    assert compare_tokens(left.split(), right.split())[1] == float(expected)


@pytest.mark.parametrize(
    ("n", "expected"),
    [(1, {("a",), ("b",)}), (2, {("a", "b"), ("b", "a")}), (3, {("a", "b", "a")}), (4, set())],
)
def test_ngrams_are_distinct_runs(n: int, expected: set[tuple[str, ...]]) -> None:
    """An n-gram is a run of neighbours; a text shorter than n has none."""
    assert ngrams(["a", "b", "a"], n) == expected


@pytest.mark.parametrize(
    ("inner", "outers", "n", "expected"),
    [
        ("a b c d", ["a b", "c"], 1, Fraction(3, 4)),
        ("a b c", ["a b", "b c"], 2, Fraction(1)),
        ("a b c", ["a", "b c"], 2, Fraction(1, 2)),
        ("a b", [], 1, Fraction(0)),
        ("", ["a"], 1, None),
        ("a", ["a"], 2, None),
    ],
)
def test_containment_is_the_share_found_in_any_text(
    inner: str, outers: list[str], n: int, expected: Fraction | None
) -> None:
    """Containment is one-sided: what share of the answer's n-grams stands in some context."""
    assert containment(inner.split(), [outer.split() for outer in outers], n) == expected
