"""What running processes have taken so far, as Linux tells it."""

import os
from contextlib import suppress
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if int(_fields(int(path.name))[1]) == pid:
                found.append(int(path.name))
    return sorted(found)


def cpu_s(pid: int) -> float:
    """Return the processor time of a process, without that of its children."""
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / _TICKS


def peak_mb(pid: int) -> float:
    """Return the most memory that a process has held at a time."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def is_worker(pid: int) -> bool:
    """Tell whether a process is one that multiprocessing has started to work, not to look after the others."""
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _fields(pid: int) -> list[str]:
    """Return what ``/proc/PID/stat`` has after the name, which may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
