"""Benchmark runs on a terminal: list them, show one, decide on one."""

from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.ledger_access import open_here
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.reports.figure_text import SIGNS, figure
from plumbrule.runs.session import find_run
from plumbrule.runs.summary import describe_run

_LONGEST_CELL = 40


def list_runs(*, ledger_url: str | None, as_json: bool) -> None:
    """List the runs."""
    with open_here(ledger_url) as ledger:
        runs = [
            {"run_id": entry.subject, "at": entry.recorded_at_utc, **entry.value["summary"]} for entry in ledger.runs()
        ]
    if as_json:
        print_json(runs)
        return
    table = Table(box=None, pad_edge=False)
    columns = ("run_id", "name", "dataset", "model", "judge", "samples", "repeats")
    for heading in columns:
        table.add_column(heading, no_wrap=heading == "run_id", overflow="fold")
    for run in runs:
        table.add_row(*(plain("none" if run[name] is None else str(run[name])[:_LONGEST_CELL]) for name in columns))
    stdout().print(table)


def show(run: str, *, samples: bool, ledger_url: str | None, as_json: bool) -> None:
    """Show one run."""
    described = _described(run, ledger_url, samples=samples)
    if as_json:
        print_json(described)
    else:
        show_run(stdout(), described)


def gate(run: str, *, strict: bool, ledger_url: str | None, as_json: bool) -> bool:
    """Show the decision on a run; tell whether it may be released."""
    described = _described(run, ledger_url)
    reasons = [
        f"{each['name']} {_value(each)} is not {SIGNS[each['direction']]} {figure(each['limit'])}"
        for each in described["gates"]
        if not each["passed"]
    ]
    reasons += [
        f"repeat {each['repeat']}: {', '.join(each['failed_gates'])} fails, too"
        for each in described["repeats"]["release_ready_by_repeat"]
        if each["failed_gates"] and each["repeat"] != described["decisive_repeat"]
    ]
    if not described["complete"]:
        reasons.append("the run is not complete")
    if strict:
        reasons += [f"metadata: {name} is missing" for name in described["missing_metadata"]]
        repeats = described["repeats"]
        if not repeats["enough_repeats"]:
            reasons.append(f"repeats: {repeats['repeats']} of {repeats['repeats_wanted']} wanted")
    ready = described["release_ready"] and not reasons
    if as_json:
        decided = {"run_id": described["run_id"], "release_ready": ready, "reasons": reasons}
        print_json({**decided, "gates": described["gates"]})
        return ready
    console = stdout()
    console.print(gate_table(described["gates"]))
    console.print()
    console.print(Text("RELEASE" if ready else "NO RELEASE", "bold green" if ready else "bold red"))
    for reason in reasons:
        console.print(plain(f"  {reason}"), soft_wrap=True)
    return ready


def show_run(console: Console, described: dict[str, Any]) -> None:
    """Print a run's figures: counts first, then the gates, then every aggregate."""
    aggregates = described["aggregates"]
    counts = aggregates["counts"]
    console.print()
    ready = described["release_ready"]
    said = ("release-ready", "bold green") if ready else ("not release-ready", "bold red")
    console.print(Text.assemble(plain(described["run_id"], "bold"), "  ", said))
    console.print(Text(" · ".join(f"{name} {count}" for name, count in counts.items()), "dim"))
    if not described["complete"]:
        console.print(plain("incomplete: --resume does the rest", "yellow"))
    console.print()
    console.print(gate_table(described["gates"]))
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("aggregate")
    for heading in ("value", "nulls as zero", "scored", "attempted"):
        table.add_column(heading, justify="right")
    for name, value in aggregates.items():
        if not isinstance(value, dict):
            behind = aggregates["counts_by_aggregate"][name]
            figures = (value, aggregates["nulls_as_zero"][name], behind["scored"], behind["attempted"])
            table.add_row(name, *map(figure, figures))
    console.print(table)
    for line in (_repeats_line(described["repeats"]), *_usage_lines(described["usage"])):
        if line:
            console.print(plain(line), soft_wrap=True)
    for warning in described["metadata"].get("warnings", []):
        console.print(plain(f"warning: {warning}", "yellow"), soft_wrap=True)


def gate_table(gates: list[dict[str, Any]]) -> Table:
    """Return the gates as a table."""
    table = Table(box=None, pad_edge=False)
    for heading in ("", "gate", "limit", "value", "nulls as zero", "95% interval", ""):
        table.add_column(heading, justify="left" if heading in {"", "gate"} else "right", overflow="fold")
    for each in gates:
        interval = each["interval"]
        table.add_row(
            Text("✓", "green") if each["passed"] else Text("✗", "bold red"),
            each["name"],
            f"{SIGNS[each['direction']]} {figure(each['limit'])}",
            figure(each["value"], against=each["limit"]),
            figure(each["value_nulls_as_zero"], against=each["limit"]),
            f"{figure(interval['low'])} to {'any' if interval['high'] is None else figure(interval['high'])}",
            Text("inconclusive" if each["inconclusive"] else "", "yellow"),
        )
    return table


def _repeats_line(repeats: dict[str, Any]) -> str:
    """Return how the figures vary between repeats, and whether there are as many as the rubric wants."""
    wanted = "" if repeats["enough_repeats"] else f" of {repeats['repeats_wanted']} wanted"
    if repeats["repeats"] < 2:
        return f"repeats: 1{wanted}" if wanted else ""
    score, latency = repeats["aggregate_score"], repeats["latency_e2e_p95_ms"]
    return (
        f"repeats: {repeats['repeats']}{wanted}; aggregate_score {figure(score['mean'])} ± {figure(score['sd'])}, "
        f"latency_e2e_p95_ms {figure(latency['mean'])} ± {figure(latency['sd'])}; "
        f"{len(repeats['flipped'])} of {repeats['compared']} samples pass in one and fail in another"
    )


def _usage_lines(usage: dict[str, Any]) -> Iterator[str]:
    for role in ("candidate", "judge"):
        used = usage[role]
        if used["requests"]:
            cost = "" if used["cost_usd"] is None else f", ${used['cost_usd']:.4f}"
            tokens = f"{figure(used['input_tokens'])} + {figure(used['output_tokens'])} tokens"
            yield f"{role}: {used['requests']} calls, {tokens}{cost}"
    if usage["calls_repeated"]:
        yield f"calls that were under way at an interruption and made again: {usage['calls_repeated']}"


def _described(run: str, ledger_url: str | None, *, samples: bool = False) -> dict[str, Any]:
    with open_here(ledger_url) as ledger:
        return describe_run(ledger, find_run(ledger, run), samples=samples)


def _value(gate: dict[str, Any]) -> str:
    value, as_zero = (figure(gate[name], against=gate["limit"]) for name in ("value", "value_nulls_as_zero"))
    return f"{value} (nulls as zero {as_zero})"
