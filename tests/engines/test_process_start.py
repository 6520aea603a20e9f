"""A process that has just been started is not ended by Ctrl+C before it can answer it."""

import os
import signal
import sys
import time
from multiprocessing import get_context

import pytest
from tests.clock import LONG_S

from plumbrule.engines.process_start import hear_interrupts, start_undisturbed


def answer() -> None:
    """End with a code of its own when an interrupt comes through."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests were started with
    try:
        hear_interrupts()
        time.sleep(LONG_S)
    except KeyboardInterrupt:
        sys.exit(130)


def test_an_interrupt_waits_until_it_is_heard(capfd: pytest.CaptureFixture[str]) -> None:
    """It comes before the process has begun: nothing is printed, and it is not lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    process = get_context("spawn").Process(target=answer)
    start_undisturbed(process)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGINT)
    process.join(LONG_S)
    assert process.exitcode == 130
    assert capfd.readouterr() == ("", "")
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before
