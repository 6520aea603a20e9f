"""The environment is read in one place."""

import os

import pytest

from plumbrule.settings import debugging, usable_cores


@pytest.mark.parametrize(("value", "expected"), [(None, False), ("", False), ("0", False), ("1", True), ("yes", True)])
def test_debugging_is_asked_for(monkeypatch: pytest.MonkeyPatch, value: str | None, *, expected: bool) -> None:
    """PLUMBRULE_DEBUG set to anything but 0 shows tracebacks."""
    monkeypatch.delenv("PLUMBRULE_DEBUG", raising=False)
    if value is not None:
        monkeypatch.setenv("PLUMBRULE_DEBUG", value)
    assert debugging() is expected


def test_cores_are_those_this_process_may_use() -> None:
    """A container's limit counts, not the machine."""
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)
