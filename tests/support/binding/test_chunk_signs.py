"""Signs only spare searches: what is found does not depend on them."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.chunk_signs import _CACHE_SIZE, ChunkSigns, telling_words
from plumbrule.support.binding.mentions import Mention, find_mentions, implied_dates

KNOWN = binding_words()


class _AllSigns(ChunkSigns):
    """Signs that spare no search."""

    def of(self, text: str) -> int:
        return ~0 if text else 0


SEARCHED = replace(KNOWN, signs=_AllSigns({}))
CUES = (
    "half past ten", "quarter to 4", "7.30 pm", "seven o'clock", "6 o’clock", "nine in the evening", "three quarters",
    "two thirds", "twice", "a fortnight", "first", "free of charge", "at no extra cost", "costs you nothing", "FREE",
    "on the house", "free-", "daily", "every day", "7 days a week", "weekdays", "Weekends", "Mon.", "Tue", "Wed",
    "section 4", "Form B", "Room 12b", "Plan C", "gate", "4.1 The", "3. The", "§ 5", "85p", "1.50p", "at 9.30", "[1]",
    "【2】", "+44 20 7946 0958", "v1.2.3", "AB-12", "MAX_SIZE", "www.example.org", "a@b.org", "/etc/hosts", "30km",
    "£5", "12 May 2024", "7, 8 and 9 May", "ſecond", "twKice", "٣", "under-16s", "one", "and", "the", ".", ";", "\n",
)  # fmt: skip


def shape(found: list[Mention]) -> list[tuple[object, ...]]:
    """Return mentions as values."""
    return [(each.start, each.end, each.kind, each.dimension, each.text, each.key, each.amount) for each in found]


@given(st.lists(st.sampled_from(CUES), max_size=8), st.sampled_from([" ", "  ", "\n", ""]))
@settings(max_examples=400, deadline=None)
def test_signs_change_nothing_that_is_found(cues: list[str], space: str) -> None:
    """A text has the same mentions and implied dates whether or not searches are spared."""
    text = space.join(cues)
    found = find_mentions(text, KNOWN)
    assert shape(found) == shape(find_mentions(text, SEARCHED))
    assert shape(implied_dates(text, found, KNOWN)) == shape(implied_dates(text, found, SEARCHED))


def test_the_table_of_signs_is_bounded() -> None:
    """A text of endless new words fills no memory."""
    signs = ChunkSigns({})
    for number in range(_CACHE_SIZE + 10):
        signs.of(f"word{number}")
    assert len(signs) <= _CACHE_SIZE
    assert not ChunkSigns({})
    signs.of("x" * 1000)
    assert "x" * 1000 not in signs


def test_a_phrase_is_told_by_its_longest_word() -> None:
    """Where the longest word of a phrase is missing, the phrase is."""
    assert telling_words(["free of charge", "daily"]) == ["charge", "daily"]
