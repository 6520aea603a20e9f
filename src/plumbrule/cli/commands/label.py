"""``plumbrule label``: answers of a run that people label, drawn at random, and their labels."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, ledger_option, output_option


@click.command("label")
@click.argument("run")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--draw", "count", type=click.IntRange(1), metavar="N", help="Draw N more answers to label.")
@click.option("--seed", type=int, default=42, show_default=True, help="The same seed draws the same answers.")
@click.option("--campaign", metavar="NAME", help="Take the labels from a closed review campaign.")
@click.option("--as", "person", metavar="NAME", help="Who you are; else user.name in your settings.")
@click.option("--reason", metavar="TEXT", help="Why you change labels that you gave before.")
@output_option("Write the answers that still wait to a .csv or .jsonl file, to fill in.", required=False)
@ledger_option
@json_option
def command(
    run: str,
    file: Path | None,
    count: int | None,
    seed: int,
    campaign: str | None,
    person: str | None,
    reason: str | None,
    output: Path | None,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Draw answers of RUN for people to label, keep the labels of FILE, or show how far the labels are.

    The labelled answers must be a random part: the tool draws them, and refuses labels of others. FILE is JSON Lines
    or CSV with sample_id, accuracy_score and faithfulness_score, or only pass. A gate goes by the labels with
    'anchor: people' in the run's configuration, or 'gate RUN --anchor people'.

    \b
    Examples:
      plumbrule label last --draw 100 --as ada -o sheet.csv
      plumbrule label last sheet.csv --as ada
      plumbrule label last --campaign release-7 --as ada
      plumbrule label last
    """
    from plumbrule.api.run_labels import add_campaign_labels, add_labels, draw_labels, show_labels
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.label_tables import show_label_status
    from plumbrule.errors import UsageError

    if sum(given is not None for given in (file, count, campaign)) > 1:
        raise UsageError("give a FILE, --draw or --campaign, one of them")
    if file is not None:
        status = add_labels(file, run, ledger_url, author=_author(person), reason=reason)
    elif count is not None:
        status = draw_labels(run, count, ledger_url, author=_author(person), seed=seed, sheet=output)
    elif campaign is not None:
        status = add_campaign_labels(campaign, run, ledger_url, author=_author(person), reason=reason)
    else:
        status = show_labels(run, ledger_url, sheet=output)
    if as_json:
        print_json(status)
    else:
        show_label_status(stdout(), status, sheet=output)


def _author(person: str | None) -> str:
    from plumbrule.errors import UsageError
    from plumbrule.settings import user_name

    name = person or user_name()
    if not name or not name.strip():
        raise UsageError("say who you are: --as NAME, or user.name in your settings")
    return name
