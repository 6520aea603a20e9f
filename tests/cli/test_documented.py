"""An undocumented command or option fails here."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from plumbrule.cli import cli

Run = Callable[..., Any]

REFERENCE = Path(__file__).parents[2] / "docs" / "commands.md"


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield from commands(found, (*path, name))


ALL = list(commands(cli))
OPTIONS = [
    (path, option)
    for path, command in ALL
    for parameter in command.params
    if isinstance(parameter, click.Option)
    for option in parameter.opts
]


def test_the_commands_are_found() -> None:
    """The walk reaches the commands inside commands."""
    assert ("score",) in dict(ALL)
    assert ("rubric", "check") in dict(ALL)


@pytest.mark.parametrize("path", dict(ALL), ids=lambda path: " ".join(path) or "plumbrule")
def test_every_command_has_help_with_an_example(run: Run, path: tuple[str, ...]) -> None:
    """The help shows a call that can be copied, on a line of its own."""
    lines = [line.strip() for line in run(*path, "--help").out.splitlines()]
    call = " ".join(("plumbrule", *path))
    assert any(line.removeprefix("Start with: ").startswith(call) for line in lines)


@pytest.mark.parametrize(
    ("path", "option"), OPTIONS, ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
def test_every_option_is_explained(path: tuple[str, ...], option: str) -> None:
    """Each has a line in the help."""
    command = dict(ALL)[path]
    [parameter] = [each for each in command.params if option in each.opts]
    assert isinstance(parameter, click.Option)
    assert parameter.help


@pytest.mark.skipif(not REFERENCE.exists(), reason="docs/commands.md is not written yet")
def test_every_command_is_documented() -> None:
    """The reference names each command by its full name."""
    text = REFERENCE.read_text()
    missing = [" ".join(path) for path, _ in ALL if path and f"plumbrule {' '.join(path)}" not in text]
    assert missing == []


@pytest.mark.skipif(not REFERENCE.exists(), reason="docs/commands.md is not written yet")
def test_every_option_is_documented() -> None:
    """The reference names each option."""
    text = REFERENCE.read_text()
    assert sorted({option for _, option in OPTIONS if option.startswith("--") and option not in text}) == []
