"""The feedback loop on a terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain, table
from plumbrule.monitoring.feedback_patterns import DimensionFeedback, Feedback, Group, Pattern
from plumbrule.monitoring.regression_samples import TakenSample

_MOST_GROUPS = 4
_EXAMPLES = 3
_LONGEST = 36
_EXPECTED = {None: "nobody said what should have been", True: "expected: a refusal", False: "expected: an answer"}

Counted = Pattern | Group | DimensionFeedback


def show_taken(console: Console, taken: TakenSample) -> None:
    """Print that a sample was added to a dataset."""
    expected = _EXPECTED[taken.expects_refusal]
    console.print(plain(f"{taken.file}: {taken.id} taken, {taken.samples} samples; {expected}"), soft_wrap=True)


def show_feedback(console: Console, feedback: Feedback) -> None:
    """Print the patterns with their remedies, where they gather, and every dimension."""
    console.print(plain(f"{feedback.reviewed:,} reviewed", "bold"))
    for pattern in feedback.patterns:
        console.print()
        shares = f"{pattern.count} of {pattern.total}, {_share(pattern)} (95%: {_interval(pattern)})"
        console.print(Text.assemble(plain(pattern.title, "bold"), "  ", shares))
        if not pattern.count:
            continue
        console.print(plain(f"remedy: {pattern.remedy}", "green"), soft_wrap=True)
        console.print(plain(f"shown by: {_examples(pattern)}", "dim"), soft_wrap=True)
        if pattern.groups:
            console.print(_group_table(pattern))
    console.print()
    rows = table("dimension", ">to mend", ">share", ">95%", no_wrap=("dimension", "to mend", "share", "95%"))
    for dimension in feedback.dimensions:
        counts = f"{dimension.count} of {dimension.total}"
        rows.add_row(plain(dimension.dimension), counts, _share(dimension), _interval(dimension))
    console.print(rows)
    for remark in feedback.remarks:
        console.print(plain(f"remark: {remark}", "yellow"), soft_wrap=True)


def _group_table(pattern: Pattern) -> Table:
    headings = ("by", "where", ">count", ">share", ">95%", "", "such as")
    names = [heading.removeprefix(">") for heading in headings]
    rows = table(*headings, no_wrap=("count", "share", "95%"), fold=names)
    shown: dict[str, int] = {}
    for group in pattern.groups:
        shown[group.by] = shown.get(group.by, 0) + 1
        if shown[group.by] > _MOST_GROUPS:
            continue
        rows.add_row(
            group.by,
            plain(group.name[:_LONGEST]),
            f"{group.count} of {group.total}",
            _share(group),
            _interval(group),
            Text("stands out", "bold red") if group.stands_out else "",
            plain(group.traces[0][:_LONGEST], "dim"),
        )
    return rows


def _share(counted: Counted) -> str:
    return "none" if counted.share is None else f"{counted.share:.1%}"


def _interval(counted: Counted) -> str:
    interval = counted.interval_95
    return "none" if interval is None else f"{interval.low:.0%}-{interval.high:.0%}"


def _examples(counted: Counted) -> str:
    named = ", ".join(trace[:_LONGEST] for trace in counted.traces[:_EXAMPLES])
    more = counted.count - _EXAMPLES
    return f"{named} and {more} more" if more > 0 else named
