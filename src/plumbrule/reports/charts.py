"""Charts as SVG text: pure functions, the same figures give the same bytes, and each says in words what it shows."""

from collections.abc import Sequence
from html import escape

from markupsafe import Markup

from plumbrule.reports.figure_text import DIRECTIONS, figure
from plumbrule.runs.gates import gate_figures
from plumbrule.runs.report.run_report import Repeats, ReportGate, Spread

_WIDE, _LEFT, _RIGHT = 440, 34, 12
_PLOT = _WIDE - _LEFT - _RIGHT
_LINE = 15


def gate_chart(gate: ReportGate) -> Markup:
    """Draw a gate: its figure as a bar, the 95% interval as a whisker, the limit as a line."""
    ends = [end for end in (gate.limit, gate.deciding, gate.interval.low, gate.interval.high) if end is not None]
    top = 1.0 if max(ends) <= 1 else max(ends) * 1.1

    def x(value: float) -> float:
        return _LEFT + _PLOT * min(1.0, max(0.0, value / top))

    parts = [_rect("track", _LEFT, 26, _PLOT, 18)]
    if gate.deciding is not None:
        parts.append(_rect("good" if gate.passed else "bad", _LEFT, 26, x(gate.deciding) - _LEFT, 18))
        low = x(gate.interval.low or 0.0)
        high = _LEFT + _PLOT if gate.interval.high is None else x(gate.interval.high)
        parts.append(_line("whisker", low, 35, high, 35))
        parts.append(_line("whisker", low, 30, low, 40))
        if gate.interval.high is not None:  # an open end has no stop
            parts.append(_line("whisker", high, 30, high, 40))
    parts.append(_line("limit", x(gate.limit), 18, x(gate.limit), 52))
    parts.append(_text(x(gate.limit), 13, f"limit {figure(gate.limit)}", anchor=_anchor(x(gate.limit))))
    parts.append(_text(_LEFT, 66, "0"))
    parts.append(_text(_WIDE - _RIGHT, 66, figure(round(top, 3)), anchor="end"))
    shown = gate_figures(gate)
    worse = "no figure could be computed" if gate.deciding is None else f"the worse figure is {shown.deciding}"
    words = (
        f"{worse}, 95% interval {shown.interval}, limit {DIRECTIONS[gate.direction]} "
        f"{figure(gate.limit)}: {_ended(gate)}."
    )
    return _svg(f"gate-{gate.name}", 72, f"Gate {gate.name}", words, parts)


def _ended(gate: ReportGate) -> str:
    return "waits for labels" if gate.waits_for is not None else "passed" if gate.passed else "failed"


def spread_chart(spread: Spread, *, title: str, unit: str = "") -> Markup:
    """Draw a histogram with the marked places of its axis."""
    bars, marks = spread.histogram, sorted(spread.marks, key=lambda mark: (mark.value, mark.name))
    columns = [*bars.counts, *([bars.over] if bars.over else [])]
    head, deep = _LINE * len(marks) + 6, 110
    floor, tallest = head + deep, max(*columns, 1)
    step = _PLOT / len(columns)
    parts = []
    for index, count in enumerate(columns):
        tall = deep * count / tallest
        kind = "over" if index == len(bars.counts) else "bar"
        if count:
            parts.append(_rect(kind, _LEFT + index * step + 1, floor - tall, step - 2, tall))
    parts.append(_line("axis", _LEFT, floor, _WIDE - _RIGHT, floor))
    parts.append(_text(_LEFT - 5, head + 9, str(tallest), anchor="end"))
    parts.append(_text(_LEFT - 5, floor, "0", anchor="end"))
    reach = step * len(bars.counts)
    places = [_LEFT + reach * min(1.0, (mark.value - bars.low) / (bars.high - bars.low)) for mark in marks]
    for row, (mark, x) in enumerate(zip(marks, places, strict=True)):
        parts.append(_line("limit" if "limit" in mark.name else "mark", x, _LINE * row + 4, x, floor))
    for row, (mark, x) in enumerate(zip(marks, places, strict=True)):  # over the lines, not under them
        away = 4 if _anchor(x) == "start" else -4
        parts.append(_text(x + away, _LINE * row + 12, f"{mark.name} {figure(mark.value)}{unit}", anchor=_anchor(x)))
    edges = [bars.low, (bars.low + bars.high) / 2, bars.high]
    for share, edge, anchor in zip((0.0, 0.5, 1.0), edges, ("start", "middle", "end"), strict=True):
        parts.append(_text(_LEFT + reach * share, floor + 14, f"{figure(edge)}{unit}", anchor=anchor))
    if bars.over:
        parts.append(_text(_WIDE - _RIGHT, floor + 28, f"last bar: above {figure(bars.high)}{unit}", anchor="end"))
    tall_all = floor + (34 if bars.over else 20)
    return _svg(f"spread-{spread.name}", tall_all, title, spread_words(spread, unit=unit), parts)


def spread_words(spread: Spread, *, unit: str = "") -> str:
    """Return what a histogram shows, in words."""
    bars = spread.histogram
    steps = [
        f"{count} from {figure(low)} to {figure(high)}{unit}"
        for count, low, high in zip(bars.counts, bars.edges, bars.edges[1:], strict=False)
        if count
    ]
    if bars.over:
        steps.append(f"{bars.over} above {figure(bars.high)}{unit}")
    if bars.unknown:
        steps.append(f"{bars.unknown} not known")
    marked = "; ".join(f"{mark.name} {figure(mark.value)}{unit}" for mark in spread.marks)
    return f"Samples: {', '.join(steps) or 'none'}. Marked: {marked or 'nothing'}."


def repeats_chart(repeats: Repeats, *, limit: float | None) -> Markup:
    """Draw each repeat's aggregate score as a dot, the mean as a line and one standard deviation around it."""
    [variation] = [variation for variation in repeats.variations if variation.name == "aggregate_score"]
    known = [repeat.aggregate_score for repeat in repeats.each if repeat.aggregate_score is not None]
    low, high = _window([*known, *([] if limit is None else [limit])] or [0.0, 1.0])

    def x(value: float) -> float:
        return _LEFT + _PLOT * (value - low) / (high - low)

    floor = 24 + 16 * len(repeats.each)
    parts = []
    if variation.mean is not None and variation.sd:
        start, end = max(low, variation.mean - variation.sd), min(high, variation.mean + variation.sd)
        parts.append(_rect("band", x(start), 18, x(end) - x(start), floor - 18))
    if variation.mean is not None:
        parts.append(_line("mark", x(variation.mean), 18, x(variation.mean), floor))
    if limit is not None:
        parts.append(_line("limit", x(limit), 18, x(limit), floor))
        parts.append(_text(x(limit), 12, f"limit {figure(limit)}", anchor=_anchor(x(limit))))
    for row, repeat in enumerate(repeats.each):
        y = 28 + 16 * row
        parts.append(_text(_LEFT - 8, y + 4, str(repeat.repeat), anchor="end"))
        if repeat.aggregate_score is None:
            parts.append(_text(_LEFT + 4, y + 4, "no score"))
        else:
            kind = "dot-good" if repeat.release_ready else "dot-bad"
            parts.append(f'<circle class="{kind}" cx="{_n(x(repeat.aggregate_score))}" cy="{_n(y)}" r="5"/>')
    parts.append(_line("axis", _LEFT, floor, _WIDE - _RIGHT, floor))
    parts.append(_text(_LEFT, floor + 14, figure(low)))
    parts.append(_text(_WIDE - _RIGHT, floor + 14, figure(high), anchor="end"))
    scores = "; ".join(
        f"repeat {repeat.repeat} {figure(repeat.aggregate_score)}, "
        f"{'every gate passes' if repeat.release_ready else 'a gate fails'}"
        for repeat in repeats.each
    )
    of_gate = "no gate" if limit is None else f"limit {figure(limit)}"
    spread = f"Mean {figure(variation.mean)}, standard deviation {figure(variation.sd)}, {of_gate}."
    return _svg("repeats", floor + 20, "aggregate_score of each repeat", f"{scores}. {spread}", parts)


def rate_chart(rate: float, low: float | None, high: float | None, *, limit: float | None) -> Markup:
    """Draw a small rate with its interval; the words stand in the table beside it."""

    def x(value: float) -> float:
        return 2 + 116 * value

    parts = [
        _rect("track", 2, 5, 116, 6),
        _rect("bar", 2, 5, x(rate) - 2, 6),
        _line("whisker", x(low or 0.0), 8, x(1.0 if high is None else high), 8),
    ]
    if limit is not None:
        parts.append(_line("limit", x(limit), 1, x(limit), 15))
    return drawn(f'<svg class="small" viewBox="0 0 120 16" aria-hidden="true">{"".join(parts)}</svg>')


def forest_chart(difference: float, low: float | None, high: float | None, *, kind: str) -> Markup:
    """Draw a small difference with its interval around no difference; the words stand in the table beside it.

    It has a scale of its own. ``kind`` is how it is drawn: better, worse or unclear.
    """
    reach = max(abs(end) for end in (difference, low, high) if end is not None) * 1.1 or 1.0

    def x(value: float) -> float:
        return 100 + 98 * max(-1.0, min(1.0, value / reach))

    parts = [
        _line("axis", 100, 0, 100, 20),
        _line(f"whisker {kind}", 2 if low is None else x(low), 10, 198 if high is None else x(high), 10),
        *(_line(f"whisker {kind}", x(end), 6, x(end), 14) for end in (low, high) if end is not None),
        f'<circle class="dot" cx="{_n(x(difference))}" cy="10" r="4"/>',
    ]
    return drawn(f'<svg class="forest" viewBox="0 0 200 20" aria-hidden="true">{"".join(parts)}</svg>')


def drawn(chart: str) -> Markup:
    """Return a chart as a part of a page; every text in it must be escaped."""
    return Markup(chart)  # noqa: S704 - made by the functions of this module and of week_charts


def _window(values: Sequence[float]) -> tuple[float, float]:
    """Return where an axis of shares begins and ends: all values with room around them, never beyond 0 and 1."""
    room = max(0.02, (max(values) - min(values)) * 0.25)
    low, high = max(0.0, round(min(values) - room, 2)), min(1.0, round(max(values) + room, 2))
    return (low, high) if low < high else (0.0, 1.0)


def _svg(name: str, tall: float, title: str, words: str, parts: Sequence[str]) -> Markup:
    name = escape(name)
    return drawn(
        f'<svg class="chart" role="img" viewBox="0 0 {_WIDE} {_n(tall)}" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(words)}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _rect(kind: str, x: float, y: float, wide: float, tall: float) -> str:
    return f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(max(0.0, wide))}" height="{_n(tall)}"/>'


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(text)}</text>'


def _anchor(x: float) -> str:
    return "start" if x < _WIDE * 0.55 else "end"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
