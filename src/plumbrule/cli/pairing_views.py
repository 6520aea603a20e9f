"""A model change on a terminal: the new answers beside the earlier model's, pair by pair."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.console import plain
from plumbrule.reports.wording import figure

_STYLES = {"better": "green", "worse": "red", "no clear difference": ""}
_TITLES = {"people": "people's cards", "prescores": "pre-scores"}
_WHY = {
    "new_missing": "nothing on the new answer",
    "earlier_missing": "nothing on the earlier answer",
    "other_rubric": "by another rubric",
    "withheld": "the earlier answer's campaign is open",
}


def show_pairing(console: Console, found: Mapping[str, Any]) -> None:
    """Print how the new answers stand to the earlier model's, and what could not be paired."""
    console.print()
    console.print(plain(f"beside the earlier model: {_made(found)}", "bold"), soft_wrap=True)
    for name, title in _TITLES.items():
        compared = found[name]
        if compared is not None and found["paired"]:
            _show_compared(console, title, compared)


def pair_text(pair: Mapping[str, Any]) -> str:
    """Return how one item stands to its pair, in a line."""
    said = [f"{title} {figure(pair[name])}" for name, title in _TITLES.items() if pair[name] is not None]
    return f"overall, new less earlier: {'; '.join(said) or 'none'}"


def _made(found: Mapping[str, Any]) -> str:
    by = ", ".join(f"{count} by {how}" for how, count in found["paired_by"].items() if count)
    unpaired = len(found["unpaired"])
    without = f"; {unpaired} without a pair" if unpaired else ""
    return f"{found['paired']} of {found['items']} items paired{f', {by}' if by else ''}{without}"


def _show_compared(console: Console, title: str, compared: Mapping[str, Any]) -> None:
    left = [f"{count} {_WHY[why]}" for why, count in compared["left_out"].items() if count]
    if not compared["pairs"]:
        console.print(plain(f"{title}: no pair ({'; '.join(left)})"), soft_wrap=True)
        return
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column(title, no_wrap=True)
    for heading in ("pairs", "earlier", "new", "diff", "95% interval", "better", "worse", "equal", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in compared["figures"]:
        interval = each["interval_95"]
        table.add_row(
            plain(each["key"]),
            str(each["pairs"]),
            figure(each["earlier"]),
            figure(each["new"]),
            Text("none" if each["difference"] is None else f"{each['difference']:+.3g}", _STYLES[each["verdict"]]),
            "none" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}",
            *(str(each[name]) for name in ("better", "worse", "equal")),
            f"{each['sign_test_p']:.3f}",
        )
    console.print(table)
    for verdict in ("worse", "better"):
        clear = [each["key"] for each in compared["figures"] if each["verdict"] == verdict]
        if clear:
            console.print(plain(f"clearly {verdict}: {', '.join(clear)}", _STYLES[verdict]), soft_wrap=True)
    if left:
        console.print(plain(f"left out: {'; '.join(left)}", "yellow"), soft_wrap=True)
