"""The sheet that an evaluator works from: the interaction, the proposals, the questions, and the ratings they may see.

Everything that shows a rating asks ``Campaign.visible`` whether this person may see it yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from plumbrule.errors import InputError
from plumbrule.interactions.contract_findings import Finding
from plumbrule.interactions.interaction import PassagesFrom
from plumbrule.ledger import Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.prescores.kept_prescore import KeptPrescore, Proposal, proposed_level
from plumbrule.reviews.adjudication import Reason
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_store import kept_decision
from plumbrule.reviews.evaluation_record import DecidedRecord, EvaluationRecord, asking_for_a_note
from plumbrule.reviews.interaction_archive import FoundVersion, find_versions, is_refusal
from plumbrule.reviews.items import Claim, Item, LevelChange, Rated
from plumbrule.reviews.levels import Scores, level_name, named_scores
from plumbrule.reviews.model_change import PairLine
from plumbrule.reviews.record_decision import DecisionSoFar, decide, decide_so_far
from plumbrule.reviews.review_entries import PairedBy, Role
from plumbrule.rubrics import ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import Guideline
from plumbrule.samples.sample_model import Citation, Passage, Refusal


class _Proposals:
    """Finds the proposal for a dimension."""

    __slots__ = ()

    prescore: KeptPrescore | None

    def proposal(self, key: str) -> Proposal | None:
        """Return what the rules propose for a dimension, if they know it."""
        return None if self.prescore is None else self.prescore.dimensions.get(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAnswer(_Proposals):
    """The earlier model's answer to the same question."""

    trace_id: str
    interaction: str  # the hash of the version that is shown
    newer_version: str | None  # the hash of the latest version, where it is another one
    query: str
    answer: str | None
    refusal: Refusal | None
    grounding_status: str | None
    citations: tuple[Citation, ...]
    passages: tuple[Passage, ...]
    passages_from: PassagesFrom
    findings: tuple[Finding, ...]
    timestamp: str | None
    trace: Mapping[str, Any] | None
    prescore: KeptPrescore | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetRating:
    """A rating that the viewer may see."""

    evaluator: str | None
    revision: int
    scores: Mapping[str, str]
    notes: str
    late: bool  # it was revised after others' ratings became visible to its evaluator
    changes: tuple[LevelChange, ...]  # what such a revision changed; the blind levels decide
    reasons: tuple[str, ...] = ()  # that were given for the revisions, the first first


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetLevel:
    """A level of a dimension, with its descriptor."""

    score: int
    name: str
    descriptor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetDimension:
    """A dimension to rate."""

    key: str
    title: str
    asks: str
    in_view: bool
    may_be_not_applicable: bool
    key_questions: tuple[str, ...]
    artifacts: tuple[str, ...]  # what to look at: the primary validation source
    levels: tuple[SheetLevel, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet(_Proposals):
    """All that an evaluator needs to rate one item."""

    campaign: str
    trigger: str
    depth: str
    item: int
    items: int
    claimed_until: str | None
    stratum: str | None
    why: tuple[str, ...]
    trace_id: str
    interaction: str  # the hash of the version that the campaign drew, which is shown
    newer_version: str | None  # the hash of the latest version, where it is another one
    answered: bool  # by the assistant, which did not refuse: then every dimension applies
    query: str
    answer: str | None
    refusal: Refusal | None
    grounding_status: str | None
    citations: tuple[Citation, ...]
    passages: tuple[Passage, ...]
    passages_from: PassagesFrom
    findings: tuple[Finding, ...]
    timestamp: str | None
    trace: Mapping[str, Any] | None
    earlier: EarlierAnswer | None
    paired_by: PairedBy | None
    pair: PairLine | None
    prescore: KeptPrescore | None
    ratings: tuple[SheetRating, ...]
    guidelines: tuple[Guideline, ...]
    dimensions: tuple[SheetDimension, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lacking:
    """What a record that is being filled in still needs."""

    levels: tuple[str, ...]  # the titles of the dimensions without a level
    note: tuple[str, ...]  # why a note is needed, where there is none
    reason: bool  # whoever decides on others' ratings says why

    def __bool__(self) -> bool:
        return bool(self.levels or self.note or self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingForm:
    """A sheet to be filled in now: the dimensions to ask for, and the levels that are settled already."""

    sheet: Sheet
    dimensions: tuple[SheetDimension, ...]
    settled: Scores
    not_applicable: str
    role: Role
    own: SheetRating | None  # what the viewer submitted in this role
    objection: str | None  # why the viewer cannot take the item now
    objection_to_revision: str | None  # why they cannot revise what they submitted
    closed: bool
    proposals_shown: bool  # what the rules propose may be shown to the viewer
    disputed: Mapping[str, tuple[Reason, ...]]  # why these dimensions need an adjudicator, or needed one
    _campaign: Campaign = field(repr=False)
    _viewer: str = field(repr=False)

    @property
    def held(self) -> bool:
        """Whether the viewer holds the item, and may submit a record of it."""
        return self.sheet.claimed_until is not None

    @property
    def raters(self) -> int:
        """How many of the sheet's ratings are evaluators'; the adjudicator's follows them."""
        return self._campaign.evaluators

    def level_that_counts(self, key: str) -> str:
        """Return the name of the level that counts for a dimension which is not open."""
        return level_name(self.settled[key], self._campaign.loaded.rubric)

    @property
    def note_required_at(self) -> tuple[str, ...]:
        """The levels that need a note."""
        return tuple(self._campaign.loaded.rubric.note_required_at)

    @property
    def standing(self) -> Scores:
        """The levels that the record has before anything is rated: in an adjudication those that are not open."""
        asked = {dimension.key for dimension in self.dimensions}
        return {key: score for key, score in self.settled.items() if key not in asked}

    def so_far(self, scores: Scores) -> DecisionSoFar:
        """Return the result of a record with these levels, while some may be missing."""
        return decide_so_far({**self.standing, **scores}, self._campaign.loaded)

    def proposed(self, dimension: SheetDimension) -> str | None:
        """Return the name of the proposed level; not applicable, where the dimension may be, for a refusal."""
        proposal = self.sheet.proposal(dimension.key)
        level = None if proposal is None else proposed_level(proposal, self.not_applicable)
        if level == self.not_applicable:
            return level if dimension.may_be_not_applicable else None
        return level if any(known.name == level for known in dimension.levels) else None

    def notes_needed(self, scores: Scores) -> dict[str, str]:
        """Return the dimensions that need a note, with their levels."""
        rubric = self._campaign.loaded.rubric
        return {key: level_name(scores[key], rubric) for key in asking_for_a_note(self._record(scores, ""), rubric)}

    def lacking(self, scores: Scores, notes: str) -> "Lacking":
        """Return what a record with these levels still needs before it can be submitted."""
        titles = {dimension.key: dimension.title for dimension in self.sheet.dimensions}
        needing = {} if notes.strip() else self.notes_needed({**self.standing, **scores})
        return Lacking(
            levels=tuple(dimension.title for dimension in self.dimensions if dimension.key not in scores),
            note=tuple(f"{titles[key]} is at {level}" for key, level in needing.items()),
            reason=self.role == "adjudicator" and not notes.strip(),
        )

    def preview(self, scores: Scores, notes: str) -> DecidedRecord:
        """Return the decision on a record with these levels, before it is kept."""
        record = self._record(scores, notes)
        return record.decided(decide(record.scores, self._campaign.loaded))

    def _record(self, scores: Scores, notes: str) -> EvaluationRecord:
        return EvaluationRecord(
            scores=scores,
            evaluator=self._viewer,
            trace_id=self.sheet.trace_id,
            query=self.sheet.query,
            notes=notes,
        )


def sheet_of(
    ledger: Ledger, campaign: Campaign, item: Item, viewer: str, *, at: datetime, adjudicates: bool = False
) -> Sheet:
    """Return all that an evaluator needs to rate one item, and the ratings that they may see.

    Who ``adjudicates`` sees the ratings of an item that waits for an adjudicator, whether they took it or not.
    """
    rubric = campaign.loaded.rubric
    found = find_versions(ledger, filter(None, (item.wanted, item.wanted_earlier)))
    if item.wanted not in found:
        raise InputError(f"{ledger.name}: does not hold the interaction '{item.trace_id[:60]}' that was drawn")
    earlier = found.get(item.wanted_earlier) if item.wanted_earlier is not None else None
    claim = _own_claim(item, campaign.key_of(viewer))
    answered = item.answered
    if answered is None:  # an older plan does not say it
        answered = not is_refusal(found[item.wanted].meant.rebuild())
    visible = campaign.visible(item, viewer, at, adjudicates=adjudicates)
    return Sheet(
        campaign=campaign.name,
        trigger=campaign.plan.trigger,
        depth=campaign.plan.depth,
        item=list(campaign.items.values()).index(item) + 1,
        items=len(campaign.items),
        claimed_until=None if claim is None or claim.until <= at else utc_text(claim.until),
        stratum=item.stratum,
        why=item.why,
        **_answer(found[item.wanted]),
        answered=answered,
        earlier=None if earlier is None else EarlierAnswer(**_answer(earlier)),
        paired_by=item.paired_by,
        pair=_pair(ledger, campaign, item),
        ratings=tuple(_rating(rated, rubric) for rated in visible),
        guidelines=tuple(rubric.guidelines),
        dimensions=_dimensions(rubric, campaign.plan.in_view, answered=answered),
    )


def rating_form(
    ledger: Ledger, campaign: Campaign, item: Item, viewer: str, *, at: datetime, adjudicate: bool = False
) -> RatingForm:
    """Return the form for a rating of one item, or for its adjudication, which asks for the open dimensions only."""
    role: Role = "adjudicator" if adjudicate else "evaluator"
    sheet = sheet_of(ledger, campaign, item, viewer, at=at, adjudicates=adjudicate)
    settled = campaign.settlement(item) if adjudicate else None
    rated = item.adjudication if adjudicate else item.ratings.get(campaign.key_of(viewer))
    own = rated if rated is not None and rated.person == campaign.key_of(viewer) else None
    disputed = {each.dimension: each.reasons for each in settled.dimensions if each.reasons} if settled else {}
    return RatingForm(
        sheet=sheet,
        dimensions=tuple(each for each in sheet.dimensions if not adjudicate or each.key in disputed),
        settled={} if settled is None else settled.scores,
        not_applicable=campaign.loaded.rubric.not_applicable.name,
        role=role,
        own=None if own is None else _rating(own, campaign.loaded.rubric),
        objection=campaign.objection_to_claim(item, viewer, at, role),
        objection_to_revision=campaign.objection_to_record(item, viewer, at, role=role, revises=True),
        closed=campaign.closed is not None,
        proposals_shown=own is not None or campaign.closed is not None or campaign.plan.proposals == "shown",
        disputed=disputed,
        _campaign=campaign,
        _viewer=viewer,
    )


def _answer(found: FoundVersion) -> dict[str, Any]:
    """Return the fields that a sheet and the earlier answer on it share."""
    kept = found.meant.kept
    interaction = kept.rebuild()
    sample = interaction.sample
    return {
        "trace_id": kept.trace_id,
        "interaction": found.meant.version,
        "newer_version": found.newer,
        "query": sample.question,
        "answer": sample.answer,
        "refusal": sample.refusal,
        "grounding_status": sample.grounding_status,
        "citations": sample.citations,
        "passages": interaction.passages,
        "passages_from": interaction.passages_from,
        "findings": interaction.findings,
        "timestamp": sample.timestamp,
        "trace": kept.trace,
        "prescore": kept.prescore,
    }


def _pair(ledger: Ledger, campaign: Campaign, item: Item) -> PairLine | None:
    """Return the comparison of an item with the earlier answer, from the decision of a campaign that is closed."""
    decision = kept_decision(ledger, campaign.name) if campaign.closed is not None and item.earlier else None
    paired = None if decision is None else decision.paired
    return None if paired is None else next((pair for pair in paired.pairs if pair.trace_id == item.trace_id), None)


def _dimensions(rubric: ScorecardRubric, in_view: tuple[str, ...], *, answered: bool) -> tuple[SheetDimension, ...]:
    excusable = not answered or rubric.not_applicable.allowed_on == "any"
    return tuple(
        SheetDimension(
            key=dimension.key,
            title=dimension.title,
            asks=dimension.asks,
            in_view=dimension.key in in_view,
            may_be_not_applicable=excusable and dimension.may_be_not_applicable,
            key_questions=tuple(dimension.key_questions),
            artifacts=tuple(dimension.artifacts),
            levels=tuple(
                SheetLevel(score=level.score, name=level.name, descriptor=dimension.descriptors[level.name])
                for level in rubric.levels
            ),
        )
        for dimension in rubric.dimensions
    )


def _rating(rated: Rated, rubric: ScorecardRubric) -> SheetRating:
    record = rated.record
    return SheetRating(
        evaluator=record.evaluator,
        revision=len(rated.revisions) - 1,
        scores=named_scores(record.scores, rubric),
        notes=record.notes,
        late=bool(rated.late),
        changes=rated.changes(rubric),
        reasons=tuple(revision.reason for revision in rated.revisions if revision.reason is not None),
    )


def _own_claim(item: Item, person: str) -> Claim | None:
    adjudicates = item.adjudicating is not None and item.adjudicating.person == person
    return item.adjudicating if adjudicates else item.claims.get(person)
