"""The values of a text, and which of a context's support which of an answer's."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text_values import extract_dates, extract_numbers

from plumbrule.text.values import Match, Value, comparable, extract_values, match_value

PAIRS: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).parent.parent / "data" / "value_pairs.yaml").read_text(encoding="utf-8")
)
_ORDER = ("found", "equal_value", "entailed")


def _words(text: str) -> list[str]:
    return text.split(" ")


_FRAGMENTS = _words(
    "$ € £ ¥ US$ C$ Rs. USD % 5 10 2024 1.2 1,200 12,50 ½ 1/2 -5 − 03/05/2024 2024-03-05 T14:30:00Z 14:30 pm a.m. "
    "March May 5th Q3 FY24 third quarter of one two hundred and twenty-five half a dozen million bn M k years "
    "months business days per cent basis points to or between [1] (30) 1) \n . , - – ' ² ٣ ５ th s noon Monday the 90s"
)
_texts = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=120),
    st.text("0123456789.,-/: '$€%²½TZamp\n", max_size=60),
    st.lists(st.sampled_from(_FRAGMENTS), max_size=14).flatmap(
        lambda parts: st.sampled_from([" ", "", "-"]).map(lambda joint: joint.join(parts))
    ),
)


def best_match(answer: str, context: str) -> Match | None:
    """Match the first value of the answer with the best of the context."""
    wanted = extract_values(answer)[0]
    matches = [match_value(wanted, answer, value, context) for value in extract_values(context)]
    return min((match for match in matches if match), key=lambda match: _ORDER.index(match.reason), default=None)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['answer']} / {pair['context']}")
def test_the_table_of_pairs(pair: dict[str, Any]) -> None:
    """Every line of the table of pairs holds."""
    match = best_match(pair["answer"], pair["context"])
    assert (match is not None) is pair["match"]
    if match is not None:
        assert match == Match(reason=pair["reason"], ambiguous=pair.get("ambiguous", False))


def test_the_table_is_wide() -> None:
    """The table of pairs covers the decisions on matching with at least two hundred lines."""
    assert len(PAIRS) >= 200
    assert sum(not pair["match"] for pair in PAIRS) >= 60


@pytest.mark.parametrize(
    ("answer", "context", "expected"),
    [
        ("12 months", "six months", True),
        ("12 months", "$5", False),
        ("5%", "7%", True),
        ("$5", "€5", False),
        ("$5", "$7 million", True),
        ("5", "7", False),
        ("5 employees", "7 employees", True),
        ("1 employee", "7 employees", True),
        ("5 employees", "7 offices", False),
        ("5 employees", "7", False),
        ("5 kg", "3 lbs", True),
        ("12 months", "a year", False),
        ("March 5, 2024", "March 6, 2024", True),
        ("March 5, 2024", "March 6", True),
        ("March 5, 2024", "2024", False),
        ("in 2020", "in 2021", True),
        ("in 2020", "7", False),
        ("Monday", "Tuesday", True),
        ("2 pm", "Tuesday", False),
    ],
)
def test_comparable(answer: str, context: str, *, expected: bool) -> None:
    """Values of one kind and dimension contradict each other when they differ, others do not."""
    assert comparable(extract_values(answer)[0], extract_values(context)[0]) is expected


def test_numbers_and_dates_stand_in_their_order() -> None:
    """The digits of a date are not numbers too."""
    text = "On March 5, 2024 we paid $1.2M (5%) within 30 days, at 14:30."
    assert [text[value.start : value.end] for value in extract_values(text)] == [
        "March 5, 2024", "$1.2M", "5%", "30 days", "14:30",
    ]  # fmt: skip
    assert [text[value.start : value.end] for value in extract_numbers(text)] == ["$1.2M", "5%", "30 days"]
    assert [text[value.start : value.end] for value in extract_dates(text)] == ["March 5, 2024", "14:30"]


@given(_texts)
@settings(max_examples=400, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    """No text makes the reader fail; spans lie in the text, in order and apart; a value supports itself."""
    end = 0
    for value in extract_values(text):
        assert end <= value.start < value.end <= len(text)
        end = value.end
        assert match_value(value, text, value, text) == Match(reason="found")


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "1," * 3000,
        "1.1" * 3000,
        "1-" * 3000,
        "5 to " * 3000,
        "one " * 3000,
        "one or " * 3000,
        "hundred thousand " * 2000,
        "5" + " million" * 3000,
        "[1, " * 3000,
        "1. a " * 3000,
        "March " * 3000,
        "third quarter " * 3000,
        "\ud800 5 days",
        "5 " + "a" * 5000,
    ],
    ids=lambda text: text[:12].encode("ascii", "replace").decode(),
)
def test_absurd_texts_are_read_in_time(text: str) -> None:
    """Endless digits, lists and words neither fail nor take quadratic time."""
    values: tuple[Value, ...] = extract_values(text)
    assert len(values) <= len(text)
