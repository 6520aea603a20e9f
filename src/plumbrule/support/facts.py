"""Read a context that is data, JSON or a table, as lines of facts: a key in words and its value."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import zip_longest
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from plumbrule.support.word_lists import SupportWords, Truth
from plumbrule.text.sentences import sentences

_SPACE = re.compile(r"[ \t\r\n]*")
_BARE = re.compile(r"true|false|null|True|False|None|NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# two escapes of one sign, one escape, or a plain one
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)", re.DOTALL)
_HALF_SIGN = re.compile(r"[\ud800-\udfff]")  # which no JSON can hold
_ROW = re.compile(r"[ \t]*\|(.+)\|[ \t]*")
_RULE = re.compile(r"[\s|:+-]+")


class Line(NamedTuple):
    """One fact: its key in words, what its value says, and where it stands in the context."""

    key: str  # the last name of the path; empty for a sentence of a text
    path: str  # all names of the path, in words
    value: str
    start: int
    end: int
    truth: Truth | None = None  # none for any value that is not a yes, a no or unknown

    @property
    def text(self) -> str:
        """The fact in words."""
        return f"{self.path}: {self.value}" if self.path else self.value


def read_facts(text: str, known: SupportWords) -> list[Line] | None:
    """Return the facts of a context that is JSON or a table; None for plain text."""
    opening = text[_SPACE.match(text).end() :][:1]  # type: ignore[union-attr]
    if opening in ("{", "["):
        try:
            lines = list(_JsonReader(text, known).lines())
        except (JSONDecodeError, ValueError, IndexError):
            return None
        return lines or None
    if text.count("|") >= known.constants.facts.least_bars:
        return _table(text)
    return None


class _JsonReader:
    """Walks JSON with the place of every value."""

    def __init__(self, text: str, known: SupportWords) -> None:
        self._text = text
        self._known = known
        self._deepest = known.constants.facts.deepest
        self._at = 0

    def lines(self) -> Iterator[Line]:
        yield from self._value((), 0, 0)
        self._skip()
        if self._at != len(self._text):
            raise ValueError("more after the value")

    def _skip(self) -> None:
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]

    def _string(self) -> tuple[str, int, int]:
        start = self._at + 1
        if self._text[self._at] != '"':
            raise ValueError("no string")
        value, self._at = scanstring(self._text, start, False)  # noqa: FBT003 - its own signature
        return _HALF_SIGN.sub("\ufffd", value), start, self._at - 1

    def _value(self, path: tuple[str, ...], start: int, depth: int) -> Iterator[Line]:
        self._skip()
        if depth > self._deepest:
            raise ValueError("too deep")
        sign = self._text[self._at]
        if sign == "{":
            yield from self._object(path, depth + 1)
        elif sign == "[":
            yield from self._array(path, depth + 1)
        elif sign == '"':
            start = start or self._at
            value, first, last = self._string()
            yield from self._string_lines(value, path, start, first, last)
        else:
            found = _BARE.match(self._text, self._at)
            if found is None:
                raise ValueError("no value")
            start = start or found.start()
            self._at = found.end()
            yield self._line(path, self._known.literal_truths.get(found[0], found[0]), start, self._at)

    def _object(self, path: tuple[str, ...], depth: int) -> Iterator[Line]:
        self._at += 1
        self._skip()
        while self._text[self._at] != "}":
            start = self._at
            key, _, _ = self._string()
            self._skip()
            if self._text[self._at] != ":":
                raise ValueError("no colon")
            self._at += 1
            yield from self._value((*path, in_words(key)), start, depth)
            self._next("}")
        self._at += 1

    def _array(self, path: tuple[str, ...], depth: int) -> Iterator[Line]:
        self._at += 1
        self._skip()
        while self._text[self._at] != "]":
            yield from self._value(path, 0, depth)
            self._next("]")
        self._at += 1

    def _next(self, closing: str) -> None:
        """Go on to the next member, or to the sign that closes."""
        self._skip()
        if self._text[self._at] == ",":
            self._at += 1
            self._skip()
        elif self._text[self._at] != closing:
            raise ValueError("no comma")

    def _line(self, path: tuple[str, ...], value: str, start: int, end: int) -> Line:
        key = path[-1] if path else ""
        truth = self._known.truths.get(value.casefold()) if key else None
        return Line(key, " ".join(path), value, start, end, truth)

    def _string_lines(self, value: str, path: tuple[str, ...], start: int, first: int, last: int) -> Iterator[Line]:
        """Yield a short value as one fact, a long text by its sentences, each with its place in the raw context."""
        if len(value) < self._known.constants.facts.long_text and "\n" not in value:
            yield self._line(path, value, start, last + 1)
            return
        place = _Places(self._text, first, last)
        for sentence in sentences(value):
            yield Line("", "", value[sentence.start : sentence.end], place(sentence.start), place(sentence.end))


def in_words(name: str) -> str:
    """Return a key in words: ``OutdoorSeating`` and ``outdoor_seating`` are "Outdoor Seating"."""
    return " ".join(_WORDS.findall(name))


class _Places:
    """Where each character of a decoded string stands in the raw one."""

    def __init__(self, raw: str, first: int, last: int) -> None:
        self._decoded, self._raw = [0], [first]
        decoded = 0
        before = first
        for escape in _ESCAPE.finditer(raw, first, last):
            decoded += escape.start() - before + 1
            before = escape.end()
            self._decoded.append(decoded)
            self._raw.append(before)

    def __call__(self, offset: int) -> int:
        index = bisect_right(self._decoded, offset) - 1
        return self._raw[index] + offset - self._decoded[index]


def _table(text: str) -> list[Line] | None:
    """Return the rows of a table with bars, each cell under the name of its column, among the text around it."""
    lines: list[Line] = []
    header: list[str] | None = None
    rows = 0
    offset = 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n")
        found = _ROW.fullmatch(line)
        if found is None:
            header = None
            lines += [Line("", "", line[s.start : s.end], offset + s.start, offset + s.end) for s in sentences(line)]
        elif not _RULE.fullmatch(line):
            cells = [cell.strip() for cell in found[1].split("|")]
            if header is None:
                header = cells
            else:
                rows += 1
                named = zip_longest(header, cells, fillvalue="")
                said = [f"{name}: {cell}" if name else cell for name, cell in named if cell]
                lines.append(Line("", "", "; ".join(said), offset, offset + len(line)))
        offset += len(raw)
    return lines if rows else None
