"""Folds a text once, so that the places where a value may stand are found by plain byte search.

Searching a page with a large alternation costs more than reading every number on it. The fold is one byte
per character, so an index into it is an offset into the text: letters in lower case, every digit ``0``, all
else a space, one space of padding at either end.
"""

import unicodedata
from typing import NamedTuple

FRACTIONS = "½¼¾⅓⅔⅛⅜⅝⅞⅕⅖⅗⅘⅙⅚"

# The first bytes, in UTF-8, of every character outside ASCII that is a decimal digit.
_DIGIT_LEADS = frozenset(b"\xd9\xdb\xdf\xe0\xe1\xea\xef\xf0")
_LEADS = bytes(1 if byte in _DIGIT_LEADS else 0 for byte in range(256))


def _fold_byte(byte: int) -> int:
    character = chr(byte)
    if byte > 127:
        return ord(" ")
    if character.isdigit():
        return ord("0")
    if character == "_":  # joins identifiers as a letter does
        return ord("x")
    return ord(character.lower()) if character.isalpha() else ord(" ")


_FOLD = bytes(_fold_byte(byte) for byte in range(256))


class _AsciiDigits(dict[int, int]):
    """Maps a digit of any script to its ASCII digit, and every other character to itself."""

    def __missing__(self, code: int) -> int:
        digit = unicodedata.decimal(chr(code), None)
        self[code] = code if digit is None else ord("0") + digit
        return self[code]


_ASCII_DIGITS = _AsciiDigits()


class Folded(NamedTuple):
    """A text with its digits in ASCII, and its fold; both keep the offsets of the original."""

    text: str
    fold: bytes

    def places(self, word: bytes) -> list[int]:
        """Return every offset at which this lower-case word, or phrase of words, stands."""
        offsets = []
        needle = b" %b " % word
        step = len(needle) - 1
        at = self.fold.find(needle)
        while at >= 0:
            offsets.append(at)
            at = self.fold.find(needle, at + step)
        return offsets

    def digit_from(self, offset: int) -> int:
        """Return the offset of the first digit at or after this one, or -1."""
        at = self.fold.find(b"0", offset + 1)
        return at - 1 if at >= 0 else -1


def fold(text: str) -> Folded:
    """Fold a text."""
    marks = text
    if not text.isascii():
        if b"\x01" in text.encode("utf-8", "replace").translate(_LEADS):
            text = marks = text.translate(_ASCII_DIGITS)
        for fraction in FRACTIONS:
            if fraction in marks:
                marks = marks.replace(fraction, "0")
    return Folded(text, b" %b " % marks.encode("ascii", "replace").translate(_FOLD))
