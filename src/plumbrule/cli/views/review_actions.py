"""The review commands at work."""

import sys
from pathlib import Path
from typing import Any

from plumbrule.cli.ledger_access import now, open_here
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.cli.views import review_tables as views
from plumbrule.cli.views.cards import show_decided
from plumbrule.cli.views.review_tables import show_pairing
from plumbrule.cli.views.sheet import show_sheet
from plumbrule.codec import json_line
from plumbrule.errors import UsageError
from plumbrule.files import written_whole
from plumbrule.ledger import Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.reviews.campaign_agreement import measure_agreement
from plumbrule.reviews.campaign_store import (
    assign_item,
    campaign_names,
    claim_item,
    claim_next,
    find_campaign,
    find_name,
    load_campaign,
    load_item,
    release_item,
)
from plumbrule.reviews.closing_decision import close_campaign, kept_decision
from plumbrule.reviews.items import Item, Role
from plumbrule.reviews.model_change import compare_answers
from plumbrule.reviews.queue import waiting_for_others
from plumbrule.reviews.record_files import read_given
from plumbrule.reviews.record_store import StoredRecord
from plumbrule.reviews.release_decision import ReleaseMode
from plumbrule.reviews.sheets import describe_items, describe_progress, exported_records, sheet_of
from plumbrule.reviews.submission import adjudicate_item, keep_adhoc, submit_records


def list_campaigns(*, ledger_url: str | None, as_json: bool) -> None:
    """List the campaigns, the oldest first."""
    with open_here(ledger_url) as ledger:
        at = now()
        found = [describe_progress(load_campaign(ledger, name).campaign, at=at) for name in campaign_names(ledger)]
    if as_json:
        print_json(found)
    else:
        stdout().print(views.campaign_table(found))


def list_items(reference: str, *, person: str | None, mine: bool, ledger_url: str | None, as_json: bool) -> None:
    """List the items of a campaign."""
    with open_here(ledger_url) as ledger:
        campaign = find_campaign(ledger, reference).campaign
        items = describe_items(campaign, person, at=now())
    if mine:
        items = [item for item in items if item["mine"] is not None]
    if as_json:
        print_json({"campaign": campaign.name, "items": items})
    else:
        stdout().print(views.item_table(items, whose=person))


def show_progress(reference: str, *, ledger_url: str | None, as_json: bool) -> None:
    """Show how far a campaign is."""
    with open_here(ledger_url) as ledger:
        campaign = find_campaign(ledger, reference).campaign
        found = describe_progress(campaign, at=now())
        decision = kept_decision(ledger, campaign.name) if campaign.closed is not None else None
        paired = compare_answers(ledger, campaign, people=False) if campaign.closed is None else None
    if as_json:
        print_json({**found, "paired": paired, "decision": decision})
    else:
        views.show_progress(stdout(), found)
        if paired is not None:
            show_pairing(stdout(), paired)
        if decision is not None:
            views.show_decision(stdout(), decision)


def show_agreement(
    reference: str, *, run: str | None, person: str | None, ledger_url: str | None, as_json: bool
) -> None:
    """Show how far people agree."""
    with open_here(ledger_url) as ledger:
        campaign = find_campaign(ledger, reference).campaign
        found = measure_agreement(ledger, campaign, run=run, viewer=person, at=now())
    if as_json:
        print_json(found)
    else:
        views.show_agreement(stdout(), found)


def close(
    reference: str, *, mode: ReleaseMode, as_is: bool, person: str, ledger_url: str | None, as_json: bool
) -> bool:
    """Close a campaign; tell whether it releases."""
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        decision = close_campaign(ledger, name, author=person, at=now(), mode=mode, as_is=as_is)
    if as_json:
        print_json(decision)
    else:
        views.show_decision(stdout(), decision)
    return bool(decision["release"])


def export(file: str, reference: str, *, person: str | None, ledger_url: str | None, as_json: bool) -> None:
    """Write the records out."""
    with open_here(ledger_url) as ledger:
        standing = find_campaign(ledger, reference)
        records, held = exported_records(standing, person, at=now())
    lines = b"".join(json_line(record) for record in records)
    if file == "-":
        sys.stdout.buffer.write(lines)
        return
    with written_whole(Path(file)) as written:
        written.write(lines)
    if as_json:
        print_json({"file": file, "records": len(records), "held_back": held})
        return
    kept = f"; {held} are held back while the campaign is open" if held else ""
    stdout().print(plain(f"{file}: {len(records)} records{kept}"), soft_wrap=True)


def show_next(reference: str, *, person: str, ledger_url: str | None, as_json: bool) -> None:
    """Take the next item and show it."""
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        found = claim_next(ledger, name, person, at=now())
        if found is None:
            _say_nothing_left(ledger, name, person, as_json=as_json)
            return
        _show_item(ledger, name, found[0], person, as_json=as_json)


def claim_items(
    trace_ids: tuple[str, ...],
    count: int | None,
    reference: str,
    *,
    person: str,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Take several items."""
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        if count is not None:
            at = now()
            campaign = load_campaign(ledger, name).campaign
            free = [item for item in campaign.items.values() if campaign.objection_to_claim(item, person, at) is None]
            trace_ids = tuple(item.trace_id for item in free[:count])
        taken = [claim_item(ledger, name, trace_id, person, at=now()) for trace_id in trace_ids]
        if not taken and not as_json:
            _say_nothing_left(ledger, name, person, as_json=False)
            return
    claims = [{"trace_id": item.trace_id, "query": item.query, "until": utc_text(claim.until)} for item, claim in taken]
    if as_json:
        print_json({"campaign": name, "claims": claims})
    else:
        stdout().print(views.claim_table(claims))


def release_one(trace_id: str, reference: str, *, person: str, ledger_url: str | None, as_json: bool) -> None:
    """Give an item back."""
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        item = release_item(ledger, name, trace_id, person, at=now())
    _say(f"{item.trace_id}: given back", {"campaign": name, "released": item.trace_id}, as_json=as_json)


def assign_items(
    trace_ids: tuple[str, ...], reference: str, *, person: str, author: str, ledger_url: str | None, as_json: bool
) -> None:
    """Keep items for somebody."""
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        items = [assign_item(ledger, name, each, person, author=author, at=now()) for each in trace_ids]
    assigned = [item.trace_id for item in items]
    said = f"kept for {person}: {', '.join(assigned)}"
    _say(said, {"campaign": name, "assigned": assigned, "to": person}, as_json=as_json)


def show_item(trace_id: str, reference: str, *, person: str, ledger_url: str | None, as_json: bool) -> None:
    """Show one item."""
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        _show_item(ledger, name, load_item(ledger, name, trace_id)[1], person, as_json=as_json)


def submit_file(
    file: str,
    reference: str,
    *,
    person: str | None,
    adhoc: bool = False,
    reason: str | None = None,
    role: Role = "evaluator",
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Keep the records of a file, or revisions."""
    given = list(read_given(file))
    with open_here(ledger_url, make=adhoc) as ledger:
        if adhoc:
            kept = keep_adhoc(ledger, given, at=now(), evaluator=person)
        else:
            name = find_name(ledger, reference)
            kept = submit_records(ledger, name, given, at=now(), evaluator=person, role=role, reason=reason)
    _show_kept(kept, as_json=as_json)


def adjudicate_one(
    trace_id: str | None,
    file: str | None,
    reference: str,
    *,
    person: str,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Take an item that waits for an adjudicator and show it, or decide it."""
    given = None if file is None else _one_of(file)
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        if given is not None:
            if trace_id is not None:
                given = {"trace_id": load_item(ledger, name, trace_id)[1].trace_id, **given}
            _show_kept([adjudicate_item(ledger, name, given, person, at=now())], as_json=as_json)
            return
        if trace_id is not None:
            found = claim_item(ledger, name, trace_id, person, at=now(), role="adjudicator")
        else:
            next_one = claim_next(ledger, name, person, at=now(), role="adjudicator")
            if next_one is None:
                _say_nothing_left(ledger, name, person, role="adjudicator", as_json=as_json)
                return
            found = next_one
        _show_item(ledger, name, found[0], person, as_json=as_json)


def _show_item(ledger: Ledger, name: str, item: Item, person: str, *, as_json: bool) -> None:
    campaign, item = load_item(ledger, name, item.trace_id)
    sheet = sheet_of(ledger, campaign, item, person, at=now())
    if as_json:
        print_json(sheet)
    else:
        show_sheet(stdout(), sheet)


def _show_kept(kept: list[StoredRecord], *, as_json: bool) -> None:
    if as_json:
        for record in kept:
            print_json(record.to_dict())
    else:
        show_decided([(record.record, record.decision, ()) for record in kept])


def _one_of(file: str) -> dict[str, Any]:
    given = [record for _, record in read_given(file)]
    if len(given) != 1 or not isinstance(given[0], dict):
        raise UsageError(f"{file}: an adjudication is one record, not {len(given)}")
    return given[0]


def _say_nothing_left(ledger: Ledger, name: str, person: str, *, role: Role = "evaluator", as_json: bool) -> None:
    waiting = waiting_for_others(load_campaign(ledger, name).campaign, person, at=now(), role=role)
    said = {"campaign": name, "trace_id": None, "waiting": waiting.to_dict()}
    _say(views.nothing_left(name, person, waiting), said, as_json=as_json)


def _say(text: str, value: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(value)
    else:
        stdout().print(plain(text), soft_wrap=True)
