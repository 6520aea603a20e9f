"""What is installed here, what is missing, and whether the ledger is sound; nothing is written, nothing is sent."""

import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from plumbrule._version import __version__
from plumbrule.api.ledger import verify_ledger
from plumbrule.api.ledger_access import open_here
from plumbrule.errors import PlumbruleError
from plumbrule.settings import ledger_is_named, settings_file, usable_cores, user_name
from plumbrule.support.verifier import verifier_folder

PartState = Literal["installed", "incomplete", "missing"]
LedgerState = Literal["sound", "not sound", "cannot be read", "none"]

# What each extra is for; the packages of each stand in the package's own metadata.
_PURPOSES: Mapping[str, str] = {
    "": "verdicts, support, recorded runs, scorecards",
    "judge": "models and HTTP endpoints as candidates and judges",
    "notebook": "charts and tables in a notebook",
    "parquet": "Parquet and Arrow files",
    "postgres": "a ledger on PostgreSQL",
    "ray": "scoring on a Ray cluster",
    "s3": "datasets and verdicts in an object store",
    "verifier": "a verifier beside the support score",
    "xlsx": "spreadsheets",
    "web": "the pages and the JSON API (plumbrule serve)",
    "zstd": "files packed with zstd (.zst)",
}
_DISTRIBUTION = "plumbrule"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""\bextra\s*==\s*['"]([^'"]+)['"]""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package that a part needs, and its version; None where it is not installed."""

    name: str
    version: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of Plumbrule that is installed by itself: the default one, or an extra."""

    extra: str | None
    purpose: str
    state: PartState
    packages: tuple[Package, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the packages that are not here."""
        return tuple(package.name for package in self.packages if package.version is None)

    @property
    def remedy(self) -> str | None:
        """Return the command that installs what is missing; None where nothing is."""
        if not self.missing:
            return None
        return f"pip install '{_DISTRIBUTION}[{self.extra}]'" if self.extra else f"pip install {_DISTRIBUTION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerHealth:
    """Whether the ledger that the commands would use is sound, and what to know or do about it."""

    state: LedgerState
    name: str | None
    entries: int | None
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What the commands have to work with here."""

    version: str
    python: str
    system: str
    cores: int
    output_encoding: str
    settings: str
    user: str | None
    verifier: str | None  # the folder of the one that is asked where a rubric names none
    parts: tuple[Part, ...]
    ledger: LedgerHealth

    @property
    def healthy(self) -> bool:
        """Tell whether what is needed is here and the ledger, if there is one, is sound; extras may be missing."""
        return all(part.state == "installed" for part in self.parts if part.extra is None) and (
            self.ledger.state in {"sound", "none"}
        )


def examine_installation(ledger_url: str | None = None) -> Installation:
    """Look at the packages, the settings and the ledger, and say what was found."""
    try:
        settings, user = str(settings_file()), user_name()
    except (PlumbruleError, RuntimeError) as error:  # there may not even be a home
        settings, user = str(error), None
    return Installation(
        version=__version__,
        python=platform.python_version(),
        system=f"{platform.system()} {platform.machine()}",
        cores=usable_cores(),
        output_encoding=sys.stdout.encoding or "none",
        settings=settings,
        user=user,
        verifier=str(folder) if (folder := verifier_folder(None)) is not None else None,
        parts=_parts(),
        ledger=_ledger_health(ledger_url),
    )


def _parts() -> tuple[Part, ...]:
    """Return the default part and the extras that are for users, in the order of their purposes."""
    named: dict[str, list[str]] = {extra: [] for extra in _PURPOSES}
    for requirement in metadata.requires(_DISTRIBUTION) or ():
        needed, _, condition = requirement.partition(";")
        name, extra = _NAME.match(needed), _EXTRA.search(condition)
        key = extra[1] if extra else ""
        if name is not None and key in named:
            named[key].append(name[0])
    return tuple(_part(extra, names) for extra, names in named.items())


def _part(extra: str, names: list[str]) -> Part:
    packages = tuple(Package(name=name, version=_version(name)) for name in names)
    here = sum(package.version is not None for package in packages)
    state: PartState = "installed" if here == len(packages) else "incomplete" if here else "missing"
    return Part(extra=extra or None, purpose=_PURPOSES[extra], state=state, packages=packages)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _ledger_health(ledger_url: str | None) -> LedgerHealth:
    if not ledger_is_named(ledger_url):
        return LedgerHealth(state="none", name=None, entries=None, remarks=("the first run or import makes one",))
    try:
        with open_here(ledger_url, checked=False) as ledger:
            found = verify_ledger(ledger)
    except PlumbruleError as error:
        return LedgerHealth(state="cannot be read", name=None, entries=None, remarks=(str(error),))
    remarks = [found.broken.message] if found.broken is not None else []
    remarks += [f"missing or changed guard: {guard}" for guard in found.missing_guards]
    remarks += [back.message for back in found.times_back or ()]
    sound = found.whole and not found.missing_guards
    return LedgerHealth(
        state="sound" if sound else "not sound", name=ledger.name, entries=found.entries, remarks=tuple(remarks)
    )
