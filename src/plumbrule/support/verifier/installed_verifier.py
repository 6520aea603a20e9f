"""Which verifier is asked: the one that a rubric names or, without a name, the one that is installed."""

import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from plumbrule.support.verifier.verification import Verifier, open_verifier
from plumbrule.support.verifier.verifier_config import CONFIG_NAME

NO_VERIFIER = "none"
_PACKAGE = "plumbrule_verifier"
_VARIABLE = "PLUMBRULE_VERIFIER"


def verifier_folder(named: str | None) -> Path | None:
    """Return the folder of the verifier to ask; None where none is asked.

    Without a name the variable PLUMBRULE_VERIFIER names it, and without that it is the one of the package
    plumbrule-verifier, where that is installed. The name "none" is that of none.
    """
    chosen = named if named is not None else os.environ.get(_VARIABLE) or None
    if chosen is not None:
        return None if chosen == NO_VERIFIER else Path(chosen)
    return installed_folder()


def installed_folder() -> Path | None:
    """Return the folder of the package plumbrule-verifier; None where it is not installed."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    return folder if (folder / CONFIG_NAME).exists() else None


def verifier_at(folder: Path) -> Verifier:
    """Open the verifier in a folder; the installed one is kept, since its files do not change."""
    return _installed(folder) if folder == installed_folder() else open_verifier(folder)


@lru_cache(maxsize=1)
def _installed(folder: Path) -> Verifier:
    return open_verifier(folder)
