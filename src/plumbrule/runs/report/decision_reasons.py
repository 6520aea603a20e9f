"""The reasons for a decision, and what else its reader must know."""

from collections.abc import Iterator, Sequence

from plumbrule.outcomes import Outcome
from plumbrule.runs.gates import against_labels, labels_text, look_text, repeated_text
from plumbrule.runs.report.gate_text import gate_text, numbers_text
from plumbrule.runs.report.run_report import Reason, ReasonKind, Repeats, Report, ReportGate
from plumbrule.runs.run_results import RunSummary


def reasons_for(
    summary: RunSummary,
    *,
    finished: int,
    planned: int,
    gates: Sequence[ReportGate],
    repeats: Repeats,
    corrections: int,
) -> tuple[Reason, ...]:
    """Return every reason, the blocking ones first; under ``bound`` a gate that is not settled blocks, too."""
    bound = summary.decide_on == "bound"
    blocking = [
        *_incomplete(summary, finished, planned),
        *_failing_gates(summary, gates, bound=bound),
    ]
    remarks = [
        *_against_labels(summary),
        *_unsettled_gates(summary, [gate for gate in gates if gate.passed and not bound]),
        *_looks(summary),
        *_repeated_samples(summary),
        *_failing_repeats(repeats),
        *_few_repeats(repeats),
        *_metadata(summary),
        *_repeated(summary.usage.calls_repeated),
        *_corrected(corrections),
    ]
    return (
        *(Reason(kind=kind, blocking=True, text=text) for kind, text in blocking),
        *(Reason(kind=kind, blocking=False, text=text) for kind, text in remarks),
    )


def decision_title(report: Report) -> str:
    """Return the decision as one short sentence, such as ``No release: 3 of 4 gates fail``."""
    if not report.complete:
        return f"Not complete: {report.finished:,} of {report.planned:,} results are there"
    return outcome_title(report.decision, report.gates)


def outcome_title(outcome: Outcome, gates: Sequence[ReportGate]) -> str:
    """Return the outcome of a complete run as one short sentence."""
    waiting = sum(gate.waits_for is not None for gate in gates)
    if waiting:
        return f"Not decided: {waiting} of {len(gates)} gates wait for labels by people"
    failing, unsettled = sum(not gate.passed for gate in gates), sum(gate.inconclusive for gate in gates)
    if outcome == "RELEASE":
        return "Release: every gate holds" + (f", {unsettled} not settled" if unsettled else "")
    if outcome == "INCONCLUSIVE":
        return f"Inconclusive: {unsettled} of {len(gates)} gates are not settled"
    return f"No release: {failing} of {len(gates)} gates {'fails' if failing == 1 else 'fail'}"


_Reasons = Iterator[tuple[ReasonKind, str]]


def _incomplete(summary: RunSummary, finished: int, planned: int) -> _Reasons:
    if not summary.complete:
        there = f"The run is not complete: {finished:,} of {planned:,} results are there."
        then = f"'plumbrule run CONFIG --resume {summary.run_id}' does the rest; until then nothing is decided."
        yield "incomplete", f"{there} {then}"


def _failing_gates(summary: RunSummary, gates: Sequence[ReportGate], *, bound: bool) -> _Reasons:
    for gate in gates:
        if not gate.passed and not (bound and gate.inconclusive and gate.waits_for is None):
            yield "gate", gate_text(gate, confidence=summary.confidence)
    if bound:
        yield from _unsettled_gates(summary, gates)


def _unsettled_gates(summary: RunSummary, gates: Sequence[ReportGate]) -> _Reasons:
    for gate in gates:
        if gate.inconclusive:
            yield "inconclusive", gate_text(gate, confidence=summary.confidence)


def _against_labels(summary: RunSummary) -> _Reasons:
    if summary.labels is not None:
        for gate in against_labels(summary.gates, summary.labels):
            yield "labels", f"{labels_text(gate, summary.labels)}."


def _repeated_samples(summary: RunSummary) -> _Reasons:
    if summary.repeated_samples:
        yield "repeated_samples", f"{repeated_text(summary.repeated_samples, summary.aggregates.counts.attempted)}."


def _looks(summary: RunSummary) -> _Reasons:
    text = look_text(summary.look, summary.confidence)
    if text is not None:
        yield "looks", f"{text[0].upper()}{text[1:]}."


def _failing_repeats(repeats: Repeats) -> _Reasons:
    failing = [repeat.repeat for repeat in repeats.each if not repeat.release_ready]
    if failing and len(repeats.each) > 1:
        yield (
            "repeat",
            f"{len(failing)} of {len(repeats.each)} repeats would not be released alone: {numbers_text(failing)}.",
        )


def _few_repeats(repeats: Repeats) -> _Reasons:
    if not repeats.enough:
        yield "repeats", f"{len(repeats.each)} of the {repeats.wanted} repeats that the rubric wants are there."


def _metadata(summary: RunSummary) -> _Reasons:
    if summary.missing_metadata:
        names = ", ".join(summary.missing_metadata)
        yield "metadata", f"Required metadata is missing: {names}. 'plumbrule gate --strict' refuses such a run."
    if summary.floating_models_allowed:
        yield (
            "floating",
            "Model names that may mean another model tomorrow were allowed: the run may not be repeatable.",
        )


def _repeated(calls: int) -> _Reasons:
    if calls:
        yield "repeated_calls", f"{calls:,} samples were under way at an interruption, and asked for again."


def _corrected(corrections: int) -> _Reasons:
    if corrections:
        yield (
            "corrections",
            f"{corrections:,} corrections of this run stand in the ledger; the figures are of what was first recorded.",
        )
