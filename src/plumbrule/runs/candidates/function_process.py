"""A function in a process of its own: a deadline that holds whatever it does, and a limit on what it returns.

``CandidateProcess`` starts this module as ``python -m … TARGET FOLDER`` and exchanges JSON with it over two pipes, each
message after its length. What the function prints goes to standard error.
"""

import asyncio
import contextlib
import datetime as dt
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from plumbrule.engines.threads import in_thread
from plumbrule.errors import UsageError
from plumbrule.runs.candidates.function_calls import (
    Arguments,
    FunctionCalls,
    Inputs,
    Outcome,
    load_target,
    milliseconds,
)
from plumbrule.samples.sample_model import Sample

MOST_BYTES = 8_000_000  # of an answer, as of one over HTTP
_MOST_MESSAGE = 2 * MOST_BYTES  # of a message with such an answer; a longer one is not read
_GRACE_S = 2.0  # in which a process must say that it has let go of a call
_LENGTH = 8

Message = dict[str, Any]


class CandidateProcess:
    """Makes the calls of one function in one process, which is started again when it ends or hangs.

    A call that passes its time is let go. A process that does not even say so, because code that holds Python's lock is
    running in it, is killed. Whoever was under way when a process ends is called again, alone in another process if it
    may be the reason; what ends or hangs its process a second time is failed or timed out.
    """

    def __init__(self, target: str, folder: Path) -> None:
        self._target = target
        self._folder = folder
        self._inputs: Inputs | None = None
        self.is_async = False
        self._worker: _Worker | None = None
        self._starting = asyncio.Lock()
        self._suspects = asyncio.Lock()
        self._suspect_worker: _Worker | None = None

    def start(self) -> None:
        """Start the process, and raise what is wrong with the target; else the first call does."""
        self._worker = self._new_worker()

    async def call(self, sample: Sample, *, timeout_s: float) -> Outcome:
        """Call the function with a sample."""
        calls = 0
        while True:
            calls += 1
            worker = await self._ready_worker()
            try:
                outcome = await worker.call(self._arguments(sample), timeout_s=timeout_s)
            except _InterruptedCallError as interrupted:
                if not interrupted.suspect:
                    continue
                outcome = await self._call_alone(sample, timeout_s=timeout_s)
                calls += 1
            return replace(outcome, calls=calls)

    async def aclose(self) -> None:
        """End the processes, whatever they are doing."""
        for worker in (self._worker, self._suspect_worker):
            if worker is not None:
                worker.kill()
        self._worker = self._suspect_worker = None

    async def _ready_worker(self) -> "_Worker":
        async with self._starting:
            if self._worker is None or self._worker.ended:
                self._worker = await in_thread(self._new_worker, name="plumbrule-candidate-start")
            return self._worker

    async def _call_alone(self, sample: Sample, *, timeout_s: float) -> Outcome:
        async with self._suspects:
            if self._suspect_worker is None or self._suspect_worker.ended:
                self._suspect_worker = await in_thread(self._new_worker, name="plumbrule-candidate-start")
            try:
                return await self._suspect_worker.call(self._arguments(sample), timeout_s=timeout_s)
            except _InterruptedCallError as interrupted:
                if interrupted.overdue_s is not None:
                    return Outcome(timed_out=True, elapsed_ms=milliseconds(interrupted.overdue_s))
                return Outcome(error=f"its process ended{interrupted.reason}")

    def _arguments(self, sample: Sample) -> Arguments:
        assert self._inputs is not None  # noqa: S101 - a worker has told them
        return self._inputs.arguments(sample)

    def _new_worker(self) -> "_Worker":
        worker = _Worker(self._target, self._folder)
        self._inputs, self.is_async = worker.inputs, worker.is_async
        return worker


class _InterruptedCallError(Exception):
    """The process ended before the call did; ``suspect``: the call may be the reason."""

    def __init__(self, reason: str, *, suspect: bool, overdue_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.suspect = suspect
        self.overdue_s = overdue_s


class _Worker:
    """One process and the calls that are under way in it."""

    def __init__(self, target: str, folder: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this Python, with a module of our own
            [sys.executable, "-P", "-m", __name__, target, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._writing = threading.Lock()
        self._under_way: dict[int, asyncio.Future[Message]] = {}
        self._overdue: dict[int, float] = {}
        self._numbers = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self.ended = False
        try:
            told = _read(self._stdout)
        except BaseException:
            self.kill()
            raise
        if told is None or "problem" in told:
            self.kill()
            told = told or {"problem": f"'{target}': its process ended while it was imported{self._how_it_ended()}"}
            raise UsageError(str(told["problem"]))
        self.is_async = bool(told["is_async"])
        self.inputs = Inputs(inputs=tuple((str(wanted), name) for wanted, name in told["inputs"]))

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        return self._process.stdout

    async def call(self, arguments: Arguments, *, timeout_s: float) -> Outcome:
        """Call the function; raise where the process ends before the call does."""
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
            threading.Thread(target=self._read_all, name="plumbrule-candidate-read", daemon=True).start()
        self._numbers += 1
        number = self._numbers
        told = self._under_way[number] = loop.create_future()
        started = loop.time()
        try:
            await self._send({"call": number, **asdict(arguments)})
            done, _ = await asyncio.wait({told}, timeout=timeout_s)
            if not done:
                elapsed_s = loop.time() - started
                await self._let_go(number, told, elapsed_s)
                return Outcome(timed_out=True, elapsed_ms=milliseconds(elapsed_s))
            return Outcome(**told.result())
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):
                await self._send({"cancel": number})
            raise
        finally:
            self._under_way.pop(number, None)
            self._overdue.pop(number, None)

    async def _let_go(self, number: int, told: "asyncio.Future[Message]", elapsed_s: float) -> None:
        """Return when the process has let go of a call; one that cannot say so is killed, and that is raised."""
        self._overdue[number] = elapsed_s
        sending = asyncio.ensure_future(self._send({"cancel": number}))
        done, _ = await asyncio.wait({told}, timeout=_GRACE_S)
        sending.cancel()
        if not done:
            self._process.kill()
            await asyncio.wait({told})
        told.result()  # raises where the process has ended

    def kill(self) -> None:
        """End the process."""
        self.ended = True
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    async def _send(self, message: Message) -> None:
        content = json.dumps(message, default=str).encode()

        def write() -> None:
            pipe = self._process.stdin
            with self._writing, contextlib.suppress(OSError, ValueError):  # a process that ended is told by its reader
                assert pipe is not None  # noqa: S101 - it was asked for
                pipe.write(len(content).to_bytes(_LENGTH, "big") + content)
                pipe.flush()

        await in_thread(write, name="plumbrule-candidate-write")

    def _read_all(self) -> None:
        """Hand over what comes; at its end tell all that are under way."""
        assert self._loop is not None  # noqa: S101 - set before this thread begins
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            try:
                while (message := _read(self._stdout)) is not None:
                    self._loop.call_soon_threadsafe(self._arrived, message)
            except (OSError, ValueError):
                pass  # the pipe was closed, or something else than a message came: as good as an end
            self._process.kill()
            self._process.wait()
            self._loop.call_soon_threadsafe(self._end)

    def _arrived(self, message: Message) -> None:
        told = self._under_way.get(message.pop("of"))
        if told is not None and not told.done():
            told.set_result(message)

    def _end(self) -> None:
        frozen = bool(self._overdue)
        self.kill()  # it has ended; this closes its pipes
        for number, told in self._under_way.items():
            if told.done():
                continue
            overdue_s = self._overdue.get(number)
            # of a process that hung only those are suspects whose time was over; of one that ended by itself, all
            suspect = overdue_s is not None or not frozen
            told.set_exception(_InterruptedCallError(self._how_it_ended(), suspect=suspect, overdue_s=overdue_s))

    def _how_it_ended(self) -> str:
        code = self._process.poll()
        return f" (exit code {code})" if code is not None and code >= 0 else f" (signal {-(code or 0)})"


def _read(pipe: IO[bytes]) -> Message | None:
    """Return the next message, None at the end."""
    length = pipe.read(_LENGTH)
    if len(length) < _LENGTH:
        return None
    size = int.from_bytes(length, "big")
    if size > _MOST_MESSAGE:
        raise ValueError("a message that is too long")
    content = pipe.read(size)
    return None if len(content) < size else json.loads(content)


def serve(target: str, folder: Path) -> None:
    """Call the function as often as it is asked for, until the other side is gone."""
    writing, reading = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)  # what the function prints is no message
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - of the system
        os.dup2(nothing.fileno(), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the other side's to handle
    lock = threading.Lock()

    def tell(message: Message) -> None:
        content = json.dumps(message).encode()
        with lock:
            writing.write(len(content).to_bytes(_LENGTH, "big") + content)
            writing.flush()

    try:
        calls = FunctionCalls(load_target(target, folder), target=target)
    except UsageError as error:
        tell({"problem": str(error)})
        return
    tell({"is_async": calls.is_async, "inputs": calls.inputs.inputs})
    asyncio.run(_serve(calls, reading, tell))


async def _serve(calls: FunctionCalls, reading: IO[bytes], tell: Any) -> None:  # noqa: ANN401 - a function of a message
    loop, tasks, gone = asyncio.get_running_loop(), dict[int, asyncio.Task[None]](), asyncio.Event()

    async def call(number: int, arguments: Arguments) -> None:
        outcome = await calls.run(arguments)
        await in_thread(lambda: tell({"of": number, **_sendable(outcome)}), name="plumbrule-candidate-tell")
        tasks.pop(number, None)

    def hear(message: Message) -> None:
        if "cancel" in message:
            task = tasks.pop(message["cancel"], None)
            if task is not None:
                task.cancel()
                tell({"of": message["cancel"], "timed_out": True})
            return
        number = message["call"]
        arguments = Arguments(positional=message["positional"], named=message["named"])
        tasks[number] = loop.create_task(call(number, arguments))

    def listen() -> None:
        while (message := _read(reading)) is not None:
            loop.call_soon_threadsafe(hear, message)
        os._exit(0)  # nobody is there any more, and threads of the function must not hold up the end

    threading.Thread(target=listen, daemon=True).start()
    await gone.wait()


def _sendable(outcome: Outcome) -> Message:
    """Return an outcome as JSON; an answer that is none, or too large a one, is an error."""
    content = asdict(replace(outcome, answer=None))
    try:
        answer = json.dumps(outcome.answer, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return {**content, "error": f"an answer that is not JSON: {str(error)[:200]}", "malformed": True}
    if len(answer) > MOST_BYTES:
        return {**content, "error": f"an answer of more than {MOST_BYTES:,} bytes", "malformed": True}
    return {**content, "answer": json.loads(answer)}


def _plain(value: object) -> object:
    """Return a value that JSON does not know as one that it does."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    item = getattr(value, "item", None)  # a number of numpy
    if callable(item):
        return item()
    raise TypeError(f"{type(value).__name__} is not JSON")


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
