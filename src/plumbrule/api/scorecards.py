"""Decisions on scorecards for Python callers and the command line; nothing is stored."""

import functools
from collections.abc import Mapping
from pathlib import Path

from plumbrule.errors import InputError
from plumbrule.reviews.evaluation_record import DecidedRecord, asking_for_a_note, read_record
from plumbrule.reviews.record_decision import Decision, decide
from plumbrule.reviews.record_files import read_given
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard


def decide_scorecard(
    scores: Mapping[str, object],
    *,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Decision:
    """Return the decision on the ratings of one record: overall score, band, action, blockers, recommendation.

    The result reads as an object (``result.overall`` is an exact fraction) and like its JSON (``result["overall"]``).

    >>> scores = dict.fromkeys(["attribution_accuracy", "retrieval_relevance", "grounding_integrity"], "Strong")
    >>> scores |= {"response_completeness": 3, "refusal_appropriateness": "4", "compliance_alignment": "Needs Review"}
    >>> decision = decide_scorecard(scores)
    >>> decision["overall"], decision["band"], decision["recommendation"]
    (3.7, 'production_ready', 'Pass with notes')
    """
    if rubric is None and not overrides:
        return decide(scores, _shipped())
    return decide(scores, load_scorecard(Path(rubric) if rubric is not None else None, overrides))


def decide_records(
    path: str, *, rubric: str | Path | None = None, overrides: Mapping[str, object] | None = None
) -> tuple[DecidedRecord, ...]:
    """Decide every record of a file, or of standard input for ``-``; the first that cannot be read is an error."""
    loaded = load_scorecard(Path(rubric) if rubric is not None else None, overrides)
    decided = []
    for place, given in read_given(path):
        try:
            record = read_record(given, loaded.rubric, complete=False)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        note_needed = asking_for_a_note(record, loaded.rubric)
        decided.append(record.decided(decide(record.scores, loaded), note_needed=note_needed))
    return tuple(decided)


@functools.cache
def _shipped() -> Loaded[ScorecardRubric]:
    return load_scorecard()
