"""What a running process has taken is read from Linux."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.processes import children, cpu_s, is_worker, peak_mb

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


def test_a_process_is_found_with_what_it_took() -> None:
    """A child is listed while it runs; its peak is what it held at most, and no worker is what is none."""
    code = "held = bytearray(50_000_000); del held; print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert process.pid in children(os.getpid())
        assert peak_mb(process.pid) > 50
        assert not is_worker(process.pid)
        assert cpu_s(process.pid) >= 0
        process.communicate(b"\n")
    assert process.pid not in children(os.getpid())
