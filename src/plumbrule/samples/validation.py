"""What a dataset holds: the fields that were understood and where from, counts, and every bad record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plumbrule.errors import RecordError
from plumbrule.samples.dataset_reader import Reading
from plumbrule.samples.sample_model import Sample

USED_FIELDS = ("question", "answer", "contexts")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordCounts:
    """How many records there are, and how many of them could be read."""

    attempted: int
    read: int
    bad: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFacts:
    """Counts among the records that were read."""

    answered: int
    refused_declared: int  # a refusal known by its wording alone counts as answered: only a rubric can tell
    timed_out: int
    without_contexts: int
    without_question: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRecord:
    """A record that cannot be read; ``line`` is its number where the format has no lines."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetCheck:
    """What a dataset holds, and what is wrong with it."""

    source: str
    format: str
    counts: RecordCounts
    facts: SampleFacts
    fields: Mapping[str, Mapping[str, int]]  # each field with the names it was taken from
    ignored: Mapping[str, int]
    notes: Mapping[str, int]
    bad: tuple[BadRecord, ...]

    @property
    def missing_fields(self) -> tuple[str, ...]:
        """The fields that a verdict uses and that no record has."""
        return tuple(name for name in USED_FIELDS if name not in self.fields)


def check_samples(samples: Iterable[Sample], reading: Reading, bad: Iterable[RecordError]) -> DatasetCheck:
    """Use up the samples of a reading and return what it read; ``bad`` lists the bad records met on the way."""
    answered = refused = timed_out = without_contexts = without_question = 0
    for sample in samples:
        refused += sample.refused
        answered += sample.answer is not None and not sample.refused
        timed_out += bool(sample.timed_out)
        without_contexts += not sample.contexts
        without_question += not sample.question
    return DatasetCheck(
        source=reading.source,
        format=reading.format,
        counts=RecordCounts(attempted=reading.read + reading.bad, read=reading.read, bad=reading.bad),
        facts=SampleFacts(
            answered=answered,
            refused_declared=refused,
            timed_out=timed_out,
            without_contexts=without_contexts,
            without_question=without_question,
        ),
        fields=reading.fields,
        ignored=reading.ignored,
        notes=reading.notes,
        bad=tuple(BadRecord(line=error.line, reason=error.reason) for error in bad),
    )
