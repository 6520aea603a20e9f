"""Errors put into right answers by rule, and where an answer is wrong."""

import random

from training.verifier_marks import RIGHT, UNKNOWN, WRONG, mark_tokens
from training.verifier_slips import slip, vary_words
from training.verifier_swaps import Text

TEXT = Text(
    "How long?", ["Here Ada waits 20 days, and Ben 35 days."], [("For Ada it is 20 days.", True), ("No.", False)]
)


def chance(seed: int) -> random.Random:
    """Return a source of choices."""
    return random.Random(seed)  # noqa: S311 - a choice of examples, not a secret


def test_a_slip_is_one_wrong_answer_more() -> None:
    """Made of a right one by a value of the passages or an opposite; what was there stays."""
    made = set()
    for seed in range(40):
        answers = slip(TEXT, chance(seed)).answers
        (new,) = set(answers) - set(TEXT.answers)
        assert len(answers) == 3
        made.add(new)
    assert made == {
        ("For Ada it is 35 days.", False),
        ("For Ben it is 20 days.", False),
        ("For Ada it is not 20 days.", False),
        ("For Ada it is 20 weeks.", False),
    }


def test_two_numbers_change_places() -> None:
    """Where something stands between them; what is said of both alike stays right."""
    both = [("Ada waits 20 days, and Ben 35.", True)]
    made = {answer for seed in range(40) for answer, _ in slip(TEXT._replace(answers=both), chance(seed)).answers}
    assert "Ada waits 35 days, and Ben 20." in made
    listed = [("They wait 20 and 35 days.", True)]
    made = {answer for seed in range(40) for answer, _ in slip(TEXT._replace(answers=listed), chance(seed)).answers}
    assert "They wait 35 and 20 days." not in made


def test_where_nothing_can_slip() -> None:
    """The text stays as it is."""
    bare = Text("Who?", ["It was them."], [("They.", True), ("We.", False)])
    assert slip(bare, chance(1)) == bare
    assert slip(bare._replace(answers=[("We.", False)]), chance(1)).answers == [("We.", False)]


def test_opposites_change_places_everywhere() -> None:
    """Then no label changes: passages and answers are turned alike."""
    turned = {tuple(vary_words(TEXT, chance(seed)).contexts) for seed in range(60)}
    assert ("Here Ada waits 20 weeks, and Ben 35 weeks.",) in turned
    assert tuple(TEXT.contexts) in turned
    for seed in range(60):
        text = vary_words(TEXT, chance(seed))
        assert ("weeks" in text.contexts[0]) == ("weeks" in text.answers[0][0])
        assert [right for _, right in text.answers] == [True, False]


def test_the_tokens_in_which_a_wrong_answer_differs() -> None:
    """Those of a near copy are known; where something is left out, the next one is marked."""
    right, changed, shorter, other = [1, 2, 3, 4, 5, 6], [1, 2, 9, 4, 5, 6], [1, 2, 4, 5, 6], [7, 8, 9]
    marks = mark_tokens([right, changed, shorter, other], [True, False, False, False])
    assert marks == [
        [RIGHT] * 6,
        [RIGHT, RIGHT, WRONG, RIGHT, RIGHT, RIGHT],
        [RIGHT, RIGHT, WRONG, RIGHT, RIGHT],
        [UNKNOWN] * 3,
    ]
    assert mark_tokens([changed], [False]) == [[UNKNOWN] * 6]
