"""``plumbrule label`` and ``plumbrule plan``: answers that people label, drawn at random, and how many it takes."""

from functools import partial
from pathlib import Path

import click

from plumbrule.cli.options import author_name, json_option, ledger_option, output_option

_SHARE = click.FloatRange(0, 1)


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
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.label_tables import show_label_status
    from plumbrule.errors import UsageError

    if sum(given is not None for given in (file, count, campaign)) > 1:
        raise UsageError("give a FILE, --draw or --campaign, one of them")
    if file is not None:
        status = add_labels(file, run, ledger_url, author=author_name(person), reason=reason)
    elif count is not None:
        status = draw_labels(run, count, ledger_url, author=author_name(person), seed=seed, sheet=output)
    elif campaign is not None:
        status = add_campaign_labels(campaign, run, ledger_url, author=author_name(person), reason=reason)
    else:
        status = show_labels(run, ledger_url, sheet=output)
    print_result(status, partial(show_label_status, sheet=output), as_json=as_json)


@click.command("plan")
@click.option("--rate", type=_SHARE, help="The pass rate that you expect people to find.")
@click.option("--limit", type=_SHARE, help="The limit to tell it from; else the pass rate of the benchmark rubric.")
@click.option("--margin", type=_SHARE, help="In place of a limit: how far the 95% interval may reach to either side.")
@click.option("--sensitivity", type=_SHARE, help="Of the answers that people pass, the share that the judge passes.")
@click.option("--specificity", type=_SHARE, help="Of the answers that people fail, the share that the judge fails.")
@click.option("--samples", type=click.IntRange(1), help="How many samples you have: how many labels does it take?")
@click.option("--labels", type=click.IntRange(1), help="How many labels you can get: how many samples does it take?")
@click.option("--run", "run", metavar="RUN", help="Take rate, sensitivity and specificity from the labels of a run.")
@ledger_option
@json_option
def plan_command(
    rate: float | None,
    limit: float | None,
    margin: float | None,
    sensitivity: float | None,
    specificity: float | None,
    samples: int | None,
    labels: int | None,
    run: str | None,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Say before a run how many samples, and how many labels by people, tell a pass rate from its limit.

    Counts are for 80% power: four times in five, so many settle it. A judge alone can be confidently wrong; with
    --sensitivity and --specificity the plan says what the judge would show, and how many labels correct it.

    \b
    Examples:
      plumbrule plan --rate 0.92
      plumbrule plan --rate 0.92 --limit 0.85 --sensitivity 0.9 --specificity 0.9 --samples 500
      plumbrule plan --rate 0.9 --margin 0.05 --sensitivity 0.95 --specificity 0.8 --labels 120
      plumbrule plan --run last
    """
    from plumbrule.api.run_labels import plan_samples
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.label_tables import show_label_plan

    plan = plan_samples(
        rate=rate,
        limit=limit,
        margin=margin,
        sensitivity=sensitivity,
        specificity=specificity,
        samples=samples,
        labels=labels,
        run=run,
        ledger=ledger_url,
    )
    print_result(plan, partial(show_label_plan, samples=samples, labels=labels), as_json=as_json)
