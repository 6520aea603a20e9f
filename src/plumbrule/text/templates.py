"""Templates filled in one pass, so that nothing filled in is ever read as template."""

import re
from collections.abc import Mapping

_NONE = "(none)"

_SURROGATE = re.compile("[\ud800-\udfff]")


def cut(template: str, placeholder: re.Pattern[str]) -> tuple[str, ...]:
    """Return the template cut at its placeholders: text at even places, names at odd ones.

    ``placeholder`` has one group, the name.
    """
    return tuple(placeholder.split(template))


def fill(pieces: tuple[str, ...], inputs: Mapping[str, str]) -> str:
    """Return the pieces joined with the inputs in place of their names; no input is looked at again."""
    return "".join(sendable(inputs[piece]) if index % 2 else piece for index, piece in enumerate(pieces))


def or_none(text: str) -> str:
    """Return the text, or a word for its absence: a blank could be read as the next line's."""
    return text if text.strip() else _NONE


def sendable(text: str) -> str:
    """Return the text with lone surrogates, which no wire can carry, as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
