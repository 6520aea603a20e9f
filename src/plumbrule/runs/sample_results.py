"""The result of one sample of a run, and how the benchmark rubric grades it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from plumbrule.codec import fields_of
from plumbrule.errors import InputError
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.rubrics.benchmark_rubric import Component, Limit, Scale
from plumbrule.runs.run_results import SampleSummary
from plumbrule.verdicts.headline import CONCERNS, Concern, headline_of

COMPONENT_OF: dict[str, Component] = {  # what a field of a result is graded as
    "accuracy_score": "accuracy",
    "faithfulness_score": "faithfulness",
    "latency_e2e_ms": "latency",
    "total_tokens": "token_efficiency",
}
JUDGED_SCORES = ("accuracy_score", "faithfulness_score")


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """Everything that was measured and judged of one sample in one repeat; None is what is not available.

    ``evaluator_error`` and ``candidate_error`` name what went wrong ("parse_error"), ``error_detail`` says more;
    ``repeat`` counts from 0.
    """

    sample_id: str
    accuracy_score: int | None = None
    faithfulness_score: int | None = None
    rationale: str | None = None
    evaluator_error: str | None = None
    latency_e2e_ms: float | None = None
    latency_model_ms: float | None = None
    latency_first_token_ms: float | None = None  # of an answer that came in pieces
    timed_out: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    refused: bool = False
    candidate_error: str | None = None
    error_detail: str | None = None
    repeat: int = 0
    flags: tuple[str, ...] = ()
    contradicted: bool | None = None  # a context says otherwise than the answer
    unsupported: bool | None = None  # the contexts hardly support it

    def __post_init__(self) -> None:
        """Refuse values that no measurement can give: they would decide a release."""
        for name in ("latency_e2e_ms", "latency_model_ms", "latency_first_token_ms"):
            latency = getattr(self, name)
            known = latency is not None
            if known and (isinstance(latency, bool) or not isinstance(latency, int | float)):
                raise self._refusal(name, latency, "a number")
            if known and not (math.isfinite(latency) and latency >= 0):
                raise self._refusal(name, latency, "a finite number of 0 or more")
        for name in ("accuracy_score", "faithfulness_score", "input_tokens", "output_tokens", "repeat"):
            count = getattr(self, name)
            if count is None and name != "repeat":
                continue
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise self._refusal(name, count, "a whole number of 0 or more")

    def _refusal(self, name: str, value: object, wanted: str) -> InputError:
        return InputError(f"sample '{self.sample_id}': '{name}' must be {wanted}, not {value!r:.60}")

    @property
    def concerns(self) -> tuple[Concern, ...]:
        """What the evidence has against the answer."""
        return tuple(concern for concern in CONCERNS if getattr(self, concern))

    @property
    def judged(self) -> bool:
        """Whether a judge gave it a score, for accuracy or for faithfulness; an answer that came too late has none."""
        return not self.timed_out and (self.accuracy_score is not None or self.faithfulness_score is not None)

    @property
    def total_tokens(self) -> int | None:
        """Input and output together; None where either is unreported."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    @property
    def token_efficiency_ratio(self) -> Fraction | None:
        """Output over input; None where either is unreported."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return Fraction(self.output_tokens, max(self.input_tokens, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """The grade of one result, in exact fractions, so that rounding never decides whether a limit is met.

    ``failed`` names the fields that kept it from passing, ``nulls`` the components that are None and with them
    ``sample_score``.
    """

    passed: bool
    failed: tuple[str, ...]
    accuracy_norm: Fraction | None
    faithfulness_norm: Fraction | None
    latency_norm: Fraction | None
    token_efficiency_norm: Fraction | None
    sample_score: Fraction | None
    nulls: tuple[str, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedSample:
    """A result with its grade."""

    result: SampleResult
    grade: Grade

    def summary(self) -> SampleSummary:
        """Return the sample with every field by its documented name."""
        content = {**fields_of(self.result), **fields_of(self.grade)}  # the flags are those of the grade
        content |= {name: float(value) for name, value in content.items() if isinstance(value, Fraction)}
        return SampleSummary(
            **content,
            total_tokens=self.result.total_tokens,
            token_efficiency_ratio=rounded(self.result.token_efficiency_ratio),
            headline=headline_of("PASS" if self.grade.passed else "FAIL", self.result.concerns),
        )


def grade(result: SampleResult, rubric: BenchmarkRubric) -> Grade:
    """Grade one result: whether it passes, each component, and their weighted sum."""
    accuracy = _on_scale(result, "accuracy_score", rubric.accuracy_score)
    faithfulness = _on_scale(result, "faithfulness_score", rubric.faithfulness_score)
    latency = exact(result.latency_e2e_ms)
    tokens = exact(result.total_tokens)
    held = {
        "accuracy_score": accuracy is not None and accuracy >= rubric.accuracy_score.pass_at_least,
        "faithfulness_score": faithfulness is not None and faithfulness >= rubric.faithfulness_score.pass_at_least,
        "latency_e2e_ms": latency is not None and latency <= rubric.latency_e2e_ms.pass_at_most,
        "total_tokens": tokens is not None and tokens <= rubric.total_tokens.pass_at_most,
    }
    held = {name: holds for name, holds in held.items() if COMPONENT_OF[name] in rubric.components}
    components = {
        "accuracy_norm": _share_of(accuracy, rubric.accuracy_score),
        "faithfulness_norm": _share_of(faithfulness, rubric.faithfulness_score),
        "latency_norm": _thrift(latency, rubric.latency_e2e_ms),
        "token_efficiency_norm": _thrift(tokens, rubric.total_tokens),
    }
    return Grade(
        passed=all(held.values()),
        failed=tuple(name for name, holds in held.items() if not holds),
        **components,
        sample_score=_weighted(components, rubric),
        nulls=tuple(f"{name}_norm" for name in rubric.components if components[f"{name}_norm"] is None),
        flags=_flags(result, rubric),
    )


def grade_all(results: Sequence[SampleResult], rubric: BenchmarkRubric) -> tuple[GradedSample, ...]:
    """Grade every result, sorted by sample and repeat; a sample counts once in each repeat."""
    graded = [GradedSample(result=result, grade=grade(result, rubric)) for result in results]
    graded.sort(key=lambda sample: (sample.result.sample_id, sample.result.repeat))
    for before, after in pairwise(graded):
        if (before.result.sample_id, before.result.repeat) == (after.result.sample_id, after.result.repeat):
            raise InputError(
                f"sample '{after.result.sample_id}' has two results in repeat {after.result.repeat}: keep one of them"
            )
    return tuple(graded)


def exact(value: float | None) -> Fraction | None:
    """Return a number as the decimal it is written as."""
    if value is None:
        return None
    return Fraction(value) if isinstance(value, int) else Fraction(str(value))  # text is much slower to read


def rounded(value: Fraction | None) -> float | None:
    """Return the float nearest to an exact value, for output only."""
    return None if value is None else float(value)


def _on_scale(result: SampleResult, name: str, scale: Scale) -> int | None:
    score: int | None = getattr(result, name)
    if score is not None and not scale.lowest <= score <= scale.highest:
        raise InputError(
            f"sample '{result.sample_id}': '{name}' {score} is not on the scale of {scale.lowest} to {scale.highest}"
        )
    return score


def _share_of(score: int | None, scale: Scale) -> Fraction | None:
    return None if score is None else Fraction(score, scale.highest)


def _thrift(cost: Fraction | None, limit: Limit) -> Fraction | None:
    """Return 1 up to the limit of the full score, then less and less; a cost below 1 counts as 1."""
    return None if cost is None else min(Fraction(1), limit.full_score_up_to / max(cost, Fraction(1)))


def _weighted(components: dict[str, Fraction | None], rubric: BenchmarkRubric) -> Fraction | None:
    """Return the weighted sum; a component that is not known leaves it unknown, whatever its weight."""
    total = Fraction()
    for name in rubric.components:
        component = components[f"{name}_norm"]
        if component is None:
            return None
        weight: Fraction = getattr(rubric.weights, name)
        total += weight * component
    return total


def _flags(result: SampleResult, rubric: BenchmarkRubric) -> tuple[str, ...]:
    words = len((result.rationale or "").split())
    over = ("rationale_over_limit",) if words > rubric.rationale.at_most_words else ()
    return tuple(dict.fromkeys((*result.flags, *over)))
