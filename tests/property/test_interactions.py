"""What holds for every input: no record breaks reading or checks, nothing is lost, no hash order counts."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from plumbrule.api.prescores import prescore
from plumbrule.demo import samples_path
from plumbrule.errors import PlumbruleError
from plumbrule.interactions.contract_findings import SEVERITIES
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.prescores.prescorer import prescorer
from plumbrule.rubrics import LEVELS, load_compliance, load_refusals
from plumbrule.suites import corpus_path

COMPLIANCE, REFUSALS = load_compliance(), load_refusals()
SCORER = prescorer(COMPLIANCE, REFUSALS, claims=False)
MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXT = st.text(max_size=30) | st.sampled_from(
    [
        "The fee is $25 [1].", "It is “never” 5% [1][2], [1-3]. I think so…", "What is the fee, and who pays it?",
        "FULLY_GROUNDED", "REFUSED", "CONFLICTING_SOURCES", "POLICY_BLOCKED", "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11",
        "p1", "OPS", "2025-01-06T18:09:25Z", "stock bond portfolio", "[" * 20, "(" * 30, "\u202e\x00",
    ]
)  # fmt: skip
SCALAR = st.none() | st.booleans() | st.integers(-5, 2**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
KEYS = st.sampled_from(
    """trace_id timestamp query question answer citations refusal grounding_status metadata contexts passages expected
    citation_id source_id source_title passage collection code reason user_guidance next_steps conflict_summary warnings
    warning retrieval grounding decision input output model passage_ids passages_above_threshold passages_retrieved
    collections_searched top_passage_score grounding_coverage unsupported_claims conflict_detected outcome text id score
    response trace span_id attributes events observations type resourceSpans gen_ai.prompt output.value refuse
    refusal_code""".split()  # noqa: SIM905 - a list of words reads best as words
)
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=20
)
RECORD = st.dictionaries(KEYS, VALUE, max_size=10)


def likely(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return records that often have these fields, and often as they should be."""
    return st.fixed_dictionaries({}, optional={name: value | VALUE for name, value in fields.items()})


CITATION = likely(citation_id=st.integers(1, 3), source_id=TEXT, passage=TEXT, collection=TEXT)
REFUSAL = likely(
    code=TEXT, reason=TEXT, user_guidance=TEXT, next_steps=st.lists(TEXT, max_size=2), conflict_summary=TEXT
)
PASSAGE = likely(id=TEXT, text=TEXT, source_id=TEXT, title=TEXT, collection=TEXT, score=st.floats(0, 1))
RESPONSE = likely(
    trace_id=TEXT, query=TEXT, answer=TEXT, citations=st.lists(CITATION, max_size=3), refusal=REFUSAL,
    grounding_status=TEXT, contexts=st.lists(PASSAGE, max_size=3), metadata=likely(warning=TEXT, warnings=TEXT),
    expected=likely(refuse=st.booleans(), refusal_code=TEXT, passages=st.lists(TEXT, max_size=2)),
)  # fmt: skip
TRACE = likely(
    trace_id=TEXT,
    retrieval=likely(
        passage_ids=st.lists(TEXT, max_size=3), passages_above_threshold=st.integers(0, 3),
        collections_searched=st.lists(TEXT, max_size=2), passages=st.lists(PASSAGE, max_size=2),
    ),
    grounding=likely(status=TEXT, grounding_coverage=st.floats(0, 1), conflict_detected=st.booleans()),
    decision=likely(outcome=TEXT, escalation_triggered=st.booleans()),
)  # fmt: skip
RECORDS = st.lists(RECORD | RESPONSE | TRACE | st.builds(lambda one, two: {**two, **one}, RESPONSE, TRACE), max_size=4)


@MANY
@given(RECORDS, st.booleans())
def test_no_record_breaks_anything(records: list[dict[str, Any]], lines: bool) -> None:  # noqa: FBT001 - drawn
    """Every file of JSON is read to interactions and findings, or refused; every check comes to an end."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.jsonl" if lines else "r.json")
        path.write_bytes(b"\n".join(map(orjson.dumps, records)) if lines else orjson.dumps(records))
        reading = read_interactions(path, compliance=COMPLIANCE, refusals=REFUSALS)
        try:
            found = list(reading)
        except PlumbruleError:
            return
    counts = reading.counts
    assert counts.responses == len(found) == counts.joined + counts.untraced
    assert counts.traces == counts.joined + counts.orphaned
    told = [*reading.findings, *(finding for each in found for finding in each.findings)]
    assert sum(counts.findings.values()) == len(told)
    assert {finding.code for finding in told} <= SEVERITIES.keys()
    for result in SCORER.prescore_many(found):
        record = result.to_dict()
        assert orjson.loads(orjson.dumps(record))["scores"] == record["scores"]
        assert set(record["scores"].values()) <= {*LEVELS, None}
        for score in result.dimensions.values():
            caps = [check.cap for check in score.caps if check.cap is not None]
            assert not caps or score.level == max(caps, key=LEVELS.index)


@MANY
@given(st.binary(max_size=200))
def test_no_bytes_break_reading(content: bytes) -> None:
    """Bytes that are no JSON at all are one clear error."""
    assume(not content.lstrip().startswith((b"{", b"[")))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.json")
        path.write_bytes(content)
        with pytest.raises(PlumbruleError):
            list(read_interactions(path, compliance=COMPLIANCE, refusals=REFUSALS))


SIZE = 50_000
LONG = [
    "[1-20] ",
    "never “x” ",
    "who? and what? ",
    "'a ",
    "“",
    "not a-",
    "[1] The fee is $25. ",
    "… ",
    "I think ",
    "\n> q",
    "1) a ",
]


@pytest.mark.parametrize("piece", LONG)
def test_endless_texts_come_to_an_end(piece: str) -> None:
    """Fifty thousand characters of markers, quotations, questions or phrases, in every text of an interaction."""
    text = piece * (SIZE // len(piece))
    cited = {"citation_id": 1, "source_id": "OPS", "passage": text}
    passages = [{"id": "p", "text": text, "source_id": "OPS"}, {"id": "q", "text": text, "source_id": "REC"}]
    refusal = {"code": "POLICY_BLOCKED", "reason": text, "user_guidance": text, "next_steps": [text]}
    base = {"query": text, "citations": [cited], "contexts": passages}
    for record in ({**base, "answer": text}, {**base, "answer": None, "refusal": refusal}):
        assert prescore(record, claims=False).to_dict()["scores"]


def test_company_does_not_count() -> None:
    """An interaction gets the same alone as among others."""
    found = list(read_interactions(samples_path(), corpus_path()))
    together = [result.to_dict() for result in SCORER.prescore_many(found)]
    assert [SCORER.prescore(each).to_dict() for each in reversed(found)] == together[::-1]


def test_hash_order_does_not_count(tmp_path: Path) -> None:
    """Two processes with different hash seeds write the same bytes."""
    written = []
    for seed in ("1", "2"):
        output = tmp_path / f"{seed}.jsonl"
        command = [sys.executable, "-m", "plumbrule", "prescore", str(samples_path()), "--passages", str(corpus_path())]
        subprocess.run(
            [*command, "-o", str(output)],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        written.append(output.read_bytes())
    assert written[0] == written[1]
    assert written[0].count(b"\n") == 56
