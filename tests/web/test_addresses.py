"""Addresses hold any text, and a download gets its name whatever is in it."""

from urllib.parse import unquote

from plumbrule.web.addresses import download_headers, path_part, with_query


def test_a_name_is_one_part_of_a_path() -> None:
    """Whatever it holds, it adds no part, no query and no fragment."""
    assert path_part("a/b?c#d é") == "a%2Fb%3Fc%23d%20%C3%A9"


def test_a_query_leaves_out_what_is_not_given() -> None:
    """None, an empty text and an empty list are no conditions; a list is one for each value."""
    assert with_query("/runs", {"a": None, "b": "", "c": [], "d": ()}) == "/runs"
    assert with_query("/runs", {"a": 0, "b": ("x", "y&z"), "c": "/d"}) == "/runs?a=0&b=x&b=y%26z&c=/d"


def test_a_download_gets_its_name() -> None:
    """A plain name as it is; one with a quotation mark, a line break or a letter of another script is encoded."""
    assert download_headers("run-1.csv") == {"content-disposition": 'attachment; filename="run-1.csv"'}
    hostile = 'a"b\r\nset-cookie: é.csv'
    header = download_headers(hostile)["content-disposition"]
    assert header.isascii()
    assert header.isprintable()
    assert unquote(header.removeprefix("attachment; filename*=UTF-8''")) == hostile
