"""Text of unknown origin, made safe and short enough to show on a terminal or in a page."""

import re

# Everything that could move the cursor, change the colours, turn the text round, break a line unseen or spoil an XML
# file; tabs and line ends may stay.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def safe(text: str) -> str:
    """Return untrusted text as text: control characters are shown, not obeyed."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def shortened(text: str, most: int) -> str:
    """Return the text, cut to ``most`` characters with an ellipsis at its end where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
