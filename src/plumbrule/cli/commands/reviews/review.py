"""``plumbrule review``: scorecards, from the queue to the decision."""

import sys
from pathlib import Path

import click

from plumbrule.cli.commands.reviews import review_work
from plumbrule.cli.options import (
    author_option,
    campaign_option,
    json_option,
    ledger_option,
    rubric_options,
    weaker_policy_option,
)


@click.group("review")
def command() -> None:
    """Rate interactions on scorecards: claim, rate blind, adjudicate, decide.

    A campaign is opened by 'plumbrule sample'. Nobody sees another's rating of an item before rating it.

    \b
    Examples:
      plumbrule review list
      plumbrule review rate --as Ada
      plumbrule review close --as Gus
      plumbrule review decide card.json
    """


@command.command("decide")
@click.argument("file")
@rubric_options
@weaker_policy_option
@json_option
def decide(file: str, rubric: Path | None, settings: tuple[str, ...], accept_weaker_policy: bool, as_json: bool) -> int:
    """Compute overall score, band, action, blockers and recommendation of each record in FILE; nothing is stored.

    FILE holds one JSON object, a JSON array or one object a line; - reads standard input. The exit code is 1 if any
    recommendation is Fail.

    \b
    Examples:
      plumbrule review decide card.json
      plumbrule review decide cards.jsonl --json
    """
    from plumbrule.api.scorecards import decide_records
    from plumbrule.cli.terminal_console import print_json
    from plumbrule.cli.views.record_tables import show_decided
    from plumbrule.rubrics import parse_override

    overrides = dict(parse_override(setting) for setting in settings)
    decided = decide_records(file, rubric=rubric, overrides=overrides, accept_weaker_policy=accept_weaker_policy)
    if as_json:
        for record in decided:
            print_json(record)
    else:
        show_decided(decided)
    return int(any(record.recommendation == "Fail" for record in decided))


@command.command("list")
@click.argument("reference", metavar="[CAMPAIGN]", required=False)
@click.option("--as", "person", metavar="NAME", help="Say what each item is to you: claimed, rated, assigned.")
@click.option("--mine", is_flag=True, help="With --as, only the items that are yours.")
@ledger_option
@json_option
def list_(reference: str | None, person: str | None, mine: bool, ledger_url: str | None, as_json: bool) -> None:
    """List the campaigns, or the items of CAMPAIGN with how far each is.

    \b
    Examples:
      plumbrule review list
      plumbrule review list last --as Ada --mine
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.review_tables import campaign_table, item_table

    if mine and person is None:
        raise click.UsageError("--mine needs --as NAME: whose items?")
    if reference is None and person is None:
        campaigns = reviews.campaigns(ledger=ledger_url)
        if as_json:
            print_json(campaigns)
        else:
            stdout().print(campaign_table(campaigns))
        return
    listed = reviews.items(reference or "last", viewer=person, mine=mine, ledger=ledger_url)
    if as_json:
        print_json(listed)
    else:
        stdout().print(item_table(listed.items, whose=person))


@command.command("progress")
@campaign_option
@ledger_option
@json_option
def progress(reference: str, ledger_url: str | None, as_json: bool) -> None:
    """Show how far a campaign is, who rated how many, and the decision of one that is closed.

    \b
    Examples:
      plumbrule review progress
      plumbrule review progress --campaign week-3 --json
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.review_tables import show_progress

    report = reviews.progress(reference, ledger=ledger_url)
    print_result(report, show_progress, as_json=as_json)


@command.command("agreement")
@campaign_option
@click.option("--run", metavar="RUN", help="Hold people against the judge of this run, too: its id, or last.")
@click.option("--as", "person", metavar="NAME", help="While the campaign is open: over what NAME may see.")
@ledger_option
@json_option
def agreement(reference: str, run: str | None, person: str | None, ledger_url: str | None, as_json: bool) -> None:
    """Show how far people agree: with each other, with the pre-scores and with the judge of a run.

    Each rating counts as it was first made, blind. While the campaign is open, only items that you rated count, once
    they have all their ratings.

    \b
    Examples:
      plumbrule review agreement
      plumbrule review agreement --campaign release-7 --run last --json
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.review_tables import show_agreement

    measured = reviews.agreement(reference, run=run, viewer=person, ledger=ledger_url)
    print_result(measured, show_agreement, as_json=as_json)


def _mode_is_fixed(_context: click.Context, _parameter: click.Parameter, given: str | None) -> None:
    if given is not None:
        raise click.UsageError("--mode is fixed when a campaign opens: choose it with 'plumbrule sample --mode'")


@command.command("close")
@campaign_option
@click.option("--mode", hidden=True, expose_value=False, callback=_mode_is_fixed, help="Fixed at the opening.")
@click.option("--as-is", is_flag=True, help="Close though items are open: no release if any has no rating.")
@click.option("--second", metavar="NAME", help="Who signs beside you, for a release on less than the trigger asks for.")
@author_option("Who closes it")
@ledger_option
@json_option
def close(
    reference: str,
    as_is: bool,
    second: str | None,
    person: str,
    ledger_url: str | None,
    as_json: bool,
) -> int:
    """Close a campaign and decide on the deployment: exit code 0 RELEASE, 1 NO RELEASE, 5 INCONCLUSIVE.

    What decides was fixed when the campaign was opened. With --as-is, or on part of the scope of its trigger, it is no
    release unless a second person signs, and then a Pass with notes at best.

    \b
    Examples:
      plumbrule review close --as Gus
      plumbrule review close --campaign release-7 --as Gus --json
      plumbrule review close --as-is --as Gus --second Hal
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.review_tables import show_decision
    from plumbrule.outcomes import EXIT_CODES

    decision = reviews.close_campaign(reference, as_is=as_is, second=second, author=person, ledger=ledger_url)
    print_result(decision, show_decision, as_json=as_json)
    return EXIT_CODES[decision.outcome]


@command.command("export")
@click.argument("file")
@campaign_option
@click.option("--as", "person", metavar="NAME", help="While the campaign is open: what NAME may see.")
@ledger_option
@json_option
def export(file: str, reference: str, person: str | None, ledger_url: str | None, as_json: bool) -> None:
    """Write the records of a campaign to FILE as JSON Lines, with every field of the template; - for standard output.

    \b
    Examples:
      plumbrule review export records.jsonl
      plumbrule review export mine.jsonl --campaign week-3 --as Ada
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import plain, print_json, stdout
    from plumbrule.codec import json_line
    from plumbrule.files import written_whole

    exported = reviews.export_records(reference, viewer=person, ledger=ledger_url)
    lines = b"".join(map(json_line, exported.records))
    if file == "-":
        sys.stdout.buffer.write(lines)
        return
    with written_whole(Path(file)) as written:
        written.write(lines)
    if as_json:
        print_json({"file": file, "records": len(exported.records), "held_back": exported.held_back})
        return
    held = f"; {exported.held_back} are held back while the campaign is open" if exported.held_back else ""
    stdout().print(plain(f"{file}: {len(exported.records)} records{held}"), soft_wrap=True)


for subcommand in review_work.COMMANDS:
    command.add_command(subcommand)
