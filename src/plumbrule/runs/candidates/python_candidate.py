"""A Python callable as the candidate."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from plumbrule.http.rate_limit import Pace
from plumbrule.runs.candidate import Answered, CandidateIdentity, read_response, unanswered
from plumbrule.runs.candidates.function_calls import Outcome
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit


class Calls(Protocol):
    """Makes the calls of one function: in this process, or in one of its own."""

    @property
    def is_async(self) -> bool:
        """Tell whether the function is async, so that any number of calls may be under way."""
        ...

    async def call(self, sample: Sample, *, timeout_s: float) -> Outcome:
        """Call the function with a sample; whatever goes wrong is an outcome that says so."""
        ...

    async def aclose(self) -> None:
        """End what runs the function."""
        ...


class PythonCandidate:
    """Asks a function; it returns text, or a mapping: a compliance assistant's response, or the fields of a sample.

    At most ``threads`` calls of a plain function are under way at a time. ``known`` are the facts of a
    ``CandidateIdentity``.
    """

    def __init__(
        self,
        calls: Calls,
        *,
        timeout_s: float,
        threads: int = 16,
        pace: Pace | None = None,
        accept_contexts: bool = False,
        heard: Callable[[str, object], None] | None = None,
        **known: str | None,
    ) -> None:
        self._calls = calls
        self._timeout_s = timeout_s
        self._pace = pace
        self._accept_contexts = accept_contexts
        self._heard = heard
        self._places = asyncio.Semaphore(threads)
        self.identity = CandidateIdentity(kind="python", **known)

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat asks the same
        """Call the function with the sample's question; an exception is an answer that says so."""
        if self._calls.is_async:
            return await self._answer(sample)
        async with self._places:
            return await self._answer(sample)

    async def aclose(self) -> None:
        """End what runs the function."""
        await self._calls.aclose()

    async def _answer(self, sample: Sample) -> Answered:
        if self._pace is not None:
            await self._pace.turn()
        outcome = await self._calls.call(sample, timeout_s=self._timeout_s)
        blank = replace(unanswered(sample), model_id=self.identity.model_id)
        flags = ("retried",) if outcome.calls > 1 else ()
        if outcome.timed_out:
            late = replace(blank, timed_out=True, latency_e2e_ms=outcome.elapsed_ms)
            return Answered(sample=late, requests=outcome.calls, flags=flags)
        if self._heard is not None and outcome.error is None:
            self._heard(sample.id, outcome.answer)
        answered = self._read(outcome, blank)
        return replace(answered, requests=outcome.calls, flags=(*flags, *answered.flags))

    def _read(self, outcome: Outcome, blank: Sample) -> Answered:
        if outcome.error is not None:
            return Answered(
                sample=blank, error="malformed" if outcome.malformed else "failed", error_detail=outcome.error
            )
        answer = outcome.answer
        content = {"answer": answer} if isinstance(answer, str) else answer
        try:
            response = read_response(content, blank, accept_contexts=self._accept_contexts)
        except Misfit as misfit:
            return Answered(sample=blank, error="malformed", error_detail=str(misfit))
        return Answered(
            sample=replace(
                response.sample,
                latency_e2e_ms=outcome.elapsed_ms,
                timed_out=False,
                model_id=blank.model_id or response.sample.model_id,
            ),
            reported_model=response.sample.model_id,
            self_reported=response.self_reported,
            flags=response.flags,
        )
