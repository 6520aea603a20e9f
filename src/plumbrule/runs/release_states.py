"""The release state of each assistant and model, by the latest complete run on each of its datasets."""

from collections.abc import Sequence
from dataclasses import dataclass

from plumbrule.ledger import Ledger
from plumbrule.outcomes import WORST_FIRST, Outcome, worst
from plumbrule.runs.gates import gate_figures
from plumbrule.runs.report.gate_text import DIRECTIONS, GATE_TITLES
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_results import GateResult, RunLine
from plumbrule.runs.summary import gates_now, run_lines
from plumbrule.text.figure_format import figure


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetState:
    """The latest complete run of an assistant on one dataset."""

    dataset: str | None
    run_id: str
    name: str
    at: str
    outcome: Outcome
    since: str  # when the first of the runs in a row began that all have this outcome
    why: str
    gates: int
    gates_kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseState:
    """An assistant with its model: released only where its latest run on every dataset is."""

    candidate: str
    model: str | None
    datasets: tuple[DatasetState, ...]  # the worst first
    unfinished: str | None  # a later run that is not complete

    @property
    def decisive(self) -> DatasetState:
        """The dataset that the state is from."""
        return self.datasets[0]

    @property
    def outcome(self) -> Outcome:
        """The worst outcome."""
        return worst(state.outcome for state in self.datasets)


def release_states(ledger: Ledger) -> tuple[ReleaseState, ...]:
    """Return the state of each assistant and model, the one with the latest run first.

    Only the decision of the latest run is read: no run is summarised, except one that goes by people's labels.
    """
    by_assistant: dict[tuple[str, str | None], list[RunLine]] = {}
    for line in run_lines(ledger):
        by_assistant.setdefault((line.candidate, line.model), []).append(line)
    newest_first = sorted(by_assistant.items(), key=lambda item: item[1][-1].at, reverse=True)
    states = (_state(ledger, candidate, model, lines) for (candidate, model), lines in newest_first)
    return tuple(state for state in states if state is not None)


def _state(ledger: Ledger, candidate: str, model: str | None, lines: Sequence[RunLine]) -> ReleaseState | None:
    """Return the state of an assistant; None where none of its runs is complete."""
    by_dataset: dict[str | None, list[RunLine]] = {}
    for line in lines:
        if line.outcome is not None:
            by_dataset.setdefault(line.dataset, []).append(line)
    if not by_dataset:
        return None
    datasets = [_dataset_state(ledger, complete) for complete in by_dataset.values()]
    last = lines[-1]
    return ReleaseState(
        candidate=candidate,
        model=model,
        datasets=tuple(sorted(datasets, key=lambda state: WORST_FIRST.index(state.outcome))),
        unfinished=last.run_id if last.outcome is None else None,
    )


def _dataset_state(ledger: Ledger, complete: Sequence[RunLine]) -> DatasetState:
    last = complete[-1]
    outcome = last.outcome or "NO RELEASE"
    since = last.at
    for line in reversed(complete):
        if line.outcome != outcome:
            break
        since = line.at
    gates = gates_now(ledger, find_run(ledger, last.run_id))
    return DatasetState(
        dataset=last.dataset,
        run_id=last.run_id,
        name=last.name,
        at=last.at,
        outcome=outcome,
        since=since,
        why=_why(outcome, gates),
        gates=len(gates),
        gates_kept=sum(gate.passed for gate in gates),
    )


def _why(outcome: Outcome, gates: Sequence[GateResult]) -> str:
    """Return the reason of an outcome in a sentence: the gates that fail, or that the samples do not settle."""
    failing = [gate for gate in gates if not gate.passed]
    unsettled = [gate for gate in gates if gate.inconclusive]
    if outcome == "RELEASE":
        qualified = f", {len(unsettled)} of them not settled by so few samples" if unsettled else ""
        return f"All {len(gates)} gates pass{qualified}."
    if outcome == "INCONCLUSIVE":
        unsettled = unsettled or failing
        names = "; ".join(map(_title, unsettled))
        return f"{len(unsettled)} of {len(gates)} gates are not settled by so few samples: {names}."
    words = "; ".join(map(_missed, failing)) or "see the run"
    return f"{len(failing)} of {len(gates)} gates fail: {words}."


def _title(gate: GateResult) -> str:
    return GATE_TITLES.get(gate.name, gate.name)


def _missed(gate: GateResult) -> str:
    if gate.deciding is None:
        return f"{_title(gate)} cannot be told"
    value = gate_figures(gate).deciding
    return f"{_title(gate)} is {value}, and must be {DIRECTIONS[gate.direction]} {figure(gate.limit)}"
