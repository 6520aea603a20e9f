"""Each word is found in the parts of a text that have it, in their order."""

from plumbrule.text.word_places import WordPlaces


def test_a_word_is_found_in_every_part_that_has_it() -> None:
    """Once, twice or more often; a word that no part has is found nowhere."""
    places = WordPlaces([{"fee", "the"}, {"the", "rise"}, set(), {"the"}])
    assert {word: [*places.get(word)] for word in ("fee", "rise", "the", "rate")} == {
        "fee": [0], "rise": [1], "the": [0, 1, 3], "rate": []
    }  # fmt: skip
    assert "fee" in places
    assert "rate" not in places
    assert sorted(places) == ["fee", "rise", "the"]


def test_words_are_found_by_their_beginning() -> None:
    """By as many letters as a stem has; shorter words have none."""
    places = WordPlaces([["acquire"], ["acquisition"], ["acquit"], ["rise"], ["ace"]], stem=4)
    assert [*places.beginning("acqu")] == ["acquire", "acquisition", "acquit"]
    assert [*places.beginning("rise")] == ["rise"]
    assert [*places.beginning("ace")] == []
