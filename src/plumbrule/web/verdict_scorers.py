"""The scorers that mark kept answers again: one for each verdict rubric, those that were asked for last."""

import threading
from collections import OrderedDict

from plumbrule.rubrics import Loaded, VerdictRubric
from plumbrule.verdicts import VerdictScorer

_MOST = 4


class VerdictScorers:
    """Makes a scorer at the first use of a rubric; threads may share it."""

    def __init__(self) -> None:
        self._by_rubric: OrderedDict[str, VerdictScorer] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, rubric: Loaded[VerdictRubric]) -> VerdictScorer:
        """Return the scorer of a rubric."""
        with self._lock:
            scorer = self._by_rubric.get(rubric.sha256)
            if scorer is None:
                scorer = self._by_rubric[rubric.sha256] = VerdictScorer(rubric)
            self._by_rubric.move_to_end(rubric.sha256)
            while len(self._by_rubric) > _MOST:
                self._by_rubric.popitem(last=False)
            return scorer
