"""Names that differ only in case, punctuation, accents or look-alike letters are one person's."""

import unicodedata

import pytest

from plumbrule.person_names import person_key, plain_key, same_person


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada Lovelace", "  ada   LOVELACE "),
        ("Ada", "Ada."),
        ("Ada Lovelace", "Ada-Lovelace"),
        ("O'Brien", "OBrien"),
        ("Ada", "\u0410da"),  # a Cyrillic A
        ("Cy", "\u0421\u0443"),  # wholly Cyrillic
        ("Anna", "\u0391\u039d\u039d\u0391"),  # wholly Greek
        ("Nina", "\u039dina"),  # a Greek Nu among Latin letters is an N
        ("Eva", "E\u03bda"),  # and a small nu a v
        ("Cal", "\u03f9al"),  # a lunate sigma
        ("Ada", "\uff21\uff44\uff41"),  # full-width
        ("Ada", "\U0001d400\U0001d41d\U0001d41a"),  # mathematical
        ("Bob", "B0b"),
        ("Bob", "B\u0966b"),  # a Devanagari zero
        ("Ella", "EIla"),
        ("Ella", "E1la"),
        ("Ivan", "lvan"),
        ("Dora", "\u13a0ora"),  # a Cherokee A
        ("Hal", "H\u0430\u04cf"),
        ("Sue", "S\u057de"),  # an Armenian se
        ("Ada", "A\u200bd\u00ada"),  # nothing that shows
        ("Ada", "Ada\ufe0f"),
        ("Jos\u00e9", "Jose\u0301"),
        ("O'Brien", "O\u02bcBrien"),  # a modifier letter that looks like an apostrophe
        ("OBrien", "O\u02bcBrien"),
        ("Ada Byron", "Ada\u01c3 By\ua78fron"),  # letters that look like an exclamation mark and a dot
        ("Ada", "Ada\u180f"),  # a Mongolian variation selector
        ("Ada", "\u2066A\u00add\U000e0041a\u2069"),  # format characters, a tag among them
        ("Ada", "A\u0332d\u20dda\u0489"),  # marks below, around and through
        ("Ada", "Ad\u0941a"),  # a vowel sign of another script
        ("Ada Byron", "Ada\u2800Byron"),  # an empty Braille cell
        ("Jos\u00e9", "Jose"),
        ("M\u00fcller", "Muller"),
        ("\u0141ukasz", "Lukasz"),  # a stroke is no accent to Unicode
        ("Bob", "\u0181ob"),  # nor is a hook
        ("Ade", "Ad\u212e"),  # a symbol
        ("Ivan", "|van"),
        ("Ada", "\U0001f170\U0001f173\U0001f170"),  # squared
        ("Bernard", "Bemard"),  # r and n
        ("Will", "VVill"),
        ("Eva", "\u0415\u03bd\u0430"),  # Cyrillic and Greek, and no Latin letter
        ("cari", "\u0441\u0430\u0433\u0456"),  # wholly Cyrillic in small letters
        ("Peter", "\u0420\u0435\u0442\u0435\u0433"),
        ("Dad", "\u13a0\u13aa\u13a0"),  # wholly Cherokee
        ("\u039d\u03af\u03ba\u03bf\u03c2", "\u039d\u038a\u039a\u039f\u03a3"),  # a Greek name in both cases
        ("Stra\u00dfe", "STRASSE"),
    ],
)
def test_one_person(one: str, other: str) -> None:
    """However the name is written."""
    assert same_person(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ada", "Ben"),
        ("Ana", "Ava"),
        ("Ada", "Adam"),
        ("Ada 2", "Ada 3"),
        ("\u674e", "\u738b"),
        ("\u30e6\u30fc\u30ea", "\u30e6\u30ea"),  # a long vowel
        ("\u0930\u093e\u092e", "\u0930\u092e\u093e"),  # vowel signs of the letters' own script
        ("\u05d3\u05e0\u05d9", "\u05d3\u05e0"),  # a Hebrew letter that looks like an apostrophe elsewhere
        ("\uae40\ucca0\uc218", "\uae40\ucca0\uc18c"),
    ],
)
def test_two_people(one: str, other: str) -> None:
    """Other letters are another name."""
    assert not same_person(one, other)


@pytest.mark.parametrize("name", ["", " ", "...", "\u200b", "\u3164", "!?"])
def test_what_names_nobody(name: str) -> None:
    """It needs a letter or a digit that shows."""
    assert person_key(name) == ""


def test_the_comparison_of_older_versions() -> None:
    """It knew case, width and spaces, and nothing else."""
    assert plain_key(" Ada  LOVELACE") == plain_key("ada lovelace")
    assert plain_key("Ada") != plain_key("Ada.")


LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def test_every_form_of_a_latin_letter() -> None:
    """What NFKC makes a Latin letter or a digit of is that letter: full-width, mathematical, circled, superscript."""
    characters = [chr(point) for point in range(0x80, 0x20000) if chr(point) not in "\u03f2\u03f9"]
    plain = [(letter, form) for letter in characters if (form := unicodedata.normalize("NFKC", letter)) in LATIN]
    assert len(plain) > 1000
    assert [letter for letter, form in plain if not same_person(f"Kim {letter}", f"Kim {form}")] == []


def test_nothing_unseen_makes_another_person() -> None:
    """Punctuation, spaces, controls, format characters, variation selectors and marks change nothing."""
    kinds = ("Cc", "Cf", "Me", "Mn", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Zl", "Zp", "Zs")
    unseen = [chr(point) for point in range(0x110000) if unicodedata.category(chr(point)) in kinds]
    assert len(unseen) > 2000
    assert [character for character in unseen if person_key(f"Ad{character}a") != person_key("Ada")] == []


def test_the_table_is_complete_enough() -> None:
    """Every letter of the scripts that Latin names are imitated in is read as a Latin one, where Unicode says so."""
    imitated = {
        "Cyrillic": (
            "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0430\u0435\u043e"
            "\u0440\u0441\u0443\u0445\u0456\u0458\u0455"
        ),
        "Greek": (
            "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
            "\u03b1\u03bf\u03bd\u03c1"
        ),
        "Armenian": "\u0555\u0585\u057d\u0570\u0578\u0581\u0566",
        "Cherokee": (
            "\u13a0\u13a1\u13a2\u13aa\u13ab\u13ac\u13b3\u13b7\u13bb\u13c0\u13c3\u13d9\u13da\u13de"
            "\u13df\u13e2\u13e6\u13f4"
        ),
        "Lisu": (
            "\ua4d0\ua4d1\ua4d2\ua4d3\ua4d4\ua4d6\ua4d7\ua4d9\ua4da\ua4dd\ua4df\ua4e0\ua4e1\ua4e2"
            "\ua4e6\ua4ea\ua4ec\ua4ee\ua4f0\ua4f2\ua4f3"
        ),
        "small capitals": (
            "\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u026a\u1d0a\u1d0b\u029f\u1d0d\u0274"
            "\u1d0f\u1d18\u0280\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22"
        ),
    }
    unread = {name: [x for x in letters if not person_key(f"kim {x}").isascii()] for name, letters in imitated.items()}
    assert not any(unread.values()), unread
