"""What a judge says of one sample, and the protocol that every judge follows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Protocol

from plumbrule.http.exchange import Exchange
from plumbrule.samples.sample_model import Sample

EvaluatorError = Literal["parse_error", "transport_error", "no_reference", "no_quorum"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeIdentity:
    """Which judge it was: ``sha256`` is over all that can change what it says, save the model behind its name."""

    name: str
    version: str
    sha256: str
    model_id: str | None = None  # provider:model as configured; None for a judge without a model
    template_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The share of pairs of judges that gave the same score; None where fewer than two gave one."""

    accuracy: float | None
    faithfulness: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Accuracy and faithfulness of one sample; a score of None could not be given, and says why.

    Tokens and cost are the judge's own, over every request made for this judgement: None where a reply did not
    report them. ``requests`` counts the calls made, whether or not they got through; a reply from the cache adds
    nothing.
    """

    accuracy_score: int | None
    faithfulness_score: int | None
    rationale: str | None
    judge: JudgeIdentity
    evaluator_error: EvaluatorError | None = None
    error_kind: str | None = None  # of a transport error: rate_limited, server_error, timed_out, …
    error_detail: str | None = None
    flags: tuple[str, ...] = ()
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = None
    requests: int = 0
    reported_model: str | None = None
    fingerprint: str | None = None
    exchanges: tuple[Exchange, ...] = ()
    support: Mapping[str, Any] | None = None  # score, band, weakest sentence, and what made them; None: not given
    contradicted: bool | None = None  # a context says otherwise than the answer; None: not looked at
    unsupported: bool | None = None  # the contexts hardly support the answer; None: not looked at
    agreement: Agreement | None = None
    members: tuple["Judgement", ...] = ()  # of a panel, in its order

    @property
    def final(self) -> bool:
        """Whether asking again is not due: no judge was kept from judging by a call that brought no reply."""
        return self.evaluator_error != "transport_error" and all(member.final for member in self.members)

    def to_dict(self) -> dict[str, Any]:
        """Return the judgement as a JSON-ready dict, without the exchanges, which are kept apart."""
        return {
            **asdict(replace(self, exchanges=(), members=())),
            "members": [member.to_dict() for member in self.members],
        }


class Judge(Protocol):
    """Anything that rates samples; there is no default judge and no default model."""

    @property
    def identity(self) -> JudgeIdentity:
        """Tell which judge this is."""
        ...

    async def judge(self, sample: Sample) -> Judgement:
        """Rate one sample; a failure to judge it is a judgement that says so, never an exception."""
        ...


def judge_silence(sample: Sample, judge: JudgeIdentity) -> Judgement | None:
    """Return the judgement on a candidate that timed out or said nothing, which no judge need see; else None."""
    silent = not (sample.answer or "").strip() and not sample.refused
    if not sample.timed_out and not silent:
        return None
    why = "The candidate timed out" if sample.timed_out else "The candidate answered nothing"
    return Judgement(
        accuracy_score=0,
        faithfulness_score=None,
        rationale=f"{why}: non-responsive, and nothing to check.",
        judge=judge,
        flags=("non_responsive",),
    )


def total_cost(costs: Sequence[float | None]) -> float | None:
    """Return what they cost together, in any order the same; None where one of them is unknown."""
    known = [cost for cost in costs if cost is not None]
    return math.fsum(known) if len(known) == len(costs) else None


def total(counts: Sequence[int | None]) -> int | None:
    """Return the sum of the counts; None where one of them is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
