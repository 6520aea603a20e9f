"""Errors put into right answers by rule, and where an answer is wrong."""

import random

from training.verifier_marks import RIGHT, UNKNOWN, WRONG, mark_tokens
from training.verifier_slips import copy_out, slip, vary_words
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


def test_what_the_passages_say_is_copied_right_and_wrong() -> None:
    """A sentence word for word, and the same with an error that the passages do not have."""
    made = set()
    for seed in range(60):
        answers = copy_out(TEXT, chance(seed)).answers
        right, wrong = sorted(set(answers) - set(TEXT.answers), key=lambda answer: not answer[1])
        assert right == (TEXT.contexts[0], True)
        assert not wrong[1]
        made.add(wrong[0])
    assert {"Here Ada waits 35 days, and Ben 20 days.", "Here Ada waits 20 weeks, and Ben 35 days."} <= made
    assert TEXT.contexts[0] not in made
    assert copy_out(TEXT._replace(contexts=["Too short."]), chance(1)).answers == TEXT.answers


def test_what_is_said_of_one_thing_is_said_of_another() -> None:
    """Under headings and in tables: what belongs together is right, what does not is wrong."""
    listed = TEXT._replace(contexts=["Red bin: paper and card. Blue bin: glass. Green bin: leaves and grass."])
    table = TEXT._replace(contexts=["| Room | Price | Beds |\n|---|---|---|\n| Attic | 64 | 5 |\n| Garden | 82 | 3 |"])
    for text, pairs in (
        (listed, {("Red bin", "paper and card"), ("Blue bin", "glass"), ("Green bin", "leaves and grass")}),
        (table, {("Attic, Price", "64"), ("Attic, Beds", "5"), ("Garden, Price", "82"), ("Garden, Beds", "3")}),
    ):
        labels = set()
        for seed in range(40):
            for answer, is_right in set(copy_out(text, chance(seed)).answers) - set(text.answers):
                told = [(of, said) for of, said in pairs if of in answer and said in answer]
                labels.add(is_right)
                assert bool(told) == is_right
        assert labels == {True, False}


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
