"""Make the table of look-alike letters by which people's names are compared.

``python -m training.look_alikes`` asks ICU, which must be installed, for Unicode's confusable characters (UTS #39) and
writes ``look_alikes.tsv``: a line for each text that characters are read as, with these characters. Added are letters
that Unicode names as a Latin letter in another form (small capitals, squared, regional indicators), letters named as
another one *with* something, and a few pairs of ``MORE``. A character that looks like no plain letter is read as its
other case is, where that does.
"""

import ctypes
import ctypes.util
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from plumbrule.person_names import REPEATED, without_accents

TARGET = Path(__file__).parents[1] / "src/plumbrule/look_alikes.tsv"
MORE = {"a": "ⲁ", "b": "ⲃβꞵ", "e": "ꞓꞒ", "l": "iլւⲓ", "r": "Γ", "s": "Ƽ", "ss": "ß", "v": "ʋ", "vv": "w", "z": "ⲍ"}
_NAMED = re.compile(r"(?:SMALL CAPITAL|(?:SQUARED|CIRCLED) LATIN CAPITAL LETTER|SYMBOL LETTER) ([A-Z])$")
_WITH = re.compile(r"((?:LATIN|GREEK|CYRILLIC) (?:CAPITAL|SMALL) LETTER .+?) WITH ")
_LONGEST = 512

Look = Callable[[str], str]


def main() -> None:
    """Write the table."""
    table = read_as(_icu())
    lines: dict[str, list[str]] = defaultdict(list)
    for character, text in sorted(table.items()):
        lines[text].append(character)
    written = "".join(f"{text}\t{''.join(characters)}\n" for text, characters in sorted(lines.items()))
    TARGET.write_text(written, encoding="utf-8", newline="\n")
    print(f"{len(table):,} characters read as {len(lines):,} texts, {TARGET.stat().st_size:,} bytes: {TARGET}")


def read_as(look: Look) -> dict[str, str]:
    """Return what each character is read as, where that is not itself without case, width and accents."""
    more = {character: text for text, characters in MORE.items() for character in characters}
    characters = [character for character in map(chr, range(0x110000)) if _is_plain(character)]
    looks = {character: _look(character, look, more) for character in characters}
    plain = {character: text for character, text in looks.items() if text.isascii()}
    # of one look without a plain letter: what most of their other cases are read as, or else their capitals
    chosen = _by_most(
        (looks[c], plain[o]) for c in looks if c not in plain for o in (c.upper(), c.lower()) if o in plain
    )
    capitals = _by_most((text, looks[c.upper()]) for c, text in looks.items() if c.upper() in looks and c.upper() != c)
    chosen = {text: capital for text, capital in capitals.items() if not text.isascii()} | chosen
    table = {character: _letters(chosen.get(text, text)) for character, text in looks.items()}
    return {
        character: text
        for character, text in table.items()
        if text != without_accents(character).casefold() and _counts(character, text)
    }


def _is_plain(character: str) -> bool:
    """Tell whether a character is left to compare after NFKC."""
    if unicodedata.category(character) in {"Cn", "Co", "Cs"} or character in REPEATED:
        return False
    return unicodedata.normalize("NFKD", character) == character


def _by_most(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for text, other in pairs:
        counted[text][other] += 1
    return {text: min(others, key=lambda other: (-others[other], other)) for text, others in counted.items()}


def _look(character: str, look: Look, more: dict[str, str]) -> str:
    """Return what a character looks like in its own case, in small letters and without accents."""
    if character in more:
        return more[character]
    name = unicodedata.name(character, "")
    if named := _NAMED.search(name):
        return _look(named[1].lower(), look, more)
    if (based := _WITH.match(name)) and (base := _character(based[1])):
        return _look(base, look, more)
    if character.isascii() and character.lower() != character:
        return _look(character.lower(), look, more)
    parts = without_accents(look(character))
    return "".join(part.lower() if part == character else _look(part, look, more) for part in parts)


def _counts(character: str, text: str) -> bool:
    """Tell whether names can differ by it: a letter, mark or number, or a symbol that looks like one letter."""
    kind = unicodedata.category(character)[0]
    return kind in "LN" or (kind == "M" and not text.isascii()) or (kind == "S" and len(text) == 1)


def _letters(text: str) -> str:
    """Return a text without what names leave out."""
    return "".join(
        part for part in text if unicodedata.category(part) in {"Lu", "Ll", "Lt", "Lo", "Mn", "Mc", "Nd", "Nl"}
    )


def _character(name: str) -> str | None:
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return None


def _icu() -> Look:
    library = ctypes.util.find_library("icui18n")
    if library is None:
        raise SystemExit("install ICU: there is no library icui18n")
    suffix = library.rpartition(".")[2]
    icu = ctypes.CDLL(library)
    error = ctypes.c_int(0)
    opened = getattr(icu, f"uspoof_open_{suffix}")
    opened.restype = ctypes.c_void_p
    checker = ctypes.c_void_p(opened(ctypes.byref(error)))
    skeleton = getattr(icu, f"uspoof_getSkeletonUTF8_{suffix}")

    def look(text: str) -> str:
        content, buffer, failed = text.encode(), ctypes.create_string_buffer(_LONGEST), ctypes.c_int(0)
        size = skeleton(checker, 0, content, len(content), buffer, _LONGEST, ctypes.byref(failed))
        if failed.value > 0:
            raise SystemExit(f"ICU could not read {text!r}")
        return buffer.raw[:size].decode()

    return look


if __name__ == "__main__":
    main()
