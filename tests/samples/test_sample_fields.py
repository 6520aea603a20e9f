"""Values are typed, and a record that cannot be a sample gets a reason that a person understands."""

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.errors import RecordError
from plumbrule.samples import FIELDS, Citation, Passage, Refusal, Sample, sample_from, samples_from
from plumbrule.samples.field_names import ALIASES

REASONS: list[tuple[dict[Any, Any], str]] = [
    ({}, "answer is null and there is no refusal"),
    ({"answer": None}, "answer is null and there is no refusal"),
    ({"answer": 42}, "answer must be text, not a number"),
    ({"answer": ["A"]}, "answer must be text, not a list"),
    ({"response": 42}, "answer (from response) must be text, not a number"),
    ({"output": {"a": "x", "b": "y"}}, "answer (from output) must be text, not an object"),
    ({"answer": "A", "question": True}, "question must be text, not true"),
    ({"answer": "half \ud800"}, "answer holds half of a character (character 6)"),
    ({"answer": "A", "latency_e2e_ms": "abc"}, "latency_e2e_ms must be a number, not 'abc'"),
    ({"answer": "A", "latency_e2e_ms": "12"}, "latency_e2e_ms must be a number, not '12'"),
    ({"answer": "A", "latency_e2e_ms": True}, "latency_e2e_ms must be a number, not true"),
    ({"answer": "A", "latency_e2e_ms": -math.inf}, "latency_e2e_ms is not a finite number"),
    ({"answer": "A", "latency_model_ms": math.inf}, "latency_model_ms is not a finite number"),
    ({"answer": "A", "latency_e2e_ms": 10**400}, "latency_e2e_ms is not a finite number"),
    ({"answer": "A", "latency_e2e_ms": -1}, "latency_e2e_ms must not be negative"),
    ({"answer": "A", "input_tokens": 1.5}, "input_tokens must be a whole number"),
    ({"answer": "A", "output_tokens": -3}, "output_tokens must not be negative"),
    ({"answer": "A", "output_tokens": 1e30}, "output_tokens is too large for a count"),
    ({"answer": "A", "timed_out": 1}, "timed_out must be true or false, not a number"),
    ({"answer": "A", "contexts": 3}, "contexts must be a list, not a number"),
    (
        {"answer": "A", "contexts": ["a", "b", 3]},
        "contexts[2] must be text or an object with text, not a number",
    ),
    ({"answer": "A", "contexts": [None]}, "contexts[0] must be text or an object with text, not null"),
    (
        {"answer": "A", "retrieved_contexts": [1]},
        "contexts[0] (from retrieved_contexts) must be text or an object with text, not a number",
    ),
    (
        {"answer": "A", "contexts": [{"id": "x"}]},
        (
            "contexts[0] has no text; it is looked for under text, content, context, page_content, pageContent, "
            "passage, segment, also inside document, doc, node, chunk, kwargs, payload, _source"
        ),
    ),
    ({"answer": "A", "contexts": [{"text": 3}]}, "contexts[0].text must be text, not a number"),
    (
        {"answer": "A", "contexts": [{"text": "t", "score": "high"}]},
        "contexts[0].score must be a number, not 'high'",
    ),
    ({"answer": "A", "metadata": [1]}, "metadata must be an object, not a list"),
    ({"answer": "A", "metadata": {"x": math.inf}}, "metadata holds a number that is not finite"),
    ({"answer": "A", "metadata": {"x": 2**70}}, "metadata holds a number that is too large; write it as text"),
    ({"answer": "A", "metadata": {1: "x"}}, "metadata has a key that is not text"),
    (
        {"answer": "A", "metadata": {"x": object()}},
        "metadata holds a value of type object, which JSON does not know",
    ),
    ({"answer": "A", "citations": {}}, "citations must be a list, not an object"),
    ({"answer": "A", "citations": ["x"]}, "citations[0] must be an object, not 'x'"),
    ({"answer": "A", "citations": [{"passage": 1}]}, "citations[0].passage must be text, not a number"),
    ({"answer": None, "refusal": "no"}, "refusal must be an object, not 'no'"),
    ({"answer": "A", "expected": 3}, "expected must be an object, not a number"),
    ({"answer": "A", "expected": {"refuse": "yes"}}, "expected.refuse must be true or false, not 'yes'"),
    ({"answer": "A", "tags": {"a": 1}}, "tags must be a list, not an object"),
    ({"answer": "A", "id": [1]}, "id must be text, not a list"),
    ({"answer": "A", "id": 2**70}, "id is a number that is too large; write it as text"),
    ({"answer": "A", "category": "x" * 90, "model_id": False}, "model_id must be text, not false"),
    ({1: "x"}, "the record has a key that is not text"),
]


@pytest.mark.parametrize(("record", "reason"), REASONS, ids=[reason for _, reason in REASONS])
def test_a_bad_record_says_why(record: dict[str, Any], reason: str) -> None:
    """Each rule on values has its reason, with the field under the name that the user gave it."""
    with pytest.raises(RecordError) as caught:
        sample_from(record)

    assert caught.value.reason == reason


def test_everything_is_kept() -> None:
    """A full record becomes a full sample."""
    sample = sample_from(
        {
            "id": 7,
            "question": "Q",
            "answer": "A",
            "contexts": [
                "plain",
                {"passage_id": 3, "content": "c", "source_id": "s", "title": "t", "collection": "k"},
                {"doc_id": "d", "page_content": "p", "effective_date": dt.date(2024, 3, 5), "score": 1},
            ],
            "citations": [{"citation_id": 1, "passage": "p"}],
            "trace_id": "t",
            "timestamp": "2025-01-01T00:00:00Z",
            "metadata": {"a": [1, 2.5, None, True], "d": Decimal("1.5"), "t": (1,)},
            "latency_e2e_ms": 12,
            "latency_model_ms": 3.5,
            "input_tokens": 12.0,
            "output_tokens": 0,
            "timed_out": False,
            "model_id": "m",
            "category": 3,
            "tags": ["a", 1],
        }
    )

    assert sample == Sample(
        id="7",
        question="Q",
        answer="A",
        contexts=(
            Passage(text="plain"),
            Passage(text="c", id="3", source_id="s", title="t", collection="k"),
            Passage(text="p", id="d", effective_date="2024-03-05", score=1.0),
        ),
        citations=(Citation(citation_id="1", passage="p"),),
        trace_id="t",
        timestamp="2025-01-01T00:00:00Z",
        metadata={"a": [1, 2.5, None, True], "d": 1.5, "t": [1]},
        latency_e2e_ms=12.0,
        latency_model_ms=3.5,
        input_tokens=12,
        output_tokens=0,
        timed_out=False,
        model_id="m",
        category="3",
        tags=("a", "1"),
    )
    assert isinstance(sample.input_tokens, int)


@pytest.mark.parametrize("key", ["text", "content", "context", "page_content", "passage"])
def test_a_passage_may_name_its_text_in_five_ways(key: str) -> None:
    """Context objects of the known systems keep their text under one of five keys."""
    assert sample_from({"answer": "A", "contexts": [{key: "C"}]}).contexts == (Passage(text="C"),)


def test_an_empty_answer_is_an_answer() -> None:
    """An empty answer is kept: it is the candidate's fault, not the file's."""
    assert sample_from({"answer": ""}).answer == ""


def test_a_refusal_needs_no_answer() -> None:
    """A declared refusal, or the status REFUSED, stands for the answer."""
    sample = sample_from({"answer": None, "refusal": {"code": "NO_ELIGIBLE_DOCS", "next_steps": "ask"}})

    assert sample.answer is None
    assert sample.refusal == Refusal(code="NO_ELIGIBLE_DOCS", next_steps=("ask",))
    assert sample_from({"grounding_status": "REFUSED"}).answer is None


def test_a_made_id_is_that_of_the_content() -> None:
    """The same content has the same made id whatever the names, and other content another."""
    made = sample_from({"question": "Q", "answer": "A", "contexts": ["C"]}).id

    assert made.startswith("sample-")
    assert sample_from({"user_input": "Q", "response": "A", "retrieved_contexts": [{"text": "C"}]}).id == made
    assert sample_from({"id": "", "question": "Q", "answer": "A", "contexts": ["C"]}).id == made
    assert sample_from({"question": "Q", "answer": "B", "contexts": ["C"]}).id != made


def test_deep_metadata_is_refused() -> None:
    """Metadata nested beyond what can be stored is a bad record, not a crash."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}

    with pytest.raises(RecordError, match="nested more than 100 levels"):
        sample_from({"answer": "A", "metadata": deep})


def test_many_records_from_python() -> None:
    """Samples pass through as they are; a bad record is named by its number."""
    ready = Sample(id="x", answer="A")
    stream = samples_from([ready, {"answer": "B"}, {"answer": None}])

    assert next(stream) is ready
    assert next(stream).answer == "B"
    with pytest.raises(RecordError) as caught:
        next(stream)
    assert caught.value.line == 3


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
known_keys = st.sampled_from(
    [*FIELDS, *(key for keys in ALIASES.values() for key in keys), "attributes", "input.value", "retrieval"]
)


@given(st.dictionaries(known_keys | st.text(), json_values, max_size=8))
def test_any_object_is_a_sample_or_a_record_error(record: dict[str, Any]) -> None:
    """Whatever JSON object comes in, the outcome is a sample or a RecordError and nothing else."""
    try:
        sample = sample_from(record)
    except RecordError:
        return
    assert isinstance(sample, Sample)
    assert sample.id
