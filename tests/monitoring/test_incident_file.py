"""Incident files from Python: by which verdict rubric they are made."""

from pathlib import Path

import orjson
from tests.reviews.conftest import AT, response

from plumbrule.api.monitoring import incident
from plumbrule.api.prescores import prescore_many
from plumbrule.api.support import calibrate_to_prior, rubric_text
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.ledger import Ledger
from plumbrule.reviews.interaction_archive import keep_interactions
from plumbrule.rubrics import load_verdict


def test_a_calibration_of_your_own(ledger: Ledger, tmp_path: Path) -> None:
    """Verdict, support and checks that are made again go by it and name it; checks that were kept stay as they were."""
    path = tmp_path / "in.jsonl"
    path.write_bytes(orjson.dumps(response(1)))
    file = tmp_path / "calibration.yaml"
    moved = calibrate_to_prior(0.99).calibration
    file.write_text(rubric_text(moved))
    name = response(1)["trace_id"]
    made = incident(name, ledger=None, source=path, verdict_rubric=file)
    shipped = incident(name, ledger=None, source=path)
    assert made.verdict["support"]["calibration"] == made.prescore["support"]["calibration"] == moved.stamp()
    assert made.verdict["rubric"] == made.prescore["rubrics"][2] == made.rubrics[2] == load_verdict(file).stamp()
    assert shipped.rubrics[2] == load_verdict().stamp()
    assert made.verdict["support"]["score"] < shipped.verdict["support"]["score"]
    [read] = read_interactions(path)
    keep_interactions(ledger, [read], prescore_many([read]), author="Ana", at=AT)
    kept = incident(name, ledger=ledger, verdict_rubric=file)
    assert kept.prescore["rubrics"][2] == load_verdict().stamp()
    assert kept.verdict["rubric"] == load_verdict(file).stamp()
