"""The decision on a deployment: everything that turns the records of a campaign into a release, or into none.

``decide`` is the whole policy of closing a campaign. It is pure: what it says follows from the campaign alone.

1. ``decide_release`` decides over the records: blockers, the average overall score, the recommendation.
2. An item without a rating is a Fail: what nobody looked at cannot pass.
3. An item that lacks a rating or an adjudicator makes a Pass a Pass with notes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import get_args

from plumbrule.errors import UsageError
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.items import Item, LevelChange
from plumbrule.reviews.levels import level_name, named_scores, objection_to_levels
from plumbrule.reviews.model_change import ModelChange
from plumbrule.reviews.record_decision import NOTED, Decision, band_of, dimensions_at, recommend, shown, too_low
from plumbrule.reviews.record_decision import decide as decide_record
from plumbrule.reviews.review_entries import ReleaseMode
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import BlockerRule, Recommendation
from plumbrule.stats.spread import mean_of

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseBlocker:
    """A rule that blocks, the dimensions that set it off, and in which records; none where the means did."""

    rule: str
    dimensions: tuple[str, ...]
    records: tuple[int, ...]  # their numbers, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemDecision:
    """The decision on one item, by the levels that its evaluators and its adjudicator settled on."""

    record: int  # its number, from 1
    trace_id: str
    scores: Mapping[str, str]
    overall: float
    recommendation: Recommendation
    blockers: tuple[str, ...]
    low: tuple[str, ...]  # the dimensions at a level that needs a note
    evaluators: tuple[str | None, ...]
    adjudicator: str | None
    interaction: str | None = None  # the hash of the version that was rated; not there in older versions


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisedRecord:
    """A record that was revised after others' ratings of the item became visible to its evaluator."""

    trace_id: str
    evaluator: str
    revision: int
    changes: tuple[LevelChange, ...]  # from the blind rating to the last revision
    reasons: tuple[str, ...]  # that were given for the revisions

    def text(self) -> str:
        """Return who changed what."""
        changed = ", ".join(f"{change.dimension} {change.blind} to {change.revised}" for change in self.changes)
        return f"{self.evaluator} on {self.trace_id}" + (f" ({changed})" if changed else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDecision:
    """The decision of a closed campaign, as the ledger keeps it."""

    campaign: str
    trigger: str
    release: bool
    mode: ReleaseMode
    records: int
    overall: float | None
    band: str | None
    action: str | None
    dimension_means: Mapping[str, float | None]
    blockers: tuple[ReleaseBlocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]
    as_is: bool
    items: int
    unrated: tuple[str, ...]
    unfinished: tuple[str, ...]
    remarks: tuple[str, ...]
    cards: tuple[ItemDecision, ...]
    rubric: Mapping[str, str]
    paired: ModelChange | None = None  # not there in older versions
    newer_versions: tuple[str, ...] = ()  # items with a newer version, which nobody rated here; the same
    revised: tuple[RevisedRecord, ...] = ()  # after others' ratings became visible; the same


def decide(
    campaign: Campaign, *, paired: ModelChange | None = None, newer_versions: tuple[str, ...] = ()
) -> CampaignDecision:
    """Return the decision of a campaign from its records.

    ``paired`` is the comparison of a model change; ``newer_versions`` are the items that were kept again with another
    content after they were drawn.
    """
    decisions = [
        (item, decide_record(settled.scores, campaign.loaded))
        for item in campaign.items.values()
        if (settled := campaign.settlement(item)) is not None
    ]
    closure = campaign.closure
    mode: ReleaseMode = "any_record" if closure is None else closure.mode
    release = decide_release([decision for _, decision in decisions], campaign.loaded, mode)
    left = campaign.unfinished()
    unrated = [item for item in left if not item.ratings]
    unfinished = [item for item in left if item.ratings]
    recommendation, reasons = _with_open_items(release, items=len(campaign.items), left=len(left), unrated=len(unrated))
    remarks = campaign.plan.remarks
    if left:
        counts = f"{len(unrated)} items have no rating, {len(unfinished)} lack one or wait for an adjudicator"
        remarks = (*remarks, f"closed as is: {counts}")
    revised = revised_records(campaign)
    remarks = (*remarks, *_remarks_on_records(campaign, decisions, revised, newer_versions))
    return CampaignDecision(
        campaign=campaign.name,
        trigger=campaign.plan.trigger,
        release=recommendation != "Fail",
        mode=release.mode,
        records=release.records,
        overall=None if release.overall is None else float(release.overall),
        band=release.band,
        action=release.action,
        dimension_means={key: None if mean is None else float(mean) for key, mean in release.dimension_means.items()},
        blockers=release.blockers,
        recommendation=recommendation,
        reasons=reasons,
        as_is=closure is not None and closure.as_is,
        items=len(campaign.items),
        unrated=tuple(item.trace_id for item in unrated),
        unfinished=tuple(item.trace_id for item in unfinished),
        remarks=remarks,
        cards=tuple(
            _item_decision(number, item, decision, campaign.loaded.rubric)
            for number, (item, decision) in enumerate(decisions, 1)
        ),
        rubric=campaign.loaded.stamp(),
        paired=paired,
        newer_versions=newer_versions,
        revised=revised,
    )


def _remarks_on_records(
    campaign: Campaign,
    decisions: Sequence[tuple[Item, Decision]],
    revised: Sequence[RevisedRecord],
    newer_versions: Sequence[str],
) -> Iterator[str]:
    """Yield what is to be known of the records that the decision is about."""
    rubric = campaign.loaded.rubric
    if revised:
        named = "; ".join(record.text() for record in revised[:_SHOWN]) + ("; …" if len(revised) > _SHOWN else "")
        yield f"revised after others' ratings became visible, which raises no level: {len(revised)} records: {named}"
    excused = [
        item.trace_id
        for item, decision in decisions
        if objection_to_levels(decision.scores, rubric, answered=item.answered is True)
    ]
    if excused:  # only in a campaign that was opened before this was checked
        named = ", ".join(excused[:_SHOWN]) + (", …" if len(excused) > _SHOWN else "")
        yield f"{rubric.not_applicable.name}, which is for refusals, on answered items: {len(excused)}: {named}"
    if newer_versions:
        counts = f"{len(newer_versions)} of {len(campaign.items)} items have a newer version"
        yield f"{counts}: this decision is about the versions that were drawn, and not about those"


def revised_records(campaign: Campaign) -> tuple[RevisedRecord, ...]:
    """Return the records that were revised after others' ratings became visible, with what changed."""
    return tuple(
        RevisedRecord(
            trace_id=item.trace_id,
            evaluator=rated.record.evaluator or rated.person,
            revision=len(rated.revisions) - 1,
            changes=rated.changes(campaign.loaded.rubric),
            reasons=tuple(revision.reason or "" for revision in rated.late),
        )
        for item in campaign.items.values()
        for rated in item.ratings.values()
        if rated.late
    )


def _with_open_items(
    release: "ReleaseDecision", *, items: int, left: int, unrated: int
) -> tuple[Recommendation, tuple[str, ...]]:
    """Return recommendation and reasons where ``left`` items are not done, and ``unrated`` of them have no rating."""
    if unrated:  # what nobody looked at cannot pass
        return "Fail", (*release.reasons, f"{unrated} of {items} items have no rating")
    if left and release.recommendation != "Fail":  # somebody who should have looked did not: that needs a note
        return NOTED, (*release.reasons, f"{left} of {items} items lack a rating or wait for an adjudicator")
    return release.recommendation, release.reasons


def _item_decision(number: int, item: Item, decision: Decision, rubric: ScorecardRubric) -> ItemDecision:
    low = rubric.scores_of(rubric.note_required_at)
    return ItemDecision(
        record=number,
        trace_id=item.trace_id,
        scores=named_scores(decision.scores, rubric),
        overall=float(decision.overall),
        recommendation=decision.recommendation,
        blockers=tuple(blocker.rule for blocker in decision.blockers),
        low=tuple(key for key, score in decision.scores.items() if score in low),
        evaluators=tuple(rated.record.evaluator for rated in item.ratings.values()),
        adjudicator=None if item.adjudication is None else item.adjudication.record.evaluator,
        interaction=item.interaction,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """The decision over many records; the overall score is the mean of theirs, None where there are none."""

    mode: ReleaseMode
    records: int
    overall: Fraction | None
    band: str | None
    action: str | None
    dimension_means: dict[str, Fraction | None]
    blockers: tuple[ReleaseBlocker, ...]
    recommendation: Recommendation
    reasons: tuple[str, ...]

    @property
    def release(self) -> bool:
        """Whether nothing speaks against deployment."""
        return self.recommendation != "Fail"


def decide_release(
    decisions: Sequence[Decision], loaded: Loaded[ScorecardRubric], mode: ReleaseMode = "any_record"
) -> ReleaseDecision:
    """Decide on a deployment over many records.

    ``any_record``: a blocker of any record blocks. ``run_mean``: a rule for which the rubric allows it is applied to
    the mean of each dimension over all records, which is at the highest level that it reaches; the other rules are
    applied to every record. Without records there is no release.
    """
    check_mode(mode)
    if any(decision.rubric != loaded.stamp() for decision in decisions):
        raise UsageError("records that were decided by different rubrics decide nothing together; decide them again")
    rubric = loaded.rubric
    overall = mean_of([decision.overall for decision in decisions])
    means = _means(decisions, rubric)
    reached = {key: _reached(mean, rubric) for key, mean in means.items()}
    blockers = [
        blocker
        for rule in rubric.blockers
        for blocker in (
            _over_means(rule, reached, rubric)
            if mode == "run_mean" and rule.run_mean
            else _over_records(rule, decisions, rubric)
        )
    ]
    if mode == "run_mean":
        levels = frozenset(reached.values()) - {None}
    else:
        levels = frozenset(score for decision in decisions for score in decision.scores.values()) - {None}
    band = None if overall is None else band_of(overall, rubric)
    recommendation: Recommendation = (
        "Fail" if overall is None else recommend(overall, blocked=bool(blockers), levels=levels, rubric=rubric)
    )
    reasons = _reasons(overall, blockers, means, recommendation, rubric)
    if recommendation == NOTED:
        reasons += _noted_means(means, reached, rubric) if mode == "run_mean" else _noted_records(decisions, rubric)
    return ReleaseDecision(
        mode=mode,
        records=len(decisions),
        overall=overall,
        band=None if band is None else band.key,
        action=None if band is None else band.action,
        dimension_means=means,
        blockers=tuple(blockers),
        recommendation=recommendation,
        reasons=tuple(reasons),
    )


def check_mode(mode: str) -> None:
    """Raise where there is no such mode."""
    if mode not in get_args(ReleaseMode):
        raise UsageError(f"there is no mode '{mode}' of a release; there are: {', '.join(get_args(ReleaseMode))}")


def _means(decisions: Sequence[Decision], rubric: ScorecardRubric) -> dict[str, Fraction | None]:
    return {
        dimension.key: mean_of(
            [Fraction(score) for decision in decisions if (score := decision.scores[dimension.key]) is not None]
        )
        for dimension in rubric.dimensions
    }


def _reached(mean: Fraction | None, rubric: ScorecardRubric) -> int | None:
    """Return the highest level that a mean reaches."""
    return None if mean is None else next(level.score for level in rubric.levels if mean >= level.score)


def _over_means(rule: BlockerRule, reached: dict[str, int | None], rubric: ScorecardRubric) -> list[ReleaseBlocker]:
    dimensions = dimensions_at(rule, reached, rubric)
    return [ReleaseBlocker(rule=rule.rule, dimensions=dimensions, records=())] if dimensions else []


def _over_records(rule: BlockerRule, decisions: Sequence[Decision], rubric: ScorecardRubric) -> list[ReleaseBlocker]:
    by_record = {
        number: dimensions
        for number, decision in enumerate(decisions, 1)
        if (dimensions := dimensions_at(rule, decision.scores, rubric))
    }
    if not by_record:
        return []
    named = tuple(key for key in rubric.dimensions_of("all") if any(key in keys for keys in by_record.values()))
    return [ReleaseBlocker(rule=rule.rule, dimensions=named, records=tuple(by_record))]


def _reasons(
    overall: Fraction | None,
    blockers: Sequence[ReleaseBlocker],
    means: dict[str, Fraction | None],
    recommendation: Recommendation,
    rubric: ScorecardRubric,
) -> list[str]:
    if overall is None:
        return ["there are no records"]
    reasons = []
    for blocker in blockers:
        if blocker.records:
            reasons.append(f"{blocker.rule}: {', '.join(blocker.dimensions)} ({_where(blocker.records)})")
        else:
            averages = [f"{key} averages {shown(means[key])}" for key in blocker.dimensions]
            reasons.append(f"{blocker.rule}: {', '.join(averages)}")
    return reasons + too_low("the average overall score", overall, recommendation, rubric)


def _noted_means(
    means: dict[str, Fraction | None], reached: dict[str, int | None], rubric: ScorecardRubric
) -> list[str]:
    """Return the dimensions whose mean is at a level that rules out Pass."""
    ruled_out = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    return [
        f"{key} averages {shown(means[key])}, at {level_name(score, rubric)}"
        for key, score in reached.items()
        if score in ruled_out
    ]


def _noted_records(decisions: Sequence[Decision], rubric: ScorecardRubric) -> list[str]:
    """Return the dimensions that are in some record at a level that rules out Pass, and in which."""
    ruled_out = rubric.scores_of(rubric.recommendation.pass_with_none_at)
    noted: dict[tuple[str, int | None], list[int]] = {}
    for number, decision in enumerate(decisions, 1):
        for key, score in decision.scores.items():
            if score in ruled_out:
                noted.setdefault((key, score), []).append(number)
    return [f"{key} is at {level_name(score, rubric)} ({_where(noted[key, score])})" for key, score in noted]


def _where(records: Sequence[int]) -> str:
    return f"record {', '.join(map(str, records[:_SHOWN]))}{', …' if len(records) > _SHOWN else ''}"
