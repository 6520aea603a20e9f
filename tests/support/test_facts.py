"""Facts: JSON and tables are read as keys in words and values, each where it stands; all else is plain text."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plumbrule.support import facts as facts_module
from plumbrule.support.facts import Line, in_words
from plumbrule.support.word_lists import support_words


def read_facts(text: str) -> list[Line] | None:
    """Return the facts of a text by the words that ship."""
    return facts_module.read_facts(text, support_words())


def facts(text: str) -> list[Line]:
    """Return the facts of a text that has some."""
    found = read_facts(text)
    assert found is not None
    return found


def said(text: str) -> list[str]:
    """Return the facts of a text in words."""
    return [line.text for line in facts(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"name": "Harbor Grill"}', ["name: Harbor Grill"]),
        (
            ' \n{"a": {"b": {"c": 1}}, "d": [true, {"e": "x"}, "y"]}\t',
            ["a b c: 1", "d: yes", "d e: x", "d: y"],
        ),
        ('["one", 2, -3.5, 1e6, 2.5E-3]', ["one", "2", "-3.5", "1e6", "2.5E-3"]),
        ('{"a": null, "b": true, "c": false}', ["a: unknown", "b: yes", "c: no"]),
        ('{"a": None, "b": True, "c": False}', ["a: unknown", "b: yes", "c: no"]),
        ('{"a": NaN, "b": Infinity, "c": -Infinity}', ["a: NaN", "b: Infinity", "c: -Infinity"]),
        ('{"a": 1, "a": 2}', ["a: 1", "a: 2"]),
        ('{"a": [1, 2,],}', ["a: 1", "a: 2"]),
        ('{"a": {}, "b": [], "c": ""}', ["c: "]),
        ('{"": 1}', ["1"]),
        ('{"OutdoorSeating": true, "dogs_allowed": "no"}', ["Outdoor Seating: yes", "dogs allowed: no"]),
    ],
)
def test_json_is_read_as_keys_and_values(text: str, expected: list[str]) -> None:
    """Every value is a fact under the names of its path; yes, no and unknown are words, as JSON or Python has them."""
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The fee is $25.",
        "{}",
        "[]",
        "[[], {}]",
        '{"a": 1} and more',
        '{"a": 1}\n{"a": 2}',
        '{"a": 1',
        '{"a"',
        '{"a": "b',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        "[1 2]",
        "[1,,2]",
        "[,1]",
        "{'a': 1}",
        '{a": 1}',
        '{"a": +1}',
        '{"a": truth}',
        '{"a": "\\x"}',
        '{"a": "\\u12"}',
        "[1] As the first source says, the fee is $25.",
        "[Music]",
        "{",
        "[",
    ],
)
def test_what_is_no_json_is_plain_text(text: str) -> None:
    """Broken, empty or followed by more: nothing is made of it."""
    assert read_facts(text) is None


@pytest.mark.parametrize(("deep", "read"), [(40, True), (41, False), (10_000, False)])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")], ids=["arrays", "objects"])
def test_deep_nesting_has_a_bound(opening: str, closing: str, deep: int, *, read: bool) -> None:
    """Forty levels are read; more are text, and ten thousand exhaust no stack."""
    text = opening * deep + '"end"' + closing * deep
    found = read_facts(text)
    assert (found is not None) == read
    if found is not None:
        assert [line.value for line in found] == ["end"]


def test_a_megabyte_is_read() -> None:
    """Each of the facts of a large document is there."""
    record = {f"key {number}": f"value of number {number} and some more" for number in range(20_000)}
    text = json.dumps(record)
    assert len(text) > 1_000_000
    found = facts(text)
    assert len(found) == 20_000
    assert (found[-1].key, found[-1].value) == ("key 19999", record["key 19999"])
    assert text[found[-1].start : found[-1].end] == '"key 19999": "value of number 19999 and some more"'


def test_a_fact_stands_from_its_key_to_the_end_of_its_value() -> None:
    """The quotes of a text belong to it, in an object as in an array."""
    text = '{"a": "x", "b" : [12, "y", {"c":true}]}'
    assert [text[line.start : line.end] for line in facts(text)] == ['"a": "x"', "12", '"y"', '"c":true']


LONG = "The grill is fine. " * 5


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (LONG + 'They call it "best" here. Indeed.', '"best"'),
        (LONG + "The café is naïve. Indeed.", "café is naïve"),
        (LONG + "Éé èê àù. Last one.", "Last one."),
        (LONG + "One 😀😀 two. Last one.", "Last one."),
        (LONG + "A\\b\\\\c is a path. Last one.", "Last one."),
        ("First line\nSecond line.\n\nThird line.", "Third line."),
        (LONG + "😀. Last one.", "Last one."),
    ],
)
@pytest.mark.parametrize("plain", [True, False])
def test_the_sentences_of_a_long_text_stand_where_they_say(value: str, wanted: str, *, plain: bool) -> None:
    """Escapes, also two in a row and those of one sign, move no sentence: each raw stretch says the same."""
    text = json.dumps({"name": "x", "review": value}, ensure_ascii=plain)
    lines = [line for line in facts(text) if not line.key]
    assert all(json.loads(f'"{text[line.start : line.end]}"') == line.value for line in lines)
    assert any(wanted in line.value for line in lines)


def test_half_a_sign_is_replaced() -> None:
    """A lone surrogate could be written to no JSON."""
    (line,) = facts('{"rating": "4.5 \\ud83d"}')
    assert ascii(line.value) == ascii("4.5 \ufffd")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("OutdoorSeating", "Outdoor Seating"),
        ("outdoor_seating", "outdoor seating"),
        ("outdoor-seating", "outdoor seating"),
        ("WiFi", "Wi Fi"),
        ("RestaurantsPriceRange2", "Restaurants Price Range 2"),
        ("BYOBCorkage", "BYOB Corkage"),
        ("HTTPServer", "HTTP Server"),
        ("isATM", "is ATM"),
        ("ATM", "ATM"),
        ("Café", "Café"),
        ("größeDesRaums", "größe Des Raums"),
        ("営業時間", "営業時間"),
        ("__", ""),
    ],
)
def test_a_key_is_put_in_words(name: str, expected: str) -> None:
    """Camel case, snake case and abbreviations fall into their words, in any script."""
    assert in_words(name) == expected


@pytest.mark.parametrize(
    ("value", "truth"),
    [("true", "yes"), ('"Yes"', "yes"), ('"no"', "no"), ('"None"', "no"), ("null", "unknown"), ('"n/a"', "unknown"),
     ('"free"', None), ("1", None)],
)  # fmt: skip
def test_a_fact_may_be_a_yes_or_a_no(value: str, truth: str | None) -> None:
    """Whichever way the data writes it; what stands under no key is neither."""
    assert facts(f'{{"WiFi": {value}}}')[0].truth == truth
    assert facts(f"[{value}]")[0].truth is None


TABLE = """Fees of the year. They rose.

| Plan  | Fee | Since |
|-------|----:|-------|
| Basic | $5  | 2020  |
| Gold  | $25 |       |
| Odd   | $1  | 2021  | a note |
| Short |

All fees are yearly.
"""


def test_a_table_is_read_row_by_row() -> None:
    """A cell stands under the name of its column; ragged rows lose nothing, and the text around is read as well."""
    assert said(TABLE) == [
        "Fees of the year.",
        "They rose.",
        "Plan: Basic; Fee: $5; Since: 2020",
        "Plan: Gold; Fee: $25",
        "Plan: Odd; Fee: $1; Since: 2021; a note",
        "Plan: Short",
        "All fees are yearly.",
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_rows_of_a_table_stand_where_they_say(newline: str) -> None:
    """Each row is its whole line, each sentence itself."""
    text = TABLE.replace("\n", newline)
    shown = [text[line.start : line.end] for line in facts(text)]
    assert shown[0] == "Fees of the year."
    assert shown[2:4] == ["| Basic | $5  | 2020  |", "| Gold  | $25 |       |"]
    assert shown[-1] == "All fees are yearly."


def test_two_tables_have_their_own_columns() -> None:
    """What stands between them ends the first; a column without a name gives its cells alone."""
    text = "| a | b |\n|---|---|\n| 1 | 2 |\nThen:\n| c | |\n|---|---|\n| 3 | 4 |\n"
    assert said(text) == ["a: 1; b: 2", "Then:", "c: 3; 4"]


@pytest.mark.parametrize("text", ["a | b | c | d | e | f | g", "| a | b | c | d | e | f |", "|||||||", "|-|-|-|-|-|-|"])
def test_bars_alone_make_no_table(text: str) -> None:
    """A table has rows under a header."""
    assert read_facts(text) is None


DATA: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=120),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(
    data=DATA.filter(lambda data: isinstance(data, dict | list)),
    plain=st.booleans(),
    indent=st.sampled_from([None, 1]),
)
@example(data={"a": "é" * 90 + ". \u0085. \n\n x"}, plain=True, indent=None)
def test_every_fact_lies_in_its_text(data: Any, *, plain: bool, indent: int | None) -> None:
    """Whatever the data: offsets are in order and inside, and the raw stretch of a value without escapes holds it."""
    text = json.dumps(data, ensure_ascii=plain, indent=indent)
    at = 0
    for line in read_facts(text) or []:
        assert at <= line.start < line.end <= len(text)
        at = line.end
        shown = text[line.start : line.end]
        if "\\" not in shown and line.truth is None:
            assert line.value in shown or shown.endswith(("null", "true", "false"))
            json.dumps(line.text).encode()


@given(st.text(alphabet='{}[]":,|-\\u0 1aetrulsfn\n', max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    """What looks like data and is none is plain text, and nothing else happens."""
    for line in read_facts(text) or []:
        assert 0 <= line.start <= line.end <= len(text)
