"""A run before it begins: everything that it needs, read and checked, and an estimate of what it would use."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from plumbrule.codec import to_json
from plumbrule.errors import InputError, UsageError
from plumbrule.files import sha256_of_file
from plumbrule.judges import Judge, JudgeIdentity
from plumbrule.ledger import EntryError, ResultKey
from plumbrule.models.model_names import says_latest, version_in
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.rubrics.benchmark_rubric import Component
from plumbrule.runs.budget import Estimate, Expected
from plumbrule.runs.candidate import Candidate, CandidateIdentity
from plumbrule.runs.components import Opener, Rubrics, load_rubrics
from plumbrule.runs.config_file import LoadedConfig, check_secrets, load_config
from plumbrule.runs.config_schema import Budget, PanelJudge, RulesJudge, RunConfig
from plumbrule.runs.gates import GatePolicy, rubric_policy
from plumbrule.runs.run_entries import RunBody, RunOutline, cluster_of
from plumbrule.runs.run_metadata import RunFacts, RunMetadata, collect
from plumbrule.runs.run_results import RubricStamp
from plumbrule.samples import Reading, Sample
from plumbrule.samples.field_names import names_of

_OF_EVIDENCE = frozenset({"contradicted_rate", "unsupported_rate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedDataset:
    """The dataset of a plan."""

    id: str
    samples: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEstimate:
    """What the candidate and the judge would use, and both together."""

    candidate: Estimate
    judge: Estimate
    total: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetGap:
    """Something that gates need and samples do not have: a gate cannot hold where it is missing.

    ``keys`` are the names of a field of a sample, or of a key of the configuration, that would give it.
    """

    missing: str
    samples: int
    gates: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSummary:
    """A plan as ``run --dry-run`` shows it: what would be run, how, and an estimate of what it would use."""

    name: str
    dataset: PlannedDataset
    candidate: CandidateIdentity
    judge: JudgeIdentity
    generation: Mapping[str, Mapping[str, Any]]  # what each model is sent, by its place in the configuration
    repeats: int
    concurrency: int
    timeout_s: float
    rates: Mapping[str, float]
    budget: Budget
    rubrics: tuple[RubricStamp, ...]
    estimate: PlanEstimate
    floating_models_allowed: bool
    gaps: tuple[DatasetGap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that a run needs; nothing is written and nobody is called yet."""

    loaded: LoadedConfig
    samples: list[Sample]
    dataset_sha256: str
    rubrics: Rubrics
    candidate: Candidate
    judge: Judge
    opener: Opener
    answers: Estimate
    judgements: Estimate
    floating: bool  # a model's name may mean another model tomorrow, and that was allowed
    policy: GatePolicy  # beyond the rubric's

    @property
    def config(self) -> RunConfig:
        """The configuration in force."""
        return self.loaded.config

    @property
    def tasks(self) -> int:
        """How many samples are answered and judged, each repeat counted."""
        return len(self.samples) * self.config.repeats

    @property
    def live(self) -> bool:
        """Whether the candidate is called."""
        return self.config.candidate.kind != "recorded"

    @property
    def paid(self) -> bool:
        """Whether anybody is called."""
        return self.live or self.judgements.calls > 0

    @property
    def expected(self) -> Expected:
        """What one task is expected to spend; without reported tokens, as many as may be generated."""
        answer = self.answers.per_task(self.tasks)
        if self.answers.output_tokens_at_most is None:
            answer = replace(answer, tokens=self.config.generation.max_tokens)
        return Expected(answer=answer, judgement=self.judgements.per_task(self.tasks))

    def summary(self) -> PlanSummary:
        """Return the plan as ``run --dry-run`` shows it."""
        config = self.config
        return PlanSummary(
            name=config.name,
            dataset=PlannedDataset(id=config.dataset.id, samples=len(self.samples), sha256=self.dataset_sha256),
            candidate=self.candidate.identity,
            judge=self.judge.identity,
            generation=self.opener.parameters,
            repeats=config.repeats,
            concurrency=config.concurrency,
            timeout_s=config.timeout_s,
            rates={name: rate.requests_per_minute for name, rate in sorted(config.rates.items())},
            budget=config.budget,
            rubrics=self.rubrics.stamps(),
            estimate=PlanEstimate(candidate=self.answers, judge=self.judgements, total=self.answers + self.judgements),
            floating_models_allowed=self.floating,
            gaps=tuple(self._gaps()),
        )

    def _gaps(self) -> Iterator[DatasetGap]:
        """Yield what is known to be missing before anybody is called: a live candidate may still report it."""
        rubric = self.rubrics.benchmark.rubric
        judges = self.config.judge.judges if isinstance(self.config.judge, PanelJudge) else (self.config.judge,)
        by_rules = any(isinstance(judge, RulesJudge) for judge in judges)
        needs: list[tuple[str, bool, Callable[[Sample], bool], frozenset[str], tuple[str, ...]]] = [
            (
                "reference",
                by_rules,  # a model can judge without
                _has_reference,
                _graded_gates("accuracy", rubric),
                (*names_of("reference"), "expected.refuse"),
            ),
            (
                "latency",
                not self.live,
                lambda sample: sample.latency_e2e_ms is not None,
                _graded_gates("latency", rubric) | {"latency_e2e_p95_ms"},
                names_of("latency_e2e_ms"),
            ),
            (
                "tokens",
                not self.live,
                lambda sample: None not in {sample.input_tokens, sample.output_tokens},
                _graded_gates("token_efficiency", rubric),
                (*names_of("input_tokens"), *names_of("output_tokens")),
            ),
            (
                "contexts",
                not self.live,
                lambda sample: bool(sample.contexts) or sample.refused,
                _graded_gates("faithfulness", rubric) | _OF_EVIDENCE | {"faithfulness_failure_rate"},
                names_of("contexts"),
            ),
            ("rules judge", not by_rules, lambda _: False, _OF_EVIDENCE, ("judge.kind: rules", "judge.kind: panel")),
        ]
        for missing, looked_at, has, named, keys in needs:
            gates = tuple(name for name in rubric.gates.limits if name in named)
            without = sum(not has(sample) for sample in self.samples) if looked_at and gates else 0
            if without:
                yield DatasetGap(missing=missing, samples=without, gates=gates, keys=keys)


def _has_reference(sample: Sample) -> bool:
    """Tell whether the rules judge can rate accuracy: by a reference, or by an expected refusal."""
    return bool((sample.reference or "").strip()) or (sample.expected is not None and sample.expected.refuse is True)


def _graded_gates(component: Component, rubric: BenchmarkRubric) -> frozenset[str]:
    """Return the gates that go by the grades of samples, where a component is one of these."""
    return frozenset({"aggregate_score", "pass_rate"} if component in rubric.components else ())


def plan_run(path: Path, policy: GatePolicy | None = None) -> Plan:
    """Read and check everything that the configuration at ``path`` names; a key that is not set is named.

    ``policy`` may ask for more than the rubric's gates do.
    """
    loaded = load_config(path)
    config = loaded.config
    policy = (policy or GatePolicy()).over(GatePolicy(anchor=config.anchor))
    check_secrets(config, os.environ)
    rubrics = load_rubrics(loaded)
    policy.over(rubric_policy(rubrics.benchmark.rubric))
    dataset = loaded.resolve(config.dataset.path)
    samples = list(
        Reading(
            dataset,
            mapping=dict(config.dataset.map),
            format=config.dataset.format,
            delimiter=config.dataset.delimiter,
            encoding=config.dataset.encoding,
        )
    )
    if not samples:
        raise InputError(f"{dataset}: holds no samples")
    for sample in samples:
        _check_id(sample.id, dataset)
    if config.cluster is not None and all(cluster_of(sample, config.cluster) is None for sample in samples):
        raise UsageError(f"{path}: cluster: no sample of {dataset} has '{config.cluster}', as category or in metadata")
    opener = Opener(loaded, rubrics)
    candidate = opener.open_candidate(samples)
    floating = loaded.floating or says_latest(candidate.identity.model_id or "")
    if floating and not config.allow_floating_models:
        name = candidate.identity.model_id
        raise UsageError(
            f"{dataset}: its model_id '{name}' may mean another model tomorrow; give candidate.model_id, or set "
            "allow_floating_models: true"
        )
    return Plan(
        loaded=loaded,
        samples=samples,
        dataset_sha256=sha256_of_file(dataset),
        rubrics=rubrics,
        candidate=candidate,
        judge=opener.open_judge(),
        opener=opener,
        answers=opener.estimate_candidate(samples),
        judgements=opener.estimate_judge(samples),
        floating=floating,
        policy=policy,
    )


def _check_id(sample: str, dataset: Path) -> None:
    try:
        ResultKey(run="run", repeat=0, sample=sample).check()
    except EntryError:
        raise InputError(f"{dataset}: the id {sample[:40]!r}… is too long: give a shorter one") from None


def run_body(plan: Plan, run: str, at: datetime) -> RunBody:
    """Return what the ledger keeps of a run that begins at ``at``."""
    metadata = run_metadata(plan, run, at)
    config = plan.config
    return RunBody(
        summary=RunOutline(
            name=config.name,
            dataset=config.dataset.id,
            candidate=config.candidate.kind,
            model=metadata.model_id,
            judge=plan.judge.identity.name,
            samples=len(plan.samples),
            repeats=config.repeats,
        ),
        metadata=metadata,
        missing_metadata=metadata.missing(),
        floating_models_allowed=plan.floating,
        judge=plan.judge.identity,
        cluster=config.cluster,
        decide_on=plan.policy.decide_on,
        confidence=plan.policy.confidence,
        anchor=plan.policy.anchor,
        repeated_samples=_count_repeated(plan.samples) or None,
    )


def _count_repeated(samples: Sequence[Sample]) -> int:
    """Return how many samples repeat another's question, contexts and answer under an id of their own."""
    contents = {
        (sample.question, tuple(passage.text for passage in sample.contexts), sample.answer) for sample in samples
    }
    return len(samples) - len(contents)


def run_metadata(plan: Plan, run: str, at: datetime) -> RunMetadata:
    """Return the metadata of a run that begins at ``at``."""
    candidate, judge = plan.candidate.identity, plan.judge.identity
    judging = judge.model_id.split(", ") if judge.model_id is not None else []
    versions = [version_in(name) for name in judging]
    facts = RunFacts(
        dataset_id=plan.config.dataset.id,
        dataset_version_or_hash=plan.dataset_sha256,
        model_id=candidate.model_id,
        model_version=candidate.model_version,
        evaluator_model_id=judge.model_id or judge.name,
        evaluator_model_version=judge.version if not judging else _joined(versions),
        prompt_template_id=candidate.prompt_template_id,
        prompt_template_version_or_hash=candidate.prompt_template_sha256,
        evaluator_prompt_template_version_or_hash=judge.template_sha256 or judge.sha256,
        generation_params=plan.opener.parameters,
        region=plan.config.environment.region,
    )
    return collect(
        facts,
        run_id=run,
        now=at,
        folder=plan.loaded.folder,
        config_sha256=plan.loaded.sha256,
        rubrics=[to_json(stamp) for stamp in plan.rubrics.stamps()],
    )


def _joined(versions: list[str | None]) -> str | None:
    known = [version for version in versions if version is not None]
    return ", ".join(known) if len(known) == len(versions) else None
