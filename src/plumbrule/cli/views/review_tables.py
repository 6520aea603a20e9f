"""Campaigns on a terminal: lists, progress, agreement, a model change pair by pair, the decision."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.reports.figure_text import figure
from plumbrule.reviews.queue import Waiting

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


_STATUS = {"open": "dim", "claimed": "cyan", "adjudication": "yellow", "done": "green"}
_SHOWN_ID = 13
_SHOWN_QUERY = 60
_SHOWN_CARDS = 12


def campaign_table(campaigns: Sequence[dict[str, Any]]) -> Table:
    """Return the campaigns, one a row."""
    table = _table("campaign", "trigger", "items", "ratings", "open", "adjudication", "done", "state")
    for each in campaigns:
        status = each["status"]
        table.add_row(
            plain(each["campaign"]),
            plain(each["trigger"]),
            str(each["items"]),
            f"{each['ratings']} of {each['ratings_wanted']}",
            str(status["open"] + status["claimed"]),
            str(status["adjudication"]),
            str(status["done"]),
            Text("closed", "green") if each["closed"] else Text("open", "cyan"),
        )
    return table


def item_table(items: Sequence[dict[str, Any]], *, whose: str | None) -> Table:
    """Return the items, one a row."""
    table = _table("item", "query", "stratum", "rated", "status", *(["to you"] if whose is not None else []))
    for item in items:
        cells: list[str | Text] = [
            plain(_short(item["trace_id"])),
            plain(_cut(item["query"])),
            plain(item["stratum"] or ""),
            f"{item['rated']} of {item['of']}",
            Text(item["status"], _STATUS[item["status"]]),
        ]
        table.add_row(*cells, *([item["mine"] or ""] if whose is not None else []))
    return table


def claim_table(claims: Sequence[dict[str, Any]]) -> Table:
    """Return what was claimed, one a row."""
    table = _table("item", "query", "yours until")
    for claim in claims:
        table.add_row(plain(claim["trace_id"]), plain(_cut(claim["query"])), _minute(claim["until"]))
    return table


def nothing_left(name: str, person: str, waiting: Waiting) -> str:
    """Return in words that nothing is left for somebody, and what waits for whom."""
    left = f"{name}: nothing is left for {person}"
    if waiting.closed:
        return f"{left}: the campaign is closed"
    adjudicates = waiting.role == "adjudicator"
    if not waiting.items:
        if not adjudicates:
            return f"{left}: every item has its ratings"
        lacking = f", and {_items(waiting.unrated)} still to be rated" if waiting.unrated else ""
        return f"{left}: no item waits for an adjudicator{lacking}"
    whom = "another adjudicator" if adjudicates else "other evaluators"
    why = [f"{person} was shown the ratings"] if waiting.shown else []
    why += [f"{person} rated {waiting.rated} of them"] if waiting.rated else []
    why += [f"{waiting.held} with {', '.join(waiting.holders)}"] if waiting.held else []
    wait = "waits" if waiting.items == 1 else "wait"
    return "; ".join([f"{left}: {_items(waiting.items)} {wait} for {whom}", *why])


def show_progress(console: Console, found: dict[str, Any]) -> None:
    """Print how far a campaign is."""
    console.print(plain(found["campaign"], "bold"))
    about = f"{found['trigger']}: {found['scope']}; {found['depth']}; {found['evaluators_per_item']} for each item"
    console.print(plain(about), soft_wrap=True)
    console.print(f"ratings: {found['ratings']} of {found['ratings_wanted']} on {found['items']} items")
    parts = [Text(f"{name} {count}", _STATUS[name]) for name, count in found["status"].items()]
    console.print(Text(" · ").join(parts))
    if found["evaluators"]:
        console.print()
        table = _table("evaluator", "rated", "claimed", "adjudicated")
        for each in found["evaluators"]:
            counts = (str(each[name]) for name in ("rated", "claimed", "adjudicated"))
            table.add_row(plain(each["evaluator"]), *counts)
        console.print(table)


def show_decision(console: Console, decision: dict[str, Any]) -> None:
    """Print what a campaign decides: the worst cards, what blocks, the remarks."""
    console.print()
    table = _table("", "item", "overall", "recommendation", "lowest")
    cards = sorted(decision["cards"], key=lambda card: (card["overall"], card["record"]))
    for card in cards[:_SHOWN_CARDS]:
        lowest = ", ".join(f"{key} {card['scores'][key]}" for key in card["low"])
        style = "red" if card["recommendation"] == "Fail" else ""
        table.add_row(
            str(card["record"]),
            plain(_short(card["trace_id"])),
            figure(card["overall"]),
            Text(card["recommendation"], style),
            plain(lowest),
        )
    if cards:
        console.print(table)
    if len(cards) > _SHOWN_CARDS:
        console.print(plain(f"and {len(cards) - _SHOWN_CARDS} cards that are no lower; --json lists all", "dim"))
    console.print()
    overall = f"average overall {figure(decision['overall'])}, {decision['band']}" if decision["cards"] else "no cards"
    console.print(plain(f"{decision['records']} cards, {decision['mode']}: {overall}"), soft_wrap=True)
    released = decision["release"]
    said = "RELEASE" if released else "NO RELEASE"
    console.print(Text(f"{said}: {decision['recommendation']}", "bold green" if released else "bold red"))
    for reason in decision["reasons"]:
        console.print(plain(f"  {reason}"), soft_wrap=True)
    for remark in decision["remarks"]:
        console.print(plain(remark, "yellow"), soft_wrap=True)
    if decision.get("paired") is not None:  # not in a decision of an older version
        show_pairing(console, decision["paired"])


def show_agreement(console: Console, found: dict[str, Any]) -> None:
    """Print how far people agree with each other, with the pre-scores and with a judge."""
    left = f"; {found['left_out']} are left out until you may see all their ratings" if found["left_out"] else ""
    console.print(plain(f"{found['campaign']}: {found['items']} items{left}"), soft_wrap=True)
    console.print()
    headings = ("rated twice", "alpha", "95% interval", "AC1")
    table = _table("people with each other", *headings)
    for each in found["dimensions"]:
        table.add_row(plain(each["key"]), *_agreed(each))
    console.print(table)
    console.print()
    table = _table("evaluator", "rated", "mean level", *headings)
    for each in found["evaluators"]:
        table.add_row(plain(each["evaluator"]), str(each["rated"]), figure(each["mean_level"]), *_agreed(each))
    console.print(table)
    console.print()
    table = _table("people with pre-scores", "pairs", "same", "kappa")
    for each in found["prescores"]:
        table.add_row(plain(each["key"]), *_beside(each))
    console.print(table)
    for each in found["prescores"]:
        _show_confusion(console, each, f"{each['key']}: people down, pre-score across")
    if found["judge"] is not None:
        console.print()
        table = _table(f"people with the judge of {found['judge']['run_id']}", "pairs", "same", "kappa")
        for each in found["judge"]["scores"]:
            table.add_row(plain(f"{each['score']} for {each['dimension']}"), *_beside(each))
        console.print(table)
        for each in found["judge"]["scores"]:
            _show_confusion(console, each, f"{each['score']}: people down, judge across")


def _show_confusion(console: Console, found: dict[str, Any], title: str) -> None:
    if all(
        count == 0 or row == column
        for row, cells in enumerate(found["confusion"])
        for column, count in enumerate(cells)
    ):
        return  # nobody differs
    console.print()
    table = _table(title, *found["labels"])
    for label, row in zip(found["labels"], found["confusion"], strict=True):
        table.add_row(plain(label), *(Text(str(count), "" if count else "dim") for count in row))
    console.print(table)


def _agreed(figures: dict[str, Any]) -> tuple[str, str, str, str]:
    interval = figures["alpha_interval_95"]
    within = "none" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"
    return str(figures["pairable"]), figure(figures["alpha"]), within, figure(figures["ac1"])


def _beside(figures: dict[str, Any]) -> tuple[str, str, str]:
    same = sum(row[place] for place, row in enumerate(figures["confusion"]))
    share = f"{same / figures['pairs']:.0%}" if figures["pairs"] else "none"
    return str(figures["pairs"]), share, figure(figures["kappa"])


def _table(first: str, *headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    words = {
        "query",
        "stratum",
        "status",
        "trigger",
        "state",
        "recommendation",
        "lowest",
        "to you",
        "item",
        "yours until",
    }
    for heading in headings:
        table.add_column(
            heading,
            justify="left" if heading in words else "right",
            no_wrap=heading in {"status", "item", "trigger", "recommendation"},
            overflow="fold",
        )
    return table


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _minute(moment: str) -> str:
    return f"{moment[:16].replace('T', ' ')} UTC"


def _short(name: str) -> str:
    return name if len(name) <= _SHOWN_ID else f"{name[:_SHOWN_ID]}…"


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_QUERY else f"{flat[: _SHOWN_QUERY - 1]}…"
