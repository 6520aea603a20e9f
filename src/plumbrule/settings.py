"""The environment and the user's settings file, read in one place.

The settings file is ``settings.toml`` in the user's configuration directory, or the file that ``PLUMBRULE_SETTINGS``
names::

    [user]
    name = "Ada Lovelace"  # who you are, where a command needs --as

    [ledger]
    key = "/secure/plumbrule.key"  # the key that signs checkpoints, in place of the one made at first use

``PLUMBRULE_LEDGER_KEY`` names the key as well, and goes before the file.
"""

import os
import tomllib
from pathlib import Path

from plumbrule.errors import UsageError

_OWN_LEDGER = ".plumbrule/ledger.db"
_LARGEST = 1 << 20
_KNOWN = {"user": {"name"}, "ledger": {"key"}}


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


def settings_file() -> Path:
    """Return where the user's settings are, whether the file is there or not."""
    named = os.environ.get("PLUMBRULE_SETTINGS")
    return Path(named) if named else settings_directory() / "settings.toml"


def settings_directory() -> Path:
    """Return the directory of the user's settings and keys."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "plumbrule"


def user_name() -> str | None:
    """Return who the user is, by their settings; None where they do not say."""
    return _setting("user", "name")


def signing_key_file() -> Path | None:
    """Return the key that the user named for signing checkpoints; None where they named none."""
    named = os.environ.get("PLUMBRULE_LEDGER_KEY") or _setting("ledger", "key")
    return None if named is None else Path(named).expanduser()


def _setting(table: str, key: str) -> str | None:
    value = _settings().get(table, {}).get(key)
    return value or None


def _settings() -> dict[str, dict[str, str]]:
    """Return the settings, read each time: the file is small, and a long process sees a change of it."""
    file = settings_file()
    try:
        with file.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    if len(raw) > _LARGEST:
        raise UsageError(f"{file}: is larger than {_LARGEST} bytes: it is no settings file")
    try:
        tables = tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: is not TOML: {error}") from None
    for table, keys in tables.items():
        if table not in _KNOWN or not isinstance(keys, dict):
            raise UsageError(f"{file}: there is no table '{table}'; there are: {', '.join(_KNOWN)}")
        for key, value in keys.items():
            if key not in _KNOWN[table]:
                raise UsageError(f"{file}: {table}: there is no '{key}'; there are: {', '.join(_KNOWN[table])}")
            if not isinstance(value, str):
                raise UsageError(f"{file}: {table}.{key} must be a text in quotes")
    return tables
