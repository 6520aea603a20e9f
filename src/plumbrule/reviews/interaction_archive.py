"""Interactions in the ledger: response and trace, with pre-score and traits; every version of one is kept.

A version is known by the hash of what the assistant gave: its response, its trace and the passages. The same content
is one version, however often it is kept. Whoever looks for an interaction says which version is meant: the latest one
(``find_interaction``), or the one that a campaign drew or a record is about (``find_versions``).
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.hashing import sha256_of
from plumbrule.interactions.contract_findings import Finding, finding
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, PassagesFrom, interaction_from
from plumbrule.interactions.weeks import week_at
from plumbrule.ledger import Draft, Entry, Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.prescores.kept_prescore import KeptPrescore
from plumbrule.prescores.prescorer import Prescore
from plumbrule.reviews.review_entries import read_entry
from plumbrule.rubrics import (
    Loaded,
    ScorecardRubric,
    load_compliance,
    load_refusals,
    load_scorecard,
    load_verdict,
)
from plumbrule.rubrics.review_rules import TraitRule
from plumbrule.samples.sample_model import Passage
from plumbrule.text.text_view import TextView
from plumbrule.text.values import lookup_keys, match_value
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal_words import RefusalWording

_KIND = "interaction"
_WRITTEN_AT_ONCE = 500
_OF_A_VERSION = ("response", "trace", "passages")  # what the assistant gave; the rest was worked out of it
_OF_PRESCORE = ("scores", "dimensions", "support", "rubrics")  # the rest is kept beside it


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionEntry:
    """An interaction as the ledger keeps it; ``response`` and ``trace`` are the assistant's own JSON."""

    trace_id: str
    response: Mapping[str, Any]
    trace: Mapping[str, Any] | None
    passages: tuple[Passage, ...]
    passages_from: PassagesFrom
    unresolved: tuple[str, ...]
    findings: tuple[Finding, ...]
    prescore: KeptPrescore | None
    traits: tuple[str, ...]  # what was known of it before anybody reviewed it
    week: str | None  # the ISO week of its timestamp
    where: str

    def rebuild(self, contract: Contract | None = None) -> Interaction:
        """Return the interaction with its passages and findings as they were when it was kept."""
        contract = contract or contract_of(load_compliance(), load_refusals())
        read = interaction_from({"response": self.response, "trace": self.trace}, contract)
        return replace(
            read,
            sample=replace(read.sample, contexts=self.passages or read.sample.contexts),
            passages=self.passages,
            passages_from=self.passages_from,
            unresolved=self.unresolved,
            findings=self.findings,
            where=self.where,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The keys by which interactions are counted, which are read for every one of them."""

    trace_id: str
    week: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInteraction:
    """An interaction in the ledger; the whole of it is read when it is asked for."""

    trace_id: str
    week: str | None  # the ISO week of its timestamp
    entry: Entry

    @property
    def version(self) -> str:
        """The hash by which this version is known."""
        return _version_of(self.entry.value)

    @property
    def kept(self) -> InteractionEntry:
        """The interaction as it was kept."""
        return read_entry(InteractionEntry, self.entry)

    @property
    def prescore(self) -> KeptPrescore | None:
        """The proposals, with the evidence for them."""
        return self.kept.prescore

    def rebuild(self, contract: Contract | None = None) -> Interaction:
        """Return the interaction with its passages and findings as they were when it was kept."""
        return self.kept.rebuild(contract)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which version of an interaction is meant: the one with this hash, as it was kept last before an entry.

    Without a hash, which older ledgers do not have, it is the version that was the latest before that entry.
    """

    trace_id: str
    version: str | None
    before: int  # the sequence of the entry


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundVersion:
    """The version of an interaction that is meant, and the latest one."""

    meant: StoredInteraction
    latest: StoredInteraction

    @property
    def newer(self) -> str | None:
        """The hash of the latest version, where it is another one."""
        if self.latest.entry.sequence == self.meant.entry.sequence:
            return None
        latest = self.latest.version
        return None if latest == self.meant.version else latest


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How many interactions were kept, and which differ from what was there."""

    new: int
    unchanged: int
    findings: tuple[Finding, ...]  # one for each that is another version of what was there already


def name_of(interaction: Interaction) -> str:
    """Return what an interaction is known by: its trace id, else its own id."""
    return interaction.sample.trace_id or interaction.sample.id


def hash_of(interaction: Interaction) -> str:
    """Return the hash by which this version of an interaction is known."""
    return _version_of(_given_parts(interaction))


def content_hash(interaction: Interaction) -> str:
    """Return the hash of the question and what was said to it, which is the same under another trace id."""
    sample = interaction.sample
    refusal = None if sample.refusal is None else sample.refusal.reason
    return sha256_of([" ".join((text or "").split()) for text in (sample.question, sample.answer, refusal)])


def is_refusal(interaction: Interaction) -> bool:
    """Tell whether the assistant refused: it declared so, or its words refuse all and nothing is answered beside them.

    A declared refusal beside an answer that cites sources is an answer. Words alone refuse only where no status says
    otherwise, the answer cites nothing, no clause of it answers, and it has no number or date that the question does
    not have.
    """
    sample = interaction.sample
    answer = TextView(sample.answer or "")
    worded = _refusal_wording().find(sample.question, answer)
    if sample.refused:
        return bool(worded and worded.clauses) or not (answer.text.strip() and sample.citations)
    if worded is None or worded.answers_beside:
        return False
    logged = None if interaction.trace is None else interaction.trace.grounding.status
    if any((status or "").upper() in _answered_statuses() for status in (sample.grounding_status, logged)):
        return False
    return not sample.citations and not _has_new_values(answer, TextView(sample.question))


def _has_new_values(answer: TextView, question: TextView) -> bool:
    """Tell whether an answer has a number or a date that the question does not have."""
    for value in answer.values:
        others = question.values_under(lookup_keys(value))
        if not any(match_value(value, answer.text, other, question.text) for other in others):
            return True
    return False


@functools.cache
def _answered_statuses() -> frozenset[str]:
    statuses = load_compliance().rubric.statuses
    return frozenset({statuses.full.upper(), statuses.partial.upper()})


@functools.cache
def _refusal_wording() -> RefusalWording:
    return lexicon_of(load_verdict().rubric).refusal


def subject_of(trace_id: str) -> str:
    """Return the subject of an interaction's entries; a UUID is the same however it is written."""
    return f"interactions/{escaped(key_of_trace(trace_id), part=True)}"


def keep_interactions(
    ledger: Ledger,
    interactions: Iterable[Interaction],
    prescores: Iterable[Prescore | None] | None = None,
    *,
    author: str,
    at: datetime,
    rubric: Loaded[ScorecardRubric] | None = None,
) -> Kept:
    """Keep interactions, each with its pre-score where there is one; what is there already is not stored twice.

    Another content under a trace id that is there already is a new version, and the latest one; the others stay.
    """
    rules = (rubric or load_scorecard()).rubric
    listed = list(interactions)
    proposed = [None] * len(listed) if prescores is None else list(prescores)
    bodies = [
        (subject_of(name_of(interaction)), _body(interaction, prescore, rules))
        for interaction, prescore in zip(listed, proposed, strict=True)
    ]
    entries = ledger.last_entries(_KIND, [subject for subject, _ in bodies])
    standing = {subject: entry.value for subject, entry in entries.items()}
    drafts: list[Draft] = []
    changed: list[Finding] = []
    for subject, body in bodies:
        before = standing.get(subject)
        if before is not None:
            if _content(before) == _content(body):
                continue
            if _version_of(before) != _version_of(body):
                standing_in = f"entry {entries[subject].sequence}" if subject in entries else before["where"]
                changed.append(finding("trace_id_twice", body["where"], _another_version(standing_in)))
        standing[subject] = body
        drafts.append(Draft(kind=_KIND, subject=subject, body=body, author=author, at=at))
    for start in range(0, len(drafts), _WRITTEN_AT_ONCE):
        ledger.append_many(drafts[start : start + _WRITTEN_AT_ONCE])
    return Kept(new=len(drafts), unchanged=len(bodies) - len(drafts), findings=tuple(changed))


def _another_version(place: str) -> str:
    return (
        f"{place} holds another version under this trace id; this one is the latest, and campaigns "
        "that drew the other keep it"
    )


def find_interaction(ledger: Ledger, trace_id: str) -> StoredInteraction | None:
    """Return the latest version of the interaction with this trace id."""
    entry = ledger.last_entries(_KIND, [subject_of(trace_id)]).get(subject_of(trace_id))
    return None if entry is None else read_interaction(entry)


def find_version(ledger: Ledger, wanted: Wanted) -> FoundVersion | None:
    """Return the version of an interaction that is meant; None where the ledger does not have it."""
    return find_versions(ledger, [wanted]).get(wanted)


def find_versions(ledger: Ledger, wanted: Iterable[Wanted]) -> dict[Wanted, FoundVersion]:
    """Return the versions that are meant, as far as the ledger has them."""
    listed = list(wanted)
    latest = ledger.last_entries(_KIND, [subject_of(one.trace_id) for one in listed])
    found: dict[Wanted, FoundVersion] = {}
    for one in listed:
        last = latest.get(subject_of(one.trace_id))
        meant = None if last is None else _meant(ledger, one, last)
        if last is not None and meant is not None:
            found[one] = FoundVersion(meant=read_interaction(meant), latest=read_interaction(last))
    return found


def find_superseded(ledger: Ledger, wanted: Iterable[Wanted]) -> set[Wanted]:
    """Return those of which the ledger has a newer version than the one that is meant."""
    listed = list(wanted)
    latest = ledger.last_entries(_KIND, [subject_of(one.trace_id) for one in listed])
    superseded: set[Wanted] = set()
    for one in listed:
        last = latest.get(subject_of(one.trace_id))
        meant = None if last is None else _meant(ledger, one, last)
        if last is None or meant is None or meant is last:
            continue
        if _version_of(meant.value) != _version_of(last.value):
            superseded.add(one)
    return superseded


def versions_of(ledger: Ledger, trace_id: str) -> list[StoredInteraction]:
    """Return every version of an interaction, the latest last, each as it was last kept."""
    by_hash: dict[str, StoredInteraction] = {}
    for stored in map(read_interaction, ledger.entries(kind=_KIND, subject=subject_of(trace_id))):
        by_hash.pop(stored.version, None)
        by_hash[stored.version] = stored
    return list(by_hash.values())


def stored_interactions(ledger: Ledger) -> Iterator[StoredInteraction]:
    """Yield the latest version of every interaction, one at a time: a ledger may hold more than fits in memory."""
    return map(read_interaction, ledger.standing(_KIND))


def read_interaction(entry: Entry) -> StoredInteraction:
    """Return an entry of kind interaction."""
    head = read_entry(_Head, entry)
    return StoredInteraction(trace_id=head.trace_id, week=head.week, entry=entry)


def _meant(ledger: Ledger, wanted: Wanted, last: Entry) -> Entry | None:
    """Return the entry of the version that is meant; ``last`` is the last entry of the interaction, mostly that one."""
    if last.sequence < wanted.before and wanted.version in (None, _version_of(last.value)):
        return last
    entries = list(ledger.entries(kind=_KIND, subject=last.subject))
    fitting = [entry for entry in entries if wanted.version in (None, _version_of(entry.value))]
    before = [entry for entry in fitting if entry.sequence < wanted.before]
    if before:
        return before[-1]
    return fitting[0] if fitting else None


def _given_parts(interaction: Interaction) -> dict[str, Any]:
    given = interaction.given
    if given is None:
        raise InputError(f"interaction '{name_of(interaction)[:60]}' was not read from a response: it cannot be kept")
    return {
        "response": dict(given.response),
        "trace": None if given.trace is None else dict(given.trace),
        "passages": to_json(interaction.passages),
    }


def _version_of(body: Mapping[str, Any]) -> str:
    return sha256_of({part: body.get(part) for part in _OF_A_VERSION})


def _body(interaction: Interaction, prescore: Prescore | None, rules: ScorecardRubric) -> dict[str, Any]:
    """Return what is kept of an interaction; it reads back as an ``InteractionEntry``."""
    proposed = None if prescore is None else prescore.to_dict()
    return {
        "trace_id": name_of(interaction),
        **_given_parts(interaction),
        "passages_from": interaction.passages_from,
        "unresolved": list(interaction.unresolved),
        "findings": to_json(interaction.findings),
        "prescore": None if proposed is None else {name: proposed[name] for name in _OF_PRESCORE},
        "traits": list(traits_of(interaction, rules)),
        "week": week_at(interaction.sample.timestamp),
        "where": interaction.where,
    }


def _content(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body without the files and lines that it was read from, which may change."""
    findings = [{**finding, "where": ""} for finding in body["findings"]]
    return {**body, "findings": findings, "where": ""}


def traits_of(interaction: Interaction, rubric: ScorecardRubric) -> tuple[str, ...]:
    """Return the traits of an interaction, in the rubric's order."""
    return tuple(rule.key for rule in rubric.traits if _has(interaction, rule))


def _has(interaction: Interaction, rule: TraitRule) -> bool:
    sample, trace = interaction.sample, interaction.trace
    logged = () if trace is None else (trace.grounding.status,)
    decided = () if trace is None else (trace.decision.outcome,)
    return (
        (rule.refusal and sample.refusal is not None)
        or (rule.conflict and trace is not None and trace.grounding.conflict_detected is True)
        or (rule.escalation and trace is not None and trace.decision.escalation_triggered is True)
        or _meet(rule.statuses, (sample.grounding_status, *logged))
        or _meet(rule.outcomes, decided)
        or _meet(rule.findings, tuple(finding.code for finding in interaction.findings))
        or _meet(rule.tags, sample.tags)
        or _meet(rule.categories, (sample.category,))
        or any(re.search(rf"\b{re.escape(word)}\b", sample.question, re.IGNORECASE) for word in rule.question_words)
    )


def _meet(named: tuple[str, ...], values: tuple[str | None, ...]) -> bool:
    known = {name.casefold() for name in named}
    return any(value is not None and value.casefold() in known for value in values)
