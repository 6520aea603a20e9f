"""The two consoles, text that they print as it is, and JSON for machines."""

import sys

from rich.console import Console
from rich.text import Text

from plumbrule.codec import json_line
from plumbrule.terminal import safe


def stdout() -> Console:
    """Return the console for results."""
    return Console(highlight=False, soft_wrap=False)


def stderr() -> Console:
    """Return the console for progress and remarks."""
    return Console(stderr=True, highlight=False)


def plain(text: str, style: str = "") -> Text:
    """Return text that is printed as it is, never read as markup."""
    return Text(safe(text), style=style)


def print_json(value: object) -> None:
    """Print a value for machines, on one line."""
    sys.stdout.buffer.write(json_line(value))
