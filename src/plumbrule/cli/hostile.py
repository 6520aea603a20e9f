"""Text of unknown origin, made safe to print on a terminal."""

import re

# Everything that could move the cursor, change the colours or turn the text round; tabs and line ends may stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def safe(text: str) -> str:
    """Return hostile text as text: control characters are shown, not obeyed."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
