"""A Python callable that answers questions: how it is found, what it is given, and one call of it in this process."""

import asyncio
import importlib
import inspect
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from plumbrule.engines.threads import in_thread
from plumbrule.errors import UsageError
from plumbrule.samples.sample_model import Sample
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
        raise UsageError(f"'{target}': importing '{module_name}' failed: {worded(error)}") from None
    function = getattr(module, name, None)
    if function is None:
        raise UsageError(f"'{target}': module '{module_name}' has no '{name}'")
    if not callable(function):
        raise UsageError(f"'{target}': '{name}' is {type(function).__name__}, which cannot be called")
    return function  # type: ignore[no-any-return]  # anything that can be called


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a call came to."""

    answer: object = None
    error: str | None = None
    malformed: bool = False  # the error is in the answer, not in the call
    timed_out: bool = False
    elapsed_ms: float = 0.0
    calls: int = 1  # how often it was made


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """What a function is called with."""

    positional: list[object]
    named: dict[str, object]


class FunctionCalls:
    """Calls one function with those of ``question``, ``contexts``, ``passages``, ``role`` and ``sample`` that it names.

    A single parameter of any other name gets the question. ``passages`` are the contexts with everything known of
    each, None where there are none; ``role`` is who asks, by the sample's metadata. A plain function runs in a thread
    of its own. One that passes its time is left behind: no thread can be stopped from outside. Async functions share an
    event loop in a thread of their own, and are cancelled: one that holds on to its cancellation keeps nobody waiting.
    """

    def __init__(self, function: Callable[..., Any], *, target: str) -> None:
        self._function = function
        self.inputs = Inputs.of(function, target)
        self.is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - whether it is async, not whether it can be called
        )
        self._loop = _LoopThread()

    async def call(self, sample: Sample, *, timeout_s: float) -> Outcome:
        """Call the function with a sample; an exception is an outcome that says so."""
        now_s = asyncio.get_running_loop().time  # the clock by which the call is timed out, too
        started = now_s()
        task = asyncio.ensure_future(self.run(self.inputs.arguments(sample)))
        try:
            await asyncio.wait({task}, timeout=timeout_s)
        finally:
            task.cancel()
        if not task.done():
            return Outcome(timed_out=True, elapsed_ms=milliseconds(now_s() - started))
        if task.cancelled():  # by itself: nobody else could have
            return Outcome(error="CancelledError: it cancelled itself")
        return task.result()

    async def run(self, arguments: Arguments) -> Outcome:
        """Call the function, for as long as it takes."""
        now_s = asyncio.get_running_loop().time
        started = now_s()
        work = partial(self._function, *arguments.positional, **arguments.named)
        try:
            # an async function only makes its coroutine here
            outcome = _run(work) if self.is_async else await in_thread(partial(_run, work), name="plumbrule-candidate")
            if not inspect.isawaitable(outcome.answer):
                return outcome
            # also an async function behind a plain decorator
            answer = await self._loop.run(outcome.answer)
            return Outcome(answer=answer, elapsed_ms=milliseconds(now_s() - started))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a user's function may raise anything
            return Outcome(error=worded(error))

    async def aclose(self) -> None:
        """End the event loop of async functions, where nothing runs in it."""
        self._loop.close()


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
class Inputs:
    """Which inputs a function takes, in the order of its parameters: (input, the name to pass it by if any)."""

    inputs: tuple[tuple[str, str | None], ...]

    @classmethod
    def of(cls, function: Callable[..., Any], target: str) -> "Inputs":
        """Return the inputs that a function's parameters name, or raise where one is not known."""
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

    def arguments(self, sample: Sample) -> Arguments:
        """Return what to call with: made afresh for each call, since a function may change what it is given."""
        positional: list[object] = []
        named: dict[str, object] = {}
        for wanted, name in self.inputs:
            value = _given(wanted, sample)
            if name is None:
                positional.append(value)
            else:
                named[name] = value
        return Arguments(positional=positional, named=named)


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


def _run(work: Callable[[], Any]) -> Outcome:
    started = time.perf_counter()
    try:
        answer = work()
    except BaseException as error:  # noqa: BLE001 - in a thread nothing else would hear of it
        return Outcome(error=worded(error))
    return Outcome(answer=answer, elapsed_ms=milliseconds(time.perf_counter() - started))


def milliseconds(seconds: float) -> float:
    """Return seconds as milliseconds, to the microsecond."""
    return round(seconds * 1000, 3)


def worded(error: BaseException) -> str:
    """Return an exception in one line."""
    try:
        message = sendable(" ".join(str(error).split())[:_LONGEST_DETAIL])
    except Exception:  # noqa: BLE001 - an exception of the user's may not even have words
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
