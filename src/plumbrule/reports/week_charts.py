"""Charts of the monitored figures as SVG text: week by week, with target and alert lines, readable without colour.

A week is a dot on target, a diamond between target and alert, a cross at alert. Each chart says in words what it shows.
The same figures give the same bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from markupsafe import Markup

from plumbrule.monitoring.monitoring_report import DriftPoint, FigureDefinition, Status, WeekResult
from plumbrule.reports.charts import drawn
from plumbrule.reports.figure_text import figure
from plumbrule.stats.intervals import Interval

Address = Callable[[str], str]  # of a week's own page

_WIDE, _TALL, _LEFT, _RIGHT, _TOP, _BOTTOM = 580, 170, 34, 112, 12, 24
_SMALL_WIDE, _SMALL_TALL, _SMALL_EDGE = 220, 56, 6
_ROOM = 0.12  # of what the values span, above and below them
_LABEL = 14  # between two labels
_FEWEST_BETWEEN = 62  # between two names of weeks, in pixels
_STATUSES: dict[Status | None, str] = {"ON_TARGET": "good", "WATCH": "watch", "ALERT": "bad", None: "none"}
_WORDS: dict[Status | None, str] = {"ON_TARGET": "on target", "WATCH": "watch", "ALERT": "at alert", None: "no figure"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """One week of a chart."""

    week: str
    value: float | None
    interval: Interval | None
    kind: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A value that the weeks are held against."""

    kind: str
    value: float
    words: str


def figure_chart(
    definition: FigureDefinition, weeks: Sequence[WeekResult], *, name: str, address: Address | None = None
) -> Markup:
    """Draw one figure over the weeks with its 95% intervals; with an ``address`` each week is a link."""
    points = _points(definition, weeks)
    words = f"{definition.title}, {_span(points)}: {_last_words(points)}. {_limits(definition)}."
    return _chart(points, _lines(definition), definition.scale, name=name, words=words, address=address)


def small_figure_chart(definition: FigureDefinition, weeks: Sequence[WeekResult], *, name: str) -> Markup:
    """Draw one figure over the weeks in little, with its target and alert lines."""
    points, lines = _points(definition, weeks), _lines(definition)
    low, high = _window([point.value for point in points if point.value is not None], lines, definition.scale)
    xs = _places(len(points), _SMALL_EDGE, _SMALL_WIDE - _SMALL_EDGE)

    def y(value: float) -> float:
        return _SMALL_EDGE + (_SMALL_TALL - 2 * _SMALL_EDGE) * (high - value) / (high - low)

    parts = [_rule(line.kind, 0, _SMALL_WIDE, y(line.value)) for line in lines]
    parts += _path(points, xs, y)
    parts += [
        _mark(point.kind, x, y(point.value), size=2.5 if point.kind == "good" else 4)
        for point, x in zip(points, xs, strict=True)
        if point.value is not None
    ]
    words = f"{definition.title}, {_span(points)}: {_last_words(points)}. {_limits(definition)}."
    return _svg("weeks small-weeks", _SMALL_WIDE, _SMALL_TALL, name=name, words=words, parts=parts, linked=False)


def drift_chart(
    title: str, points: Sequence[DriftPoint], *, alarm_at: float, name: str, address: Address | None = None
) -> Markup:
    """Draw the running sum of a figure's moves for the worse, in standard errors, with the sum that is an alarm."""
    drawn = [
        _Point(
            week=point.week,
            value=point.sum,
            interval=None,
            kind="bad" if point.alarm else "good",
            words=f"{point.sum:.2f} standard errors{', an alarm' if point.alarm else ''}",
        )
        for point in points
    ]
    line = _Line(kind="alert", value=alarm_at, words=f"alarm {alarm_at:g}")
    most = max([alarm_at, *(point.sum for point in points)])
    words = f"{title}, {_span(drawn)}: {_last_words(drawn)}. Alarm at {alarm_at:g} standard errors."
    return _chart(drawn, [line], (0.0, most * (1 + _ROOM)), name=name, words=words, address=address, tall=120)


def _points(definition: FigureDefinition, weeks: Sequence[WeekResult]) -> list[_Point]:
    points = []
    for week in weeks:
        result = next(result for result in week.figures if result.key == definition.key)
        value = None if result.value is None else f"{figure(result.value, against=definition.alert)}, "
        words = f"{value or ''}{_WORDS[result.status]}"
        if result.interval_95 is not None:
            words += f", 95% interval {result.interval_95.low:.2f} to {result.interval_95.high:.2f}"
        points.append(
            _Point(
                week=week.week,
                value=result.value,
                interval=result.interval_95,
                kind=_STATUSES[result.status],
                words=f"{words}, {result.total} reviewed",
            )
        )
    return points


def _lines(definition: FigureDefinition) -> list[_Line]:
    if definition.bound == definition.alert:
        return [_Line(kind="alert", value=definition.alert, words=f"target {definition.target}")]
    return [
        _Line(kind="target", value=definition.bound, words=f"target {definition.target}"),
        _Line(kind="alert", value=definition.alert, words=f"alert {definition.alert:g}"),
    ]


def _limits(definition: FigureDefinition) -> str:
    side = "or less" if definition.higher_is_better else "or more"
    if definition.bound == definition.alert:
        return f"Target {definition.target}; anything else is an alert"
    return f"Target {definition.target}; alert at {definition.alert:g} {side}"


def _chart(
    points: Sequence[_Point],
    lines: Sequence[_Line],
    scale: tuple[float, float],
    *,
    name: str,
    words: str,
    address: Address | None,
    tall: float = _TALL,
) -> Markup:
    ends = [end for point in points if point.interval is not None for end in point.interval]
    low, high = _window([*(point.value for point in points if point.value is not None), *ends], lines, scale)
    right, floor = _WIDE - _RIGHT, tall - _BOTTOM
    xs = _places(len(points), _LEFT + 10, right - 10)

    def y(value: float) -> float:
        return _TOP + (floor - _TOP) * (high - value) / (high - low)

    parts = [_rule("axis", _LEFT, right, floor), _text(_LEFT - 6, floor - 1, figure(round(low, 2)), anchor="end")]
    parts.append(_text(_LEFT - 6, _TOP + 8, figure(round(high, 2)), anchor="end"))
    parts += [_rule(line.kind, _LEFT, right, y(line.value)) for line in lines]
    parts += [
        _text(right + 6, place + 4, line.words)
        for line, place in zip(lines, _apart([y(line.value) for line in lines]), strict=True)
    ]
    parts += _path(points, xs, y)
    for point, x in zip(points, xs, strict=True):
        parts.append(_week(point, x, y, floor, address))
    step = max(1, -(-_FEWEST_BETWEEN * max(1, len(points) - 1) // round(right - _LEFT - 20)))
    for place in range(len(points) - 1, -1, -step):
        parts.append(_text(xs[place], tall - 6, points[place].week, anchor="middle"))
    return _svg("weeks", _WIDE, tall, name=name, words=words, parts=parts, linked=address is not None)


def _week(point: _Point, x: float, y: Callable[[float], float], floor: float, address: Address | None) -> str:
    parts = []
    if point.value is not None:
        if point.interval is not None:
            parts.append(_stroke("whisker", x, y(point.interval.low), x, y(point.interval.high)))
        parts.append(_mark(point.kind, x, y(point.value), size=4 if point.kind == "good" else 6))
    said = escape(f"{point.week}: {point.words}")
    if address is None:
        return f"<g><title>{said}</title>{''.join(parts)}</g>" if parts else ""
    reach = f'<rect class="reach" x="{_n(x - 8)}" y="{_n(_TOP)}" width="16" height="{_n(floor - _TOP)}"/>'
    link = f'<a href="{escape(address(point.week))}" aria-label="{said}">'
    return f"{link}<title>{said}</title>{reach}{''.join(parts)}</a>"


def _path(points: Sequence[_Point], xs: Sequence[float], y: Callable[[float], float]) -> list[str]:
    """Return the lines between weeks that follow each other; a week without a figure leaves a gap."""
    pieces: list[list[str]] = [[]]
    for point, x in zip(points, xs, strict=True):
        if point.value is None:
            pieces.append([])
        else:
            pieces[-1].append(f"{_n(x)},{_n(y(point.value))}")
    return [f'<polyline class="run" points="{" ".join(piece)}"/>' for piece in pieces if len(piece) > 1]


def _mark(kind: str, x: float, y: float, *, size: float) -> str:
    if kind == "good":
        return f'<circle class="mark-good" cx="{_n(x)}" cy="{_n(y)}" r="{_n(size)}"/>'
    if kind == "watch":
        corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
        return f'<polygon class="mark-watch" points="{" ".join(f"{_n(a)},{_n(b)}" for a, b in corners)}"/>'
    arms = f"M{_n(x - size)} {_n(y - size)}L{_n(x + size)} {_n(y + size)}M{_n(x - size)} {_n(y + size)}"
    return f'<path class="mark-bad" d="{arms}L{_n(x + size)} {_n(y - size)}"/>'


def _window(values: Sequence[float], lines: Sequence[_Line], scale: tuple[float, float]) -> tuple[float, float]:
    """Return where the axis begins and ends: all values and lines with room around them, never beyond the scale."""
    known = [*values, *(line.value for line in lines)]
    room = max((max(known) - min(known)) * _ROOM, (scale[1] - scale[0]) * 0.02)
    low, high = max(scale[0], min(known) - room), min(scale[1], max(known) + room)
    return (low, high) if low < high else scale


def _places(count: int, left: float, right: float) -> list[float]:
    if count == 1:
        return [(left + right) / 2]
    return [left + (right - left) * place / (count - 1) for place in range(count)]


def _apart(places: Sequence[float]) -> list[float]:
    """Return the places of labels moved apart, so that none stands on another; their order stays."""
    moved = list(places)
    for here, there in pairwise(sorted(range(len(places)), key=lambda index: places[index])):
        missing = _LABEL - (moved[there] - moved[here])
        if missing > 0:
            moved[here] -= missing / 2
            moved[there] += missing / 2
    return moved


def _span(points: Sequence[_Point]) -> str:
    if not points:
        return "no week"
    first, last = points[0].week, points[-1].week
    return first if first == last else f"{first} to {last}"


def _last_words(points: Sequence[_Point]) -> str:
    known = [point for point in points if point.value is not None]
    at_alert = [point.week for point in known if point.kind == "bad"]
    alerts = f"; at alert in {', '.join(at_alert)}" if at_alert else ""
    return f"{known[-1].words} in {known[-1].week}{alerts}" if known else "no figure"


def _svg(kind: str, wide: float, tall: float, *, name: str, words: str, parts: Sequence[str], linked: bool) -> Markup:
    role = "group" if linked else "img"
    return drawn(
        f'<svg class="{kind}" role="{role}" viewBox="0 0 {_n(wide)} {_n(tall)}" aria-label="{escape(words)}" '
        f'id="{escape(name)}">{"".join(parts)}</svg>'
    )


def _rule(kind: str, left: float, right: float, y: float) -> str:
    return _stroke(kind, left, y, right, y)


def _stroke(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(text)}</text>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
