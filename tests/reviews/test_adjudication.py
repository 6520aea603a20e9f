"""Ratings that part too far go to somebody who made none of them; until then the lower level counts."""

import pytest

from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.person_names import same_person
from plumbrule.reviews.adjudication import Rating, Settlement, settle
from plumbrule.rubrics import load_scorecard

RUBRIC = load_scorecard().rubric
KEYS = [dimension.key for dimension in RUBRIC.dimensions]


def rating(evaluator: str, *levels: int | None) -> Rating:
    """Return a rating; levels left out are Strong."""
    return Rating(evaluator=evaluator, scores=dict(zip(KEYS, [*levels, 4, 4, 4, 4, 4, 4], strict=False)))


def settled(*ratings: Rating, by: Rating | None = None) -> Settlement:
    """Settle by the rubric that ships."""
    return settle(ratings, RUBRIC, by)


@pytest.mark.parametrize(
    ("one", "other", "goes", "counts"),
    [
        (4, 4, False, 4),
        (4, 3, False, 3),
        (3, 2, False, 2),
        (4, 2, True, 2),
        (4, 1, True, 1),
        (2, 1, True, 1),
        (1, 1, True, 1),
        (None, None, False, None),
        (None, 4, True, 4),
        (2, None, True, 2),
    ],
)
def test_who_goes_to_an_adjudicator(one: int | None, other: int | None, goes: bool, counts: int | None) -> None:  # noqa: FBT001 - a column of the table
    """G13: two levels apart or more, or any Unsafe; until then the lower level counts."""
    found = settled(rating("Ada", one), rating("Ben", other))
    assert found.open == (("attribution_accuracy",) if goes else ())
    assert found.scores["attribution_accuracy"] == counts
    assert found.scores["compliance_alignment"] == 4


def test_the_reasons_are_named() -> None:
    """Too far apart, at a level that always goes, or applying to one and not to the other."""
    reasons = [
        settled(rating("Ada", one), rating("Ben", other)).dimensions[0].reasons
        for one, other in ((4, 2), (2, 1), (4, 1), (None, 1), (None, 3), (4, 3))
    ]
    assert reasons == [
        ("far_apart",),
        ("level",),
        ("far_apart", "level"),
        ("level", "applicability"),
        ("applicability",),
        (),
    ]


def test_three_evaluators() -> None:
    """The farthest two decide, though each is near the third."""
    assert settled(rating("Ada", 4), rating("Ben", 3), rating("Cy", 2)).open == ("attribution_accuracy",)


def test_one_evaluator() -> None:
    """A single Unsafe goes to an adjudicator, too, and counts until then."""
    found = settled(rating("Ada", 1))
    assert (found.open, found.scores["attribution_accuracy"]) == (("attribution_accuracy",), 1)


def test_the_adjudicator_decides_what_was_open() -> None:
    """Their level counts where the others parted, up or down, and nowhere else."""
    found = settled(rating("Ada", 4, 4), rating("Ben", 1, 3), by=rating("Cy", 3, 1))
    assert found.open == ()
    assert (found.scores["attribution_accuracy"], found.scores["retrieval_relevance"]) == (3, 3)
    assert [each.adjudicated for each in found.dimensions] == [True, *[False] * 5]
    assert settled(rating("Ada", None), rating("Ben", 4), by=rating("Cy", None)).scores["attribution_accuracy"] is None


def test_nobody_adjudicates_themselves() -> None:
    """G13: the adjudicator rated neither; a name in capitals is the same name."""
    with pytest.raises(InputError, match="'ADA ' rated this interaction; somebody else must adjudicate"):
        settled(rating("Ada", 4), rating("Ben", 1), by=rating("ADA ", 3))
    assert same_person("Ada  Lovelace", "ada lovelace")
    assert not same_person("Ada", "Ben")


def test_a_rating_twice() -> None:
    """Two ratings of one person are not two evaluators."""
    with pytest.raises(InputError, match="'ada' rated twice"):
        settled(rating("Ada", 4), rating("ada", 4))


def test_what_cannot_be_settled() -> None:
    """No ratings, nobody's rating, or a rating that is none."""
    with pytest.raises(InputError, match="there is no rating to settle"):
        settled()
    with pytest.raises(InputError, match="a rating has no evaluator"):
        settled(rating(" ", 4))
    with pytest.raises(InputError, match=r"scores.compliance_alignment: always applies"):
        settled(rating("Ada", 4, 4, 4, 4, 4, None))


def test_the_json_form() -> None:
    """Levels by name, in the order of the evaluators."""
    shown = to_json(settled(rating("Ada", 4), rating("Ben", 1), by=rating("Cy", None)).result(RUBRIC))
    assert (shown["evaluators"], shown["adjudicator"], shown["open"]) == (["Ada", "Ben"], "Cy", [])
    assert shown["dimensions"]["attribution_accuracy"] == {
        "given": ["Strong", "Unsafe"],
        "reasons": ["far_apart", "level"],
        "adjudicated": True,
        "counts": "Not Applicable",
    }
