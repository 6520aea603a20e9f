"""The evaluators' commands of ``plumbrule review``: take an item, see it, rate it, revise, adjudicate."""

from typing import Literal

import click

from plumbrule.cli.options import (
    author_option,
    campaign_option,
    interaction_options,
    json_option,
    ledger_option,
    person_option,
)


@click.command("next")
@campaign_option
@person_option
@ledger_option
@json_option
def next_(reference: str, person: str, ledger_url: str | None, as_json: bool) -> None:
    """Take the next item and show all that is needed to rate it; an item that you hold is shown again.

    \b
    Examples:
      plumbrule review next --as Ada
      plumbrule review next --campaign week-3 --as Ada --json
    """
    from plumbrule.api import reviews
    from plumbrule.cli.views.sheet import show_taken

    show_taken(reviews.claim_next(person, campaign=reference, ledger=ledger_url), person, as_json=as_json)


@click.command("claim")
@click.argument("trace_ids", metavar="[TRACE_ID]...", nargs=-1)
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="The next N that are free.")
@campaign_option
@person_option
@ledger_option
@json_option
def claim(
    trace_ids: tuple[str, ...],
    count: int | None,
    reference: str,
    person: str,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Take items, for as long as the rubric says: those named, or the next N.

    \b
    Examples:
      plumbrule review claim --count 10 --as Ada
      plumbrule review claim 96d0cc5f --campaign week-3 --as Ada
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.review_tables import claim_table
    from plumbrule.cli.views.sheet import show_taken

    if bool(trace_ids) == (count is not None):
        raise click.UsageError("name the items, or how many with --count")
    taken = reviews.claim_items(person, trace_ids, count=count, campaign=reference, ledger=ledger_url)
    if as_json:
        print_json(taken)
    elif taken.claims:
        stdout().print(claim_table(taken.claims))
    else:
        show_taken(reviews.nothing_left(person, campaign=reference, ledger=ledger_url), person, as_json=False)


@click.command("release")
@click.argument("trace_id")
@campaign_option
@person_option
@ledger_option
@json_option
def release(trace_id: str, reference: str, person: str, ledger_url: str | None, as_json: bool) -> None:
    """Give an item back that you took, to rate it or to adjudicate it.

    \b
    Example:
      plumbrule review release 96d0cc5f --as Ada
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import plain, print_json, stdout

    given_back = reviews.release_item(trace_id, person, campaign=reference, ledger=ledger_url)
    if as_json:
        print_json(given_back)
    else:
        stdout().print(plain(f"{given_back.released}: given back"), soft_wrap=True)


@click.command("assign")
@click.argument("trace_ids", metavar="TRACE_ID...", nargs=-1, required=True)
@click.option("--to", "person", required=True, metavar="NAME", help="Who shall rate it.")
@author_option("Who assigns it", "author")
@campaign_option
@ledger_option
@json_option
def assign(
    trace_ids: tuple[str, ...], person: str, author: str, reference: str, ledger_url: str | None, as_json: bool
) -> None:
    """Keep a place of items for somebody, who gets them first.

    \b
    Example:
      plumbrule review assign 96d0cc5f --to Ada --as Fay
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import plain, print_json, stdout

    items = reviews.assign_items(trace_ids, person, author=author, campaign=reference, ledger=ledger_url)
    if as_json:
        print_json(items)
    else:
        stdout().print(plain(f"kept for {items.to}: {', '.join(items.assigned)}"), soft_wrap=True)


@click.command("show")
@click.argument("trace_id")
@campaign_option
@person_option
@ledger_option
@json_option
def show(trace_id: str, reference: str, person: str, ledger_url: str | None, as_json: bool) -> None:
    """Show one item; with the ratings, where yours is in or the campaign is closed.

    \b
    Example:
      plumbrule review show 96d0cc5f --as Ada
    """
    from plumbrule.api import reviews
    from plumbrule.cli.views.sheet import show_taken

    show_taken(reviews.sheet(trace_id, person, campaign=reference, ledger=ledger_url), person, as_json=as_json)


@click.command("rate")
@click.option("--adjudicate", is_flag=True, help="Decide items on which the evaluators disagree, instead.")
@click.option("--count", type=click.IntRange(min=1), metavar="N", help="Stop after N items.")
@campaign_option
@person_option
@ledger_option
@json_option
def rate(
    adjudicate: bool, count: int | None, reference: str, person: str, ledger_url: str | None, as_json: bool
) -> None:
    """Rate item after item in the terminal.

    Keys: 4 Strong, 3 Adequate, 2 Needs Review, 1 Unsafe, 0 Not Applicable on a refusal, Enter takes the proposal, b
    goes back, q stops. A note is asked for, and needed at Needs Review or below. Each item is yours while you work on
    it; an adjudication that you leave with q is given back.

    \b
    Examples:
      plumbrule review rate --as Ada
      plumbrule review rate --adjudicate --as Cy
    """
    from plumbrule.cli.views.rating_prompt import rate_items

    rate_items(reference, person=person, adjudicate=adjudicate, count=count, ledger_url=ledger_url, as_json=as_json)


@click.command("submit")
@click.argument("file")
@click.option("--as", "person", metavar="NAME", help="Who you are, where the records do not say.")
@click.option("--adhoc", is_flag=True, help="Keep records outside of any campaign.")
@interaction_options
@campaign_option
@ledger_option
@json_option
def submit(
    file: str,
    person: str | None,
    adhoc: bool,
    source: str | None,
    passages: str | None,
    reference: str,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Keep the records of FILE, all or none: each of an item that its evaluator holds.

    FILE holds one JSON object, a JSON array or one object a line; - reads standard input. A record needs trace_id and
    scores, and notes at Needs Review or below; the rest is filled in. With --adhoc a record is about the latest version
    of an interaction that the ledger has, or about one of --from, which is kept with it.

    \b
    Examples:
      plumbrule review submit card.json --as Ada
      plumbrule review submit cards.jsonl --campaign week-3 --json
      plumbrule review submit card.json --adhoc --from answers.jsonl
    """
    from plumbrule.api import reviews
    from plumbrule.cli.views.record_tables import show_submitted

    if source is not None and not adhoc:
        raise click.UsageError("--from goes with --adhoc: a campaign has its own interactions")
    if adhoc:
        submitted = reviews.keep_records(
            file, evaluator=person, interactions=source, passages=passages, ledger=ledger_url
        )
    else:
        submitted = reviews.submit_records(file, evaluator=person, campaign=reference, ledger=ledger_url)
    show_submitted(submitted, as_json=as_json)


@click.command("revise")
@click.argument("file")
@click.option("--reason", required=True, metavar="TEXT", help="Why; it stands in the record for good.")
@click.option("--as", "person", metavar="NAME", help="Who you are, where the records do not say.")
@click.option("--adjudicator", is_flag=True, help="Revise an adjudication, not a rating.")
@campaign_option
@ledger_option
@json_option
def revise(
    file: str,
    reason: str,
    person: str | None,
    adjudicator: bool,
    reference: str,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Add a revision to your records; what FILE does not change stays, and the old record can always be read.

    \b
    Example:
      echo '{"trace_id": "t-1", "scores": {"grounding_integrity": 3}}' |
      plumbrule review revise - --as Ada --reason "misread the second passage"
    """
    from plumbrule.api import reviews
    from plumbrule.cli.views.record_tables import show_submitted

    role: Literal["evaluator", "adjudicator"] = "adjudicator" if adjudicator else "evaluator"
    submitted = reviews.submit_records(
        file, evaluator=person, role=role, reason=reason, campaign=reference, ledger=ledger_url
    )
    show_submitted(submitted, as_json=as_json)


@click.command("adjudicate")
@click.argument("trace_id", required=False)
@click.option("--take", is_flag=True, help="Keep the item for you; 'review release' gives it back.")
@click.option("--record", "file", metavar="FILE", help="The decision: a record with the open dimensions; - reads it.")
@campaign_option
@person_option
@ledger_option
@json_option
def adjudicate(
    trace_id: str | None,
    take: bool,
    file: str | None,
    reference: str,
    person: str,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Decide an item on which the evaluators disagree: yours is the level that counts there.

    Without --record, show the item, or the next that waits, with its ratings. Looking takes nothing; --take keeps the
    item for you, for as long as the rubric says. Who rated it may not; where all that wait are for others, it says how
    many and why.

    \b
    Examples:
      plumbrule review adjudicate --as Cy
      plumbrule review adjudicate 96d0cc5f --take --as Cy
      plumbrule review adjudicate 96d0cc5f --as Cy --record decision.json
    """
    from plumbrule.api import reviews
    from plumbrule.cli.views.record_tables import show_submitted
    from plumbrule.cli.views.sheet import show_taken

    if take and file is not None:
        raise click.UsageError("--record decides the item at once: leave out --take")
    if file is not None:
        record = reviews.read_adjudication(file)
        submitted = reviews.adjudicate(record, person, trace_id=trace_id, campaign=reference, ledger=ledger_url)
        show_submitted(submitted, as_json=as_json)
        return
    shows = reviews.claim_adjudication if take else reviews.show_adjudication
    show_taken(shows(person, trace_id, campaign=reference, ledger=ledger_url), person, as_json=as_json)


COMMANDS = (adjudicate, assign, claim, next_, rate, release, revise, show, submit)
