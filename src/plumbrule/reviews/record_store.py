"""Records in the ledger: an evaluator's record of an interaction never changes, and gains revisions."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from uuid import NAMESPACE_URL, uuid5

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Draft, Entry, Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.person_names import person_key, plain_key
from plumbrule.reviews.adjudication import Rating
from plumbrule.reviews.campaigns.campaign import Campaign, OutsideRating, replay
from plumbrule.reviews.evaluation_record import EvaluationRecord, FilledRecord, asking_for_a_note, record_of
from plumbrule.reviews.interaction_archive import FoundVersion, Wanted, find_versions
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
WHOLE = slice(None)  # of a list

_OF_A_CAMPAIGN = ("campaign", "claim")
_FURTHEST_AHEAD = timedelta(hours=14)  # of UTC, on a clock somewhere on Earth


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
    interaction: str | None = None  # the hash of the version that the record is about


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
    about: Wanted  # the version of the interaction that it is about
    rating: Rating  # its levels for a settlement: the blind ones, and those of later revisions
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
            interaction=self.about.version,
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
    """Return what is kept of a record, with id, date and decision; ``revision`` is looked up where it is not given.

    Outside a campaign an evaluator has one record of each version of an interaction.
    """
    if record.evaluator is None or record.trace_id is None:
        raise InputError("a record needs an evaluator and a trace_id to be kept")
    asking = asking_for_a_note(record, loaded.rubric)
    if asking:
        raise InputError(f"'notes' is missing: the rating of {', '.join(asking)} needs a note")
    if record.date is not None and record.date > (at.astimezone(UTC) + _FURTHEST_AHEAD).date():
        raise InputError(
            f"'date' is {record.date}, which is in the future: leave it out, or give the day of the rating"
        )
    if reason is not None and not reason.strip():
        raise InputError("a revision needs a reason")
    subject = subject_of(campaign, record.trace_id, record.evaluator)
    identity = f"{ledger.ledger_id}/{subject}/{role}"
    if revision is None:
        made = _made_before(ledger, subject, record.evaluator, role)
        before = [kept for about, kept in made if record.interaction in (None, about)]
        identity += f"/{record.interaction}" if len(before) < len(made) else ""
        revision = len(before)
        if campaign is None:
            _check_adhoc(record, reason, standing=revision)
        if before and record.evaluation_id is None:
            record = replace(record, evaluation_id=before[0].record.evaluation_id)
    record = replace(
        record,
        evaluation_id=record.evaluation_id or str(uuid5(NAMESPACE_URL, identity)),
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
        interaction=record.interaction,
    )


def _made_before(ledger: Ledger, subject: str, evaluator: str, role: Role) -> list[tuple[str | None, RecordEntry]]:
    """Return what somebody recorded already where a record belongs, each with the version that it is about."""
    person = person_key(evaluator)
    made = [
        (entry, kept)
        for entry in ledger.entries(kind="record", run=subject.rpartition("/")[0])
        if (kept := read_record_entry(entry)).role == role and person_key(kept.record.evaluator or "") == person
    ]
    found = find_versions(ledger, [_about(entry, kept) for entry, kept in made])
    return [(_version_meant(_about(entry, kept), found), kept) for entry, kept in made]


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
    entries = _by_campaign(ledger)
    return _counting(ledger, entries, lambda: chain(*entries.values()))


def records_about(ledger: Ledger, trace_ids: Iterable[str]) -> list[StoredRecord]:
    """Return the records of these interactions that count, without reading the campaigns that have none of them."""
    wanted = {escaped(key_of_trace(trace_id), part=True) for trace_id in trace_ids}
    subjects = dict.fromkeys(subject for subject, _ in ledger.outlines(kind="record"))
    names = dict.fromkeys(place[1] for place in (one.split("/") for one in subjects) if place[2] in wanted)
    last = ledger.checkpoint().sequence
    entries: dict[str | None, list[Entry]] = {}
    for name in names:
        places = (f"campaigns/{name}", f"records/{name}")
        members = [entry for place in places for entry in ledger.entries(run=place) if entry.sequence <= last]
        kept = [entry for entry in members if entry.kind in {*_OF_A_CAMPAIGN, "record"}]
        entries[None if name == ADHOC else name] = sorted(kept, key=lambda entry: entry.sequence)
    counting = _counting(ledger, entries, lambda: ledger.entries(kind="record"))
    return [record for record in counting if escaped(key_of_trace(record.record.trace_id or ""), part=True) in wanted]


def record_entries(ledger: Ledger, trace_id: str) -> list[list[Entry]]:
    """Return the entries of every record on an interaction, each with its revisions, in the order of the first."""
    wanted = escaped(key_of_trace(trace_id), part=True)
    subjects = dict.fromkeys(subject for subject, _ in ledger.outlines(kind="record"))
    return [list(ledger.entries(kind="record", subject=one)) for one in subjects if one.split("/")[2] == wanted]


def _counting(
    ledger: Ledger, entries: Mapping[str | None, list[Entry]], outside: Callable[[], Iterable[Entry]]
) -> list[StoredRecord]:
    """Return the records that count among the entries of campaigns; ``outside`` reads those of the whole ledger."""
    rubrics = RubricShelf(ledger)
    records: list[StoredRecord] = []
    for name, members in entries.items():
        if name is None or all(entry.kind == "record" for entry in members):  # kept under a name that nobody opened
            records += _alone(ledger, members, name, rubrics)
        else:
            records += records_of(campaign_of(name, members, rubrics, outside), members)
    older = find_versions(ledger, [record.about for record in records if record.about.version is None])
    records = [replace(record, about=_named(record.about, older)) for record in records]
    return sorted(records, key=lambda record: record.entries[0].sequence)


def open_campaigns(ledger: Ledger) -> tuple[str, ...]:
    """Return the campaigns that are not closed: their evaluators rate blind, so that nothing may show a rating."""
    rubrics, entries = RubricShelf(ledger), _by_campaign(ledger)
    return tuple(
        name
        for name, members in entries.items()
        if name is not None
        and any(entry.kind == "campaign" for entry in members)
        and campaign_of(name, members, rubrics, lambda: chain(*entries.values())).closed is None
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


def outside_records(ledger: Ledger, name: str, entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the records that were made elsewhere of the interactions that these entries of a campaign are about.

    A ledger may hold many thousands of records, so only those are read.
    """
    claimed = {entry.subject.split("/")[2] for entry in entries if entry.kind in {"claim", "record"}}
    subjects = dict.fromkeys(subject for subject, _ in ledger.outlines(kind="record"))
    for subject in subjects:
        _, campaign, trace, *_ = subject.split("/")
        if campaign != name and trace in claimed:
            yield from ledger.entries(kind="record", subject=subject)


def outside_ratings(entries: Iterable[Entry]) -> dict[str, list[OutsideRating]]:
    """Return the ratings that evaluators made of each interaction, by the key of its trace id."""
    made: dict[str, list[OutsideRating]] = {}
    for entry in entries:
        kept = read_record_entry(entry) if entry.kind == "record" else None
        if kept is not None and kept.role == "evaluator":
            rating = OutsideRating(
                campaign=_campaign_of(entry),
                evaluator=kept.record.evaluator or "",
                interaction=kept.interaction,
                sequence=entry.sequence,
            )
            made.setdefault(key_of_trace(kept.record.trace_id or ""), []).append(rating)
    return made


def campaign_of(
    name: str, entries: Iterable[Entry], rubrics: "RubricShelf", outside: Callable[[], Iterable[Entry]]
) -> Campaign:
    """Return a campaign, replayed from its entries; ``outside`` reads the records of the whole ledger."""
    events = [read_event(entry) for entry in entries]
    plan = next((event.body for event in events if isinstance(event.body, CampaignPlan)), None)
    if plan is None:
        raise InputError(f"{name}: the entry that opened this campaign is missing")
    return replay(name, events, rubrics.find(plan.rubric), lambda: outside_ratings(outside()))


def records_of(
    campaign: Campaign, entries: Iterable[Entry], trace_ids: Iterable[str] | None = None, *, part: slice = WHOLE
) -> Iterator[StoredRecord]:
    """Yield the records of a campaign that count, or those of some items, or a part of that list."""
    by_sequence = {entry.sequence: entry for entry in entries}
    for role, rated in list(campaign.rated(trace_ids))[part]:
        revisions = tuple(by_sequence[revision.sequence] for revision in rated.revisions)
        yield StoredRecord(
            record=rated.record,
            decision=decide(rated.record.scores, campaign.loaded),
            campaign=campaign.name,
            role=role,
            revision=len(revisions) - 1,
            entries=revisions,
            rubric=campaign.loaded,
            about=campaign.items[key_of_trace(rated.record.trace_id or "")].wanted,
            rating=campaign.rating_of(rated, role),
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


# a record outside of campaigns: its trace, its evaluator, their role and the version that it is about
_Alone = tuple[str, str, Role, str | None]


def _alone(ledger: Ledger, entries: list[Entry], name: str | None, rubrics: RubricShelf) -> Iterator[StoredRecord]:
    """Yield the records outside of campaigns; of two first ones on a version, made at once, the first counts.

    Records of older versions count as they did then: two names that are one person's today may have one each.
    """
    read = [(entry, read_record_entry(entry)) for entry in entries]
    found = find_versions(ledger, [_about(entry, kept) for entry, kept in read if kept.interaction is None])
    grouped: dict[_Alone, list[tuple[Entry, RecordEntry]]] = {}
    of_person: dict[_Alone, _Alone] = {}
    for entry, kept in read:
        trace, evaluator = key_of_trace(kept.record.trace_id or ""), kept.record.evaluator or ""
        version = _version_meant(_about(entry, kept), found)
        key = trace, plain_key(evaluator), kept.role, version
        first = of_person.setdefault((trace, person_key(evaluator), kept.role, version), key)
        if key not in grouped and kept.reason is not None:  # revised under another writing of the name
            key = first
        members = grouped.setdefault(key, [])
        if not members or kept.reason is not None:
            members.append((entry, kept))
    made: dict[tuple[str, str | None], list[tuple[str, int]]] = {}  # who rated a version, and from which entry on
    for (trace, person, _, version), members in grouped.items():
        made.setdefault((trace, version), []).append((person, members[0][0].sequence))
    for (trace, person, role, version), members in grouped.items():
        _, last = members[-1]
        loaded = rubrics.find(last.rubric)
        record = record_of(last.record, loaded.rubric)
        seen = [sequence for other, sequence in made[trace, version] if other != person]
        yield StoredRecord(
            record=record,
            decision=decide(record.scores, loaded),
            campaign=name,
            role=role,
            revision=len(members) - 1,
            entries=tuple(entry for entry, _ in members),
            rubric=loaded,
            about=replace(_about(*members[0]), version=version),
            rating=_rating(members, loaded.rubric, seen=min(seen, default=None) if role == "evaluator" else None),
        )


def _rating(members: list[tuple[Entry, RecordEntry]], rubric: ScorecardRubric, *, seen: int | None) -> Rating:
    """Return the levels of a record; those of revisions are late from the entry on that showed another's rating."""
    levels = [(entry.sequence, record_of(kept.record, rubric).scores) for entry, kept in members]
    blind = [scores for place, (sequence, scores) in enumerate(levels) if not place or seen is None or sequence < seen]
    late = tuple(scores for _, scores in levels[len(blind) :])
    return Rating(evaluator=members[-1][1].record.evaluator or "", scores=blind[-1], late=late)


def _about(entry: Entry, kept: RecordEntry) -> Wanted:
    """Return which version a record outside of campaigns is about: where it does not say, the latest at that time."""
    return Wanted(trace_id=kept.record.trace_id or "", version=kept.interaction, before=entry.sequence)


def _version_meant(about: Wanted, found: Mapping[Wanted, FoundVersion]) -> str | None:
    return about.version or (found[about].meant.version if about in found else None)


def _named(about: Wanted, found: Mapping[Wanted, FoundVersion]) -> Wanted:
    """Return the same version with its hash, where the ledger has it."""
    return about if about.version is not None else replace(about, version=_version_meant(about, found))


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
