"""Start a process that Ctrl+C does not end before it can answer it: until then Python would print a traceback."""

import signal
from multiprocessing.process import BaseProcess

_CAN_WAIT = hasattr(signal, "pthread_sigmask")  # not every system lets a signal wait


def start_undisturbed(process: BaseProcess) -> None:
    """Start a process in which an interrupt waits until it calls ``hear_interrupts``, or ignores it."""
    if not _CAN_WAIT:
        process.start()
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415 - not every system has it

    resource_tracker.ensure_running()  # which would let them through when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hear_interrupts() -> None:
    """Let an interrupt through, also one that came before."""
    if _CAN_WAIT:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
