"""What the name of a model tells: whether it may mean another model tomorrow, and which release it is."""

import re

_LATEST = re.compile(r"(?:^|[^a-z0-9])latest(?:$|[^a-z0-9])", re.IGNORECASE)
# Families whose provider dates each release, wherever they are served from; 'gpt-oss' is weights, not a service.
_DATED_FAMILIES = re.compile(r"chatgpt-|gpt-\d|o\d(?:-|$)|claude-(?:\d|instant|opus|sonnet|haiku)", re.IGNORECASE)
# 2025-04-14, 20250514, and the month and day alone of the older names, such as gpt-4-0613
_DATE = re.compile(
    r"(?<!\d)20\d\d(-?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?!\d)|-(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
)


def is_floating(model: str, *, own_address: bool) -> bool:
    """Tell whether a model's name may mean another model tomorrow.

    ``own_address``: it is served by its provider, so that every undated name of a provider who dates them floats;
    elsewhere only the names of those families do, since a local server calls its models as it likes.
    """
    name = model.partition(":")[2]
    if says_latest(name):
        return True
    dated_family = own_address or _DATED_FAMILIES.match(name.rpartition("/")[2]) is not None
    return dated_family and _DATE.search(name) is None


def says_latest(name: str) -> bool:
    """Tell whether ``name`` says 'latest' as a word of its own."""
    return _LATEST.search(name) is not None


def version_in(name: str) -> str | None:
    """Return the release that a model's name states: its date, or what follows an ``@``."""
    _, at, stated = name.rpartition("@")
    if at and stated:
        return stated
    dated = _DATE.search(name)
    return dated[0].removeprefix("-") if dated is not None else None
