"""Review campaigns in a ledger: opened by a trigger, worked on by claims and records, closed with a decision.

An entry is appended first, and whether it counts follows from its place in the chain. Checking before is only there to
avoid entries that cannot count.
"""

import dataclasses
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import get_args

from plumbrule.codec import to_json
from plumbrule.errors import InputError, UsageError
from plumbrule.interactions.interaction import Interaction, authors_of
from plumbrule.ledger import Draft, Entry, Ledger, escaped
from plumbrule.ledger.entry import utc_text
from plumbrule.names import check_word, key_of_trace, pick
from plumbrule.outcomes import DecideOn
from plumbrule.reviews.campaigns.campaign import Campaign, OutsideRatings
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, EarlierCampaign, earlier_remark
from plumbrule.reviews.interaction_archive import (
    content_hash,
    find_superseded,
    find_versions,
    hash_of,
    is_refusal,
    keep_interactions,
    name_of,
)
from plumbrule.reviews.items import Claim, Item
from plumbrule.reviews.queue import likely_items
from plumbrule.reviews.record_store import (
    ADHOC,
    WHOLE,
    RubricShelf,
    StoredRecord,
    campaign_of,
    outside_ratings,
    outside_records,
    records_of,
    rubric_drafts,
)
from plumbrule.reviews.release_decision import check_mode
from plumbrule.reviews.replays import Replay, kept_replays
from plumbrule.reviews.review_entries import (
    Assignment,
    Body,
    CampaignPlan,
    ClaimMade,
    ClaimReleased,
    Event,
    PlannedItem,
    ReleaseMode,
    Role,
    read_entry,
    read_event,
)
from plumbrule.reviews.sample_draw import Drawn
from plumbrule.rubrics import Loaded, ScorecardRubric, check_policy

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = {ADHOC, "last", "new"}  # the last two stand for something else in commands and addresses
_SHOWN = 60
_TRIED = 20  # likely items, before a campaign is read whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A campaign, with the entries that it was replayed from."""

    campaign: Campaign
    entries: tuple[Entry, ...]

    def records(self, trace_ids: Iterable[str] | None = None, *, part: slice = WHOLE) -> list[StoredRecord]:
        """Return the records that count, of these items or of all; whoever shows them asks who may see them.

        ``part`` is of that list: no other record is read.
        """
        return list(records_of(self.campaign, self.entries, trace_ids, part=part))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseTerms:
    """How a campaign will decide, which nobody can change once it is open.

    ``decide_on`` is as the rubric says where it is None. A rubric that is weaker than the one that ships needs
    ``accept_weaker_policy``. With ``show_proposals`` evaluators see what the pre-scores propose before they rated, and
    their records say which proposals they took over.
    """

    mode: ReleaseMode = "any_record"
    decide_on: DecideOn | None = None
    accept_weaker_policy: bool = False
    show_proposals: bool = False

    def __post_init__(self) -> None:
        """Refuse terms that there are not: they would decide as others."""
        check_word("decide_on", self.decide_on, get_args(DecideOn))


def open_campaign(
    ledger: Ledger,
    drawn: Drawn,
    loaded: Loaded[ScorecardRubric],
    *,
    author: str,
    at: datetime,
    name: str | None = None,
    evaluators: int | None = None,
    terms: ReleaseTerms | None = None,
) -> Campaign:
    """Open a campaign on what was drawn: the interactions, the rubric and the plan go into the ledger.

    What will decide is fixed here: the rubric, and the ``terms``.
    """
    terms = terms or ReleaseTerms()
    check_mode(terms.mode)
    policy = check_policy(loaded, accept_weaker=terms.accept_weaker_policy)
    name = checked_name(ledger, name) if name is not None else f"campaign-{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    wanted = drawn.trigger.evaluators
    if evaluators is not None and evaluators < wanted:
        raise UsageError(f"{drawn.trigger.key} takes {wanted} evaluators or more for each item, not {evaluators}")
    paired = [earlier.prescore for earlier in drawn.earlier.values()]
    prescores = [*paired, *drawn.prescores]  # of two versions under one trace id the new one is the latest
    kept = keep_interactions(
        ledger, [prescore.interaction for prescore in prescores], prescores, author=author, at=at, rubric=loaded
    )
    draw = drawn.result(loaded.rubric)
    planned = tuple(_planned(drawn, prescore.interaction) for prescore in drawn.prescores)
    contents = [item.content for item in planned]
    own = {key_of_trace(item.trace_id): item.content for item in planned}
    earlier = earlier_campaigns(ledger, own, campaign_names(ledger))
    repeated = len(contents) - len(set(contents))
    plan = CampaignPlan(
        trigger=draw.trigger,
        scope=draw.scope,
        depth=draw.depth,
        draw=draw.draw,
        in_view=draw.in_view,
        evaluators=evaluators or wanted,
        read=draw.read,
        weeks=drawn.weeks,
        week=draw.week,
        changed=draw.changed,
        remarks=(
            *draw.remarks,
            *(f"{finding.code}: {finding.message}" for finding in kept.findings),
            *(earlier_remark(other, len(planned)) for other in earlier),
            *([f"same_answers: {repeated} of {len(planned)} repeat another's question and answer"] if repeated else []),
        ),
        manifest=draw.manifest,
        claim_minutes=loaded.rubric.claims.minutes,
        items=planned,
        rubric=loaded.stamp(),
        mode=terms.mode,
        decide_on=terms.decide_on or loaded.rubric.decide_on,
        names="look_alikes",
        in_scope=drawn.in_scope,
        same_items=tuple(other.campaign for other in earlier) or None,
        policy=policy or None,
        proposals="shown" if terms.show_proposals else None,
    )
    drafts = rubric_drafts(ledger, loaded, author=author, at=at)
    entry = ledger.append_many([*drafts, _draft("campaign", name, plan, author, at)])[-1]
    campaign = load_campaign(ledger, name).campaign
    check_counts(campaign, entry)
    return campaign


def earlier_campaigns(
    ledger: Ledger, items: Mapping[str, str | None], names: Iterable[str]
) -> tuple[EarlierCampaign, ...]:
    """Return those of the campaigns that have some of these items, with what was decided on them.

    An item is known by the key of its trace id, and by its content, which another trace id does not change; ``items``
    has the content by the key. Each of these counts once, however often the other campaign has its content.
    """
    earlier = []
    for name in names:
        plans = (read_event(entry).body for entry in ledger.entries(kind="campaign", subject=f"campaigns/{name}"))
        plan = next((body for body in plans if isinstance(body, CampaignPlan)), None)
        theirs = () if plan is None else plan.items
        keys = {key_of_trace(item.trace_id) for item in theirs}
        contents = {item.content for item in theirs} - {None}
        shared = sum(key in keys or content in contents for key, content in items.items())
        if shared:
            decision = kept_decision(ledger, name)
            earlier.append(
                EarlierCampaign(
                    campaign=name,
                    items=shared,
                    outcome=None if decision is None else decision.outcome,
                    recommendation=None if decision is None else decision.recommendation,
                )
            )
    return tuple(earlier)


def kept_decision(ledger: Ledger, name: str) -> CampaignDecision | None:
    """Return the decision of a closed campaign, as it was made."""
    if next(ledger.entries(kind="decision", subject=f"campaigns/{name}"), None) is None:
        return None
    entry = decision_entry(ledger, load_campaign(ledger, name).campaign)
    return None if entry is None else read_entry(CampaignDecision, entry)


def decision_entry(ledger: Ledger, campaign: Campaign) -> Entry | None:
    """Return the entry that keeps the decision of a campaign: the first that follows its closing in the chain."""
    if campaign.closed is None:
        return None
    made = ledger.entries(kind="decision", subject=f"campaigns/{campaign.name}", after=campaign.closed.sequence)
    return next(made, None)


def campaign_names(ledger: Ledger) -> list[str]:
    """Return the campaigns of a ledger, the oldest first."""
    subjects = dict.fromkeys(subject for subject, _ in ledger.outlines(kind="campaign"))
    return [subject.split("/")[1] for subject in subjects]


def find_campaign(ledger: Ledger, reference: str = "last") -> Standing:
    """Return the campaign with this name, the only one whose name begins so, or the last one opened."""
    return load_campaign(ledger, find_name(ledger, reference))


def find_name(ledger: Ledger, reference: str = "last") -> str:
    """Return the name of that campaign, without reading it."""
    names = campaign_names(ledger)
    if not names:
        raise UsageError(f"{ledger.name}: there is no campaign yet: 'plumbrule sample PATH --trigger T' opens one")
    if reference == "last":
        return names[-1]
    name = pick(reference, names, lambda known: (known,), where=ledger.name, what="campaigns")
    if name is None:
        raise UsageError(f"{ledger.name}: there is no campaign '{reference[:_SHOWN]}'; 'plumbrule review list' does")
    return name


def load_campaign(ledger: Ledger, name: str) -> Standing:
    """Return a campaign as it is in the chain at this moment."""
    replays = kept_replays(ledger)
    if replays is None:
        last = ledger.checkpoint().sequence  # both searches see the ledger as it was here
        return _standing(ledger, name, _entries_of(ledger, name, after=0, last=last), last)
    with replays.turn(name):
        replay = _replayed(ledger, name, replays.find(name))
        replays.keep(name, replay)
    campaign = replay.campaign.lend(_outside(ledger, name, replay.entries))
    campaign.sequence = replay.upto
    return Standing(campaign=campaign, entries=replay.entries)


def _replayed(ledger: Ledger, name: str, before: Replay | None) -> Replay:
    """Return the replay of a campaign up to the last entry of the ledger, going on from the one before."""
    last = ledger.checkpoint().sequence
    if before is None:
        standing = _standing(ledger, name, _entries_of(ledger, name, after=0, last=last), last)
        return Replay(campaign=standing.campaign, entries=standing.entries, upto=last)
    added = _entries_of(ledger, name, after=before.upto, last=last) if before.upto < last else []
    if not added:
        return dataclasses.replace(before, upto=last)
    campaign = before.campaign.lend(_outside(ledger, name, (*before.entries, *added)))
    for entry in added:
        campaign.apply(read_event(entry))
    return Replay(campaign=campaign, entries=(*before.entries, *added), upto=last)


def _entries_of(ledger: Ledger, name: str, *, after: int, last: int) -> list[Entry]:
    """Return the entries of a campaign that follow one entry of the ledger, up to another."""
    rooms = (f"campaigns/{name}", f"records/{name}")
    entries = [entry for room in rooms for entry in ledger.entries(run=room, after=after)]
    wanted = [entry for entry in entries if entry.kind in {"campaign", "claim", "record"} and entry.sequence <= last]
    return sorted(wanted, key=lambda entry: entry.sequence)


def load_open(ledger: Ledger) -> list[Campaign]:
    """Return the campaigns that are open, the oldest first."""
    closed = ledger.outlines(kind="decision", run="campaigns")
    decided = {subject.split("/")[1] for subject, _ in closed}
    campaigns = [load_campaign(ledger, name).campaign for name in campaign_names(ledger) if name not in decided]
    return [campaign for campaign in campaigns if campaign.closed is None]


def _standing(ledger: Ledger, name: str, entries: list[Entry], last: int) -> Standing:
    """Return a campaign from its entries, as it is after the ledger's ``last`` one."""
    campaign = campaign_of(name, entries, RubricShelf(ledger), lambda: outside_records(ledger, name, entries))
    campaign.sequence = last
    return Standing(campaign=campaign, entries=tuple(entries))


def _outside(ledger: Ledger, name: str, entries: Iterable[Entry]) -> OutsideRatings:
    return lambda: outside_ratings(outside_records(ledger, name, entries))


def name_versions(ledger: Ledger, campaign: Campaign) -> None:
    """Give each item what an older plan does not say of its version."""
    unnamed = [item for item in campaign.items.values() if item.interaction is None or item.answered is None]
    found = find_versions(ledger, [item.wanted for item in unnamed])
    for item in unnamed:
        version = found.get(item.wanted)
        if version is None:
            continue
        owned = campaign.own(item)
        owned.interaction = version.meant.version
        if owned.answered is None:
            owned.answered = not is_refusal(version.meant.rebuild())


def newer_versions(ledger: Ledger, campaign: Campaign) -> tuple[str, ...]:
    """Return the items of which the ledger has a newer version, by their trace ids."""
    superseded = find_superseded(ledger, [item.wanted for item in campaign.items.values()])
    return tuple(item.trace_id for item in campaign.items.values() if item.wanted in superseded)


def load_items(ledger: Ledger, name: str, trace_ids: Iterable[str]) -> Standing:
    """Return a campaign with the claims and records of these items alone, which say who may do what with them.

    Whether a closing or a disclosure counts depends on all items, so a campaign with one of these is read whole. So is
    one whose replay is kept.
    """
    if kept_replays(ledger) is not None:
        return load_campaign(ledger, name)
    last = ledger.checkpoint().sequence
    entries = list(ledger.entries(kind="campaign", subject=f"campaigns/{name}"))
    if not all(isinstance(read_event(entry).body, CampaignPlan | Assignment) for entry in entries):
        return load_campaign(ledger, name)
    for part in dict.fromkeys(escaped(key_of_trace(trace_id), part=True) for trace_id in trace_ids):
        entries += ledger.entries(kind="claim", subject=f"campaigns/{name}/{part}")
        entries += ledger.entries(kind="record", run=f"records/{name}/{part}")
    wanted = sorted((entry for entry in entries if entry.sequence <= last), key=lambda entry: entry.sequence)
    return _standing(ledger, name, wanted, last)


def load_item(ledger: Ledger, name: str, trace_id: str) -> tuple[Campaign, Item]:
    """Return one item, by its trace id or the start of it, and the campaign with what was done on that item."""
    named = item_of(load_items(ledger, name, ()).campaign, trace_id).trace_id
    campaign = load_items(ledger, name, [named]).campaign
    return campaign, item_of(campaign, named)


def item_of(campaign: Campaign, trace_id: str) -> Item:
    """Return an item by its trace id or the start of it."""
    item = campaign.item(trace_id) or pick(
        trace_id, campaign.items.values(), lambda known: (known.trace_id,), where=campaign.name, what="items"
    )
    if item is None:
        raise InputError(f"{campaign.name}: there is no item '{trace_id[:_SHOWN]}' among {len(campaign.items)}")
    return item


def claim_item(
    ledger: Ledger, name: str, trace_id: str, evaluator: str, *, at: datetime, role: Role = "evaluator"
) -> tuple[Item, Claim]:
    """Take one item, or keep it for longer; an error says why it cannot be had."""
    campaign, item = load_item(ledger, name, trace_id)
    objection = campaign.objection_to_claim(item, evaluator, at, role)
    if objection is not None:
        raise UsageError(objection)
    campaign, entry = _append_claim(ledger, campaign, item, evaluator, at=at, role=role)
    check_counts(campaign, entry)
    return _held(campaign, item, evaluator, role)


def claim_next(
    ledger: Ledger, name: str, evaluator: str, *, at: datetime, role: Role = "evaluator"
) -> tuple[Item, Claim] | None:
    """Return the item that somebody holds, else take the next one that is free; None where there is none left."""
    campaign = load_items(ledger, name, ()).campaign
    person = campaign.key_of(evaluator)
    if not person:
        raise UsageError("name the evaluator")
    slow = kept_replays(ledger) is None  # to read the whole campaign
    quick = _claim_likely(ledger, campaign, evaluator, at=at) if slow and role == "evaluator" else None
    if quick is not None:
        return quick
    campaign = load_campaign(ledger, name).campaign
    for item in campaign.items.values():
        claim = item.adjudicating if role == "adjudicator" else item.claims.get(person)
        if claim is not None and claim.person == person and claim.until > at:
            return item, claim
    tried: set[str] = set()
    while True:
        free = [
            item
            for item in campaign.items.values()
            if item.trace_id not in tried and campaign.objection_to_claim(item, evaluator, at, role) is None
        ]
        if not free:
            return None
        item = min(free, key=lambda candidate: person not in candidate.assigned)
        tried.add(item.trace_id)
        campaign, entry = _append_claim(ledger, campaign, item, evaluator, at=at, role=role)
        if entry.sequence not in campaign.void:  # else somebody was quicker
            return _held(campaign, item, evaluator, role)


def free_items(ledger: Ledger, name: str, evaluator: str, *, at: datetime) -> list[str]:
    """Return the items that somebody may take, in the order of the campaign."""
    campaign = load_campaign(ledger, name).campaign
    return [
        item.trace_id for item in campaign.items.values() if campaign.objection_to_claim(item, evaluator, at) is None
    ]


def _claim_likely(ledger: Ledger, opened: Campaign, evaluator: str, *, at: datetime) -> tuple[Item, Claim] | None:
    """Return or take one of the likeliest items, without reading the whole campaign; None where none is free."""
    name, likely = opened.name, likely_items(ledger, opened, evaluator)
    for trace_id in likely.held[:_TRIED]:
        campaign, item = load_item(ledger, name, trace_id)
        claim = item.holders(at).get(campaign.key_of(evaluator))
        if claim is not None:
            return item, claim
    if len(likely.held) > _TRIED:
        return None
    for trace_id in likely.free[:_TRIED]:
        campaign, item = load_item(ledger, name, trace_id)
        if campaign.objection_to_claim(item, evaluator, at) is not None:
            continue
        campaign, entry = _append_claim(ledger, campaign, item, evaluator, at=at, role="evaluator")
        if entry.sequence not in campaign.void:  # else somebody was quicker
            return _held(campaign, item, evaluator, "evaluator")
    return None


def find_adjudication(
    ledger: Ledger, name: str, adjudicator: str, trace_id: str | None = None, *, at: datetime
) -> tuple[Campaign, Item] | None:
    """Return an item that somebody may adjudicate, without taking it; None where there is none.

    It is the one with this trace id, or else the one that they took, or else the first that waits.
    """
    if trace_id is not None:
        campaign, item = load_item(ledger, name, trace_id)
        objection = campaign.objection_to_claim(item, adjudicator, at, "adjudicator")
        if objection is not None:
            raise UsageError(objection)
        return campaign, item
    campaign = load_campaign(ledger, name).campaign
    if not campaign.key_of(adjudicator):
        raise UsageError("name the adjudicator")
    items = campaign.items.values()
    waiting = [item for item in items if campaign.objection_to_claim(item, adjudicator, at, "adjudicator") is None]
    if not waiting:
        return None
    return campaign, min(waiting, key=lambda item: item.adjudicator(at) is None)  # only they can hold one of these


def release_item(
    ledger: Ledger, name: str, trace_id: str, evaluator: str, *, at: datetime, role: Role | None = None
) -> Item:
    """Give an item back: the place of an evaluator or, where somebody holds that, the adjudication."""
    campaign, item = load_item(ledger, name, trace_id)
    if role is None:
        claim = item.adjudicating
        role = "adjudicator" if claim is not None and claim.person == campaign.key_of(evaluator) else "evaluator"
    body = ClaimReleased(role=role, evaluator=evaluator, trace_id=item.trace_id, campaign=name)
    return _append_checked(ledger, campaign, _draft("claim", name, body, evaluator, at, item=item), body, item)


def assign_item(ledger: Ledger, name: str, trace_id: str, evaluator: str, *, author: str, at: datetime) -> Item:
    """Reserve a place of an item for somebody, who gets it before the others of the queue."""
    campaign, item = load_item(ledger, name, trace_id)
    body = Assignment(evaluator=evaluator, trace_id=item.trace_id, campaign=name)
    return _append_checked(ledger, campaign, _draft("campaign", name, body, author, at), body, item)


def rehearse(campaign: Campaign, body: Body, *, author: str, at: datetime) -> str | None:
    """Apply an event that is not in the ledger yet; return why it would not count."""
    event = Event(sequence=campaign.sequence + 1, at=at, author=author, body=body)
    campaign.apply(event)
    return campaign.void.get(event.sequence)


def claim_of(campaign: Campaign, item: Item, evaluator: str, role: Role, *, at: datetime) -> ClaimMade:
    """Return a claim on an item, for as long as the campaign allows."""
    until = utc_text(at + timedelta(minutes=campaign.plan.claim_minutes))
    return ClaimMade(evaluator=evaluator, role=role, until=until, trace_id=item.trace_id, campaign=campaign.name)


def _append_claim(
    ledger: Ledger, campaign: Campaign, item: Item, evaluator: str, *, at: datetime, role: Role
) -> tuple[Campaign, Entry]:
    body = claim_of(campaign, item, evaluator, role, at=at)
    entry = ledger.append_many([_draft("claim", campaign.name, body, evaluator, at, item=item)])[0]
    return load_items(ledger, campaign.name, [item.trace_id]).campaign, entry


def _append_checked(ledger: Ledger, campaign: Campaign, draft: Draft, body: Body, item: Item) -> Item:
    objection = rehearse(campaign, body, author=draft.author, at=draft.at)
    if objection is not None:
        raise UsageError(objection)
    entry = ledger.append_many([draft])[0]
    campaign, item = load_item(ledger, campaign.name, item.trace_id)
    check_counts(campaign, entry)
    return item


def _draft(kind: str, name: str, body: Body, author: str, at: datetime, *, item: Item | None = None) -> Draft:
    subject = f"campaigns/{name}"
    if item is not None:
        subject += f"/{escaped(key_of_trace(item.trace_id), part=True)}"
    return Draft(kind=kind, subject=subject, body=to_json(body), author=author, at=at)


def _held(campaign: Campaign, item: Item, evaluator: str, role: Role) -> tuple[Item, Claim]:
    item = item_of(campaign, item.trace_id)
    claim = item.adjudicating if role == "adjudicator" else item.claims.get(campaign.key_of(evaluator))
    if claim is None:
        raise UsageError(f"the claim on '{item.trace_id}' did not hold: claim again")
    return item, claim


def check_counts(campaign: Campaign, entry: Entry) -> None:
    """Raise where an entry came too late: it is in the ledger, and does not count."""
    if entry.sequence in campaign.void:
        raise UsageError(f"{campaign.void[entry.sequence]} (entry {entry.sequence} stands and does not count)")


def _planned(drawn: Drawn, interaction: Interaction) -> PlannedItem:
    name = name_of(interaction)
    earlier = drawn.earlier.get(key_of_trace(name))
    return PlannedItem(
        trace_id=name,
        query=interaction.sample.question,
        stratum=next(stratum.key for stratum in drawn.manifest.strata if name in stratum.drawn),
        earlier=None if earlier is None else name_of(earlier.prescore.interaction),
        paired_by=None if earlier is None else earlier.paired_by,
        why=drawn.why.get(name, ()),
        authors=authors_of(interaction) or None,
        interaction=hash_of(interaction),
        content=content_hash(interaction),
        answered=not is_refusal(interaction),
        earlier_interaction=None if earlier is None else hash_of(earlier.prescore.interaction),
    )


def checked_name(ledger: Ledger, name: str) -> str:
    """Return a name for a new campaign; raise where it is none, or taken."""
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise UsageError(f"'{name[:_SHOWN]}' is no name for a campaign: use letters, digits, '.', '_' and '-'")
    if name in campaign_names(ledger):
        raise UsageError(f"{ledger.name}: there is a campaign '{name}' already: choose another name")
    return name
