"""The ledger entries of a run, read back: one typed reader for each kind of entry.

A body without ``version`` is of version 1. What cannot be read is an ``InputError`` that names the entry.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from plumbrule.codec import from_json, optional_key
from plumbrule.errors import InputError, UsageError
from plumbrule.judges.judgement import JudgeIdentity
from plumbrule.ledger import Entry, Ledger, ResultKey
from plumbrule.names import pick
from plumbrule.outcomes import DecideOn, Outcome
from plumbrule.rubrics import BenchmarkRubric, Loaded, kept_rubric
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.anchor.anchor_results import DrawnAnswer
from plumbrule.runs.anchor.label_file import Label
from plumbrule.runs.budget import Spending
from plumbrule.runs.candidate import Answered
from plumbrule.runs.run_metadata import RunMetadata
from plumbrule.runs.run_results import AggregateValues, GateResult, RepeatsSummary, RubricStamp
from plumbrule.runs.sample_results import SampleResult
from plumbrule.samples import Sample

AUTHOR = "plumbrule run"
SAMPLES = "samples"  # the dataset's own, as RUN/samples/ID; what a live candidate answered is RUN/REPEAT/ID
LABELS = "labels"  # what people say of a run's answers, as RUN/labels
BODY_VERSION = 1

Key = tuple[int, str]  # of a task: the repeat and the sample's id

T = TypeVar("T")

_RESULT_FIELDS = frozenset(field.name for field in fields(SampleResult))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutline:
    """A run in short, in the order in which the ledger writes it."""

    candidate: str
    dataset: str | None = None
    judge: str | None = None
    model: str | None = None
    name: str
    repeats: int
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBody:
    """What the ledger keeps of a run when it begins."""

    summary: RunOutline
    metadata: RunMetadata
    missing_metadata: tuple[str, ...]
    floating_models_allowed: bool
    judge: JudgeIdentity | None = None
    cluster: str | None = optional_key()  # the field that samples of one cluster share; not there in older versions
    decide_on: DecideOn | None = optional_key()  # where the run was begun with a policy beyond its rubric's
    confidence: Confidence | None = optional_key()
    anchor: Anchor | None = optional_key()
    repeated_samples: int | None = optional_key()  # those that repeat another's question, contexts and answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """A run as it was begun."""

    run_id: str
    recorded_at_utc: str
    body: RunBody

    @property
    def live(self) -> bool:
        """Whether the candidate was called."""
        return self.body.summary.candidate != "recorded"

    @property
    def tasks(self) -> int:
        """How many results a complete run has."""
        return self.body.summary.samples * self.body.summary.repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredSample:
    """What a live candidate answered, and what that spent."""

    answered: Answered
    spent: Spending = field(default_factory=Spending)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptJudgement:
    """A judgement as the ledger keeps it: who judged, what that used, and the support that it tells."""

    judge: JudgeIdentity | None = None
    flags: tuple[str, ...] = ()
    requests: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = None
    reported_model: str | None = None
    fingerprint: str | None = None
    support: Mapping[str, Any] | None = None
    members: tuple["KeptJudgement", ...] = ()

    @property
    def any_support(self) -> Mapping[str, Any] | None:
        """The support of this judgement; a panel's comes from the first member that gives one."""
        supports = (self.support, *(member.support for member in self.members))
        return next((support for support in supports if support is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultEntry:
    """The result of a task, with its judgement and what the judge spent."""

    result: SampleResult
    judgement: KeptJudgement
    spent: Spending

    @property
    def key(self) -> Key:
        """The task that it is the result of."""
        return self.result.repeat, self.result.sample_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Calls for a task that are about to be made, or that failed."""

    event: Literal["started", "failed"]
    reason: str | None = None
    spent: Spending = field(default_factory=Spending)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDecision:
    """The decision that was recorded when a run was complete."""

    release_ready: bool
    gates: tuple[GateResult, ...]
    aggregates: AggregateValues
    repeats: RepeatsSummary
    outcome: Outcome | None = None  # not there in older versions, as the next
    decide_on: DecideOn | None = None
    confidence: Confidence | None = None
    anchor: Anchor | None = None

    @property
    def known_outcome(self) -> Outcome:
        """The outcome; older versions recorded only whether the run may be released."""
        return self.outcome or ("RELEASE" if self.release_ready else "NO RELEASE")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDraw:
    """Answers of a run that were drawn at random, for people to label; a later draw adds to the earlier ones."""

    event: Literal["drawn"] = "drawn"
    seed: int
    of: int  # samples that had no drawn answer yet
    answers: tuple[DrawnAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """Labels that one person gave, and where they came from; a later label by the same person has a reason."""

    event: Literal["given"] = "given"
    person: str
    source: str  # the name of the file, or of the campaign
    sha256: str  # of the file's bytes, or of the campaign's records
    reason: str | None = None
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricEntry:
    """A rubric that a run was made with, whole."""

    name: str
    version: str
    sha256: str
    content: Mapping[str, Any]

    @property
    def stamp(self) -> RubricStamp:
        """Its name, version and hash."""
        return RubricStamp(name=self.name, version=self.version, sha256=self.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ResultBody:
    result: Mapping[str, Any]
    judgement: KeptJudgement | None = None
    spent: Spending = field(default_factory=Spending)


def read_run(entry: Entry) -> RunEntry:
    """Return a run as it was begun."""
    return RunEntry(run_id=entry.subject, recorded_at_utc=entry.recorded_at_utc, body=_read(RunBody, entry))


def read_sample(entry: Entry) -> Sample:
    """Return a sample of the dataset."""
    return _read(Sample, entry)


def read_answered(entry: Entry) -> AnsweredSample:
    """Return what a live candidate answered."""
    return _read(AnsweredSample, entry)


def read_result(entry: Entry) -> ResultEntry:
    """Return the result of a task; its numbers stay exactly as they were written."""
    body = _read(_ResultBody, entry)
    known = {name: value for name, value in body.result.items() if name in _RESULT_FIELDS}
    if "contradicted" not in known and body.judgement is not None and body.judgement.any_support is not None:
        # an older version kept the same in the flags and the band
        known["contradicted"] = "contradicted" in known.get("flags", ())
        known["unsupported"] = body.judgement.any_support.get("band") == "unsupported"
    try:
        result = SampleResult(**{**known, "flags": tuple(known.get("flags", ()))})
    except TypeError as error:
        raise InputError(f"{_place(entry)}: 'result' cannot be read: {error}") from None
    return ResultEntry(result=result, judgement=body.judgement or KeptJudgement(), spent=body.spent)


def read_note(entry: Entry) -> Note:
    """Return a note on the calls of a task."""
    return _read(Note, entry)


def read_decision(entry: Entry) -> RunDecision:
    """Return the decision that was recorded on a complete run."""
    return _read(RunDecision, entry)


def read_labels_entry(entry: Entry) -> LabelDraw | LabelSet:
    """Return a draw of answers to label, or the labels that a person gave."""
    drawn = isinstance(entry.value, Mapping) and entry.value.get("event") == "drawn"
    return _read(LabelDraw, entry) if drawn else _read(LabelSet, entry)


def read_rubric(entry: Entry) -> RubricEntry:
    """Return a rubric that a run was made with; its ``version`` is the rubric's own."""
    return from_json(RubricEntry, entry.value, where=_place(entry))


def task_key(entry: Entry) -> Key:
    """Return the task that an answer, a result or a note is about."""
    key = ResultKey.read(entry.subject)
    return key.repeat, key.sample


def is_dataset_sample(entry: Entry) -> bool:
    """Whether a sample entry is of the dataset; else it is what a live candidate answered."""
    return entry.subject.partition("/")[2].startswith(f"{SAMPLES}/")


def run_samples(ledger: Ledger, run: str) -> Iterator[Sample]:
    """Yield the samples of a run's dataset."""
    return map(read_sample, ledger.entries(kind="sample", run=f"{run}/{SAMPLES}"))


def cluster_of(sample: Sample, name: str) -> str | None:
    """Return the cluster of a sample: its category, or what its metadata says under ``name``; None where it has none.

    A sample without one is a cluster of its own.
    """
    value = sample.category if name == "category" else sample.metadata.get(name.removeprefix("metadata."))
    return value if value is None or isinstance(value, str) else str(value)


def run_answers(ledger: Ledger, run: str) -> Iterator[AnsweredSample]:
    """Yield what the live candidate of a run answered."""
    entries = ledger.entries(kind="sample", run=run)
    return (read_answered(entry) for entry in entries if not is_dataset_sample(entry))


def run_results(ledger: Ledger, run: str) -> Iterator[ResultEntry]:
    """Yield the results of a run, in the order in which they were finished."""
    return map(read_result, ledger.results(run))


def run_notes(ledger: Ledger, run: str) -> Iterator[Note]:
    """Yield the notes of a run."""
    return map(read_note, ledger.entries(kind="note", run=run))


def run_labels(ledger: Ledger, run: str) -> Iterator[LabelDraw | LabelSet]:
    """Yield the draws and the labels of a run, in the order of the chain."""
    return map(read_labels_entry, ledger.entries(kind="label", subject=labels_subject(run)))


def labels_subject(run: str) -> str:
    """Return the subject of all entries on the labels of a run."""
    return f"{run}/{LABELS}"


def rubric_of(ledger: Ledger, run: str) -> BenchmarkRubric:
    """Return the benchmark rubric that a run was made with, as it was kept: nothing of the one that ships comes in."""
    entries = list(ledger.entries(kind="rubric", subject=f"{run}/rubrics/benchmark"))
    if not entries:
        raise InputError(f"{run}: the ledger keeps no benchmark rubric of it, so that it cannot be graded")
    rubric = read_rubric(entries[0])
    try:
        loaded: Loaded[BenchmarkRubric] = kept_rubric("benchmark", rubric.content)
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(str(part) for part in problem["loc"])
        where = f"{_place(entries[0])}: '{key}' of version {rubric.version}"
        raise InputError(f"{where} cannot be read: {problem['msg']}") from None
    return loaded.rubric


def find_run(ledger: Ledger, reference: str) -> Entry:
    """Return the run with this id, the only one whose id begins so, the ``last`` one, or the ``previous`` before it."""
    if reference == "last" and (last := ledger.last_run()) is not None:
        return last
    runs = list(ledger.runs("" if reference == "previous" else reference))
    if reference == "previous" and len(runs) > 1:
        return runs[-2]
    run = pick(reference, runs, lambda entry: (entry.subject,), where=ledger.name, what="runs")
    if run is None:
        raise UsageError(f"{ledger.name}: there is no run '{reference}'; 'plumbrule runs' lists them")
    return run


def _read(kind: type[T], entry: Entry) -> T:
    body = entry.value
    version = body.get("version", 1) if isinstance(body, Mapping) else 1
    if version != BODY_VERSION:
        raise InputError(f"{_place(entry)}: is of version {version}, which this Plumbrule cannot read: upgrade it")
    return from_json(kind, body, where=_place(entry))


def _place(entry: Entry) -> str:
    return f"ledger entry {entry.sequence} ({entry.kind} {entry.subject})"
