"""People's labels on a terminal: how far they are, what they say of the judged figures, and the plan for them."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain
from plumbrule.runs.anchor.anchor_results import AnchorSummary, LabelStatus
from plumbrule.runs.anchor.label_plan import LabelPlan
from plumbrule.text.figure_format import figure, measured

_LISTED = 20


def show_label_status(console: Console, status: LabelStatus, *, sheet: Path | None = None) -> None:
    """Print what was done, how far the labels of a run are, and what comes next."""
    if status.drawn_now:
        console.print(plain(f"drew {len(status.drawn_now)} answers of {status.run_id} for people to label"))
    if status.labels_now:
        empty = f"; {status.rows_without_label} lines have none yet" if status.rows_without_label else ""
        console.print(plain(f"kept {status.labels_now} labels{empty}"))
    parts = [f"drawn {len(status.drawn)}", f"labelled {status.labelled}", f"waiting {len(status.waiting)}"]
    if status.unanswered:
        parts.append(f"never answered {status.unanswered} (they fail without a label)")
    if status.people:
        parts.append(f"by {', '.join(status.people)}")
    console.print(plain(f"{status.run_id}: {' · '.join(parts)}"), soft_wrap=True)
    if sheet is not None:
        text = f"{sheet}: the answers that wait; fill in accuracy_score and faithfulness_score, or pass"
        console.print(plain(text), soft_wrap=True)
    elif status.waiting:
        for answer in status.waiting[:_LISTED]:
            console.print(plain(f"  {answer.sample_id}  repeat {answer.repeat}"))
        if len(status.waiting) > _LISTED:
            console.print(plain(f"  and {len(status.waiting) - _LISTED} more; -o FILE writes them all"))
    for line in _next(status, sheet):
        console.print(plain(line), soft_wrap=True)


def _next(status: LabelStatus, sheet: Path | None) -> Iterator[str]:
    if not status.drawn:
        yield f"next: plumbrule label {status.run_id} --draw N --as NAME -o sheet.csv"
    elif status.waiting:
        yield f"next: plumbrule label {status.run_id} {sheet or 'FILE'} --as NAME"
    else:
        yield f"next: plumbrule gate {status.run_id} --anchor people"


def show_label_figures(console: Console, summary: AnchorSummary) -> None:
    """Print the judged figures as people have them beside what the judge alone says, and how far to trust the judge."""
    if not summary.drawn:
        return
    console.print()
    console.print(plain(_labels_line(summary)), soft_wrap=True)
    if summary.figures:
        table = Table(box=None, pad_edge=False, collapse_padding=True)
        table.add_column("by people", no_wrap=True)
        for heading in ("value", "nulls\nas zero", "95% interval", "judge\nalone", "labels", "of"):
            table.add_column(heading, justify="right")
        for name, found in summary.figures.items():
            values = found.value, found.nulls_as_zero.value, found.judge
            (value, as_zero, judge), interval = measured(values, found.low, found.high)
            table.add_row(
                name,
                value,
                as_zero,
                interval,
                judge,
                str(found.labels),
                str(found.samples),
            )
        console.print(table)
    for reason, names in _by_reason(summary):
        console.print(plain(f"  {', '.join(names)}: {reason}", "yellow"), soft_wrap=True)
    if summary.judge is not None:
        console.print(plain(summary.judge.in_words()), soft_wrap=True)


def _labels_line(summary: AnchorSummary) -> str:
    parts = [f"labels: {summary.labelled} of {summary.drawn} drawn answers"]
    if summary.people:
        parts.append(f"by {', '.join(summary.people)}")
    if summary.unanswered:
        parts.append(f"{summary.unanswered} never answered")
    if summary.labelled_by_several:
        parts.append(f"people disagree on {summary.disagreements} of {summary.labelled_by_several} labelled by several")
    if summary.draws > 1:
        parts.append(f"{summary.draws} draws, each of them another look")
    if summary.changed:
        parts.append(f"{summary.changed} changed later")
    return ", ".join(parts)


def _by_reason(summary: AnchorSummary) -> Iterator[tuple[str, list[str]]]:
    for reason in dict.fromkeys(summary.unavailable.values()):
        yield reason, [name for name, why in summary.unavailable.items() if why == reason]


def show_label_plan(
    console: Console, plan: LabelPlan, *, samples: int | None = None, labels: int | None = None
) -> None:
    """Print a plan: what samples alone take, what the judge would show, and how many labels correct it."""
    if plan.limit is None:
        console.print(plain(f"a rate of {figure(plan.rate)} to within {figure(plan.margin)} on either side"))
    else:
        goal = f"to tell a rate of {figure(plan.rate)} from the limit {figure(plan.limit)} with 80% power"
        console.print(plain(goal), soft_wrap=True)
    console.print(plain(f"  a judge that is always right: {plan.samples_by_judge:,} samples, no labels"))
    console.print(plain(f"  people alone, no judge: {plan.labels_alone:,} labels"))
    judge = plan.judge
    if judge is None:
        console.print(
            plain("  with a judge: give --sensitivity and --specificity, or --run RUN with labels"), soft_wrap=True
        )
        return
    console.print(
        plain(
            f"  a judge with sensitivity {figure(judge.sensitivity)} and specificity {figure(judge.specificity)} shows "
            f"{figure(judge.shows)}, however many samples there are"
        ),
        soft_wrap=True,
    )
    if judge.misleads:
        console.print(
            Text("  that is on the wrong side of the limit: the judge alone would be confidently wrong", "bold red"),
            soft_wrap=True,
        )
    console.print()
    if samples is not None or labels is not None:
        for line in _asked(plan, samples, labels):
            console.print(plain(line), soft_wrap=True)
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("samples", justify="right")
    table.add_column("labels", justify="right")
    for size in plan.sizes:
        table.add_row(f"{size.samples:,}", "not enough samples" if size.labels is None else f"{size.labels:,}")
    console.print(table)


def _asked(plan: LabelPlan, samples: int | None, labels: int | None) -> Iterator[str]:
    asked = plan.asked
    if asked is not None and asked.labels is not None:
        yield f"{asked.samples:,} samples with {asked.labels:,} of them labelled"
    elif samples is not None:
        yield f"{samples:,} samples are too few, even with a label for each: it takes {plan.labels_alone:,}"
    elif labels is not None:
        yield f"{labels:,} labels are too few with this judge, however many samples there are"
