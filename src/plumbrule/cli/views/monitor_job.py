"""Monitoring from the command line: compute the figures, raise the alerts, show both."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbrule.cli.ledger_access import now, open_here
from plumbrule.cli.terminal_console import print_json, stdout
from plumbrule.cli.views.monitoring_tables import show_monitoring
from plumbrule.codec import json_line
from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.files import written_whole
from plumbrule.ledger import Ledger
from plumbrule.monitoring.alerts import Alert, alerts_of, figures_over, raise_alerts, target_text
from plumbrule.monitoring.reviewed_interactions import Cases, cases_of_files, cases_of_ledger
from plumbrule.monitoring.webhook import Webhook
from plumbrule.monitoring.weekly_figures import Monitoring
from plumbrule.names import nearest
from plumbrule.reviews.weeks import monday_of
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard, parse_override


@dataclass(kw_only=True)
class CardSource:
    """Where records come from, and the rubric that decides on them."""

    records: str | None = None
    interactions: str | None = None
    triggers: tuple[str, ...] = ()
    rubric: Path | None = None
    settings: tuple[str, ...] = ()
    ledger_url: str | None = None

    def __post_init__(self) -> None:
        self.loaded: Loaded[ScorecardRubric] = load_scorecard(
            self.rubric, dict(parse_override(setting) for setting in self.settings)
        )
        if self.interactions is not None and self.records is None:
            raise UsageError("--interactions goes with --records: the ledger has its own")
        if self.records is not None and self.ledger_url is not None:
            raise UsageError("--records and --ledger are two places for records: name one")
        known = [trigger.key for trigger in self.loaded.rubric.triggers]
        for trigger in self.triggers:
            if trigger not in known:
                hint = nearest(trigger, known) or f"; there are {', '.join(known)}"
                raise UsageError(f"--trigger: there is no trigger '{trigger[:40]}'{hint}")

    def read(self, ledger: Ledger | None) -> Cases:
        """Return what was reviewed."""
        if ledger is not None:
            return cases_of_ledger(ledger, self.loaded, triggers=self.triggers)
        return cases_of_files(self.records or "", self.interactions, self.loaded, triggers=self.triggers)


@dataclass(kw_only=True)
class MonitorJob(CardSource):
    """What the command line asked for."""

    first: str | None = None
    last: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._webhook: Webhook | None = None
        for week in (self.first, self.last):
            if week is not None:
                monday_of(week)
        if self.first is not None and self.last is not None and self.first > self.last:
            raise UsageError(f"--from {self.first} is after --to {self.last}")

    def post_to(self, url: str, *, secret_env: str, allow_private: bool, timeout_s: float) -> None:
        """Name the receiver of alerts."""
        self._webhook = Webhook(url, secret_env=secret_env, allow_private=allow_private, timeout_s=timeout_s)

    def run(self, *, alert_file: Path | None, as_json: bool) -> bool:
        """Show the figures, then keep and post the alerts; tell whether there are any."""
        if self.records is None:
            with open_here(self.ledger_url) as ledger:
                return self._run(ledger, alert_file=alert_file, as_json=as_json)
        return self._run(None, alert_file=alert_file, as_json=as_json)

    def _run(self, ledger: Ledger | None, *, alert_file: Path | None, as_json: bool) -> bool:
        cases = self.read(ledger)
        found = figures_over(cases, self.loaded, first=self.first, last=self.last)
        alerts = alerts_of(found, self.loaded)
        if alert_file is not None:
            _write(alert_file, found, alerts)
        new: list[Alert] = alerts
        posted: list[Alert] = []
        failed: PlumbruleError | None = None
        try:
            if ledger is not None:
                new, _ = raise_alerts(ledger, alerts, at=now())
            posted = self._post(ledger, alerts)
        except PlumbruleError as error:
            failed = error  # the figures are shown first
        if as_json:
            print_json(self._json(found, alerts, new, posted, cases))
        else:
            show_monitoring(
                stdout(), found, self.loaded.rubric, alerts=alerts, new={alert.subject for alert in new}, cases=cases
            )
            if self._webhook is not None and failed is None:
                stdout().print(f"posted to {self._webhook.host}: {len(posted)}", soft_wrap=True, markup=False)
        if failed is not None:
            raise failed
        return bool(alerts)

    def _post(self, ledger: Ledger | None, alerts: list[Alert]) -> list[Alert]:
        """Post what the receiver has not had yet, and return it."""
        if self._webhook is None or not alerts:
            return []
        if ledger is not None:
            return raise_alerts(ledger, alerts, at=now(), webhook=self._webhook)[1]
        self._webhook.post([alert.body for alert in alerts], ledger_id=None)
        return alerts

    def _json(
        self, found: Monitoring, alerts: list[Alert], new: list[Alert], posted: list[Alert], cases: Cases
    ) -> dict[str, Any]:
        rules = [
            {"key": rule.key, "title": rule.title, "target": target_text(rule.target), "alert": float(rule.alert)}
            for rule in self.loaded.rubric.figures
        ]
        return {
            "figures": rules,
            **found.to_dict(),
            "alerts": [alert.body for alert in alerts],
            "new": [alert.body["id"] for alert in new],
            "posted": [alert.body["id"] for alert in posted],
            "remarks": list(cases.remarks),
        }


def _write(path: Path, found: Monitoring, alerts: list[Alert]) -> None:
    """Write the alerts shown; a file without any says that there are none."""
    content = {
        "version": 1,
        "weeks": [week.week for week in found.weeks],
        "alerts": [alert.body for alert in alerts],
        "rubric": dict(found.rubric),
    }
    with written_whole(path) as file:
        file.write(json_line(content, indent=True))
