"""Commands in processes of their own that a test can interrupt."""

import subprocess
import sys
from pathlib import Path
from typing import Any

# A process that was started with SIGINT ignored, as ``nohup make test &`` and some CI systems do, passes that on, and
# Python then leaves it ignored. A ``preexec_fn`` is not safe beside the threads of a test.
_INTERRUPTIBLE = (
    "import os, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\nos.execv(sys.argv[1], sys.argv[1:])\n"
)


def start_interruptible(command: list[str | Path], **options: Any) -> "subprocess.Popen[Any]":
    """Start a command that hears SIGINT, whatever this process was started with."""
    return subprocess.Popen([sys.executable, "-c", _INTERRUPTIBLE, *command], **options)
