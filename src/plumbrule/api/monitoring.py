"""Monitoring for Python callers: the figures by week with their alerts, feedback, regression samples, incidents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from plumbrule.api.ledger_access import Ledgers, opened
from plumbrule.codec import json_line
from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.files import written_whole
from plumbrule.interactions.interaction_reader import Source
from plumbrule.interactions.weeks import monday_of
from plumbrule.ledger import Ledger
from plumbrule.monitoring.acknowledgements import acknowledge, acknowledgements_of
from plumbrule.monitoring.alerts import alerts_of, definition_of, find_alert, keep_alerts, not_kept, post_alerts
from plumbrule.monitoring.feedback_patterns import Feedback, patterns_in
from plumbrule.monitoring.incident_file import incident_on
from plumbrule.monitoring.incident_model import Incident
from plumbrule.monitoring.interaction_lookup import Located, locate
from plumbrule.monitoring.monitoring_report import (
    Acknowledgement,
    AlertFile,
    AnyAlert,
    MonitoringReport,
    state_of_report,
)
from plumbrule.monitoring.regression_samples import TakenSample, append_sample, regression_sample
from plumbrule.monitoring.reviewed_interactions import (
    ReviewedInteraction,
    ReviewedInteractions,
    reviewed_by_own_rubric,
    reviewed_in_files,
    reviewed_in_ledger,
    reviews_of,
)
from plumbrule.monitoring.webhook import Webhook
from plumbrule.monitoring.week_reviews import WeekReviews, reviews_by_week
from plumbrule.monitoring.weekly_figures import figures_over
from plumbrule.names import check_word, nearest
from plumbrule.outcomes import DecideOn
from plumbrule.reports.incident_html import render_incident
from plumbrule.reports.json import render_json
from plumbrule.reviews.interaction_archive import find_interaction
from plumbrule.rubrics import Loaded, ScorecardRubric, check_policy, load_scorecard

VIEW_KINDS = ("record", "campaign", "interaction", "rubric", "alert")  # of the entries that a view is made from
_ALERT_FILE_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """Where reviews come from: the records of a ledger, or of a file beside a file of interactions.

    With ``triggers`` only records of these triggers count, with ``strata`` only interactions drawn from these strata.
    ``loaded`` is the rubric that decides on the records.
    """

    ledger: Ledger | None = None
    records: str | None = None
    interactions: Source | None = None
    triggers: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    loaded: Loaded[ScorecardRubric]

    def __post_init__(self) -> None:
        """Check that the rubric has the triggers, and that there is one source."""
        if (self.ledger is None) == (self.records is None):
            raise UsageError("records come either from a ledger or from a file: name one of them")
        check_triggers(self.triggers, self.loaded.rubric)

    def read(self) -> ReviewedInteractions:
        """Return what was reviewed."""
        if self.ledger is not None:
            reviewed = reviewed_in_ledger(self.ledger, self.loaded, triggers=self.triggers)
        else:
            reviewed = reviewed_in_files(self.records or "", self.interactions, self.loaded, triggers=self.triggers)
        return reviewed.within(self.strata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitored:
    """The report of the figures; ``failure`` is why alerts could not be kept or posted, if they could not."""

    report: MonitoringReport
    failure: PlumbruleError | None


def check_triggers(triggers: Sequence[str], rubric: ScorecardRubric) -> None:
    """Raise where the rubric does not have a trigger."""
    known = [trigger.key for trigger in rubric.triggers]
    for trigger in triggers:
        if trigger not in known:
            hint = nearest(trigger, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"--trigger: there is no trigger '{trigger[:40]}'{hint}")


def check_weeks(first: str | None, last: str | None) -> None:
    """Raise where a week is not an ISO week, or the first is after the last."""
    for week in (first, last):
        if week is not None:
            monday_of(week)
    if first is not None and last is not None and first > last:
        raise UsageError(f"--from {first} is after --to {last}")


def monitor(
    reviews: Reviews,
    *,
    first: str | None = None,
    last: str | None = None,
    alert_file: Path | None = None,
    webhook: Webhook | None = None,
    decide_on: DecideOn | None = None,
    accept_weaker_policy: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Monitored:
    """Return the figures week by week with their alerts, keep new alerts in the ledger, and post them to a webhook.

    Without a ledger all alerts are new, and all are posted. ``decide_on`` bound makes the report inconclusive where
    nothing is at alert and the interval of a figure in the last week with reviews holds its threshold; the rubric may
    ask for that as well. Where nothing was reviewed the report is inconclusive in any case. A rubric that is weaker
    than the one that ships is an error, unless it is accepted; the report then says so.
    """
    check_word("decide_on", decide_on, get_args(DecideOn))
    check_weeks(first, last)
    policy = check_policy(reviews.loaded, accept_weaker=accept_weaker_policy)
    report = _report_on(reviews, reviews.read(), first=first, last=last, decide_on=decide_on)
    alerts = report.alerts
    if alert_file is not None:
        names = tuple(week.week for week in report.weeks)
        content = AlertFile(version=_ALERT_FILE_VERSION, weeks=names, alerts=alerts, rubric=report.rubric)
        with written_whole(alert_file) as file:
            file.write(json_line(content, indent=True))
    new: Sequence[AnyAlert] = alerts
    posted: Sequence[AnyAlert] = ()
    failure: PlumbruleError | None = None
    try:
        if reviews.ledger is not None:
            new = keep_alerts(reviews.ledger, alerts, at=now())
        if webhook is not None and alerts:
            posted = _post(reviews.ledger, alerts, webhook, now)
    except PlumbruleError as error:
        failure = error
    report = replace(
        report,
        new=tuple(alert.id for alert in new),
        posted=tuple(alert.id for alert in posted),
        policy=policy or None,
    )
    return Monitored(report=report, failure=failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringView:
    """All that is shown of what was reviewed, made in one reading; nothing was written."""

    report: MonitoringReport
    weeks: Mapping[str, WeekReviews]  # every week with a review, also those that the report does not show
    feedback: Feedback
    strata: tuple[str, ...]  # that anything was drawn from


def view_monitoring(reviews: Reviews, *, first: str | None = None, last: str | None = None) -> MonitoringView:
    """Return the figures with their alerts, the reviews of every week, and the patterns in them; keep nothing.

    An alert that the ledger does not have yet is new until ``monitor`` or ``acknowledge_alert`` keeps it.
    """
    check_weeks(first, last)
    everything = replace(reviews, strata=()).read()
    reviewed = everything.within(reviews.strata)
    report = _report_on(reviews, reviewed, first=first, last=last)
    new = report.alerts if reviews.ledger is None else not_kept(reviews.ledger, report.alerts)
    return MonitoringView(
        report=replace(
            report,
            new=tuple(alert.id for alert in new),
            policy=check_policy(reviews.loaded, accept_weaker=True) or None,
        ),
        weeks=reviews_by_week(reviewed),
        feedback=patterns_in(reviewed, reviews.loaded),
        strata=everything.strata,
    )


def acknowledged(alerts: Sequence[AnyAlert], ledger: Ledgers = None) -> tuple[Acknowledgement, ...]:
    """Return the last acknowledgement of each of these alerts that has any."""
    with opened(ledger) as store:
        return acknowledgements_of(store, alerts)


def _report_on(
    reviews: Reviews,
    reviewed: ReviewedInteractions,
    *,
    first: str | None,
    last: str | None,
    decide_on: DecideOn | None = None,
) -> MonitoringReport:
    """Return the figures of what was reviewed, before anything is kept or posted."""
    rubric = reviews.loaded.rubric
    figures = figures_over(reviewed, reviews.loaded, first=first, last=last)
    alerts = alerts_of(figures, reviews.loaded)
    inconclusive = tuple(figure.key for figure in figures.inconclusive)
    decided_on: DecideOn = "bound" if "bound" in {decide_on, rubric.decide_on} else "point"
    return MonitoringReport(
        figures=tuple(definition_of(rule, rubric) for rule in rubric.figures),
        weeks=tuple(week.result() for week in figures.weeks),
        drift=figures.drift,
        drift_alarm_at=float(rubric.drift.alarm_at),
        refusals=figures.refusals.result(),
        alerts=alerts,
        rubric=figures.rubric,
        new=(),
        posted=(),
        remarks=(*reviewed.remarks, *figures.remarks),
        decide_on=decided_on,
        state=state_of_report(alerts, inconclusive, decided_on, reviewed=any(week.reviewed for week in figures.weeks)),
        inconclusive=inconclusive,
        acknowledged=() if reviews.ledger is None else acknowledgements_of(reviews.ledger, alerts),
    )


def _post(
    ledger: Ledger | None, alerts: Sequence[AnyAlert], webhook: Webhook, now: Callable[[], datetime]
) -> Sequence[AnyAlert]:
    if ledger is not None:
        return post_alerts(ledger, alerts, webhook, at=now())
    webhook.post(alerts, ledger_id=None)
    return alerts


def acknowledge_alert(
    reviews: Reviews,
    alert_id: str,
    *,
    owner: str,
    remedy: str,
    author: str,
    after: int | None = None,
    at: datetime | None = None,
) -> Acknowledgement:
    """Keep in the ledger who sees to an alert and what is done about it.

    The alert is one that is kept, or that the figures raise now. ``after`` is the number of the last acknowledgement
    that the author has seen, 0 for none; a later one is an error.
    """
    ledger = reviews.ledger
    if ledger is None:
        raise UsageError("an alert is acknowledged in a ledger: name one")
    alert = find_alert(ledger, alert_id)
    if alert is None:
        raised = _report_on(reviews, reviews.read(), first=None, last=None).alerts
        alert = next((one for one in raised if one.id == alert_id), None)
    if alert is None:
        raise UsageError(f"{ledger.name}: there is no alert '{alert_id[:40]}'")
    moment = at or datetime.now(UTC)
    return acknowledge(ledger, alert, owner=owner, remedy=remedy, author=author, at=moment, after=after)


def feedback(reviews: Reviews) -> Feedback:
    """Return the patterns in what was reviewed."""
    return patterns_in(reviews.read(), reviews.loaded)


def take_sample(
    trace_id: str, dataset: Path, *, ledger: Ledger | None, source: Source | None = None, passages: Source | None = None
) -> TakenSample:
    """Add an interaction to a dataset as a regression sample, with what the reviews of it say should have been."""
    located = locate(trace_id, ledger=ledger, source=source, passages=passages)
    reviews = [] if ledger is None else _reviews_of(located, ledger)
    rubric = reviews[-1].rubric if reviews else load_scorecard()
    of_one_scorecard = [review for review in reviews if review.rubric.sha256 == rubric.sha256]
    return append_sample(dataset, regression_sample(located.known, of_one_scorecard, rubric.rubric))


def _reviews_of(located: Located, ledger: Ledger) -> list[ReviewedInteraction]:
    """Return the reviews of this version: those of another one say nothing of it."""
    reviewed = reviewed_by_own_rubric(ledger, [located.trace_id])
    return reviews_of(located.trace_id, reviewed, version=located.version)


def incident(
    trace_id: str,
    *,
    ledger: Ledger | None = None,
    source: Source | None = None,
    passages: Source | None = None,
    verdict_rubric: Source | None = None,
    thorough: bool = True,
) -> Incident:
    """Return everything that is known about an interaction.

    It is looked for at the path ``source``, then in the ledger. ``verdict_rubric`` is a file laid over the verdict
    rubric, such as a calibration of the support score. With ``thorough=False`` the runs that have it as a sample and
    the interactions that are similar are left out, for which the whole ledger must be read.
    """
    return incident_on(
        trace_id,
        ledger=ledger,
        source=source,
        passages=passages,
        verdict_rubric=verdict_rubric,
        thorough=thorough,
    )


def find_trace(trace_id: str, *, ledger: Ledger) -> str:
    """Return the whole trace id of the interaction that is meant, by its id or the only beginning of it."""
    return locate(trace_id, ledger=ledger, source=None, passages=None).trace_id


def questions_of(trace_ids: Iterable[str], *, ledger: Ledger) -> dict[str, str]:
    """Return the question of each of these interactions, as it was kept last; those that are not kept are left out."""
    found = {trace_id: find_interaction(ledger, trace_id) for trace_id in trace_ids}
    return {trace_id: stored.rebuild().sample.question for trace_id, stored in found.items() if stored is not None}


def incident_renderer(path: Path) -> Callable[[Incident], bytes]:
    """Return the function that writes an incident in the format that the suffix of a file names."""
    renderer = FORMATS.get(path.suffix.lower())
    if renderer is None:
        raise UsageError(f"{path}: an incident is written to {' or '.join(FORMATS)}: name the file so")
    return renderer


def write_incident(
    trace_id: str,
    path: Path,
    *,
    ledger: Ledger | None = None,
    source: Source | None = None,
    passages: Source | None = None,
    verdict_rubric: Source | None = None,
) -> Incident:
    """Write everything that is known about an interaction to a file, in the format of its suffix; return it."""
    render = incident_renderer(path)
    known = incident(trace_id, ledger=ledger, source=source, passages=passages, verdict_rubric=verdict_rubric)
    with written_whole(path) as file:
        file.write(render(known))
    return known


FORMATS: dict[str, Callable[[Incident], bytes]] = {".html": render_incident, ".json": render_json}
