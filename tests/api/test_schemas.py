"""Every JSON result has a schema with a name, and the documentation lists it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plumbrule.api.schemas import SCHEMAS, schema_named
from plumbrule.errors import UsageError
from plumbrule.runs import config_schema

REFERENCE = Path(__file__).parents[2] / "docs" / "commands.md"
TYPES = {"array", "boolean", "integer", "null", "number", "object", "string"}


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every object inside a schema."""
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts(part)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_valid(name: str) -> None:
    """It says which draft it follows, names known types only, and every reference leads to a definition."""
    schema: Any = schema_named(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == name
    assert schema["description"]
    for part in parts(schema):
        if isinstance(part.get("$ref"), str):
            assert part["$ref"].removeprefix("#/$defs/") in schema["$defs"]
        if isinstance(part.get("type"), str):
            assert part["type"] in TYPES
        if isinstance(part.get("required"), list):
            assert set(part["required"]) <= part["properties"].keys()


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_documented(name: str) -> None:
    """The reference has a line for each."""
    assert f"| `{name}` |" in REFERENCE.read_text()


def test_the_names_are_sorted() -> None:
    """A new one has its place."""
    assert list(SCHEMAS) == sorted(SCHEMAS)


def test_the_run_configuration_is_described_as_in_the_file_that_ships() -> None:
    """Editors that use the file and those that use the command agree."""
    shipped = json.loads(Path(config_schema.__file__).with_name("run_config.schema.json").read_bytes())
    assert {**shipped, "title": "run-config"} == schema_named("run-config")


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    """A typo gets a suggestion, anything else the list."""
    with pytest.raises(UsageError, match="there is no schema 'verdct'; did you mean 'verdict'"):
        schema_named("verdct")
    with pytest.raises(UsageError, match="there is no schema 'xyz'; there are: agreement, "):
        schema_named("xyz")
