"""Records on their way into the ledger: filled in, checked against who may rate what, kept all or none."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from plumbrule.errors import InputError, UsageError
from plumbrule.interactions import authors_of
from plumbrule.interactions.answer_register import AnswerRegister
from plumbrule.interactions.interaction import Interaction
from plumbrule.ledger import Draft, Ledger
from plumbrule.names import key_of_trace
from plumbrule.person_names import person_key, same_person
from plumbrule.prescores.kept_prescore import proposed_level
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_store import (
    check_counts,
    claim_item,
    claim_of,
    item_of,
    load_item,
    load_items,
    rehearse,
)
from plumbrule.reviews.evaluation_record import EvaluationRecord, read_record
from plumbrule.reviews.interaction_archive import (
    find_version,
    hash_of,
    is_refusal,
    keep_interactions,
    name_of,
    versions_of,
)
from plumbrule.reviews.items import Item, Rated
from plumbrule.reviews.levels import Scores, level_name, named_scores, objection_to_levels
from plumbrule.reviews.record_store import StoredRecord, record_draft, record_entry, rubric_drafts, stored_records
from plumbrule.reviews.review_entries import RecordEntry, Role
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """The records that were kept, in the order in which they were given."""

    campaign: str | None
    records: tuple[StoredRecord, ...]


def submit_records(
    ledger: Ledger,
    name: str,
    given: Iterable[tuple[str, object]],
    *,
    at: datetime,
    evaluator: str | None = None,
    role: Role = "evaluator",
    reason: str | None = None,
) -> Submitted:
    """Keep records of items, each with its place for messages, all or none; with a ``reason`` they revise.

    What a record leaves out is filled in: its trigger and query from the campaign, and in a revision or adjudication
    every rating that it does not change.
    """
    listed = list(given)
    named = [str(stated["trace_id"]) for _, stated in listed if isinstance(stated, Mapping) and stated.get("trace_id")]
    campaign = load_items(ledger, name, named).campaign
    drafts: list[Draft] = []
    for place, stated in listed:
        try:
            entry = _entry(ledger, campaign, stated, evaluator=evaluator, role=role, reason=reason, at=at)
        except InputError as error:
            raise InputError(f"{place}: {error}" if place else str(error)) from None
        drafts.append(record_draft(entry, at=at))
    if not drafts:
        raise InputError("there is no record to keep")
    rubric = rubric_drafts(ledger, campaign.loaded, author=drafts[0].author, at=at)
    sequences = {entry.sequence for entry in ledger.append_many([*rubric, *drafts]) if entry.kind == "record"}
    standing = load_items(ledger, name, named)
    for appended in standing.entries:
        if appended.sequence in sequences:
            check_counts(standing.campaign, appended)
    return _submitted(name, standing.records(named), sequences)


def keep_adhoc(
    ledger: Ledger,
    given: Iterable[tuple[str, object]],
    *,
    at: datetime,
    evaluator: str | None = None,
    rubric: Loaded[ScorecardRubric] | None = None,
    interactions: Iterable[Interaction] = (),
) -> Submitted:
    """Keep records outside of any campaign, each with its place for messages, all or none.

    Each is about an interaction that the ledger has, in its latest version or the one that the record names, or about
    one of ``interactions``, which is kept with it.
    """
    loaded = rubric or load_scorecard()
    given = list(given)
    brought = _brought(interactions, given)
    used: dict[str, Interaction] = {}
    drafts: list[Draft] = []
    places: dict[tuple[str, str, str], str] = {}
    for place, stated in given:
        filled = {"evaluator": evaluator, **stated} if isinstance(stated, Mapping) and evaluator is not None else stated
        try:
            record = read_record(filled, loaded.rubric)
            version, interaction = _version_rated(ledger, record, brought)
            _check_author(interaction, record)
            _check_levels(record.scores, loaded.rubric, answered=not is_refusal(interaction))
            record = replace(record, interaction=version)
            entry = record_entry(ledger, record, campaign=None, role="evaluator", reason=None, at=at, loaded=loaded)
        except InputError as error:
            raise InputError(f"{place}: {error}" if place else str(error)) from None
        rater = key_of_trace(record.trace_id or ""), person_key(record.evaluator or ""), version
        before = places.setdefault(rater, place)
        if before != place:
            raise InputError(f"{place}: rates what {before} rates already, by the same evaluator: give it once")
        if key_of_trace(name_of(interaction)) in brought:
            used[version] = interaction
        drafts.append(record_draft(entry, at=at))
    if not drafts:
        raise InputError("there is no record to keep")
    keep_interactions(ledger, used.values(), author=drafts[0].author, at=at, rubric=loaded)
    stamps = rubric_drafts(ledger, loaded, author=drafts[0].author, at=at)
    sequences = {entry.sequence for entry in ledger.append_many([*stamps, *drafts]) if entry.kind == "record"}
    submitted = _submitted(None, stored_records(ledger), sequences)
    if len(submitted.records) < len(sequences):
        raise UsageError("somebody kept one of these records a moment ago: the first of them counts")
    return submitted


def _check_levels(scores: Scores, rubric: ScorecardRubric, *, answered: bool) -> None:
    objection = objection_to_levels(scores, rubric, answered=answered)
    if objection is not None:
        raise InputError(objection)


def _brought(interactions: Iterable[Interaction], given: Iterable[tuple[str, object]]) -> dict[str, Interaction]:
    """Return those of the interactions that records are about, by the keys of their trace ids."""
    named = {key_of_trace(str(stated.get("trace_id"))) for _, stated in given if isinstance(stated, Mapping)}
    brought: dict[str, Interaction] = {}
    seen = AnswerRegister()
    for interaction in interactions:
        key = key_of_trace(name_of(interaction))
        if key in named and seen.is_new(interaction):
            brought[key] = interaction
    return brought


def _version_rated(
    ledger: Ledger, record: EvaluationRecord, brought: Mapping[str, Interaction]
) -> tuple[str, Interaction]:
    """Return the version that a record outside of campaigns is about, and the interaction itself."""
    trace_id, named = record.trace_id or "", record.interaction
    interaction = brought.get(key_of_trace(trace_id))
    if interaction is not None and named in (None, hash_of(interaction)):
        return hash_of(interaction), interaction
    versions = {stored.version: stored for stored in versions_of(ledger, trace_id)}
    if not versions:
        raise InputError(
            f"{ledger.name}: there is no interaction '{trace_id[:_SHOWN]}': 'trace_id' is wrong, or the file with "
            "the interaction is to be named with --from"
        )
    if named is not None and named not in versions:
        raise InputError(f"'interaction' is no version of '{trace_id[:_SHOWN]}' that {ledger.name} holds")
    version = named or list(versions)[-1]
    return version, versions[version].rebuild()


def adjudicate_item(
    ledger: Ledger, name: str, given: Mapping[str, object], adjudicator: str, *, at: datetime
) -> StoredRecord:
    """Decide an item on which the evaluators disagree; the ratings that are not given stay as they count now."""
    trace_id = given.get("trace_id")
    if not isinstance(trace_id, str):
        raise InputError("'trace_id' is missing")
    campaign, item = load_item(ledger, name, trace_id)
    given = {**given, "trace_id": item.trace_id}
    claim = claim_of(campaign, item, adjudicator, "adjudicator", at=at)
    objection = rehearse(campaign, claim, author=adjudicator, at=at)
    if objection is not None:
        raise UsageError(objection)
    # what cannot be kept is an error before anything is taken
    _entry(ledger, campaign, given, evaluator=adjudicator, role="adjudicator", reason=None, at=at)
    claim_item(ledger, name, item.trace_id, adjudicator, at=at, role="adjudicator")
    submitted = submit_records(ledger, name, [("", given)], at=at, evaluator=adjudicator, role="adjudicator")
    return submitted.records[0]


def _check_author(interaction: Interaction, record: EvaluationRecord) -> None:
    """Raise where the evaluator wrote the answer, as far as the interaction says."""
    if any(same_person(author, record.evaluator or "") for author in authors_of(interaction)):
        raise InputError(
            f"'{record.evaluator}' is the author of the answer '{record.trace_id}': somebody else must review it"
        )


def _submitted(name: str | None, records: Iterable[StoredRecord], sequences: set[int]) -> Submitted:
    kept = [record for record in records if record.entry.sequence in sequences]
    return Submitted(campaign=name, records=tuple(sorted(kept, key=lambda record: record.entry.sequence)))


def _entry(
    ledger: Ledger,
    campaign: Campaign,
    given: object,
    *,
    evaluator: str | None,
    role: Role,
    reason: str | None,
    at: datetime,
) -> RecordEntry:
    """Return what is kept of one record, applied to the campaign so that the next one of a file is checked after it."""
    record = _read(given, campaign, evaluator=evaluator, role=role, revises=reason is not None)
    version, answered = _drawn(ledger, item_of(campaign, record.trace_id or ""))
    if record.interaction not in (None, version):
        raise InputError(f"'interaction' is not the version that {campaign.name} drew: rate the one on its sheet")
    stated = given.get("scores") if isinstance(given, Mapping) else None
    levels = {key: level for key, level in record.scores.items() if isinstance(stated, Mapping) and key in stated}
    _check_levels(levels, campaign.loaded.rubric, answered=answered)
    record = replace(record, interaction=version)
    _check_accepted(ledger, campaign, record, blind=role == "evaluator" and reason is None)
    made = _made(item_of(campaign, record.trace_id or ""), campaign.key_of(record.evaluator or ""), role)
    entry = record_entry(
        ledger,
        record,
        campaign=campaign.name,
        role=role,
        reason=reason,
        at=at,
        loaded=campaign.loaded,
        revision=0 if made is None else len(made.revisions),
    )
    objection = rehearse(campaign, entry, author=record.evaluator or "", at=at)
    if objection is not None:
        raise InputError(objection)
    return entry


def _check_accepted(ledger: Ledger, campaign: Campaign, record: EvaluationRecord, *, blind: bool) -> None:
    """Raise where a record takes over a proposal that was not shown, or that is another level."""
    if not record.accepted:
        return
    if campaign.plan.proposals != "shown" or not blind:
        raise InputError(f"'accepted': {campaign.name} shows no proposals before a rating: leave it out")
    rubric = campaign.loaded.rubric
    found = find_version(ledger, item_of(campaign, record.trace_id or "").wanted)
    prescore = None if found is None else found.meant.prescore
    for key in record.accepted:
        proposal = None if prescore is None else prescore.dimensions.get(key)
        level = None if proposal is None else proposed_level(proposal, rubric.not_applicable.name)
        if level != level_name(record.scores[key], rubric):
            raise InputError(f"'accepted': {key} is not at the level that is proposed, {level or 'none'}")


def _drawn(ledger: Ledger, item: Item) -> tuple[str | None, bool]:
    """Return the hash of the version that an item is about, and whether it was answered; an older plan says neither."""
    if item.interaction is None or item.answered is None:
        found = find_version(ledger, item.wanted)
        if found is not None:
            return found.meant.version, not is_refusal(found.meant.rebuild())
    return item.interaction, item.answered is True


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
    if evaluator is not None and isinstance(named, str) and campaign.key_of(named) != campaign.key_of(evaluator):
        raise InputError(f"'evaluator' is '{named[:_SHOWN]}', and this is submitted as '{evaluator[:_SHOWN]}'")
    original: dict[str, object] = {"trigger": campaign.plan.trigger, "query": item.query or "(none)"}
    stated = {key: value for key, value in given.items() if value is not None}
    for field, value in original.items():
        if stated.get(field, value) != value:
            raise InputError(f"'{field}' is not that of the item: leave it out, or give it word for word")
    filled = {**original, **stated, "trace_id": item.trace_id, "evaluator": named}
    if revises or role == "adjudicator":
        filled = {**filled, **_unchanged(campaign, item, filled, role, revises=revises)}
    return read_record(filled, campaign.loaded.rubric)


def _unchanged(
    campaign: Campaign, item: Item, given: Mapping[str, object], role: Role, *, revises: bool
) -> dict[str, object]:
    """Return what stays where nothing else is given: of a revision the old record, of an adjudication what counts."""
    rubric = campaign.loaded.rubric
    made = _made(item, campaign.key_of(str(given["evaluator"])), role) if revises else None
    settled = campaign.settlement(item) if role == "adjudicator" else None
    standing: Mapping[str, object] = {}
    fields: dict[str, object] = {}
    if made is not None:
        old = made.record.written(rubric)
        standing = old.scores
        fields = {"evaluation_id": old.evaluation_id, "notes": old.notes}
    elif settled is not None:
        named = named_scores(settled.scores, rubric)
        standing = {key: level for key, level in named.items() if key not in settled.open}
    scores = given.get("scores", {})
    if not isinstance(scores, Mapping):
        raise InputError("scores: must be an object with a level for each dimension")
    return {**{key: value for key, value in fields.items() if key not in given}, "scores": {**standing, **scores}}


def _made(item: Item, person: str, role: Role) -> Rated | None:
    """Return the record that was made, by the adjudicator or by one evaluator."""
    return item.adjudication if role == "adjudicator" else item.ratings.get(person)
