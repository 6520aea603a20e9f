"""Records in the ledger: an evaluator's record of an interaction never changes, and gains revisions."""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Draft, Entry, Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.person_names import person_key, plain_key
from plumbrule.reviews.campaign import Campaign, replay
from plumbrule.reviews.evaluation_record import EvaluationRecord, FilledRecord, asking_for_a_note, record_of
from plumbrule.reviews.record_decision import Decision, decide
from plumbrule.reviews.review_entries import (
    CampaignPlan,
    RecordEntry,
    Role,
    RubricEntry,
    read_event,
    read_record_entry,
    read_rubric_entry,
)
from plumbrule.rubrics import Loaded, ScorecardRubric, content_of, load_scorecard

ADHOC = "adhoc"

_OF_A_CAMPAIGN = ("campaign", "claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionLine:
    """One revision in the history of a record."""

    revision: int
    at: str
    author: str
    reason: str | None
    scores: Mapping[str, str]
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRecord(FilledRecord):
    """Every field of the template, then where the record belongs and how it was revised."""

    campaign: str | None
    role: Role
    revision: int
    history: tuple[RevisionLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """A record after its last revision; ``entries`` are all of them, the first first."""

    record: EvaluationRecord
    decision: Decision
    campaign: str | None
    role: Role
    revision: int
    entries: tuple[Entry, ...]
    rubric: Loaded[ScorecardRubric]
    blind: bool = False  # its campaign is open: whoever may still rate there must not see it

    @property
    def entry(self) -> Entry:
        """The entry that counts."""
        return self.entries[-1]

    def exported(self) -> ExportedRecord:
        """Return the record for JSON, with its history."""
        filled = self.record.filled_in(self.decision, self.rubric.rubric)
        return ExportedRecord(
            **{field.name: getattr(filled, field.name) for field in fields(filled)},
            campaign=self.campaign,
            role=self.role,
            revision=self.revision,
            history=tuple(_revision_line(number, entry) for number, entry in enumerate(self.entries)),
        )


def keep_record(
    ledger: Ledger,
    record: EvaluationRecord,
    *,
    campaign: str | None = None,
    role: Role = "evaluator",
    reason: str | None = None,
    at: datetime,
    rubric: Loaded[ScorecardRubric] | None = None,
) -> Entry:
    """Keep a record, or a revision of one where there is a ``reason``; return its entry.

    Who may rate what in a campaign is checked in ``plumbrule.reviews.submission``, not here. Outside a campaign an
    evaluator has one record of an interaction, and another needs a reason.
    """
    loaded = rubric or load_scorecard()
    entry = record_entry(ledger, record, campaign=campaign, role=role, reason=reason, at=at, loaded=loaded)
    drafts = rubric_drafts(ledger, loaded, author=record.evaluator or "", at=at)
    return ledger.append_many([*drafts, record_draft(entry, at=at)])[-1]


def record_entry(
    ledger: Ledger,
    record: EvaluationRecord,
    *,
    campaign: str | None,
    role: Role,
    reason: str | None,
    at: datetime,
    loaded: Loaded[ScorecardRubric],
    revision: int | None = None,
) -> RecordEntry:
    """Return what is kept of a record, with id, date and decision; ``revision`` is looked up where it is not given."""
    if record.evaluator is None or record.trace_id is None:
        raise InputError("a record needs an evaluator and a trace_id to be kept")
    asking = asking_for_a_note(record, loaded.rubric)
    if asking:
        raise InputError(f"'notes' is missing: the rating of {', '.join(asking)} needs a note")
    if reason is not None and not reason.strip():
        raise InputError("a revision needs a reason")
    subject = subject_of(campaign, record.trace_id, record.evaluator)
    if revision is None:
        room, person = subject.rpartition("/")[0], person_key(record.evaluator)
        before = [
            kept
            for entry in ledger.entries(kind="record", run=room)
            if (kept := read_record_entry(entry)).role == role and person_key(kept.record.evaluator or "") == person
        ]
        revision = len(before)
        if campaign is None:
            _check_adhoc(record, reason, standing=revision)
        if before and record.evaluation_id is None:
            record = replace(record, evaluation_id=before[0].record.evaluation_id)
    record = replace(
        record,
        evaluation_id=record.evaluation_id or str(uuid5(NAMESPACE_URL, f"{ledger.ledger_id}/{subject}/{role}")),
        date=record.date or at.date(),
    )
    return RecordEntry(
        record=record.written(loaded.rubric),
        decision=decide(record.scores, loaded).result(),
        revision=revision,
        reason=reason,
        campaign=campaign,
        role=role,
        rubric=loaded.stamp(),
    )


def record_draft(entry: RecordEntry, *, at: datetime) -> Draft:
    """Return the ledger entry of a record, before it has a place in the chain."""
    evaluator = entry.record.evaluator or ""
    subject = subject_of(entry.campaign, entry.record.trace_id or "", evaluator)
    return Draft(kind="record", subject=subject, body=to_json(entry), author=evaluator, at=at)


def subject_of(campaign: str | None, trace_id: str, evaluator: str) -> str:
    """Return the subject of a record's entries."""
    trace = escaped(key_of_trace(trace_id), part=True)
    return f"records/{campaign or ADHOC}/{trace}/{escaped(evaluator, part=True)}"


def stored_records(ledger: Ledger) -> list[StoredRecord]:
    """Return every record that counts, after its last revision, in the order in which they were first made.

    A record that came after its claim had ended, or twice, is in the ledger but does not count.
    """
    rubrics = RubricShelf(ledger)
    records: list[StoredRecord] = []
    for name, members in _by_campaign(ledger).items():
        if name is None or all(entry.kind == "record" for entry in members):  # kept under a name that nobody opened
            records += _alone(members, name, rubrics)
        else:
            records += records_of(campaign_of(name, members, rubrics), members)
    return sorted(records, key=lambda record: record.entries[0].sequence)


def open_campaigns(ledger: Ledger) -> tuple[str, ...]:
    """Return the campaigns that are not closed: their evaluators rate blind, so that nothing may show a rating."""
    rubrics = RubricShelf(ledger)
    return tuple(
        name
        for name, members in _by_campaign(ledger).items()
        if name is not None
        and any(entry.kind == "campaign" for entry in members)
        and campaign_of(name, members, rubrics).closed is None
    )


def _by_campaign(ledger: Ledger) -> dict[str | None, list[Entry]]:
    """Return the entries of campaigns and records, in the order of the chain, as they were at one moment."""
    entries: dict[str | None, list[Entry]] = {}
    last = ledger.checkpoint().sequence
    for kind in (*_OF_A_CAMPAIGN, "record"):
        for entry in ledger.entries(kind=kind):
            if entry.sequence <= last:
                entries.setdefault(_campaign_of(entry), []).append(entry)
    for members in entries.values():
        members.sort(key=lambda entry: entry.sequence)
    return entries


def campaign_of(name: str, entries: Iterable[Entry], rubrics: "RubricShelf") -> Campaign:
    """Return a campaign, replayed from its entries."""
    events = [read_event(entry) for entry in entries]
    plan = next((event.body for event in events if isinstance(event.body, CampaignPlan)), None)
    if plan is None:
        raise InputError(f"{name}: the entry that opened this campaign is missing")
    return replay(name, events, rubrics.find(plan.rubric))


def records_of(campaign: Campaign, entries: Iterable[Entry]) -> Iterator[StoredRecord]:
    """Yield the records of a campaign that count."""
    by_sequence = {entry.sequence: entry for entry in entries}
    for role, rated in campaign.rated():
        revisions = tuple(by_sequence[revision.sequence] for revision in rated.revisions)
        yield StoredRecord(
            record=rated.record,
            decision=decide(rated.record.scores, campaign.loaded),
            campaign=campaign.name,
            role=role,
            revision=len(revisions) - 1,
            entries=revisions,
            rubric=campaign.loaded,
            blind=campaign.closed is None,
        )


def rubric_drafts(ledger: Ledger, loaded: Loaded[ScorecardRubric], *, author: str, at: datetime) -> list[Draft]:
    """Return the entry that keeps a rubric; none where the ledger has it already."""
    subject = f"rubrics/{loaded.name}/{loaded.sha256}"
    if any(ledger.entries(kind="rubric", subject=subject)):
        return []
    body = RubricEntry(name=loaded.name, version=loaded.version, sha256=loaded.sha256, content=content_of(loaded))
    return [Draft(kind="rubric", subject=subject, body=to_json(body), author=author, at=at)]


class RubricShelf:
    """The scorecard rubrics that a ledger keeps, each read once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._read: dict[str, Loaded[ScorecardRubric]] = {}

    def find(self, stamp: Mapping[str, str]) -> Loaded[ScorecardRubric]:
        """Return the rubric that a result was made with."""
        sha256 = stamp["sha256"]
        if sha256 not in self._read:
            self._read[sha256] = _shipped() if _shipped().sha256 == sha256 else self._kept(stamp)
        return self._read[sha256]

    def _kept(self, stamp: Mapping[str, str]) -> Loaded[ScorecardRubric]:
        subject = f"rubrics/{stamp['name']}/{stamp['sha256']}"
        entry = next(iter(self._ledger.entries(kind="rubric", subject=subject)), None)
        if entry is None:
            raise InputError(f"{self._ledger.name}: does not keep the rubric {stamp['sha256'][:12]} of its own records")
        return read_rubric_entry(entry)


def _check_adhoc(record: EvaluationRecord, reason: str | None, *, standing: int) -> None:
    if standing and reason is None:
        raise InputError(
            f"'{record.evaluator}' rated '{record.trace_id}' already; a change is a revision and needs a reason"
        )
    if not standing and reason is not None:
        raise InputError(f"'{record.evaluator}' has not rated '{record.trace_id}' yet: there is nothing to revise")


def _alone(entries: list[Entry], name: str | None, rubrics: RubricShelf) -> Iterator[StoredRecord]:
    """Yield the records outside of campaigns; of two first ones, made at once, the first counts.

    Records of older versions count as they did then: two names that are one person's today may have one each.
    """
    grouped: dict[tuple[str, str, Role], list[tuple[Entry, RecordEntry]]] = {}
    of_person: dict[tuple[str, str, Role], tuple[str, str, Role]] = {}
    for entry in entries:
        kept = read_record_entry(entry)
        trace, evaluator = key_of_trace(kept.record.trace_id or ""), kept.record.evaluator or ""
        key = trace, plain_key(evaluator), kept.role
        first = of_person.setdefault((trace, person_key(evaluator), kept.role), key)
        if key not in grouped and kept.reason is not None:  # revised under another writing of the name
            key = first
        members = grouped.setdefault(key, [])
        if not members or kept.reason is not None:
            members.append((entry, kept))
    for (_, _, role), members in grouped.items():
        _, last = members[-1]
        loaded = rubrics.find(last.rubric)
        record = record_of(last.record, loaded.rubric)
        yield StoredRecord(
            record=record,
            decision=decide(record.scores, loaded),
            campaign=name,
            role=role,
            revision=len(members) - 1,
            entries=tuple(entry for entry, _ in members),
            rubric=loaded,
        )


def _revision_line(number: int, entry: Entry) -> RevisionLine:
    kept = read_record_entry(entry)
    return RevisionLine(
        revision=number,
        at=entry.recorded_at_utc,
        author=entry.author,
        reason=kept.reason,
        scores=kept.record.scores,
        notes=kept.record.notes,
    )


def _campaign_of(entry: Entry) -> str | None:
    name = entry.subject.split("/")[1]
    return None if entry.kind == "record" and name == ADHOC else name


@functools.cache
def _shipped() -> Loaded[ScorecardRubric]:
    return load_scorecard()
