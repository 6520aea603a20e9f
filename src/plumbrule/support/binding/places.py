"""Cut a context into places: the sentences of its prose, and the cells of its tables with what heads them."""

import re
from collections.abc import Iterator, Sequence
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from plumbrule.support.binding.binding_words import BindingConstants
from plumbrule.support.facts import in_words
from plumbrule.text.sentences import Sentence, sentences
from plumbrule.text.work_limits import LONGEST_SENTENCE

_TAG = re.compile(r"<[^<>]{0,300}>")
_TABLE = (re.compile(r"<table\b", re.IGNORECASE), re.compile(r"</table>", re.IGNORECASE))
_ROW = (re.compile(r"<tr\b", re.IGNORECASE), re.compile(r"</tr>", re.IGNORECASE))
_CELL = (re.compile(r"<t[hd]\b[^<>]*>", re.IGNORECASE), re.compile(r"</t[hd]>", re.IGNORECASE))
_RULE = re.compile(r"[\s|:+-]+")
_DECODER = JSONDecoder()
_SEPARATORS = ("|", "\t", ";", ",")
_TRUTHS = {True: "yes", False: "no", None: "unknown"}
_LABEL_LENGTH = 60


class _Element(NamedTuple):
    """An element of HTML: where it stands, and where its content does."""

    start: int
    first: int
    last: int
    end: int


class _Row(NamedTuple):
    """A row of a table: where it stands, and its cells."""

    start: int
    end: int
    cells: list[str]


class Place(NamedTuple):
    """A sentence or a cell of a context: where it stands, what it says, and what it says it of."""

    context: int
    start: int
    end: int
    text: str
    head: str = ""  # of a cell: its column and its row, or the path and the label of its object
    side: str = ""  # of a cell: the rest of its row, the title of its table
    key: str = ""  # of a cell: its column alone
    cell: bool = False


def read_places(
    context: int, text: str, constants: BindingConstants, known: Sequence[Sentence] | None = None
) -> list[Place]:
    """Return the places of a context in their order, up to a number that bounds the work.

    ``known`` are its sentences where they are read already; a context without data is cut by them.
    """
    found: list[Place] = []
    for place in _Reader(context, text, constants, known).places():
        found.append(place)
        if len(found) >= constants.most_units:
            break
    return found


class _Reader:
    def __init__(self, context: int, text: str, constants: BindingConstants, known: Sequence[Sentence] | None) -> None:
        self._context, self._text, self._constants, self._known = context, text, constants, known
        self._at = 0  # how far the data is read
        self._tried = 0  # characters that were read as JSON and are none

    def places(self) -> Iterator[Place]:
        at = 0
        for table in self._elements(_TABLE, 0, len(self._text)):
            yield from self._lines(at, table.start)
            yield from self._html(table)
            at = table.end
        yield from self._lines(at, len(self._text))

    def _prose(self, start: int, end: int) -> Iterator[Place]:
        whole = self._known if (start, end) == (0, len(self._text)) else None
        for sentence in whole if whole is not None else sentences(self._text[start:end]):
            first, last = start + sentence.start, start + sentence.end
            yield Place(context=self._context, start=first, end=last, text=self._text[first:last])

    def _lines(self, start: int, end: int) -> Iterator[Place]:
        """Yield the places of a stretch: JSON values, tables of lines, and the prose between them."""
        lines: list[tuple[int, int]] = []
        at = start
        for line in self._text[start:end].splitlines(keepends=True):
            lines.append((at, at + len(line)))
            at += len(line)
        prose = start
        title = ""
        index = 0
        while index < len(lines):
            first, last = lines[index]
            data = self._read_json(first, last, end)
            if data is not None:
                value, begin, stop = data
                yield from self._prose(prose, first)
                self._at = begin
                yield from self._value(value, "", "", "", (begin, stop), 0)
                prose = stop
                while index < len(lines) and lines[index][0] < stop:
                    index += 1
                continue
            size, separator = self._table_size(lines, index)
            if size:
                yield from self._prose(prose, first)
                yield from self._table(lines[index : index + size], separator, title)
                prose = lines[index + size - 1][1]
                index += size
                continue
            said = self._text[first:last].strip()
            title = said or title
            index += 1
        yield from self._prose(prose, end)

    def _read_json(self, first: int, last: int, end: int) -> tuple[object, int, int] | None:
        """Return the JSON object or list that a line begins with, and where it stands."""
        opening = self._text[first:last].lstrip()[:1]
        if opening not in ("{", "[") or self._tried > self._constants.most_readings * len(self._text):
            return None
        start = self._text.index(opening, first)
        if (
            self._text[start : start + 2].rstrip("0123456789").endswith("[")
            and self._text[start + 1 : start + 2].isdigit()
        ):
            return None  # a citation marker, or a list of numbers, which says nothing of what they are
        try:
            value, stop = _DECODER.raw_decode(self._text, start)
        except JSONDecodeError as error:
            self._tried += error.pos - start
            return None
        except (RecursionError, ValueError):  # no place is told where it went wrong
            self._tried += len(self._text)
            return None
        return (value, start, stop) if stop <= end else None

    def _value(
        self,
        value: Any,  # noqa: ANN401 - whatever JSON holds
        path: str,
        label: str,
        side: str,
        where: tuple[int, int],
        depth: int,
    ) -> Iterator[Place]:
        if depth > self._constants.deepest:
            return
        if isinstance(value, dict):
            labels = [each for each in value.values() if isinstance(each, str) and len(each) < _LABEL_LENGTH]
            around = self._cut(" ".join([*labels, side]))
            few = list(dict.fromkeys(labels))[:2]  # of two labels one is not the member itself
            for key, member in value.items():
                named = self._cut(f"{path} {in_words(self._cut(key))}".strip())
                own = next((each for each in few if each != member), label)
                yield from self._value(member, named, own, around, where, depth + 1)
        elif isinstance(value, list):
            for member in value:
                yield from self._value(member, path, label, side, where, depth + 1)
        else:
            yield from self._leaf(value, path, label, side, where)

    def _leaf(self, value: Any, path: str, label: str, side: str, where: tuple[int, int]) -> Iterator[Place]:  # noqa: ANN401 - whatever JSON holds
        text = _TRUTHS[value] if value is None or isinstance(value, bool) else str(value)
        start, end = self._find(text, where) if isinstance(value, str | int | float) else where
        if len(text) >= self._constants.long_text:
            for sentence in sentences(text):
                yield Place(context=self._context, start=start, end=end, text=text[sentence.start : sentence.end])
            return
        yield Place(context=self._context, start=start, end=end, text=text, head=f"{path} {label}".strip(), side=side,
                    key=path, cell=True)  # fmt: skip

    def _find(self, text: str, where: tuple[int, int]) -> tuple[int, int]:
        """Return where a value stands in its data; the whole data where it is written otherwise there."""
        at = self._text.find(text, self._at, where[1]) if text else -1
        if at < 0:
            return where
        self._at = at + len(text)
        return at, self._at

    def _table_size(self, lines: Sequence[tuple[int, int]], index: int) -> tuple[int, str]:
        """Return how many lines from here on are one table, and what parts its cells."""
        first = self._text[slice(*lines[index])].strip()
        for separator in _SEPARATORS:
            cells = first.count(separator)
            if cells < (2 if separator == "," else 1) or (separator == "," and first.endswith((".", ":"))):
                continue
            width = len(_cells(first, separator))
            size = 0
            for start, end in lines[index:]:
                line = self._text[start:end].strip()
                if not line or len(_cells(line, separator)) != width:
                    break
                size += 1
            if size >= (2 if separator == "|" else self._constants.least_rows):
                return size, separator
        return 0, ""

    def _table(self, lines: Sequence[tuple[int, int]], separator: str, title: str) -> Iterator[Place]:
        rows = [
            _Row(start, end, _cells(self._text[start:end].strip(), separator))
            for start, end in lines
            if not _RULE.fullmatch(self._text[start:end])
        ]
        yield from self._rows(rows, title)

    def _elements(self, tags: tuple[re.Pattern[str], re.Pattern[str]], start: int, end: int) -> Iterator[_Element]:
        """Yield the elements of a stretch; where none is closed any more there is none, however many are opened."""
        opening, closing = tags
        at = start
        while (first := opening.search(self._text, at, end)) and (last := closing.search(self._text, first.end(), end)):
            at = last.end()
            yield _Element(first.start(), first.end(), last.start(), at)

    def _html(self, table: _Element) -> Iterator[Place]:
        rows = []
        for row in self._elements(_ROW, table.start, table.end):
            cells = [
                _TAG.sub(" ", self._text[cell.first : cell.last]).strip()
                for cell in self._elements(_CELL, row.first, row.end)
            ]
            if cells:
                rows.append(_Row(row.start, row.end, cells))
        yield from self._rows(rows, "")

    def _rows(self, rows: Sequence[_Row], title: str) -> Iterator[Place]:
        if not rows:
            return
        header = [in_words(name) if "_" in name else name for name in map(self._cut, rows[0].cells)]
        for row in rows[1:]:
            at = row.start
            filled = [(column, cell) for column, cell in enumerate(row.cells[: len(header)]) if cell]
            beside = [(column, cell) for column, cell in filled if column][: self._constants.longest_side]
            for column, cell in filled:
                found = self._text.find(cell, at, row.end)
                start, end = (found, found + len(cell)) if found >= 0 else (row.start, row.end)
                others = [other for place, other in beside if place != column]
                name = header[column]
                yield Place(
                    context=self._context, start=start, end=end, text=cell[:LONGEST_SENTENCE],
                    head=self._cut(f"{name} {self._cut(row.cells[0])}") if column else name,
                    side=self._cut(" ".join([*others, title])), key=name, cell=True,
                )  # fmt: skip
                at = end if found >= 0 else at

    def _cut(self, text: str) -> str:
        """Return as much of what heads a cell, or stands beside it, as is read again with each cell."""
        return text[: self._constants.longest_side]


def _cells(line: str, separator: str) -> list[str]:
    """Return the cells of a line of a table; what stands in quotes is not parted."""
    if separator == "|":
        return [cell.strip() for cell in line.strip("|").split("|")]
    if '"' not in line:
        return [cell.strip() for cell in line.split(separator)]
    cells, quoted = [""], False
    for sign in line:
        if sign == '"':
            quoted = not quoted
        elif sign == separator and not quoted:
            cells.append("")
        else:
            cells[-1] += sign
    return [cell.strip() for cell in cells]
