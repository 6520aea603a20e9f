"""A Python caller can name every type that a public function takes, returns or raises."""

import inspect
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

import plumbrule
from plumbrule.errors import PlumbruleError

PAGE = Path(__file__).parents[1] / "docs" / "python.md"
FUNCTIONS = [name for name in plumbrule.__all__ if inspect.isfunction(getattr(plumbrule, name))]


def types_in(hint: object) -> Iterator[type]:
    """Yield the package's own classes in an annotation."""
    if inspect.isclass(hint) and hint.__module__.startswith("plumbrule"):
        yield hint
    for part in typing.get_args(hint):
        yield from types_in(part)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_type_of_a_signature_is_public(name: str) -> None:
    """What goes in and what comes out can be imported from the package."""
    hints = typing.get_type_hints(getattr(plumbrule, name))
    assert {kind.__name__ for hint in hints.values() for kind in types_in(hint)} <= set(plumbrule.__all__)


def test_every_error_is_public_or_has_a_public_kind() -> None:
    """Whatever is raised for a user can be caught by a public name that says more than the root."""
    public = {getattr(plumbrule, name) for name in plumbrule.__all__ if name.endswith("Error")}

    def kinds(error: type[PlumbruleError]) -> Iterator[type[PlumbruleError]]:
        for kind in error.__subclasses__():
            yield kind
            yield from kinds(kind)

    ours = {kind for kind in kinds(PlumbruleError) if kind.__module__.startswith("plumbrule")}
    assert not [kind for kind in ours if not (set(kind.__mro__) & public) - {PlumbruleError}]


def test_the_page_names_every_public_name() -> None:
    """The reference is complete."""
    text = PAGE.read_text(encoding="utf-8")
    assert not [name for name in plumbrule.__all__ if f"`{name}" not in text]
