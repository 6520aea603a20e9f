"""Alerts: raised by the figures, kept in the ledger once, posted to a webhook once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from plumbrule.codec import from_json, to_json
from plumbrule.errors import InputError
from plumbrule.ledger import Draft, Entry, Ledger
from plumbrule.monitoring.monitoring_report import (
    ROOM,
    AnyAlert,
    DriftAlert,
    DriftPoint,
    FigureDefinition,
    ThresholdAlert,
    alert_id,
)
from plumbrule.monitoring.webhook import Webhook
from plumbrule.monitoring.weekly_figures import Figure, Monitoring, scale_of
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import FigureRule, Target

AUTHOR = "plumbrule monitor"
_KINDS: dict[object, type[ThresholdAlert | DriftAlert]] = {"threshold": ThresholdAlert, "drift": DriftAlert}


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedNote:
    """The body of a note that an alert was posted; the webhook is known by a hash of its address."""

    event: str
    webhook: str
    delivery: str


def read_alert(entry: Entry) -> AnyAlert:
    """Return the alert that an entry of the ledger holds."""
    where = f"entry {entry.sequence}, {entry.subject}"
    body = entry.value
    kind = body.get("kind") if isinstance(body, dict) else None
    if kind not in _KINDS:
        raise InputError(f"{where}: 'kind' cannot be read: it must be threshold or drift")
    return from_json(_KINDS[kind], body, where=where)


def read_posted_note(entry: Entry) -> PostedNote:
    """Return the note that an entry of the ledger holds on an alert."""
    return from_json(PostedNote, entry.value, where=f"entry {entry.sequence}, {entry.subject}")


def kept_alerts(ledger: Ledger, week: str) -> Iterator[Entry]:
    """Yield the entries of the alerts of one week."""
    return iter(ledger.entries(kind="alert", run=f"{ROOM}/{week}"))


def find_alert(ledger: Ledger, wanted: str) -> AnyAlert | None:
    """Return the alert with this id, where the ledger keeps it."""
    alerts = (read_alert(entry) for entry in ledger.entries(kind="alert", run=ROOM))
    return next((alert for alert in alerts if alert.id == wanted), None)


def alerts_of(monitoring: Monitoring, loaded: Loaded[ScorecardRubric]) -> tuple[AnyAlert, ...]:
    """Return the alerts, the earliest first, each with the figure and the rule that it breaks."""
    rules = {rule.key: rule for rule in loaded.rubric.figures}
    alerts: list[AnyAlert] = [
        _threshold_alert(week.week, figure, rules[figure.key], loaded)
        for week in monitoring.weeks
        for figure in week.figures
        if figure.status == "ALERT"
    ]
    alerts += [
        _drift_alert(rules[key], point, loaded)
        for key, points in monitoring.drift.items()
        for point in points
        if point.alarm
    ]
    return tuple(sorted(alerts, key=lambda alert: alert.week))


def definition_of(rule: FigureRule, rubric: ScorecardRubric) -> FigureDefinition:
    """Return what a figure is held against."""
    low, high = scale_of(rule, rubric)
    return FigureDefinition(
        key=rule.key,
        title=rule.title,
        target=target_text(rule.target),
        alert=float(rule.alert),
        bound=float(rule.target.bound),
        higher_is_better=rule.target.higher_is_better,
        scale=(float(low), float(high)),
    )


def target_text(target: Target) -> str:
    """Return a target in words, such as ``above 3.5``."""
    bounds = {name: getattr(target, name) for name in ("above", "at_least", "below", "at_most")}
    [(name, bound)] = [(name, bound) for name, bound in bounds.items() if bound is not None]
    return f"{name.replace('_', ' ')} {float(bound):g}"


def keep_alerts(ledger: Ledger, alerts: Sequence[AnyAlert], *, at: datetime) -> list[AnyAlert]:
    """Keep each alert once, and return those that are new."""
    if not not_kept(ledger, alerts):
        return []  # read access to the ledger is enough where there is nothing to keep
    with ledger.hold(ROOM):
        new = not_kept(ledger, alerts)
        _append(ledger, "alert", [(alert, alert) for alert in new], at)
    return new


def post_alerts(ledger: Ledger, alerts: Sequence[AnyAlert], webhook: Webhook, *, at: datetime) -> list[AnyAlert]:
    """Post the alerts that this webhook has not had yet, and return them.

    A note is kept after the receiver took them: an alert may be posted twice, and none is lost.
    """
    with ledger.hold(ROOM):
        notes = ((entry.subject, read_posted_note(entry)) for entry in ledger.entries(kind="note", run=ROOM))
        posted = {subject for subject, note in notes if note.webhook == webhook.name}
        due = [alert for alert in alerts if alert.subject not in posted]
        if due:
            delivery = webhook.post(due, ledger_id=ledger.ledger_id)
            note = PostedNote(event="posted", webhook=webhook.name, delivery=delivery)
            _append(ledger, "note", [(alert, note) for alert in due], at)
    return due


def not_kept(ledger: Ledger, alerts: Sequence[AnyAlert]) -> list[AnyAlert]:
    """Return the alerts that the ledger does not have yet."""
    subjects = {entry.subject for entry in ledger.entries(kind="alert", run=ROOM)}
    return [alert for alert in alerts if alert.subject not in subjects]


def _append(ledger: Ledger, kind: str, bodies: Sequence[tuple[AnyAlert, object]], at: datetime) -> None:
    if bodies:
        ledger.append_many(
            Draft(kind=kind, subject=alert.subject, body=to_json(body), author=AUTHOR, at=at) for alert, body in bodies
        )


def _threshold_alert(week: str, figure: Figure, rule: FigureRule, loaded: Loaded[ScorecardRubric]) -> ThresholdAlert:
    result = figure.result()
    return ThresholdAlert(
        id=alert_id(week, figure.key),
        week=week,
        figure=figure.key,
        kind="threshold",
        title=rule.title,
        target=target_text(rule.target),
        alert=float(rule.alert),
        total=result.total,
        value=result.value,
        interval_95=result.interval_95,
        status="ALERT",
        reweighted=result.reweighted,
        rubric=loaded.stamp(),
    )


def _drift_alert(rule: FigureRule, point: DriftPoint, loaded: Loaded[ScorecardRubric]) -> DriftAlert:
    figure = f"{rule.key} drift"
    return DriftAlert(
        id=alert_id(point.week, figure),
        week=point.week,
        figure=figure,
        kind="drift",
        title=f"{rule.title}: drift",
        alert=float(loaded.rubric.drift.alarm_at),
        value=point.sum,
        rubric=loaded.stamp(),
    )
