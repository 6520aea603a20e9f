"""What was reviewed of one week: a line for each interaction, the worst first."""

from collections.abc import Mapping
from dataclasses import dataclass

from plumbrule.interactions.weeks import week_of
from plumbrule.monitoring.reviewed_interactions import ReviewedInteraction, ReviewedInteractions
from plumbrule.reviews.levels import named_scores
from plumbrule.rubrics.scorecard_rubric import Recommendation
from plumbrule.terminal import shortened

_LONGEST_QUESTION = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekReview:
    """One reviewed interaction: the levels that count, and the decision on them."""

    trace_id: str | None
    campaign: str | None
    stratum: str | None
    question: str | None  # its beginning; None: the interaction is not in the ledger
    refused: bool | None
    levels: Mapping[str, str]
    overall: float
    recommendation: Recommendation
    blocked: bool
    reasons: tuple[str, ...]
    evaluators: tuple[str, ...]
    adjudicator: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekReviews:
    """The reviews of one ISO week."""

    week: str
    interactions: int | None  # all that there were, reviewed or not; None where nobody counted
    reviews: tuple[WeekReview, ...]
    dimensions: tuple[str, ...]  # the keys of the scorecard's dimensions


def reviews_by_week(reviewed: ReviewedInteractions) -> dict[str, WeekReviews]:
    """Return what was reviewed of each week, the latest last; in a week the worst first: what blocks, then by score."""
    members: dict[str, list[ReviewedInteraction]] = {}
    for review in sorted(reviewed.reviewed, key=lambda review: review.date):
        members.setdefault(week_of(review.date), []).append(review)
    return {
        week: WeekReviews(
            week=week,
            interactions=None if reviewed.traffic is None else max(reviewed.traffic.get(week, 0), len(inside)),
            reviews=tuple(sorted(map(_line, inside), key=_severity)),
            dimensions=tuple(dimension.key for dimension in inside[0].rubric.rubric.dimensions),
        )
        for week, inside in members.items()
    }


def _severity(line: WeekReview) -> tuple[bool, float, str]:
    return not line.blocked, line.overall, line.trace_id or ""


def _line(review: ReviewedInteraction) -> WeekReview:
    settlement, decision, known = review.settlement, review.decision, review.known
    return WeekReview(
        trace_id=review.trace_id,
        campaign=review.campaign,
        stratum=review.stratum,
        question=None if known is None else shortened(known.interaction.sample.question, _LONGEST_QUESTION),
        refused=None if known is None else known.refused,
        levels=named_scores(settlement.scores, review.rubric.rubric),
        overall=float(decision.overall),
        recommendation=decision.recommendation,
        blocked=bool(decision.blockers),
        reasons=decision.reasons,
        evaluators=settlement.evaluators,
        adjudicator=settlement.adjudicator,
    )
