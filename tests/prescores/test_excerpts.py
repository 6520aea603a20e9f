"""An excerpt stands in a passage however it was typeset, and only where its words do."""

import pytest

from plumbrule.prescores.excerpts import stands_in

PASSAGE = "The firm's “standing” order—Form R-7—is kept for 7 years.\n  It  is then destroyed."


@pytest.mark.parametrize(
    ("excerpt", "stands"),
    [
        ('The firm\'s "standing" order-Form R-7-is kept', True),
        ("is kept for 7 years. It is then destroyed.", True),
        ("IS KEPT FOR 7 YEARS", True),
        ("The firm's … is kept … destroyed", True),
        ("The firm's [...] destroyed...", True),
        ("…kept for 7 years", True),
        ("is kept for 7 yea…", True),
        ("is kept for 7 years [1]. It is then destroyed", True),
        ("[i]t is then destroyed [2, 3]", True),
        ("[1]", False),
        ("destroyed … The firm's", False),
        ("is kept for 70 years", False),
        ("It was then destroyed", False),
        ("", False),
        ("…", False),
        (" . ", False),
    ],
)
def test_stands_in(excerpt: str, stands: bool) -> None:  # noqa: FBT001 - a column of the table
    """Spacing, case, quotation marks, dashes, gaps and markers are no difference; words and their order are."""
    assert stands_in(excerpt, PASSAGE) is stands
