"""Scorecards on a terminal: what each record comes to."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.api.scorecards import decide_records
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.reviews.card_decision import Decision
from plumbrule.reviews.evaluation_record import EvaluationRecord
from plumbrule.rubrics import load_scorecard, parse_override
from plumbrule.rubrics.scorecard_rubric import Recommendation

_STYLES: dict[Recommendation, str] = {"Pass": "bold green", "Pass with notes": "yellow", "Fail": "bold red"}
_LONGEST_CELL = 40


def decide_file(file: str, *, rubric: Path | None, settings: tuple[str, ...], as_json: bool) -> bool:
    """Show what each record comes to; tell whether none fails."""
    loaded = load_scorecard(rubric, dict(parse_override(setting) for setting in settings))
    decided = decide_records(file, loaded)
    if as_json:
        for each in decided:
            print_json(each.to_dict())
    else:
        show_decided([(each.record, each.decision, each.note_needed) for each in decided])
    return all(each.decision.recommendation != "Fail" for each in decided)


def show_decided(
    decided: Sequence[tuple[EvaluationRecord, Decision, tuple[str, ...]]], *, console: Console | None = None
) -> None:
    """Print what each record comes to, and the dimensions that still need a note."""
    console = console or stdout()
    table = Table(box=None, pad_edge=False)
    table.add_column("", justify="right", no_wrap=True)
    for heading in ("record", "overall", "band", "action", "recommendation"):
        table.add_column(
            heading,
            justify="right" if heading == "overall" else "left",
            no_wrap=heading in {"band", "recommendation"},
            overflow="fold",
        )
    for number, (record, decision, _) in enumerate(decided, 1):
        style = _STYLES[decision.recommendation]
        name = record.trace_id or record.evaluation_id or ""
        table.add_row(
            str(number),
            plain(name[:_LONGEST_CELL]),
            f"{float(decision.overall):.4g}",
            plain(decision.band),
            # the band's action speaks of the score alone: "Deploy" would mislead where something blocks
            plain("blocked", "red") if decision.blockers else plain(decision.action),
            Text(decision.recommendation, style),
        )
    console.print(table)
    for number, (_, decision, note_needed) in enumerate(decided, 1):
        for reason in decision.reasons:
            style = "red" if decision.recommendation == "Fail" else "yellow"
            console.print(plain(f"{number}: {reason}", style), soft_wrap=True)
        for remark in decision.remarks:
            console.print(plain(f"{number}: {remark}", "yellow"), soft_wrap=True)
        if note_needed:
            console.print(plain(f"{number}: a note is needed on {', '.join(note_needed)}", "dim"), soft_wrap=True)
    if len(decided) > 1:
        counts = Counter(decision.recommendation for _, decision, _ in decided)
        console.print()
        console.print(" · ".join(f"{name} {counts[name]}" for name in get_args(Recommendation)))
