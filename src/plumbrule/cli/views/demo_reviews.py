"""The demo's reviews on a terminal, for people who never saw a scorecard."""

from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.cli.views.monitoring_tables import STATUS_STYLES, target_sign, value_text, weeks_line
from plumbrule.demo.scripted_reviews import Watched
from plumbrule.monitoring.weekly_figures import Status
from plumbrule.reports.figure_text import figure
from plumbrule.rubrics import ScorecardRubric

_COLOURS = {"Strong": "green", "Adequate": "cyan", "Needs Review": "yellow", "Unsafe": "bold red"}
_STATES: dict[Status | None, str] = {"ON_TARGET": "ok", "WATCH": "watch", "ALERT": "ALERT", None: "none"}


def show_release(console: Console, found: dict[str, Any], rubric: ScorecardRubric) -> None:
    """Print what was proposed, what people made of it, where they parted, and what it decides."""
    decision = found["decision"]
    console.print(
        plain(
            f"{found['items']} answers of the repaired assistant. Mechanical checks propose a level for each "
            "dimension, people decide; the last column is the average of what they gave."
        )
    )
    console.print()
    console.print(_dimension_table(found, rubric))
    console.print()
    parted = len(found["disagreements"])
    console.print(
        plain(f"{found['ratings']} cards by two people who do not see each other's; they part {_times(parted)}:")
    )
    for each in found["disagreements"]:
        _show_disagreement(console, each)
    console.print()
    released = decision["release"]
    said = f"{'RELEASE' if released else 'NO RELEASE'}: {decision['recommendation']}"
    console.print(
        Text(said, "bold green" if released else "bold red"),
        plain(f"{decision['records']} cards, average {figure(decision['overall'])} of 4, {decision['band']}", "dim"),
        sep="  ",
    )
    for reason in decision["reasons"]:
        console.print(plain(f"  {reason}"))
    if not decision["blockers"]:
        console.print(plain("  no card sets off a rule that blocks; to be fixed next:"))
    for each in found["noted"]:
        low = f"{_words(each['dimension'])} {each['counts']}"
        console.print(_labelled({"asked": each["query"], "rated": low, "because": each["notes"]}))


def show_weeks(console: Console, watched: Watched, rubric: ScorecardRubric) -> None:
    """Print how the figures went, and what is behind each alert."""
    weeks = watched.monitoring.weeks
    reviewed = sum(week.reviewed for week in weeks)
    console.print(
        plain(f"{weeks[0].week} to {weeks[-1].week}: {reviewed} cards, {len(weeks)} weekly samples drawn by strata.")
    )
    console.print()
    table = Table(box=None, pad_edge=False)
    for heading in ("figure", f"{len(weeks)} weeks", "last", "target", "worst", ""):
        words = heading in {"", "figure"} or heading.endswith("weeks")
        table.add_column(heading, justify="left" if words else "right", no_wrap=True)
    for place, rule in enumerate(rubric.figures):
        line = [week.figures[place] for week in weeks]
        sign = 1 if rule.target.higher_is_better else -1
        worst = min(line, key=lambda each: (each.raw.value is None, sign * (each.raw.value or 0)))
        table.add_row(
            plain(rule.title.partition(" (")[0]),
            weeks_line(line, rule),
            value_text(line[-1].raw, rule),
            target_sign(rule.target),
            value_text(worst.raw, rule),
            Text(_STATES[worst.status], STATUS_STYLES[worst.status]),
        )
    console.print(table)
    console.print()
    for alert in watched.alerts:
        over = f" over {alert.body['total']} cards" if "total" in alert.body else ""
        told = f" {alert.week}: {alert.body['title']} is {figure(alert.body['value'])}{over}"
        console.print(Text("ALERT", "bold red"), plain(told), sep="")
    if not watched.alerts:
        console.print(plain("no alert", "green"))
    for each in watched.behind:
        low = ", ".join(f"{_words(key)} {level}" for key, level in each["low"].items())
        lines = {"asked": each["query"], "answered": each["answer"], "rated": low, "because": " ".join(each["notes"])}
        console.print(_labelled(lines))


def _dimension_table(found: dict[str, Any], rubric: ScorecardRubric) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("levels that the checks propose", no_wrap=True)
    levels = [level.name for level in rubric.levels]
    for level in levels:
        table.add_column(level, justify="right", no_wrap=True)
    table.add_column("people", justify="right", no_wrap=True)  # their average
    for dimension in rubric.dimensions:
        counts = found["proposed"][dimension.key]
        table.add_row(
            plain(dimension.title),
            *(
                Text(str(counts.get(level, 0)), _COLOURS.get(level, "") if counts.get(level) else "dim")
                for level in levels
            ),
            figure(found["decision"]["dimension_means"][dimension.key]),
        )
    return table


def _show_disagreement(console: Console, each: dict[str, Any]) -> None:
    console.print(Panel(plain(f"{each['query']}\n\n{each['answer']}"), title="question and answer", title_align="left"))
    table = Table(box=None, pad_edge=False)
    table.add_column("who", no_wrap=True)
    table.add_column(_words(each["dimension"]), no_wrap=True)
    table.add_column("why")
    table.add_row("the checks propose", _level(each["proposed"]), plain("; ".join(map(_why, each["why"]))))
    for given in each["given"]:
        settles = given["evaluator"] == each["adjudicator"]
        who = plain(f"{given['evaluator']} {'settles it' if settles else 'rates'}", "bold" if settles else "")
        table.add_row(who, _level(given["level"]), plain(given["notes"]))
    console.print(table)
    console.print(
        plain(f"Until it is settled the lower level counts, and the card comes to {each['unsettled']}.", "dim")
    )


def _why(cap: dict[str, Any]) -> str:
    quoted = ", ".join(f"'{text}'" for text in cap["answer"])
    return f"{cap['message']} ({quoted})" if quoted else str(cap["message"])


def _labelled(lines: dict[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column()
    for label, text in lines.items():
        table.add_row("", Text(label, "dim"), plain(text or "none"))
    return table


def _words(key: str) -> str:
    return key.replace("_", " ")


def _level(level: str | None) -> Text:
    return Text(level or "none", _COLOURS.get(level or "", "dim"))


def _times(count: int) -> str:
    return {0: "nowhere", 1: "once"}.get(count, f"{count} times")
