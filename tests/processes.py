"""Commands in processes of their own that a test can interrupt."""

import subprocess
import sys
from pathlib import Path
from typing import Any

# A process that was started with SIGINT or SIGHUP ignored, as ``nohup make test &`` and some CI systems do, passes that
# on, and Python then leaves it ignored. A ``preexec_fn`` is not safe beside the threads of a test.
_INTERRUPTIBLE = """
import os, signal, sys
for name in ("SIGINT", "SIGHUP", "SIGTERM"):
    if hasattr(signal, name):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


def start_interruptible(command: list[str | Path], **options: Any) -> "subprocess.Popen[Any]":
    """Start a command that hears the signals that end it, whatever this process was started with."""
    return subprocess.Popen([sys.executable, "-c", _INTERRUPTIBLE, *command], **options)
