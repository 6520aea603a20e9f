"""Benchmark runs into a ledger: wires configuration, candidate, judge, execution and the store together."""

import asyncio
import hashlib
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from plumbrule.errors import InputError, UsageError
from plumbrule.judges import Judge
from plumbrule.judges.rules import RulesJudge
from plumbrule.judges.rules_policy import load_rules
from plumbrule.ledger import Draft, Entry, Ledger, ResultKey
from plumbrule.rubrics import BenchmarkRubric, Loaded, VerdictRubric, content_of, load_benchmark, load_verdict
from plumbrule.runs.candidates import RecordedCandidate
from plumbrule.runs.config import LoadedConfig, load_config
from plumbrule.runs.execution import Execution, Finished, Progress
from plumbrule.runs.metadata import RunFacts, RunMetadata, collect
from plumbrule.runs.repeats import Repeat, summarise
from plumbrule.runs.results import SampleResult, grade_all
from plumbrule.samples import Reading, Sample

_AUTHOR = "plumbrule run"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Clock = Callable[[], datetime]
Watch = Callable[[Progress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """All that a run is made of, read before anything is written."""

    loaded: LoadedConfig
    samples: list[Sample]
    dataset_sha256: str
    benchmark: Loaded[BenchmarkRubric]
    verdict: Loaded[VerdictRubric]
    judge: Judge


def start_run(config: Path, ledger: Ledger, clock: Clock, *, watch: Watch | None = None) -> str:
    """Carry out the run that a configuration describes, into the ledger; return the run's id."""
    plan = _plan(config)
    at = clock()
    run = f"run-{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    drafts = [Draft(kind="run", subject=run, body=_description(plan, run, at), author=_AUTHOR, at=at)]
    for rubric in (plan.benchmark, plan.verdict):
        body = {**rubric.stamp(), "content": content_of(rubric)}
        drafts.append(Draft(kind="rubric", subject=f"{run}/rubrics/{rubric.name}", body=body, author=_AUTHOR, at=at))
    for sample in plan.samples:
        subject = f"{run}/samples/{_CONTROL.sub('?', sample.id)}"
        drafts.append(Draft(kind="sample", subject=subject, body=asdict(sample), author=_AUTHOR, at=at))
    ledger.append_many(drafts)
    return _carry_out(run, plan, ledger, clock, watch)


def resume_run(reference: str, config: Path, ledger: Ledger, clock: Clock, *, watch: Watch | None = None) -> str:
    """Go on with an interrupted run: what is finished stands, the rest is done."""
    run = find_run(ledger, reference)
    plan = _plan(config)
    if run.value["metadata"]["config_sha256"] != plan.loaded.sha256:
        raise UsageError(f"{run.subject}: its configuration has changed since: start a new run")
    if run.value["metadata"]["dataset_version_or_hash"] != plan.dataset_sha256:
        raise UsageError(f"{run.subject}: its dataset has changed since: start a new run")
    return _carry_out(run.subject, plan, ledger, clock, watch)


def find_run(ledger: Ledger, reference: str) -> Entry:
    """Return the run with this id, the only one whose id begins so, or the last one."""
    found = list(ledger.runs("" if reference == "last" else reference))
    if not found:
        raise UsageError(f"{ledger.name}: there is no run '{reference}'; 'plumbrule runs' lists them")
    if reference == "last":
        return found[-1]
    exact = [run for run in found if run.subject == reference]
    if not exact and len(found) > 1:
        raise UsageError(f"{ledger.name}: {len(found)} runs begin with '{reference}': write more of the id")
    return (exact or found)[0]


def describe_run(ledger: Ledger, run: Entry, *, samples: bool = False) -> dict[str, Any]:
    """Return a run's metadata, aggregates, gates and intervals; with its samples where they are asked for.

    The figures are those of the worst repeat: a release needs every one of them.
    """
    results = [SampleResult(**entry.value["result"]) for entry in ledger.results(run.subject)]
    if not results:
        raise InputError(f"{run.subject}: has no results yet; 'plumbrule run CONFIG --resume {run.subject}' goes on")
    about = run.value
    rubric = _rubric_of(ledger, run.subject)
    group = summarise(results, rubric, recorded=True)
    worst = min(group.repeats, key=_standing)
    described = {
        "run_id": run.subject,
        "complete": len(results) == about["summary"]["samples"] * about["summary"]["repeats"],
        "metadata": about["metadata"],
        "missing_metadata": about["missing_metadata"],
        "aggregates": worst.aggregates.to_dict(),
        **worst.decision.to_dict(),
        "release_ready": group.release_ready,
        "intervals": worst.aggregates.intervals_to_dict(),
        "repeats": group.to_dict(),
    }
    if samples:
        described["samples"] = [graded.to_dict() for graded in grade_all(results, rubric)]
    return described


def _standing(repeat: Repeat) -> tuple[bool, float]:
    return repeat.decision.release_ready, float(repeat.aggregates.figures.aggregate_score or 0)


def _carry_out(run: str, plan: _Plan, ledger: Ledger, clock: Clock, watch: Watch | None) -> str:
    async def keep(finished: Finished) -> None:
        await asyncio.to_thread(ledger.append_many, list(_drafts(run, finished, clock())))
        if watch is not None:
            watch(execution.progress)

    execution = Execution(
        candidate=RecordedCandidate(),
        judge=plan.judge,
        keep=keep,
        concurrency=plan.loaded.config.concurrency,
        finished={(key.repeat, key.sample) for key in ledger.finished(run)},
    )
    asyncio.run(execution.run(plan.samples, repeats=plan.loaded.config.repeats))
    return run


def _drafts(run: str, finished: Finished, at: datetime) -> Iterator[Draft]:
    """Yield what is kept of one piece: together they are durable, or none of them."""
    result, judgement = finished.result, finished.judgement
    subject = ResultKey(run=run, repeat=result.repeat, sample=result.sample_id).subject
    for exchange in judgement.exchanges:
        yield Draft(kind="exchange", subject=subject, body=exchange.to_dict(), author=_AUTHOR, at=at)
    said = {name: value for name, value in judgement.to_dict().items() if name != "exchanges"}
    body = {"result": asdict(result), "judgement": said}
    yield Draft(kind="result", subject=subject, body=body, author=_AUTHOR, at=at)


def _plan(path: Path) -> _Plan:
    loaded = load_config(path)
    config = loaded.config
    if config.candidate.kind != "recorded":
        raise UsageError(f"{path}: candidate.kind '{config.candidate.kind}' cannot be run yet; 'recorded' can")
    if config.judge.kind != "rules":
        raise UsageError(f"{path}: judge.kind '{config.judge.kind}' cannot be run yet; 'rules' can")
    files = config.rubric
    verdict = load_verdict(loaded.resolve(files.verdict) if files.verdict else None)
    dataset = loaded.resolve(config.dataset.path)
    samples = list(Reading(dataset, mapping=dict(config.dataset.map), format=config.dataset.format))
    return _Plan(
        loaded=loaded,
        samples=samples,
        dataset_sha256=hashlib.sha256(dataset.read_bytes()).hexdigest(),
        benchmark=load_benchmark(loaded.resolve(files.benchmark) if files.benchmark else None),
        verdict=verdict,
        judge=RulesJudge(load_rules(), verdict),
    )


def _description(plan: _Plan, run: str, at: datetime) -> dict[str, Any]:
    metadata = _metadata(plan, run, at)
    config = plan.loaded.config
    return {
        "summary": {
            "name": config.name,
            "dataset": config.dataset.id,
            "model": metadata.model_id,
            "judge": plan.judge.identity.name,
            "samples": len(plan.samples),
            "repeats": config.repeats,
        },
        "metadata": metadata.to_dict(),
        "missing_metadata": list(metadata.missing()),
        "floating_models_allowed": plan.loaded.floating,
    }


def _metadata(plan: _Plan, run: str, at: datetime) -> RunMetadata:
    config, judge = plan.loaded.config, plan.judge.identity
    named = {sample.model_id for sample in plan.samples if sample.model_id}
    recorded = getattr(config.candidate, "model_id", None) or (named.pop() if len(named) == 1 else None)
    _, _, version = (recorded or "").rpartition("@")
    facts = RunFacts(
        dataset_id=config.dataset.id,
        dataset_version_or_hash=plan.dataset_sha256,
        model_id=recorded,
        model_version=version if recorded and "@" in recorded else None,
        evaluator_model_id=judge.model_id or judge.name,
        evaluator_model_version=judge.version,
        evaluator_prompt_template_version_or_hash=judge.template_sha256 or judge.sha256,
        generation_params=asdict(config.generation),
    )
    return collect(
        facts,
        run_id=run,
        now=at,
        folder=plan.loaded.folder,
        config_sha256=plan.loaded.sha256,
        rubrics=[plan.benchmark.stamp(), plan.verdict.stamp()],
    )


def _rubric_of(ledger: Ledger, run: str) -> BenchmarkRubric:
    """Return the benchmark rubric that the run was made with, as the ledger keeps it."""
    [kept] = ledger.entries(kind="rubric", subject=f"{run}/rubrics/benchmark")
    return load_benchmark(
        overrides={key: value for key, value in kept.value["content"].items() if key != "name"}
    ).rubric
