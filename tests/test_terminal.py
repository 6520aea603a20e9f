"""Text from outside is shown, on a terminal or in a page, and never obeyed."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.terminal import listed, masked_address, safe

TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwrite", "over\\x0dwrite"),
        ("\x9b31m", "\\x9b31m"),
        ("\x7f\x08\x00", "\\x7f\\x08\\x00"),
        ("a\u2028b\uffff", "a\\x2028b\\xffff"),
        ("日本 é 🙂", "日本 é 🙂"),
    ],
)
def test_control_characters_are_shown(text: str, shown: str) -> None:
    """Escapes, bells, carriage returns and C1 controls become text; line ends and tabs stay."""
    assert safe(text) == shown


@given(st.lists(st.characters(categories=["Cc", "L", "N"]) | st.sampled_from(TURNS)).map("".join))
def test_nothing_steers_the_terminal(text: str) -> None:
    """No control character but tab and line end is left, and nothing turns the text round."""
    shown = safe(text)
    assert not [sign for sign in shown if unicodedata.category(sign) == "Cc" and sign not in "\t\n"]
    assert not set(shown) & set(TURNS)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql+psycopg://me:hush@db/l?sslmode=require", "postgresql+psycopg://me:***@db/l?sslmode=require"),
        ("postgresql+psycopg://db/l?password=hush&user=me", "postgresql+psycopg://db/l?password=***&user=me"),
        ("postgresql+psycopg://db/l?user=me&PassWord=hush", "postgresql+psycopg://db/l?user=me&PassWord=***"),
        ("https://a/v1?api-version=2024-06-01", "https://a/v1?api-version=2024-06-01"),
        ("https://a/v1?api%2Dkey=hush&x=1#f", "https://a/v1?api%2Dkey=***&x=1#f"),
        ("https://a/hook?%73ig=hush", "https://a/hook?%73ig=***"),
        ("https://a/hook?access_token=hush;b=2", "https://a/hook?access_token=***;b=2"),
        ("sqlite:///ledger.db", "sqlite:///ledger.db"),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    """Passwords and keys, before the host and in the query, whatever their case and escapes."""
    assert masked_address(address) == shown


def test_a_list_that_is_cut_says_how_many_more() -> None:
    """What is left out is counted, never an ellipsis."""
    assert listed(["a", "b"], 2) == "a, b"
    assert listed(["a", "b", "c"], 2, between="; ") == "a; b; and 1 more"
