"""The release state of each assistant: by the latest complete run on each dataset, in words that name the gates."""

from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule.api.runs import list_runs, run
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.runs import summary
from plumbrule.runs.release_states import release_states


def sample(number: int, *, right: bool, model: str) -> dict[str, Any]:
    """Return a recorded answer, right or wrong."""
    fee = 20 + number
    return {
        "id": f"s{number}",
        "question": f"What is the fee of wire {number}?",
        "answer": f"The fee of wire {number} is ${fee if right else fee + 100}.",
        "contexts": [f"The fee of wire {number} is ${fee}."],
        "reference": f"The fee of wire {number} is ${fee}.",
        "latency_e2e_ms": 10.0,
        "model_id": model,
    }


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a ledger with four runs: one assistant on two datasets, and another one."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    for number, (dataset, model, right) in enumerate(
        [("fees", "m@1", False), ("fees", "m@1", False), ("wires", "m@1", True), ("fees", "m@2", True)]
    ):
        rows = [sample(each, right=right, model=model) for each in range(4)]
        (tmp_path / f"{number}.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
        config = tmp_path / f"{number}.yaml"
        config.write_text(
            f"name: run {number}\ndataset: {{path: {number}.jsonl, id: {dataset}}}\n"
            "candidate: {kind: recorded}\njudge: {kind: rules}\n"
        )
        run(config, address)
    return address


def test_the_worst_dataset_decides(address: str) -> None:
    """An assistant is as ready as its latest run on its worst dataset; the assistant with the latest run is first."""
    lines = list_runs(address)
    with open_ledger(address) as ledger:
        second, first = release_states(ledger)
    assert [(state.candidate, state.model) for state in (second, first)] == [("recorded", "m@2"), ("recorded", "m@1")]
    assert [state.dataset for state in first.datasets] == ["fees", "wires"]
    assert (first.outcome, first.decisive.run_id) == ("NO RELEASE", lines[1].run_id)
    assert [state.outcome for state in first.datasets] == [lines[1].outcome, lines[2].outcome]
    assert second.decisive.outcome == lines[3].outcome


def test_since_when_and_why(address: str) -> None:
    """The state is as old as the first of the runs in a row with its outcome; the sentence names gates in words."""
    lines = list_runs(address)
    with open_ledger(address) as ledger:
        decisive = release_states(ledger)[1].decisive
    assert (decisive.since, decisive.at) == (lines[0].at, lines[1].at)
    assert decisive.why.startswith(f"{decisive.gates - decisive.gates_kept} of {decisive.gates} gates fail: ")
    assert "Share of samples that pass is 0.000, and must be at least 0.85" in decisive.why


def test_a_release_by_few_samples_is_qualified(tmp_path: Path) -> None:
    """Four perfect samples release a candidate by the figures, and settle no gate."""
    tokens = {"input_tokens": 9, "output_tokens": 9}
    rows = [sample(each, right=True, model="m@1") | tokens for each in range(4)]
    (tmp_path / "rows.jsonl").write_bytes(b"\n".join(map(orjson.dumps, rows)))
    (tmp_path / "run.yaml").write_text(
        "name: few\ndataset: {path: rows.jsonl, id: few}\ncandidate: {kind: recorded}\njudge: {kind: rules}\n"
    )
    address = f"sqlite:///{tmp_path}/ledger.db"
    run(tmp_path / "run.yaml", address)
    with open_ledger(address) as ledger:
        [state] = release_states(ledger)
    assert state.outcome == "RELEASE"
    assert state.decisive.why == "All 4 gates pass, 4 of them not settled by so few samples."


def test_no_run_is_summarised(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was decided is read, so that the state of a large ledger is there at once."""

    def refuse(ledger: Ledger, *_: object) -> None:
        raise AssertionError(f"the results of a run were read: {ledger.name}")

    monkeypatch.setattr(summary, "evaluate_run", refuse)
    with open_ledger(address) as ledger:
        assert len(release_states(ledger)) == 2


def test_a_run_that_is_not_complete_decides_nothing(address: str) -> None:
    """It is named beside the state; an assistant without a complete run has no state."""
    with open_ledger(address) as ledger:
        [*_, last] = ledger.runs()
        ledger.append("run", "run-later", last.value, "plumbrule run", at=datetime.fromisoformat(last.recorded_at_utc))
        other = last.value | {"summary": last.value["summary"] | {"model": "m@3"}}
        ledger.append("run", "run-other", other, "plumbrule run", at=datetime.fromisoformat(last.recorded_at_utc))
        states = {state.model: state for state in release_states(ledger)}
    assert set(states) == {"m@1", "m@2"}
    assert (states["m@2"].unfinished, states["m@1"].unfinished) == ("run-later", None)
