"""Writes licences.md: the licence of every package that an installation brings, as the package itself states it.

Run in the environment of the tests: ``.venv/bin/python docs/make_licences.py``.
"""  # noqa: INP001 - a script

import re
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LOCK = HERE.parent / "requirements.lock"
DEPLOY_LOCK = HERE.parent / "deploy" / "requirements-deploy.lock"
PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
HEAD = """\
# Licences

The packages that an installation with the extras `judge`, `parquet`, `postgres`, `verifier` and `web` brings, their
versions in the lock files, and the licence that each states in its own metadata. Plumbrule itself is Apache-2.0. Made
by `docs/make_licences.py`.

| package | version | licence |
|---|---|---|
"""

# Packages that no installation on this kind of system has.
OTHER_SYSTEMS = {"colorama": "BSD License", "httpx2-jsfetch": "BSD-3-Clause", "tzdata": "Apache-2.0"}


def pinned(*locks: Path) -> dict[str, str]:
    """Return the packages of lock files with their versions."""
    found = {name: version for lock in locks for name, version in PINNED.findall(lock.read_text(encoding="utf-8"))}
    return dict(sorted(found.items()))


def licence(name: str) -> str | None:
    """Return the licence that an installed package states, in one line; None where it is not installed here."""
    try:
        stated: Any = metadata.metadata(name)  # a message, whose type does not say so
    except metadata.PackageNotFoundError:
        return None
    classified = [each.rpartition(" :: ")[2] for each in stated.get_all("Classifier") or () if "License ::" in each]
    text = stated.get("License-Expression") or " / ".join(classified) or stated.get("License") or ""
    return text.splitlines()[0].strip().replace("|", "/") if text.strip() else "not stated"


def page() -> str:
    """Return the page; a package for another system than this one has its licence looked up by hand."""
    rows = []
    for name, version in pinned(LOCK, DEPLOY_LOCK).items():
        rows.append(f"| {name} | {version} | {licence(name) or OTHER_SYSTEMS[name]} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    (HERE / "licences.md").write_text(page(), encoding="utf-8")
