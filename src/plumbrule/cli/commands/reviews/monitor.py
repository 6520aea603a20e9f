"""``plumbrule monitor``: the figures over time, and the alerts that they raise."""

from pathlib import Path

import click

from plumbrule.cli.options import (
    json_option,
    ledger_option,
    records_options,
    rubric_options,
    weaker_policy_option,
)
from plumbrule.outcomes import DecideOn


@click.command("monitor")
@click.option("--from", "first", metavar="WEEK", help="The first week to show, such as 2026-W05.")
@click.option("--to", "last", metavar="WEEK", help="The last week to show.")
@click.option("--trigger", "triggers", multiple=True, metavar="KEY", help="Take only records of this trigger.")
@records_options
@click.option(
    "--alert-file", type=click.Path(path_type=Path), metavar="FILE", help="Write the alerts shown to FILE, as JSON."
)
@click.option("--webhook", metavar="URL", help="Post alerts there that it has not had yet, signed.")
@click.option("--webhook-secret-env", metavar="NAME", help="The environment variable with the secret that signs.")
@click.option(
    "--webhook-timeout", type=click.FloatRange(min=0.05), default=10.0, metavar="SECONDS", help="For each attempt."
)
@click.option("--allow-private", is_flag=True, help="Let the webhook be at a private address, or without TLS.")
@click.option(
    "--decide-on",
    type=click.Choice(["point", "bound"]),
    help="bound: exit with 5 where nothing is at alert, and the interval of a figure still holds its threshold; "
    "so does a rubric with decide_on: bound.",
)
@rubric_options
@weaker_policy_option
@ledger_option
@json_option
def command(
    first: str | None,
    last: str | None,
    triggers: tuple[str, ...],
    records: str | None,
    interactions: str | None,
    alert_file: Path | None,
    webhook: str | None,
    webhook_secret_env: str | None,
    webhook_timeout: float,
    allow_private: bool,
    decide_on: DecideOn | None,
    rubric: Path | None,
    settings: tuple[str, ...],
    accept_weaker_policy: bool,
    ledger_url: str | None,
    as_json: bool,
) -> int:
    """Show the monitored figures week by week, against target and alert threshold.

    The exit code is 1 if any is at alert, and 5 if nothing was reviewed in the weeks that are shown.

    Beside each figure stands what its 95% interval says of the threshold: ok, alert, or open with about how many more
    reviews would settle it.

    The records are those of the ledger, or those of a file. An alert is kept in the ledger once for each week and
    figure. A webhook gets each alert once, as JSON, signed with HMAC-SHA256.

    \b
    Examples:
      plumbrule monitor
      plumbrule monitor --from 2026-W05 --to 2026-W08 --json
      plumbrule monitor --decide-on bound
      plumbrule monitor --records cards.jsonl --interactions answers.jsonl
      plumbrule monitor --webhook https://alerts.example.org/hook --webhook-secret-env ALERT_SECRET
    """
    from plumbrule.api import monitoring
    from plumbrule.cli.review_source import reviews_from
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.monitoring_tables import show_monitoring
    from plumbrule.monitoring.webhook import Webhook
    from plumbrule.rubrics import load_scorecard, parse_override

    if (webhook is None) != (webhook_secret_env is None):
        raise click.UsageError("--webhook and --webhook-secret-env go together: what is posted is signed")
    loaded = load_scorecard(rubric, dict(parse_override(setting) for setting in settings))
    monitoring.check_weeks(first, last)
    receiver = None
    if webhook is not None and webhook_secret_env is not None:
        receiver = Webhook(
            webhook, secret_env=webhook_secret_env, allow_private=allow_private, timeout_s=webhook_timeout
        )
    with reviews_from(records, interactions, triggers, loaded, ledger_url) as reviews:
        monitored = monitoring.monitor(
            reviews,
            first=first,
            last=last,
            alert_file=alert_file,
            webhook=receiver,
            accept_weaker_policy=accept_weaker_policy,
            decide_on=decide_on,
        )
    report, failure = monitored.report, monitored.failure
    if as_json:
        print_json(report)
    else:
        show_monitoring(stdout(), report, loaded.rubric)
        if receiver is not None and failure is None:
            stdout().print(f"posted to {receiver.host}: {len(report.posted)}", soft_wrap=True, markup=False)
    if failure is not None:
        raise failure
    return report.exit_code
