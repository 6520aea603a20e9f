"""One codec writes, reads and describes every typed result."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson
import pytest

from plumbrule.codec import from_json, optional_key, schema_of, take_fields, to_json
from plumbrule.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a result."""

    name: str
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A result with parts."""

    parts: tuple[Part, ...]
    counts: Mapping[str, int]
    extra: str | None = optional_key()


WHOLE = Whole(parts=(Part(name="a", share=None), Part(name="b", share=0.5)), counts={"n": 2})


def test_the_fields_are_the_keys_in_their_order() -> None:
    """Dataclasses become objects, tuples lists; None is null unless its key may be left out."""
    assert orjson.dumps(to_json(WHOLE)) == (
        b'{"parts":[{"name":"a","share":null},{"name":"b","share":0.5}],"counts":{"n":2}}'
    )


def test_what_was_written_is_read_back() -> None:
    """Reading gives the same typed value."""
    assert from_json(Whole, to_json(WHOLE), where="x") == WHOLE


def test_a_fault_is_one_line_that_names_place_and_key() -> None:
    """Whatever does not fit is the file's fault, named by its key path."""
    with pytest.raises(InputError, match=r"^entry 7: 'parts\.0\.name' cannot be read: "):
        from_json(Whole, {"parts": [{"name": 3, "share": 1.0}], "counts": {}}, where="entry 7")


def test_the_schema_describes_the_json() -> None:
    """Every key, with its type and the docstring of its dataclass."""
    schema = schema_of(Whole)
    assert schema["$defs"]["Part"]["properties"]["share"]["anyOf"] == [{"type": "number"}, {"type": "null"}]
    assert list(schema["properties"]) == ["parts", "counts", "extra"]


def test_fields_are_taken_over_by_name() -> None:
    """What is given goes before what the source has, and a field that neither has is an error."""
    part = Part(name="a", share=0.5)
    assert take_fields(Part, part, name="b") == Part(name="b", share=0.5)
    with pytest.raises(AttributeError):
        take_fields(Whole, part)
