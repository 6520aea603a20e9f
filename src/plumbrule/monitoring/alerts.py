"""Monitoring for Python callers and the command line: the figures by week, and the alerts that they raise."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from plumbrule.hashing import sha256_of
from plumbrule.ledger import Draft, Ledger
from plumbrule.ledger.entry import escaped
from plumbrule.monitoring.reviewed_interactions import Cases
from plumbrule.monitoring.webhook import Webhook
from plumbrule.monitoring.weekly_figures import Monitoring, Reviewed, monitor
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import Target

AUTHOR = "plumbrule monitor"
DRIFT = "drift"
_ROOM = "monitor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A figure of one week that stands at or past its alert threshold, or that drifts."""

    week: str
    figure: str
    body: dict[str, Any]

    @property
    def subject(self) -> str:
        """The place of the alert in the ledger: one for each week and figure."""
        return f"{_ROOM}/{self.week}/{escaped(self.figure)}"


def figures_over(
    cases: Cases, loaded: Loaded[ScorecardRubric], *, first: str | None = None, last: str | None = None
) -> Monitoring:
    """Return the figures by week of what was reviewed."""
    reviewed = [
        Reviewed(
            date=case.date,
            scores=case.settlement.scores,
            overall=case.decision.overall,
            draw=case.draw,
            stratum=case.stratum,
            refusal=case.refusal,
        )
        for case in cases.cases
    ]
    return monitor(
        reviewed, loaded, populations=cases.populations, interactions=cases.interactions, first=first, last=last
    )


def alerts_of(monitoring: Monitoring, loaded: Loaded[ScorecardRubric]) -> list[Alert]:
    """Return the alerts, the earliest first, each with the figure and the rule that it breaks."""
    rules = {rule.key: rule for rule in loaded.rubric.figures}
    alerts = []
    for week in monitoring.weeks:
        for figure in week.figures:
            if figure.status == "ALERT":
                rule = rules[figure.key]
                limits = {"title": rule.title, "target": target_text(rule.target), "alert": float(rule.alert)}
                shown = {name: value for name, value in figure.to_dict().items() if name != "key"}
                alerts.append(_alert(week.week, figure.key, {"kind": "threshold", **limits, **shown}))
    limit = float(loaded.rubric.drift.alarm_at)
    for key, line in monitoring.drift.items():
        for point in line:
            if point.alarm:
                said = {"kind": DRIFT, "title": f"{rules[key].title}: drift", "alert": limit, "value": point.sum}
                alerts.append(_alert(point.week, f"{key} {DRIFT}", said))
    return sorted(
        (Alert(week=each.week, figure=each.figure, body={**each.body, "rubric": loaded.stamp()}) for each in alerts),
        key=lambda alert: alert.week,
    )


def raise_alerts(
    ledger: Ledger, alerts: Sequence[Alert], *, at: datetime, webhook: Webhook | None = None
) -> tuple[list[Alert], list[Alert]]:
    """Keep each alert once, post those that this webhook has not had yet; return those that are new and those posted.

    What was posted is noted after the receiver took it: an alert may come twice, and none is lost.
    """
    if not _new(ledger, alerts) and webhook is None:
        return [], []  # a ledger that can only be read is enough to look at it
    with ledger.hold(_ROOM):
        new = _new(ledger, alerts)
        _keep(ledger, "alert", [(alert, alert.body) for alert in new], at)
        if webhook is None:
            return new, []
        notes = ledger.entries(kind="note", run=_ROOM)
        had = {entry.subject for entry in notes if entry.value.get("webhook") == webhook.name}
        due = [alert for alert in alerts if alert.subject not in had]
        if due:
            delivery = webhook.post([alert.body for alert in due], ledger_id=ledger.ledger_id)
            body = {"event": "posted", "webhook": webhook.name, "delivery": delivery}
            _keep(ledger, "note", [(alert, body) for alert in due], at)
    return new, due


def _new(ledger: Ledger, alerts: Sequence[Alert]) -> list[Alert]:
    kept = {entry.subject for entry in ledger.entries(kind="alert", run=_ROOM)}
    return [alert for alert in alerts if alert.subject not in kept]


def _keep(ledger: Ledger, kind: str, bodies: Sequence[tuple[Alert, object]], at: datetime) -> None:
    if bodies:
        ledger.append_many(
            Draft(kind=kind, subject=alert.subject, body=body, author=AUTHOR, at=at) for alert, body in bodies
        )


def target_text(target: Target) -> str:
    """Return a target in words, such as ``above 3.5``."""
    bounds = {name: getattr(target, name) for name in ("above", "at_least", "below", "at_most")}
    [(name, bound)] = [(name, bound) for name, bound in bounds.items() if bound is not None]
    return f"{name.replace('_', ' ')} {float(bound):g}"


def _alert(week: str, figure: str, body: dict[str, Any]) -> Alert:
    return Alert(
        week=week, figure=figure, body={"id": sha256_of([week, figure])[:16], "week": week, "figure": figure, **body}
    )
