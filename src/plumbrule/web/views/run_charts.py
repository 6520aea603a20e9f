"""The charts of a run, and the reasons of its decision with where each is explained on the page."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from plumbrule.reports import charts
from plumbrule.reports.figure_text import METADATA_TITLES
from plumbrule.runs.report.run_report import Reason, Report, ReportGate
from plumbrule.runs.report.sample_rows import RunView

MOST_CATEGORIES = 200  # that a page shows
_PARTS: Mapping[str, str] = {
    "repeat": "#repeats",
    "repeats": "#repeats",
    "metadata": "#metadata",
    "floating": "#metadata",
    "corrections": "#ledger",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCharts:
    """Every chart of a run's page."""

    gates: Mapping[str, Markup]
    scores: Markup
    latencies: Markup
    tokens: Markup
    repeats: Markup
    categories: tuple[Markup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedReason:
    """A reason of a decision; one about a gate begins with the gate's title, whose key is ``key``."""

    blocking: bool
    key: str | None
    title: str | None
    text: str
    address: str | None


def run_charts(view: RunView) -> RunCharts:
    """Draw a run."""
    report = view.report
    limits = {gate.name: gate.limit for gate in report.gates}
    return RunCharts(
        gates={gate.name: charts.gate_chart(gate) for gate in report.gates},
        scores=charts.spread_chart(report.scores, title="Score of the samples"),
        latencies=charts.spread_chart(report.latencies, title="Latency of the samples", unit=" ms"),
        tokens=charts.spread_chart(view.tokens, title="Tokens of the samples"),
        repeats=charts.repeats_chart(report.repeats, limit=limits.get("aggregate_score")),
        categories=tuple(
            charts.rate_chart(each.pass_rate, each.interval.low, each.interval.high, limit=limits.get("pass_rate"))
            for each in report.categories[:MOST_CATEGORIES]
        ),
    )


def linked_reasons(report: Report) -> tuple[LinkedReason, ...]:
    """Return the reasons of a decision, each with the part of the page that explains it."""
    return tuple(_linked(reason, report) for reason in report.reasons)


def linked_gate(text: str, gate: ReportGate, *, blocking: bool = True) -> LinkedReason:
    """Return a sentence that begins with the key of a gate, with its title in place of the key."""
    rest = text.removeprefix(gate.name)
    return LinkedReason(blocking=blocking, key=gate.name, title=gate.title, text=rest, address=f"#gate-{gate.name}")


def _linked(reason: Reason, report: Report) -> LinkedReason:
    for gate in report.gates:
        if reason.kind in {"gate", "inconclusive"} and reason.text.startswith(f"{gate.name} "):
            return linked_gate(reason.text, gate, blocking=reason.blocking)
    text = reason.text
    if reason.kind == "metadata":
        for name in sorted(report.metadata.missing(), key=len, reverse=True):
            text = text.replace(name, METADATA_TITLES[name].lower())
    return LinkedReason(blocking=reason.blocking, key=None, title=None, text=text, address=_PARTS.get(reason.kind))
