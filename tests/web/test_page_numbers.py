"""A page of a long list, and the addresses of the others."""

import pytest

from plumbrule.web.page_numbers import page_of, page_start

LETTERS = "abcdefg"


@pytest.mark.parametrize(
    ("asked", "number", "items", "before", "after"),
    [(1, 1, "abc", None, 2), (2, 2, "def", 1, 3), (3, 3, "g", 2, None), (99, 3, "g", 2, None), (-5, 1, "abc", None, 2)],
)
def test_a_page_has_its_items_and_its_neighbours(
    asked: int, number: int, items: str, before: int | None, after: int | None
) -> None:
    """A number beyond the ends is that of the first or the last page."""
    page = page_of(LETTERS, asked, size=3, path="/letters")
    assert (page.number, page.items, page.before, page.after, page.pages, page.total) == (
        number,
        items,
        before,
        after,
        3,
        7,
    )
    assert (page.first, page.last) == (LETTERS.index(items[0]) + 1, LETTERS.index(items[-1]) + 1)


def test_a_page_that_was_taken_from_a_longer_list() -> None:
    """Its items are given alone with how many there are; beyond the last page there are none, and a way back."""
    page = page_of(LETTERS[page_start(2, 3) :][:3], 2, size=3, path="/letters", found=7)
    assert (page.items, page.first, page.last, page.before, page.after) == ("def", 4, 6, 1, 3)
    beyond = page_of("", 9, size=3, path="/letters", found=7)
    assert (beyond.items, beyond.first, beyond.last, beyond.before, beyond.after) == ("", 0, 0, 3, None)


def test_addresses_keep_the_query() -> None:
    """The first page has no number, and what is empty stays out."""
    page = page_of(LETTERS, 2, size=3, path="/letters", query={"find": "a b", "show": "", "kind": ["x", "y"]})
    assert page.address(1) == "/letters?find=a+b&kind=x&kind=y"
    assert page.address(3) == "/letters?find=a+b&kind=x&kind=y&page=3"
    assert page_of(LETTERS, 1, path="/letters").address(1) == "/letters"
