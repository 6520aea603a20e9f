"""A recorded answer is given as it stands; a live one carries nothing of it."""

from dataclasses import fields

from tests.runs.conftest import ASKED, SAMPLE, answer_once, nothing_old_is_left

from plumbrule.runs.candidate import Answered, CandidateIdentity, RecordedCandidate, unanswered
from plumbrule.samples import Sample


def test_a_recorded_answer_is_given_as_it_stands() -> None:
    """No request, no error, nothing changed."""
    candidate = RecordedCandidate(CandidateIdentity(kind="recorded", model_id="assistant@1"))
    assert answer_once(candidate) == Answered(sample=SAMPLE)
    assert candidate.identity.model_id == "assistant@1"


def test_what_was_asked_stays_and_what_was_answered_goes() -> None:
    """Every field of a sample is either of the question or of the answer."""
    blank = unanswered(SAMPLE)
    for field in fields(Sample):
        kept = getattr(SAMPLE, field.name) if field.name in ASKED else getattr(Sample(id="none"), field.name)
        assert getattr(blank, field.name) == kept, field.name
    assert nothing_old_is_left(blank)
    assert not nothing_old_is_left(SAMPLE)
