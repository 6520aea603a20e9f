"""Split text into words and bring each to its lemma, so that forms of one word compare equal."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import accumulate, chain

# Accents written apart from their letters, and what is never seen, belong to the word they stand in.
_MARKS = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M"))
_INVISIBLE = "\u00ad\u200c\u200d\u2060"
_WORD = rf"[^\W_](?:(?!_)[\w{_MARKS}{_INVISIBLE}])*(?:['’](?:(?!_)[\w{_MARKS}])+)*"
_NUMBER = r"\d+(?:[.,]\d+)+[^\W_]*"  # with its suffix: 1.2M
_IDEOGRAPH = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"  # written without spaces: each sign is a word
_NOT = r"[nN]['’][tT](?![^\W_])"

_TOKEN = re.compile(rf"{_IDEOGRAPH}|{_NUMBER}|{_NOT}|[^\W_]+?(?={_NOT})|{_WORD}")
_NUMBER_ONLY = re.compile(r"\d+(?:[.,]\d+)+")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?")
_CLITIC = re.compile(r"(?<=.)'(?:s|re|ve|ll|d|m)?$")
_DROPPED = dict.fromkeys(map(ord, _INVISIBLE))
_END_MARKS = ".,;:!?)"
_CACHE_SIZE = 30_000
_LONGEST_CACHED = 64

# simplemma's own answers for these lose the word that a reader sees
_CONTRACTED = {"n't": "not", "ca": "can", "wo": "will", "sha": "shall"}
_IRREGULAR = {"data": "data", "media": "media", "us": "us", "left": "left", "found": "find", "saw": "see"}


def lemmas(text: str) -> list[str]:
    """Return the lemma of every word of ``text``, in order; a number stays one word."""
    return list(chain.from_iterable([_CHUNKS[chunk][0] for chunk in text.split()]))


def words(text: str) -> list[str]:
    """Return the words of ``text`` as they are written, one for one with their lemmas."""
    return list(chain.from_iterable([_CHUNKS[chunk][1] for chunk in text.split()]))


def spans(text: str) -> tuple[list[int], list[int]]:
    """Return where the words of ``text`` start and where they end, one for one with their lemmas."""
    chunks = text.split()
    places = [*zip(_places(text, chunks), [_CHUNKS[chunk] for chunk in chunks], strict=False)]
    starts = [at + first for at, (_, _, firsts, _) in places for first in firsts]
    ends = [at + last for at, (_, _, _, lasts) in places for last in lasts]
    return starts, ends


def _places(text: str, chunks: list[str]) -> Iterable[int]:
    """Return where the runs of non-space of ``text`` start."""
    if " ".join(chunks) == text:  # as most texts are written
        return accumulate([len(chunk) + 1 for chunk in chunks], initial=0)
    places: list[int] = []
    at = 0
    for chunk in chunks:
        at = text.find(chunk, at)
        places.append(at)
        at += len(chunk)
    return places


# The lemmas of words, the words as they are written, and where each starts and ends.
_Chunk = tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[int, ...]]


class _ChunkTable(dict[str, _Chunk]):
    """What each run of non-space holds: no word spans white space, and most runs come again.

    Emptied when full, so that memory does not grow with the text read.
    """

    def __missing__(self, chunk: str) -> _Chunk:
        parts = self._read(chunk)
        if len(self) >= _CACHE_SIZE:
            self.clear()
        if len(chunk) <= _LONGEST_CACHED:
            self[chunk] = parts
        return parts

    def _read(self, chunk: str) -> _Chunk:
        bare = chunk.rstrip(_END_MARKS)
        if bare.isascii() and bare.isalpha():  # as most are
            return (_lemmatize(bare),), (bare,), (0,), (len(bare),)
        found = list(_TOKEN.finditer(chunk))
        return (
            tuple([_lemmatize(word[0]) for word in found]),
            tuple([word[0] for word in found]),
            tuple([word.start() for word in found]),
            tuple([word.end() for word in found]),
        )


def _lemmatize(word: str) -> str:
    folded = word.lower()
    if not word.isascii():
        folded = unicodedata.normalize("NFKC", word.translate(_DROPPED)).casefold().replace("’", "'")
    if _NUMBER_ONLY.fullmatch(folded):
        return folded.replace(",", "") if _GROUPED.fullmatch(folded) else folded
    if folded in _CONTRACTED:
        return _CONTRACTED[folded]
    folded = _CLITIC.sub("", folded).replace("'", "")
    if folded in _IRREGULAR:
        return _IRREGULAR[folded]
    if not folded.isalpha() or len(folded) > _LONGEST_CACHED:
        return folded
    from simplemma import lemmatize  # noqa: PLC0415 - the tables take a moment to load

    return lemmatize(folded, lang="en").casefold()


_CHUNKS = _ChunkTable()
