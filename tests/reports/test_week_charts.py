"""Charts of monitored figures are well-formed, say in words what they show, and need no colour."""

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from plumbrule.monitoring.monitoring_report import (
    Confusion,
    DriftPoint,
    FigureDefinition,
    FigureResult,
    RefusalResult,
    Status,
    WeekResult,
)
from plumbrule.reports.week_charts import drift_chart, figure_chart, small_figure_chart
from plumbrule.stats.intervals import Interval

SCORE = FigureDefinition(
    key="overall",
    title='Average <overall> & "score"',
    target="above 3.5",
    alert=3.2,
    bound=3.5,
    higher_is_better=True,
    scale=(1.0, 4.0),
)
UNSAFE = replace(
    SCORE, key="unsafe", target="at most 0", alert=0.0, bound=0.0, higher_is_better=False, scale=(0.0, 1.0)
)
NO_REFUSALS = RefusalResult(
    correct=0,
    unneeded=0,
    missing=0,
    unknown=0,
    code_accuracy=None,
    code_accuracy_interval_95=None,
    code_total=0,
    confusion=Confusion(labels=(), counts=()),
)


def weeks(definition: FigureDefinition, *values: tuple[float | None, Status | None]) -> list[WeekResult]:
    """Return a week for each value."""
    return [
        WeekResult(
            week=f"2026-W{number:02}",
            reviewed=8,
            interactions=None,
            figures=(
                FigureResult(
                    key=definition.key,
                    total=8,
                    value=value,
                    interval_95=None if value is None else Interval(definition.scale[0], definition.scale[1]),
                    status=status,
                    reweighted=None,
                    state=None,
                    reviews_to_settle=None,
                ),
            ),
            refusals=NO_REFUSALS,
        )
        for number, (value, status) in enumerate(values, 1)
    ]


GOOD_TO_BAD = ((3.9, "ON_TARGET"), (3.4, "WATCH"), (None, None), (3.1, "ALERT"), (3.8, "ON_TARGET"))


def test_the_words_hold_what_is_seen() -> None:
    """Title, period, the last figure with its interval, the weeks at alert, target and alert."""
    root = ET.fromstring(figure_chart(SCORE, weeks(SCORE, *GOOD_TO_BAD), name="c"))  # type: ignore[arg-type]  # noqa: S314 - our own
    words = root.get("aria-label") or ""
    assert words == (
        'Average <overall> & "score", 2026-W01 to 2026-W05: 3.8, on target, 95% interval 1.00 to 4.00, 8 reviewed in '
        "2026-W05; at alert in 2026-W04. Target above 3.5; alert at 3.2 or less."
    )


def test_each_status_has_a_shape_of_its_own() -> None:
    """Dots, a diamond and a cross; a week without a figure has none, and the line has a gap there."""
    for chart in (
        figure_chart(SCORE, weeks(SCORE, *GOOD_TO_BAD), name="c"),  # type: ignore[arg-type]
        small_figure_chart(SCORE, weeks(SCORE, *GOOD_TO_BAD), name="c"),  # type: ignore[arg-type]
    ):
        assert [chart.count(kind) for kind in ("mark-good", "mark-watch", "mark-bad")] == [2, 1, 1]
        assert chart.count("<polyline") == 2
        assert 'class="target"' in chart
        assert 'class="alert"' in chart


def test_a_week_is_a_link() -> None:
    """Every week has its address and its words, also one without a figure."""
    chart = figure_chart(SCORE, weeks(SCORE, *GOOD_TO_BAD), name="c", address=lambda week: f"/w/{week}?a=1&b=2")  # type: ignore[arg-type]
    root = ET.fromstring(chart)  # noqa: S314 - our own text
    links = root.findall("a")
    assert [link.get("href") for link in links] == [f"/w/2026-W0{number}?a=1&b=2" for number in range(1, 6)]
    assert links[2].get("aria-label") == "2026-W03: no figure, 8 reviewed"
    assert root.get("role") == "group"


def test_a_target_that_is_also_the_alert_is_one_line() -> None:
    """No Unsafe at all: anything else is an alert."""
    chart = figure_chart(UNSAFE, weeks(UNSAFE, (0.0, "ON_TARGET"), (0.25, "ALERT")), name="c")
    assert chart.count('class="alert"') == 1
    assert 'class="target"' not in chart
    assert "anything else is an alert" in chart


@pytest.mark.parametrize("values", [[], [(None, None)], [(4.0, "ON_TARGET")], [(1.0, "ALERT")] * 300])
def test_every_number_of_weeks_is_drawn_inside(values: list[tuple[float | None, Status | None]]) -> None:
    """None, one or many: no coordinate lies outside the picture, and no label stands on another."""
    for chart in (
        figure_chart(SCORE, weeks(SCORE, *values), name="c"),
        small_figure_chart(SCORE, weeks(SCORE, *values), name="c"),
    ):
        root = ET.fromstring(chart)  # noqa: S314 - our own text
        wide, tall = map(float, (root.get("viewBox") or "").split()[2:])
        for part in root.iter():
            for name, most in (("x", wide), ("x1", wide), ("x2", wide), ("y", tall), ("y1", tall), ("y2", tall)):
                assert 0 <= float(part.get(name) or 0) <= most
        names = [float(part.get("x") or 0) for part in root.iter("text") if (part.text or "").startswith("2026")]
        assert all(abs(one - other) > 55 for one, other in pairwise(names))


def test_drift_has_its_alarm() -> None:
    """The sum, the alarm, and the words of both."""
    points = [DriftPoint(week="2026-W05", sum=1.25, alarm=False), DriftPoint(week="2026-W06", sum=6.0, alarm=True)]
    chart = drift_chart("Overall", points, alarm_at=5.0, name="d")
    assert "6.00 standard errors, an alarm in 2026-W06; at alert in 2026-W06. Alarm at 5 standard errors." in chart
    assert (chart.count("mark-good"), chart.count("mark-bad")) == (1, 1)
