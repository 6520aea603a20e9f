"""What a run in the ledger comes to: its metadata, aggregates, gates, intervals, repeats and what was spent on it."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from plumbrule.errors import InputError
from plumbrule.judges.judgement import total, total_cost
from plumbrule.ledger import Entry, Ledger
from plumbrule.rubrics import BenchmarkRubric, load_benchmark
from plumbrule.runs.journal import SAMPLES
from plumbrule.runs.repeats import Repeat, summarise
from plumbrule.runs.sample_results import SampleResult, grade_all


def describe_run(ledger: Ledger, run: Entry, *, samples: bool = False) -> dict[str, Any]:
    """Return a run's metadata, aggregates, gates and intervals; with its samples where they are asked for.

    The figures are those of the worst repeat: a release needs every one of them.
    """
    kept = [entry.value for entry in ledger.results(run.subject)]
    if not kept:
        raise InputError(f"{run.subject}: has no results yet; 'plumbrule run CONFIG --resume {run.subject}' goes on")
    results = [read_result(each) for each in kept]
    about = run.value
    live = about["summary"]["candidate"] != "recorded"
    rubric = rubric_of(ledger, run.subject)
    group = summarise(results, rubric, recorded=not live)
    worst = min(group.repeats, key=_standing)
    judgements = [each["judgement"] for each in kept]
    answers = list(_answers(ledger, run.subject)) if live else []
    metadata, missing = _completed(about, answers, judgements)
    complete = len(results) == about["summary"]["samples"] * about["summary"]["repeats"]
    described = {
        "run_id": run.subject,
        "complete": complete,
        "metadata": metadata,
        "missing_metadata": missing,
        "floating_models_allowed": about["floating_models_allowed"],
        "decisive_repeat": worst.repeat,
        "aggregates": worst.aggregates.to_dict(),
        **worst.decision.to_dict(),
        "release_ready": complete and group.release_ready,
        "intervals": worst.aggregates.intervals_to_dict(),
        "repeats": group.to_dict(),
        "usage": {
            "candidate": _usage(answers, [each["sample"] for each in answers]),
            "judge": _usage(judgements, judgements),
            "calls_failed": _calls_failed(ledger, run.subject),
            "calls_repeated": sum("call_repeated" in result.flags for result in results),
        },
    }
    if samples:
        described["samples"] = [graded.to_dict() for graded in grade_all(results, rubric)]
    return described


def read_result(kept: dict[str, Any]) -> SampleResult:
    """Return a result from what the ledger keeps of it."""
    return SampleResult(**{**kept["result"], "flags": tuple(kept["result"]["flags"])})


def rubric_of(ledger: Ledger, run: str) -> BenchmarkRubric:
    """Return the benchmark rubric that the run was made with, as the ledger keeps it."""
    [kept] = ledger.entries(kind="rubric", subject=f"{run}/rubrics/benchmark")
    return load_benchmark(
        overrides={key: value for key, value in kept.value["content"].items() if key != "name"}
    ).rubric


def _standing(repeat: Repeat) -> tuple[bool, Fraction]:
    """Return how a repeat stands, by the worse of both null treatments."""
    both = (repeat.aggregates.figures.aggregate_score, repeat.aggregates.nulls_as_zero.aggregate_score)
    return repeat.decision.release_ready, min(score if score is not None else Fraction() for score in both)


def _calls_failed(ledger: Ledger, run: str) -> int:
    """Return how many calls were made in vain for samples that had to be tried again."""
    notes = (entry.value for entry in ledger.entries(kind="note", run=run))
    return sum(int(note["spent"]["calls"]) for note in notes if note["event"] == "failed")


def _answers(ledger: Ledger, run: str) -> Iterator[dict[str, Any]]:
    """Yield what a live candidate answered."""
    for entry in ledger.entries(kind="sample", run=run):
        if not entry.subject.startswith(f"{run}/{SAMPLES}/"):
            yield entry.value["answered"]


def _completed(
    about: dict[str, Any], answers: list[dict[str, Any]], judgements: list[dict[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """Return the metadata with the models that the providers reported, which say the version where no name does."""
    metadata, missing = dict(about["metadata"]), list(about["missing_metadata"])
    for role, said in (("model", answers), ("evaluator_model", judgements)):
        reported = _named(said, "reported_model")
        metadata[f"{role}_reported"] = reported
        metadata[f"{role}_fingerprints"] = _named(said, "fingerprint")
        version = f"{role}_version"
        if metadata[version] is None and len(reported) == 1:
            metadata[version] = reported[0]
            missing.remove(version)
            metadata["warnings"] = [
                warning for warning in metadata["warnings"] if not warning.startswith(f"{version}:")
            ]
        if len(reported) > 1:
            metadata["warnings"] = [*metadata["warnings"], f"{role}: several were reported: {', '.join(reported)}"]
    return metadata, missing


def _named(said: Iterable[dict[str, Any]], key: str) -> list[str]:
    return sorted({each[key] for each in said if each[key] is not None})


def _usage(calls: list[dict[str, Any]], tokens: list[dict[str, Any]]) -> dict[str, Any]:
    """Return requests, tokens and cost; None where one of those who were called did not report them."""
    called = [(call, token) for call, token in zip(calls, tokens, strict=True) if call["requests"]]
    return {
        "requests": sum(call["requests"] for call, _ in called),
        "input_tokens": total([token["input_tokens"] for _, token in called]),
        "output_tokens": total([token["output_tokens"] for _, token in called]),
        "cost_usd": total_cost([call["cost_usd"] for call, _ in called]),
    }
