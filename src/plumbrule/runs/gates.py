"""Whether a run may be released: each gate with its limit, both its figures, and whether they settle it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.aggregates import Aggregates, Estimate
from plumbrule.runs.sample_results import rounded

Direction = Literal["at_least", "at_most"]

_DIRECTIONS: dict[str, Direction] = {
    "aggregate_score": "at_least",
    "pass_rate": "at_least",
    "faithfulness_failure_rate": "at_most",
    "latency_e2e_p95_ms": "at_most",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition of a release: its figure with nulls left out and with nulls as zero must both keep the limit."""

    name: str
    limit: Fraction
    direction: Direction
    left_out: Estimate
    nulls_as_zero: Estimate

    @property
    def passed(self) -> bool:
        """Whether the worse of the two figures keeps the limit; one that could not be computed does not."""
        return self._keeps(self.left_out.value) and self._keeps(self.nulls_as_zero.value)

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
        """Whether the interval of the deciding figure holds the limit, so that another run could decide otherwise.

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

    def to_dict(self) -> dict[str, Any]:
        """Return the gate as it stands in the JSON of a run."""
        return {
            "name": self.name,
            "limit": float(self.limit),
            "direction": self.direction,
            "value": rounded(self.left_out.value),
            "value_nulls_as_zero": rounded(self.nulls_as_zero.value),
            "passed": self.passed,
            "interval": self.deciding.to_dict(),
            "inconclusive": self.inconclusive,
            "samples_to_settle": self.samples_to_settle,
        }

    def _keeps(self, value: Fraction | None) -> bool:
        if value is None:
            return False
        return value >= self.limit if self.direction == "at_least" else value <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """All gates of one run; it is release-ready only if each holds."""

    gates: tuple[Gate, ...]

    @property
    def release_ready(self) -> bool:
        """Whether every gate passed."""
        return all(gate.passed for gate in self.gates)

    def to_dict(self) -> dict[str, Any]:
        """Return ``gates`` and ``release_ready`` as they stand in the JSON of a run."""
        return {"gates": [gate.to_dict() for gate in self.gates], "release_ready": self.release_ready}


def decide(aggregates: Aggregates, rubric: BenchmarkRubric) -> ReleaseDecision:
    """Hold the aggregates of a run against the gates of the rubric they were computed with."""
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
