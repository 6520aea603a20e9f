"""Who is the same person: names compared so that case, punctuation, spaces, accents and look-alikes do not matter.

``person_key`` applies, in this order:

1. NFKC: full-width, mathematical and other compatibility forms become plain letters.
2. Look-alikes: each character becomes what it is read as, by ``look_alikes.tsv``, which ``training/look_alikes.py``
   makes of Unicode's confusable characters. I, i, l and 1 are one letter, O, o and 0 are one, m is rn and w is vv.
3. Case folding.
4. What does not tell people apart is left out, by kind: punctuation, spaces, symbols, invisible and format characters,
   modifier letters, accents, and marks of another script than the letter before them.

So "Neil" and "Nell" are one person, as are "José" and "Jose": a family name or an address tells them apart. The cases
of a few Greek letters look like two Latin ones, a small nu like v and a capital one like N. In a name of one script
other than Latin both cases are one letter; among letters of other scripts each stands for what it looks like.
"""

import functools
import unicodedata
from importlib import resources

_BEFORE = str.maketrans({"ϲ": "c", "Ϲ": "C"})  # which NFKC makes a sigma
_ACCENTS = frozenset({1, *range(10, 37), *range(200, 241)})  # combining classes: above, below, through; Semitic vowels
REPEATED = frozenset("々〻ゝゞーヽヾ")  # modifier letters that are part of a Japanese or Chinese name
_EAST_ASIAN = frozenset({"BOPOMOFO", "HANGUL", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"})
# letters and marks that never show: joiners, fillers and variation selectors
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\U00016fe4").union(
    map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)


@functools.lru_cache(maxsize=10_000)
def person_key(name: str) -> str:
    """Return the key of a person's name; names with one key are one person. It is empty where nothing names anybody."""
    own = _script_of(unicodedata.normalize("NFKC", name))
    plain = without_accents(name.translate(_BEFORE))
    if own is not None:
        plain = without_accents(plain.upper())
    kept: list[str] = []
    base = ""
    for letter in _read(without_accents(_read(plain, own).casefold()), own):
        kind = unicodedata.category(letter)
        if letter in _UNSEEN or (kind == "Lm" and letter not in REPEATED):
            continue
        if kind[0] in {"L", "N"}:
            base = letter
            kept.append(_read(_digit(letter), own))
        elif kind in {"Mn", "Mc"} and _script(letter) == _script(base):
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def plain_key(name: str) -> str:
    """Return the key by which earlier versions compared names: case, width and spaces do not matter.

    Campaigns that were opened then are replayed with it, so that the same records count as when they were made.
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def same_person(one: str, other: str) -> bool:
    """Tell whether two names are one person's."""
    return person_key(one) == person_key(other)


def without_accents(text: str) -> str:
    """Return a text in its decomposed form, without the marks that stand above, below or through a letter."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(part for part in parts if unicodedata.combining(part) not in _ACCENTS)


@functools.cache
def _look_alikes() -> dict[int, str]:
    """Return what characters are read as."""
    lines = resources.files("plumbrule").joinpath("look_alikes.tsv").read_text(encoding="utf-8").split("\n")
    rows = (line.split("\t") for line in lines if line)
    return {ord(character): text for text, characters in rows for character in characters}


def _read(text: str, own: str | None) -> str:
    """Return what a text is read as; what looks like punctuation is a letter in a name of its ``own`` script."""
    table = _look_alikes()
    return "".join(
        letter if own is not None and _is_sign(letter) and _script(letter) == own else table.get(ord(letter), letter)
        for letter in text
    )


def _script_of(text: str) -> str | None:
    """Return the one script of a name's letters; None where there are several, or where it is Latin."""
    letters = [letter for letter in text if unicodedata.category(letter) in {"Lu", "Ll", "Lt", "Lo"}]
    scripts = {_script(letter) for letter in letters if letter not in _UNSEEN and not _is_sign(letter)}
    return scripts.pop() if len(scripts) == 1 and "LATIN" not in scripts else None


def _is_sign(letter: str) -> bool:
    """Tell whether a letter or mark looks like punctuation or an accent."""
    text = _look_alikes().get(ord(letter))
    return text is not None and not any(part.isalnum() for part in text)


def _script(letter: str) -> str:
    """Return the script of a character, by its name; those that Japanese, Korean and Chinese are written in are one."""
    script = unicodedata.name(letter, "").partition(" ")[0] if letter else ""
    return "CJK" if script in _EAST_ASIAN else script


def _digit(letter: str) -> str:
    """Return a decimal digit of any script as an ASCII digit, and everything else as it is."""
    value = unicodedata.decimal(letter, None)
    return letter if value is None else str(value)
