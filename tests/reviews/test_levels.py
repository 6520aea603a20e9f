"""Ratings are read by name or digit, every dimension once, and what is no rating is named."""

from typing import Any

import pytest

from plumbrule.errors import InputError
from plumbrule.reviews.levels import level_name, named_scores, read_scores
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard

KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]
EXCUSABLE, ALWAYS = KEYS[:4], KEYS[4:]


def card(**changes: Any) -> dict[str, Any]:
    """Return a card that is Strong throughout but for the changes."""
    return {**dict.fromkeys(KEYS, "Strong"), **changes}


@pytest.mark.parametrize(
    ("given", "score"),
    [("Strong", 4), ("Adequate", 3), ("Needs Review", 2), ("Unsafe", 1), (4, 4), (1, 1), ("4", 4), ("2", 2)],
)
def test_a_level_by_name_or_digit(loaded: Loaded[ScorecardRubric], given: object, score: int) -> None:
    """Four names and the digits 4 to 1, as number or text."""
    assert read_scores(card(grounding_integrity=given), loaded.rubric)["grounding_integrity"] == score


@pytest.mark.parametrize("given", [None, "Not Applicable"])
@pytest.mark.parametrize("key", EXCUSABLE)
def test_not_applicable_where_it_is_allowed(loaded: Loaded[ScorecardRubric], key: str, given: object) -> None:
    """G12: Attribution, Retrieval, Grounding and Completeness."""
    assert read_scores(card(**{key: given}), loaded.rubric)[key] is None


@pytest.mark.parametrize("given", [None, "Not Applicable"])
@pytest.mark.parametrize("key", ALWAYS)
def test_not_applicable_where_it_is_not(loaded: Loaded[ScorecardRubric], key: str, given: object) -> None:
    """G12: Refusal and Compliance always apply."""
    with pytest.raises(InputError, match=f"scores.{key}: always applies; give it a level"):
        read_scores(card(**{key: given}), loaded.rubric)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("strong", "did you mean 'Strong'?"),
        ("Needs review", "did you mean 'Needs Review'?"),
        ("", "'' is no level (the levels are Strong (4), Adequate (3), Needs Review (2), Unsafe (1))"),
        ("5", "'5' is no level"),
        (0, "0 is no level"),
        (5, "5 is no level"),
        (3.0, "3.0 is no level"),
        (True, "True is no level"),
        ([4], "[4] is no level"),
        ({"a": 1}, "is no level"),
        ("x" * 1000, "…"),
    ],
)
def test_what_is_no_level(loaded: Loaded[ScorecardRubric], given: object, complaint: str) -> None:
    """The error names the dimension and what could have been meant; it stays short."""
    with pytest.raises(InputError) as caught:
        read_scores(card(compliance_alignment=given), loaded.rubric)
    assert str(caught.value).startswith("scores.compliance_alignment: ")
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 250


def test_an_unknown_dimension(loaded: Loaded[ScorecardRubric]) -> None:
    """A typo is named with the nearest dimension; it is told before what it leaves missing."""
    given = card()
    given["grounding"] = given.pop("grounding_integrity")
    with pytest.raises(InputError, match="there is no dimension 'grounding'; did you mean 'grounding_integrity'"):
        read_scores(given, loaded.rubric)
    with pytest.raises(InputError, match="there is no dimension 'zzz'; there are attribution_accuracy, "):
        read_scores(card(zzz=4), loaded.rubric)


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_dimension(loaded: Loaded[ScorecardRubric], key: str) -> None:
    """A dimension that was left out is not the same as one that does not apply."""
    given = card()
    del given[key]
    with pytest.raises(InputError, match=f"scores: '{key}' is missing"):
        read_scores(given, loaded.rubric)


@pytest.mark.parametrize("given", [None, [], "Strong", 4])
def test_what_is_no_card(loaded: Loaded[ScorecardRubric], given: object) -> None:
    """Scores are an object."""
    with pytest.raises(InputError, match="scores: must be an object"):
        read_scores(given, loaded.rubric)


def test_names_read_back(loaded: Loaded[ScorecardRubric]) -> None:
    """What a card counts can be written by name and read again, in the rubric's order."""
    scores = read_scores(dict(reversed(card(retrieval_relevance=None, compliance_alignment=2).items())), loaded.rubric)
    assert list(scores) == KEYS
    named = named_scores(scores, loaded.rubric)
    assert (named["retrieval_relevance"], named["compliance_alignment"]) == ("Not Applicable", "Needs Review")
    assert read_scores(named, loaded.rubric) == scores
    assert level_name(None, loaded.rubric) == "Not Applicable"
