"""Reviews for Python callers and the command line: each function opens the ledger and calls one function of reviews.

``ledger`` is an open ledger or the address of one; without it, it is the ledger that the command line would use.
``campaign`` is a name, the start of one, or ``last``. ``at`` is the moment to record, by default now.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from plumbrule.api.ledger_access import Ledgers, now, opened
from plumbrule.errors import UsageError
from plumbrule.interactions.interaction_reader import Source, read_interactions
from plumbrule.ledger import Ledger
from plumbrule.person_names import person_key
from plumbrule.reviews import closing_decision, sample_draw, submission
from plumbrule.reviews.campaigns import campaign_store
from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement, measure_agreement
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_history import CampaignHistory, describe_history
from plumbrule.reviews.campaigns.campaign_list import CampaignList, CampaignOutline, CampaignState, list_campaigns
from plumbrule.reviews.campaigns.campaign_progress import (
    AssignedItems,
    CampaignProgress,
    CampaignReport,
    ClaimList,
    ExportedRecords,
    ItemList,
    ReleasedItem,
    describe_claims,
    describe_items,
    describe_progress,
    exported_records,
    report_campaign,
)
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
from plumbrule.reviews.closing_decision import ClosingForecast
from plumbrule.reviews.decision_report import DecisionReport, report_decision
from plumbrule.reviews.followed_items import FollowedItem, follow_items
from plumbrule.reviews.item_report import ItemReport, report_item
from plumbrule.reviews.model_change import PairReport, compare_pair
from plumbrule.reviews.queue import NothingLeft, waiting_for_others
from plumbrule.reviews.record_files import read_given
from plumbrule.reviews.record_store import StoredRecord
from plumbrule.reviews.record_store import stored_records as all_records
from plumbrule.reviews.review_entries import Role
from plumbrule.reviews.sample_draw import DrawResult, Request
from plumbrule.reviews.sheets import RatingForm, Sheet, rating_form, sheet_of
from plumbrule.reviews.submission import Submitted
from plumbrule.reviews.work_list import ItemToAdjudicate, WorkList, list_adjudications, list_work
from plumbrule.rubrics import check_policy, load_scorecard, policy_differences
from plumbrule.settings import settings_file, user_name

Records = str | Path | Iterable[Mapping[str, object]]  # a file, - for standard input, or the records themselves


def draw(
    request: Request, *, rubric: str | Path | None = None, overrides: Mapping[str, object] | None = None
) -> DrawResult:
    """Draw a review sample and return its manifest; nothing is opened and nothing is written."""
    loaded = load_scorecard(Path(rubric) if rubric is not None else None, overrides)
    return replace(sample_draw.draw(request, loaded).result(loaded.rubric), policy=policy_differences(loaded) or None)


def open_campaign(  # noqa: PLR0913 - what is reviewed, by which policy, where it is kept
    request: Request,
    *,
    name: str | None = None,
    evaluators: int | None = None,
    terms: ReleaseTerms | None = None,
    author: str | None = None,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> DrawResult:
    """Draw a review sample, open a campaign on it, and return its manifest; a ledger that is not there is made.

    ``terms`` fix how it will decide. ``author`` is who opens it, by default ``user.name`` of the settings.
    """
    opener = accountable(author)
    loaded = load_scorecard(Path(rubric) if rubric is not None else None, overrides)
    check_policy(loaded, accept_weaker=terms is not None and terms.accept_weaker_policy)  # before anything is read
    drawn = sample_draw.draw(request, loaded)
    moment = at or now()
    with opened(ledger, make=moment) as store:
        campaign = campaign_store.open_campaign(
            store, drawn, loaded, author=opener, at=moment, name=name, evaluators=evaluators, terms=terms
        )
    plan = campaign.plan
    return replace(
        drawn.result(loaded.rubric),
        campaign=campaign.name,
        evaluators=plan.evaluators,
        remarks=plan.remarks,
        mode=plan.mode,
        decide_on=plan.decide_on,
        policy=plan.policy,
    )


def campaigns(*, ledger: Ledgers = None, at: datetime | None = None) -> tuple[CampaignProgress, ...]:
    """Return every campaign, the oldest first."""
    with opened(ledger) as store:
        moment = at or now()
        return tuple(
            describe_progress(campaign_store.load_campaign(store, name).campaign, at=moment)
            for name in campaign_store.campaign_names(store)
        )


def campaign_page(
    *,
    state: CampaignState | None = None,
    trigger: str | None = None,
    start: int = 0,
    most: int = 50,
    outlines: Sequence[CampaignOutline] | None = None,
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> CampaignList:
    """Return some of the campaigns, the open ones first, of both the newest first, with progress or decision.

    ``outlines`` are those of all campaigns, for whoever has them already.
    """
    with opened(ledger) as store:
        return list_campaigns(
            store, state=state, trigger=trigger, start=start, most=most, at=at or now(), outlines=outlines
        )


def followed_items(
    campaign: str = "last", *, ledger: Ledgers = None, at: datetime | None = None
) -> tuple[FollowedItem, ...]:
    """Return the items of a campaign with who holds and rated them; those that fail, or wait, first."""
    with opened(ledger) as store:
        found = campaign_store.find_campaign(store, campaign).campaign
        decision = campaign_store.kept_decision(store, found.name) if found.closed is not None else None
        return follow_items(found, decision, at=at or now())


def history(campaign: str = "last", *, ledger: Ledgers = None) -> CampaignHistory:
    """Return who did what when in a campaign, with the entries that prove how it began and ended."""
    with opened(ledger) as store:
        return describe_history(store, campaign_store.find_campaign(store, campaign))


def decision_report(campaign: str = "last", *, ledger: Ledgers = None) -> DecisionReport | None:
    """Return the decision of a campaign in sentences, with what it rests on; None while it has none."""
    with opened(ledger) as store:
        return report_decision(store, campaign_store.find_campaign(store, campaign))


def forecast_closing(campaign: str = "last", *, author: str | None = None, ledger: Ledgers = None) -> ClosingForecast:
    """Return what is known of a decision before its campaign is closed, which is nothing about ratings."""
    with opened(ledger) as store:
        found = campaign_store.find_campaign(store, campaign).campaign
        return closing_decision.forecast_closing(found, author=author)


def pair(trace_id: str, *, campaign: str = "last", ledger: Ledgers = None) -> PairReport:
    """Return the levels of an item of a model change beside those of the earlier model's answer."""
    with _named(ledger, campaign, None) as (store, name, _):
        found, item = campaign_store.load_item(store, name, trace_id)
        return compare_pair(store, found, item)


def items(
    campaign: str = "last",
    *,
    viewer: str | None = None,
    mine: bool = False,
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> ItemList:
    """Return the items of a campaign with their status; with ``mine`` those that are the viewer's."""
    with opened(ledger) as store:
        found = campaign_store.find_campaign(store, campaign).campaign
        lines = describe_items(found, viewer, at=at or now())
    return ItemList(campaign=found.name, items=tuple(line for line in lines if not mine or line.mine is not None))


def progress(campaign: str = "last", *, ledger: Ledgers = None, at: datetime | None = None) -> CampaignReport:
    """Return how far a campaign is, and its decision where it is closed."""
    with opened(ledger) as store:
        return report_campaign(store, campaign_store.find_campaign(store, campaign).campaign, at=at or now())


def agreement(
    campaign: str = "last",
    *,
    run: str | None = None,
    viewer: str | None = None,
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> CampaignAgreement:
    """Return how far people agree with each other, with the pre-scores and with the judge of a run."""
    with opened(ledger) as store:
        found = campaign_store.find_campaign(store, campaign).campaign
        return measure_agreement(store, found, run=run, viewer=viewer, at=at or now())


def close_campaign(
    campaign: str = "last",
    *,
    as_is: bool = False,
    second: str | None = None,
    author: str | None = None,
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> CampaignDecision:
    """Close a campaign and return the decision on the deployment, with its reasons.

    A release on fewer ratings or items than the trigger asks for needs a ``second`` person beside the ``author``.
    """
    closer = accountable(author)
    with _named(ledger, campaign, at) as (store, name, moment):
        return closing_decision.close_campaign(store, name, author=closer, at=moment, as_is=as_is, second=second)


def export_records(
    campaign: str = "last", *, viewer: str | None = None, ledger: Ledgers = None, at: datetime | None = None
) -> ExportedRecords:
    """Return the records of a campaign that ``viewer`` may see, with every field of the template."""
    with opened(ledger) as store:
        standing = campaign_store.find_campaign(store, campaign)
        campaign_store.name_versions(store, standing.campaign)
        return exported_records(standing, viewer, at=at or now())


def stored_records(*, ledger: Ledgers = None) -> tuple[StoredRecord, ...]:
    """Return every record that counts, in a campaign or outside of one, in the order in which they were made."""
    with opened(ledger) as store:
        return tuple(all_records(store))


def sheet(
    trace_id: str, viewer: str, *, campaign: str = "last", ledger: Ledgers = None, at: datetime | None = None
) -> Sheet:
    """Return the sheet of one item, with the ratings that ``viewer`` may see."""
    with _named(ledger, campaign, at) as (store, name, moment):
        return _sheet(store, name, trace_id, viewer, moment)


def claim_next(
    person: str,
    *,
    role: Role = "evaluator",
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Sheet | NothingLeft:
    """Return the sheet of the item that somebody holds, else of the next one that is free, which is taken."""
    form = next_form(person, role=role, campaign=campaign, ledger=ledger, at=at)
    return form if isinstance(form, NothingLeft) else form.sheet


def next_form(
    person: str,
    *,
    role: Role = "evaluator",
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> RatingForm | NothingLeft:
    """Take the next item as ``claim_next`` does, and return the form to rate or adjudicate it."""
    with _named(ledger, campaign, at) as (store, name, moment):
        taken = campaign_store.claim_next(store, name, person, at=moment, role=role)
        if taken is None:
            return _nothing_left(store, name, person, role, moment)
        found, item = campaign_store.load_item(store, name, taken[0].trace_id)
        return rating_form(store, found, item, person, at=moment, adjudicate=role == "adjudicator")


def form_of(
    trace_id: str,
    person: str,
    *,
    role: Role = "evaluator",
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> RatingForm:
    """Return the form to rate or adjudicate one item, whether it can be taken or not; take nothing."""
    with _named(ledger, campaign, at) as (store, name, moment):
        found, item = campaign_store.load_item(store, name, trace_id)
        return rating_form(store, found, item, person, at=moment, adjudicate=role == "adjudicator")


def work_lists(person: str, *, ledger: Ledgers = None, at: datetime | None = None) -> tuple[WorkList, ...]:
    """Return what somebody has to do as an evaluator in each open campaign, the oldest first; take nothing."""
    with opened(ledger) as store:
        moment = at or now()
        return tuple(list_work(campaign, person, at=moment) for campaign in campaign_store.load_open(store))


def adjudications(person: str, *, ledger: Ledgers = None, at: datetime | None = None) -> tuple[ItemToAdjudicate, ...]:
    """Return the items of every open campaign that wait for an adjudicator, as ``person`` sees them; take nothing.

    Those that they hold come first, then those with a level that always needs an adjudicator.
    """
    with opened(ledger) as store:
        moment = at or now()
        lines = [
            line
            for campaign in campaign_store.load_open(store)
            for line in list_adjudications(campaign, person, at=moment)
        ]
    return tuple(sorted(lines, key=lambda line: (line.until is None, not line.alarm)))


def item_report(
    trace_id: str, viewer: str, *, campaign: str = "last", ledger: Ledgers = None, at: datetime | None = None
) -> ItemReport:
    """Return one item with its records, their history and the decision on it, as far as ``viewer`` may see them."""
    with _named(ledger, campaign, at) as (store, name, moment):
        return report_item(store, name, trace_id, viewer, at=moment)


def nothing_left(
    person: str,
    *,
    role: Role = "evaluator",
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> NothingLeft:
    """Return what waits for others, for somebody who has nothing left to take."""
    with _named(ledger, campaign, at) as (store, name, moment):
        return _nothing_left(store, name, person, role, moment)


def claim_items(
    evaluator: str,
    trace_ids: Iterable[str] = (),
    *,
    count: int | None = None,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> ClaimList:
    """Take the items that are named or, with ``count``, so many of those that are free."""
    with _named(ledger, campaign, at) as (store, name, moment):
        if count is not None:
            trace_ids = campaign_store.free_items(store, name, evaluator, at=moment)[:count]
        taken = [campaign_store.claim_item(store, name, trace_id, evaluator, at=moment) for trace_id in trace_ids]
    return describe_claims(name, taken)


def show_adjudication(
    adjudicator: str,
    trace_id: str | None = None,
    *,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Sheet | NothingLeft:
    """Return the sheet of an item that waits for an adjudicator, or of the next one, with the ratings; take nothing."""
    with _named(ledger, campaign, at) as (store, name, moment):
        found = campaign_store.find_adjudication(store, name, adjudicator, trace_id, at=moment)
        if found is None:
            return _nothing_left(store, name, adjudicator, "adjudicator", moment)
        return sheet_of(store, *found, adjudicator, at=moment, adjudicates=True)


def claim_adjudication(
    adjudicator: str,
    trace_id: str | None = None,
    *,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Sheet | NothingLeft:
    """Take an item that waits for an adjudicator, or the next one, and return its sheet with the ratings."""
    if trace_id is None:
        return claim_next(adjudicator, role="adjudicator", campaign=campaign, ledger=ledger, at=at)
    with _named(ledger, campaign, at) as (store, name, moment):
        item, _ = campaign_store.claim_item(store, name, trace_id, adjudicator, at=moment, role="adjudicator")
        return _sheet(store, name, item.trace_id, adjudicator, moment)


def release_item(
    trace_id: str, evaluator: str, *, campaign: str = "last", ledger: Ledgers = None, at: datetime | None = None
) -> ReleasedItem:
    """Give an item back that somebody took to rate or to adjudicate it."""
    with _named(ledger, campaign, at) as (store, name, moment):
        item = campaign_store.release_item(store, name, trace_id, evaluator, at=moment)
    return ReleasedItem(campaign=name, released=item.trace_id)


def assign_items(
    trace_ids: Iterable[str],
    evaluator: str,
    *,
    author: str | None = None,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> AssignedItems:
    """Reserve a place of each item for somebody, who gets it before others; one named twice is reserved once."""
    by = accountable(author)
    with _named(ledger, campaign, at) as (store, name, moment):
        assigned = [
            campaign_store.assign_item(store, name, trace_id, evaluator, author=by, at=moment).trace_id
            for trace_id in dict.fromkeys(trace_ids)
        ]
    return AssignedItems(campaign=name, assigned=tuple(assigned), to=evaluator)


def submit_record(
    record: Mapping[str, object],
    *,
    evaluator: str | None = None,
    role: Role = "evaluator",
    reason: str | None = None,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Submitted:
    """Keep a record of an item that its evaluator holds or, with a ``reason``, a revision of one."""
    given = _signed([("", record)], evaluator)
    with _named(ledger, campaign, at) as (store, name, moment):
        return submission.submit_records(store, name, given, at=moment, evaluator=evaluator, role=role, reason=reason)


def submit_records(
    records: Records,
    *,
    evaluator: str | None = None,
    role: Role = "evaluator",
    reason: str | None = None,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Submitted:
    """Keep several records, all or none, as ``submit_record`` does."""
    given = _signed(_given(records), evaluator)
    with _named(ledger, campaign, at) as (store, name, moment):
        return submission.submit_records(store, name, given, at=moment, evaluator=evaluator, role=role, reason=reason)


def keep_records(
    records: Records,
    *,
    evaluator: str | None = None,
    interactions: Source | None = None,
    passages: Source | None = None,
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Submitted:
    """Keep records outside of any campaign, all or none; a ledger that is not there is made.

    The interactions that they are about are in the ledger, or at the path ``interactions``, and are kept then.
    """
    given, moment = _signed(_given(records), evaluator), at or now()
    reading = read_interactions(interactions, passages) if interactions is not None else ()
    with opened(ledger, make=moment) as store:
        return submission.keep_adhoc(store, given, at=moment, evaluator=evaluator, interactions=reading)


def adjudicate(
    record: Mapping[str, object],
    adjudicator: str,
    *,
    trace_id: str | None = None,
    campaign: str = "last",
    ledger: Ledgers = None,
    at: datetime | None = None,
) -> Submitted:
    """Decide an item on which the evaluators disagree; ``trace_id``, or the start of it, may stand in the record."""
    with _named(ledger, campaign, at) as (store, name, moment):
        if trace_id is not None:
            record = {"trace_id": campaign_store.load_item(store, name, trace_id)[1].trace_id, **record}
        kept = submission.adjudicate_item(store, name, record, adjudicator, at=moment)
    return Submitted(campaign=name, records=(kept,))


def read_adjudication(path: str) -> Mapping[str, object]:
    """Return the one record of a file that decides an item."""
    given = [record for _, record in read_given(path)]
    if len(given) != 1 or not isinstance(given[0], dict):
        raise UsageError(f"{path}: an adjudication is one record, not {len(given)}")
    return given[0]


def accountable(name: str | None) -> str:
    """Return who does something: the name that is given, else ``user.name`` of the settings; it must name somebody."""
    named = name if name is not None else user_name()
    if named is None:
        raise UsageError(f"say who does this: --as NAME, or user.name in {settings_file()}")
    if not person_key(named):
        raise UsageError(f"'{named[:60]}' names nobody: a name has a letter or a digit")
    return named


def _given(records: Records) -> list[tuple[str, object]]:
    if isinstance(records, str | Path):
        return list(read_given(str(records)))
    return [(f"record {number}", record) for number, record in enumerate(records, 1)]


def _signed(given: Iterable[tuple[str, object]], evaluator: str | None) -> list[tuple[str, object]]:
    """Return records where those that name no evaluator are the user's, unless they are submitted ``as`` somebody."""
    user = user_name() if evaluator is None else None
    if user is None:
        return list(given)
    return [
        (
            place,
            {**record, "evaluator": user} if isinstance(record, Mapping) and not record.get("evaluator") else record,
        )
        for place, record in given
    ]


def _sheet(ledger: Ledger, name: str, trace_id: str, viewer: str, at: datetime) -> Sheet:
    campaign, item = campaign_store.load_item(ledger, name, trace_id)
    return sheet_of(ledger, campaign, item, viewer, at=at)


def _nothing_left(ledger: Ledger, name: str, person: str, role: Role, at: datetime) -> NothingLeft:
    campaign = campaign_store.load_campaign(ledger, name).campaign
    return NothingLeft(campaign=name, waiting=waiting_for_others(campaign, person, at=at, role=role))


@contextmanager
def _named(ledger: Ledgers, campaign: str, at: datetime | None) -> Iterator[tuple[Ledger, str, datetime]]:
    """Give the ledger, the whole name of the campaign that is meant, and the moment to record."""
    with opened(ledger) as store:
        yield store, campaign_store.find_name(store, campaign), at or now()
