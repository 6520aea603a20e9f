"""The decision on a deployment: everything that turns the records of a campaign into a release, or into none.

``decide`` is the whole policy of closing a campaign. It is pure: what it says follows from the campaign alone.

1. ``decide_release`` decides over the records: blockers, the average overall score, the recommendation.
2. An item without a rating is a Fail: what nobody looked at cannot pass.
3. Items that lack a rating or an adjudicator, or that are only part of the scope of their trigger, are no release
   unless a second person signs, and then a Pass with notes at best.
4. Under ``bound`` a release needs the whole interval of the average overall score above its limit; where the interval
   does not settle it, the outcome is INCONCLUSIVE. A blocker blocks all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import get_args

from plumbrule.codec import optional_key
from plumbrule.errors import UsageError
from plumbrule.outcomes import DecideOn, Outcome, Settled
from plumbrule.person_names import person_key
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import level_name, named_scores
from plumbrule.reviews.model_change import ModelChange
from plumbrule.reviews.record_decision import NOTED, Decision, band_of, dimensions_at, recommend, shown, too_low
from plumbrule.reviews.record_decision import decide as decide_record
from plumbrule.reviews.review_entries import ReleaseMode
from plumbrule.rubrics import Loaded, PolicyDifference, ScorecardRubric, policy_differences
from plumbrule.rubrics.scorecard_rubric import BlockerRule, Recommendation
from plumbrule.stats.mean_intervals import MeanEstimate, mean_estimate
from plumbrule.stats.sample_sizes import mean_power_samples, share_power_samples
from plumbrule.stats.spread import mean_of

_SHOWN = 5
_ASKS_FOR_ALL = ("all", "affected")  # the draws of triggers that review everything in their scope
SAME_ITEMS = "same_items"  # the code of the remark that names earlier campaigns


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallEstimate:
    """How sure the average overall score is: its 95% interval over the items, against the limit of a release."""

    interval_95: tuple[float, float]
    limit: float
    state: Settled
    more_items: int | None  # to settle it with 80% power, were the average the true one; None where it is settled


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierCampaign:
    """An earlier campaign on some of the same items; it has no outcome while it is open."""

    campaign: str
    items: int  # that both have
    outcome: Outcome | None
    recommendation: Recommendation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignDecision:
    """The decision of a closed campaign, as the ledger keeps it."""

    campaign: str
    trigger: str
    release: bool
    outcome: Outcome = "NO RELEASE"  # older versions kept release alone, and it follows from that
    decide_on: DecideOn = "point"  # not there in older versions
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
    estimate: OverallEstimate | None = None  # what follows is not there in older versions, either
    closed_by: str | None = None
    second: str | None = optional_key()
    policy: tuple[PolicyDifference, ...] = ()  # how the rubric differs from the one that ships, the weaker first
    earlier: tuple[EarlierCampaign, ...] = ()

    def __post_init__(self) -> None:
        """Fill in the outcome of an older version."""
        if self.release:
            object.__setattr__(self, "outcome", "RELEASE")

    @property
    def headline(self) -> str:
        """The outcome in a line; one that the interval does not settle says so, and on how many items it rests."""
        if self.estimate is None or self.estimate.state == "holds" or self.outcome == "NO RELEASE":
            return f"{self.outcome}: {self.recommendation}"
        items = "1 item" if self.records == 1 else f"{self.records} items"
        low, high = self.estimate.interval_95
        interval = f"the interval of the average overall score, {low:.3g} to {high:.3g}, does not settle it"
        if self.outcome == "INCONCLUSIVE":
            return f"INCONCLUSIVE: {items}, and {interval}"
        return f"RELEASE: {self.recommendation}, on {items}: {interval}"


def decide(
    campaign: Campaign, *, paired: ModelChange | None = None, earlier: tuple[EarlierCampaign, ...] = ()
) -> CampaignDecision:
    """Return the decision of a campaign from its records.

    ``paired`` is the comparison of a model change, ``earlier`` what became of campaigns on the same items.
    """
    decisions = [
        (item, decide_record(settled.scores, campaign.loaded))
        for item in campaign.items.values()
        if (settled := campaign.settlement(item)) is not None
    ]
    closure, plan = campaign.closure, campaign.plan
    mode: ReleaseMode = plan.mode or ("any_record" if closure is None else closure.mode)
    decide_on: DecideOn = plan.decide_on or "point"
    release = decide_release([decision for _, decision in decisions], campaign.loaded, mode, decide_on)
    left = campaign.unfinished()
    unrated = [item for item in left if not item.ratings]
    unfinished = [item for item in left if item.ratings]
    release = _with_missing(release, campaign, left=len(left), unrated=len(unrated))
    remarks = [remark for remark in plan.remarks if not remark.startswith(f"{SAME_ITEMS}:")]
    if left:
        counts = f"{len(unrated)} items have no rating, {len(unfinished)} lack one or wait for an adjudicator"
        remarks.append(f"closed as is: {counts}")
    remarks += [earlier_remark(other, len(campaign.items)) for other in earlier]
    remarks += _shared_roles(campaign)
    return CampaignDecision(
        campaign=campaign.name,
        trigger=plan.trigger,
        release=release.release,
        outcome=release.outcome,
        decide_on=decide_on,
        mode=release.mode,
        records=release.records,
        overall=None if release.overall is None else float(release.overall),
        band=release.band,
        action=release.action,
        dimension_means={key: None if mean is None else float(mean) for key, mean in release.dimension_means.items()},
        blockers=release.blockers,
        recommendation=release.recommendation,
        reasons=release.reasons,
        as_is=closure is not None and closure.as_is,
        items=len(campaign.items),
        unrated=tuple(item.trace_id for item in unrated),
        unfinished=tuple(item.trace_id for item in unfinished),
        remarks=tuple(remarks),
        cards=tuple(
            _item_decision(number, item, decision, campaign.loaded.rubric)
            for number, (item, decision) in enumerate(decisions, 1)
        ),
        rubric=campaign.loaded.stamp(),
        paired=paired,
        estimate=release.estimate,
        closed_by=None if campaign.closed is None else campaign.closed.author,
        second=None if closure is None else closure.second,
        policy=policy_of(campaign),
        earlier=earlier,
    )


def policy_of(campaign: Campaign) -> tuple[PolicyDifference, ...]:
    """Return how the rubric of a campaign differs from the one that shipped when it was opened.

    A campaign of an older version, which did not keep that, is compared with the rubric that ships now.
    """
    if campaign.plan.mode is None:
        return policy_differences(campaign.loaded)
    return campaign.plan.policy or ()


def earlier_remark(earlier: EarlierCampaign, items: int) -> str:
    """Return the remark that names an earlier campaign on some of ``items``."""
    outcome = "still open" if earlier.outcome is None else f"{earlier.outcome}, {earlier.recommendation}"
    return f"{SAME_ITEMS}: {earlier.items} of {items} were in the campaign {earlier.campaign} before: {outcome}"


def _with_missing(release: "ReleaseDecision", campaign: Campaign, *, left: int, unrated: int) -> "ReleaseDecision":
    """Return the decision where ``left`` items are not done, or others of the scope were not drawn.

    ``unrated`` of those that are left have no rating: what nobody looked at cannot pass. For the rest somebody who
    should have looked did not, and two people have to sign for that.
    """
    items, plan = len(campaign.items), campaign.plan
    missing = [f"{left} of {items} items lack a rating or wait for an adjudicator"] if left else []
    in_scope = plan.in_scope or plan.manifest.population
    if plan.draw in _ASKS_FOR_ALL and items < in_scope:
        missing.append(f"{items} of {in_scope} interactions in scope were reviewed, and {plan.trigger} asks for all")
    if unrated:
        reasons = (*release.reasons, f"{unrated} of {items} items have no rating")
        return replace(release, recommendation="Fail", outcome="NO RELEASE", reasons=reasons)
    if not missing or release.outcome == "NO RELEASE":
        return release
    closure = campaign.closure
    if closure is None or closure.second is None:
        missing.append("a release on less than was asked for needs a second signature (close --second NAME)")
        return replace(release, recommendation="Fail", outcome="NO RELEASE", reasons=(*release.reasons, *missing))
    closer = "somebody" if campaign.closed is None else campaign.closed.author
    missing.append(f"signed by {closer} and {closure.second}")
    recommendation: Recommendation = "Fail" if release.recommendation == "Fail" else NOTED
    return replace(release, recommendation=recommendation, reasons=(*release.reasons, *missing))


def _shared_roles(campaign: Campaign) -> list[str]:
    """Return a remark for each person in several roles, and for names that would be one person's today."""
    roles: dict[str, dict[str, None]] = {}
    names: dict[str, str] = {}
    written: dict[str, dict[str, str]] = {}

    def has(name: str | None, role: str) -> None:
        if name:
            person = campaign.key_of(name)
            roles.setdefault(person, {})[role] = None
            names.setdefault(person, name)
            written.setdefault(person_key(name), {}).setdefault(person, name)

    has(None if campaign.opened is None else campaign.opened.author, "opened it")
    for role, rated in campaign.rated():
        has(rated.first.evaluator, "rated" if role == "evaluator" else "adjudicated")
    has(None if campaign.closed is None else campaign.closed.author, "closed it")
    has(None if campaign.closure is None else campaign.closure.second, "signed second")
    remarks = [f"roles: {names[person]} {_listed([*held])}" for person, held in roles.items() if len(held) > 1]
    for same in written.values():
        if len(same) > 1:  # only where the campaign is older than the comparison
            told = _listed([f"'{name}'" for name in same.values()])
            remarks.append(f"names: {told} would be one person today; when this campaign was opened they were not")
    return remarks


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


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
    outcome: Outcome
    estimate: OverallEstimate | None

    @property
    def release(self) -> bool:
        """Whether nothing speaks against deployment."""
        return self.outcome == "RELEASE"


def decide_release(
    decisions: Sequence[Decision],
    loaded: Loaded[ScorecardRubric],
    mode: ReleaseMode = "any_record",
    decide_on: DecideOn = "point",
) -> ReleaseDecision:
    """Decide on a deployment over many records.

    ``any_record``: a blocker of any record blocks. ``run_mean``: a rule for which the rubric allows it is applied to
    the mean of each dimension over all records, which is at the highest level that it reaches; the other rules are
    applied to every record. Without records there is no release.

    ``point``: the average overall score is compared with the limits as it is. ``bound``: the lower end of its interval.
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
    estimate = _estimate([decision.overall for decision in decisions], rubric)
    outcome: Outcome = "NO RELEASE" if recommendation == "Fail" else "RELEASE"
    unsure: list[str] = []
    if decide_on == "bound" and estimate is not None and not blockers:
        outcome = _BY_STATE[estimate.state]
        if recommendation == "Pass" and estimate.interval_95[0] < rubric.recommendation.pass_at_least:
            recommendation = NOTED
            needed = shown(rubric.recommendation.pass_at_least)
            unsure = [f"the interval of the average overall score reaches below {needed}, which Pass needs"]
    reasons = _reasons(overall, blockers, means, recommendation, rubric) + unsure
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
        outcome=outcome,
        estimate=estimate,
    )


_BY_STATE: dict[Settled, Outcome] = {"holds": "RELEASE", "fails": "NO RELEASE", "inconclusive": "INCONCLUSIVE"}


def _estimate(overall: Sequence[Fraction], rubric: ScorecardRubric) -> OverallEstimate | None:
    """Return the interval of the average overall score against the limit of Fail, which is that of a release."""
    lowest, highest = rubric.levels[-1].score, rubric.levels[0].score
    scale, limit = highest - lowest, rubric.recommendation.fail_below
    estimate = mean_estimate([(score - lowest) / scale for score in overall])
    if estimate is None:
        return None
    low, high = (lowest + scale * end for end in estimate.interval)
    state: Settled = "holds" if low >= limit else "fails" if high < limit else "inconclusive"
    return OverallEstimate(
        interval_95=(low, high),
        limit=float(limit),
        state=state,
        more_items=_more_items(estimate, (limit - lowest) / scale) if state == "inconclusive" else None,
    )


def _more_items(estimate: MeanEstimate, limit: Fraction) -> int | None:
    """Return how many more items would settle it; None where no number would, at this average."""
    if estimate.method == "clopper_pearson":
        needed = share_power_samples(estimate.value, limit)
    else:
        needed = mean_power_samples(estimate.value, estimate.spread, limit, skewness=estimate.skewness)
    return None if needed is None else max(1, needed - estimate.samples)


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
