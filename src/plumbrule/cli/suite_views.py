"""The suite as it is written: its scenarios, one of them whole, and the dimensions that it covers."""

import sys
from typing import Any

import orjson
from pydantic import TypeAdapter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.console import plain, stdout
from plumbrule.rubrics import load_scorecard
from plumbrule.runs.suite import sample_of, suite_request
from plumbrule.runs.suite_tally import cover
from plumbrule.suites import Case, load_suite

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
        _print_json({"scenarios": rows, "cases": len(suite.cases), "suite": suite.stamp()})
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
        _print_json({"test_case": case_set.name, **content, "code": code, "cases": spelt})
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
        _print_json({"dimensions": [each.to_dict() for each in covered], "suite": suite.stamp()})
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


def _print_json(content: dict[str, Any]) -> None:
    sys.stdout.buffer.write(orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE))
