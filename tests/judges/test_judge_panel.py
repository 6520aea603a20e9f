"""A panel gives the majority or the median of its judges, says how far they agree, and never guesses."""

import asyncio
from typing import Any

import pytest

from plumbrule.errors import UsageError
from plumbrule.judges.judge_panel import PanelJudge, Rule
from plumbrule.judges.judgement import Agreement, Judge, JudgeIdentity, Judgement
from plumbrule.samples import Sample

SAMPLE = Sample(id="1", question="Why?", answer="Because.")


class Fixed:
    """A judge that always says the same."""

    def __init__(self, accuracy: int | None, faithfulness: int | None, **fields: Any) -> None:
        self.identity = JudgeIdentity(name="fixed", version="1", sha256=f"{accuracy}{faithfulness}")
        self._judgement = Judgement(
            accuracy_score=accuracy,
            faithfulness_score=faithfulness,
            rationale=f"{accuracy}/{faithfulness}",
            judge=self.identity,
            **fields,
        )

    async def judge(self, sample: Sample) -> Judgement:  # noqa: ARG002 - the same for every sample
        """Return what was fixed."""
        return self._judgement


BROKEN = Fixed(None, None, evaluator_error="parse_error")


def judge(rule: Rule, *judges: Judge) -> Judgement:
    """Let a panel judge the sample."""
    return asyncio.run(PanelJudge(judges, rule=rule).judge(SAMPLE))


@pytest.mark.parametrize(
    ("rule", "scores", "expected", "flags"),
    [
        ("majority", [(2, 2), (2, 0), (0, 0)], (2, 0), ()),
        ("median", [(2, 2), (2, 0), (0, 1)], (2, 1), ()),
        ("majority", [(0, 2), (1, 2), (2, 2)], (1, 2), ("no_majority",)),
        ("majority", [(2, 2), (0, 2)], (0, 2), ("no_majority",)),
        ("median", [(2, 2), (1, 2)], (1, 2), ()),
        ("median", [(0, None), (0, None)], (0, None), ()),
    ],
)
def test_each_score_is_decided_by_the_rule(
    rule: Rule, scores: list[tuple[int, int | None]], expected: tuple[int, int | None], flags: tuple[str, ...]
) -> None:
    """More than half, else the lower median: a panel in doubt does not round up."""
    judgement = judge(rule, *(Fixed(*pair) for pair in scores))
    assert (judgement.accuracy_score, judgement.faithfulness_score) == expected
    assert judgement.flags == flags
    assert judgement.evaluator_error is None
    assert len(judgement.members) == len(scores)


def test_agreement_is_the_share_of_pairs() -> None:
    """Three pairs: one agrees on accuracy, all on faithfulness; a single score agrees with none."""
    assert judge("median", Fixed(2, 2), Fixed(2, 2), Fixed(0, 2)).agreement == Agreement(
        accuracy=1 / 3, faithfulness=1.0
    )
    assert judge("median", Fixed(2, 2), Fixed(2, None), BROKEN).agreement == Agreement(accuracy=1.0, faithfulness=None)


def test_the_rationale_is_that_of_the_closest_judge() -> None:
    """The words fit the score."""
    assert judge("majority", Fixed(0, 0), Fixed(2, 2), Fixed(2, 2)).rationale == "2/2"


def test_a_missing_judge_is_told_and_half_missing_is_no_panel() -> None:
    """More than half must have judged."""
    assert judge("majority", Fixed(2, 2), Fixed(2, 2), BROKEN).flags == ("judge_missing",)
    half = judge("majority", Fixed(2, 2), BROKEN)
    assert (half.accuracy_score, half.faithfulness_score, half.evaluator_error) == (None, None, "no_quorum")
    assert half.error_detail == "1 of 2 judges could judge"


def test_a_member_without_a_reply_leaves_the_panel_open() -> None:
    """What the others decided is told, but asking again is due; a reply that is no judgement was one."""
    down = Fixed(None, None, evaluator_error="transport_error", error_kind="server_error", error_detail="status 500")
    judgement = judge("majority", Fixed(2, 2), down, Fixed(2, 2))
    assert (judgement.accuracy_score, judgement.flags, judgement.evaluator_error) == (2, ("judge_missing",), None)
    assert (judgement.final, judgement.error_detail) == (False, "2 of 3 judges could judge: status 500")
    assert judge("majority", Fixed(2, 2), BROKEN, Fixed(2, 2)).final
    assert not judge("majority", Fixed(2, 2), down).final


def test_tokens_cost_and_requests_add_up() -> None:
    """One unknown makes the sum unknown; a judge that asked nobody costs nothing."""
    known = Fixed(2, 2, input_tokens=10, output_tokens=1, cost_usd=0.5, requests=1)
    unknown = Fixed(2, 2, input_tokens=None, output_tokens=1, requests=2)
    free = Fixed(2, 2)
    whole = judge("median", known, known, free)
    assert (whole.input_tokens, whole.output_tokens, whole.cost_usd, whole.requests) == (20, 2, 1.0, 2)
    part = judge("median", known, unknown)
    assert (part.input_tokens, part.cost_usd, part.requests) == (None, None, 3)


def test_what_all_flag_is_flagged() -> None:
    """A flag of the sample stands for the panel; one judge's own does not."""
    one = Fixed(0, None, flags=("non_responsive", "cached"))
    assert judge("median", one, Fixed(0, None, flags=("non_responsive",))).flags == ("non_responsive",)


def test_a_panel_has_at_least_two_and_a_rule() -> None:
    """Anything else is a mistake in the configuration."""
    with pytest.raises(UsageError, match="at least two"):
        PanelJudge([Fixed(2, 2)], rule="median")
    with pytest.raises(UsageError, match="'majority' or 'median'"):
        PanelJudge([BROKEN, BROKEN], rule="mean")  # type: ignore[arg-type]  # what a configuration may say


def test_the_hash_tells_panels_apart() -> None:
    """Another member or another rule is another judge."""
    panels = [
        PanelJudge([Fixed(2, 2), Fixed(1, 1)], rule="median"),
        PanelJudge([Fixed(2, 2), Fixed(1, 1)], rule="majority"),
        PanelJudge([Fixed(2, 2), Fixed(0, 1)], rule="median"),
    ]
    assert len({panel.identity.sha256 for panel in panels}) == 3


def test_what_the_evidence_is_against_is_told_by_those_who_looked() -> None:
    """One member that found a contradiction is enough; where none looked it is not known."""
    looked, blind = Fixed(2, 2, contradicted=True, unsupported=False), Fixed(2, 2)
    told = judge("majority", blind, looked)
    assert (told.contradicted, told.unsupported) == (True, False)
    assert judge("majority", blind, blind).contradicted is None
