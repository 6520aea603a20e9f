"""The summary of a run in the ledger: metadata, aggregates, gates, intervals, repeats and usage."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Protocol

from plumbrule.codec import take_fields
from plumbrule.errors import InputError
from plumbrule.judges.judgement import total, total_cost
from plumbrule.ledger import ArchivedError, Entry, Ledger
from plumbrule.rubrics import BenchmarkRubric, load_benchmark
from plumbrule.rubrics.benchmark_rubric import COMPONENTS
from plumbrule.runs.anchor.anchor_results import AnchorSummary
from plumbrule.runs.anchor.anchored_figures import anchor_figures
from plumbrule.runs.anchor.label_store import read_run_labels
from plumbrule.runs.candidate import Answered
from plumbrule.runs.gate_estimates import SampleDesign
from plumbrule.runs.gates import DIRECTIONS, GatePolicy, against_labels, headline_of, outcome_of, rubric_policy
from plumbrule.runs.journal import read_before
from plumbrule.runs.repeats import RepeatGroup, summarise
from plumbrule.runs.run_entries import (
    KeptJudgement,
    ResultEntry,
    RunEntry,
    cluster_of,
    read_decision,
    read_run,
    rubric_of,
    run_answers,
    run_notes,
    run_results,
    run_samples,
)
from plumbrule.runs.run_metadata import RunMetadata
from plumbrule.runs.run_results import CompletedMetadata, GateResult, RoleUsage, RunLine, RunSummary, RunUsage
from plumbrule.runs.sample_results import SampleResult
from plumbrule.text.figure_format import figure


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatedRun:
    """A run read from the ledger once and evaluated by its own rubric; summary, comparison and report start here."""

    run: RunEntry
    rubric: BenchmarkRubric
    finished: tuple[ResultEntry, ...]
    answers: tuple[Answered, ...]
    group: RepeatGroup
    calls_failed: int
    calls_repeated: int
    policy: GatePolicy
    look: int
    clusters: Mapping[str, str]  # by sample id, where the run names clusters
    labels: AnchorSummary | None = None

    @property
    def results(self) -> tuple[SampleResult, ...]:
        """What was measured and judged, in the order in which it was finished."""
        return tuple(entry.result for entry in self.finished)

    @property
    def judgements(self) -> tuple[KeptJudgement, ...]:
        """The judgements, in the same order."""
        return tuple(entry.judgement for entry in self.finished)

    @property
    def complete(self) -> bool:
        """Whether every task has a result."""
        return len(self.finished) == self.run.tasks

    def summary(self, *, samples: bool = False) -> RunSummary:
        """Return the summary: gates over all repeats, aggregates of the worst one."""
        worst = self.group.worst
        metadata, missing = self._metadata()
        gates = self.group.gates()
        decide_on = self.policy.decide_on or "point"
        outcome = outcome_of(gates, decide_on=decide_on, complete=self.complete)
        return RunSummary(
            run_id=self.run.run_id,
            complete=self.complete,
            metadata=metadata,
            missing_metadata=missing,
            floating_models_allowed=self.run.body.floating_models_allowed,
            decisive_repeat=worst.repeat,
            aggregates=worst.aggregates.values(),
            gates=gates,
            release_ready=outcome == "RELEASE",
            intervals=self.group.intervals(),
            repeats=self.group.summary(),
            usage=self._usage(),
            outcome=outcome,
            decide_on=decide_on,
            confidence=self.policy.confidence or "fixed",
            headline=headline_of(
                outcome,
                gates,
                complete=self.complete,
                against=[gate.name for gate in against_labels(gates, self.labels)],
            ),
            look=self.look,
            policy_differences=policy_differences(self.rubric),
            anchor=self.policy.anchor or "judge",
            labels=self.labels,
            repeated_samples=self.run.body.repeated_samples,
            samples=tuple(graded.summary() for graded in self.group.graded) if samples else None,
        )

    def _metadata(self) -> tuple[CompletedMetadata, tuple[str, ...]]:
        """Return the metadata with the models that the providers reported, and what is still missing.

        A reported model is its own version where the configured name has none.
        """
        metadata: dict[str, Any] = {
            field.name: getattr(self.run.body.metadata, field.name) for field in fields(RunMetadata)
        }
        missing = list(self.run.body.missing_metadata)
        roles: tuple[tuple[str, Sequence[_Reporting]], ...] = (
            ("model", self.answers),
            ("evaluator_model", self.judgements),
        )
        for role, calls in roles:
            reported = _distinct(call.reported_model for call in calls)
            metadata[f"{role}_reported"] = reported
            metadata[f"{role}_fingerprints"] = _distinct(call.fingerprint for call in calls)
            version = f"{role}_version"
            if metadata[version] is None and len(reported) == 1:
                metadata[version] = reported[0]
                missing.remove(version)
                metadata["warnings"] = tuple(
                    warning for warning in metadata["warnings"] if not warning.startswith(f"{version}:")
                )
            if len(reported) > 1:
                warning = f"{role}: several were reported: {', '.join(reported)}"
                metadata["warnings"] = (*metadata["warnings"], warning)
        cut = sum("truncated" in result.flags for result in self.results)
        if cut:
            warning = f"candidate: {cut} answer{' was' if cut == 1 else 's were'} cut at max_tokens"
            metadata["warnings"] = (*metadata["warnings"], warning)
        own = sum(bool(answered.self_reported) for answered in self.answers)
        if own:
            warning = f"candidate: {own} answers came with contexts of its own, which do not count (accept_contexts)"
            metadata["warnings"] = (*metadata["warnings"], warning)
        return CompletedMetadata(**metadata), tuple(missing)

    def _usage(self) -> RunUsage:
        called = [answered for answered in self.answers if answered.requests]
        judged = [entry.judgement for entry in self.finished if entry.judgement.requests]
        return RunUsage(
            candidate=RoleUsage(
                requests=sum(answered.requests for answered in called),
                input_tokens=total([answered.sample.input_tokens for answered in called]),
                output_tokens=total([answered.sample.output_tokens for answered in called]),
                cost_usd=total_cost([answered.cost_usd for answered in called]),
            ),
            judge=RoleUsage(
                requests=sum(judgement.requests for judgement in judged),
                input_tokens=total([judgement.input_tokens for judgement in judged]),
                output_tokens=total([judgement.output_tokens for judgement in judged]),
                cost_usd=total_cost([judgement.cost_usd for judgement in judged]),
            ),
            calls_failed=self.calls_failed,
            calls_repeated=self.calls_repeated,
        )


class _Reporting(Protocol):
    """Something that may tell which model was called."""

    @property
    def reported_model(self) -> str | None: ...

    @property
    def fingerprint(self) -> str | None: ...


def evaluate_run(ledger: Ledger, run: Entry, policy: GatePolicy | None = None) -> EvaluatedRun:
    """Read a run from the ledger and evaluate it by the rubric that it was made with.

    ``policy`` may ask for more than the rubric and what the run was begun with.
    """
    results = tuple(run_results(ledger, run.subject))
    if not results:
        raise InputError(f"{run.subject}: has no results yet; 'plumbrule run CONFIG --resume {run.subject}' goes on")
    begun = read_run(run)
    rubric = rubric_of(ledger, run.subject)
    policy = (policy or GatePolicy()).over(GatePolicy.of(begun.body).over(rubric_policy(rubric)))
    measured = tuple(entry.result for entry in results)
    answers = run_answers(ledger, run.subject) if begun.live else ()
    failed = (note.spent.calls for note in run_notes(ledger, run.subject) if note.event == "failed")
    design = _design(ledger, begun, sequential=policy.confidence == "sequential")
    group = summarise(measured, rubric, design, recorded=not begun.live)
    people = policy.anchor == "people"
    labels, given = None, read_run_labels(ledger, run.subject)
    if given.drawn or people:
        labels = anchor_figures(group.graded, given, rubric, design.clusters)
    return EvaluatedRun(
        run=begun,
        rubric=rubric,
        finished=results,
        answers=tuple(entry.answered for entry in answers),
        group=group.anchored(labels) if labels is not None and people else group,
        calls_failed=sum(int(calls) for calls in failed),
        calls_repeated=_count_repeated(ledger, run.subject, results),
        policy=policy,
        look=count_looks(ledger, begun),
        clusters=design.clusters,
        labels=labels,
    )


def _count_repeated(ledger: Ledger, run: str, results: Sequence[ResultEntry]) -> int:
    """Return how many calls were under way when the process ended and were made again, each as often as it was."""
    keys = {entry.key for entry in results if "call_repeated" in entry.result.flags}
    if not keys:
        return 0
    judge_is_called = any(entry.judgement.requests or "cached" in entry.judgement.flags for entry in results)
    return sum(key in keys for key in read_before(ledger, run, judge_is_called=judge_is_called).lost)


def _design(ledger: Ledger, run: RunEntry, *, sequential: bool) -> SampleDesign:
    """Return how the samples of a run belong together; they are read only where that matters."""
    name = run.body.cluster
    if name is None and not sequential:
        return SampleDesign()
    samples = list(run_samples(ledger, run.run_id))
    clusters = {sample.id: cluster_of(sample, name) for sample in samples} if name is not None else {}
    return SampleDesign(
        clusters={sample: cluster for sample, cluster in clusters.items() if cluster is not None},
        order=[sample.id for sample in samples],
        sequential=sequential,
    )


def count_looks(ledger: Ledger, run: RunEntry) -> int:
    """Return which look at the same gates this run is: 1 for the first.

    Complete runs of the same candidate on a dataset of the same name count, up to this one. The candidate is the same
    where its kind, model, version and prompt are; one whose model is not named, where the runs have the same name.
    """
    decided = {subject for subject, _ in ledger.outlines(kind="decision")}
    looks, candidate = 1, _candidate(run)
    for entry in ledger.runs():
        if entry.subject == run.run_id:
            break
        looks += entry.subject in decided and _candidate_of(entry) == candidate
    return looks


def _candidate_of(entry: Entry) -> tuple[str | None, ...] | None:
    """Return who answered in a run; None for one that this version cannot read, which must not keep others unread."""
    try:
        return _candidate(read_run(entry))
    except InputError:
        return None


def _candidate(run: RunEntry) -> tuple[str | None, ...]:
    outline, metadata = run.body.summary, run.body.metadata
    return (
        outline.dataset,
        outline.candidate,
        metadata.model_id,
        metadata.model_version,
        metadata.prompt_template_id,
        metadata.prompt_template_version_or_hash,
        None if metadata.model_id is not None else outline.name,
    )


def policy_differences(rubric: BenchmarkRubric) -> tuple[str, ...]:
    """Return in words where a rubric is not the default one: limits, weights, scales and repeats."""
    used, shipped = (dict(_numbers(asdict(each))) for each in (rubric, load_benchmark().rubric))
    alone = len(rubric.components) == 1
    implied = {f"weights.{name}" for name in COMPONENTS if alone or name not in rubric.components}
    return tuple(
        _difference(key, value, shipped[key])
        for key, value in used.items()
        if key in shipped and key not in implied and value != shipped[key]
    )


def _numbers(content: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in content.items():
        if isinstance(value, Mapping):
            if key != "generation":  # what a model is asked with is the experiment, not the policy
                yield from _numbers(value, f"{above}{key}.")
        elif above or key not in {"name", "version"}:  # these are no policy
            yield f"{above}{key}", value


def _difference(key: str, value: Any, shipped: Any) -> str:  # noqa: ANN401 - whatever a rubric says
    words = [_worded(each) for each in (value, shipped)]
    text = f"{key} is {words[0]}, {words[1]} by default"
    direction = DIRECTIONS.get(key.removeprefix("gates."))
    if direction is None:
        return text
    weaker = shipped is not None and (value is None or (value < shipped) == (direction == "at_least"))
    return f"{text} ({'weaker' if weaker else 'stricter'})"


def _worded(value: Any) -> str:  # noqa: ANN401 - the same
    if isinstance(value, tuple):
        return " and ".join(value)
    return str(value) if isinstance(value, str) else "none" if value is None else figure(float(value))


def summarise_run(ledger: Ledger, run: Entry, *, samples: bool = False, policy: GatePolicy | None = None) -> RunSummary:
    """Return the summary of a run, with its samples where they are asked for."""
    return evaluate_run(ledger, run, policy).summary(samples=samples)


def run_lines(ledger: Ledger) -> tuple[RunLine, ...]:
    """Return the runs of a ledger, the oldest first."""
    decisions = {entry.subject: entry for entry in ledger.entries(kind="decision")}  # those of campaigns, too
    return tuple(_line(ledger, run, decisions.get(run.subject)) for run in ledger.runs())


def gates_now(ledger: Ledger, entry: Entry) -> tuple[GateResult, ...]:
    """Return the gates of a complete run: as they were recorded, or where labels decide, as they are now."""
    summary = _summary_by_labels(ledger, entry, read_run(entry))
    if summary is not None:
        return summary.gates
    return read_decision(ledger.last_entries("decision", [entry.subject])[entry.subject]).gates


def _summary_by_labels(ledger: Ledger, entry: Entry, run: RunEntry) -> RunSummary | None:
    """Return the summary of a run that labels decide; None for another, and where its results are archived."""
    if run.body.anchor != "people":
        return None
    try:
        return summarise_run(ledger, entry)
    except ArchivedError:
        return None


def _line(ledger: Ledger, entry: Entry, decision: Entry | None) -> RunLine:
    """Return a run with the outcome that was recorded when it was complete; where labels decide, what they give now."""
    run = read_run(entry)
    decided = None if decision is None else read_decision(decision)
    summary = None if decided is None else _summary_by_labels(ledger, entry, run)
    if summary is not None:
        outcome, gates = summary.outcome, summary.gates
    elif decided is not None:
        outcome, gates = decided.known_outcome, decided.gates
    else:
        outcome, gates = None, ()
    return take_fields(
        RunLine,
        run.body.summary,
        run_id=run.run_id,
        at=run.recorded_at_utc,
        outcome=outcome,
        unsettled_gates=tuple(gate.name for gate in gates if gate.inconclusive) or None,
    )


def _distinct(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in names if name is not None}))
