"""The feedback loop on a terminal."""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from plumbrule.cli.ledger_access import open_here, opened_if_there
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.cli.views.monitor_job import CardSource
from plumbrule.monitoring.feedback_patterns import Feedback, Pattern, Tally
from plumbrule.monitoring.interaction_lookup import locate
from plumbrule.monitoring.regression_samples import append_sample, patterns_in, regression_sample
from plumbrule.monitoring.reviewed_interactions import own_cases
from plumbrule.names import key_of_trace
from plumbrule.rubrics import load_scorecard

_MOST_GROUPS = 4
_EXAMPLES = 3
_LONGEST = 36


def show_feedback(source: CardSource, *, as_json: bool) -> None:
    """Show the patterns in what was reviewed."""
    if source.records is None:
        with open_here(source.ledger_url) as ledger:
            cases = source.read(ledger)
    else:
        cases = source.read(None)
    found = patterns_in(cases, source.loaded.rubric)
    if as_json:
        print_json({**found.to_dict(), "remarks": list(cases.remarks), "rubric": source.loaded.stamp()})
    else:
        _show(found)
        for remark in cases.remarks:
            stdout().print(plain(f"remark: {remark}", "yellow"), soft_wrap=True)


def take_sample(
    trace_id: str, output: Path, *, source: str | None, passages: str | None, ledger_url: str | None, as_json: bool
) -> None:
    """Take one interaction into a dataset."""
    with opened_if_there(ledger_url) if source is not None else open_here(ledger_url) as ledger:
        located = locate(trace_id, ledger=ledger, source=source, passages=passages)
        everything = () if ledger is None else own_cases(ledger)
    key = key_of_trace(located.trace_id)
    cases = [case for case in everything if case.trace_id is not None and key_of_trace(case.trace_id) == key]
    rubric = (
        cases[-1].rubric if cases else load_scorecard()
    )  # a card of another scorecard says nothing that this can read
    same = [case for case in cases if case.rubric.sha256 == rubric.sha256]
    sample = regression_sample(located.known, same, rubric.rubric)
    count = append_sample(output, sample)
    if as_json:
        named = {name: sample.get(name) for name in ("id", "trace_id", "expected")}
        print_json({"file": str(output), **named, "samples": count})
        return
    expected = sample.get("expected", {}).get("refuse")
    wanted = {None: "nobody said what should have been", True: "expected: a refusal", False: "expected: an answer"}
    stdout().print(plain(f"{output}: {sample['id']} taken, {count} samples; {wanted[expected]}"), soft_wrap=True)


def _show(found: Feedback) -> None:
    console = stdout()
    console.print(plain(f"{found.reviewed:,} reviewed", "bold"))
    for pattern in found.patterns:
        console.print()
        console.print(Text.assemble(plain(pattern.title, "bold"), "  ", _shares(pattern.tally)))
        if not pattern.tally.traces:
            continue
        console.print(plain(f"remedy: {pattern.remedy}", "green"), soft_wrap=True)
        console.print(plain(f"shown by: {_examples(pattern.tally)}", "dim"), soft_wrap=True)
        if pattern.groups:
            console.print(_group_table(pattern))
    console.print()
    table = Table(box=None, pad_edge=False)
    for heading in ("dimension", "to mend", "share", "95%"):
        table.add_column(heading, justify="left" if heading == "dimension" else "right", no_wrap=True)
    for dimension in found.dimensions:
        tally = dimension.tally
        table.add_row(plain(tally.name), f"{len(tally.traces)} of {tally.total}", _share(tally), _interval(tally))
    console.print(table)


def _group_table(pattern: Pattern) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("by", "where", "count", "share", "95%", "", "such as"):
        right = heading in {"count", "share", "95%"}
        table.add_column(heading, justify="right" if right else "left", no_wrap=right, overflow="fold")
    shown: dict[str, int] = {}
    for group in pattern.groups:
        shown[group.by] = shown.get(group.by, 0) + 1
        if shown[group.by] > _MOST_GROUPS:
            continue
        tally = group.tally
        table.add_row(
            group.by,
            plain(tally.name[:_LONGEST]),
            f"{len(tally.traces)} of {tally.total}",
            _share(tally),
            _interval(tally),
            Text("stands out", "bold red") if group.stands_out else "",
            plain(tally.traces[0][:_LONGEST], "dim"),
        )
    return table


def _shares(tally: Tally) -> str:
    return f"{len(tally.traces)} of {tally.total}, {_share(tally)} (95%: {_interval(tally)})"


def _share(tally: Tally) -> str:
    return "none" if tally.share is None else f"{float(tally.share):.1%}"


def _interval(tally: Tally) -> str:
    return "none" if tally.interval is None else f"{tally.interval.low:.0%}-{tally.interval.high:.0%}"


def _examples(tally: Tally) -> str:
    named = ", ".join(trace[:_LONGEST] for trace in tally.traces[:_EXAMPLES])
    more = len(tally.traces) - _EXAMPLES
    return f"{named} and {more} more" if more > 0 else named
