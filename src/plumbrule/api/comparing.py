"""Two runs of the ledger beside each other: what was compared, what else differs between them, and the figures."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plumbrule.api.figures import describe_run, read_result, rubric_of
from plumbrule.api.journal import SAMPLES
from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger
from plumbrule.runs.compare import Comparison, compare
from plumbrule.runs.results import SampleResult

# What should be the same in both runs: where it is not, a difference may be its doing and not the candidate's.
_SAME = (
    "dataset_version_or_hash",
    "evaluator_model_id",
    "evaluator_model_version",
    "evaluator_model_reported",
    "evaluator_model_fingerprints",
    "evaluator_prompt_template_version_or_hash",
    "generation_params",
    "environment",
    "plumbrule_version",
)


def compare_runs(ledger: Ledger, first: Entry, second: Entry, *, other_dataset: bool = False) -> dict[str, Any]:
    """Compare two runs of one dataset, or with ``other_dataset`` of two; the second run's rubric grades both."""
    before, after = _read(ledger, first), _read(ledger, second)
    if before.dataset != after.dataset and not other_dataset:
        raise UsageError(
            f"{first.subject} and {second.subject} are of different datasets: "
            "--other-dataset compares the samples with the same id all the same"
        )
    compared = compare(before.results, after.results, rubric_of(ledger, second.subject))
    if not compared.samples:
        raise UsageError(f"{first.subject} and {second.subject} have no sample id in common: nothing can be compared")
    described = compared.to_dict()
    flips = described["flips"]
    for way in ("pass_to_fail", "fail_to_pass"):
        flips[way] = [{**flip, "question": after.questions.get(flip["sample_id"])} for flip in flips[way]]
    if not after.complete:
        described["regressions"].append("the second run is not complete")
    return {
        "first": before.to_dict(),
        "second": after.to_dict(),
        "rubric": after.rubrics["benchmark"],
        "differences": list(_differences(before, after)),
        "warnings": list(_warnings(before, after, compared)),
        **described,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """All that is needed of one run."""

    run_id: str
    summary: dict[str, Any]
    metadata: dict[str, Any]
    complete: bool
    repeats: int
    results: list[SampleResult]
    questions: dict[str, str | None]

    @property
    def dataset(self) -> str | None:
        version: str | None = self.metadata["dataset_version_or_hash"]
        return version

    @property
    def rubrics(self) -> dict[str, dict[str, str]]:
        return {stamp["name"]: stamp for stamp in self.metadata["rubrics"]}

    def to_dict(self) -> dict[str, Any]:
        return {"run_id": self.run_id, **self.summary, "complete": self.complete}


def _read(ledger: Ledger, run: Entry) -> _Run:
    described = describe_run(ledger, run)
    samples = (entry.value for entry in ledger.entries(kind="sample", run=f"{run.subject}/{SAMPLES}"))
    return _Run(
        run_id=run.subject,
        summary=run.value["summary"],
        metadata=described["metadata"],
        complete=described["complete"],
        repeats=described["repeats"]["repeats"],
        results=[read_result(entry.value) for entry in ledger.results(run.subject)],
        questions={sample["id"]: sample["question"] for sample in samples},
    )


def _differences(before: _Run, after: _Run) -> Iterator[dict[str, Any]]:
    """Yield what is not the same in both runs, and should be."""
    pairs: dict[str, tuple[Any, Any]] = {name: (before.metadata[name], after.metadata[name]) for name in _SAME}
    for name in ("benchmark", "verdict"):
        pairs[f"{name}_rubric"] = before.rubrics[name]["sha256"], after.rubrics[name]["sha256"]
    pairs["repeats"] = before.repeats, after.repeats
    for name, (first, second) in pairs.items():
        if first != second:
            yield {"name": name, "first": first, "second": second}


def _warnings(before: _Run, after: _Run, compared: Comparison) -> Iterator[str]:
    for run in (before, after):
        if not run.complete:
            yield f"{run.run_id} is not complete; 'plumbrule run CONFIG --resume {run.run_id}' goes on"
    for which, only in (("first", compared.only_in_first), ("second", compared.only_in_second)):
        if only:
            yield f"{len(only)} samples are only in the {which} run, and are not compared"
    asked = sum(before.questions.get(sample) != after.questions.get(sample) for sample in compared.samples)
    if asked:
        yield f"{asked} of the {len(compared.samples)} samples compared ask another question in the second run"
    if before.rubrics["benchmark"] != after.rubrics["benchmark"]:
        yield "both runs are graded by the second's benchmark rubric: the first may stand otherwise than in 'show'"
