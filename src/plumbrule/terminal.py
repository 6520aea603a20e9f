"""Text of unknown origin, made safe and short enough to show on a terminal or in a page."""

import re
from collections.abc import Sequence
from urllib.parse import unquote_plus

# Everything that could move the cursor, change the colours, turn the text round, break a line unseen or spoil an XML
# file; tabs and line ends may stay.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)

_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")  # bytes that are no UTF-8 arrive as halves of characters
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would work out a cell that begins with one of these
_MASK = "***"
_PASSWORD = re.compile(r"(://[^/?#@]*?):[^/?#]*@")
_PARAMETER = re.compile(r"([?&;])([^=&;#]*)=[^&;#]*")
_SECRET_NAME = re.compile(r"pass|pwd|secret|token|key|cred|auth|signature|(?:^|[^a-z])(?:sig|code)", re.IGNORECASE)


def is_text(given: str) -> bool:
    """Tell whether what the system gave as text is text, that can be looked up, kept and printed."""
    return _NO_TEXT.search(given) is None


def safe(text: str) -> str:
    """Return untrusted text as text: control characters are shown, not obeyed."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def cell_text(text: str) -> str:
    """Return untrusted text as a cell of a spreadsheet: what would be a formula begins with an apostrophe."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def text_of_cell(cell: str) -> str:
    """Return the text that ``cell_text`` made a cell of."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def shortened(text: str, most: int) -> str:
    """Return the text, cut to ``most`` characters with an ellipsis at its end where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(texts: Sequence[str], most: int, *, between: str = ", ") -> str:
    """Return the first texts as one, and behind them how many more there are."""
    more = len(texts) - most
    return between.join(texts if more <= 0 else (*texts[:most], f"and {more} more"))


def masked_address(address: str) -> str:
    """Return an address as it may be shown and kept: without its password, and without the secrets of its query."""
    return _PARAMETER.sub(_masked, _PASSWORD.sub(rf"\1:{_MASK}@", address))


def is_secret_name(name: str) -> bool:
    """Tell whether a parameter of an address is a secret, by the words in its name."""
    return _SECRET_NAME.search(name) is not None


def _masked(parameter: re.Match[str]) -> str:
    secret = is_secret_name(unquote_plus(parameter[2]))
    return f"{parameter[1]}{parameter[2]}={_MASK}" if secret else parameter[0]
