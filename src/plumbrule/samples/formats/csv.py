"""Reads CSV and TSV: one sample a row, the first row names the columns, an empty cell is a missing value."""

import csv
import io
from collections.abc import Iterator
from typing import BinaryIO

from plumbrule.errors import InputError, UsageError
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, MAX_RECORD_MB, Flaw, Rows, read_lines, rewound
from plumbrule.samples.formats.columns import is_title, named_columns

_DELIMITERS = ",;\t|"  # in the order in which they win where a header says nothing
_DECLARED = "sep="  # how Excel writes the delimiter on a line of its own
_HEAD = 1 << 16  # bytes of a header that tell its delimiter
_WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


def delimiter_of(word: str | None) -> str | None:
    """Return the delimiter that an option names: the character itself, or its name."""
    if word is None:
        return None
    delimiter = _WORDS.get(word.casefold(), word)
    if len(delimiter) != 1 or delimiter in '"\r\n' or (not delimiter.isprintable() and delimiter != "\t"):
        raise UsageError(f"--delimiter {word[:20]!r}: one character, or one of {', '.join(_WORDS)}")
    return delimiter


def sniff_delimiter(stream: BinaryIO) -> tuple[io.BufferedReader, str]:
    """Return the stream, and the delimiter that gives its header the most columns; an Excel ``sep=`` line says it."""
    line = stream.readline(MAX_RECORD_BYTES)
    head = line[:_HEAD].decode(errors="replace").strip("\r\n")
    if head.casefold().startswith(_DECLARED) and len(head) == len(_DECLARED) + 1:
        return rewound(b"\n", stream), head[-1]  # an empty line in its place keeps the numbers of the lines
    return rewound(line, stream), max(_DELIMITERS, key=lambda sign: _width(head, sign))


def _width(head: str, delimiter: str) -> int:
    """Return how many columns a header has with this delimiter; none where its reader will refuse it."""
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD_BYTES))
    try:
        return len(next(csv.reader([head], delimiter=delimiter), ()))
    except csv.Error:
        return 0


def read_csv(stream: BinaryIO, name: str, *, delimiter: str = ",") -> Rows:
    """Yield each row as a record with the line on which it starts."""
    # The limit belongs to the whole process; it is only ever raised, since contexts are long.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD_BYTES))
    lines = _Lines(stream)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    while True:
        start = lines.start_record()
        try:
            cells = next(rows)
        except StopIteration:
            return
        except _TooLongError:
            what = f"the row that starts on line {start} is longer than {MAX_RECORD_MB} MB"
            raise InputError(f"{name}: {what}; is a quote left open?") from None
        except csv.Error as error:
            yield start, Flaw(_reason(str(error)))
            continue
        flaw = lines.take_flaw()
        if flaw and columns is None:
            raise InputError(f"{name}: the header on line {start} cannot be read: {flaw}")
        if flaw:
            yield start, Flaw(flaw)
        elif not cells:
            continue
        elif columns is None:
            columns = None if is_title(cells) else named_columns(cells, name)
        elif len(cells) != len(columns):
            yield start, Flaw(f"the row has {len(cells)} cells and the header {len(columns)}")
        else:
            yield start, {key: cell for key, cell in zip(columns, cells, strict=True) if cell and key}


class _TooLongError(Exception):
    """The lines of one record are longer than the limit."""


class _Lines:
    """The lines as text, with their number; a line that is no text is passed on empty and remembered."""

    def __init__(self, stream: BinaryIO) -> None:
        self.number = 0
        self._lines = read_lines(stream)
        self._flaw = ""
        self._taken = 0

    def start_record(self) -> int:
        """Begin a record, which may have several lines, and return the number of its first line."""
        self._taken = 0
        return self.number + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number, line = next(self._lines)
        if line is None:
            self._flaw = f"line is longer than {MAX_RECORD_MB} MB"
            return "\n"
        self._taken += len(line)
        if self._taken > MAX_RECORD_BYTES + 2:  # room for the line's end, as in a single line
            raise _TooLongError
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            where = f"byte {error.start + 1} of line {self.number}"
            self._flaw = f"not valid UTF-8 ({where}); --encoding names another, such as cp1252"
            return line.decode(errors="replace")

    def take_flaw(self) -> str:
        """Return the flaw of the lines read since the last call, if any."""
        flaw, self._flaw = self._flaw, ""
        return flaw


def _reason(message: str) -> str:
    if "unexpected end of data" in message:
        return "a quote is opened and never closed"
    if "new-line character" in message:
        return "a carriage return stands alone outside quotes: save the file with line ends of Unix or Windows"
    return f"not valid CSV: {message}"
