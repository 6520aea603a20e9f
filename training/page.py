"""The parts that a page of figures is made of: tables in Markdown, numbers with few decimals, a reliability diagram."""

from collections.abc import Mapping, Sequence

from plumbrule.support.calibration import Bin

_SIDE, _GAP, _TOP, _FOOT = 150, 46, 30, 34
_COLUMNS = 3


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; all columns but the first hold figures."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def share(figure: float) -> str:
    """Return a figure between 0 and 1 with three decimals."""
    return f"{figure:.3f}"


def signed(figure: float) -> str:
    """Return a difference with its sign."""
    return f"{round(figure, 3) or 0.0:+.3f}"


def count(number: int) -> str:
    """Return a number with its thousands apart."""
    return f"{number:,}"


def diagram(sets: Mapping[str, Sequence[Bin]]) -> str:
    """Draw a panel for each data set: what was predicted against what people found, a circle by its answers."""
    rows = -(-len(sets) // _COLUMNS)
    width, height = _GAP + _COLUMNS * (_SIDE + _GAP), rows * (_TOP + _SIDE + _FOOT) + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        "<style>text { font: 11px sans-serif; }</style>",
        "<title>Reliability of the support score by data set</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for index, (name, bins) in enumerate(sets.items()):
        left = _GAP + index % _COLUMNS * (_SIDE + _GAP)
        top = index // _COLUMNS * (_TOP + _SIDE + _FOOT) + _TOP
        parts += _panel(name, bins, left, top)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(name: str, bins: Sequence[Bin], left: int, top: int) -> list[str]:
    bottom, right = top + _SIDE, left + _SIDE
    most = max(each.answers for each in bins)

    def place(predicted: float, found: float) -> tuple[str, str]:
        return f"{left + _SIDE * predicted:.1f}", f"{bottom - _SIDE * found:.1f}"

    points = [place(each.probability, each.share) for each in bins]
    middle = left + _SIDE // 2
    return [
        f'<text x="{middle}" y="{top - 8}" text-anchor="middle" style="font-weight: bold">{name}</text>',
        f'<rect x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#888888"/>',
        f'<line x1="{left}" y1="{bottom}" x2="{right}" y2="{top}" stroke="#bbbbbb" stroke-dasharray="4 3"/>',
        f'<polyline points="{" ".join(",".join(point) for point in points)}" fill="none" stroke="#1f5fa8"/>',
        *[
            f'<circle cx="{x}" cy="{y}" r="{1.5 + 4.5 * (each.answers / most) ** 0.5:.1f}" fill="#1f5fa8"/>'
            for (x, y), each in zip(points, bins, strict=True)
        ],
        *[
            f'<text x="{left - 4}" y="{bottom - _SIDE * tick + 4:.1f}" text-anchor="end">{tick:g}</text>'
            for tick in (0, 0.5, 1)
        ],
        *[
            f'<text x="{left + _SIDE * tick:.1f}" y="{bottom + 14}" text-anchor="middle">{tick:g}</text>'
            for tick in (0, 0.5, 1)
        ],
        f'<text x="{middle}" y="{bottom + 27}" text-anchor="middle">predicted</text>',
        f'<text transform="translate({left - 26} {top + _SIDE // 2}) rotate(-90)" text-anchor="middle">found</text>',
    ]
