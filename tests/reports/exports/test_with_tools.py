"""What is exported is understood by the tools' own libraries, which live in an environment of their own.

Name its Python in PLUMBRULE_TOOLS_PYTHON, with: pip install inspect-ai langfuse mlflow-skinny opentelemetry-proto
opentelemetry-semantic-conventions.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbrule.api.exports import EXPORTS, write_export
from plumbrule.ledger import Ledger
from plumbrule.reports import Report
from plumbrule.samples import Reading

TOOLS = os.environ.get("PLUMBRULE_TOOLS_PYTHON")
SCRIPT = Path(__file__).with_name("tool_checks.py")
pytestmark = pytest.mark.skipif(TOOLS is None, reason="PLUMBRULE_TOOLS_PYTHON names no environment with the tools")


@pytest.fixture(scope="module")
def run(make: Callable[..., Report]) -> str:
    """Return a run of two answers."""
    return make([{}, {"accuracy_score": 0, "faithfulness_score": 0}]).run_id


def checked(ledger: Ledger, run: str, to: str, folder: Path) -> dict[str, Any]:
    """Return what a tool's library understood of a run."""
    path = folder / f"{to}{EXPORTS[to].suffix}"
    write_export(ledger, run, to, path)
    done = subprocess.run([str(TOOLS), "-I", str(SCRIPT), to, str(path)], capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_opentelemetry(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """The protocol's messages hold every event, and its attributes are those of the semantic convention."""
    told = checked(ledger, run, "otlp", tmp_path)
    assert told == {"records": 6, "events": ["gen_ai.evaluation.result"], "trace_bytes": [16], "unknown": []}


def test_langfuse(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """The client's own request holds each score as it is, and makes the same trace ids of the sample's ids."""
    told = checked(ledger, run, "langfuse", tmp_path)
    assert (told["scores"], told["same"], told["seeded"]) == (6, True, True)


def test_mlflow(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """Each call is a message of the protocol; a trace has the texts and its assessments."""
    told = checked(ledger, run, "mlflow", tmp_path)
    assert (told["calls"], told["traces"], told["assessments"]) == (5, 2, 6)
    assert told["first"] == ["What is the fee?", "$25", "OK"]
    assert "pass_rate" in told["metrics"]


def test_inspect(ledger: Ledger, run: str, tmp_path: Path) -> None:
    """Inspect reads the log; what it writes again is read here."""
    told = checked(ledger, run, "inspect", tmp_path)
    assert (told["status"], told["samples"], told["first"]) == ("success", 2, ["q0", 1, "$25"])
    assert [sample.answer for sample in Reading(tmp_path / "again.json")] == ["$25", "$25"]
