"""A small run over recorded answers, for tests of labels."""

import json
from pathlib import Path

from plumbrule.api.runs import run

ADDRESS = "sqlite:///{}/ledger.db"
CONFIG = """\
name: labelled
dataset: {path: data.jsonl, id: fees}
candidate: {kind: recorded}
judge: {kind: rules}
"""


def begin(folder: Path, *, samples: int, wrong: int = 0, config: str = "") -> str:
    """Run recorded answers, so many of them wrong by the rules, and return the run's id."""
    lines = [
        {
            "id": f"q{number:02}",
            "question": f"What is fee {number}?",
            "answer": f"Fee {number} is ${number + 10 if number >= wrong else number + 50}.",
            "contexts": [f"Fee {number} is ${number + 10}."],
            "reference": f"Fee {number} is ${number + 10}.",
            "latency_e2e_ms": 100 + number,
            "input_tokens": 50,
            "output_tokens": 10,
        }
        for number in range(samples)
    ]
    (folder / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (folder / "run.yaml").write_text(CONFIG + config, encoding="utf-8")
    return run(folder / "run.yaml", ADDRESS.format(folder)).run_id
