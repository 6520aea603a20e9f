"""What each run of non-space may be a part of, so that a sentence is searched only for what it may hold."""

import re
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_

_CACHE_SIZE = 30_000
_LONGEST_CACHED = 64

DIGIT, CODE, NAMED, NUMBERED, ENUMERATOR, PENCE, DOTTED, CITATION = (1 << place for place in range(8))
WEEKDAY, SEVERAL, COUNTED, CLOCK, FREE, EVERY_DAY, WEEKDAYS, WEEKENDS = (1 << place for place in range(8, 16))
_ALL = (1 << 16) - 1

# one number with the marks around it; only several in a row make a code, a telephone number
NUMBER_ALONE = re.compile(r"[^\w/@+-]*\d[\d,]*(?:\.\d+)?[^\w/@+-]*")
_ZEROS = str.maketrans("123456789", "000000000")  # no pattern tells one digit from another
_PLAIN_MARKS = dict.fromkeys(map(ord, "£€–—‘’“”…•"))  # outside ASCII, and in no pattern a letter or a digit

_BY_FORM = {
    DIGIT: re.compile(r"\d"),
    CODE: re.compile(rf"\A(?!{NUMBER_ALONE.pattern}\Z).*?(?:[\d_/@]|www\.)"),
    NAMED: re.compile(r"\A(?:[A-Z]?\d|[A-Z]\b)"),
    ENUMERATOR: re.compile(r"\A(?:\d\d?(?:\.\d\d?)+\.?|\d\d?\.)\Z"),
    PENCE: re.compile(r"\dp\b"),
    DOTTED: re.compile(r"\d\.\d\d"),
    CITATION: re.compile(r"\["),
    WEEKDAY: re.compile(r"Mon|Tue|Wed|Thu|Fri|Sat|Sun"),
}
# what a run has at least that matches any of these; most words do not
_ANY_FORM = re.compile(r"[\d_/@\[]|www\.|\A[A-Z]\b|" + _BY_FORM[WEEKDAY].pattern)


class ChunkSigns(dict[str, int]):
    """The signs of each run of non-space, as the bits of a number; most runs come again.

    A sign is a condition that must hold of some run for a pattern to be found: where it holds of none, the pattern need
    not be searched for. ``words`` has, for each sign, the words of which a run must hold one. Emptied when full, so
    that memory does not grow with the text read.
    """

    def __init__(self, words: Mapping[int, Iterable[str]]) -> None:
        super().__init__()
        self._words = {sign: tuple(sorted({word.translate(_ZEROS) for word in each})) for sign, each in words.items()}
        self._any_word = re.compile(
            "|".join(sorted({re.escape(word) for each in self._words.values() for word in each}))
        )

    def __missing__(self, chunk: str) -> int:
        # letters outside ASCII may match those inside
        signs = self._read(chunk) if chunk.translate(_PLAIN_MARKS).isascii() else _ALL
        if len(self) >= _CACHE_SIZE:
            self.clear()
        if len(chunk) <= _LONGEST_CACHED:
            self[chunk] = signs
        return signs

    def of(self, text: str) -> int:
        """Return the signs of all runs of a text."""
        return reduce(or_, map(self.__getitem__, text.split()), 0)

    def _read(self, chunk: str) -> int:
        shape = chunk.translate(_ZEROS)
        return self._signs(chunk) if shape == chunk else self[shape]

    def _signs(self, chunk: str) -> int:
        folded = chunk.lower()
        found = []
        if _ANY_FORM.search(chunk):
            found += [sign for sign, pattern in _BY_FORM.items() if pattern.search(chunk)]
        if self._any_word.search(folded):
            found += [sign for sign, words in self._words.items() if any(word in folded for word in words)]
        return reduce(or_, found, 0)


def telling_words(phrases: Iterable[str]) -> list[str]:
    """Return one word of each phrase, the longest: where it is missing, so is the phrase."""
    return [max(phrase.split(), key=len) for phrase in phrases]
