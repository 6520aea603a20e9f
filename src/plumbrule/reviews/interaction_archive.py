"""Interactions in the ledger: response and trace, with pre-score and traits; the last entry counts."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.interactions.contract_findings import Finding, finding
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, PassagesFrom, interaction_from
from plumbrule.ledger import Draft, Entry, Ledger, escaped
from plumbrule.names import key_of_trace
from plumbrule.prescores.kept_prescore import KeptPrescore
from plumbrule.prescores.prescorer import Prescore
from plumbrule.reviews.review_entries import read_entry
from plumbrule.reviews.weeks import week_at
from plumbrule.rubrics import Loaded, ScorecardRubric, load_compliance, load_refusals, load_scorecard
from plumbrule.rubrics.review_rules import TraitRule
from plumbrule.samples.sample_model import Passage

_KIND = "interaction"
_WRITTEN_AT_ONCE = 500
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
class Kept:
    """How many interactions were kept, and which differ from what was there."""

    new: int
    unchanged: int
    findings: tuple[Finding, ...]  # one for each that was there already with another content


def name_of(interaction: Interaction) -> str:
    """Return what an interaction is known by: its trace id, else its own id."""
    return interaction.sample.trace_id or interaction.sample.id


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
    """Keep interactions, each with its pre-score where there is one; what is there already is not stored twice."""
    rules = (rubric or load_scorecard()).rubric
    listed = list(interactions)
    proposed = [None] * len(listed) if prescores is None else list(prescores)
    bodies = {
        subject_of(name_of(interaction)): _body(interaction, prescore, rules)
        for interaction, prescore in zip(listed, proposed, strict=True)
    }
    standing = ledger.last_entries(_KIND, bodies)
    drafts: list[Draft] = []
    changed: list[Finding] = []
    for subject, body in bodies.items():
        before = standing.get(subject)
        if before is not None:
            old = before.value
            if _content(old) == _content(body):
                continue
            if any(old[part] != body[part] for part in ("response", "trace", "passages")):
                message = f"entry {before.sequence} holds another interaction under this trace id; the new one counts"
                changed.append(finding("trace_id_twice", body["where"], message))
        drafts.append(Draft(kind=_KIND, subject=subject, body=body, author=author, at=at))
    for start in range(0, len(drafts), _WRITTEN_AT_ONCE):
        ledger.append_many(drafts[start : start + _WRITTEN_AT_ONCE])
    return Kept(new=len(drafts), unchanged=len(bodies) - len(drafts), findings=tuple(changed))


def find_interaction(ledger: Ledger, trace_id: str) -> StoredInteraction | None:
    """Return the interaction with this trace id, as it was last kept."""
    return find_interactions(ledger, [trace_id]).get(trace_id)


def find_interactions(ledger: Ledger, trace_ids: Sequence[str]) -> dict[str, StoredInteraction]:
    """Return those of the interactions with these trace ids that the ledger has."""
    entries = ledger.last_entries(_KIND, map(subject_of, trace_ids))
    return {
        trace_id: read_interaction(entries[subject])
        for trace_id in trace_ids
        if (subject := subject_of(trace_id)) in entries
    }


def stored_interactions(ledger: Ledger) -> Iterator[StoredInteraction]:
    """Yield every interaction as it was last kept, one at a time: a ledger may hold more than fits in memory."""
    return map(read_interaction, ledger.standing(_KIND))


def read_interaction(entry: Entry) -> StoredInteraction:
    """Return an entry of kind interaction."""
    head = read_entry(_Head, entry)
    return StoredInteraction(trace_id=head.trace_id, week=head.week, entry=entry)


def _body(interaction: Interaction, prescore: Prescore | None, rules: ScorecardRubric) -> dict[str, Any]:
    """Return what is kept of an interaction; it reads back as an ``InteractionEntry``."""
    given = interaction.given
    if given is None:
        raise InputError(f"interaction '{name_of(interaction)[:60]}' was not read from a response: it cannot be kept")
    proposed = None if prescore is None else prescore.to_dict()
    return {
        "trace_id": name_of(interaction),
        "response": dict(given.response),
        "trace": None if given.trace is None else dict(given.trace),
        "passages": to_json(interaction.passages),
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
