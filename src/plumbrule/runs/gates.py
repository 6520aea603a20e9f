"""Whether a run may be released: its gates over all repeats, and the decision on the whole run.

A gate compares a figure with its limit, and says how the figure's 95% interval stands to it. Policy ``point`` decides
by the figures; policy ``bound`` releases only where the whole interval of every figure keeps its limit.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, get_args

from plumbrule.codec import optional_key
from plumbrule.errors import UsageError
from plumbrule.names import check_word
from plumbrule.outcomes import DecideOn, Outcome, Settled
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.anchor.anchor_results import AnchoredFigure, AnchorSummary
from plumbrule.runs.gate_estimates import Estimate, Estimates
from plumbrule.runs.run_results import Direction, GateResult, RunSummary, WorstRepeat
from plumbrule.runs.sample_results import rounded
from plumbrule.text.figure_format import SIGNS, figure, measured

DIRECTIONS: dict[str, Direction] = {  # each is a gate where the rubric has a limit for it
    "aggregate_score": "at_least",
    "pass_rate": "at_least",
    "faithfulness_failure_rate": "at_most",
    "latency_e2e_p95_ms": "at_most",
    "contradicted_rate": "at_most",
    "unsupported_rate": "at_most",
}
_IF_TRUE = {
    "aggregate_score": "if the true mean is {}",
    "latency_e2e_p95_ms": "if latencies stay as they are",
}
_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


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
    def settled(self) -> Settled:
        """How the intervals stand to the limit: both must keep it, and one that misses it is enough to fail.

        A figure of nothing fails for certain. One that null latencies leave unknown is not settled: they could have
        been fast or slow. Nor is one that waits for people's labels.
        """
        if self.waits_for is not None:
            return "inconclusive"
        if self.left_out.value is None and not self.nulls_as_zero.nulls:
            return "fails"
        states = {self._state(self.left_out), self._state(self.nulls_as_zero)}
        return "fails" if "fails" in states else "inconclusive" if "inconclusive" in states else "holds"

    @property
    def inconclusive(self) -> bool:
        """Whether another run like this one could decide otherwise."""
        return self.settled == "inconclusive"

    @property
    def deciding(self) -> Estimate:
        """The worse of the two figures; where they are the same, the one whose interval reaches further."""
        left_out, as_zero = self.left_out, self.nulls_as_zero
        if left_out.value is None or as_zero.value is None:
            return as_zero if as_zero.value is None else left_out
        if left_out.value == as_zero.value:
            return max((left_out, as_zero), key=self._reach)
        worse = as_zero.value < left_out.value if self.direction == "at_least" else as_zero.value > left_out.value
        return as_zero if worse else left_out

    @property
    def samples_to_settle(self) -> int | None:
        """How many more samples would settle an inconclusive gate; None where no number would."""
        needed = self.settles_at
        return None if needed is None else needed - self.deciding.samples

    @property
    def settles_at(self) -> int | None:
        """How many samples in all would settle an inconclusive gate; None where no number would."""
        needed = self.deciding.settles_at
        return max(self.deciding.samples + 1, needed) if self.inconclusive and needed is not None else None

    @property
    def waits_for(self) -> str | None:
        """Why the figure cannot go by people's labels yet; None where it can, or goes by the judge."""
        return self.left_out.waits_for

    @property
    def labels_to_settle(self) -> int | None:
        """How many more labels of this run's answers would settle it; None where none would, or it needs none.

        There are never more than the samples that have no label yet.
        """
        needed, labels = self.deciding.labels_to_power, self.deciding.labels
        if not self.inconclusive or needed is None or labels is None or labels >= self.deciding.samples:
            return None
        return max(1, needed - labels)

    def result(self, worst_repeat: WorstRepeat | None = None) -> GateResult:
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
            settled=self.settled,
            settles_at=self.settles_at,
            worst_repeat=worst_repeat if self.deciding.by_judge is None else None,
            by_judge=self.deciding.by_judge,
            labels_to_settle=self.labels_to_settle,
            waits_for=self.waits_for,
        )

    def standing(self) -> tuple[bool, bool, Fraction]:
        """Return how well the gate is kept, to order several by: the least is kept worst."""
        value = self.deciding.value
        known = Fraction() if value is None else value
        return self.passed, value is not None, known if self.direction == "at_least" else -known

    def _meets(self, value: Fraction | None) -> bool:
        if value is None:
            return False
        return value >= self.limit if self.direction == "at_least" else value <= self.limit

    def _state(self, estimate: Estimate) -> Settled:
        low, high = estimate.low, estimate.high
        if self.direction == "at_least":
            holds, fails = low is not None and low >= self.limit, high is not None and high < self.limit
        else:
            holds, fails = high is not None and high <= self.limit, low is not None and low > self.limit
        return "holds" if holds else "fails" if fails else "inconclusive"

    def _reach(self, estimate: Estimate) -> float:
        """Return how far the interval reaches to the bad side; an open end reaches furthest."""
        end = estimate.low if self.direction == "at_least" else estimate.high
        if end is None:
            return float("inf")
        return -end if self.direction == "at_least" else end


class Settling(Protocol):
    """A gate, as far as the state of its interval can be told in words."""

    @property
    def name(self) -> str:
        """The figure's name."""

    @property
    def limit(self) -> float:
        """What it is compared with."""

    @property
    def deciding(self) -> float | None:
        """The worse of its two figures."""

    @property
    def settled(self) -> Settled:
        """How its interval stands to the limit."""

    @property
    def settles_at(self) -> int | None:
        """How many samples in all would settle it."""

    @property
    def settles_in(self) -> int | None:
        """In how many clusters these samples must be."""

    @property
    def nulls(self) -> int | None:
        """How many null latencies leave it open."""

    @property
    def by_judge(self) -> float | None:
        """What the judge alone says, where it goes by people's labels."""

    @property
    def labels_to_settle(self) -> int | None:
        """How many more labels would settle it."""

    @property
    def waits_for(self) -> str | None:
        """Why it cannot go by people's labels yet."""

    @property
    def value(self) -> float | None:
        """The figure with nulls left out."""

    @property
    def value_nulls_as_zero(self) -> float | None:
        """The figure with nulls as zero."""

    @property
    def interval(self) -> "_Ends":
        """The 95% interval of the worse figure."""


class _Ends(Protocol):
    """An interval; an end of None is open."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFigures:
    """The figures of a gate as people read them: with the same decimals, and none rounded across the limit."""

    value: str
    nulls_as_zero: str
    deciding: str
    by_judge: str
    interval: str


class _Judged(Protocol):
    """A gate, as far as an outcome needs it."""

    @property
    def name(self) -> str: ...

    @property
    def passed(self) -> bool: ...

    @property
    def settled(self) -> Settled: ...

    @property
    def waits_for(self) -> str | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDecision:
    """The gates of one repeat or of a whole run; every one of them must pass."""

    gates: tuple[Gate, ...]

    @property
    def release_ready(self) -> bool:
        """Whether every gate passed by its figures."""
        return all(gate.passed for gate in self.gates)


class Estimated(Protocol):
    """Something with estimates of the figures that decide: one repeat, or a whole run."""

    @property
    def estimates(self) -> Estimates:
        """The figures with nulls left out."""

    @property
    def estimates_nulls_as_zero(self) -> Estimates:
        """The figures with nulls as zero."""


def decide(estimated: Estimated, rubric: BenchmarkRubric) -> ReleaseDecision:
    """Compare estimates with the gates of the rubric that they were computed with.

    An estimate that replaces a judged rate, such as one anchored by people's labels, stands in its place.
    """
    limits = rubric.gates.limits
    return ReleaseDecision(
        gates=tuple(
            Gate(
                name=name,
                limit=limits[name],
                direction=direction,
                left_out=getattr(estimated.estimates, name),
                nulls_as_zero=getattr(estimated.estimates_nulls_as_zero, name),
            )
            for name, direction in DIRECTIONS.items()
            if name in limits
        )
    )


class _Begun(Protocol):
    """Something that says how gates are decided: a rubric's gates, or what a run was begun with."""

    @property
    def decide_on(self) -> DecideOn | None: ...

    @property
    def confidence(self) -> Confidence | None: ...

    @property
    def anchor(self) -> Anchor | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """What decides a release: figures or the ends of their intervals, and whether these allow for repeated looks.

    None leaves it to the next in line: what is asked for now, what the run was begun with, what the rubric says.
    """

    decide_on: DecideOn | None = None
    confidence: Confidence | None = None
    anchor: Anchor | None = None

    def __post_init__(self) -> None:
        """Refuse a policy that there is not: it would decide as another one."""
        check_word("decide_on", self.decide_on, get_args(DecideOn))
        check_word("confidence", self.confidence, get_args(Confidence))
        check_word("anchor", self.anchor, get_args(Anchor))

    @classmethod
    def of(cls, begun: "_Begun") -> "GatePolicy":
        """Return the policy that a run was begun with."""
        return cls(decide_on=begun.decide_on, confidence=begun.confidence, anchor=begun.anchor)

    def over(self, below: "GatePolicy") -> "GatePolicy":
        """Return this policy laid over another; it may ask for more than that one, and not for less."""
        if (self.decide_on, below.decide_on) == ("point", "bound"):
            raise UsageError("--decide-on point: this run's policy is bound; a weaker one needs a rubric that says so")
        if (self.confidence, below.confidence) == ("fixed", "sequential"):
            raise UsageError(
                "--confidence fixed: this run's policy is sequential; a weaker one needs a rubric of its own"
            )
        if (self.anchor, below.anchor) == ("judge", "people"):
            raise UsageError("--anchor judge: this run's policy is people; a weaker one needs a rubric that says so")
        policy = GatePolicy(
            decide_on=self.decide_on or below.decide_on,
            confidence=self.confidence or below.confidence,
            anchor=self.anchor or below.anchor,
        )
        if (policy.confidence, policy.anchor) == ("sequential", "people"):
            raise UsageError("anchor people: its intervals are for one look, and do not go with confidence sequential")
        return policy


def rubric_policy(rubric: BenchmarkRubric) -> GatePolicy:
    """Return the policy that a rubric names."""
    return GatePolicy.of(rubric.gates)


def outcome_of(gates: Iterable[_Judged], *, decide_on: DecideOn, complete: bool) -> Outcome:
    """Return the outcome of gates by a policy; a run that is not complete is never released."""
    judged = list(gates)
    if decide_on == "bound" and any(gate.settled == "fails" for gate in judged):
        return "NO RELEASE"
    if not complete:
        return "NO RELEASE"
    if decide_on == "point":
        if any(not gate.passed and gate.waits_for is None for gate in judged):
            return "NO RELEASE"
        return "INCONCLUSIVE" if any(gate.waits_for is not None for gate in judged) else "RELEASE"
    return "RELEASE" if all(gate.passed and gate.settled == "holds" for gate in judged) else "INCONCLUSIVE"


def headline_of(outcome: Outcome, gates: Sequence[_Judged], *, complete: bool, against: Sequence[str] = ()) -> str:
    """Return the outcome in one line, qualified where gates are not settled, or where labels are ``against`` them."""
    if not complete:
        return f"{outcome}: the run is not complete"
    unsettled = [gate.name for gate in gates if gate.settled == "inconclusive"]
    for_certain = outcome == "NO RELEASE" and any(gate.settled == "fails" for gate in gates)
    text = str(outcome)
    if unsettled and not for_certain:
        text = f"{text}, not settled: {len(unsettled)} of {len(gates)} gates ({', '.join(unsettled)})"
    return f"{text}, against people's labels: {', '.join(against)}" if against else text


def against_labels(gates: Iterable[GateResult], labels: AnchorSummary | None) -> tuple[GateResult, ...]:
    """Return the gates that pass as the judge has them, and miss their limit as people's labels have them."""
    figures = {} if labels is None else labels.figures
    return tuple(
        gate
        for gate in gates
        if gate.passed and gate.by_judge is None and gate.name in figures and not _kept_by(figures[gate.name], gate)
    )


def _kept_by(labelled: AnchoredFigure, gate: GateResult) -> bool:
    values = labelled.value, labelled.nulls_as_zero.value
    return min(values) >= gate.limit if gate.direction == "at_least" else max(values) <= gate.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The decision on a run: whether it may be released, every reason against it, and the gates.

    ``reasons`` speak against a release, ``remarks`` do not decide.
    """

    run_id: str
    release_ready: bool
    reasons: tuple[str, ...]
    gates: tuple[GateResult, ...]
    outcome: Outcome
    decide_on: DecideOn
    confidence: Confidence
    headline: str
    look: int
    policy_differences: tuple[str, ...]
    remarks: tuple[str, ...]
    anchor: Anchor = "judge"
    labels: AnchorSummary | None = optional_key()


def decide_release(summary: RunSummary, *, strict: bool = False) -> GateDecision:
    """Decide whether a run may be released.

    Every gate must pass, and the run must be complete. ``strict`` also refuses a run whose required metadata is
    missing, or with fewer repeats than the rubric wants.
    """
    demands = tuple(_strict_reasons(summary)) if strict else ()
    outcome: Outcome = "NO RELEASE" if demands else summary.outcome
    return GateDecision(
        run_id=summary.run_id,
        release_ready=outcome == "RELEASE",
        reasons=(
            *_failed_gates(summary),
            *(() if summary.complete else ("the run is not complete",)),
            *demands,
        ),
        gates=summary.gates,
        outcome=outcome,
        decide_on=summary.decide_on,
        confidence=summary.confidence,
        headline=summary.headline if not demands else outcome,
        look=summary.look,
        policy_differences=summary.policy_differences,
        remarks=tuple(_remarks(summary)),
        anchor=summary.anchor,
        labels=summary.labels,
    )


def gate_figures(gate: Settling) -> GateFigures:
    """Return the figures of a gate for people."""
    values = gate.value, gate.value_nulls_as_zero, gate.deciding, gate.by_judge
    shown = measured(values, gate.interval.low, gate.interval.high, against=gate.limit)
    value, as_zero, deciding, by_judge = shown.values
    return GateFigures(
        value=value, nulls_as_zero=as_zero, deciding=deciding, by_judge=by_judge, interval=shown.interval
    )


def settled_text(gate: Settling, *, confidence: Confidence = "fixed") -> str:
    """Return the state of a gate's interval in words, and what would settle one that is not settled."""
    if gate.settled != "inconclusive":
        return gate.settled
    if gate.waits_for is not None:
        return f"waits for people's labels: {gate.waits_for} (the judge alone says {gate_figures(gate).by_judge})"
    if gate.by_judge is not None:
        return _settled_by_labels(gate)
    if gate.settles_at is not None:
        clusters = "" if gate.settles_in is None else f", in about {gate.settles_in:,} clusters,"
        needed = f"about {gate.settles_at:,} samples in all{clusters} would settle it with 80% power"
        return f"not settled: {needed}, {_if_true(gate)}"
    if gate.nulls:
        return f"not settled: {latencies_are_null(gate.nulls)}; more samples like these would leave it open, too"
    if confidence == "sequential":
        return "not settled so far: add samples, and look again"
    return "not settled: the figure stands so near its limit that no number of samples would settle it"


def latencies_are_null(count: int) -> str:
    """Return how many latencies are null, in words."""
    return "1 latency is null" if count == 1 else f"{count:,} latencies are null"


def _settled_by_labels(gate: Settling) -> str:
    """Return what would settle a gate that goes by people's labels."""
    if gate.labels_to_settle is None:
        return "not settled: a label for every sample of this run would not settle it; it takes more samples"
    return f"not settled: about {gate.labels_to_settle:,} more labels would settle it with 80% power, {_if_true(gate)}"


def _if_true(gate: Settling) -> str:
    return _IF_TRUE.get(gate.name, "if the true rate is {}").format(gate_figures(gate).deciding)


def look_text(look: int, confidence: Confidence) -> str | None:
    """Return which look at the same gates this is, in words; None for the first."""
    if look < 2:
        return None
    place = _ORDINALS[look - 2] if look - 2 < len(_ORDINALS) else f"{look}th"
    text = f"{place} look at these gates, counting the complete runs of this candidate on this dataset"
    return text if confidence == "sequential" else f"{text}: each look is another chance to pass by luck"


def labels_text(gate: GateResult, labels: AnchorSummary) -> str:
    """Return in words that people's labels have another figure than the judge, which misses the limit."""
    by_people = labels.figures[gate.name]
    (value,), interval = measured((by_people.value,), by_people.low, by_people.high, against=gate.limit)
    limit = f"{SIGNS[gate.direction]} {figure(gate.limit)}"
    return f"{gate.name} by people's labels is {value} ({interval}), not {limit}: '--anchor people' decides by them"


def repeated_text(count: int, samples: int) -> str:
    """Return in words that a dataset has samples that are the same."""
    return f"{count:,} of {samples:,} samples repeat another's question, contexts and answer, and count as often"


def _failed_gates(summary: RunSummary) -> Iterator[str]:
    for gate in summary.gates:
        if gate.inconclusive and (summary.decide_on == "bound" or gate.waits_for is not None):
            yield f"{gate.name} {settled_text(gate, confidence=summary.confidence)}"
        elif not gate.passed:
            shown = gate_figures(gate)
            limit = f"{SIGNS[gate.direction]} {figure(gate.limit)}"
            unknown = gate.value_nulls_as_zero is None and gate.nulls
            why = f", because {latencies_are_null(gate.nulls)}" if gate.nulls and unknown else ""
            yield f"{gate.name} {shown.value} (nulls as zero {shown.nulls_as_zero}) is not {limit}{why}"


def _remarks(summary: RunSummary) -> Iterator[str]:
    if summary.labels is not None:
        for gate in against_labels(summary.gates, summary.labels):
            yield labels_text(gate, summary.labels)
    if summary.decide_on == "point":
        for gate in summary.gates:
            if gate.inconclusive and gate.waits_for is None:
                yield f"{gate.name} {settled_text(gate, confidence=summary.confidence)}"
    look = look_text(summary.look, summary.confidence)
    if look is not None:
        yield look
    if summary.repeated_samples:
        yield repeated_text(summary.repeated_samples, summary.aggregates.counts.attempted)
    for repeat in summary.repeats.release_ready_by_repeat:
        if repeat.failed_gates and summary.repeats.repeats > 1:
            judge = " by the judge" if summary.anchor == "people" else ""
            yield f"repeat {repeat.repeat} alone{judge}: {', '.join(repeat.failed_gates)} fails"


def _strict_reasons(summary: RunSummary) -> Iterator[str]:
    yield from (f"metadata: {name} is missing" for name in summary.missing_metadata)
    repeats = summary.repeats
    if not repeats.enough_repeats:
        yield f"repeats: {repeats.repeats} of {repeats.repeats_wanted} wanted"
