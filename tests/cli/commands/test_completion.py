"""The completion script of each shell, and what it completes to."""

from collections.abc import Callable
from typing import Any

import click
import pytest

from plumbrule.cli import cli

COMMANDS = cli.list_commands(click.Context(cli))

Run = Callable[..., Any]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell(run: Run, shell: str) -> None:
    """The script calls the command itself for what it completes."""
    done = run("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert f"_PLUMBRULE_COMPLETE={shell}_complete" in done.out
    assert "plumbrule" in done.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("plumbrule sc", ["plain,schema", "plain,score"]),
        ("plumbrule ", [f"plain,{name}" for name in COMMANDS]),
        ("plumbrule rubric ", ["plain,check", "plain,list", "plain,show"]),
        (
            "plumbrule score --fail-on ",
            ["plain,fail", "plain,warn", "plain,contradicted", "plain,unsupported", "plain,never"],
        ),
        ("plumbrule score --fail-on fail,un", ["plain,fail,unsupported"]),
        ("plumbrule score --no", ["plain,--no-claims", "plain,--no-support"]),
    ],
)
def test_what_is_completed(run_process: Run, words: str, expected: list[str]) -> None:
    """Commands, options and the values of options."""
    index = str(len(words.split(" ")) - 1)
    done = run_process(_PLUMBRULE_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=index)
    assert done.out.split() == expected
    assert done.err == ""
