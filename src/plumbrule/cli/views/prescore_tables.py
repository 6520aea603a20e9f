"""Pre-scores on a terminal: the summary of many, and one interaction with its evidence."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import option_words, plain, stamp_line, table
from plumbrule.prescores.checks import Spot
from plumbrule.prescores.prescore_result import PrescoreSummary
from plumbrule.prescores.prescorer import DimensionScore, Prescore
from plumbrule.rubrics import LEVELS, Stamp
from plumbrule.terminal import shortened

_COLOURS = {"Strong": "green", "Adequate": "cyan", "Needs Review": "yellow", "Unsafe": "red", None: "dim"}
_SHOWN_RULES = 12
_SHOWN_CHARACTERS = 160
_SHOWN_ID = 13
_BASES = {
    "rules": "by rules",
    "figures": "measured against gold passages",
    "hints": "by a hint",
    "refused": "does not apply to a refusal",
    "unknown": "too little is known to propose a level",
}


def explain_command(path: str, summary: PrescoreSummary, options: Mapping[str, object]) -> str | None:
    """Return the command that explains the first interaction with the lowest cap, to be copied."""
    if not summary.rules:
        return None
    return shlex.join(["plumbrule", "prescore", path, "--explain", summary.rules[0].example, *option_words(options)])


def show_summary(
    console: Console, summary: PrescoreSummary, *, output: Path | None = None, closer: str | None = None
) -> None:
    """Print the proposed levels by dimension, the rules that fired with an example each, and the findings."""
    console.print()
    console.print(_level_table(summary))
    parts = [f"{name} {count}" for name, count in summary.counts.items()]
    console.print(Text("\n" + " · ".join([*parts, f"refused {summary.refused}"]), "dim"))
    over = summary.over_refusal
    if over.pattern:
        text = f"refused though answerable: {over.refused} of {over.answerable}, a pattern and not an edge case"
        console.print(plain(text, "yellow"), soft_wrap=True)
    elif over.refused:
        text = f"refused though answerable: {over.refused} of {over.answerable}, too few to call it a pattern"
        console.print(plain(text, "dim"), soft_wrap=True)
    if summary.rules:
        console.print()
        console.print(_rule_table(summary))
        rest = len(summary.rules) - _SHOWN_RULES
        if rest > 0:
            console.print(plain(f"and {rest} more rules; --json lists all", "dim"))
    if summary.findings:
        console.print()
        console.print(_finding_table(summary))
    console.print()
    if output is not None:
        console.print(plain(f"results: {output}", "dim"), soft_wrap=True)
    if closer is not None:
        console.print(plain(f"look closer: {closer}", "dim"), soft_wrap=True)
    _show_stamps(console, summary.rubrics)


def show_explanation(console: Console, prescore: Prescore) -> None:
    """Print one interaction with each dimension's level and the evidence for each cap."""
    interaction = prescore.interaction
    sample = interaction.sample
    console.print()
    console.print(plain(f"{sample.trace_id or sample.id}  {sample.grounding_status or ''}", "bold"), soft_wrap=True)
    console.print(plain(interaction.where, "dim"), soft_wrap=True)
    console.print(Text.assemble(("question  ", "dim"), plain(sample.question)))
    console.print()
    refusal = sample.refusal
    if refusal is not None:
        text = "\n".join(part for part in (refusal.code, refusal.reason, refusal.user_guidance) if part)
        console.print(Panel(plain(text), title="refusal", title_align="left", border_style="dim"))
    if sample.answer:
        console.print(Panel(plain(sample.answer), title="answer", title_align="left", border_style="dim"))
    for score in prescore.dimensions.values():
        _show_dimension(console, score)
    if interaction.findings:
        console.print()
        console.print(Text("findings", "bold"))
        for finding in interaction.findings:
            console.print(plain(f"  {finding.code}: {finding.message}", "yellow"), soft_wrap=True)
    console.print()
    _show_stamps(console, prescore.rubrics)


def _show_dimension(console: Console, score: DimensionScore) -> None:
    level = score.level or "no proposal"
    name = score.dimension.replace("_", " ")
    line = Text.assemble((f" {level} ", f"bold reverse {_COLOURS[score.level]}"), f" {name}  ")
    line.append(_BASES[score.basis], "dim")
    console.print(line)
    for check in score.caps:
        cap = f"at most {check.cap}" if check.cap is not None else "a hint"
        console.print(Text.assemble("   ", (cap, _COLOURS[check.cap]), f"  {check.rule}: ", plain(check.message)))
        for spot in check.evidence:
            console.print(_spot_line(spot), soft_wrap=True)
    for hint in score.hints:
        figures = "".join(f"  {name} {value:.2f}" for name, value in hint.figures)
        console.print(Text.assemble("   ", ("hint", "dim"), f"  {hint.code}: ", plain(hint.message), (figures, "dim")))
        for spot in hint.evidence:
            console.print(_spot_line(spot), soft_wrap=True)


def _spot_line(spot: Spot) -> Text:
    place = spot.where + (f" ({spot.ref})" if spot.ref else "")
    place += f" at {spot.start}–{spot.end}" if spot.start is not None else ""
    text = shortened(spot.text, _SHOWN_CHARACTERS + 1)
    return Text.assemble("     ", plain(place, "dim"), ("  " if text else ""), plain(" ".join(text.split())))


def _level_table(summary: PrescoreSummary) -> Table:
    rows = table("dimension", *(f">{level}" for level in LEVELS), ">no proposal")
    for name, counts in summary.levels.items():
        cells = [Text(str(count), _COLOURS.get(level, "dim") if count else "dim") for level, count in counts.items()]
        rows.add_row(name.replace("_", " "), *cells)
    return rows


def _rule_table(summary: PrescoreSummary) -> Table:
    rows = _first_table("rule that fired", ">times", "at most")
    for rule in summary.rules[:_SHOWN_RULES]:
        cap = Text(rule.cap or "a hint", _COLOURS[rule.cap])
        example = shortened(rule.example, _SHOWN_ID + 1)  # enough of a trace id to explain it by
        rows.add_row(rule.rule, str(rule.count), cap, plain(example, "dim"), plain(rule.message))
    return rows


def _finding_table(summary: PrescoreSummary) -> Table:
    rows = _first_table("finding", ">times", "severity")
    for code, tally in sorted(summary.findings.items(), key=lambda item: (-item[1].count, item[0])):
        first = tally.example
        rows.add_row(code, str(tally.count), first.severity, plain(first.where, "dim"), plain(first.message))
    return rows


def _first_table(*headings: str) -> Table:
    """Return a table that also tells where something came up first; a place without its line is none."""
    no_wrap = [heading.removeprefix(">") for heading in headings]
    return table(*headings, "first at", "there", no_wrap=no_wrap, fold=("first at", "there"))


def _show_stamps(console: Console, rubrics: Iterable[Stamp]) -> None:
    for stamp in rubrics:
        console.print(stamp_line(stamp), soft_wrap=True)
