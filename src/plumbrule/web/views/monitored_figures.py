"""What several pages show of monitoring: filters in their addresses, a figure with its chart, alerts with owners."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, Query
from markupsafe import Markup

from plumbrule.api.monitoring import VIEW_KINDS, MonitoringView, Reviews, view_monitoring
from plumbrule.errors import UsageError
from plumbrule.monitoring.monitoring_report import (
    Acknowledgement,
    AnyAlert,
    FigureDefinition,
    FigureResult,
    MonitoringReport,
)
from plumbrule.rubrics import load_scorecard
from plumbrule.web.addresses import with_query
from plumbrule.web.kept_views import Made, View, newest
from plumbrule.web.visit import Visit

_LONGEST_FILTER = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What the reader of a page about monitoring asked to see, as it stands in the address."""

    triggers: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    first: str | None = None
    last: str | None = None

    @property
    def any(self) -> bool:
        """Whether anything is left out."""
        return bool(self.triggers or self.strata or self.first or self.last)

    def fields(self) -> dict[str, object]:
        """Return the filters as the query of an address names them."""
        return {"trigger": self.triggers, "stratum": self.strata, "from": self.first, "to": self.last}

    def query(self) -> str:
        """Return the filters as they are appended to an address, with the question mark where there are any."""
        return with_query("", self.fields())


def read_filters(
    trigger: Annotated[list[str], Query()] = [],  # noqa: B006 - FastAPI copies it
    stratum: Annotated[list[str], Query()] = [],  # noqa: B006 - the same
    first: Annotated[str, Query(alias="from", max_length=_LONGEST_FILTER)] = "",
    last: Annotated[str, Query(alias="to", max_length=_LONGEST_FILTER)] = "",
) -> Filters:
    """Return the filters that an address has; an empty field of a form is none."""
    triggers, strata = (tuple(dict.fromkeys(filter(None, given))) for given in (trigger, stratum))
    return Filters(triggers=triggers, strata=strata, first=first.strip() or None, last=last.strip() or None)


Filtering = Annotated[Filters, Depends(read_filters)]


def recall_view(visit: Visit, filters: Filters) -> Made[MonitoringView]:
    """Return what was monitored, as the filters ask for it."""
    if filters.strata:  # known already, so that nothing is read for a stratum that there is not
        strata = visit.recall(monitoring_view(Filters())).value.strata
        unknown = next((stratum for stratum in filters.strata if stratum not in strata), None)
        if unknown is not None:
            raise UsageError(f"nothing was drawn from a stratum '{unknown[:40]}'")
    return visit.recall(monitoring_view(filters))


def monitoring_view(filters: Filters) -> View[MonitoringView]:
    """Return the view of what was monitored."""
    return View(
        name=f"monitoring{filters.query()}",
        kind=MonitoringView,
        stamp=partial(newest, kinds=VIEW_KINDS),
        make=lambda ledger: view_monitoring(
            Reviews(ledger=ledger, loaded=load_scorecard(), triggers=filters.triggers, strata=filters.strata),
            first=filters.first,
            last=filters.last,
        ),
        weigh=lambda view: sum(len(week.reviews) for week in view.weeks.values()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureChart:
    """A figure with the result of its last week and its chart."""

    definition: FigureDefinition
    result: FigureResult | None
    chart: Markup


def last_results(report: MonitoringReport) -> tuple[FigureResult | None, ...]:
    """Return each figure of the last week that has reviews, None where there is no such week."""
    reviewed = [week for week in report.weeks if week.reviewed]
    return reviewed[-1].figures if reviewed else (None,) * len(report.figures)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRow:
    """An alert, and who sees to it."""

    alert: AnyAlert
    acknowledgement: Acknowledgement | None


def alert_rows(alerts: Sequence[AnyAlert], acknowledged: Sequence[Acknowledgement]) -> list[AlertRow]:
    """Return the alerts, the latest first, each with its acknowledgement."""
    known = {acknowledgement.alert: acknowledgement for acknowledgement in acknowledged}
    return [AlertRow(alert=alert, acknowledgement=known.get(alert.id)) for alert in reversed(alerts)]
