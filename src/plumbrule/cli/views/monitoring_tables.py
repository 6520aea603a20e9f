"""The monitored figures on a terminal: a line for each figure, a row for each week, the refusals, the alerts."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.cli.views.policy_lines import show_policy
from plumbrule.monitoring.monitoring_report import (
    AlertState,
    AnyAlert,
    EstimateResult,
    FigureResult,
    MonitoringReport,
    RefusalResult,
    Status,
    ThresholdAlert,
    interval_says,
)
from plumbrule.reports.figure_text import figure as figure_text
from plumbrule.rubrics import ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import FigureRule, Target

_BARS = "▁▂▃▄▅▆▇█"
_NO_BAR = "·"
_MOST_WEEKS = 12
_DECIMALS = 9  # that a bar's height is rounded to first, so that a value halfway between two bars is halfway
_WIDE = 112  # from here on every column has room
_NAME_WIDTH = 16
STATUS_STYLES: dict[Status | None, str] = {"ON_TARGET": "green", "WATCH": "yellow", "ALERT": "bold red", None: "dim"}
_STATE_STYLES: dict[AlertState | None, str] = {
    "ok": "green",
    "inconclusive": "yellow",
    "alert": "bold red",
    None: "dim",
}
_MARKS: dict[Status | None, str] = {"ON_TARGET": "", "WATCH": " ~", "ALERT": " !", None: ""}
_OPEN = "open +N: the interval holds the alert threshold; about N more reviews in such a week settle it, 4 times in 5"
_SIGNS = {"above": ">", "at_least": "≥", "below": "<", "at_most": "≤"}


def show_monitoring(console: Console, report: MonitoringReport, rubric: ScorecardRubric) -> None:
    """Print the figures, how they developed, and what is at alert."""
    show_policy(console, report.policy)
    if not report.weeks:
        _show_remarks(console, report)
        console.print(plain("INCONCLUSIVE: there are no records; review some interactions first", "bold yellow"))
        return
    console.print(plain(_headline(report), "bold"), soft_wrap=True)
    console.print()
    console.print(_figure_table(report, rubric, narrow=console.width < _WIDE))
    console.print()
    console.print(_week_table(report, rubric))
    if len(report.weeks) > _MOST_WEEKS:
        console.print(plain(f"the last {_MOST_WEEKS} of {len(report.weeks)} weeks; --json has them all", "dim"))
    console.print(plain("~ watch, ! alert; · and none: there is no figure", "dim"))
    if report.inconclusive:
        console.print(plain(_OPEN, "dim"), soft_wrap=True)
    console.print()
    _show_refusals(console, report.refusals)
    _show_remarks(console, report)
    console.print()
    owners = {acknowledgement.alert: acknowledgement for acknowledgement in report.acknowledged}
    for alert in report.alerts:
        limit = f"alert at {figure_text(alert.alert)}"
        state = "new" if alert.id in report.new else "raised before"
        text = f"ALERT {alert.week} {alert.figure} {_figure_value(alert)} ({limit}), {state}"
        console.print(plain(text, "bold red"), soft_wrap=True)
        if (seen := owners.get(alert.id)) is not None:
            console.print(plain(f"  {seen.owner} sees to it: {seen.remedy}"), soft_wrap=True)
    if report.state == "inconclusive":
        undecided = f"no alert, and not settled: {', '.join(report.inconclusive)}"
        why = undecided if report.reviewed else "nothing was reviewed in this period, so that no figure is known"
        console.print(plain(f"INCONCLUSIVE: {why}", "bold yellow"), soft_wrap=True)
    elif not report.alerts:
        console.print(plain("no alert", "green"))
    for key, points in report.drift.items():
        if points and points[-1].sum:
            console.print(plain(f"drift of {key}: {points[-1].sum:.2f} standard errors", "dim"), soft_wrap=True)


def sparkline(values: Sequence[float | None], limits: Sequence[float]) -> str:
    """Return a bar for each value, between the lowest and the highest of values and limits."""
    known = [*limits, *(value for value in values if value is not None)]
    low, high = min(known), max(known)
    scale = (len(_BARS) - 1) / (high - low or 1.0)
    return "".join(
        _NO_BAR if value is None else _BARS[round(round((value - low) * scale, _DECIMALS))] for value in values
    )


def weeks_line(figures: Sequence[FigureResult], rule: FigureRule) -> Text:
    """Return a bar for each week, in the colour of the figure's status in that week."""
    bars = sparkline([figure.value for figure in figures], [float(rule.target.bound), float(rule.alert)])
    return Text.assemble(*((bar, STATUS_STYLES[figure.status]) for bar, figure in zip(bars, figures, strict=True)))


def _show_remarks(console: Console, report: MonitoringReport) -> None:
    for remark in report.remarks:
        console.print(plain(f"remark: {remark}", "yellow"), soft_wrap=True)


def _headline(report: MonitoringReport) -> str:
    of_all = "" if report.interactions is None else f" of {report.interactions:,} interactions"
    first, last = report.weeks[0].week, report.weeks[-1].week
    return f"{first if first == last else f'{first} to {last}'}: {report.reviewed:,} reviewed{of_all}"


def _figure_table(report: MonitoringReport, rubric: ScorecardRubric, *, narrow: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0) if narrow else (0, 1))
    headings = ("", "figure", "weeks", "last", "95%", "weighed", "target", "alert", "")
    for heading in headings if narrow else (*headings, "95% says"):
        table.add_column(heading, justify="left" if heading in {"", "figure", "weeks"} else "right", no_wrap=True)
    shown = report.weeks[-_MOST_WEEKS:]
    for place, rule in enumerate(rubric.figures):
        figures = [week.figures[place] for week in shown]
        last = figures[-1]
        table.add_row(
            str(place + 1),
            plain(_broken(rule.key) if narrow else rule.key),
            weeks_line(figures, rule),
            value_text(last, rule),
            _interval(last),
            value_text(last.reweighted, rule),
            target_sign(rule.target),
            _alert(rule),
            *_standing(last, rule, narrow=narrow),
        )
    return table


def _standing(figure: FigureResult, rule: FigureRule, *, narrow: bool) -> tuple[Text, ...]:
    """Return the status of a figure and what its interval says, in two columns or one below the other."""
    status, state = Text(figure.status or "none", STATUS_STYLES[figure.status]), state_text(figure, rule)
    if not narrow:
        return status, state
    return (Text("\n").join([status, state]) if state else status,)


def state_text(figure: FigureResult, rule: FigureRule) -> Text:
    """Return what the interval says of the alert threshold, and how many more reviews would settle it."""
    says = interval_says(figure, float(rule.alert)) or ""
    more = "" if figure.reviews_to_settle is None else f" +{figure.reviews_to_settle:,}"
    return Text(f"{says}{more}", _STATE_STYLES[figure.state])


def _broken(key: str) -> str:
    """Return a key in lines of at most so many characters, broken after its underscores where it can be."""
    lines = [""]
    for part in key.replace("_", "_\n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part) > _NAME_WIDTH:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _week_table(report: MonitoringReport, rubric: ScorecardRubric) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("week", no_wrap=True)
    for heading in ("reviewed", *(str(place) for place, _ in enumerate(rubric.figures, 1))):
        table.add_column(heading, justify="right", no_wrap=True)
    for week in report.weeks[-_MOST_WEEKS:]:
        table.add_row(week.week, str(week.reviewed), *map(_cell, week.figures, rubric.figures))
    return table


def _cell(figure: FigureResult, rule: FigureRule) -> Text:
    return Text(f"{value_text(figure, rule)}{_MARKS[figure.status]}", STATUS_STYLES[figure.status])


def value_text(figure: FigureResult | EstimateResult | None, rule: FigureRule) -> str:
    """Return a figure with as many digits as it takes to tell it from its alert threshold."""
    return figure_text(None if figure is None else figure.value, against=float(rule.alert))


def _interval(figure: FigureResult) -> str:
    interval = figure.interval_95
    return "none" if interval is None else f"{interval.low:.2f}-{interval.high:.2f}"


def target_sign(target: Target) -> str:
    """Return a target, such as ``> 3.5``."""
    sign = next(sign for name, sign in _SIGNS.items() if getattr(target, name) is not None)
    return f"{sign} {float(target.bound):g}"


def _alert(rule: FigureRule) -> str:
    if rule.alert == rule.target.bound:
        return f"{'<' if rule.target.higher_is_better else '>'} {float(rule.alert):g}"
    return f"{'≤' if rule.target.higher_is_better else '≥'} {float(rule.alert):g}"


def _figure_value(alert: AnyAlert) -> str:
    weighed = alert.reweighted.value if isinstance(alert, ThresholdAlert) and alert.reweighted is not None else None
    value = figure_text(alert.value)
    return value if weighed is None else f"{value}, weighed {figure_text(weighed)}"


def _show_refusals(console: Console, refusals: RefusalResult) -> None:
    code = "none" if refusals.code_accuracy is None else f"{refusals.code_right} of {refusals.code_total}"
    console.print(
        plain(
            f"refusals: {refusals.correct} correct, {refusals.unneeded} unneeded, {refusals.missing} missing, "
            f"{refusals.unknown} not known; right code: {code}"
        ),
        soft_wrap=True,
    )
    labels, counts = refusals.confusion.labels, refusals.confusion.counts
    rows = [place for place, row in enumerate(counts) if any(row)]
    columns = [place for place in range(len(labels)) if any(counts[row][place] for row in rows)]
    if not rows:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("expected ↓ given →", no_wrap=True)
    for column in columns:
        table.add_column(plain(labels[column]), justify="right", overflow="fold")
    for row in rows:
        table.add_row(plain(labels[row]), *(str(counts[row][column]) for column in columns))
    console.print(table)
