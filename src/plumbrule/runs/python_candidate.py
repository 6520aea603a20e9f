"""A Python callable as the candidate, plain or async, in this process."""

import asyncio
import importlib
import inspect
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from plumbrule.engines.threads import in_thread
from plumbrule.errors import UsageError
from plumbrule.http.rate_limit import Pace
from plumbrule.runs.candidate import Answered, CandidateIdentity, read_response, unanswered
from plumbrule.samples.sample_model import Sample
from plumbrule.samples.value_types import Misfit
from plumbrule.text.templates import sendable

_LONGEST_DETAIL = 500
_CLOSING_S, _CLOSING_TURNS = 0.5, 20  # how long an event loop may take to end
_KNOWN = ("question", "contexts", "passages", "role", "sample")
_SHOWN = ("id", "question", "contexts", "metadata", "category", "tags")  # not what is expected of the answer


def load_target(target: str, folder: Path) -> Callable[..., Any]:
    """Return the callable that ``module:function`` names; ``folder`` is on the import path from now on."""
    module_name, colon, name = target.partition(":")
    if not colon or not module_name or not name:
        raise UsageError(f"'{target}' is not of the form module:function, such as my_app.answers:reply")
    if str(folder) not in sys.path:  # it stays there: the function may import more when it is called
        sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's module may raise anything while it is imported
        if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(f"{error.name}."):
            raise UsageError(f"'{target}': there is no module '{error.name}' in {folder} or installed") from None
        raise UsageError(f"'{target}': importing '{module_name}' failed: {_worded(error)}") from None
    function = getattr(module, name, None)
    if function is None:
        raise UsageError(f"'{target}': module '{module_name}' has no '{name}'")
    if not callable(function):
        raise UsageError(f"'{target}': '{name}' is {type(function).__name__}, which cannot be called")
    return function  # type: ignore[no-any-return]  # anything that can be called


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What a call came to."""

    answer: object = None
    error: str | None = None
    elapsed_ms: float = 0.0


class PythonCandidate:
    """Calls one function with those of ``question``, ``contexts``, ``passages``, ``role`` and ``sample`` that it names.

    A single parameter of any other name gets the question. ``passages`` are the contexts with everything known of
    each, None where there are none; ``role`` is who asks, by the sample's metadata. The function returns text, or a
    mapping: a compliance assistant's response, or the fields of a sample. A plain function runs in a thread, at
    most ``threads`` at a time. One that passes ``timeout_s`` is timed out and gives its place to the next, but no
    thread can be stopped from outside: it may continue until it returns or the process ends.
    Async functions share an event loop in a thread of their own, and are cancelled: one that holds on to its
    cancellation keeps nobody waiting. ``known`` are the facts of a ``CandidateIdentity``.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        target: str,
        timeout_s: float,
        threads: int = 16,
        pace: Pace | None = None,
        heard: Callable[[str, object], None] | None = None,
        **known: str | None,
    ) -> None:
        self._function = function
        self._wanted = _Wanted.of(function, target)
        self._timeout_s = timeout_s
        self._pace = pace
        self._heard = heard
        self._async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - whether it is async, not whether it can be called
        )
        self._places = asyncio.Semaphore(threads)
        self._loop = _LoopThread()
        self.identity = CandidateIdentity(kind="python", **known)

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat asks the same
        """Call the function with the sample's question; an exception is an answer that says so."""
        if self._async:
            return await self._answer(sample)
        async with self._places:
            return await self._answer(sample)

    async def aclose(self) -> None:
        """End the event loop of async functions, where nothing runs in it."""
        self._loop.close()

    async def _answer(self, sample: Sample) -> Answered:
        positional, named = self._wanted.arguments(sample)
        if self._pace is not None:
            await self._pace.turn()
        now_s = asyncio.get_running_loop().time  # the clock by which the call is timed out, too
        started = now_s()
        task = asyncio.ensure_future(self._call(positional, named))
        try:
            await asyncio.wait({task}, timeout=self._timeout_s)
        finally:
            task.cancel()
        blank = replace(unanswered(sample), model_id=self.identity.model_id)
        if not task.done():
            elapsed_ms = _milliseconds(now_s() - started)
            return Answered(sample=replace(blank, timed_out=True, latency_e2e_ms=elapsed_ms), requests=1)
        outcome = _outcome(task)
        if self._heard is not None and outcome.error is None:
            self._heard(sample.id, outcome.answer)
        return _read(outcome, blank)

    async def _call(self, positional: list[object], named: dict[str, object]) -> _Outcome:
        now_s = asyncio.get_running_loop().time
        started = now_s()
        work = partial(self._function, *positional, **named)
        try:
            # an async function only makes its coroutine here
            outcome = _run(work) if self._async else await in_thread(partial(_run, work), name="plumbrule-candidate")
            if not inspect.isawaitable(outcome.answer):
                return outcome
            # also an async function behind a plain decorator
            answer = await self._loop.run(outcome.answer)
            return _Outcome(answer=answer, elapsed_ms=_milliseconds(now_s() - started))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's function may raise anything
            return _Outcome(error=_worded(error))


class _LoopThread:
    """An event loop in a thread that holds up no exit: what is shared between async calls stays in one loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def run(self, work: Awaitable[Any]) -> Any:  # noqa: ANN401 - whatever the user's function returns
        """Return what ``work`` gives; a cancellation is passed on, and not waited for."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="plumbrule-candidate", daemon=True)
            self._thread.start()
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_awaited(work), self._loop))

    def close(self) -> None:
        """End the loop, unless a call still holds on to it: that one ends with the process."""
        loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(_stop_if_idle, loop, _CLOSING_TURNS)
        thread.join(_CLOSING_S)
        if not thread.is_alive():
            loop.close()


def _stop_if_idle(loop: asyncio.AbstractEventLoop, turns: int) -> None:
    """Stop a loop once its tasks have ended; those that were cancelled need a few turns for it."""
    if not asyncio.all_tasks(loop):
        loop.stop()
    elif turns:
        loop.call_later(_CLOSING_S / _CLOSING_TURNS / 2, _stop_if_idle, loop, turns - 1)


async def _awaited(work: Awaitable[Any]) -> Any:  # noqa: ANN401 - whatever the user's function returns
    return await work


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """Which inputs a function takes, in the order of its parameters: (input, the name to pass it by if any)."""

    inputs: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, function: Callable[..., Any], target: str) -> "_Wanted":
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):  # some built-in ones do not tell
            return cls(inputs=(("question", None),))
        kinds = inspect.Parameter
        inputs: list[tuple[str, str | None]] = []
        asked = "question" in parameters
        for name, parameter in parameters.items():
            by_name = None if parameter.kind in {kinds.POSITIONAL_ONLY, kinds.VAR_POSITIONAL} else name
            if parameter.kind is kinds.VAR_KEYWORD or (parameter.kind is kinds.VAR_POSITIONAL and inputs):
                continue
            if name in _KNOWN and parameter.kind is not kinds.VAR_POSITIONAL:
                inputs.append((name, by_name))
            elif not asked and (parameter.default is kinds.empty or len(parameters) == 1):
                inputs.append(("question", by_name))
                asked = True
            elif parameter.default is kinds.empty:
                raise UsageError(f"'{target}': nothing is known to give for its parameter '{name}'; {_rule()}")
        if not inputs:
            raise UsageError(f"'{target}': it has no parameter for the question; {_rule()}")
        return cls(inputs=tuple(inputs))

    def arguments(self, sample: Sample) -> tuple[list[object], dict[str, object]]:
        """Return what to call with: made afresh for each call, since a function may change what it is given."""
        positional: list[object] = []
        named: dict[str, object] = {}
        for wanted, name in self.inputs:
            value = _given(wanted, sample)
            if name is None:
                positional.append(value)
            else:
                named[name] = value
        return positional, named


def _rule() -> str:
    return f"a function may take {', '.join(_KNOWN[:-1])} and {_KNOWN[-1]}, or one parameter for the question"


def _given(wanted: str, sample: Sample) -> object:
    if wanted == "question":
        return sample.question
    if wanted == "contexts":
        return [passage.text for passage in sample.contexts]
    if wanted == "passages":
        return [asdict(passage) for passage in sample.contexts] or None
    if wanted == "role":
        return sample.metadata.get("role")
    content = asdict(sample)
    return {name: list(content[name]) if isinstance(content[name], tuple) else content[name] for name in _SHOWN}


def _run(work: Callable[[], Any]) -> _Outcome:
    started = time.perf_counter()
    try:
        answer = work()
    except BaseException as error:  # noqa: BLE001 - in a thread nothing else would hear of it
        return _Outcome(error=_worded(error))
    return _Outcome(answer=answer, elapsed_ms=_milliseconds(time.perf_counter() - started))


def _outcome(task: "asyncio.Task[_Outcome]") -> _Outcome:
    if task.cancelled():  # by itself: nobody else could have
        return _Outcome(error="CancelledError: it cancelled itself")
    return task.result()


def _read(outcome: _Outcome, blank: Sample) -> Answered:
    if outcome.error is not None:
        return Answered(sample=blank, error="failed", error_detail=outcome.error, requests=1)
    answer = outcome.answer
    content = {"answer": answer} if isinstance(answer, str) else answer
    try:
        response = read_response(content, blank)
    except Misfit as misfit:
        return Answered(sample=blank, error="malformed", error_detail=str(misfit), requests=1)
    return Answered(
        sample=replace(
            response, latency_e2e_ms=outcome.elapsed_ms, timed_out=False, model_id=blank.model_id or response.model_id
        ),
        reported_model=response.model_id,
        requests=1,
    )


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def _worded(error: BaseException) -> str:
    try:
        message = sendable(" ".join(str(error).split())[:_LONGEST_DETAIL])
    except Exception:  # noqa: BLE001 - an exception of the user's may not even have words
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
