"""The test suite on a terminal: one run of it, its scenarios, and the dimensions that it covers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain, stamp_line, table
from plumbrule.suites import Case, Suite
from plumbrule.suites.case_results import CaseResult
from plumbrule.suites.suite_run import SuiteOutcome
from plumbrule.suites.suite_tally import SuiteCoverage, SuiteListing, SuiteSummary
from plumbrule.terminal import safe, shortened

_SHOWN_SPOTS = 2
_SHOWN_CHARACTERS = 110
_MARKS = {"map": "●", "suite": "○"}
_UNMAPPED = "no row"


@contextmanager
def case_progress(candidate: str, console: Console) -> Iterator[Callable[[int, int], None]]:
    """Give the callback for each case that is done; a terminal shows a bar."""
    if not console.is_terminal:
        yield lambda _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(safe(candidate).replace("[", r"\["), total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def show_outcome(console: Console, outcome: SuiteOutcome, output: Path | None) -> None:
    """Print every case that did not pass with its evidence, then the tallies."""
    for result in outcome.results:
        if result.outcome != "passed":
            _show_case(console, result)
    summary = outcome.summary()
    console.print(_table(summary))
    console.print()
    console.print(_criteria_table(outcome))
    console.print()
    counts = summary.counts
    console.print(
        f"cases {counts.cases} · passed {counts.passed} · failed {counts.failed} · errored {counts.errored}",
        style="bold" if not counts.failed and not counts.errored else "bold red",
    )
    if output is not None:
        console.print(plain(f"cases: {output}", "dim"), soft_wrap=True)
    for stamp in (summary.suite, *summary.rubrics):
        console.print(stamp_line(stamp, ""), soft_wrap=True)


def _show_case(console: Console, result: CaseResult) -> None:
    style = "red" if result.outcome == "failed" else "yellow"
    console.print(Text.assemble((f"{result.outcome} ", style), plain(result.case.id, "bold")), soft_wrap=True)
    console.print(plain(f"  {result.case.query}", "dim"), soft_wrap=True)
    if result.error is not None:
        console.print(plain(f"  {result.error}: {result.error_detail or ''}"), soft_wrap=True)
    for criterion in result.failed:
        console.print(plain(f"  {criterion.name}: {criterion.message}"), soft_wrap=True)
        for spot in criterion.evidence[:_SHOWN_SPOTS]:
            text = " ".join(spot.text.split())
            short = shortened(text, _SHOWN_CHARACTERS)
            console.print(plain(f"    {spot.where}: {short}", "dim"), soft_wrap=True)
        if len(criterion.evidence) > _SHOWN_SPOTS:
            console.print(plain(f"    and {len(criterion.evidence) - _SHOWN_SPOTS} more", "dim"))
    console.print()


def _table(summary: SuiteSummary) -> Table:
    counted = (">cases", ">passed", ">failed", ">errored", ">95%", ">near misses", ">passed", ">refused")
    rows = table("test case", *counted, no_wrap=("test case", "95%"))
    for tally in summary.test_cases:
        near = tally.near_misses
        rows.add_row(
            tally.test_case,
            *(str(count) for count in (tally.cases, tally.passed, tally.failed, tally.errored)),
            "" if tally.interval is None else f"{tally.interval.low:.2f}–{tally.interval.high:.2f}",
            *(str(count) for count in (near.cases, near.passed, near.over_refused)),
        )
    return rows


def _criteria_table(outcome: SuiteOutcome) -> Table:
    rows = table("criterion", ">met", ">failed", ">not checked", no_wrap=["criterion"])
    for name, counts in outcome.criteria.items():
        rows.add_row(name, str(counts.met), str(counts.failed), str(counts.not_checked))
    return rows


def show_listing(console: Console, listing: SuiteListing) -> None:
    """Print every scenario with the numbers of its variations and near misses."""
    rows = table("id", "code", "title", ">variations", ">near misses", no_wrap=("id", "code"))
    for row in listing.scenarios:
        cells = (row.id, row.code or "answered", row.title, row.variations, row.near_misses)
        rows.add_row(*(plain(str(cell)) for cell in cells))
    console.print(rows)
    console.print(f"\nscenarios {len(listing.scenarios)} · cases {listing.cases}")


def show_scenario(console: Console, suite: Suite, id_: str) -> None:
    """Print one scenario with all its cases."""
    case_set, scenario = suite.scenario(id_)
    cases = [case for case in case_set.cases if case.scenario == scenario.id]
    first = cases[0]
    console.print(plain(f"{scenario.id}  {scenario.title}", "bold"), soft_wrap=True)
    console.print(plain(scenario.tests, "dim"), soft_wrap=True)
    console.print()
    for name, value in (
        ("test case", case_set.name),
        ("query", first.query),
        ("role", f"{first.role} ({suite.world.roles[first.role].title})"),
        ("expected", f"{first.outcome} {first.code or ''}".strip()),
        ("must say", ", ".join(first.says)),
        ("must not say", ", ".join(first.never_says)),
        ("status", " or ".join(first.status)),
        ("trace", _trace(first)),
        ("fails if", " ".join(scenario.fails_if)),
    ):
        if value:
            console.print(Text.assemble((f"{name:13}", "dim"), plain(value)), soft_wrap=True)
    console.print()
    _show_passages(console, first)
    console.print(Text("pass criteria", "bold"))
    for name in first.criteria:
        console.print(plain(f"  {name}: {suite.criteria[name].meaning}"), soft_wrap=True)
    console.print()
    for heading, kind in (("variations", "variation"), ("near misses, to be answered", "near_miss")):
        console.print(Text(heading, "bold"))
        for case in cases:
            if case.kind == kind:
                must_say = f"  must say: {', '.join(case.says)}" if kind == "near_miss" else ""
                console.print(
                    Text.assemble(plain(f"  {case.id}  "), plain(case.query), plain(must_say, "dim")), soft_wrap=True
                )


def show_coverage(
    console: Console, coverage: SuiteCoverage, *, titles: Mapping[str, str], test_cases: Iterable[str]
) -> None:
    """Print the dimensions, by their titles, with their test cases."""
    table = Table(box=None, pad_edge=False)
    table.add_column("test case", no_wrap=True)
    for covered in coverage.dimensions:
        table.add_column(titles[covered.dimension].split()[0], justify="center", overflow="fold")
    for name in test_cases:
        marks = [covered.test_cases.get(name) for covered in coverage.dimensions]
        table.add_row(name, *("" if mark is None else _MARKS[mark] for mark in marks))
    table.add_row("cases", *(str(covered.cases) for covered in coverage.dimensions))
    console.print(table)
    console.print("\n● by the scorecard's map  ○ a hole of the map that the suite fills\n")
    for covered in coverage.dimensions:
        if covered.hole:
            filled = ", ".join(covered.test_cases) or "nothing"
            words = _UNMAPPED if covered.map is None else f"'{covered.map}'"
            text = f"hole: {titles[covered.dimension]}: the map has {words}; filled by {filled}"
            console.print(plain(text), soft_wrap=True)


def _show_passages(console: Console, case: Case) -> None:
    if case.passages is None:
        console.print(Text.assemble(("passages     ", "dim"), "from the corpus: the assistant searches"))
    for passage in case.passages or ():
        text = f"{passage.id} {passage.score:.2f} {passage.title} ({passage.collection}): {passage.text}"
        console.print(Text.assemble(("passage      ", "dim"), plain(text)))
    console.print()


def _trace(case: Case) -> str:
    wanted = case.trace
    parts = [f"outcome {' or '.join(wanted.outcome)}"] if wanted.outcome else []
    for name in ("searched", "above_threshold"):
        presence = getattr(wanted, name)
        parts += [f"{name} {presence}"] if presence != "any" else []
    for name in ("conflict", "escalation"):
        flag = getattr(wanted, name)
        parts += [f"{name} {str(flag).lower()}"] if flag is not None else []
    return ", ".join(parts)
