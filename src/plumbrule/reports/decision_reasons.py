"""The reasons of a decision, and what a reader of it must know besides."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plumbrule.reports.figure_text import gate_text, numbers_text
from plumbrule.reports.run_report import Gate, Reason, ReasonKind, Repeats


def reasons_for(
    about: Mapping[str, Any],
    *,
    missing: int,
    planned: int,
    gates: Sequence[Gate],
    repeats: Repeats,
    corrections: int,
) -> tuple[Reason, ...]:
    """Return every reason, the blocking ones first; ``about`` is the run's description."""
    blocking = [
        *_incomplete(about["metadata"]["run_id"], missing, planned),
        *(("gate", gate_text(gate)) for gate in gates if not gate.passed),
        *_failing_repeats(repeats),
    ]
    remarks = [
        *(("inconclusive", gate_text(gate)) for gate in gates if gate.passed and gate.inconclusive),
        *_few_repeats(repeats),
        *_metadata(about),
        *_repeated(about["usage"]["calls_repeated"]),
        *_corrected(corrections),
    ]
    return (
        *(Reason(kind=kind, blocking=True, text=text) for kind, text in blocking),
        *(Reason(kind=kind, blocking=False, text=text) for kind, text in remarks),
    )


Told = Iterator[tuple[ReasonKind, str]]


def _incomplete(run_id: str, missing: int, planned: int) -> Told:
    if missing:
        there = f"The run is not complete: {planned - missing:,} of {planned:,} results are there."
        then = f"'plumbrule run CONFIG --resume {run_id}' does the rest; until then nothing is decided."
        yield "incomplete", f"{there} {then}"


def _failing_repeats(repeats: Repeats) -> Told:
    failing = [repeat.repeat for repeat in repeats.each if not repeat.release_ready]
    if failing and len(repeats.each) > 1:
        yield (
            "repeat",
            f"{len(failing)} of {len(repeats.each)} repeats are not release-ready: {numbers_text(failing)}.",
        )


def _few_repeats(repeats: Repeats) -> Told:
    if not repeats.enough:
        yield "repeats", f"{len(repeats.each)} of the {repeats.wanted} repeats that the rubric wants are there."


def _metadata(about: Mapping[str, Any]) -> Told:
    if about["missing_metadata"]:
        names = ", ".join(about["missing_metadata"])
        yield "metadata", f"Required metadata is missing: {names}. 'plumbrule gate --strict' refuses such a run."
    if about.get("floating_models_allowed"):
        yield (
            "floating",
            "Model names that may mean another model tomorrow were allowed: the run may not be repeatable.",
        )


def _repeated(calls: int) -> Told:
    if calls:
        yield "repeated_calls", f"{calls:,} samples were under way at an interruption, and asked for again."


def _corrected(corrections: int) -> Told:
    if corrections:
        yield (
            "corrections",
            f"{corrections:,} corrections of this run stand in the ledger; the figures are of what was first recorded.",
        )
