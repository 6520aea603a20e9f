"""The decision on a deployment: everything that turns the records of a campaign into a release, or into none.

``decide`` is the whole policy of closing a campaign. It is pure: what it says follows from the campaign alone.

1. ``decide_release`` decides over the records: blockers, the average overall score, the recommendation.
2. An item without a rating is a Fail: what nobody looked at cannot pass.
3. Items that lack a rating or an adjudicator, or that are only part of the scope of their trigger, are no release
   unless a second person signs, and then a Pass with notes at best.
4. Under ``bound`` a release needs the whole interval of the average overall score above its limit; where the interval
   does not settle it, the outcome is INCONCLUSIVE. A blocker blocks all the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from plumbrule.codec import optional_key, take_fields
from plumbrule.outcomes import DecideOn, Outcome
from plumbrule.person_names import person_key
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.items import Item, LevelChange
from plumbrule.reviews.levels import named_scores, objection_to_levels
from plumbrule.reviews.model_change import ModelChange
from plumbrule.reviews.record_decision import NOTED, Decision
from plumbrule.reviews.record_decision import decide as decide_record
from plumbrule.reviews.release_decision import OverallEstimate, ReleaseBlocker, ReleaseDecision, decide_release
from plumbrule.reviews.review_entries import ReleaseMode
from plumbrule.rubrics import PolicyDifference, ScorecardRubric, policy_differences
from plumbrule.rubrics.scorecard_rubric import Recommendation
from plumbrule.terminal import listed
from plumbrule.text.figure_format import score

_SHOWN = 5
_ASKS_FOR_ALL = ("all", "affected")  # the draws of triggers that review everything in their scope
SAME_ITEMS = "same_items"  # the code of the remark that names earlier campaigns


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
    newer_versions: tuple[str, ...] = ()  # items with a newer version, which nobody rated here; the same
    revised: tuple[RevisedRecord, ...] = ()  # after others' ratings became visible; the same
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
        interval = f"the interval of the average overall score, {score(low)} to {score(high)}, does not settle it"
        if self.outcome == "INCONCLUSIVE":
            return f"INCONCLUSIVE: {items}, and {interval}"
        return f"RELEASE: {self.recommendation}, on {items}: {interval}"


def decide(
    campaign: Campaign,
    *,
    paired: ModelChange | None = None,
    newer_versions: tuple[str, ...] = (),
    earlier: tuple[EarlierCampaign, ...] = (),
    accepted: tuple[str, ...] = (),
) -> CampaignDecision:
    """Return the decision of a campaign from its records.

    ``paired`` is the comparison of a model change; ``newer_versions`` are the items that were kept again with another
    content after they were drawn; ``earlier`` is what became of campaigns on the same items; ``accepted`` is who
    accepted the ledger as it was, against its checkpoint.
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
    revised = revised_records(campaign)
    remarks += _remarks_on_records(campaign, decisions, revised, newer_versions)
    remarks += [earlier_remark(other, len(campaign.items)) for other in earlier]
    if accepted:
        remarks.append(f"checkpoint: the ledger was accepted as it was, and entries may be gone: {'; '.join(accepted)}")
    remarks += shared_roles(campaign)
    return take_fields(
        CampaignDecision,
        release,
        campaign=campaign.name,
        trigger=plan.trigger,
        decide_on=decide_on,
        overall=None if release.overall is None else float(release.overall),
        dimension_means={key: None if mean is None else float(mean) for key, mean in release.dimension_means.items()},
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
        newer_versions=newer_versions,
        revised=revised,
        closed_by=None if campaign.closed is None else campaign.closed.author,
        second=None if closure is None else closure.second,
        policy=policy_of(campaign),
        earlier=earlier,
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
        named = listed([record.text() for record in revised], _SHOWN, between="; ")
        count = "1 record" if len(revised) == 1 else f"{len(revised)} records"
        yield f"revised after others' ratings became visible, which raises no level: {count}: {named}"
    excused = [
        item.trace_id
        for item, decision in decisions
        if objection_to_levels(decision.scores, rubric, answered=item.answered is True)
    ]
    if excused:  # only in a campaign that was opened before this was checked
        named = listed(excused, _SHOWN)
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


def _with_missing(release: ReleaseDecision, campaign: Campaign, *, left: int, unrated: int) -> ReleaseDecision:
    """Return the decision where ``left`` items are not done, or others of the scope were not drawn.

    ``unrated`` of those that are left have no rating: what nobody looked at cannot pass. For the rest somebody who
    should have looked did not, and two people have to sign for that.
    """
    missing = missing_parts(campaign, left=left)
    items = len(campaign.items)
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


def missing_parts(campaign: Campaign, *, left: int) -> list[str]:
    """Return what the trigger asks for and was not reviewed, where ``left`` items are not done: in words."""
    items, plan = len(campaign.items), campaign.plan
    missing = [f"{left} of {items} items lack a rating or wait for an adjudicator"] if left else []
    in_scope = plan.in_scope or plan.manifest.population
    if plan.draw in _ASKS_FOR_ALL and items < in_scope:
        missing.append(f"{items} of {in_scope} interactions in scope were reviewed, and {plan.trigger} asks for all")
    triggers = campaign.loaded.rubric.triggers
    asked = next((trigger.sample_size for trigger in triggers if trigger.key == plan.trigger), None) or 0
    if plan.mode is not None and items < min(asked, in_scope):  # an older version did not ask
        missing.append(
            f"{items} of {in_scope} interactions in scope were reviewed, and {plan.trigger} asks for {asked}"
        )
    return missing


def shared_roles(campaign: Campaign, *, closes: str | None = None) -> list[str]:
    """Return a remark for each person in several roles, and for names that would be one person's today.

    ``closes`` is who is about to close a campaign that is open.
    """
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
    if campaign.closed is None:
        has(closes, "closes it")
    else:
        has(campaign.closed.author, "closed it")
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
        interaction=item.interaction,
    )
