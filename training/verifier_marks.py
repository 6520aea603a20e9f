"""Which tokens of an answer are wrong: those in which a wrong answer differs from a right one that is nearly its copy.

So a fit is told where an error is, and not only that there is one.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher

RIGHT, WRONG, UNKNOWN = 0, 1, -1
_ALIKE = 0.75  # how much two answers share before the rest is held to be the error


def mark_tokens(answers: Sequence[Sequence[int]], right: Sequence[bool]) -> list[list[int]]:
    """Return a mark for each token of each answer; where a wrong answer is like no right one, nothing is known."""
    copies = [tokens for tokens, is_right in zip(answers, right, strict=True) if is_right]
    marks = []
    for tokens, is_right in zip(answers, right, strict=True):
        if is_right:
            marks.append([RIGHT] * len(tokens))
            continue
        compared = [SequenceMatcher(None, copy, tokens, autojunk=False) for copy in copies]
        best = max(compared, key=lambda each: each.ratio(), default=None)
        if best is None or best.ratio() < _ALIKE:
            marks.append([UNKNOWN] * len(tokens))
            continue
        own = [RIGHT] * len(tokens)
        for kind, _, _, start, end in best.get_opcodes():
            if kind != "equal":
                last = min(
                    max(end, start + 1), len(own)
                )  # where something is left out, the token that follows is marked
                own[start:last] = [WRONG] * (last - start)
        marks.append(own)
    return marks
