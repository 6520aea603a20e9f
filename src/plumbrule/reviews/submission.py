"""Records on their way into the ledger: filled in, held against who may rate what, kept all together or not at all."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Draft, Ledger
from plumbrule.names import key_of_trace
from plumbrule.reviews.adjudication import person_key
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.campaign_store import check_counts, claim_item, item_of, load_items
from plumbrule.reviews.evaluation_record import EvaluationRecord, read_record
from plumbrule.reviews.items import Event, Item, Rated, Role
from plumbrule.reviews.levels import named_scores
from plumbrule.reviews.record_store import StoredRecord, record_drafts, stored_records
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

_SHOWN = 60


def submit_records(
    ledger: Ledger,
    name: str,
    given: Iterable[tuple[str, object]],
    *,
    at: datetime,
    evaluator: str | None = None,
    role: Role = "evaluator",
    reason: str | None = None,
) -> list[StoredRecord]:
    """Keep records of items, each with its place for messages, all or none; with a ``reason`` they revise.

    What a record leaves out is filled in: its trigger and query from the campaign, and in a revision or adjudication
    every rating that it does not change.
    """
    listed = list(given)
    named = [str(each["trace_id"]) for _, each in listed if isinstance(each, Mapping) and each.get("trace_id")]
    campaign = load_items(ledger, name, named).campaign
    drafts: list[Draft] = []
    for place, each in listed:
        try:
            record = _read(each, campaign, evaluator=evaluator, role=role, revises=reason is not None)
            made = _made(item_of(campaign, record.trace_id or ""), record.evaluator or "", role)
            new = record_drafts(
                ledger,
                record,
                campaign=name,
                role=role,
                reason=reason,
                at=at,
                loaded=campaign.loaded,
                revision=0 if made is None else len(made.revisions),
            )
            _rehearse(campaign, new[-1])
        except InputError as error:
            raise InputError(f"{place}: {error}" if place else str(error)) from None
        drafts += new
    if not drafts:
        raise InputError("there is no record to keep")
    kept = {entry.sequence for entry in ledger.append_many(drafts) if entry.kind == "record"}
    standing = load_items(ledger, name, named)
    for entry in standing.entries:
        if entry.sequence in kept:
            check_counts(standing.campaign, entry)
    found = [record for record in standing.records() if record.entry.sequence in kept]
    return sorted(found, key=lambda record: record.entry.sequence)  # as they were given


def keep_adhoc(
    ledger: Ledger,
    given: Iterable[tuple[str, object]],
    *,
    at: datetime,
    evaluator: str | None = None,
    rubric: Loaded[ScorecardRubric] | None = None,
) -> list[StoredRecord]:
    """Keep records outside of any campaign, each with its place for messages, all or none."""
    loaded = rubric or load_scorecard()
    drafts: list[Draft] = []
    cards: dict[tuple[str, str], str] = {}
    for place, each in given:
        filled = {"evaluator": evaluator, **each} if isinstance(each, Mapping) and evaluator is not None else each
        try:
            record = read_record(filled, loaded.rubric)
            made = record_drafts(
                ledger, record, campaign=None, role="evaluator", reason=None, at=at, loaded=loaded, revision=None
            )
        except InputError as error:
            raise InputError(f"{place}: {error}" if place else str(error)) from None
        before = cards.setdefault((key_of_trace(record.trace_id or ""), person_key(record.evaluator or "")), place)
        if before != place:
            raise InputError(f"{place}: rates what {before} rates already, by the same evaluator: give it once")
        drafts += made if not drafts else made[-1:]  # the rubric is kept once
    if not drafts:
        raise InputError("there is no record to keep")
    kept = {entry.sequence for entry in ledger.append_many(drafts) if entry.kind == "record"}
    found = [record for record in stored_records(ledger) if record.entry.sequence in kept]
    if len(found) < len(kept):
        raise UsageError("somebody kept one of these records a moment ago: the first of them counts")
    return found


def adjudicate_item(
    ledger: Ledger, name: str, given: Mapping[str, object], adjudicator: str, *, at: datetime
) -> StoredRecord:
    """Decide an item on which the evaluators part; the ratings that are not given stay as they count now."""
    trace_id = given.get("trace_id")
    if not isinstance(trace_id, str):
        raise InputError("'trace_id' is missing")
    item, _ = claim_item(ledger, name, trace_id, adjudicator, at=at, role="adjudicator")
    given = {**given, "trace_id": item.trace_id}
    [record] = submit_records(ledger, name, [("", given)], at=at, evaluator=adjudicator, role="adjudicator")
    return record


def _read(given: object, campaign: Campaign, *, evaluator: str | None, role: Role, revises: bool) -> EvaluationRecord:
    """Return a whole record of an item of the campaign."""
    if not isinstance(given, Mapping):
        raise InputError("a record must be a JSON object with the key 'scores'")
    trace_id = given.get("trace_id")
    if not isinstance(trace_id, str) or not trace_id:
        raise InputError("'trace_id' is missing")
    item = campaign.item(trace_id)
    if item is None:
        raise InputError(f"'{trace_id[:_SHOWN]}' is no item of {campaign.name}")
    named = given.get("evaluator") or evaluator
    if evaluator is not None and isinstance(named, str) and person_key(named) != person_key(evaluator):
        raise InputError(f"'evaluator' is '{named[:_SHOWN]}', and this is submitted as '{evaluator[:_SHOWN]}'")
    original: dict[str, object] = {"trigger": campaign.plan["trigger"], "query": item.query or "(none)"}
    stated = {key: value for key, value in given.items() if value is not None}
    for field, value in original.items():
        if stated.get(field, value) != value:
            raise InputError(f"'{field}' is not that of the item: leave it out, or give it word for word")
    filled = {**original, **stated, "trace_id": item.trace_id, "evaluator": named}
    if revises or role == "adjudicator":
        filled = {**filled, **_kept_parts(campaign, item, filled, role, revises=revises)}
    return read_record(filled, campaign.loaded.rubric)


def _kept_parts(
    campaign: Campaign, item: Item, given: Mapping[str, object], role: Role, *, revises: bool
) -> dict[str, object]:
    """Return what stays where nothing else is given: of a revision the old record, of an adjudication what counts."""
    rubric = campaign.loaded.rubric
    made = _made(item, str(given["evaluator"]), role) if revises else None
    settled = campaign.settlement(item) if role == "adjudicator" else None
    standing: Mapping[str, object] = {}
    kept: dict[str, object] = {}
    if made is not None:
        old = made.record.to_dict(rubric)
        standing = old["scores"]
        kept = {key: old[key] for key in ("evaluation_id", "notes") if key not in given}
    elif settled is not None:
        named = named_scores(settled.scores, rubric)
        standing = {key: level for key, level in named.items() if key not in settled.open}
    scores = given.get("scores", {})
    if not isinstance(scores, Mapping):
        raise InputError("scores: must be an object with a level for each dimension")
    return {**kept, "scores": {**standing, **scores}}


def _made(item: Item, evaluator: str, role: Role) -> Rated | None:
    """Return the record that stands, of the adjudicator or of one evaluator."""
    return item.adjudication if role == "adjudicator" else item.ratings.get(person_key(evaluator))


def _rehearse(campaign: Campaign, draft: Draft) -> None:
    """Take a record in as if it stood, so that what comes after it in one file is held against it."""
    body: dict[str, object] = draft.body  # type: ignore[assignment]  # made by record_drafts
    event = Event(sequence=campaign.sequence + 1, kind="record", at=draft.at, author=draft.author, body=body)
    campaign.apply(event)
    if event.sequence in campaign.void:
        raise InputError(campaign.void[event.sequence])
