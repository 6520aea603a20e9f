"""The words that differ between two texts, each text in stretches that are the same or not."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

_WORD = re.compile(r"\s*\S+|\s+$")
_MOST = 1_000  # words that are compared; of longer texts all between the first and the last difference differs


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of a text, and whether the other text has the same words there."""

    text: str
    same: bool


def word_differences(first: str, second: str) -> tuple[tuple[Stretch, ...], tuple[Stretch, ...]]:
    """Return both texts in stretches; joined together they are the texts again.

    White space before a word does not make it another word. The work is bounded for texts of any length.
    """
    ours, theirs = _WORD.findall(first), _WORD.findall(second)
    plain, other = [word.strip() for word in ours], [word.strip() for word in theirs]
    start = _shared(zip(plain, other, strict=False))
    most = min(len(plain), len(other)) - start
    end = min(most, _shared(zip(reversed(plain), reversed(other), strict=False)))
    stop, until = len(plain) - end, len(other) - end
    if max(stop, until) - start > _MOST:
        blocks = []
    else:
        matcher = SequenceMatcher(None, plain[start:stop], other[start:until], autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
    left = [(0, start), *((start + block.a, start + block.a + block.size) for block in blocks), (stop, len(plain))]
    right = [(0, start), *((start + block.b, start + block.b + block.size) for block in blocks), (until, len(other))]
    return _stretches(ours, left), _stretches(theirs, right)


def _shared(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other:
            break
        count += 1
    return count


def _stretches(words: list[str], same: Iterable[tuple[int, int]]) -> tuple[Stretch, ...]:
    made: list[Stretch] = []
    done = 0
    for start, stop in same:
        for begin, end, is_same in ((done, start, False), (start, stop, True)):
            if end > begin:
                made.append(Stretch(text="".join(words[begin:end]), same=is_same))
        done = stop
    return tuple(made)
