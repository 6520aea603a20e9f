"""The results of monitoring, as ``monitor --json`` writes them: figures by week, drift, refusals and alerts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from plumbrule.codec import optional_key
from plumbrule.hashing import sha256_of
from plumbrule.ledger.entry import escaped
from plumbrule.outcomes import EXIT_CODES, DecideOn, Outcome
from plumbrule.rubrics import PolicyDifference, Stamp
from plumbrule.stats.intervals import Interval

Status = Literal["ON_TARGET", "WATCH", "ALERT"]
# what an interval says of the alert threshold: none of it is past, all of it is, or it holds the threshold
AlertState = Literal["ok", "alert", "inconclusive"]
IntervalSays = Literal["ok", "ok so far", "alert", "open"]  # the same for people: open is not settled

ROOM = "monitor"  # the part of the ledger that alerts are kept in
_OUTCOMES: dict[AlertState, Outcome] = {"ok": "RELEASE", "alert": "NO RELEASE", "inconclusive": "INCONCLUSIVE"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateResult:
    """A figure with its 95% interval; None is a figure of nothing."""

    value: float | None
    interval_95: Interval | None
    status: Status | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureResult:
    """One figure of one week: as sampled and, where the sample was stratified, weighed to the population."""

    key: str
    total: int  # interactions that the figure is about
    value: float | None
    interval_95: Interval | None
    status: Status | None  # the worse of the two
    reweighted: EstimateResult | None
    state: AlertState | None  # of the intervals, the worse of the two
    reviews_to_settle: int | None  # about how many more would settle an inconclusive state, with a power of 80%


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Refusal codes: a row for each code expected, a column for each code given."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalResult:
    """How refusals compare with what was expected, and the codes by expected and given."""

    correct: int
    unneeded: int
    missing: int
    unknown: int
    code_accuracy: float | None
    code_accuracy_interval_95: Interval | None
    code_total: int  # correct refusals whose right code is known
    confusion: Confusion

    @property
    def code_right(self) -> int:
        """How many correct refusals have the right code."""
        return 0 if self.code_accuracy is None else round(self.code_accuracy * self.code_total)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekResult:
    """All figures of one ISO week."""

    week: str
    reviewed: int
    interactions: int | None  # all that there were, reviewed or not; None where nobody counted
    figures: tuple[FigureResult, ...]
    refusals: RefusalResult


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPoint:
    """The running sum of a figure's moves for the worse, in standard errors."""

    week: str
    sum: float
    alarm: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDefinition:
    """What a figure is held against, in words and as the numbers that a chart draws."""

    key: str
    title: str
    target: str
    alert: float
    bound: float  # of the target
    higher_is_better: bool
    scale: tuple[float, float]  # the least and the most that the figure can be


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A figure of one week that is at or past its alert threshold, or that drifts."""

    id: str
    week: str
    figure: str

    @property
    def subject(self) -> str:
        """The place of the alert in the ledger: one for each week and figure."""
        return f"{ROOM}/{self.week}/{escaped(self.figure)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdAlert(Alert):
    """A figure at or past its alert threshold, with all that is known of it."""

    kind: Literal["threshold"]
    title: str
    target: str
    alert: float
    total: int
    value: float | None
    interval_95: Interval | None
    status: Status
    reweighted: EstimateResult | None
    rubric: Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAlert(Alert):
    """Small moves for the worse that add up; ``value`` is their sum in standard errors."""

    kind: Literal["drift"]
    title: str
    alert: float
    value: float
    rubric: Stamp


AnyAlert = ThresholdAlert | DriftAlert


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledgement:
    """What somebody said of an alert: who sees to it, and what is done about it."""

    alert: str  # its id
    owner: str
    remedy: str
    author: str
    recorded_at_utc: str
    sequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringReport:
    """The figures of every week, the alerts that they raise, and which of these are new or were posted now."""

    figures: tuple[FigureDefinition, ...]
    weeks: tuple[WeekResult, ...]
    drift: Mapping[str, tuple[DriftPoint, ...]]
    drift_alarm_at: float  # the sum that is an alarm
    refusals: RefusalResult  # over all the weeks
    alerts: tuple[AnyAlert, ...]
    rubric: Stamp
    new: tuple[str, ...]  # ids of alerts
    posted: tuple[str, ...]
    remarks: tuple[str, ...]
    decide_on: DecideOn
    state: AlertState
    inconclusive: tuple[str, ...]  # figures of the last week with reviews whose intervals hold their thresholds
    policy: tuple[PolicyDifference, ...] | None = optional_key()  # how the rubric differs from the one that ships
    acknowledged: tuple[Acknowledgement, ...] = ()  # the last one of each of the alerts that has any

    @property
    def exit_code(self) -> int:
        """The exit code of the state: an alert is as a release that is refused."""
        return EXIT_CODES[_OUTCOMES[self.state]]

    @property
    def reviewed(self) -> int:
        """How many interactions were reviewed in all the weeks."""
        return sum(week.reviewed for week in self.weeks)

    @property
    def interactions(self) -> int | None:
        """How many interactions there were in all the weeks; None where nobody counted."""
        counts = [week.interactions for week in self.weeks if week.interactions is not None]
        return sum(counts) if counts else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFile:
    """The alerts of the weeks that were looked at, as they are written to a file."""

    version: int
    weeks: tuple[str, ...]
    alerts: tuple[AnyAlert, ...]
    rubric: Stamp


def interval_says(result: FigureResult, alert: float) -> IntervalSays | None:
    """Return what the 95% interval of a figure says of its alert threshold; None where there is no figure.

    No interval can exclude a threshold at the end of the scale, such as no Unsafe at all: that is kept so far, no more.
    """
    interval = result.interval_95
    if result.state == "ok" and interval is not None and interval.low <= alert <= interval.high:
        return "ok so far"
    return "open" if result.state == "inconclusive" else result.state


def alert_id(week: str, figure: str) -> str:
    """Return the id of an alert: the same week and figure have the same one."""
    return sha256_of([week, figure])[:16]


def state_of_report(
    alerts: Sequence[AnyAlert], inconclusive: Sequence[str], decide_on: DecideOn, *, reviewed: bool
) -> AlertState:
    """Return the state of a report: an alert always counts; on bounds, a figure that is not settled does, too.

    Where nothing was reviewed nothing is known, which is not the same as no alert.
    """
    if alerts:
        return "alert"
    return "inconclusive" if not reviewed or (decide_on == "bound" and inconclusive) else "ok"
