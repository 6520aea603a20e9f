"""Two things change places everywhere, so that labels hold and wordings no longer tell them."""

from training.verifier_swaps import Text, find_swaps, swap

TEXT = Text(
    "Who signs for Ada?",
    ["Ada pays. Ben signs the lease for 20 days."],
    [("It is Ben who signs.", True), ("It is Ada who signs.", False), ("Twice 20 days is 40.", True)],
    [False, False, True],
)


def test_what_a_right_and_a_wrong_answer_differ_in() -> None:
    """In one place, by a few words, at least one of which the passages have."""
    assert find_swaps(TEXT) == [("Ada", "Ben")]
    assert find_swaps(TEXT._replace(contexts=["Nobody pays."])) == []
    assert find_swaps(TEXT._replace(answers=[("It is Ben who signs.", True), ("No, Ada pays here.", False)])) == []


def test_they_change_places_everywhere() -> None:
    """In question, passages and answers; an answer that reckons is left out."""
    swapped = swap(TEXT, ("Ada", "Ben"))
    assert swapped.question == "Who signs for Ben?"
    assert swapped.contexts == ["Ben pays. Ada signs the lease for 20 days."]
    assert swapped.answers == [("It is Ada who signs.", True), ("It is Ben who signs.", False)]
