"""The options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from plumbrule.errors import UsageError
from plumbrule.names import FORMATS
from plumbrule.settings import user_name

Command = Callable[..., Any]


def file_option(*names: str, text: str, required: bool = False, metavar: str = "FILE") -> Callable[[Command], Command]:
    """Return an option that takes a path."""
    return click.option(*names, type=click.Path(path_type=Path), metavar=metavar, required=required, help=text)


def output_option(text: str, *, required: bool = True) -> Callable[[Command], Command]:
    """Return the option for the one file that a command writes."""
    return file_option("-o", "--output", text=text, required=required)


def dataset_options(command: Command) -> Command:
    """Add the options that say how a dataset is read."""
    command = click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="FIELD=COLUMN",
        help="Take FIELD from COLUMN, such as answer=my_column, question=input.text or contexts=hits.document.content.",
    )(command)
    command = click.option(
        "--encoding", metavar="NAME", help="The encoding of the text, such as cp1252; UTF-8 and UTF-16 are known."
    )(command)
    command = click.option(
        "--delimiter",
        metavar="SIGN",
        help="The sign between the cells of CSV, such as ; or tab; else by the header.",
    )(command)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(tuple(dict.fromkeys(FORMATS.values()))),
        help="The format, where the file's name does not tell.",
    )(command)


_set_option = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Change one value of the rubric."
)


def rubric_options(command: Command) -> Command:
    """Add the options that choose and change the rubric."""
    return file_option("--rubric", text="A rubric file; it states only what it changes.")(_set_option(command))


def verdict_options(command: Command) -> Command:
    """Add the options that choose and change the verdict rubric, which ships in two forms."""
    text = "A rubric file, which states only what it changes; or recommended, the second rubric that ships."
    return file_option("--rubric", text=text, metavar="FILE|recommended")(_set_option(command))


confidence_option = click.option(
    "--confidence",
    type=click.Choice(["fixed", "sequential"]),
    help="Intervals for one look, or valid however often one looks; else as the run and its rubric say.",
)


def policy_options(command: Command) -> Command:
    """Add the options that ask for more than a run's own policy of gates."""
    command = confidence_option(command)
    return click.option(
        "--decide-on",
        type=click.Choice(["point", "bound"]),
        help="Release where the figures keep their limits (point), or only where their whole intervals do (bound); "
        "else as the run and its rubric say.",
    )(command)


anchor_option = click.option(
    "--anchor",
    type=click.Choice(["judge", "people"]),
    help="Take judged figures as the judge has them, or as people's labels of a random part correct them; else as the "
    "run and its rubric say.",
)
verdict_rubric_option = file_option(
    "--verdict-rubric",
    text="A file laid over the verdict rubric, such as a calibration of the support score; or recommended, the second "
    "rubric that ships.",
    metavar="FILE|recommended",
)


class CommaSeparated(click.ParamType[tuple[str, ...]]):
    """One or more of some words, between commas; ``never`` is for none of them."""

    name = "list"

    def __init__(self, *words: str) -> None:
        self._words = words

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click's own signature
        """Return how the value is written in the help."""
        return f"[{','.join(self._words)}|never]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the words; raise for one that is not known."""
        if isinstance(value, tuple):
            return value
        words = tuple(dict.fromkeys(word.strip() for word in str(value).split(",")))
        if words == ("never",):
            return ()
        for word in words:
            if word not in self._words:
                known = ", ".join(self._words)
                text = f"{word!r} is not one of {known}; several go with commas between, never goes alone"
                self.fail(text, param, ctx)
        return words

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's own signature
        param: click.Parameter,  # noqa: ARG002 - the same
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the words that the last one may become, each with those before it."""
        before, comma, last = incomplete.rpartition(",")
        words = self._words if comma else (*self._words, "never")
        return [CompletionItem(f"{before}{comma}{word}") for word in words if word.startswith(last)]


workers_option = click.option(
    "--workers", type=click.IntRange(1, 256), help="Processes to use; by default the cores, for large datasets."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for machines.")
ledger_option = click.option(
    "--ledger",
    "ledger_url",
    metavar="URL",
    help="The ledger, such as sqlite:///runs.db; else $PLUMBRULE_LEDGER, else .plumbrule/ledger.db.",
)
campaign_option = click.option(
    "--campaign",
    "reference",
    default="last",
    metavar="NAME",
    help="The campaign: its name, the start of it, or last, the default.",
)


def _person(_context: click.Context, _parameter: click.Parameter, given: str | None) -> str:
    """Return who acts: by the option, else by the settings."""
    from plumbrule.api.reviews import accountable

    return accountable(given)


def author_option(text: str, parameter: str = "person") -> Callable[[Command], Command]:
    """Return the option that names who does something; without it, it is ``user.name`` of the settings."""
    return click.option(
        "--as", parameter, metavar="NAME", callback=_person, help=f"{text}; else user.name in settings."
    )


person_option = author_option("Who you are")
weaker_policy_option = click.option(
    "--accept-weaker-policy",
    is_flag=True,
    help="Use a rubric that is weaker than the one that ships; every result says so.",
)


def records_options(command: Command) -> Command:
    """Add the options that take records from files instead of the ledger."""
    command = click.option(
        "--interactions", metavar="PATH", help="With --records: the responses and traces that the records are about."
    )(command)
    return click.option("--records", metavar="FILE", help="Take the records from FILE, not from the ledger.")(command)


def interaction_options(command: Command) -> Command:
    """Add the options that take one interaction from files instead of the ledger."""
    command = click.option(
        "--passages", metavar="PATH", help="With --from: the corpus, by passage id, as for prescore."
    )(command)
    return click.option(
        "--from", "source", metavar="PATH", help="Take the interaction from a file or folder of responses and traces."
    )(command)


def author_name(person: str | None) -> str:
    """Return who the user is: the name given, else the one in their settings."""
    name = person or user_name()
    if not name or not name.strip():
        raise UsageError("say who you are: --as NAME, or user.name in your settings")
    return name
