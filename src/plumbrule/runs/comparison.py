"""Two runs of the same samples compared: every figure, the samples that flipped, the gates, what else differs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.differences import ComparedFigure, Pair, compare_figures
from plumbrule.runs.gates import Gate
from plumbrule.runs.journal import SAMPLES
from plumbrule.runs.repeats import RepeatGroup, summarise
from plumbrule.runs.sample_results import GradedSample, SampleResult, grade_all, rounded
from plumbrule.runs.summary import describe_run, read_result, rubric_of
from plumbrule.stats.paired_tests import sign_test


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A sample that passed in one run alone, and the fields that kept it from passing in the other."""

    sample_id: str
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What became of the samples: passed in both runs, in neither, or in one; each in more than half of its repeats."""

    both_pass: int
    both_fail: int
    pass_to_fail: tuple[Flip, ...]
    fail_to_pass: tuple[Flip, ...]

    @property
    def mcnemar_p(self) -> Fraction:
        """The chance of flips so uneven if neither run were better: McNemar's exact test, two-sided."""
        return sign_test(len(self.fail_to_pass), len(self.pass_to_fail))

    def to_dict(self) -> dict[str, Any]:
        """Return the flips as JSON holds them."""
        return {
            "both_pass": self.both_pass,
            "both_fail": self.both_fail,
            "pass_to_fail": [{"sample_id": flip.sample_id, "failed": list(flip.failed)} for flip in self.pass_to_fail],
            "fail_to_pass": [{"sample_id": flip.sample_id, "failed": list(flip.failed)} for flip in self.fail_to_pass],
            "mcnemar_p": rounded(self.mcnemar_p),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGate:
    """One gate of both runs, each of them whole; of several repeats, the one that keeps it worst."""

    first: Gate
    second: Gate

    @property
    def lost(self) -> bool:
        """Whether it held in the first run and fails in the second."""
        return self.first.passed and not self.second.passed

    def to_dict(self) -> dict[str, Any]:
        """Return the gate as JSON holds it."""
        gate = self.second
        return {
            "name": gate.name,
            "limit": float(gate.limit),
            "direction": gate.direction,
            "first": _in_short(self.first),
            "second": _in_short(gate),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that two runs come to beside each other; figures and flips are of the samples that both have."""

    samples: tuple[str, ...]
    only_in_first: tuple[str, ...]
    only_in_second: tuple[str, ...]
    figures: tuple[ComparedFigure, ...]
    flips: Flips
    gates: tuple[ComparedGate, ...]

    @property
    def regressions(self) -> tuple[str, ...]:
        """What speaks against the second run: figures that gates decide on and are clearly worse, and gates lost."""
        gated = {gate.second.name for gate in self.gates}
        worse = [each.name for each in self.figures if each.name in gated and each.clearly_worse]
        lost = [gate.second.name for gate in self.gates if gate.lost]
        return (*(f"{name}: clearly worse" for name in worse), *(f"{name}: the gate held, and fails" for name in lost))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON holds it."""
        return {
            "samples": len(self.samples),
            "only_in_first": list(self.only_in_first),
            "only_in_second": list(self.only_in_second),
            "figures": [figure.to_dict() for figure in self.figures],
            "flips": self.flips.to_dict(),
            "gates": [gate.to_dict() for gate in self.gates],
            "regressions": list(self.regressions),
        }


def compare(first: Sequence[SampleResult], second: Sequence[SampleResult], rubric: BenchmarkRubric) -> Comparison:
    """Compare the results of two runs, all their repeats, in any order; one rubric grades both."""
    before, after = _by_sample(first, rubric), _by_sample(second, rubric)
    samples = tuple(sample for sample in before if sample in after)
    pairs = [(before[sample], after[sample]) for sample in samples]
    return Comparison(
        samples=samples,
        only_in_first=tuple(sample for sample in before if sample not in after),
        only_in_second=tuple(sample for sample in after if sample not in before),
        figures=tuple(compare_figures(pairs, rubric)),
        flips=_flips(samples, pairs),
        gates=tuple(_gates(summarise(first, rubric), summarise(second, rubric))),
    )


def _by_sample(results: Sequence[SampleResult], rubric: BenchmarkRubric) -> dict[str, list[GradedSample]]:
    samples: dict[str, list[GradedSample]] = {}
    for graded in grade_all(results, rubric):
        samples.setdefault(graded.result.sample_id, []).append(graded)
    return samples


def _flips(samples: Sequence[str], pairs: Sequence[Pair]) -> Flips:
    outcomes = [(_passes(first), _passes(second)) for first, second in pairs]
    to_fail, to_pass = [], []
    for sample, (first, second), (passed, passes) in zip(samples, pairs, outcomes, strict=True):
        if passed and not passes:
            to_fail.append(Flip(sample_id=sample, failed=_failed(second)))
        elif passes and not passed:
            to_pass.append(Flip(sample_id=sample, failed=_failed(first)))
    return Flips(
        both_pass=outcomes.count((True, True)),
        both_fail=outcomes.count((False, False)),
        pass_to_fail=tuple(to_fail),
        fail_to_pass=tuple(to_pass),
    )


def _passes(repeats: Sequence[GradedSample]) -> bool:
    return 2 * sum(graded.grade.passed for graded in repeats) > len(repeats)


def _failed(repeats: Sequence[GradedSample]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for graded in repeats for name in graded.grade.failed))


def _gates(first: RepeatGroup, second: RepeatGroup) -> Iterator[ComparedGate]:
    before, after = ([repeat.decision.gates for repeat in group.repeats] for group in (first, second))
    if before and after:
        for of_first, of_second in zip(zip(*before, strict=True), zip(*after, strict=True), strict=True):
            yield ComparedGate(first=min(of_first, key=_kept), second=min(of_second, key=_kept))


def _kept(gate: Gate) -> tuple[bool, bool, Fraction]:
    """Return how well a gate is kept, to find the repeat that keeps it worst."""
    value = gate.deciding.value
    known = Fraction() if value is None else value
    return gate.passed, value is not None, known if gate.direction == "at_least" else -known


def _in_short(gate: Gate) -> dict[str, Any]:
    wanted = ("value", "value_nulls_as_zero", "passed", "inconclusive")
    return {key: value for key, value in gate.to_dict().items() if key in wanted}


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
