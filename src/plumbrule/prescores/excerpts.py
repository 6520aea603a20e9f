"""Whether a quoted excerpt is in a passage, whatever its spacing, quotation marks, dashes, gaps and markers."""

import functools
import re
import unicodedata

_ELLIPSIS = re.compile(r"\[\s*(?:…|\.\s*\.\s*\.)\s*\]|\(\s*(?:…|\.\s*\.\s*\.)\s*\)|…|\.\s?\.\s?\.")
_MARKER = re.compile(r"\s*[\[【]\s*\^?\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\s*[\]】]")
_CHANGED = re.compile(r"\[(\w)\](?=\w)")  # a first letter that was fitted to the sentence around: "[r]eturns"
_SPACE = re.compile(r"\s+")
_FOLDED = str.maketrans(
    {
        **dict.fromkeys('"“”„‟«»″〝〞‘’‚‛‹›′`´', "'"),  # double ones become single inside a quotation
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
_EDGES = " .,;:!?'()[]-"


def stands_in(excerpt: str, passage: str) -> bool:
    """Tell whether the excerpt's pieces, between its gaps, are in the passage one after another."""
    folded = _fold(passage)
    place = 0
    pieces = [piece for part in _ELLIPSIS.split(excerpt) if (piece := _fold(part).strip(_EDGES))]
    if not pieces:
        return False
    for piece in pieces:
        place = folded.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


@functools.lru_cache(maxsize=512)
def _fold(text: str) -> str:
    quoted = _CHANGED.sub(r"\1", _MARKER.sub("", text))
    folded = unicodedata.normalize("NFKC", quoted.translate(_FOLDED)).casefold()
    return _SPACE.sub(" ", folded).strip()
