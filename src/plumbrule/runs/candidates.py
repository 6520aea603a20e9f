"""Who answers: the candidate of a run, behind one protocol."""

from dataclasses import dataclass
from typing import Protocol

from plumbrule.samples.model import Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A sample with what the candidate made of it; ``error`` names why there is no answer to judge."""

    sample: Sample
    error: str | None = None


class Candidate(Protocol):
    """Anything that answers questions; there is no default one."""

    async def answer(self, sample: Sample, repeat: int) -> Answered:
        """Answer one sample; a failure is an answer that says so, never an exception."""
        ...


class RecordedCandidate:
    """Answers that were given before, with the latency and the tokens recorded then."""

    async def answer(self, sample: Sample, repeat: int) -> Answered:  # noqa: ARG002 - every repeat is the same record
        """Give the sample as it was recorded."""
        return Answered(sample=sample)
