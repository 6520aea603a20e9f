"""Scorecards for Python callers and the command line: wires the rubric, the reading of records and the decision."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plumbrule.errors import InputError
from plumbrule.reviews.card_decision import Decision, decide
from plumbrule.reviews.evaluation_record import EvaluationRecord, asking_for_a_note, read_record
from plumbrule.reviews.record_files import read_given
from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard


def decide_scorecard(
    scores: Mapping[str, object],
    *,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Decision:
    """Return what the ratings of one card come to: overall score, band, action, blockers, recommendation.

    The result reads as an object (``result.overall`` is an exact fraction) and like its JSON (``result["overall"]``).

    >>> card = dict.fromkeys(["attribution_accuracy", "retrieval_relevance", "grounding_integrity"], "Strong")
    >>> card |= {"response_completeness": 3, "refusal_appropriateness": "4", "compliance_alignment": "Needs Review"}
    >>> decision = decide_scorecard(card)
    >>> decision["overall"], decision["band"], decision["recommendation"]
    (3.7, 'production_ready', 'Pass with notes')
    """
    if rubric is None and not overrides:
        return decide(scores, _shipped())
    return decide(scores, load_scorecard(Path(rubric) if rubric is not None else None, overrides))


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedRecord:
    """A record that was read, and what it comes to."""

    record: EvaluationRecord
    decision: Decision
    note_needed: tuple[str, ...]  # the dimensions whose rating needs a note before the record can be kept

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as JSON, with the ids that the record has."""
        ids = {"evaluation_id": self.record.evaluation_id, "trace_id": self.record.trace_id}
        return {
            **{name: value for name, value in ids.items() if value is not None},
            **self.decision.to_dict(),
            "note_needed": list(self.note_needed),
        }


def decide_records(path: str, loaded: Loaded[ScorecardRubric]) -> list[DecidedRecord]:
    """Decide every record of a file, or of standard input for ``-``; the first that cannot be read is an error."""
    decided = []
    for place, given in read_given(path):
        try:
            record = read_record(given, loaded.rubric, complete=False)
        except InputError as error:
            raise InputError(f"{place}: {error}") from None
        decided.append(
            DecidedRecord(
                record=record,
                decision=decide(record.scores, loaded),
                note_needed=asking_for_a_note(record, loaded.rubric),
            )
        )
    return decided


@functools.cache
def _shipped() -> Loaded[ScorecardRubric]:
    return load_scorecard()
