"""The same value has the same bytes everywhere."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from plumbrule.hashing import canonical_json, sha256_of, tagged_id, text_sha256

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def test_canonical_json() -> None:
    """Keys are sorted at every depth, nothing is added, text is UTF-8."""
    value = {"b": [1, None, True], "a": {"é": 0.1, "d": "x y"}}
    assert canonical_json(value) == '{"a":{"d":"x y","é":0.1},"b":[1,null,true]}'.encode()


@given(st.dictionaries(st.text(), JSON))
def test_the_order_of_keys_does_not_count(value: dict[str, object]) -> None:
    """Two mappings with the same content have the same hash."""
    assert sha256_of(dict(reversed(value.items()))) == sha256_of(value)


def test_the_hash_is_that_of_the_canonical_json() -> None:
    """Anyone can check a hash with a standard tool."""
    assert sha256_of({"a": 1}) == hashlib.sha256(b'{"a":1}').hexdigest()


def test_an_id_tells_what_it_names() -> None:
    """A tag and the beginning of the hash."""
    assert tagged_id("sample", {"a": 1}) == f"sample-{sha256_of({'a': 1})[:16]}"
    assert len(tagged_id("x", None, length=8)) == len("x-") + 8


def test_a_text_is_hashed_as_it_is() -> None:
    """As a standard tool would hash it; a text that is no valid Unicode has a hash as well, and its own."""
    assert text_sha256("é") == hashlib.sha256("é".encode()).hexdigest()
    assert text_sha256("\ud800") != text_sha256("?")
