"""Dotted paths lead into nested values, flattened values and mixtures of both."""

import pytest

from plumbrule.samples.formats.openinference import dig


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"a": {"b": 1}}, "a.b", 1),
        ({"a.b": 1}, "a.b", 1),
        ({"a.b": {"c": 1}}, "a.b.c", 1),
        ({"a": {"b.c": 1}}, "a.b.c", 1),
        ({"a": 3, "a.b": {"c": 1}}, "a.b.c", 1),
        ({"a": [{"b": 1}]}, "a.0.b", 1),
        ({"a": [1]}, "a.1", None),
        ({"a": [1]}, "a.x", None),
        ({"a": "text"}, "a.b", None),
        ({}, "a", None),
        ({"a": {}}, ".a.", None),
    ],
)
def test_a_path_finds_its_value(value: object, path: str, found: object) -> None:
    """A path finds its value through objects, lists and keys with dots, or nothing."""
    assert dig(value, path) == found
