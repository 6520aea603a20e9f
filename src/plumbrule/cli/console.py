"""The two consoles, and text made safe for a terminal."""

import re

from rich.console import Console
from rich.text import Text

# Everything that could move the cursor, change the colours or turn the text round; tabs and line ends may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def stdout() -> Console:
    """Return the console for results."""
    return Console(highlight=False, soft_wrap=False)


def stderr() -> Console:
    """Return the console for progress and remarks."""
    return Console(stderr=True, highlight=False)


def safe(text: str) -> str:
    """Return hostile text as text: control characters are shown, not obeyed."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def plain(text: str, style: str = "") -> Text:
    """Return text that is printed as it is, never read as markup."""
    return Text(safe(text), style=style)
