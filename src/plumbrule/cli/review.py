"""``plumbrule review``: scorecards."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, rubric_options


@click.group("review")
def command() -> None:
    """Decide what evaluators' scorecards come to.

    \b
    Example:
      plumbrule review decide card.json
    """


@command.command("decide")
@click.argument("file")
@rubric_options
@json_option
def decide(file: str, rubric: Path | None, settings: tuple[str, ...], as_json: bool) -> int:
    """Compute overall score, band, action, blockers and recommendation of each record in FILE; nothing is stored.

    FILE holds one JSON object, a JSON array or one object a line; - reads standard input. The exit code is 1 if any
    recommendation is Fail.

    \b
    Examples:
      plumbrule review decide card.json
      plumbrule review decide cards.jsonl --json
    """
    from plumbrule.cli.cards import decide_file

    return int(not decide_file(file, rubric=rubric, settings=settings, as_json=as_json))
