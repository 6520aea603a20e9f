"""Runs that a test makes in the ledger of its site, of recorded answers and judged by the rules."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import yaml

from plumbrule.api.runs import run

HOSTILE = "<script>alert(1)</script>"
PASSAGE = "Section 2. The fee for a domestic wire is $25. Treasury Operations answers a claim within 30 calendar days."


def make_run(ledger: str, folder: Path, samples: Sequence[dict[str, object]], *, name: str) -> str:
    """Run recorded answers and return the run's id."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(b"".join(orjson.dumps(sample) + b"\n" for sample in samples))
    config = {
        "name": name,
        "dataset": {"path": f"{name}.jsonl", "id": "made"},
        "candidate": {"kind": "recorded"},
        "judge": {"kind": "rules"},
    }
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(config))
    with ThreadPoolExecutor(max_workers=1) as apart:  # a browser's own loop may run in this thread
        return apart.submit(run, folder / f"{name}.yaml", ledger).result().run_id


def sample(sample_id: str, answer: str, **more: object) -> dict[str, object]:
    """Return a recorded answer to a question on one passage."""
    return {
        "id": sample_id,
        "question": "What is the fee for a domestic wire, and how long may a claim take?",
        "answer": answer,
        "reference": "The fee is $25, and a claim is answered within 30 calendar days.",
        "contexts": [{"id": "ops-1", "source_id": "OPS", "title": "Wire procedures", "text": PASSAGE}],
        "citations": [{"citation_id": "1", "source_id": "OPS", "passage": "The fee for a domestic wire is $25."}],
        "latency_e2e_ms": 900.0,
        "latency_model_ms": 800.0,
        "input_tokens": 300,
        "output_tokens": 40,
        "category": "wires",
        **more,
    }


RIGHT = "The fee for a domestic wire is $25 [1]. Treasury Operations answers a claim within 30 calendar days [1]."
WRONG = "The fee for a domestic wire is $40 [1]. Treasury Operations answers a claim within 45 calendar days [1]."
