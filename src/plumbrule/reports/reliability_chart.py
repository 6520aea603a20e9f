"""The reliability diagram as an SVG picture that stands alone: pure text, the same figures give the same bytes."""

from collections.abc import Sequence
from html import escape

from plumbrule.support.calibration import Bin
from plumbrule.support.calibration_fit import Reliability

_SIDE, _LEFT, _TOP, _GAP = 220, 44, 40, 44
_DEEP = 40  # of the bars that say how many
_WIDE = _LEFT + 2 * _SIDE + _GAP + 16
_TALL = _TOP + _SIDE + 30 + _DEEP + 40
_STYLE = (
    "text{font:12px sans-serif;fill:#333}.title{font-weight:bold}.frame{fill:none;stroke:#999}"
    ".even{stroke:#999;stroke-dasharray:4 4}.seen{fill:none;stroke:#1f6f8b;stroke-width:2}"
    ".dot{fill:#1f6f8b}.count{fill:#b9d3dc}"
)


def reliability_chart(before: Reliability, after: Reliability) -> str:
    """Draw what was seen against what was predicted, before and after a calibration, with the answers of each bin."""
    panels = [("before", before, _LEFT), ("after (cross-fitted)", after, _LEFT + _SIDE + _GAP)]
    words = " ".join(f"{title.capitalize()}: {_words(figures)}" for title, figures, _ in panels)
    parts = [part for title, figures, left in panels for part in _panel(title, figures, left)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDE} {_TALL}" width="{_WIDE}" '
        f'height="{_TALL}" aria-labelledby="title desc"><title id="title">Reliability of the support score</title>'
        f'<desc id="desc">{escape(words)}</desc><style>{_STYLE}</style>'
        f'<rect width="{_WIDE}" height="{_TALL}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _panel(title: str, figures: Reliability, left: float) -> list[str]:
    floor = _TOP + _SIDE
    points = [(left + _SIDE * each.probability, floor - _SIDE * each.share) for each in figures.bins]
    parts = [
        _text(left, _TOP - 22, title, kind="title"),
        _text(left, _TOP - 7, f"expected calibration error {figures.error:.3f}"),
        f'<rect class="frame" x="{_n(left)}" y="{_TOP}" width="{_SIDE}" height="{_SIDE}"/>',
        f'<line class="even" x1="{_n(left)}" y1="{floor}" x2="{_n(left + _SIDE)}" y2="{_TOP}"/>',
        f'<polyline class="seen" points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in points)}"/>',
        *[f'<circle class="dot" cx="{_n(x)}" cy="{_n(y)}" r="4"/>' for x, y in points],
    ]
    for share in (0.0, 0.5, 1.0):
        parts.append(_text(left + _SIDE * share, floor + 15, f"{share:g}", anchor="middle"))
        parts.append(_text(left - 6, floor - _SIDE * share + 4, f"{share:g}", anchor="end"))
    return [*parts, *_counts(figures.bins, left, floor + 22 + _DEEP)]


def _counts(bins: Sequence[Bin], left: float, floor: float) -> list[str]:
    most = max(each.answers for each in bins)
    parts = []
    for each in bins:
        x, wide, tall = left + _SIDE * each.low, _SIDE * (each.high - each.low), _DEEP * each.answers / most
        parts.append(
            f'<rect class="count" x="{_n(x + 1)}" y="{_n(floor - tall)}" width="{_n(wide - 2)}" height="{_n(tall)}"/>'
        )
    parts.append(_text(left - 6, floor - _DEEP + 10, str(most), anchor="end"))
    parts.append(_text(left + _SIDE / 2, floor + 16, "predicted; below: answers", anchor="middle"))
    return parts


def _words(figures: Reliability) -> str:
    told = "; ".join(
        f"{each.answers} answers predicted {each.probability:.2f}, seen {each.share:.2f}" for each in figures.bins
    )
    return f"expected calibration error {figures.error:.3f}; {told}."


def _text(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(text)}</text>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
