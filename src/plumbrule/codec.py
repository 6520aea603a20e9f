"""JSON at the edge: one codec for every typed result.

A result is a frozen dataclass whose fields are the keys of its JSON, in their order. The codec writes it for ``--json``
and for the ledger, reads it back, and gives its JSON schema, so that all of them agree.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from plumbrule.errors import InputError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

_OMIT = "omit_none"


def optional_key(default: Any = None) -> Any:  # noqa: ANN401 - as dataclasses.field returns it
    """Return a dataclass field whose key is left out of the JSON where the value is None."""
    return dataclasses.field(default=default, metadata={_OMIT: True})


def to_json(value: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return the JSON-ready form of a typed result: dataclasses become dicts, tuples become lists."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            name: to_json(content)
            for name, omit in _keys(type(value))
            if (content := getattr(value, name)) is not None or not omit
        }
    if isinstance(value, Mapping):
        return {key: to_json(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(content) for content in value]
    return value


def fields_of(value: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    """Return the fields of a dataclass by name, their values as they are."""
    return {name: getattr(value, name) for name, _ in _keys(value.__class__)}


def take_fields(kind: type[T], source: object, **given: object) -> T:
    """Return a dataclass whose fields are ``given``, or else the attributes of ``source`` with the same names."""
    names = [name for name, _ in _keys(kind)]  # type: ignore[arg-type]  # a type is hashable
    return kind(**{name: given[name] if name in given else getattr(source, name) for name in names})


def json_line(value: object, *, indent: bool = False) -> bytes:
    """Return a result or any JSON-ready value as one line of JSON, or as several where it is indented."""
    option = orjson.OPT_APPEND_NEWLINE | orjson.OPT_PASSTHROUGH_DATACLASS | (orjson.OPT_INDENT_2 if indent else 0)
    return orjson.dumps(value, default=to_json, option=option)


def from_json(kind: type[T], content: object, *, where: str) -> T:
    """Return a typed result from its JSON form; ``where`` names the place for the error of one that does not fit."""
    from pydantic import ValidationError  # noqa: PLC0415 - only needed to read

    adapter: TypeAdapter[T] = _adapter(kind)  # type: ignore[arg-type]  # a type is hashable
    try:
        result = adapter.validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "it"
        raise InputError(f"{where}: '{key}' cannot be read: {first['msg']}") from None
    return result


def schema_of(kind: type[Any], *, given: bool = False) -> dict[str, Any]:
    """Return the JSON schema of a typed result, or of what is ``given`` to be read as the type."""
    adapter: TypeAdapter[Any] = _adapter(kind)  # type: ignore[arg-type]  # the same
    return adapter.json_schema(mode="validation" if given else "serialization")


@functools.cache
def _keys(kind: Any) -> tuple[tuple[str, bool], ...]:  # noqa: ANN401 - a type, which mypy does not take as hashable
    return tuple((field.name, bool(field.metadata.get(_OMIT))) for field in dataclasses.fields(kind))


@functools.cache
def _adapter(kind: Any) -> "TypeAdapter[Any]":  # noqa: ANN401 - the same
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to import, and not needed to write

    return TypeAdapter(kind)
