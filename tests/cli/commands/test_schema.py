"""``plumbrule schema`` prints one schema, or lists them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from plumbrule.api.schemas import SCHEMAS, schema_named

Run = Callable[..., Any]


@pytest.mark.parametrize("arguments", [(), ("--list",), ("--list", "verdict")], ids=" ".join)
def test_the_list_has_one_line_for_each(run: Run, arguments: tuple[str, ...]) -> None:
    """The name, and what it describes."""
    done = run("schema", *arguments)
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == sorted(SCHEMAS)
    assert all(len(line.split(maxsplit=1)) == 2 for line in done.out.splitlines())


def test_a_name_prints_its_schema(run: Run) -> None:
    """As indented JSON, to be read or kept in a file."""
    done = run("schema", "verdict")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == schema_named("verdict")
    assert done.out.startswith('{\n  "$schema"')


def test_an_unknown_name_is_one_line(run: Run) -> None:
    """With exit code 2, as every usage error."""
    done = run("schema", "verdct")
    assert (done.code, done.out) == (2, "")
    assert done.err == "plumbrule: there is no schema 'verdct'; did you mean 'verdict'?\n"
