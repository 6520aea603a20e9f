"""The test suite on a terminal: one run of it, its scenarios, and the dimensions that it covers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.codec import json_line
from plumbrule.files import written_whole
from plumbrule.rubrics import load_scorecard
from plumbrule.suites import Case, load_suite
from plumbrule.suites.case_results import CaseResult, sample_of, suite_request
from plumbrule.suites.suite_run import SuiteOutcome, run_suite
from plumbrule.suites.suite_tally import CaseCounts, cover
from plumbrule.terminal import safe

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
                file.write(json_line(result.to_dict()))
    if as_json:
        print_json(outcome.to_dict())
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


_MARKS = {"map": "●", "suite": "○"}
_UNMAPPED = "no row"


def list_scenarios(codes: tuple[str, ...], *, as_json: bool) -> None:
    """Print every scenario with its number of variations and near misses."""
    suite = load_suite().only(codes)
    rows = [
        {
            "id": scenario.id,
            "test_case": each.name,
            "code": scenario.code or each.file.code,
            "title": scenario.title,
            "variations": len(scenario.variations),
            "near_misses": len(scenario.near_misses),
        }
        for each in suite.sets
        for scenario in each.file.scenarios
    ]
    if as_json:
        print_json({"scenarios": rows, "cases": len(suite.cases), "suite": suite.stamp()})
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "code", "title", "variations", "near misses"):
        counted = heading in {"variations", "near misses"}
        table.add_column(heading, justify="right" if counted else "left", no_wrap=heading in {"id", "code"})
    for row in rows:
        cells = (row["id"], row["code"] or "answered", row["title"], row["variations"], row["near_misses"])
        table.add_row(*(plain(str(cell)) for cell in cells))
    console = stdout()
    console.print(table)
    console.print(f"\nscenarios {len(rows)} · cases {len(suite.cases)}")


def show_scenario(id_: str, *, as_json: bool) -> None:
    """Print one scenario with all its cases."""
    suite = load_suite()
    case_set, scenario = suite.scenario(id_)
    cases = [case for case in case_set.cases if case.scenario == scenario.id]
    if as_json:
        content: dict[str, Any] = TypeAdapter(type(scenario)).dump_python(scenario, mode="json")
        code = scenario.code or case_set.file.code
        spelt = [
            {"id": case.id, "criteria": case.criteria, "request": suite_request(sample_of(case))} for case in cases
        ]
        print_json({"test_case": case_set.name, **content, "code": code, "cases": spelt})
        return
    console, first = stdout(), cases[0]
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
                said = f"  must say: {', '.join(case.says)}" if kind == "near_miss" else ""
                console.print(
                    Text.assemble(plain(f"  {case.id}  "), plain(case.query), plain(said, "dim")), soft_wrap=True
                )


def show_coverage(*, as_json: bool) -> None:
    """Print the dimensions with their test cases."""
    suite, scorecard = load_suite(), load_scorecard()
    covered = cover(suite, scorecard.rubric)
    if as_json:
        print_json({"dimensions": [each.to_dict() for each in covered], "suite": suite.stamp()})
        return
    console = stdout()
    table = Table(box=None, pad_edge=False)
    table.add_column("test case", no_wrap=True)
    for each in covered:
        table.add_column(each.title.split()[0], justify="center", overflow="fold")
    for case_set in suite.sets:
        marks = [each.test_cases.get(case_set.name) for each in covered]
        table.add_row(case_set.name, *("" if mark is None else _MARKS[mark] for mark in marks))
    table.add_row("cases", *(str(each.cases) for each in covered))
    console.print(table)
    console.print("\n● by the scorecard's map  ○ a hole of the map that the suite fills\n")
    for each in covered:
        if each.hole:
            filled = ", ".join(each.test_cases) or "nothing"
            said = f"hole: {each.title}: the map has {_quoted(each.text)}; filled by {filled}"
            console.print(plain(said), soft_wrap=True)


def _quoted(text: str | None) -> str:
    return _UNMAPPED if text is None else f"'{text}'"


def _show_passages(console: Console, case: Case) -> None:
    if case.passages is None:
        console.print(Text.assemble(("passages     ", "dim"), "from the corpus: the assistant searches"))
    for passage in case.passages or ():
        said = f"{passage.id} {passage.score:.2f} {passage.title} ({passage.collection}): {passage.text}"
        console.print(Text.assemble(("passage      ", "dim"), plain(said)))
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
