"""The JSON is the model, whole, and every key of it is documented."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from tests.reports.conftest import Make

from plumbrule.reports import Report
from plumbrule.reports.json import render_json
from plumbrule.runs.report.fix_first import CAUSES

PAGE = Path(__file__).parents[2] / "docs" / "reports.md"


def keys_of(value: Any) -> Iterator[str]:
    """Yield every key at any depth, but not those of the metadata, which are the run's own."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner) if key != "metadata" else ()
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def test_it_is_the_model(mixed: Report) -> None:
    """Every field by its name, every failure, and texts exactly as they were recorded."""
    read = json.loads(render_json(mixed))
    assert list(read) == [field.name for field in fields(Report)]
    assert read == json.loads(json.dumps(asdict(mixed)))
    assert len(read["failures"]) == 9


def test_hostile_text_is_kept_exactly(make: Make) -> None:
    """A machine gets what was recorded, not what a person is shown."""
    text = "\x1b[31m<script>\u202e\x00"
    report = make([{"accuracy_score": 0}], samples={"q0": {"question": text}})
    assert json.loads(render_json(report))["failures"][0]["question"] == text


def test_every_key_and_cause_is_documented(make: Make) -> None:
    """docs/reports.md names them all."""
    results = [{"sample_id": "s", "repeat": 0}, {"sample_id": "s", "repeat": 1, "accuracy_score": 0}]
    support = {"score": 0.5, "band": "doubtful", "model": {"name": "m", "version": "1", "sha256": "a" * 64}}
    samples = {"s": {"category": "c", "contexts": [{"text": "x"}]}}
    report = make(results, repeats=2, samples=samples, judgement={"support": support})
    page = PAGE.read_text(encoding="utf-8")
    keys = {*keys_of(json.loads(render_json(report))), *CAUSES}
    assert len(keys) > 100
    assert [key for key in sorted(keys) if not re.search(rf"`(?:\w+\.)*{key}(?:\[\])?`", page)] == []
