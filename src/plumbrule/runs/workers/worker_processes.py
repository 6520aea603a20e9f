"""Other processes of this machine that work on the same run as this one."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from multiprocessing import get_context

from plumbrule.engines.process_start import hear_interrupts, start_undisturbed
from plumbrule.errors import PlumbruleError
from plumbrule.terminal import safe

_INTERRUPTED = 130


@contextmanager
def worker_processes(count: int, work: Callable[..., None], *arguments: object) -> Iterator[None]:
    """Let so many processes do ``work`` beside the block; whatever ends the block early ends them, as Ctrl+C does.

    They end by themselves when the run does, and are waited for. One that fails says so, and the others go on.
    """
    context = get_context("spawn")
    # no daemons: a candidate may be a process of a worker's own
    crew = [context.Process(target=_work, args=(work, *arguments), daemon=False) for _ in range(count)]
    try:
        for worker in crew:
            start_undisturbed(worker)
        yield
    except BaseException:
        for worker in crew:
            if worker.is_alive():
                worker.terminate()
        raise
    finally:
        for worker in crew:
            if worker.pid is not None:
                worker.join()


def _work(work: Callable[..., None], *arguments: object) -> None:
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # not every system has both
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        hear_interrupts()
        with redirect_stdout(sys.stderr):  # which is for the result alone
            work(*arguments)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except PlumbruleError as error:
        sys.stderr.write(f"plumbrule: a worker ended: {safe(' '.join(str(error).split()))}\n")
        sys.exit(error.exit_code)
