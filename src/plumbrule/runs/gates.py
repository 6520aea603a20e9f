"""Whether a run may be released: the gates of each repeat, and the decision on the whole run."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.aggregates import Aggregates, Estimate
from plumbrule.runs.run_results import Direction, GateResult, RunSummary
from plumbrule.runs.sample_results import rounded
from plumbrule.text.figure_format import SIGNS, figure

ReleaseState = Literal["RELEASE-READY", "NOT RELEASE-READY", "INCOMPLETE"]

_DIRECTIONS: dict[str, Direction] = {
    "aggregate_score": "at_least",
    "pass_rate": "at_least",
    "faithfulness_failure_rate": "at_most",
    "latency_e2e_p95_ms": "at_most",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition of a release: its figure with nulls left out and with nulls as zero must both meet the limit."""

    name: str
    limit: Fraction
    direction: Direction
    left_out: Estimate
    nulls_as_zero: Estimate

    @property
    def passed(self) -> bool:
        """Whether both figures meet the limit; one that could not be computed does not."""
        return self._meets(self.left_out.value) and self._meets(self.nulls_as_zero.value)

    @property
    def deciding(self) -> Estimate:
        """The worse of the two figures; nulls left out where they are the same."""
        left_out, as_zero = self.left_out.value, self.nulls_as_zero.value
        if left_out is None or left_out == as_zero:
            return self.left_out
        if as_zero is None:
            return self.nulls_as_zero
        worse = as_zero < left_out if self.direction == "at_least" else as_zero > left_out
        return self.nulls_as_zero if worse else self.left_out

    @property
    def inconclusive(self) -> bool:
        """Whether the limit lies in the interval of the deciding figure, so that another run could decide otherwise.

        A figure that could not be computed fails for certain.
        """
        low, high = self.deciding.low, self.deciding.high
        if self.deciding.value is None:
            return False
        if self.direction == "at_least":
            settled = (low is not None and low >= self.limit) or (high is not None and high < self.limit)
        else:
            settled = (high is not None and high <= self.limit) or (low is not None and low > self.limit)
        return not settled

    @property
    def samples_to_settle(self) -> int | None:
        """How many more samples would settle an inconclusive gate at this figure; None where no number would."""
        needed = self.deciding.settles_at
        return max(1, needed - self.deciding.samples) if self.inconclusive and needed is not None else None

    def result(self) -> GateResult:
        """Return the gate for output."""
        return GateResult(
            name=self.name,
            limit=float(self.limit),
            direction=self.direction,
            value=rounded(self.left_out.value),
            value_nulls_as_zero=rounded(self.nulls_as_zero.value),
            passed=self.passed,
            interval=self.deciding.interval(),
            inconclusive=self.inconclusive,
            samples_to_settle=self.samples_to_settle,
        )

    def _meets(self, value: Fraction | None) -> bool:
        if value is None:
            return False
        return value >= self.limit if self.direction == "at_least" else value <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """All gates of one repeat; it is release-ready only if every gate passes."""

    gates: tuple[Gate, ...]

    @property
    def release_ready(self) -> bool:
        """Whether every gate passed."""
        return all(gate.passed for gate in self.gates)


def decide(aggregates: Aggregates, rubric: BenchmarkRubric) -> ReleaseDecision:
    """Compare the aggregates of one repeat with the gates of the rubric that they were computed with."""
    return ReleaseDecision(
        gates=tuple(
            Gate(
                name=name,
                limit=getattr(rubric.gates, name),
                direction=direction,
                left_out=getattr(aggregates.estimates, name),
                nulls_as_zero=getattr(aggregates.estimates_nulls_as_zero, name),
            )
            for name, direction in _DIRECTIONS.items()
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The decision on a run: whether it may be released, every reason against it, and the gates."""

    run_id: str
    release_ready: bool
    reasons: tuple[str, ...]
    gates: tuple[GateResult, ...]


def decide_release(summary: RunSummary, *, strict: bool = False) -> GateDecision:
    """Decide whether a run may be released.

    Every gate must pass in every repeat, and the run must be complete. ``strict`` also refuses a run whose required
    metadata is missing, or with fewer repeats than the rubric wants.
    """
    reasons = (
        *_failed_gates(summary),
        *_failed_repeats(summary),
        *(() if summary.complete else ("the run is not complete",)),
        *(_strict_reasons(summary) if strict else ()),
    )
    return GateDecision(
        run_id=summary.run_id,
        release_ready=summary.release_ready and not reasons,
        reasons=reasons,
        gates=summary.gates,
    )


def release_state(summary: RunSummary) -> ReleaseState:
    """Return the state of a run in one word: a run that is not complete decides nothing."""
    if not summary.complete:
        return "INCOMPLETE"
    return "RELEASE-READY" if summary.release_ready else "NOT RELEASE-READY"


def _failed_gates(summary: RunSummary) -> Iterator[str]:
    for gate in summary.gates:
        if not gate.passed:
            value, as_zero = (figure(value, against=gate.limit) for value in (gate.value, gate.value_nulls_as_zero))
            limit = f"{SIGNS[gate.direction]} {figure(gate.limit)}"
            yield f"{gate.name} {value} (nulls as zero {as_zero}) is not {limit}"


def _failed_repeats(summary: RunSummary) -> Iterator[str]:
    for repeat in summary.repeats.release_ready_by_repeat:
        if repeat.failed_gates and repeat.repeat != summary.decisive_repeat:
            yield f"repeat {repeat.repeat}: {', '.join(repeat.failed_gates)} fails, too"


def _strict_reasons(summary: RunSummary) -> Iterator[str]:
    yield from (f"metadata: {name} is missing" for name in summary.missing_metadata)
    repeats = summary.repeats
    if not repeats.enough_repeats:
        yield f"repeats: {repeats.repeats} of {repeats.repeats_wanted} wanted"
