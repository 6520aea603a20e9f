"""Other names and numbers in a question, by which no label changes."""

import random

import pytest
from training.verifier_renames import Renamer
from training.verifier_swaps import Text

TEXT = Text(
    "what does ada pay?",
    ["Here Ada pays 40 crowns and Ben 1,200 from 14 May 2031. Ask Ada by 17:30, room B-12."],
    [("It is 40 crowns for Ada.", True), ("It is 1,200 crowns for ADA.", False)],
)
OTHERS = Text("", ["Then Cleo met Dag, and Egil."], [])


def renamed(text: Text) -> list[Text]:
    """Return a text as many passes see it."""
    renamer = Renamer([text, OTHERS])
    return [renamer.rename(text, random.Random(seed)) for seed in range(60)]  # noqa: S311 - a choice of examples


def test_a_name_changes_everywhere() -> None:
    """In any case of its letters, and to a name that was not there."""
    for text in renamed(TEXT):
        name = text.contexts[0].split()[1]
        assert name in {"Ada", "Cleo", "Dag", "Egil"}
        assert text.question == f"what does {name.lower()} pay?"
        assert text.answers[0][0].endswith(f"for {name}.")
        assert text.answers[1][0].endswith(f"for {name.upper()}.")
    assert len({text.question for text in renamed(TEXT)}) > 2


def test_numbers_keep_their_order() -> None:
    """Amounts change alike in passages and answers; days, times, years and codes stay."""
    seen = set()
    for text in renamed(TEXT):
        words = text.contexts[0].split()
        less, more = int(words[3]), int(words[7].replace(",", ""))
        assert less < more
        assert ("," in words[7]) == (more > 999) or more > 999
        assert words[9:12] == ["14", "May", "2031."]
        assert "17:30, room B-12." in text.contexts[0]
        assert text.answers[0][0].startswith(f"It is {words[3]} crowns")
        assert text.answers[1][0].startswith(f"It is {words[7]} crowns")
        assert [right for _, right in text.answers] == [True, False]
        seen.add(less)
    assert len(seen) > 3


@pytest.mark.parametrize("answer", ["It is forty crowns.", "It is 41 crowns."])
def test_numbers_stay_where_a_right_answer_has_others(answer: str) -> None:
    """In words, or worked out: they would no longer fit."""
    text = TEXT._replace(answers=[(answer, True)])
    assert all("pays 40 crowns" in each.contexts[0] for each in renamed(text))
    reckoned = TEXT._replace(reckoned=[False, True])
    assert all("pays 40 crowns" in each.contexts[0] for each in renamed(reckoned))
