"""One run of the suite on a terminal: progress, what each test case came to, and every case that did not pass."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.api.suites import SuiteOutcome, run_suite
from plumbrule.cli.console import plain, stderr, stdout
from plumbrule.hostile import safe
from plumbrule.runs.suite import CaseResult
from plumbrule.runs.suite_tally import CaseCounts
from plumbrule.suites import load_suite
from plumbrule.writing import written_whole

_FAILED = 1
_INCOMPLETE = 4
_SHOWN_SPOTS = 2
_SHOWN_CHARACTERS = 110


def run_and_show(
    candidate: str,
    *,
    codes: tuple[str, ...],
    output: Path | None,
    timeout_s: float,
    concurrency: int,
    api_key_env: str | None,
    allow_private: bool,
    as_json: bool,
) -> int:
    """Run the suite, show or write what came of it, and return the exit code."""
    suite = load_suite().only(codes)
    with _shown(candidate, len(suite.cases), stderr()) as watch:
        outcome = run_suite(
            candidate,
            suite=suite,
            timeout_s=timeout_s,
            concurrency=concurrency,
            api_key_env=api_key_env,
            allow_private=allow_private,
            watch=watch,
        )
    if output is not None:
        with written_whole(output) as file:
            for result in outcome.results:
                file.write(orjson.dumps(result.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(outcome.to_dict(), option=orjson.OPT_APPEND_NEWLINE))
    else:
        _show(stdout(), outcome, output)
    counts = outcome.counts
    return _FAILED if counts.failed else _INCOMPLETE if counts.errored else 0


@contextmanager
def _shown(candidate: str, total: int, console: Console) -> Iterator[Callable[[int, int], None]]:
    """Give what is told of each case that is done; a terminal shows it."""
    if not console.is_terminal:
        yield lambda _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(safe(candidate).replace("[", r"\["), total=total)
        yield lambda done, _total: progress.update(task, completed=done)


def _show(console: Console, outcome: SuiteOutcome, output: Path | None) -> None:
    for result in outcome.results:
        if result.outcome != "passed":
            _show_case(console, result)
    console.print(_table(outcome))
    console.print()
    console.print(_criteria_table(outcome))
    console.print()
    counts = outcome.counts
    console.print(
        f"cases {counts.cases} · passed {counts.passed} · failed {counts.failed} · errored {counts.errored}",
        style="bold" if not counts.failed and not counts.errored else "bold red",
    )
    if output is not None:
        console.print(plain(f"cases: {output}", "dim"), soft_wrap=True)
    for stamp in (outcome.suite.stamp(), *outcome.rubrics):
        said = f"{stamp['name']} version {stamp['version']}, sha256 {stamp['sha256'][:12]}"
        console.print(plain(said, "dim"), soft_wrap=True)


def _show_case(console: Console, result: CaseResult) -> None:
    style = "red" if result.outcome == "failed" else "yellow"
    console.print(Text.assemble((f"{result.outcome} ", style), plain(result.case.id, "bold")), soft_wrap=True)
    console.print(plain(f"  {result.case.query}", "dim"), soft_wrap=True)
    if result.error is not None:
        console.print(plain(f"  {result.error}: {result.error_detail or ''}"), soft_wrap=True)
    for each in result.failed:
        console.print(plain(f"  {each.name}: {each.message}"), soft_wrap=True)
        for spot in each.evidence[:_SHOWN_SPOTS]:
            text = " ".join(spot.text.split())
            short = text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
            console.print(plain(f"    {spot.where}: {short}", "dim"), soft_wrap=True)
    console.print()


def _table(outcome: SuiteOutcome) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("test case", no_wrap=True)
    for heading in ("cases", "passed", "failed", "errored", "95%", "near misses", "passed", "refused"):
        table.add_column(heading, justify="right", no_wrap=heading == "95%")
    for tally in outcome.test_cases:
        near = tally.near_misses
        table.add_row(
            tally.name,
            *(str(count) for count in (tally.cases.cases, tally.cases.passed, tally.cases.failed, tally.cases.errored)),
            _interval(tally.cases),
            str(near.cases),
            str(near.passed),
            str(tally.over_refused),
        )
    return table


def _criteria_table(outcome: SuiteOutcome) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("criterion", no_wrap=True)
    for heading in ("met", "failed", "not checked"):
        table.add_column(heading, justify="right")
    totals: dict[str, dict[str, int]] = {}
    for tally in outcome.test_cases:
        for name, counts in tally.criteria.items():
            total = totals.setdefault(name, dict.fromkeys(counts, 0))
            for kind, count in counts.items():
                total[kind] += count
    for name in outcome.suite.criteria:
        if name in totals:
            table.add_row(name, *(str(totals[name][kind]) for kind in ("met", "failed", "not_checked")))
    return table


def _interval(counts: CaseCounts) -> str:
    interval = counts.interval
    return "" if interval is None else f"{interval.low:.2f}–{interval.high:.2f}"
