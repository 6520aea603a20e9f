"""Scorecard records in the ledger: one evaluator's card on one interaction, which never changes and gains revisions."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from plumbrule.errors import InputError
from plumbrule.ledger import Draft, Entry, Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.reviews.adjudication import person_key
from plumbrule.reviews.campaign import Campaign, replay
from plumbrule.reviews.card_decision import Decision, decide
from plumbrule.reviews.evaluation_record import EvaluationRecord, asking_for_a_note, filled_in, read_record
from plumbrule.reviews.items import Event, Role
from plumbrule.rubrics import Loaded, ScorecardRubric, content_of, kept_rubric, load_scorecard

ADHOC = "adhoc"

_OF_A_CAMPAIGN = ("campaign", "claim")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """A record as it stands after its last revision; ``entries`` are all of them, the first first."""

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

    def to_dict(self) -> dict[str, Any]:
        """Return every field of the template, then where the record belongs and how it was revised."""
        return {
            **filled_in(self.record, self.decision, self.rubric.rubric),
            "campaign": self.campaign,
            "role": self.role,
            "revision": self.revision,
            "history": [
                {"revision": number, "at": entry.recorded_at_utc, "author": entry.author, "reason": body["reason"]}
                | {"scores": body["record"]["scores"], "notes": body["record"]["notes"]}
                for number, entry in enumerate(self.entries)
                for body in (entry.value,)
            ],
        }


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

    Who may rate what in a campaign is checked in ``plumbrule.reviews.campaign_store``, not here. Outside a campaign,
    one record of an evaluator on an interaction stands, and another needs a reason.
    """
    loaded = rubric or load_scorecard()
    drafts = record_drafts(
        ledger, record, campaign=campaign, role=role, reason=reason, at=at, loaded=loaded, revision=None
    )
    return ledger.append_many(drafts)[-1]


def record_drafts(
    ledger: Ledger,
    record: EvaluationRecord,
    *,
    campaign: str | None,
    role: Role,
    reason: str | None,
    at: datetime,
    loaded: Loaded[ScorecardRubric],
    revision: int | None,
) -> list[Draft]:
    """Return what is to be appended for a record: the rubric, where the ledger has it not yet, and the record."""
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
            entry
            for entry in ledger.entries(kind="record", run=room)
            if (found := entry.value)["role"] == role and person_key(found["record"]["evaluator"]) == person
        ]
        revision = len(before)
        if campaign is None:
            _check_adhoc(record, reason, standing=revision)
        if before and record.evaluation_id is None:
            record = replace(record, evaluation_id=before[0].value["record"]["evaluation_id"])
    record = replace(
        record,
        evaluation_id=record.evaluation_id or str(uuid5(NAMESPACE_URL, f"{ledger.ledger_id}/{subject}/{role}")),
        date=record.date or at.date(),
    )
    decision = decide(record.scores, loaded)
    body = {
        "record": record.to_dict(loaded.rubric),
        "decision": decision.to_dict(),
        "revision": revision,
        "reason": reason,
        "campaign": campaign,
        "role": role,
        "rubric": loaded.stamp(),
    }
    draft = Draft(kind="record", subject=subject, body=body, author=record.evaluator or "", at=at)
    return [*rubric_drafts(ledger, loaded, author=record.evaluator or "", at=at), draft]


def subject_of(campaign: str | None, trace_id: str, evaluator: str) -> str:
    """Return the subject of a record's entries."""
    trace = escaped(key_of_trace(trace_id), part=True)
    return f"records/{campaign or ADHOC}/{trace}/{escaped(evaluator, part=True)}"


def stored_records(ledger: Ledger) -> list[StoredRecord]:
    """Return every record that counts, each as it stands, in the order in which they were first made.

    A record that came too late for its claim, or twice, stands in the ledger but does not count.
    """
    rubrics = RubricShelf(ledger)
    found: list[StoredRecord] = []
    for name, members in _by_campaign(ledger).items():
        if name is None or all(entry.kind == "record" for entry in members):  # kept under a name that nobody opened
            found += _alone(members, name, rubrics)
        else:
            found += records_of(campaign_of(name, members, rubrics), members)
    return sorted(found, key=lambda record: record.entries[0].sequence)


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
    """Return all that makes campaigns and records, in the order of the chain, as it was at one moment."""
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
    """Return a campaign as its entries make it."""
    events = [_event(entry) for entry in entries]
    opened = next((event for event in events if event.kind == "campaign"), None)
    if opened is None:
        raise InputError(f"{name}: the entry that opened this campaign is missing")
    return replay(name, events, rubrics.find(opened.body["rubric"]))


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
    """Return the entry that keeps a rubric for as long as anything was decided by it; none where it is kept."""
    subject = f"rubrics/{loaded.name}/{loaded.sha256}"
    if any(ledger.entries(kind="rubric", subject=subject)):
        return []
    body = {**loaded.stamp(), "content": content_of(loaded)}
    return [Draft(kind="rubric", subject=subject, body=body, author=author, at=at)]


class RubricShelf:
    """The scorecard rubrics that a ledger keeps, each read once."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._read: dict[str, Loaded[ScorecardRubric]] = {}

    def find(self, stamp: dict[str, str]) -> Loaded[ScorecardRubric]:
        """Return the rubric that a result was made with."""
        sha256 = stamp["sha256"]
        if sha256 not in self._read:
            self._read[sha256] = _shipped() if _shipped().sha256 == sha256 else self._kept(stamp)
        return self._read[sha256]

    def _kept(self, stamp: dict[str, str]) -> Loaded[ScorecardRubric]:
        subject = f"rubrics/{stamp['name']}/{stamp['sha256']}"
        kept = next(iter(self._ledger.entries(kind="rubric", subject=subject)), None)
        if kept is None:
            raise InputError(f"{self._ledger.name}: does not keep the rubric {stamp['sha256'][:12]} of its own records")
        found: Loaded[ScorecardRubric] = kept_rubric(stamp["name"], kept.value["content"])
        return found


def _check_adhoc(record: EvaluationRecord, reason: str | None, *, standing: int) -> None:
    if standing and reason is None:
        raise InputError(
            f"'{record.evaluator}' rated '{record.trace_id}' already; a change is a revision and needs a reason"
        )
    if not standing and reason is not None:
        raise InputError(f"'{record.evaluator}' has not rated '{record.trace_id}' yet: there is nothing to revise")


def _alone(entries: list[Entry], name: str | None, rubrics: RubricShelf) -> Iterator[StoredRecord]:
    """Yield the records outside of campaigns; of two first ones, made at once, the first counts."""
    grouped: dict[tuple[str, str, Role], list[Entry]] = {}
    for entry in entries:
        body = entry.value
        key = key_of_trace(body["record"]["trace_id"]), person_key(body["record"]["evaluator"]), body["role"]
        members = grouped.setdefault(key, [])
        if not members or body["reason"] is not None:
            members.append(entry)
    for (_, _, role), members in grouped.items():
        last = members[-1].value
        loaded = rubrics.find(last["rubric"])
        record = read_record(last["record"], loaded.rubric, complete=False)
        yield StoredRecord(
            record=record,
            decision=decide(record.scores, loaded),
            campaign=name,
            role=role,
            revision=len(members) - 1,
            entries=tuple(members),
            rubric=loaded,
        )


def _campaign_of(entry: Entry) -> str | None:
    name = entry.subject.split("/")[1]
    return None if entry.kind == "record" and name == ADHOC else name


def _event(entry: Entry) -> Event:
    return Event(
        sequence=entry.sequence,
        kind=entry.kind,
        at=datetime.fromisoformat(entry.recorded_at_utc),
        author=entry.author,
        body=entry.value,
    )


@functools.cache
def _shipped() -> Loaded[ScorecardRubric]:
    return load_scorecard()
