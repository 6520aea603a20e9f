"""How well a score ranks: the area under the receiver operating characteristic."""

from collections.abc import Sequence
from itertools import groupby

from plumbrule.stats.bootstrap import Resampled, resample_items

_MANY = 1_000
_FEWER_RESAMPLES = 500


def auroc(scores: Sequence[float], positives: Sequence[bool]) -> float | None:
    """Return how often a positive scores above a negative, a tie counting half; None where one kind is missing."""
    ordered = sorted(zip(scores, positives, strict=True))
    wins = 0.0
    below = 0
    for _, tied in groupby(ordered, key=lambda pair: pair[0]):
        labels = [positive for _, positive in tied]
        positive, negative = sum(labels), len(labels) - sum(labels)
        wins += positive * (below + negative / 2)
        below += negative
    above = len(ordered) - below
    return wins / (above * below) if above and below else None


def auroc_estimate(scores: Sequence[float], positives: Sequence[bool], *, seed: int) -> Resampled:
    """Return the area with an interval by resampling the answers; a ranking may be chance where it holds 0.5.

    Of more than a thousand answers nothing is left to correct for, and fewer resamples do.
    """

    def figure(drawn: Sequence[tuple[float, bool]]) -> float | None:
        return auroc([score for score, _ in drawn], [positive for _, positive in drawn])

    labelled = list(zip(scores, positives, strict=True))
    if len(labelled) > _MANY:
        return resample_items(labelled, figure, seed=seed, resamples=_FEWER_RESAMPLES)
    return resample_items(labelled, figure, seed=seed, method="bca")
