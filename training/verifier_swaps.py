"""The same question in a world where two things have changed places: what was right is worded as what was wrong.

Where a right and a wrong answer to one question differ in one place, the two wordings that stand there (two names, two
amounts, two dates) are put for each other everywhere: in passages, question and answers. All labels stay as they are,
but the wording no longer tells them. Answers that reckon with values are left out, since their sums change.
"""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

_MOST_WORDS = 4  # of what differs
_LEAST_SHARED = 3  # words that two answers have in common
_EDGE = ".,;:!?()[]\"'“”‘’"


class Text(NamedTuple):
    """A question with its evidence and its answers, each right or not."""

    question: str
    contexts: Sequence[str]
    answers: Sequence[tuple[str, bool]]
    reckoned: Sequence[bool] = ()  # which answers reckon with values


def find_swaps(text: Text) -> list[tuple[str, str]]:
    """Return the pairs of wordings in which a right and a wrong answer differ, at least one of them in the passages."""
    passages = "\n".join(text.contexts)
    found = []
    for (one, right), (other, also) in combinations(text.answers, 2):
        pair = _difference(one, other) if right != also else None
        if pair and pair not in found and any(bounded(wording).search(passages) for wording in pair):
            found.append(pair)
    return found


def swap(text: Text, pair: tuple[str, str]) -> Text:
    """Return the text with both wordings put for each other."""
    one, other = pair
    either = bounded(*sorted(pair, key=len, reverse=True))

    def swapped(content: str) -> str:
        return either.sub(lambda found: other if found[0] == one else one, content)

    kept = [each for place, each in enumerate(text.answers) if not (text.reckoned and text.reckoned[place])]
    return Text(
        swapped(text.question),
        [swapped(context) for context in text.contexts],
        [(swapped(answer), right) for answer, right in kept],
    )


def _difference(one: str, other: str) -> tuple[str, str] | None:
    """Return the words in which two answers differ, in the order of letters; None if they differ in more places."""
    left, right = one.split(), other.split()
    shorter = min(len(left), len(right))
    begin = next((at for at in range(shorter) if left[at] != right[at]), shorter)
    end = next((at for at in range(shorter - begin) if left[-1 - at] != right[-1 - at]), shorter - begin)
    middles = left[begin : len(left) - end], right[begin : len(right) - end]
    if begin + end < _LEAST_SHARED or not all(0 < len(middle) <= _MOST_WORDS for middle in middles):
        return None
    first, second = sorted(" ".join(middle).strip(_EDGE) for middle in middles)
    if not first or not second or first in second or second in first:
        return None
    return first, second


def bounded(*wordings: str) -> re.Pattern[str]:
    """Return a pattern for wordings that stand as whole words, as "can" of "can't" does not."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wordings))})(?!\w|['’]t)")
