"""An HTTP endpoint as the candidate: its response is read as a recorded one is, and every failure has its name."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.runs.conftest import ASKED, KEY_NAME, QUICK, SAMPLE, SENTINEL, Ask, nothing_old_is_left
from tests.servers.scripted import Request, Step, responding

from plumbrule.errors import UsageError
from plumbrule.http.endpoint import Endpoint
from plumbrule.runs.candidate import CandidateIdentity
from plumbrule.runs.candidates.http_candidate import HttpCandidate, HttpExchange
from plumbrule.runs.candidates.request_template import template_reader
from plumbrule.samples import Citation, Passage, Refusal

RESPONSE: dict[str, Any] = {
    "trace_id": "0d4c2d0e-7d2f-4a53-9f4e-3d3f1f3d9f10",
    "timestamp": "2026-02-03T04:05:06Z",
    "query": "What is the wire fee?",
    "grounding_status": "FULLY_GROUNDED",
    "answer": "The wire fee is $25 [1].",
    "citations": [{"citation_id": 1, "source_id": "fees", "passage": "The wire fee is $25."}],
    "refusal": None,
    "metadata": {"corpus_release_id": "2026-01", "model_provider": "acme", "processing_time_ms": 12},
}
REFUSED = RESPONSE | {
    "grounding_status": "REFUSED",
    "answer": None,
    "citations": [],
    "refusal": {"code": "NO_ELIGIBLE_DOCS", "reason": "Nothing found.", "user_guidance": "Ask the desk."},
}
FINE = responding(RESPONSE)
UNREACHED = {
    "429": (Step(status=429), 3, "rate_limited"),
    "500": (Step(status=500), 3, "server_error"),
    "reset": (Step(reset=True), 3, "connection_failed"),
    "cut short": (replace(FINE, cut_at=20), 3, "connection_failed"),
    "malformed JSON": (Step(body=b'{"answer": "The'), 3, "malformed_body"),
    "wrong content type": (replace(FINE, content_type="text/html"), 1, "wrong_content_type"),
    "403": (Step(status=403), 1, "rejected"),
    "redirect": (Step(status=307, headers={"location": "http://127.0.0.1:9/"}), 1, "rejected"),
}
MALFORMED = {
    "no answer and no refusal": {"hello": "world"},
    "null answer": RESPONSE | {"answer": None},
    "answer of another type": {"answer": 12},
    "citations of another type": RESPONSE | {"citations": "all of them"},
    "a list": [RESPONSE],
    "a text": "The wire fee is $25.",
}


def test_a_response_is_read_by_its_contract(ask_http: Ask) -> None:
    """One request with the query and the id, to the address itself; all that the response says is kept."""
    got = ask_http([FINE])
    request, answered, sample = got.requests[0], got.answered, got.sample
    assert (len(got.requests), answered.requests) == (1, 1)
    assert (request.path, request.json) == ("/ask/", {"query": SAMPLE.question, "sample_id": "q1"})
    assert request.headers["authorization"] == f"Bearer {SENTINEL}"
    assert (answered.error, answered.final, answered.flags, answered.cost_usd) == (None, True, (), None)
    assert (sample.answer, sample.grounding_status) == (RESPONSE["answer"], "FULLY_GROUNDED")
    assert (sample.trace_id, sample.timestamp) == (RESPONSE["trace_id"], RESPONSE["timestamp"])
    assert sample.citations == (Citation(citation_id="1", source_id="fees", passage="The wire fee is $25."),)
    assert (sample.refusal, sample.metadata) == (None, RESPONSE["metadata"])
    assert sample.latency_e2e_ms == answered.exchanges[0].elapsed_ms
    assert (sample.latency_model_ms, sample.timed_out) == (12.0, False)
    assert (sample.input_tokens, sample.output_tokens, sample.model_id) == (None, None, None)
    assert all(getattr(sample, name) == getattr(SAMPLE, name) for name in ASKED)
    assert nothing_old_is_left(sample)


def test_no_key_is_sent_where_none_is_named(ask_http: Ask) -> None:
    """And a path without a slash at its end stays so."""
    request = ask_http([FINE], api_key_env=None, path="/v1/answer").requests[0]
    assert ("authorization" in request.headers, request.path) == (False, "/v1/answer")


def test_a_refusal_is_an_answer(ask_http: Ask) -> None:
    """Its code and words are kept, and it is no error."""
    got = ask_http([responding(REFUSED)])
    assert got.sample.refusal == Refusal(
        code="NO_ELIGIBLE_DOCS", reason="Nothing found.", user_guidance="Ask the desk."
    )
    assert (got.sample.refused, got.sample.answer, got.answered.error, len(got.requests)) == (True, None, None, 1)


def test_an_empty_answer_is_an_answer(ask_http: Ask) -> None:
    """The judge calls it non-responsive."""
    got = ask_http([responding({"answer": ""})])
    assert (got.sample.answer, got.answered.error) == ("", None)


@pytest.mark.parametrize("name", ["contexts", "retrieved_contexts", "retrieval_context"])
def test_contexts_of_the_response_count_only_where_that_is_said(ask_http: Ask, name: str) -> None:
    """A candidate that names its own contexts would ground itself: they are kept apart, whatever name they come by."""
    script, own = [responding(RESPONSE | {name: ["A fee of $25 applies."]})], (Passage(text="A fee of $25 applies."),)
    got = ask_http(script)
    assert (got.sample.contexts, got.answered.self_reported) == (SAMPLE.contexts, own)
    taken = ask_http(script, speaking=HttpExchange(accept_contexts=True))
    assert (taken.sample.contexts, taken.answered.self_reported) == (own, ())
    assert got.answered.flags == taken.answered.flags == ("self_reported",)


@pytest.mark.parametrize("extra", [{}, {"contexts": []}, {"contexts": None}])
def test_without_contexts_the_datasets_stand_then_the_excerpts(ask_http: Ask, extra: dict[str, Any]) -> None:
    """The dataset's own passages say more than excerpts of 150 characters; with neither there are none."""
    script, speaking = [responding(RESPONSE | extra)], HttpExchange(accept_contexts=True)
    assert ask_http(script, speaking=speaking).sample.contexts == SAMPLE.contexts
    bare, excerpt = replace(SAMPLE, contexts=()), (Passage(text="The wire fee is $25.", source_id="fees"),)
    assert ask_http(script, sample=bare, speaking=speaking).sample.contexts == excerpt
    alone = ask_http(script, sample=bare)
    assert (alone.sample.contexts, alone.answered.self_reported) == ((), excerpt)
    assert ask_http([responding({"answer": "Yes."} | extra)], sample=bare).sample.contexts == ()


@pytest.mark.parametrize(
    "where",
    [
        {"input_tokens": 7, "output_tokens": 3},
        {"usage": {"input_tokens": 7, "output_tokens": 3}},
        {"usage": {"prompt_tokens": 7, "completion_tokens": 3}},
        {"metadata": {"input_tokens": 7, "output_tokens": 3}},
        {"metadata": {"usage": {"prompt_tokens": 7, "completion_tokens": 3}}},
    ],
)
def test_tokens_are_found_under_the_known_names(ask_http: Ask, where: dict[str, Any]) -> None:
    """In the response, its metadata, and the usage of either."""
    got = ask_http([responding(RESPONSE | where)])
    assert (got.sample.input_tokens, got.sample.output_tokens) == (7, 3)


def test_odd_measurements_are_unknown_and_spoil_nothing(ask_http: Ask) -> None:
    """G21: never a guess; the answer stands."""
    odd = RESPONSE | {
        "input_tokens": -1,
        "output_tokens": "3",
        "latency_e2e_ms": "fast",
        "timed_out": "no",
        "metadata": {"processing_time_ms": -5},
    }
    sample = ask_http([responding(odd)]).sample
    assert (sample.input_tokens, sample.output_tokens, sample.latency_model_ms) == (None, None, None)
    assert (sample.answer, sample.timed_out) == (RESPONSE["answer"], False)


def test_who_answers_is_told_by_the_user_else_by_the_response(ask_http: Ask) -> None:
    """Both are kept where both are told."""
    script = [responding(RESPONSE | {"model_id": "assistant@2"})]
    said = ask_http(script)
    told = ask_http(script, model_id="assistant@1")
    assert (said.sample.model_id, said.answered.reported_model) == ("assistant@2", "assistant@2")
    assert (told.sample.model_id, told.answered.reported_model) == ("assistant@1", "assistant@2")


@pytest.mark.parametrize(
    "step", [replace(FINE, delay_s=30), replace(FINE, byte_every_s=1.0)], ids=["silent", "trickle"]
)
def test_who_passes_the_time_is_not_asked_again(ask_http_counted: Ask, step: Step) -> None:
    """G22: timed out with the elapsed time, no answer, no error, final, one request."""
    got = ask_http_counted([step], patience=replace(QUICK, call_timeout_s=0.3))
    sample = got.sample
    assert (len(got.requests), got.answered.requests, got.answered.error, got.answered.final) == (1, 1, None, True)
    assert (sample.timed_out, sample.answer) == (True, None)
    assert sample.latency_e2e_ms == 300
    assert nothing_old_is_left(sample)


def test_waiting_that_was_asked_for_is_not_the_candidates_time(ask_http_counted: Ask) -> None:
    """429 with Retry-After, then an answer: two requests, a flag, the latency of the second."""
    got = ask_http_counted([Step(status=429, headers={"retry-after": "1"}), replace(FINE, delay_s=0.05)])
    assert (len(got.requests), got.answered.requests, got.answered.flags) == (2, 2, ("retried",))
    assert got.sample.latency_e2e_ms == got.answered.exchanges[1].elapsed_ms == 50


@pytest.mark.parametrize("case", UNREACHED)
def test_a_wire_that_fails_leaves_the_task_open(ask_http: Ask, case: str) -> None:
    """What may pass is tried again up to the bound, what may not is not."""
    step, requests, kind = UNREACHED[case]
    got = ask_http([step])
    assert (got.answered.error, got.answered.final) == (kind, False)
    assert (len(got.requests), got.answered.requests, len(got.answered.exchanges)) == (requests, requests, requests)
    assert got.sample.answer is None
    assert nothing_old_is_left(got.sample)


@pytest.mark.parametrize("case", MALFORMED)
def test_json_that_is_no_response_is_malformed_for_good(ask_http: Ask, case: str) -> None:
    """The endpoint did answer: asking again would bring the same, so it is one request and final."""
    got = ask_http([responding(MALFORMED[case])])
    answered = got.answered
    assert (len(got.requests), answered.error, answered.final) == (1, "malformed", True)
    assert (answered.error_detail or "").startswith("127.0.0.1")
    assert "--map" not in (answered.error_detail or "")
    assert [exchange.error for exchange in answered.exchanges] == ["malformed"]
    assert (got.sample.answer, got.sample.contexts) == (None, SAMPLE.contexts)


def test_hostile_questions_are_sent_as_they_are(ask_http: Ask) -> None:
    """Quotes, braces and controls are data; what no wire can carry is replaced."""
    hostile = '{query} "}, "sample_id": "x" \x00\n\u202e \ud800'
    request = ask_http([FINE], sample=replace(SAMPLE, question=hostile)).requests[0]
    assert request.json == {"query": hostile.replace("\ud800", "\ufffd"), "sample_id": "q1"}


def echo(request: Request) -> Step:
    """Answer with the request's own headers, as a careless assistant does."""
    return responding(RESPONSE | {"answer": json.dumps(dict(request.headers)), "metadata": dict(request.headers)})


def test_a_key_that_is_sent_back_is_not_kept(ask_http: Ask) -> None:
    """Answers go into the ledger: the key stands in none."""
    got = ask_http(echo)
    assert SENTINEL in repr(got.requests[0].headers)
    assert SENTINEL not in repr(got.answered)
    assert "[redacted]" in (got.sample.answer or "")


def test_the_identity_is_what_the_user_knows() -> None:
    """An endpoint tells nothing before it is asked."""
    known = {"model_id": "m", "model_version": "1", "prompt_template_id": "t", "prompt_template_sha256": "v7"}
    candidate = HttpCandidate(Endpoint("http://127.0.0.1:1/"), patience=QUICK, **known)  # type: ignore[arg-type]  # texts
    assert candidate.identity == CandidateIdentity(kind="http", **known)


def test_a_missing_key_is_a_mistake_of_the_configuration(ask_http: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would fail every sample alike, so it is raised."""
    monkeypatch.delenv(KEY_NAME)
    with pytest.raises(UsageError, match=KEY_NAME):
        ask_http([FINE])


def test_a_request_is_made_by_a_template(ask_http: Ask) -> None:
    """Texts are filled in in one pass; a place alone becomes its value as it is; other values stay."""
    template = {
        "input": {"messages": [{"role": "user", "content": "Q: {question} ({sample_id}, {metadata.desk})"}]},
        "documents": "{contexts}",
        "who": "{role}",
        "top_k": 4,
        "plain": "{not a place}",
    }
    sample = replace(SAMPLE, question="Why {role}?", metadata={"role": "clerk", "desk": "fees"})
    speaking = HttpExchange(request=template_reader(template), method="PUT", paths={"answer": "output.0.text"})
    got = ask_http([responding({"output": [{"text": "Since."}], "answer": 7})], sample=sample, speaking=speaking)
    assert got.requests[0].json == {
        "input": {"messages": [{"role": "user", "content": "Q: Why {role}? (q1, fees)"}]},
        "documents": ["The wire fee is $25.", "Checks are free."],
        "who": "clerk",
        "top_k": 4,
        "plain": "{not a place}",
    }
    assert got.sample.answer == "Since."


def test_with_get_the_request_is_the_query(ask_http: Ask) -> None:
    """Escaped, behind a query that the address has."""
    speaking = HttpExchange(request=template_reader({"q": "{question}", "k": 2}), method="GET")
    got = ask_http([FINE], path="/ask?lang=en", speaking=speaking)
    assert got.requests[0].path == "/ask?lang=en&q=What+is+the+wire+fee%3F&k=2"
    assert (got.requests[0].body, got.sample.answer) == (b"", RESPONSE["answer"])


def test_parts_of_a_response_are_found_by_their_paths(ask_http: Ask) -> None:
    """Contexts, tokens and the model too; where the answer is not at its path, the response cannot be read."""
    content = {"data": {"text": "$25.", "docs": ["A"], "n": [5, 6]}, "by": "m@2", "usage": {"input_tokens": 1}}
    paths = {"answer": "data.text", "contexts": "data.docs", "input_tokens": "data.n.0", "output_tokens": "data.n.1"}
    speaking = HttpExchange(paths=paths | {"model_id": "by"}, accept_contexts=True)
    got = ask_http([responding(content)], speaking=speaking)
    assert (got.sample.answer, got.sample.contexts, got.sample.model_id) == ("$25.", (Passage(text="A"),), "m@2")
    assert (got.sample.input_tokens, got.sample.output_tokens) == (5, 6)
    assert ask_http([responding({"data": []})], speaking=speaking).answered.error == "malformed"


def events(*contents: object, kind: str = "sse") -> bytes:
    """Return the body of a stream."""
    form = "data: {}\r\n\r\n" if kind == "sse" else "{}\n"
    return "".join(form.format(json.dumps(content)) for content in contents).encode()


@pytest.mark.parametrize(
    ("kind", "media"), [("sse", "text/event-stream; charset=utf-8"), ("ndjson", "application/x-ndjson")]
)
def test_a_stream_is_put_together(ask_http_counted: Ask, kind: Any, media: str) -> None:
    """The pieces are the answer, what is told last counts, and the time to the first piece is taken."""
    body = events({"delta": ""}, {"delta": "The fee"}, {"delta": " is $25."}, {"usage": {"input_tokens": 9}}, kind=kind)
    body += b"data: [DONE]\n\n" if kind == "sse" else b""
    step = Step(body=body, content_type=media, byte_every_s=1.0)
    got = ask_http_counted([step], speaking=HttpExchange(paths={"delta": "delta"}, stream=kind))
    assert (got.sample.answer, got.sample.input_tokens, got.answered.error) == ("The fee is $25.", 9, None)
    assert got.requests[0].headers["accept"] == media.partition(";")[0]
    first = body.index(b"The fee") + len(b'The fee"}') + (4 if kind == "sse" else 1)
    assert got.answered.latency_first_token_ms == (first - 1) * 1000
    assert (got.sample.latency_e2e_ms or 0) > (got.answered.latency_first_token_ms or 0)


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (Step(body=events({"x": 1}), content_type="text/event-stream"), "malformed"),
        (Step(body=b"data: {\n\n", content_type="text/event-stream"), "malformed_body"),
        (responding(RESPONSE), "wrong_content_type"),
        (Step(body=b"", content_type="text/event-stream"), "malformed"),
    ],
)
def test_a_stream_that_cannot_be_read_is_told(ask_http: Ask, step: Step, error: str) -> None:
    """As any other response."""
    speaking = HttpExchange(paths={"delta": "delta"}, stream="sse")
    assert ask_http([step], speaking=speaking).answered.error == error
