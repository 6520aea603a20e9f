"""Who is the same person: names compared so that case, punctuation, spaces and look-alike letters do not matter.

``person_key`` applies, in this order: NFKC (full-width, mathematical and other compatibility forms become plain
letters), case folding, removal of everything that is no letter, mark or digit (punctuation, spaces, symbols, invisible
characters), and folding of look-alikes. The look-alikes are single characters of Cyrillic, Greek, Armenian, Cherokee,
Coptic and Lisu, small capitals and other Latin variants, and the digits of all scripts; I, i, l and 1 are one letter,
O, o and 0 are one. So "Neil" and "Nell" are one person: a family name tells them apart. Pairs of letters that look like
one, such as rn and m, are not folded, nor are accents: José and Jose may be two people.
"""

import unicodedata

_LOOK_ALIKES = {
    "a": "аαɑᴀꓮᎪⲁ",
    "b": "вьβʙꞵꓐᏴᏏⲃ",
    "c": "сᴄꓚᏟⲥ",
    "d": "ԁᴅꓓᎠᏧ",
    "e": "еҽεᴇꬲꓰᎬ",
    "f": "ϝꜰꓝ",
    "g": "ԍցɡɢꓖᏀᏳ",
    "h": "нһηհʜꓧᎻᏂⲏ",
    "j": "јյϳȷᴊꓙᎫ",
    "k": "кκᴋꓗᏦⲕ",
    "l": "iі1ιıɩɪǀӏլւʟꓡꓲᏞᎥⲓ",
    "m": "мμᴍꓟᎷⲙ",
    "n": "νոռɴꓠⲛ",
    "o": "0оοօσᴏꓳჿⲟ",
    "p": "рρᴘꓑᏢⲣ",
    "q": "ԛզգ",
    "r": "гʀꓣᎡᏒ",
    "s": "ѕտꜱꓢᏚᏕ",
    "t": "тτᴛꓔᎢⲧ",
    "u": "սᴜꓴ",
    "v": "ѵʋᴠꓦᏙ",
    "w": "ԝѡɯᴡꓪᎳᏔ",
    "x": "хχꓫⲭ",
    "y": "уүυʏꓬᎩᎽⲩ",
    "z": "ζᴢꓜᏃⲍ",
}
_FOLDED = str.maketrans({alike: letter for letter, alikes in _LOOK_ALIKES.items() for alike in alikes})
# among Latin letters these stand for what they look like in their own case; in a Greek name both cases are one letter
_IN_LATIN = str.maketrans({"ν": "v", "Ν": "n", "η": "n", "Η": "h", "υ": "u", "Υ": "y"})
_BEFORE = str.maketrans({"ϲ": "c", "Ϲ": "c"})  # which NFKC makes a sigma
_KEPT = ("L", "M", "N")
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u3164\uffa0")  # joiners and fillers


def person_key(name: str) -> str:
    """Return the key of a person's name; names with one key are one person. It is empty where nothing names anybody."""
    plain = unicodedata.normalize("NFKC", name.translate(_BEFORE))
    if any(letter.isascii() and letter.isalpha() for letter in plain):
        plain = plain.translate(_IN_LATIN)
    folded = unicodedata.normalize("NFKC", plain.casefold())
    kept = "".join(_digit(letter) for letter in folded if unicodedata.category(letter)[0] in _KEPT and _visible(letter))
    return kept.translate(_FOLDED)


def plain_key(name: str) -> str:
    """Return the key by which earlier versions compared names: case, width and spaces do not matter.

    Campaigns that were opened then are replayed with it, so that the same records count as when they were made.
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def same_person(one: str, other: str) -> bool:
    """Tell whether two names are one person's."""
    return person_key(one) == person_key(other)


def _digit(letter: str) -> str:
    """Return a decimal digit of any script as an ASCII digit, and everything else as it is."""
    value = unicodedata.decimal(letter, None)
    return letter if value is None else str(value)


def _visible(letter: str) -> bool:
    """Tell whether a letter or mark shows; joiners, fillers and variation selectors do not."""
    return not (letter in _UNSEEN or "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef")
