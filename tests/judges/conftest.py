"""A judge in front of a scripted provider, in both protocols."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pytest
from tests.clock import counted_s, run_counted
from tests.servers.counted import CountedServer
from tests.servers.scripted import Request, Script, ScriptedServer

from plumbrule.http.retry import Patience
from plumbrule.judges.judgement import Judgement
from plumbrule.judges.llm_judge import LLMJudge
from plumbrule.models.chat_model import Generation, open_chat_model
from plumbrule.samples import Passage, Sample

KEY_NAME = "PLUMBRULE_TEST_KEY"
SENTINEL = "sk-sentinel-0123456789abcdef"
SAMPLE = Sample(
    id="q1",
    question="What is the wire fee?",
    answer="The wire fee is $25.",
    reference="$25.",
    contexts=(Passage(text="The wire fee is $25."),),
)
# quick to call again, and slow to give up: a busy machine is no timeout
QUICK = Patience(deadline_s=600.0, call_timeout_s=300.0, calls=3, first_wait_s=0.01, longest_wait_s=0.05, jitter=float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judgement came to, what reached the server for it, and how long it took by the event loop's clock."""

    judgement: Judgement
    requests: list[Request]
    took_s: float


class Ask(Protocol):
    """Judge the sample against a script."""

    def __call__(
        self, script: Script, *, patience: Patience = QUICK, sample: Sample = SAMPLE, **options: Any
    ) -> Judged:
        """Return the judgement."""
        ...


@pytest.fixture(params=["openai", "anthropic"])
def protocol(request: pytest.FixtureRequest) -> str:
    """Both wire protocols, one after the other."""
    name: str = request.param
    return name


async def _judge(
    server: ScriptedServer | CountedServer, protocol: str, sample: Sample, options: dict[str, Any]
) -> tuple[Judgement, float]:
    model = open_chat_model(f"{protocol}:scripted", base_url=server.base_url(protocol), api_key_env=KEY_NAME)
    try:
        judge = LLMJudge(model, generation=Generation(), **options)
        started = counted_s()
        return await judge.judge(sample), counted_s() - started
    finally:
        await model.aclose()


@pytest.fixture
def ask(protocol: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Judged]:
    """Judge one sample through a real connection to a scripted server."""
    monkeypatch.setenv(KEY_NAME, SENTINEL)

    def judge(script: Script, *, patience: Patience = QUICK, sample: Sample = SAMPLE, **options: Any) -> Judged:
        with ScriptedServer(script) as server:
            judgement, took_s = asyncio.run(_judge(server, protocol, sample, {"patience": patience, **options}))
        return Judged(judgement=judgement, requests=server.requests, took_s=took_s)

    return judge


@pytest.fixture
def ask_counted(protocol: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Judged]:
    """Judge one sample in counted time: waits and delays are exact, and take none."""
    monkeypatch.setenv(KEY_NAME, SENTINEL)

    def judge(script: Script, *, patience: Patience = QUICK, sample: Sample = SAMPLE, **options: Any) -> Judged:
        server = CountedServer(script, monkeypatch)
        judgement, took_s = run_counted(_judge(server, protocol, sample, {"patience": patience, **options}))
        return Judged(judgement=judgement, requests=server.requests, took_s=took_s)

    return judge
