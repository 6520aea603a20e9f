"""The words that differ between two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.web.views.word_differences import Stretch, word_differences


def joined(stretches: tuple[Stretch, ...], *, same: bool | None = None) -> str:
    """Return the text of the stretches, or of those that are the same or not."""
    return "".join(part.text for part in stretches if same is None or part.same == same)


def test_only_the_words_that_differ_are_marked() -> None:
    """A changed value is marked on both sides, what was added on one."""
    before, after = word_differences("The fee is $25 [1].", "The fee is $35 a month [1].")
    assert joined(before, same=False) == " $25"
    assert joined(after, same=False) == " $35 a month"


def test_white_space_is_no_difference() -> None:
    """Another line break is not another word."""
    before, after = word_differences("one two", "one\n\ntwo")
    assert joined(before, same=False) == joined(after, same=False) == ""


@given(st.text(alphabet="ab \n", max_size=60), st.text(alphabet="ab \n", max_size=60))
def test_the_stretches_are_the_texts(first: str, second: str) -> None:
    """Nothing is lost or added, and the same words are in both."""
    before, after = word_differences(first, second)
    assert (joined(before), joined(after)) == (first, second)
    assert joined(before, same=True).split() == joined(after, same=True).split()


@pytest.mark.parametrize("words", [20_000])
def test_long_texts_are_bounded(words: int) -> None:
    """Of texts that are too long to compare, what is between the first and the last difference differs."""
    first = "start " + "a b " * words + "end"
    second = "start " + "b a " * words + "end"
    before, after = word_differences(first, second)
    assert (joined(before), joined(after)) == (first, second)
    assert len(before) <= 3
    assert len(after) <= 3
