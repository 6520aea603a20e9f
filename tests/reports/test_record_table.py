"""Records as a table for a spreadsheet."""

import csv
import io
from pathlib import Path

import orjson
from tests.reviews.conftest import AT, card, response

from plumbrule.api import reviews
from plumbrule.ledger import open_ledger
from plumbrule.reports.record_table import records_csv

HEADER = ["evaluation_id", "date", "evaluator", "role", "trigger", "query", "trace_id"]


def test_a_row_for_each_record_and_no_formula(tmp_path: Path) -> None:
    """Every field of the template has a column; a note that begins like a formula is text."""
    record = {**card("t1", 2, 4, notes="=1+1"), "evaluator": "Ada", "trigger": "monitoring", "query": "Fee?"}
    path = tmp_path / "responses.jsonl"
    path.write_bytes(orjson.dumps(response(1, trace_id="t1")))
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as ledger:
        reviews.keep_records([record], interactions=path, ledger=ledger, at=AT)
        exported = [kept.exported() for kept in reviews.stored_records(ledger=ledger)]
    [header, row] = csv.reader(io.StringIO(records_csv(exported)))
    assert header[:7] == HEADER
    filled = dict(zip(header, row, strict=True))
    assert filled["notes"] == "'=1+1"
    assert (filled["attribution_accuracy"], filled["recommendation"]) == ("Needs Review", "Fail")
    assert filled["blockers"] == "attribution_below_adequate: attribution_accuracy"
