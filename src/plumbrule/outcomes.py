"""The three outcomes of a release decision, and the exit code of each.

RELEASE
    every condition holds, and under the policy ``bound`` the whole interval of each figure holds it.
NO RELEASE
    a condition fails.
INCONCLUSIVE
    nothing fails for certain, and some figure cannot be told from its limit: more samples would settle it.
"""

from collections.abc import Iterable
from typing import Literal

Outcome = Literal["RELEASE", "NO RELEASE", "INCONCLUSIVE"]
# what a figure is compared by: the figure itself, or the end of its interval that is nearer to the limit
DecideOn = Literal["point", "bound"]
# how an interval stands to its limit
Settled = Literal["holds", "fails", "inconclusive"]

EXIT_CODES: dict[Outcome, int] = {"RELEASE": 0, "NO RELEASE": 1, "INCONCLUSIVE": 5}

WORST_FIRST: tuple[Outcome, ...] = ("NO RELEASE", "INCONCLUSIVE", "RELEASE")


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of several outcomes; RELEASE where there are none."""
    return min(outcomes, key=WORST_FIRST.index, default="RELEASE")
