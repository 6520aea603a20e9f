"""Benchmark runs on a terminal: the list of runs, one run, the decision on one."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import OUTCOME_STYLES, plain
from plumbrule.cli.views.label_tables import show_label_figures
from plumbrule.outcomes import Outcome
from plumbrule.runs.gates import GateDecision, decide_release, gate_figures
from plumbrule.runs.run_results import GateResult, RepeatsSummary, RunLine, RunSummary, RunUsage
from plumbrule.text.figure_format import SIGNS, figure

_LONGEST_CELL = 40
_WHOLE = {"", "gate", "limit", "settles\nat"}  # columns that are not folded where a terminal is narrow
_STATES = {"holds": ("holds", "green"), "fails": ("fails", "bold red"), "inconclusive": ("not settled", "yellow")}


def runs_table(runs: Sequence[RunLine]) -> Table:
    """Return the runs as a table."""
    table = Table(box=None, pad_edge=False)
    columns = ("run_id", "name", "dataset", "model", "judge", "samples", "repeats")
    for heading in ("run_id", "date", "outcome", *columns[1:]):
        table.add_column(heading, no_wrap=heading in {"run_id", "date"}, overflow="fold")
    for run in runs:
        values = [getattr(run, name) for name in columns]
        values[1:1] = [run.at[:10], run.headline]
        table.add_row(*(plain("none" if value is None else str(value)[:_LONGEST_CELL]) for value in values))
    return table


def show_decision(console: Console, decision: GateDecision) -> None:
    """Print the gates of a run, the decision, the reasons against a release, and what else its reader must know."""
    _show_differences(console, decision.policy_differences)
    console.print(gate_table(decision.gates))
    console.print()
    console.print(release_text(decision.outcome, decision.headline), soft_wrap=True)
    console.print(plain(f"  {policy_text(decision)}", "dim"), soft_wrap=True)
    for reason in decision.reasons:
        console.print(plain(f"  {reason}"), soft_wrap=True)
    for remark in (*_worst_repeats(decision.gates), *decision.remarks):
        console.print(plain(f"  {remark}", "yellow"), soft_wrap=True)
    if decision.labels is not None:
        show_label_figures(console, decision.labels)


def release_text(outcome: Outcome, headline: str) -> Text:
    """Return the decision in one line."""
    return plain(headline, OUTCOME_STYLES[outcome])


def policy_text(decided: GateDecision | RunSummary) -> str:
    """Return what the decision rests on."""
    what = "every figure" if decided.decide_on == "point" else "the whole 95% interval of every figure"
    looks = "; intervals are valid however often one looks" if decided.confidence == "sequential" else ""
    people = "; judged figures go by people's labels of a random part" if decided.anchor == "people" else ""
    return f"decided on {decided.decide_on}: {what} must keep its limit{looks}{people}"


def _show_differences(console: Console, differences: Sequence[str]) -> None:
    if differences:
        console.print(plain("The benchmark rubric is not the default one:", "bold yellow"))
        for difference in differences:
            console.print(plain(f"  {difference}", "yellow"), soft_wrap=True)
        console.print()


def show_run(console: Console, summary: RunSummary) -> None:
    """Print a run's figures: counts first, then the gates, then every aggregate."""
    console.print()
    headline = release_text(summary.outcome, summary.headline)
    console.print(Text.assemble(plain(summary.run_id, "bold"), "  ", headline), soft_wrap=True)
    _show_differences(console, summary.policy_differences)
    counts = asdict(summary.aggregates.counts)
    console.print(Text(" · ".join(f"{name} {count}" for name, count in counts.items()), "dim"))
    if not summary.complete:
        console.print(plain("incomplete: --resume does the rest", "yellow"))
    console.print()
    console.print(gate_table(summary.gates))
    decision = decide_release(summary)
    settling = decision.reasons if summary.outcome == "INCONCLUSIVE" else ()
    for line in (policy_text(summary), *settling, *_worst_repeats(summary.gates), *decision.remarks):
        console.print(plain(line, "dim"), soft_wrap=True)
    if summary.labels is not None:
        show_label_figures(console, summary.labels)
    console.print()
    console.print(_aggregate_table(summary))
    unknown = [name for name, counts in summary.aggregates.counts_by_aggregate.items() if not counts.scored]
    if unknown:
        console.print(plain(f"not known of any sample: {', '.join(unknown)}", "dim"), soft_wrap=True)
    for line in (_repeats_line(summary.repeats), *_usage_lines(summary.usage)):
        if line:
            console.print(plain(line), soft_wrap=True)
    for warning in summary.metadata.warnings:
        console.print(plain(f"warning: {warning}", "yellow"), soft_wrap=True)


def gate_table(gates: Sequence[GateResult]) -> Table:
    """Return the gates as a table, each with the state of its interval and how many samples would settle it."""
    table = Table(box=None, pad_edge=False, collapse_padding=True)
    headings = ("", "gate", "limit", "value", "nulls\nas zero", "95% interval", "", "settles\nat")
    for heading in headings:
        justify: Literal["left", "right"] = "left" if heading in {"", "gate"} else "right"
        table.add_column(heading, justify=justify, overflow="fold", no_wrap=heading in _WHOLE)
    for gate in gates:
        shown = gate_figures(gate)
        table.add_row(
            _mark(gate),
            gate.name,
            f"{SIGNS[gate.direction]} {figure(gate.limit)}",
            shown.value,
            shown.nulls_as_zero,
            shown.interval,
            _state_text(gate),
            _settles_text(gate),
        )
    return table


def _mark(gate: GateResult) -> Text:
    if gate.waits_for is not None:
        return Text("?", "bold yellow")
    return Text("✓", "green") if gate.passed else Text("✗", "bold red")


def _state_text(gate: GateResult) -> Text:
    return Text("waits", "yellow") if gate.waits_for is not None else Text(*_STATES[gate.settled])


def _settles_text(gate: GateResult) -> str:
    if gate.labels_to_settle is not None:
        return f"{gate.labels_to_settle:,} more labels"
    return "" if gate.settles_at is None else f"{gate.settles_at:,}"


def _worst_repeats(gates: Sequence[GateResult]) -> Iterator[str]:
    """Yield the line that says which of several repeats keeps each gate worst."""
    worst = [
        f"{gate.name} {figure(gate.worst_repeat.value, against=gate.limit)} in repeat {gate.worst_repeat.repeat}"
        for gate in gates
        if gate.worst_repeat is not None
    ]
    if worst:
        yield f"worst repeats: {', '.join(worst)}"


def _aggregate_table(summary: RunSummary) -> Table:
    table = Table(box=None, pad_edge=False)
    several = summary.repeats.repeats > 1
    table.add_column(f"aggregate, repeat {summary.decisive_repeat}" if several else "aggregate")
    for heading in ("value", "nulls as zero", "scored", "attempted"):
        table.add_column(heading, justify="right")
    aggregates = summary.aggregates
    for name, counts in aggregates.counts_by_aggregate.items():
        if not counts.scored:  # named below the table
            continue
        values = (getattr(aggregates, name), getattr(aggregates.nulls_as_zero, name), counts.scored, counts.attempted)
        table.add_row(name, *map(figure, values))
    return table


def _repeats_line(repeats: RepeatsSummary) -> str:
    """Return how the figures vary between repeats, and whether there are as many as the rubric wants."""
    wanted = "" if repeats.enough_repeats else f" of {repeats.repeats_wanted} wanted"
    if repeats.repeats < 2:
        return f"repeats: 1{wanted}" if wanted else ""
    score, latency = repeats.aggregate_score, repeats.latency_e2e_p95_ms
    return (
        f"repeats: {repeats.repeats}{wanted}; aggregate_score {figure(score.mean)} ± {figure(score.sd)}, "
        f"latency_e2e_p95_ms {figure(latency.mean)} ± {figure(latency.sd)}; "
        f"{len(repeats.flipped)} of {repeats.compared} samples pass in one and fail in another"
    )


def _usage_lines(usage: RunUsage) -> Iterator[str]:
    for role, used in (("candidate", usage.candidate), ("judge", usage.judge)):
        if used.requests:
            cost = "" if used.cost_usd is None else f", ${used.cost_usd:.4f}"
            tokens = f"{figure(used.input_tokens)} + {figure(used.output_tokens)} tokens"
            yield f"{role}: {used.requests} calls, {tokens}{cost}"
    if usage.calls_repeated:
        yield f"calls that were under way at an interruption and made again: {usage.calls_repeated}"
