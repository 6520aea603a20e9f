"""``plumbrule plan``: how many samples and labels a release decision needs."""

import click

from plumbrule.cli.options import json_option, ledger_option

_SHARE = click.FloatRange(0, 1)


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
def command(
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
    from plumbrule.cli.terminal_console import print_json, stdout
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
    if as_json:
        print_json(plan)
    else:
        show_label_plan(stdout(), plan, samples=samples, labels=labels)
