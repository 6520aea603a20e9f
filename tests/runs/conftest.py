"""A live candidate in front of a scripted server."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import pytest
from tests.clock import run_counted
from tests.servers.counted import CountedServer
from tests.servers.scripted import Request, Script, ScriptedServer

from plumbrule.http.endpoint import Endpoint
from plumbrule.http.retry import Patience
from plumbrule.models.chat_model import Generation, open_chat_model
from plumbrule.runs.candidate import Answered, Candidate
from plumbrule.runs.candidates.http_candidate import HttpCandidate
from plumbrule.runs.candidates.model_candidate import ModelCandidate
from plumbrule.runs.prompt_template import load_template
from plumbrule.samples import Citation, Expected, Passage, Refusal, Sample

KEY_NAME = "PLUMBRULE_TEST_KEY"
SENTINEL = "sk-sentinel-0123456789abcdef"
SAMPLE = Sample(
    id="q1",
    question="What is the wire fee?",
    reference="$25.",
    expected=Expected(refuse=False),
    contexts=(Passage(text="The wire fee is $25.", id="p1"), Passage(text="Checks are free.", id="p2")),
    category="fees",
    tags=("easy",),
    # all below belongs to an answer of last year
    answer="An old answer.",
    citations=(Citation(citation_id="9"),),
    refusal=Refusal(code="OLD"),
    grounding_status="REFUSED",
    trace_id="old-trace",
    timestamp="2024-01-01T00:00:00Z",
    metadata={"processing_time_ms": 99_999},
    latency_e2e_ms=99_999.0,
    latency_model_ms=99_999.0,
    input_tokens=99_999,
    output_tokens=99_999,
    timed_out=True,
    model_id="old@1",
)
ASKED = {"id", "question", "reference", "expected", "contexts", "category", "tags"}
# quick to call again, and slow to give up: a busy machine is no timeout
QUICK = Patience(deadline_s=600.0, call_timeout_s=300.0, calls=3, first_wait_s=0.01, longest_wait_s=0.05, jitter=float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """What a candidate answered, and what reached the server for it."""

    answered: Answered
    requests: list[Request]

    @property
    def sample(self) -> Sample:
        """The sample with its answer."""
        return self.answered.sample


Ask = Callable[..., Got]


def answer_once(
    candidate: Candidate,
    sample: Sample = SAMPLE,
    *,
    run: Callable[[Coroutine[Any, Any, Answered]], Answered] = asyncio.run,
) -> Answered:
    """Let a candidate answer one sample, and close it."""

    async def answer() -> Answered:
        try:
            return await candidate.answer(sample, 0)
        finally:
            await candidate.aclose()

    return run(answer())


def nothing_old_is_left(sample: Sample) -> bool:
    """Tell whether a sample holds nothing of the answer of last year."""
    return not any(mark in repr(sample) for mark in ("old", "OLD", "99999", "99_999", "2024-01-01", "'9'"))


@pytest.fixture(params=["openai", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> str:
    """Both wire protocols, one after the other."""
    name: str = request.param
    return name


def _model_candidate(base_url: str, protocol: str, patience: Patience, options: dict[str, Any]) -> ModelCandidate:
    model = open_chat_model(f"{protocol}:scripted", base_url=base_url, api_key_env=KEY_NAME)
    options.setdefault("template", load_template())
    return ModelCandidate(model, generation=Generation(), patience=patience, **options)


@pytest.fixture
def ask_model(protocol: str, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Answer one sample through a real connection to a scripted provider."""
    monkeypatch.setenv(KEY_NAME, SENTINEL)

    def ask(script: Script, *, sample: Sample = SAMPLE, patience: Patience = QUICK, **options: Any) -> Got:
        with ScriptedServer(script) as server:
            candidate = _model_candidate(server.base_url(protocol), protocol, patience, options)
            answered = answer_once(candidate, sample)
        return Got(answered=answered, requests=server.requests)

    return ask


@pytest.fixture
def ask_model_counted(protocol: str, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Answer one sample in counted time: waits and delays are exact, and take none."""
    monkeypatch.setenv(KEY_NAME, SENTINEL)

    def ask(script: Script, *, patience: Patience = QUICK, **options: Any) -> Got:
        server = CountedServer(script, monkeypatch)
        candidate = _model_candidate(server.base_url(protocol), protocol, patience, options)
        return Got(answered=answer_once(candidate, run=run_counted), requests=server.requests)

    return ask


@pytest.fixture
def ask_http(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Answer one sample through a real connection to a scripted assistant."""
    monkeypatch.setenv(KEY_NAME, SENTINEL)

    def ask(
        script: Script,
        *,
        sample: Sample = SAMPLE,
        patience: Patience = QUICK,
        path: str = "/ask/",
        api_key_env: str | None = KEY_NAME,
        **options: Any,
    ) -> Got:
        with ScriptedServer(script) as server:
            endpoint = Endpoint(f"http://127.0.0.1:{server.port}{path}", api_key_env=api_key_env)
            answered = answer_once(HttpCandidate(endpoint, patience=patience, **options), sample)
        return Got(answered=answered, requests=server.requests)

    return ask


@pytest.fixture
def ask_http_counted(monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Answer one sample in counted time: waits and delays are exact, and take none."""

    def ask(script: Script, *, patience: Patience = QUICK, **options: Any) -> Got:
        server = CountedServer(script, monkeypatch)
        candidate = HttpCandidate(Endpoint(f"{server.address}/ask/"), patience=patience, **options)
        return Got(answered=answer_once(candidate, run=run_counted), requests=server.requests)

    return ask
