"""A chat model as the candidate, in both protocols: what it answers, what is measured, how often it is asked."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.runs.conftest import ASKED, KEY_NAME, QUICK, SAMPLE, SENTINEL, Ask, nothing_old_is_left
from tests.servers.scripted import FINGERPRINT, INPUT_TOKENS, MODEL, OUTPUT_TOKENS, Request, Step

from plumbrule.errors import UsageError
from plumbrule.models.chat_model import Generation, open_chat_model
from plumbrule.models.prices import Prices
from plumbrule.runs.candidates.model_candidate import ModelCandidate
from plumbrule.runs.prompt_template import load_template
from plumbrule.samples import Passage

FINE = Step(text="The wire fee is $25 [1].")
UNREACHED = {
    "429": (Step(status=429), 3, "rate_limited"),
    "500": (Step(status=500), 3, "server_error"),
    "reset": (Step(reset=True), 3, "connection_failed"),
    "cut short": (Step(cut_at=20), 3, "connection_failed"),
    "malformed JSON": (Step(body=b'{"choices": ['), 3, "malformed_body"),
    "another JSON": (Step(body=b'{"hello": "world"}'), 3, "malformed_body"),
    "wrong content type": (Step(content_type="text/html", body=b"<html>"), 1, "wrong_content_type"),
    "401": (Step(status=401), 1, "rejected"),
}


def test_a_good_answer_takes_one_request(ask_model: Ask, protocol: str) -> None:
    """The text is the answer; tokens, times, cost, model and exchange stand beside it, and nothing old."""
    got = ask_model([FINE], prices=Prices(input_per_million=3.0, output_per_million=15.0))
    answered, sample = got.answered, got.sample
    assert (len(got.requests), answered.requests, len(answered.exchanges)) == (1, 1, 1)
    assert (answered.error, answered.final, answered.flags) == (None, True, ())
    assert (sample.answer, sample.timed_out, sample.model_id) == (FINE.text, False, f"{protocol}:scripted")
    assert (sample.input_tokens, sample.output_tokens) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert (sample.latency_e2e_ms, sample.latency_model_ms) == (answered.exchanges[0].elapsed_ms, None)
    assert answered.cost_usd == pytest.approx((INPUT_TOKENS * 3 + OUTPUT_TOKENS * 15) / 1e6)
    assert answered.reported_model == MODEL
    assert answered.fingerprint == (FINGERPRINT if protocol == "openai" else None)
    assert all(getattr(sample, name) == getattr(SAMPLE, name) for name in ASKED)
    assert nothing_old_is_left(sample)


def test_the_request_is_the_filled_template(ask_model: Ask, protocol: str) -> None:
    """The system part goes where the protocol has it, and no recorded answer or reference is sent along."""
    got = ask_model([FINE])
    prompt = load_template().fill(SAMPLE)
    body = got.requests[0].json
    assert got.requests[0].prompt == prompt.user
    assert (body["system"] if protocol == "anthropic" else body["messages"][0]["content"]) == prompt.system
    assert (body["temperature"], body["max_tokens"]) == (0, 1024)
    assert not any(secret in json.dumps(body) for secret in ("An old answer", "reference", "old@1", "old-trace"))


def test_the_provider_knows_its_own_time_best(ask_model_counted: Ask, protocol: str) -> None:
    """A reported generation time is the model's latency; where none is reported, it is not known."""
    got = ask_model_counted([replace(FINE, headers={"openai-processing-ms": "7"}, delay_s=0.05)])
    assert got.sample.latency_e2e_ms == 50
    assert got.sample.latency_model_ms == (7.0 if protocol == "openai" else None)


@pytest.mark.parametrize("step", [Step(delay_s=30), Step(byte_every_s=1.0)], ids=["silent", "one byte a second"])
def test_who_passes_the_time_is_not_asked_again(ask_model_counted: Ask, step: Step) -> None:
    """G22: timed out with the elapsed time, no answer, no error, final, one request."""
    got = ask_model_counted([step], patience=replace(QUICK, call_timeout_s=0.3))
    answered, sample = got.answered, got.sample
    assert (len(got.requests), answered.requests, answered.error, answered.final) == (1, 1, None, True)
    assert (sample.timed_out, sample.answer, sample.latency_model_ms, sample.input_tokens) == (True, None, None, None)
    assert sample.latency_e2e_ms == 300
    assert answered.exchanges[0].error == "timed_out"
    assert nothing_old_is_left(sample)


def test_waiting_that_was_asked_for_is_not_the_candidates_time(ask_model_counted: Ask) -> None:
    """429 with Retry-After, then an answer: flagged, and the latency is that of the second attempt alone."""
    got = ask_model_counted([Step(status=429, headers={"retry-after": "1"}), replace(FINE, delay_s=0.05)])
    answered = got.answered
    assert (len(got.requests), answered.requests, answered.error, answered.flags) == (2, 2, None, ("retried",))
    assert got.sample.answer == FINE.text
    assert got.sample.latency_e2e_ms == answered.exchanges[1].elapsed_ms == 50
    assert [exchange.error for exchange in answered.exchanges] == ["rate_limited", None]


def test_each_attempt_has_the_whole_time(ask_model_counted: Ask) -> None:
    """A wire that failed before takes nothing from the time that the candidate has, whatever the deadline."""
    patience = replace(QUICK, deadline_s=0.2, call_timeout_s=5.0)
    got = ask_model_counted([Step(status=500), replace(FINE, delay_s=4.9)], patience=patience)
    assert (len(got.requests), got.sample.answer, got.sample.timed_out) == (2, FINE.text, False)


@pytest.mark.parametrize("case", UNREACHED)
def test_a_wire_that_fails_leaves_the_task_open(ask_model: Ask, case: str) -> None:
    """What may pass is tried again up to the bound, what may not is not; either way another run may mend it."""
    step, requests, kind = UNREACHED[case]
    got = ask_model([step])
    answered = got.answered
    assert (answered.error, answered.final) == (kind, False)
    assert (len(got.requests), answered.requests, len(answered.exchanges)) == (requests, requests, requests)
    assert answered.flags == (("retried",) if requests > 1 else ())
    assert answered.error_detail
    assert (got.sample.answer, got.sample.timed_out, got.sample.latency_e2e_ms) == (None, None, None)
    assert nothing_old_is_left(got.sample)


def test_missing_usage_is_unknown_not_zero(ask_model: Ask) -> None:
    """G21: unreported tokens are null, and so is what they cost."""
    got = ask_model([replace(FINE, usage=False)], prices=Prices(input_per_million=1, output_per_million=1))
    assert (got.sample.input_tokens, got.sample.output_tokens, got.answered.cost_usd) == (None, None, None)
    assert got.sample.answer == FINE.text


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_answer_is_an_answer(ask_model: Ask, text: str | None) -> None:
    """The judge calls it non-responsive; it is no error, and one request."""
    got = ask_model([Step(text=text)])
    assert (len(got.requests), got.sample.answer, got.answered.error) == (1, "", None)


def test_hostile_questions_and_contexts_stay_what_they_are(ask_model: Ask, tmp_path: Path) -> None:
    """Nothing that is filled in is read as a placeholder, not even by another input."""
    path = tmp_path / "t.txt"
    path.write_text("Q={question} C={contexts} N={contexts_numbered}", encoding="utf-8")
    hostile = "{contexts} {question} {{question}} {contexts_numbered} {0} %s ${question} \\1 \ud800"
    sample = replace(SAMPLE, question=hostile, contexts=(Passage(text=hostile),))
    got = ask_model([FINE], sample=sample, template=load_template(path))
    sent = hostile.replace("\ud800", "\ufffd")
    assert got.requests[0].prompt == f"Q={sent} C={sent} N=[1] {sent}"


def echo(request: Request) -> Step:
    """Answer with the request's own key, as a careless gateway does."""
    return Step(text=f"{request.headers.get('authorization', '')} {request.headers.get('x-api-key', '')}")


def test_a_key_that_is_sent_back_is_not_kept(ask_model: Ask) -> None:
    """Answers go into the ledger: the key stands in none."""
    got = ask_model(echo)
    assert SENTINEL in repr(got.requests[0].headers)
    assert SENTINEL not in repr(got.answered)
    assert "[redacted]" in (got.sample.answer or "")


def test_a_missing_key_is_a_mistake_of_the_configuration(ask_model: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would fail every sample alike, so it is raised, and nothing is sent."""
    monkeypatch.delenv(KEY_NAME)
    with pytest.raises(UsageError, match=KEY_NAME):
        ask_model([FINE])


def test_the_identity_is_known_before_the_first_call() -> None:
    """Model, version and template, by their names."""
    model = open_chat_model("local:small-2025-01-01", base_url="http://127.0.0.1:1/v1")
    template = load_template()
    identity = ModelCandidate(model, template=template, generation=Generation(), patience=QUICK).identity
    assert (identity.kind, identity.model_id, identity.model_version) == (
        "model",
        "local:small-2025-01-01",
        "2025-01-01",
    )
    assert (identity.prompt_template_id, identity.prompt_template_sha256) == ("plumbrule-answer", template.sha256)
