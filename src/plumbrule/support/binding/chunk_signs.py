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

_BY_FORM = {
    DIGIT: re.compile(r"\d"),
    CODE: re.compile(r"[\d_/@]|www\."),
    NAMED: re.compile(r"\A(?:[A-Z]?\d|[A-Z]\b)"),
    ENUMERATOR: re.compile(r"\A(?:\d\d?(?:\.\d\d?)+\.?|\d\d?\.)\Z"),
    PENCE: re.compile(r"\dp\b"),
    DOTTED: re.compile(r"\d\.\d\d"),
    CITATION: re.compile(r"\["),
    WEEKDAY: re.compile(r"Mon|Tue|Wed|Thu|Fri|Sat|Sun"),
}


class ChunkSigns(dict[str, int]):
    """The signs of each run of non-space, as the bits of a number; most runs come again.

    A sign is a condition that must hold of some run for a pattern to be found: where it holds of none, the pattern need
    not be searched for. ``words`` has, for each sign, the words of which a run must hold one. Emptied when full, so
    that memory does not grow with the text read.
    """

    def __init__(self, words: Mapping[int, Iterable[str]]) -> None:
        super().__init__()
        self._words = {sign: tuple(sorted(set(each))) for sign, each in words.items()}
        self._any_word = re.compile(
            "|".join(sorted({re.escape(word) for each in self._words.values() for word in each}))
        )

    def __missing__(self, chunk: str) -> int:
        signs = self._signs(chunk) if chunk.isascii() else _ALL  # letters outside ASCII may match those inside
        if len(self) >= _CACHE_SIZE:
            self.clear()
        if len(chunk) <= _LONGEST_CACHED:
            self[chunk] = signs
        return signs

    def of(self, text: str) -> int:
        """Return the signs of all runs of a text."""
        return reduce(or_, map(self.__getitem__, text.split()), 0)

    def _signs(self, chunk: str) -> int:
        folded = chunk.lower()
        found = [sign for sign, pattern in _BY_FORM.items() if pattern.search(chunk)]
        if self._any_word.search(folded):
            found += [sign for sign, words in self._words.items() if any(word in folded for word in words)]
        return reduce(or_, found, 0)


def telling_words(phrases: Iterable[str]) -> list[str]:
    """Return one word of each phrase, the longest: where it is missing, so is the phrase."""
    return [max(phrase.split(), key=len) for phrase in phrases]
