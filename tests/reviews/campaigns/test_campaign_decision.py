"""Many cards release nothing that one of them blocks, unless the means were chosen; Unsafe is never averaged."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reviews.conftest import AT, later

from plumbrule.codec import from_json, to_json
from plumbrule.errors import UsageError
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, decide
from plumbrule.reviews.campaigns.campaign_store import rehearse
from plumbrule.reviews.evaluation_record import EvaluationRecord
from plumbrule.reviews.record_decision import Decision
from plumbrule.reviews.record_decision import decide as decide_record
from plumbrule.reviews.release_decision import ReleaseDecision, decide_release
from plumbrule.reviews.review_entries import (
    CampaignPlan,
    ClaimMade,
    Closure,
    PlannedItem,
    RecordEntry,
    ReleaseMode,
)
from plumbrule.reviews.sampling import draw_sample
from plumbrule.rubrics import load_scorecard

LOADED = load_scorecard()
KEYS = [dimension.key for dimension in LOADED.rubric.dimensions]


def cards(*rows: tuple[int | None, ...]) -> list[Decision]:
    """Decide each row of levels."""
    return [decide_record(dict(zip(KEYS, row, strict=True)), LOADED) for row in rows]


def release(*rows: tuple[int | None, ...], mode: ReleaseMode = "any_record") -> ReleaseDecision:
    """Decide on the release of rows of levels."""
    return decide_release(cards(*rows), LOADED, mode)


GOOD = (4, 4, 4, 4, 4, 4)
WEAK = (2, 4, 4, 4, 4, 4)


def test_good_cards_release() -> None:
    """Nothing stands against it, and nothing needs a note."""
    decision = release(GOOD, GOOD)
    assert (decision.release, decision.recommendation, decision.reasons) == (True, "Pass", ())
    assert (decision.overall, decision.band, decision.records) == (Fraction(4), "production_ready", 2)


def test_one_record_blocks() -> None:
    """G11: by default a blocker of any record blocks, and the reason names it."""
    decision = release(GOOD, GOOD, WEAK, GOOD)
    assert not decision.release
    [blocker] = decision.blockers
    assert (blocker.rule, blocker.dimensions, blocker.records) == (
        "attribution_below_adequate",
        ("attribution_accuracy",),
        (3,),
    )
    assert decision.reasons == ("attribution_below_adequate: attribution_accuracy (record 3)",)


def test_the_mean_may_be_chosen() -> None:
    """G11: under run_mean three rules look at the means of the dimensions."""
    assert release(GOOD, WEAK, mode="run_mean").release  # attribution averages 3
    blocked = release(GOOD, WEAK, WEAK, mode="run_mean")
    assert blocked.reasons == ("attribution_below_adequate: attribution_accuracy averages 2.66667",)
    assert blocked.blockers[0].records == ()


def test_a_pass_with_notes_says_which() -> None:
    """The dimension with its records or its mean, and the average that Pass would need."""
    decision = release(GOOD, (4, 4, 4, 2, 4, 4), GOOD, (4, 4, 4, 2, 4, 4), (4, 4, 4, 4, 2, 4))
    assert (decision.recommendation, decision.reasons) == (
        "Pass with notes",
        (
            "response_completeness is at Needs Review (record 2, 4)",
            "refusal_appropriateness is at Needs Review (record 5)",
        ),
    )
    [low] = release((3, 4, 4, 3, 3, 3)).reasons
    assert low == "the average overall score, 3.45, is below 3.5, which Pass needs"
    mean = release((4, 4, 4, 2, 4, 4), (4, 4, 4, 3, 4, 4), mode="run_mean")
    assert (mean.recommendation, mean.reasons) == (
        "Pass with notes",
        ("response_completeness averages 2.5, at Needs Review",),
    )


def test_unsafe_is_never_averaged() -> None:
    """G11: one Unsafe in a thousand cards blocks in either mode."""
    rows = [GOOD] * 999 + [(4, 4, 4, 4, 4, 1)]
    for mode in ("any_record", "run_mean"):
        decision = release(*rows, mode=mode)
        assert [blocker.rule for blocker in decision.blockers] == ["any_unsafe"]
        assert decision.blockers[0].records == (1000,)


def test_several_means_at_needs_review() -> None:
    """A mean stands at the highest level that it reaches: two of 2.5 are two at Needs Review."""
    rows = [(4, 4, 4, 2, 3, 4), (4, 4, 4, 3, 2, 4)]
    assert release(*rows).recommendation == "Pass with notes"  # no record has two
    decision = release(*rows, mode="run_mean")
    assert [(each.rule, each.dimensions) for each in decision.blockers] == [
        ("several_needs_review", ("response_completeness", "refusal_appropriateness"))
    ]


def test_a_low_average_does_not_release() -> None:
    """Below 3.0 nothing is deployed, though nothing blocks."""
    decision = release((3, 2, 3, 3, 3, 3), (3, 3, 3, 3, 3, 3))
    assert (decision.overall, decision.blockers, decision.release) == (Fraction(290, 100), (), False)
    assert decision.reasons == ("the average overall score, 2.9, is below 3",)


def test_needs_review_in_one_record_leaves_notes() -> None:
    """Pass without notes wants no dimension at Needs Review."""
    assert release(GOOD, (4, 4, 4, 2, 4, 4)).recommendation == "Pass with notes"
    assert release(GOOD, (4, 4, 4, 2, 4, 4), mode="run_mean").recommendation == "Pass"


@pytest.mark.parametrize("mode", ["any_record", "run_mean"])
def test_no_records_release_nothing(mode: ReleaseMode) -> None:
    """Fail-closed: nothing was shown."""
    decision = release(mode=mode)
    assert (decision.release, decision.overall, decision.band) == (False, None, None)
    assert decision.reasons == ("there are no records",)


def test_a_dimension_that_never_applies() -> None:
    """Refusals alone have no mean attribution; what does not apply blocks nothing."""
    row = (None, None, None, None, 4, 4)
    for mode in ("any_record", "run_mean"):
        decision = release(row, row, mode=mode)
        assert (decision.recommendation, decision.dimension_means["attribution_accuracy"]) == ("Pass", None)


def campaign(*rows: tuple[int | None, ...], of: int, evaluators: int = 1, **closure: Any) -> Campaign:
    """Return a closed campaign of so many items, of which the first have one rating each."""
    body = CampaignPlan(
        trigger="monitoring",
        scope="Random sample (N=50)",
        depth="All dimensions",
        in_view=tuple(KEYS),
        evaluators=evaluators,
        read=of,
        week=None,
        changed=None,
        remarks=("unmatched: 1 interactions belong to no stratum",),
        manifest=draw_sample([], LOADED, seed=1, size=1).result(),
        claim_minutes=120,
        items=tuple(
            PlannedItem(trace_id=f"t{number}", query="Fee?", stratum=None, earlier=None, why=()) for number in range(of)
        ),
        rubric=LOADED.stamp(),
    )
    made = Campaign("c", LOADED)
    assert rehearse(made, body, author="Lead", at=AT) is None
    for number, row in enumerate(rows):
        record = EvaluationRecord(
            scores=dict(zip(KEYS, row, strict=True)), evaluator="Ada", trace_id=f"t{number}", notes="seen"
        )
        claim = ClaimMade(evaluator="Ada", role="evaluator", until=str(later(1)), trace_id=f"t{number}")
        entry = RecordEntry(
            record=record.written(LOADED.rubric),
            decision=decide_record(record.scores, LOADED).result(),
            revision=0,
            reason=None,
            campaign="c",
            role="evaluator",
            rubric=LOADED.stamp(),
        )
        assert rehearse(made, claim, author="Ada", at=AT) is None
        assert rehearse(made, entry, author="Ada", at=AT) is None
    assert rehearse(made, Closure(**{"as_is": True, **closure}), author="Gus", at=AT) is None
    return made


def test_the_json_form() -> None:
    """Plain values, exact ones as the nearest float; it reads back to the same decision."""
    decision = decide(campaign(GOOD, WEAK, of=2, mode="run_mean"))
    shown = to_json(decision)
    assert shown["dimension_means"]["attribution_accuracy"] == 3.0
    assert shown["release"] is True
    assert list(shown) == [
        "campaign",
        "trigger",
        "release",
        "outcome",
        "decide_on",
        "mode",
        "records",
        "overall",
        "band",
        "action",
        "dimension_means",
        "blockers",
        "recommendation",
        "reasons",
        "as_is",
        "items",
        "unrated",
        "unfinished",
        "remarks",
        "cards",
        "rubric",
        "paired",
        "newer_versions",
        "revised",
        "estimate",
        "closed_by",
        "policy",
        "earlier",
    ]
    assert from_json(CampaignDecision, shown, where="here") == decision


def test_a_decision_of_an_older_version_reads() -> None:
    """It has no comparison of a model change, and its outcome follows from whether it was a release."""
    for rows, outcome in (((GOOD,), "RELEASE"), ((WEAK,), "NO RELEASE")):
        shown = to_json(decide(campaign(*rows, of=1)))
        for key in ("paired", "outcome", "decide_on", "estimate", "closed_by", "policy", "earlier"):
            del shown[key]
        read = from_json(CampaignDecision, shown, where="here")
        assert (read.paired, read.outcome, read.headline) == (None, outcome, f"{outcome}: {read.recommendation}")


@pytest.mark.parametrize(
    ("rows", "of", "evaluators", "recommendation", "reasons", "remarks"),
    [
        ((GOOD,), 1, 1, "Pass", (), ()),
        (
            (GOOD,),
            1,
            2,
            "Fail",
            (
                "1 of 1 items lack a rating or wait for an adjudicator",
                "a release on less than was asked for needs a second signature (close --second NAME)",
            ),
            ("closed as is: 0 items have no rating, 1 lack one or wait for an adjudicator",),
        ),
        (
            (GOOD,),
            3,
            1,
            "Fail",
            ("2 of 3 items have no rating",),
            ("closed as is: 2 items have no rating, 0 lack one or wait for an adjudicator",),
        ),
        (
            (),
            1,
            1,
            "Fail",
            ("there are no records", "1 of 1 items have no rating"),
            ("closed as is: 1 items have no rating, 0 lack one or wait for an adjudicator",),
        ),
    ],
)
def test_items_that_are_not_done(
    rows: tuple[tuple[int | None, ...], ...],
    of: int,
    evaluators: int,
    recommendation: str,
    reasons: tuple[str, ...],
    remarks: tuple[str, ...],
) -> None:
    """What nobody rated fails; what lacks a rating fails unless two people sign; the draw's remarks stay."""
    decision = decide(campaign(*rows, of=of, evaluators=evaluators))
    assert (decision.recommendation, decision.reasons) == (recommendation, reasons)
    assert decision.release is (recommendation != "Fail")
    assert decision.remarks == ("unmatched: 1 interactions belong to no stratum", *remarks)


def test_two_people_may_sign_for_less_than_was_asked_for() -> None:
    """It is a Pass with notes at best, and says who signed; what blocks blocks all the same."""
    decision = decide(campaign(GOOD, of=1, evaluators=2, second="Hal"))
    assert (decision.outcome, decision.recommendation, decision.second) == ("RELEASE", "Pass with notes", "Hal")
    assert decision.reasons[-1] == "signed by Gus and Hal"
    blocked = decide(campaign(WEAK, of=1, evaluators=2, second="Hal"))
    assert (blocked.outcome, blocked.recommendation) == ("NO RELEASE", "Fail")


def test_three_perfect_records_are_not_unqualified() -> None:
    """The headline says on how many items it rests and that the interval does not settle it; more items do."""
    decision = decide(campaign(GOOD, GOOD, GOOD, of=3))
    assert (decision.outcome, decision.release) == ("RELEASE", True)
    estimate = decision.estimate
    assert estimate is not None
    assert (round(estimate.interval_95[0], 2), estimate.interval_95[1]) == (1.88, 4.0)
    assert (estimate.limit, estimate.state) == (3.0, "inconclusive")
    assert estimate.more_items is not None
    assert decision.headline == (
        "RELEASE: Pass, on 3 items: the interval of the average overall score, 1.88 to 4.00, does not settle it"
    )
    total = 3 + estimate.more_items
    settled = decide(campaign(*[GOOD] * total, of=total))
    assert settled.headline == "RELEASE: Pass"


@pytest.mark.parametrize(
    ("rows", "outcome", "recommendation"),
    [
        ([GOOD] * 3, "INCONCLUSIVE", "Pass with notes"),
        ([GOOD] * 40, "RELEASE", "Pass"),
        ([GOOD] * 39 + [WEAK], "NO RELEASE", "Fail"),  # a blocker blocks all the same
        ([(3, 2, 3, 3, 3, 3)] * 3, "INCONCLUSIVE", "Fail"),
        ([(3, 2, 3, 3, 3, 3)] * 500, "NO RELEASE", "Fail"),  # 2.8 for certain
        ([(3, 4, 3, 3, 3, 3)] * 100, "RELEASE", "Pass with notes"),
    ],
)
def test_the_bound_decides(rows: list[tuple[int | None, ...]], outcome: str, recommendation: str) -> None:
    """Under bound a release needs the whole interval above the limit; what it does not settle is inconclusive."""
    decision = decide_release(cards(*rows), LOADED, "any_record", "bound")
    assert (decision.outcome, decision.recommendation) == (outcome, recommendation)
    assert decision.release is (outcome == "RELEASE")


def test_the_same_interval_leaves_a_point_decision_alone() -> None:
    """By default the average decides, as the specification says."""
    assert decide_release(cards(*[GOOD] * 3), LOADED).outcome == "RELEASE"
    assert decide_release(cards(*[(3, 2, 3, 3, 3, 3)] * 3), LOADED).outcome == "NO RELEASE"


def test_other_modes_and_mixed_rubrics_are_refused() -> None:
    """A typo is no mode, and cards of two rubrics decide nothing together."""
    mode: Any = "mean"
    with pytest.raises(UsageError, match="there is no mode 'mean'"):
        decide_release([], LOADED, mode)
    other = load_scorecard(None, {"recommendation.fail_below": 2.9})
    with pytest.raises(UsageError, match="different rubrics"):
        decide_release(cards(GOOD), other)


levels = st.tuples(*[st.sampled_from((4, 3, 2, 1, None))] * 4, *[st.sampled_from((4, 3, 2, 1))] * 2)


@given(st.lists(levels, min_size=1, max_size=12))
def test_the_default_is_the_stricter(rows: list[tuple[int | None, ...]]) -> None:
    """What any_record releases has no blocked record; an Unsafe anywhere is released by neither."""
    strict = release(*rows)
    if strict.release:
        assert not any(decision.blockers for decision in cards(*rows))
    if any(level == 1 for row in rows for level in row):
        assert not strict.release
        assert not release(*rows, mode="run_mean").release
