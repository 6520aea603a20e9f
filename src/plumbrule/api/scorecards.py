"""Decisions on scorecards for Python callers and the command line; nothing is stored."""

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from plumbrule.reviews.evaluation_record import DecidedRecord, asking_for_a_note
from plumbrule.reviews.record_decision import Decision, decide
from plumbrule.reviews.record_files import read_records
from plumbrule.rubrics import Loaded, ScorecardRubric, check_policy, load_scorecard


def decide_scorecard(
    scores: Mapping[str, object],
    *,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    accept_weaker_policy: bool = False,
) -> Decision:
    """Return the decision on the ratings of one record: overall score, band, action, blockers, recommendation.

    The result reads as an object (``result.overall`` is an exact fraction) and like its JSON (``result["overall"]``).
    A rubric that is weaker than the one that ships is an error, unless it is accepted.

    >>> scores = dict.fromkeys(["attribution_accuracy", "retrieval_relevance", "grounding_integrity"], "Strong")
    >>> scores |= {"response_completeness": 3, "refusal_appropriateness": "4", "compliance_alignment": "Needs Review"}
    >>> decision = decide_scorecard(scores)
    >>> decision["overall"], decision["band"], decision["recommendation"]
    (3.7, 'production_ready', 'Pass with notes')
    """
    if rubric is None and not overrides:
        return decide(scores, _shipped())
    loaded = load_scorecard(Path(rubric) if rubric is not None else None, overrides)
    check_policy(loaded, accept_weaker=accept_weaker_policy)
    return decide(scores, loaded)


def decide_records(
    path: str,
    *,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    accept_weaker_policy: bool = False,
) -> tuple[DecidedRecord, ...]:
    """Decide every record of a file, or of standard input for ``-``; the first that cannot be read is an error.

    A rubric that is weaker than the one that ships is an error, unless it is accepted; each result then says so.
    """
    loaded = load_scorecard(Path(rubric) if rubric is not None else None, overrides)
    policy = check_policy(loaded, accept_weaker=accept_weaker_policy) or None
    decided = []
    for _, record in read_records(path, loaded.rubric):
        note_needed = asking_for_a_note(record, loaded.rubric)
        decision = record.decided(decide(record.scores, loaded), note_needed=note_needed)
        decided.append(replace(decision, policy=policy))
    return tuple(decided)


@functools.cache
def _shipped() -> Loaded[ScorecardRubric]:
    return load_scorecard()
