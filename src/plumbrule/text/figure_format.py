"""Numbers as people read them, the same in reports, on a terminal and in the reasons of a decision."""

NONE = "none"
SIGNS = {"at_least": "≥", "at_most": "≤"}


def figure(value: float | None, *, against: float | None = None) -> str:
    """Return a figure as people read it; it is never rounded to or across the limit that it is compared with."""
    if value is None:
        return NONE
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    places = 1 if abs(value) >= 1000 else 3
    while places < 16 and not _keeps_side(value, places, against):
        places += 1
    return f"{value:,.{places}f}".rstrip("0").rstrip(".")


def between(low: str | None, high: str | None) -> str:
    """Return an interval in words; None is an end that so few samples cannot bound."""
    if low is None or high is None:
        return f"{low} or more" if low is not None else f"{high} or less" if high is not None else NONE
    return f"{low} to {high}"


def _keeps_side(value: float, places: int, against: float | None) -> bool:
    shown = round(value, places)
    return against is None or (shown > against, shown < against) == (value > against, value < against)
