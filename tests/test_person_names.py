"""Names that differ only in case, punctuation or look-alike letters are one person's."""

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
    ],
)
def test_one_person(one: str, other: str) -> None:
    """However the name is written."""
    assert same_person(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("Ada", "Ben"), ("Jos\u00e9", "Jose"), ("Arne", "Ame"), ("Ada", "Adam"), ("\u674e", "\u738b")]
)
def test_two_people(one: str, other: str) -> None:
    """Other letters, accents among them, are another name; a pair of letters is not one that looks like it."""
    assert not same_person(one, other)


@pytest.mark.parametrize("name", ["", " ", "...", "\u200b", "\u3164", "!?"])
def test_what_names_nobody(name: str) -> None:
    """It needs a letter or a digit that shows."""
    assert person_key(name) == ""


def test_the_comparison_of_older_versions() -> None:
    """It knew case, width and spaces, and nothing else."""
    assert plain_key(" Ada  LOVELACE") == plain_key("ada lovelace")
    assert plain_key("Ada") != plain_key("Ada.")
