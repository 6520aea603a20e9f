"""Two runs compared, on a terminal."""

from collections.abc import Iterator
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.ledger_access import open_here
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.reports.figure_text import SIGNS, figure
from plumbrule.runs.comparison import compare_runs
from plumbrule.runs.session import find_run

_FLIPS_SHOWN = 10
_LONGEST_QUESTION = 200
_STYLES = {"better": "bold green", "worse": "bold red", "no clear difference": "dim"}


def compare(first: str, second: str, *, other_dataset: bool, ledger_url: str | None, as_json: bool) -> bool:
    """Show how two runs compare; tell whether the second must not replace the first."""
    with open_here(ledger_url) as ledger:
        compared = compare_runs(ledger, find_run(ledger, first), find_run(ledger, second), other_dataset=other_dataset)
    if as_json:
        print_json(compared)
    else:
        _show(stdout(), compared)
    return bool(compared["regressions"])


def _show(console: Console, compared: dict[str, Any]) -> None:
    """Print the comparison: who, the figures, the flips, the gates, and what else differs."""
    console.print()
    for place in ("first", "second"):
        run = compared[place]
        said = f"{run['name']} · {run['model'] or run['candidate']} · judged by {run['judge']}"
        named = Text.assemble((f"{place:<7}", "dim"), plain(run["run_id"], "bold"), "  ", plain(said))
        console.print(named, soft_wrap=True)
    console.print(plain(f"{compared['samples']} samples compared", "dim"))
    console.print()
    console.print(_figure_table(compared["figures"]))
    if any(each["samples_to_settle"] is not None for each in compared["figures"]):
        console.print(Text("unclear +N: the interval holds 0; N more samples like these would settle it", "dim"))
    console.print()
    for line in _flip_lines(compared["flips"]):
        console.print(line, soft_wrap=True)
    console.print()
    console.print(_gate_table(compared["gates"]))
    if compared["differences"]:
        console.print(plain("not the same in both, so that a difference need not be the candidate's:", "yellow"))
    for each in compared["differences"]:
        values = f"{_short(each['first'])} in the first, {_short(each['second'])} in the second"
        console.print(plain(f"  {each['name']}: {values}", "yellow"), soft_wrap=True)
    for warning in compared["warnings"]:
        console.print(plain(f"warning: {warning}", "yellow"), soft_wrap=True)
    for regression in compared["regressions"]:
        console.print(plain(f"worse: {regression}", "bold red"), soft_wrap=True)


def _figure_table(figures: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("figure", "first", "second", "difference", "95% interval", "samples", ""):
        table.add_column(heading, justify="left" if heading in {"figure", ""} else "right", no_wrap=True)
    for each in figures:
        table.add_row(each["name"], *_cells(each))
        as_zero = each["nulls_as_zero"]
        if as_zero is not None and as_zero["difference"] != each["difference"]:
            table.add_row(Text("  nulls as zero", "dim"), *_cells(as_zero))
    return table


def _cells(each: dict[str, Any]) -> Iterator[Text]:
    style = _STYLES[each["verdict"]]
    low, high = each["interval"]["low"], each["interval"]["high"]
    yield Text(_figure(each["first"]))
    yield Text(_figure(each["second"]))
    yield Text(_signed(each["difference"]), style)
    yield Text("none" if low is None and high is None else f"{_end(low)} to {_end(high)}", style)
    left_out = each["left_out"]
    yield Text(str(each["samples"]) + (f" of {each['samples'] + left_out}" if left_out else ""))
    more = each["samples_to_settle"]
    yield Text(f"unclear{'' if more is None else f' +{more}'}" if _unclear(each) else each["verdict"], style)


def _flip_lines(flips: dict[str, Any]) -> Iterator[Text]:
    """Yield what became of the samples, and those that flipped."""
    p = flips["mcnemar_p"]
    yield plain(
        f"{flips['both_pass']} samples pass in both, {flips['both_fail']} fail in both; "
        f"McNemar's exact test of the flips: p {'< 0.001' if p < 0.001 else f'= {figure(p)}'}"
    )
    for way, said, style in (
        ("pass_to_fail", "passed, and fail in the second", "red"),
        ("fail_to_pass", "failed, and pass in the second", "green"),
    ):
        flipped = flips[way]
        yield plain(f"{len(flipped)} {said}{':' if flipped else ''}", style if flipped else "")
        for each in flipped[:_FLIPS_SHOWN]:
            question = " ".join((each["question"] or "").split())[:_LONGEST_QUESTION]
            yield plain(f"  {each['sample_id']} ({', '.join(each['failed'])})  ") + plain(question, "dim")
        if len(flipped) > _FLIPS_SHOWN:
            yield plain(f"  and {len(flipped) - _FLIPS_SHOWN} more; --json lists all", "dim")


def _gate_table(gates: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("gate", "limit", "", "first", "nulls as zero", "", "second", "nulls as zero"):
        table.add_column(heading, justify="left" if heading == "gate" else "right", no_wrap=True)
    for each in gates:
        limit = f"{SIGNS[each['direction']]} {figure(each['limit'])}"
        table.add_row(each["name"], limit, *_gate_cells(each["first"]), *_gate_cells(each["second"]))
    return table


def _gate_cells(gate: dict[str, Any]) -> Iterator[Text]:
    yield Text("✓", "green") if gate["passed"] else Text("✗", "bold red")
    yield Text(_figure(gate["value"]))
    yield Text(_figure(gate["value_nulls_as_zero"]))


def _unclear(each: dict[str, Any]) -> bool:
    return bool(each["verdict"] == "no clear difference")


def _figure(value: float | None) -> str:
    """Return a figure with as many digits as can matter."""
    return "none" if value is None else figure(float(f"{value:.1f}" if abs(value) >= 100 else f"{value:.3f}"))


def _signed(value: float | None) -> str:
    return f"+{_figure(value)}" if value is not None and value > 0 else _figure(value)


def _end(value: float | None) -> str:
    return "any" if value is None else _signed(value)


def _short(value: object) -> str:
    said = value if isinstance(value, str) else "none" if value is None else orjson.dumps(value).decode()
    return said if len(said) <= 60 else f"{said[:60]}…"
