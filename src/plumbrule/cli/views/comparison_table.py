"""Two runs compared, on a terminal."""

from collections.abc import Iterator, Sequence
from typing import Literal

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.reports.figure_text import compared_texts
from plumbrule.runs.comparison import FlipsResult, GateComparison, GateStanding, RunComparison
from plumbrule.runs.differences import DifferenceResult, FigureComparison, may_be_chance, nulls_matter
from plumbrule.terminal import shortened
from plumbrule.text.figure_format import NONE, SIGNS, figure, figures

_FLIPS_SHOWN = 10
_LONGEST_QUESTION = 200
_STYLES = {"better": "bold green", "worse": "bold red", "no clear difference": "dim"}

_OF_WORDS = {"95% interval", "samples", ""}  # columns that may take several lines
_WIDE = 112  # from here on the table has room for the smallest differences
_DETECTABLE = "detectable: the smallest true difference that so many samples show with 80% power"
_UNCLEAR = (
    "unclear +N: the interval holds 0; with N more samples like these it would exclude 0, every other time if this is "
    "the true difference"
)
_BY_CHANCE = "unclear*: the interval excludes 0, but with so many figures compared chance may have done it (Holm)"
_MARGINS = {
    "shown": ("", "green"),
    "not shown": (" (the whole interval is beyond the margin)", "bold red"),
    "inconclusive": (" (the interval leaves it open; more samples may settle it)", "yellow"),
}


def show_comparison(console: Console, comparison: RunComparison) -> None:
    """Print the comparison: the runs, the figures, the flips, the gates, and what else differs."""
    console.print()
    for place, run in (("first", comparison.first), ("second", comparison.second)):
        about = f"{run.name} · {run.model or run.candidate} · judged by {run.judge}"
        line = Text.assemble((f"{place:<7}", "dim"), plain(run.run_id, "bold"), "  ", plain(about))
        console.print(line, soft_wrap=True)
    clusters = "" if comparison.clusters is None else f" in {comparison.clusters} clusters"
    looks = "; intervals are valid however often one looks" if comparison.confidence == "sequential" else ""
    console.print(plain(f"{comparison.samples} samples{clusters} compared, {comparison.paired.words}{looks}", "dim"))
    console.print()
    wide = console.width >= _WIDE
    console.print(_figure_table(comparison.figures, wide=wide))
    for note in _notes(comparison.figures, wide=wide):
        console.print(Text(note, "dim"), soft_wrap=True)
    for line in _margin_lines(comparison.figures):
        console.print(line, soft_wrap=True)
    console.print()
    for line in _flip_lines(comparison.flips):
        console.print(line, soft_wrap=True)
    console.print()
    console.print(_gate_table(comparison.gates))
    for unsettled in _unsettled_lines(comparison.gates):
        console.print(plain(unsettled, "yellow"), soft_wrap=True)
    if comparison.differences:
        console.print(plain("not the same in both, so that a difference need not be the candidate's:", "yellow"))
    for difference in comparison.differences:
        values = f"{_short(difference.first)} in the first, {_short(difference.second)} in the second"
        console.print(plain(f"  {difference.name}: {values}", "yellow"), soft_wrap=True)
    for warning in comparison.warnings:
        console.print(plain(f"warning: {warning}", "yellow"), soft_wrap=True)
    for remark in comparison.remarks:
        console.print(plain(f"note: {remark}", "yellow"), soft_wrap=True)
    for regression in comparison.regressions:
        console.print(plain(f"worse: {regression}", "bold red"), soft_wrap=True)


def _notes(figures: Sequence[FigureComparison], *, wide: bool) -> Iterator[str]:
    """Yield what the words of the table mean, and the smallest differences where it has no room for them."""
    if any(compared.samples_to_settle is not None for compared in figures):
        yield _UNCLEAR
    if any(map(may_be_chance, figures)):
        yield _BY_CHANCE
    known = [(compared.name, compared.minimum_detectable_effect) for compared in figures]
    listed = ", ".join(f"{name} {figure(effect)}" for name, effect in known if effect is not None)
    if listed:
        yield _DETECTABLE if wide else f"{_DETECTABLE}: {listed}"


def _figure_table(figures: Sequence[FigureComparison], *, wide: bool) -> Table:
    # a figure is never cut: where there is little room, what has several words takes several lines
    table = Table(box=None, pad_edge=False, padding=(0, 1) if wide else (0, 1, 0, 0))
    detectable, difference = (("detectable",), "difference") if wide else ((), "differ-\nence")
    for heading in ("figure", "first", "second", difference, "95% interval", *detectable, "samples", ""):
        justify: Literal["left", "right"] = "left" if heading in {"figure", ""} else "right"
        table.add_column(heading, justify=justify, no_wrap=wide or heading not in _OF_WORDS, overflow="fold")
    for compared in figures:
        table.add_row(compared.name, *_cells(compared, wide=wide))
        as_zero = compared.nulls_as_zero
        if as_zero is not None and nulls_matter(compared):
            table.add_row(Text("  nulls as zero", "dim"), *_cells(as_zero, wide=wide))
    return table


def _cells(compared: FigureComparison | DifferenceResult, *, wide: bool) -> Iterator[Text]:
    style = _STYLES[compared.verdict]
    texts = compared_texts(compared)
    yield Text(texts.first)
    yield Text(texts.second)
    yield Text(texts.difference, style)
    yield Text(texts.interval, style)
    if wide:
        yield Text(figure(compared.minimum_detectable_effect), "dim")
    left_out = compared.left_out
    yield Text(str(compared.samples) + (f" of {compared.samples + left_out}" if left_out else ""))
    more = "*" if may_be_chance(compared) else ""
    if compared.samples_to_settle is not None:
        more = f" +{compared.samples_to_settle}"
    yield Text(f"unclear{more}" if compared.verdict == "no clear difference" else compared.verdict, style)


def _margin_lines(figures: Sequence[FigureComparison]) -> Iterator[Text]:
    """Yield for each figure with a margin whether the second run keeps it."""
    for compared in figures:
        kept = compared.non_inferiority
        if kept is not None:
            meaning, style = _MARGINS[kept.state]
            margin = f"{compared.name}: worse by no more than {figure(kept.margin)}: {kept.state}"
            yield plain(f"{margin}{meaning}", style)


def _flip_lines(flips: FlipsResult) -> Iterator[Text]:
    """Yield what became of the samples, and those that flipped."""
    p = flips.mcnemar_p
    test = ""
    if p is not None:
        test = f"; McNemar's exact test of the flips: p {'< 0.001' if p < 0.001 else f'= {figure(p)}'}"
    yield plain(f"{flips.both_pass} samples pass in both, {flips.both_fail} fail in both{test}")
    for flipped, text, style in (
        (flips.pass_to_fail, "passed, and fail in the second", "red"),
        (flips.fail_to_pass, "failed, and pass in the second", "green"),
    ):
        yield plain(f"{len(flipped)} {text}{':' if flipped else ''}", style if flipped else "")
        for flip in flipped[:_FLIPS_SHOWN]:
            question = " ".join((flip.question or "").split())[:_LONGEST_QUESTION]
            yield plain(f"  {flip.sample_id} ({', '.join(flip.failed)})  ") + plain(question, "dim")
        if len(flipped) > _FLIPS_SHOWN:
            yield plain(f"  and {len(flipped) - _FLIPS_SHOWN} more; --json lists all", "dim")


def _gate_table(gates: Sequence[GateComparison]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("gate", "limit", "", "first", "nulls\nas zero", "", "second", "nulls\nas zero"):
        table.add_column(heading, justify="left" if heading == "gate" else "right", no_wrap=True)
    for gate in gates:
        limit = f"{SIGNS[gate.direction]} {figure(gate.limit)}"
        table.add_row(gate.name, limit, *_gate_cells(gate.first, gate.limit), *_gate_cells(gate.second, gate.limit))
    return table


def _unsettled_lines(gates: Sequence[GateComparison]) -> Iterator[str]:
    """Yield for either run the gates whose interval holds the limit."""
    for place, names in (
        ("first", [gate.name for gate in gates if gate.first.inconclusive]),
        ("second", [gate.name for gate in gates if gate.second.inconclusive]),
    ):
        if names:
            yield f"not settled in the {place}: {', '.join(names)}"


def _gate_cells(gate: GateStanding, limit: float) -> Iterator[Text]:
    yield Text("✓", "green") if gate.passed else Text("✗", "bold red")
    for text in figures(gate.value, gate.value_nulls_as_zero, against=limit):
        yield Text(text or NONE)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else "none" if value is None else orjson.dumps(value).decode()
    return shortened(text, 61)
