"""Find where the sentences of a text begin and end, by rule."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from plumbrule.text.work_limits import LONGEST_SENTENCE

_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st rev hon gen col sgt capt inc ltd co corp llc plc dept est approx vs etc
    e.g i.e cf al fig figs sec secs art arts para paras ch vol pp p ed eds u.s u.k e.u a.m p.m
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    """.split()  # noqa: SIM905 - a list of words reads best as words
)
_BEFORE_NUMBERS = frozenset({"no", "nos"})
_CLOSERS = "\"'”’)]»*_"
# the end mark, what closes after it (quotes, brackets, citation markers), then white space
# (possessive and only at the head of a run of marks: no text makes it look at a place twice; the mark comes first in
# the pattern, so that the search skips to the next one)
_END = re.compile(
    rf"""[.!?…。！？](?:
         (?<=[。！？])[。！？]*+
       | (?<![.!?…].)[.!?…]*+[{re.escape(_CLOSERS)}]*+(?:\s*+[\[【]\^?+\d++(?:\s*+,\s*+\d++)*+[\]】][.]?)*+(?=\s) )""",
    re.VERBOSE | re.DOTALL,
)
_BREAK = re.compile(r"\n\s*\n|\n(?=[ \t]*(?:[-*•‣▪–|#>]|\(?\d{1,3}[.)]\s|[a-zA-Z][.)]\s))|(?<=[:;.!?|])[ \t]*\n")
_MARKER = re.compile(r"[\s>|#]*(?:[-*•‣▪–]+\s+|\(?\d{1,3}[.)]\s+)?\s*")
_LAST_WORD = re.compile(r"(\w+(?:\.\w+)*)$")
_LOOK_BACK = 12
_BEFORE_MARKERS = " \t>("


class Sentence(NamedTuple):
    """A sentence's place in its text; list markers and white space around it are left out."""

    start: int
    end: int


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of ``text`` in order."""
    cuts = {len(text)}
    if "\n" in text:
        cuts.update(end.start() if end[0].startswith("\n") else end.end() for end in _BREAK.finditer(text))
    cuts.update(end.end() for end in _END.finditer(text) if _ends_sentence(text, end.start(), end.end()))
    found: list[Sentence] = []
    for cut in pairwise(sorted({0, *cuts})):
        start, end = _trim(text, *cut)
        if end - start > LONGEST_SENTENCE:
            found += _pieces(text, start, end)
        elif end > start:
            found.append(Sentence(start, end))
    return found


def _pieces(text: str, start: int, end: int) -> Iterator[Sentence]:
    """Yield the pieces of an endless sentence, each up to a space."""
    while end - start > LONGEST_SENTENCE:
        space = text.rfind(" ", start + 1, start + LONGEST_SENTENCE)
        cut = space if space > start else start + LONGEST_SENTENCE
        yield Sentence(start, cut)
        start = cut + (space > start)
    yield Sentence(start, end)


def _ends_sentence(text: str, mark: int, end: int) -> bool:
    following = text[end : end + 40].lstrip()
    if following and following[0].islower():
        return False
    if text[mark] != "." or text[mark : mark + 2] == "..":
        return True
    last = _LAST_WORD.search(text[max(0, mark - _LOOK_BACK) : mark])
    if last is None:
        return True
    word = last[1].casefold()
    if word.isdigit() and _opens_line(text, mark, word):
        return False  # a list marker
    if len(word) == 1 and word.isalpha():  # an initial: "J. Smith"; but "Plan B." may end a sentence
        return not (following[:1].isupper() and last[1].isupper())
    if word in _BEFORE_NUMBERS:  # "No. 7", but "No. That is wrong."
        return not following[:1].isdigit()
    return word not in _ABBREVIATIONS


def _opens_line(text: str, mark: int, number: str) -> bool:
    """Tell whether a line has nothing before this mark but a number and the signs of a list or a quotation."""
    start = text.rfind("\n", max(0, mark - _LOOK_BACK), mark) + 1
    at, signs = mark, _BEFORE_MARKERS + number
    while at > start and text[at - 1] in signs:
        at -= 1
    return at == start


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a sentence starts and ends without the marker of a list and white space around it."""
    marker = _MARKER.match(text, start, end)
    if marker is not None:
        start = marker.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
