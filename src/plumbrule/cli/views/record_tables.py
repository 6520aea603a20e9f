"""Records on a terminal: the decision on each."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from plumbrule.cli.terminal_console import plain, print_json, stdout, table
from plumbrule.cli.views.policy_lines import show_policy
from plumbrule.reviews.evaluation_record import DecidedRecord, count_recommendations
from plumbrule.reviews.submission import Submitted
from plumbrule.rubrics.scorecard_rubric import Recommendation

_STYLES: dict[Recommendation, str] = {"Pass": "bold green", "Pass with notes": "yellow", "Fail": "bold red"}
_LONGEST_CELL = 40


def show_submitted(submitted: Submitted, *, as_json: bool) -> None:
    """Print the records that were kept."""
    if as_json:
        for record in submitted.records:
            print_json(record.exported())
    else:
        show_decided([kept.record.decided(kept.decision) for kept in submitted.records])


def show_decided(decided: Sequence[DecidedRecord], *, console: Console | None = None) -> None:
    """Print the decision on each record, and the dimensions that still need a note."""
    console = console or stdout()
    show_policy(console, decided[0].policy if decided else None)
    headings = ("record", ">overall", "band", "action", "recommendation")
    rows = table(">", *headings, no_wrap=("", "band", "recommendation"), fold=[*headings, "overall"])
    for number, record in enumerate(decided, 1):
        name = record.trace_id or record.evaluation_id or ""
        rows.add_row(
            str(number),
            plain(name[:_LONGEST_CELL]),
            f"{record.overall:.4g}",
            plain(record.band),
            # the band's action is about the score alone: "Deploy" would mislead where something blocks
            plain("blocked", "red") if record.blockers else plain(record.action),
            Text(record.recommendation, _STYLES[record.recommendation]),
        )
    console.print(rows)
    for number, record in enumerate(decided, 1):
        style = "red" if record.recommendation == "Fail" else "yellow"
        for reason in record.reasons:
            console.print(plain(f"{number}: {reason}", style), soft_wrap=True)
        for remark in record.remarks:
            console.print(plain(f"{number}: {remark}", "yellow"), soft_wrap=True)
        if record.note_needed:
            needed = ", ".join(record.note_needed)
            console.print(plain(f"{number}: a note is needed on {needed}", "dim"), soft_wrap=True)
    if len(decided) > 1:
        console.print()
        console.print(" · ".join(f"{name} {count}" for name, count in count_recommendations(decided).items()))
