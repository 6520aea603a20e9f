"""A panel of judges: each rates alone, then the majority or the median of each score stands, with their agreement."""

import asyncio
import dataclasses
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from plumbrule.errors import UsageError
from plumbrule.hashing import sha256_of
from plumbrule.judges.judgement import Agreement, Judge, JudgeIdentity, Judgement, total
from plumbrule.samples.sample_model import Sample

Rule = Literal["majority", "median"]

_VERSION = "1"


class PanelJudge:
    """Asks all its judges at once.

    A majority is more than half of the scores given; where there is none the median decides, with the flag
    ``no_majority``. The median of an even number of scores is the lower of the two in the middle: a panel in doubt
    does not round up. When half of the panel or more could not judge, the panel cannot either (``no_quorum``).
    """

    def __init__(self, judges: Sequence[Judge], *, rule: Rule) -> None:
        if len(judges) < 2:
            raise UsageError("a panel needs at least two judges")
        if rule not in ("majority", "median"):
            raise UsageError(f"a panel decides by 'majority' or 'median', not by '{rule}'")
        self._judges = tuple(judges)
        self._rule = rule
        members = [dataclasses.asdict(judge.identity) for judge in judges]
        models = [judge.identity.model_id for judge in judges if judge.identity.model_id is not None]
        templates = {judge.identity.template_sha256 for judge in judges} - {None}
        self.identity = JudgeIdentity(
            name="panel",
            version=_VERSION,
            sha256=sha256_of({"rule": rule, "judges": members, "version": _VERSION}),
            model_id=", ".join(models) or None,
            template_sha256=templates.pop() if len(templates) == 1 else None,
        )

    async def judge(self, sample: Sample) -> Judgement:
        """Rate one sample by the whole panel; where a member got no reply, asking again is still due."""
        members = tuple(await asyncio.gather(*(judge.judge(sample) for judge in self._judges)))
        able = [member for member in members if member.evaluator_error is None]
        if 2 * len(able) <= len(members):
            return dataclasses.replace(self._blank(members), evaluator_error="no_quorum", flags=_shared_flags(members))
        flags: list[str] = list(_shared_flags(members))
        if len(able) < len(members):
            flags.append("judge_missing")
        accuracies = _given([member.accuracy_score for member in able])
        faithfulnesses = _given([member.faithfulness_score for member in able])
        accuracy = self._decide(accuracies, flags)
        faithfulness = self._decide(faithfulnesses, flags)
        return dataclasses.replace(
            self._blank(members),
            accuracy_score=accuracy,
            faithfulness_score=faithfulness,
            rationale=_rationale(able, accuracy, faithfulness),
            flags=tuple(dict.fromkeys(flags)),
            agreement=Agreement(accuracy=_agreement(accuracies), faithfulness=_agreement(faithfulnesses)),
        )

    def _decide(self, scores: list[int], flags: list[str]) -> int | None:
        if not scores:
            return None
        if self._rule == "majority":
            score, votes = Counter(scores).most_common(1)[0]
            if 2 * votes > len(scores):
                return score
            flags.append("no_majority")
        return sorted(scores)[(len(scores) - 1) // 2]

    def _blank(self, members: tuple[Judgement, ...]) -> Judgement:
        costs = [member.cost_usd for member in members if member.requests]
        known = [cost for cost in costs if cost is not None]
        return Judgement(
            accuracy_score=None,
            faithfulness_score=None,
            rationale=None,
            judge=self.identity,
            input_tokens=total([member.input_tokens for member in members]),
            output_tokens=total([member.output_tokens for member in members]),
            error_detail=_detail(members),
            cost_usd=sum(known) if costs and len(known) == len(costs) else None,
            requests=sum(member.requests for member in members),
            reported_model=_named([member.reported_model for member in members]),
            fingerprint=_named([member.fingerprint for member in members]),
            exchanges=tuple(exchange for member in members for exchange in member.exchanges),
            contradicted=_held([member.contradicted for member in members]),
            unsupported=_held([member.unsupported for member in members]),
            members=members,
        )


def _detail(members: tuple[Judgement, ...]) -> str | None:
    """Tell how many could judge and what kept the first of the others from it; None where all could."""
    missing = [member for member in members if member.evaluator_error is not None]
    if not missing:
        return None
    detail = f"{len(members) - len(missing)} of {len(members)} judges could judge"
    return f"{detail}: {missing[0].error_detail}" if missing[0].error_detail is not None else detail


def _given(scores: list[int | None]) -> list[int]:
    return [score for score in scores if score is not None]


def _held(told: list[bool | None]) -> bool | None:
    """Return whether any member that looked at the evidence has something against the answer; None where none did."""
    looked = [one for one in told if one is not None]
    return any(looked) if looked else None


def _agreement(scores: list[int]) -> float | None:
    pairs = list(combinations(scores, 2))
    return sum(one == other for one, other in pairs) / len(pairs) if pairs else None


def _rationale(able: list[Judgement], accuracy: int | None, faithfulness: int | None) -> str | None:
    """Return the words of the first judge who came closest to what the panel decided."""

    def distance(member: Judgement) -> int:
        return abs((member.accuracy_score or 0) - (accuracy or 0)) + abs(
            (member.faithfulness_score or 0) - (faithfulness or 0)
        )

    return min(able, key=distance).rationale


def _shared_flags(members: tuple[Judgement, ...]) -> tuple[str, ...]:
    """Return the flags that every member gave: they are the sample's, not one judge's."""
    return tuple(flag for flag in members[0].flags if all(flag in member.flags for member in members))


def _named(names: list[str | None]) -> str | None:
    return ", ".join(name for name in names if name is not None) or None
