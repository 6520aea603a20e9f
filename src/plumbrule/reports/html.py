"""The report as one HTML file: no script, nothing from outside, every text escaped."""

from plumbrule.reports import charts
from plumbrule.reports.figure_text import METHODS
from plumbrule.reports.page import render_page, report_values
from plumbrule.runs.report.run_report import Report

MOST_FAILURES = 300


def render_html(report: Report) -> bytes:
    """Return the report as one HTML file."""
    limits = {gate.name: gate.limit for gate in report.gates}
    return render_page(
        "report.html",
        **report_values(report, most_failures=MOST_FAILURES),
        gate_charts={gate.name: charts.gate_chart(gate) for gate in report.gates},
        score_chart=charts.spread_chart(report.scores, title="sample_score over the samples"),
        latency_chart=charts.spread_chart(report.latencies, title="latency_e2e_ms over the samples", unit=" ms"),
        repeats_chart=charts.repeats_chart(report.repeats, limit=limits["aggregate_score"]),
        category_charts=[
            charts.rate_chart(
                category.pass_rate, category.interval.low, category.interval.high, limit=limits["pass_rate"]
            )
            for category in report.categories
        ],
        heat=heat_rows(report),
        methods=METHODS,
    )


def heat_rows(report: Report) -> list[tuple[int | None, list[tuple[int, int]]]]:
    """Return the table of the two scores: each row's accuracy with the count and the shade (0 to 4) of every cell."""
    most = max((cell.samples for cell in report.heat), default=0) or 1
    rows: dict[int | None, list[tuple[int, int]]] = {}
    for cell in report.heat:
        rows.setdefault(cell.accuracy_score, []).append((cell.samples, -(-cell.samples * 4 // most)))
    return list(rows.items())
