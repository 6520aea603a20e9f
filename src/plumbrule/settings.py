"""The environment, read in one place."""

import os
from pathlib import Path

_OWN_LEDGER = ".plumbrule/ledger.db"


def debugging() -> bool:
    """Tell whether the user asked for tracebacks, with ``PLUMBRULE_DEBUG=1``."""
    return os.environ.get("PLUMBRULE_DEBUG", "") not in {"", "0"}


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def ledger_is_named(given: str | None = None) -> bool:
    """Tell whether somebody said which ledger is meant, or the working directory has its own."""
    return bool(given or os.environ.get("PLUMBRULE_LEDGER")) or Path(_OWN_LEDGER).exists()


def ledger_address(given: str | None = None) -> str:
    """Return which ledger is meant: the one given, else ``PLUMBRULE_LEDGER``, else the working directory's own."""
    return given or os.environ.get("PLUMBRULE_LEDGER") or f"sqlite:///{_OWN_LEDGER}"
