"""The monitored figures on a terminal: a line for each figure, a row for each week, the refusals, the alerts."""

from collections.abc import Collection, Sequence
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.monitoring.alerts import Alert
from plumbrule.monitoring.refusal_counts import RefusalCounts
from plumbrule.monitoring.reviewed_interactions import Cases
from plumbrule.monitoring.weekly_figures import Estimate, Figure, Monitoring, Status
from plumbrule.reports.figure_text import figure as figure_text
from plumbrule.rubrics import ScorecardRubric
from plumbrule.rubrics.scorecard_rubric import FigureRule, Target

_BARS = "▁▂▃▄▅▆▇█"
_NO_BAR = "·"
_MOST_WEEKS = 12
_WIDE = 98  # from here on every column has room
_NAME_WIDTH = 16
STATUS_STYLES: dict[Status | None, str] = {"ON_TARGET": "green", "WATCH": "yellow", "ALERT": "bold red", None: "dim"}
_MARKS: dict[Status | None, str] = {"ON_TARGET": "", "WATCH": " ~", "ALERT": " !", None: ""}
_SIGNS = {"above": ">", "at_least": "≥", "below": "<", "at_most": "≤"}


def show_monitoring(
    console: Console,
    found: Monitoring,
    rubric: ScorecardRubric,
    *,
    alerts: Sequence[Alert],
    new: Collection[str],
    cases: Cases,
) -> None:
    """Print what the figures are, how they went, and what is at alert."""
    if not found.weeks:
        console.print(plain("there are no records: review some interactions first", "yellow"))
        _show_remarks(console, cases)
        return
    console.print(plain(_headline(found), "bold"), soft_wrap=True)
    console.print()
    console.print(_figure_table(found, rubric, narrow=console.width < _WIDE))
    console.print()
    console.print(_week_table(found, rubric))
    if len(found.weeks) > _MOST_WEEKS:
        console.print(plain(f"the last {_MOST_WEEKS} of {len(found.weeks)} weeks; --json has them all", "dim"))
    console.print(plain("~ watch, ! alert; · and none: there is no figure", "dim"))
    console.print()
    _show_refusals(console, found.refusals)
    _show_remarks(console, cases)
    console.print()
    for alert in alerts:
        limit = f"alert at {figure_text(alert.body['alert'])}"
        state = "new" if alert.subject in new else "raised before"
        said = f"ALERT {alert.week} {alert.figure} {_figure_value(alert)} ({limit}), {state}"
        console.print(plain(said, "bold red"), soft_wrap=True)
    if not alerts:
        console.print(plain("no alert", "green"))
    for key, line in found.drift.items():
        if line and line[-1].sum:
            console.print(plain(f"drift of {key}: {line[-1].sum:.2f} standard errors", "dim"), soft_wrap=True)


def sparkline(values: Sequence[Fraction | None], limits: Sequence[Fraction]) -> str:
    """Return a bar for each value, between the lowest and the highest of values and limits."""
    known = [*limits, *(value for value in values if value is not None)]
    low, high = min(known), max(known)
    width = high - low or Fraction(1)
    top = len(_BARS) - 1
    return "".join(_NO_BAR if value is None else _BARS[round((value - low) / width * top)] for value in values)


def weeks_line(line: Sequence[Figure], rule: FigureRule) -> Text:
    """Return a bar for each week, in the colour of how the figure stood then."""
    bars = sparkline([each.raw.value for each in line], [rule.target.bound, rule.alert])
    return Text.assemble(*((bar, STATUS_STYLES[each.status]) for bar, each in zip(bars, line, strict=True)))


def _show_remarks(console: Console, cases: Cases) -> None:
    for remark in cases.remarks:
        console.print(plain(f"remark: {remark}", "yellow"), soft_wrap=True)


def _headline(found: Monitoring) -> str:
    reviewed = sum(week.reviewed for week in found.weeks)
    counts = [week.interactions for week in found.weeks if week.interactions is not None]
    of_all = f" of {sum(counts):,} interactions" if counts else ""
    first, last = found.weeks[0].week, found.weeks[-1].week
    return f"{first if first == last else f'{first} to {last}'}: {reviewed:,} reviewed{of_all}"


def _figure_table(found: Monitoring, rubric: ScorecardRubric, *, narrow: bool) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0) if narrow else (0, 1))
    for heading in ("", "figure", "weeks", "last", "95%", "weighed", "target", "alert", ""):
        table.add_column(heading, justify="left" if heading in {"", "figure", "weeks"} else "right", no_wrap=True)
    shown = found.weeks[-_MOST_WEEKS:]
    for place, rule in enumerate(rubric.figures):
        line = [week.figures[place] for week in shown]
        last = line[-1]
        table.add_row(
            str(place + 1),
            plain(_broken(rule.key) if narrow else rule.key),
            weeks_line(line, rule),
            value_text(last.raw, rule),
            _interval(last.raw),
            value_text(last.reweighted, rule),
            target_sign(rule.target),
            _alert(rule),
            Text(last.status or "none", STATUS_STYLES[last.status]),
        )
    return table


def _broken(key: str) -> str:
    """Return a key in lines of at most so many characters, broken after its underscores where it can be."""
    lines = [""]
    for part in key.replace("_", "_\n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part) > _NAME_WIDTH:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _week_table(found: Monitoring, rubric: ScorecardRubric) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("week", no_wrap=True)
    for heading in ("reviewed", *(str(place) for place, _ in enumerate(rubric.figures, 1))):
        table.add_column(heading, justify="right", no_wrap=True)
    for week in found.weeks[-_MOST_WEEKS:]:
        table.add_row(week.week, str(week.reviewed), *map(_cell, week.figures, rubric.figures))
    return table


def _cell(figure: Figure, rule: FigureRule) -> Text:
    return Text(f"{value_text(figure.raw, rule)}{_MARKS[figure.status]}", STATUS_STYLES[figure.status])


def value_text(estimate: Estimate | None, rule: FigureRule) -> str:
    """Return a figure with as many digits as tell it from its alert threshold."""
    value = None if estimate is None or estimate.value is None else float(estimate.value)
    return figure_text(value, against=float(rule.alert))


def _interval(estimate: Estimate) -> str:
    return "none" if estimate.interval is None else f"{estimate.interval.low:.2f}-{estimate.interval.high:.2f}"


def target_sign(target: Target) -> str:
    """Return a target, such as ``> 3.5``."""
    sign = next(sign for name, sign in _SIGNS.items() if getattr(target, name) is not None)
    return f"{sign} {float(target.bound):g}"


def _alert(rule: FigureRule) -> str:
    if rule.alert == rule.target.bound:
        return f"{'<' if rule.target.higher_is_better else '>'} {float(rule.alert):g}"
    return f"{'≤' if rule.target.higher_is_better else '≥'} {float(rule.alert):g}"


def _figure_value(alert: Alert) -> str:
    value, weighed = alert.body["value"], (alert.body.get("reweighted") or {}).get("value")
    return figure_text(value) if weighed is None else f"{figure_text(value)}, weighed {figure_text(weighed)}"


def _show_refusals(console: Console, counts: RefusalCounts) -> None:
    accuracy = counts.code_accuracy
    code = "none" if accuracy is None else f"{counts.code_right} of {counts.code_total}"
    console.print(
        plain(
            f"refusals: {counts.correct} correct, {counts.unneeded} unneeded, {counts.missing} missing, "
            f"{counts.unknown} not known; right code: {code}"
        ),
        soft_wrap=True,
    )
    rows = [place for place, row in enumerate(counts.codes) if any(row)]
    columns = [place for place in range(len(counts.labels)) if any(counts.codes[row][place] for row in rows)]
    if not rows:
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("expected ↓ given →", no_wrap=True)
    for column in columns:
        table.add_column(plain(counts.labels[column]), justify="right", overflow="fold")
    for row in rows:
        table.add_row(plain(counts.labels[row]), *(str(counts.codes[row][column]) for column in columns))
    console.print(table)
