"""Spans and Langfuse traces become interactions: question, answer, passages and tokens from wherever they stand."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.samples.formats.chat_messages import text_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
QUESTION, ANSWER = "What is the fee?", "The fee is $25 [1]."
CORPUS = [{"id": "p1", "text": "The fee is $25.", "source_id": "OPS"}]


def read(tmp_path: Path, content: object) -> Interaction:
    """Read one interaction from a file of such records, with a small corpus beside it."""
    path = tmp_path / ("t.jsonl" if isinstance(content, list) else "t.json")
    lines = content if isinstance(content, list) else [content]
    path.write_bytes(b"\n".join(orjson.dumps(line) for line in lines))
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(b"\n".join(orjson.dumps(line) for line in CORPUS))
    [found] = read_interactions(path, corpus)
    return found


def span(span_id: str, parent: str | None, attributes: Any, **more: Any) -> dict[str, Any]:
    """Return a span as exporters write it."""
    return {
        "name": span_id,
        "context": {"trace_id": TRACE, "span_id": span_id},
        "parent_id": parent,
        "start_time": f"2025-01-06T18:09:2{len(span_id)}Z",
        "attributes": attributes,
        **more,
    }


def check(found: Interaction) -> None:
    """Check what each form must come to."""
    assert found.sample.trace_id == TRACE
    assert (found.sample.question, found.sample.answer) == (QUESTION, ANSWER)
    assert [(passage.id, passage.text) for passage in found.passages] == [("p1", "The fee is $25.")]
    assert found.passages_from == "trace"
    assert found.sample.output_tokens == 12
    assert found.sample.model_id == "m@1"


def test_openinference_spans(tmp_path: Path) -> None:
    """Chain, retriever and model spans of one trace are one interaction, in whichever order they come."""
    documents = {
        "retrieval.documents.0.document.content": "The fee is $25.",
        "retrieval.documents.0.document.id": "p1",
        "retrieval.documents.0.document.score": 0.9,
    }
    model = {"llm.model_name": "m@1", "llm.token_count.completion": 12, "output.value": "draft"}
    spans = [
        span("llm", "r", model),
        span("ret", "r", documents),
        span("r", None, {"input.value": QUESTION, "output.value": ANSWER}),
    ]
    found = read(tmp_path, spans)
    check(found)
    assert found.passages[0].score == 0.9


def test_genai_spans(tmp_path: Path) -> None:
    """Messages as JSON text; a retrieval that gives ids alone finds its texts in the corpus."""
    asked = [{"role": "system", "parts": []}, {"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}], "finish_reason": "stop"}]
    model = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m@1",
        "gen_ai.input.messages": json.dumps(asked),
        "gen_ai.output.messages": json.dumps(said),
        "gen_ai.usage.output_tokens": 12,
    }
    retrieval = {"gen_ai.retrieval.documents": json.dumps([{"id": "p1", "score": 0.95}])}
    check(read(tmp_path, [span("retrieval", "root", retrieval), span("chat", "root", model)]))


def test_otlp(tmp_path: Path) -> None:
    """The collector's own JSON: typed values, nanoseconds, spans inside scopes inside resources."""

    def typed(value: object) -> dict[str, object]:
        return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}

    attributes = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": QUESTION,
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": ANSWER,
        "gen_ai.response.model": "m@1",
        "gen_ai.usage.output_tokens": 12,
        "gen_ai.retrieval.documents": json.dumps([{"id": "p1"}]),
    }
    one = {
        "traceId": TRACE,
        "spanId": "00f067aa0ba902b7",
        "startTimeUnixNano": "1736186965000000000",
        "attributes": [{"key": key, "value": typed(value)} for key, value in attributes.items()],
    }
    found = read(tmp_path, {"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]})
    check(found)
    assert found.sample.timestamp == "2025-01-06T18:09:25+00:00"


def test_events(tmp_path: Path) -> None:
    """Older instrumentations keep the messages in events."""
    events = [
        {"name": "gen_ai.user.message", "attributes": {"content": QUESTION}},
        {"name": "gen_ai.choice", "attributes": {"message": json.dumps({"role": "assistant", "content": ANSWER})}},
    ]
    attributes = {"gen_ai.usage.output_tokens": 12, "gen_ai.request.model": "m@1", "retrieval": {"documents": CORPUS}}
    check(read(tmp_path, [span("chat", None, attributes, events=events)]))


@pytest.mark.parametrize("headed", [True, False])
def test_langfuse(tmp_path: Path, headed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A trace with its observations, by itself or beside them."""
    head = {"id": TRACE, "timestamp": "2025-01-06T18:09:25Z", "input": {"question": QUESTION}, "output": ANSWER}
    observations = [
        {"id": "o1", "type": "RETRIEVER", "output": [{"pageContent": "The fee is $25.", "metadata": {"id": "p1"}}]},
        {
            "id": "o2",
            "type": "GENERATION",
            "model": "m@1",
            "usageDetails": {"input": 90, "output": 12},
            "output": "draft",
        },
    ]
    record = {"trace": head, "observations": observations} if headed else {**head, "observations": observations}
    check(read(tmp_path, record))


def test_a_response_inside_a_span(tmp_path: Path) -> None:
    """An output that is itself the assistant's response is read as one."""
    said = {"answer": None, "grounding_status": "REFUSED", "refusal": {"code": "NO_ELIGIBLE_DOCS", "reason": "r"}}
    found = read(tmp_path, [span("r", None, {"input.value": QUESTION, "output.value": json.dumps(said)})])
    assert found.sample.refusal is not None
    assert (found.sample.refusal.code, found.sample.answer) == ("NO_ELIGIBLE_DOCS", None)


@pytest.mark.parametrize(
    ("value", "role", "text"),
    [
        ("plain", "user", "plain"),
        ("[1] says so", "user", "[1] says so"),
        ('["a", "b"]', "user", "a\nb"),
        ([{"role": "user", "content": "one"}, {"role": "user", "content": "two"}], "user", "two"),
        ({"messages": [{"role": "USER", "content": [{"type": "text", "text": "hi"}]}]}, "user", "hi"),
        ([{"role": "assistant", "content": "x"}], "user", None),
        (3, "user", None),
        ({"query": {"text": "deep"}}, "user", "deep"),
    ],
)
def test_text_of_messages(value: object, role: str, text: str | None) -> None:
    """A chat's text is found in each of the forms that tools write."""
    assert text_of(value, role) == text


@pytest.mark.parametrize(
    ("value", "role", "text"),
    [
        ({"input": "asked", "output": "said"}, "assistant", "said"),
        ({"query": "asked", "result": "said"}, "assistant", "said"),
        ({"choices": [{"message": {"role": "assistant", "content": "said"}}]}, "assistant", "said"),
        ({"generations": [[{"text": "said"}]]}, "assistant", "said"),
        ({"messages": [{"type": "human", "content": "asked"}, {"type": "ai", "content": "said"}]}, "assistant", "said"),
        ({"messages": [{"type": "human", "content": "asked"}, {"type": "ai", "content": "said"}]}, "user", "asked"),
        ([{"role": "assistant", "parts": [{"type": "reasoning", "content": "?"}, {"type": "text", "content": "said"}]}],
         "assistant", "said"),
        ([{"message.role": "user", "message.content": "asked"}], "user", "asked"),
        ([{"message": {"role": "user", "content": "asked"}}], "user", "asked"),
        ('"quoted"', "user", "quoted"),
    ],
)  # fmt: skip
def test_what_was_asked_is_not_what_was_said(value: object, role: str, text: str) -> None:
    """An output that repeats its input, a model's own answer and its thoughts give what the reader saw."""
    assert text_of(value, role) == text


CHAT = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}], "model": "m@1"}
FLAT = {
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": QUESTION,
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": ANSWER,
}
LISTED = {
    "llm": {
        "input_messages": [{"message.role": "user", "message.content": QUESTION}],
        "output_messages": [{"message.role": "assistant", "message.content": ANSWER}],
    }
}
DETAILS = {
    "name": "gen_ai.client.inference.operation.details",
    "attributes": {
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}],
    },
}


@pytest.mark.parametrize(
    "one",
    [
        span("llm", None, {"input.value": json.dumps({"messages": [{"role": "user", "content": QUESTION}]}),
                           "output.value": json.dumps(CHAT)}),
        span("llm", None, FLAT),
        span("llm", None, LISTED),
        span("llm", None, {"gen_ai.provider.name": "p"}, events=[DETAILS]),
    ],
    ids=["chat-completion", "flat-messages", "listed-messages", "event-with-details"],
)  # fmt: skip
def test_a_model_span_by_itself(tmp_path: Path, one: dict[str, Any]) -> None:
    """A trace that is one call of a model is an interaction too, wherever the instrumentation keeps the messages."""
    found = read(tmp_path, [one])
    assert (found.sample.question, found.sample.answer) == (QUESTION, ANSWER)


@pytest.mark.parametrize("start", [1736186965, 1736186965123, 1736186965123456, 1736186965123456789])
def test_times_since_1970(tmp_path: Path, start: int) -> None:
    """Seconds, milliseconds, microseconds and nanoseconds are told apart; a data frame writes milliseconds."""
    row = {
        "context.trace_id": TRACE,
        "context.span_id": "r",
        "parent_id": None,
        "start_time": start,
        "attributes.input.value": QUESTION,
        "attributes.output.value": ANSWER,
        "attributes.llm.model_name": "m@1",
    }
    found = read(tmp_path, [row])
    assert (found.sample.timestamp, found.sample.model_id) == ("2025-01-06T18:09:25+00:00", "m@1")


def test_a_trace_id_with_its_prefix(tmp_path: Path) -> None:
    """An SDK writes 0x before an id, and the assistant's own files do not: they still meet."""
    one = span("r", None, {"input.value": QUESTION, "output.value": ANSWER})
    one["context"]["trace_id"] = f"0x{TRACE}"
    assert read(tmp_path, [one]).sample.trace_id == TRACE


HEAD = {
    "id": TRACE,
    "timestamp": "2025-01-06T18:09:25Z",
    "input": {"question": QUESTION},
    "output": {"answer": ANSWER},
    "sessionId": None,
    "tags": ["edge-case"],
}
ROWS = [
    {"id": "o1", "traceId": TRACE, "type": "SPAN", "name": "chain", "startTime": "2025-01-06T18:09:25Z",
     "parentObservationId": None, "input": json.dumps({"question": QUESTION}), "output": json.dumps(ANSWER)},
    {"id": "o2", "traceId": TRACE, "type": "RETRIEVER", "parentObservationId": "o1",
     "output": [{"page_content": "The fee is $25.", "metadata": {"id": "p1"}}]},
    {"id": "o3", "traceId": TRACE, "type": "GENERATION", "parentObservationId": "o1", "model": "m@1",
     "input": [{"role": "user", "content": "draft?"}], "output": "draft", "usageDetails": {"output": 12}},
]  # fmt: skip


@pytest.mark.parametrize("headed", [True, False])
def test_langfuse_records_by_themselves(tmp_path: Path, headed: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Traces and observations that were exported as records of their own meet by the trace's id."""
    found = read(tmp_path, [*ROWS, {**HEAD, "observations": ["o1", "o2", "o3"]}] if headed else ROWS)
    check(found)
    assert found.sample.tags == (("edge-case",) if headed else ())


def test_langfuse_tags(tmp_path: Path) -> None:
    """A trace's tags come along: the strata of a sample go by them."""
    assert read(tmp_path, {**HEAD, "observations": ROWS}).sample.tags == ("edge-case",)
    bare = read(tmp_path, [HEAD])
    assert (bare.sample.trace_id, bare.sample.answer, bare.sample.tags) == (TRACE, ANSWER, ("edge-case",))
