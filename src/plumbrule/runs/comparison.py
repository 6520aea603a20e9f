"""Two runs of the same samples compared: every figure, the samples that flipped, the gates, what else differs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction

from plumbrule.codec import optional_key
from plumbrule.errors import UsageError
from plumbrule.hashing import sha256_of
from plumbrule.ledger import Entry, Ledger
from plumbrule.rubrics import BenchmarkRubric
from plumbrule.rubrics.benchmark_rubric import Confidence
from plumbrule.runs.differences import (
    FIGURES,
    ComparedFigure,
    FigureComparison,
    MarginResult,
    Pair,
    compare_figures,
)
from plumbrule.runs.gate_estimates import SampleDesign
from plumbrule.runs.gates import Gate, GatePolicy, latencies_are_null
from plumbrule.runs.repeats import RepeatGroup, summarise
from plumbrule.runs.run_entries import RunEntry, run_samples
from plumbrule.runs.run_results import Direction, RunSummary
from plumbrule.runs.sample_results import GradedSample, SampleResult
from plumbrule.runs.summary import evaluate_run
from plumbrule.samples import Sample
from plumbrule.samples.sample_fields import is_made_id
from plumbrule.stats.paired_tests import sign_test


class OtherDatasetError(UsageError):
    """Two runs are of different datasets, and nobody said to compare them all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipResult:
    """A sample that passed in one run alone, for output: with its question."""

    sample_id: str
    failed: tuple[str, ...]
    question: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipsResult:
    """What became of the samples, and the p-value of McNemar's exact test of the flips.

    The test is of independent samples, and for one look: None where some share a cluster, or intervals are sequential.
    """

    both_pass: int
    both_fail: int
    pass_to_fail: tuple[FlipResult, ...]
    fail_to_pass: tuple[FlipResult, ...]
    mcnemar_p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStanding:
    """One gate of one of the two runs."""

    value: float | None
    value_nulls_as_zero: float | None
    passed: bool
    inconclusive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GateComparison:
    """One gate of both runs, for output."""

    name: str
    limit: float
    direction: Direction
    first: GateStanding
    second: GateStanding


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One of the two runs."""

    run_id: str
    candidate: str
    dataset: str | None
    judge: str | None
    model: str | None
    name: str
    repeats: int
    samples: int
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """Something that is not the same in both runs, and should be."""

    name: str
    first: object
    second: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """On what the samples of both runs were paired: their own ids, or for ids made from content what was asked.

    ``first_ids`` are the ids that samples have in the first run, by those of the second, where they are not the same.
    """

    by_id: int
    by_question_and_contexts: int
    first_ids: Mapping[str, str]

    @property
    def words(self) -> str:
        """What they were paired on, in words."""
        on = {"id": self.by_id, "question and contexts": self.by_question_and_contexts}
        named = [name for name, count in on.items() if count]
        counts = [f"{on[name]} by {name}" for name in named]
        return f"paired by {named[0]}" if len(named) == 1 else f"paired {' and '.join(counts)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """Two runs compared; ``regressions`` says why the second must not replace the first."""

    first: ComparedRun
    second: ComparedRun
    rubric: Mapping[str, str]
    differences: tuple[RunDifference, ...]
    warnings: tuple[str, ...]
    samples: int
    paired: Pairing
    only_in_first: tuple[str, ...]
    only_in_second: tuple[str, ...]
    figures: tuple[FigureComparison, ...]
    flips: FlipsResult
    gates: tuple[GateComparison, ...]
    regressions: tuple[str, ...]
    remarks: tuple[str, ...]  # what may be chance, and is no regression
    clusters: int | None = optional_key()  # how many clusters the samples make, where the run names them
    confidence: Confidence | None = optional_key()  # where intervals are not for one look

    @property
    def margins(self) -> tuple[MarginResult, ...]:
        """The figures that a margin was named for, whether they keep it."""
        return tuple(figure.non_inferiority for figure in self.figures if figure.non_inferiority is not None)


def comparison_title(comparison: RunComparison) -> str:
    """Return a comparison as one short sentence, such as ``Clearly worse in 2 figures, better in none``."""
    counts = {
        verdict: sum(compared.verdict == verdict for compared in comparison.figures) for verdict in ("worse", "better")
    }
    lost = len(comparison.flips.pass_to_fail)
    if not any(counts.values()):
        return f"No clear difference; {lost} of {comparison.samples} samples passed and now fail"
    words = [
        f"{verdict} in {count or 'no'} {'figure' if count == 1 else 'figures'}" for verdict, count in counts.items()
    ]
    return f"Clearly {', '.join(words)}"


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
    tested: bool = True

    @property
    def mcnemar_p(self) -> Fraction | None:
        """The chance of flips so uneven if neither run were better: McNemar's exact test, two-sided."""
        return sign_test(len(self.fail_to_pass), len(self.pass_to_fail)) if self.tested else None

    def result(self, questions: Mapping[str, str]) -> FlipsResult:
        """Return the flips for output, each sample with its question."""
        to_fail, to_pass = (
            tuple(
                FlipResult(sample_id=flip.sample_id, failed=flip.failed, question=questions.get(flip.sample_id))
                for flip in flips
            )
            for flips in (self.pass_to_fail, self.fail_to_pass)
        )
        return FlipsResult(
            both_pass=self.both_pass,
            both_fail=self.both_fail,
            pass_to_fail=to_fail,
            fail_to_pass=to_pass,
            mcnemar_p=None if self.mcnemar_p is None else float(self.mcnemar_p),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGate:
    """One gate of both runs, each of them whole, over all its repeats."""

    first: Gate
    second: Gate

    @property
    def lost(self) -> bool:
        """Whether it held in the first run and fails in the second."""
        return self.first.passed and not self.second.passed and self.second.waits_for is None

    def result(self) -> GateComparison:
        """Return the gate for output."""
        gate = self.second
        return GateComparison(
            name=gate.name,
            limit=float(gate.limit),
            direction=gate.direction,
            first=_standing(self.first),
            second=_standing(gate),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs compared in exact values; figures and flips are of the samples that both have."""

    samples: tuple[str, ...]
    only_in_first: tuple[str, ...]
    only_in_second: tuple[str, ...]
    clusters: int | None
    figures: tuple[ComparedFigure, ...]
    flips: Flips
    gates: tuple[ComparedGate, ...]

    @property
    def regressions(self) -> tuple[str, ...]:
        """Why the second run must not replace the first: gated figures that are clearly worse, and gates lost by it.

        Two runs of the same candidate near a limit often stand on either side of it. A gate is therefore lost only
        where its figure is clearly worse, or where nothing was measured that it could be computed from.
        """
        lost = [gate for gate in self.gates if gate.lost and self._for_certain(gate)]
        return (
            *(f"{name}: clearly worse" for name in self._worse),
            *(f"{gate.second.name}: the gate held, and {_lost_by(gate.second)}" for gate in lost),
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """Gates that held and fail without a clear difference: the same candidate may have done as much by chance."""
        lost = [gate.second for gate in self.gates if gate.lost and not self._for_certain(gate)]
        return tuple(f"{gate.name}: the gate held, and {_lost_by_chance(gate)}" for gate in lost)

    @property
    def _worse(self) -> list[str]:
        gated = {gate.second.name for gate in self.gates}
        return [figure.name for figure in self.figures if figure.name in gated and figure.clearly_worse]

    def _for_certain(self, gate: ComparedGate) -> bool:
        return gate.second.name in self._worse or gate.second.left_out.value is None


def compare(
    first: Sequence[SampleResult],
    second: Sequence[SampleResult],
    rubric: BenchmarkRubric,
    *,
    margins: Mapping[str, Fraction] | None = None,
    design: SampleDesign | None = None,
) -> Comparison:
    """Compare the results of two runs, all their repeats, in any order; one rubric grades both.

    ``margins`` are by how much a figure may be worse, by its name. ``design`` says how samples belong together, and
    whether intervals are for one look.
    """
    design = design or SampleDesign()
    summaries = summarise(first, rubric, design), summarise(second, rubric, design)
    before, after = (_by_sample(group.graded) for group in summaries)
    samples = tuple(sample for sample in before if sample in after)
    pairs = [(before[sample], after[sample]) for sample in samples]
    groups = {design.cluster_of(sample) for sample in samples}
    return Comparison(
        samples=samples,
        only_in_first=tuple(sample for sample in before if sample not in after),
        only_in_second=tuple(sample for sample in after if sample not in before),
        clusters=len(groups) if design.clusters else None,
        figures=tuple(compare_figures(pairs, rubric, margins or {}, design)),
        flips=replace(_flips(samples, pairs), tested=len(groups) == len(samples) and not design.sequential),
        gates=tuple(_gates(*summaries)),
    )


def _by_sample(all_graded: Sequence[GradedSample]) -> dict[str, list[GradedSample]]:
    samples: dict[str, list[GradedSample]] = {}
    for graded in all_graded:
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
    if first.repeats and second.repeats:
        for before, after in zip(first.decision.gates, second.decision.gates, strict=True):
            yield ComparedGate(first=before, second=after)


def _lost_by(gate: Gate) -> str:
    return "nothing was measured in the second run" if gate.left_out.value is None else "fails"


def _lost_by_chance(gate: Gate) -> str:
    nulls = gate.nulls_as_zero.nulls
    if gate.nulls_as_zero.value is None and nulls:
        return f"cannot be told in the second run, because {latencies_are_null(nulls)}"
    return "fails; the figures do not differ clearly, so this may be chance"


def _standing(gate: Gate) -> GateStanding:
    result = gate.result()
    return GateStanding(
        value=result.value,
        value_nulls_as_zero=result.value_nulls_as_zero,
        passed=result.passed,
        inconclusive=result.inconclusive,
    )


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


def compare_runs(
    ledger: Ledger,
    first: Entry,
    second: Entry,
    *,
    other_dataset: bool = False,
    margins: Mapping[str, Fraction] | None = None,
    confidence: Confidence | None = None,
) -> RunComparison:
    """Compare two runs of the same questions, or with ``other_dataset`` of others; the second run's rubric grades both.

    Samples are paired by id. Ids that were made from the content of samples hold the answers, so that recorded answers
    that were changed have others: these are paired by question and contexts.

    ``margins`` are by how much a figure may be worse, by its name. Intervals are sequential where ``confidence`` or the
    policy of either run is; they go by the order of the second run's dataset.
    """
    for name, margin in (margins or {}).items():
        if name not in FIGURES:
            raise UsageError(f"there is no figure '{name}' to name a margin for; there are: {', '.join(FIGURES)}")
        if margin <= 0:
            raise UsageError(f"the margin of {name} must be above 0")
    before, after = _read(ledger, first), _read(ledger, second)
    first_ids = _made_pairs(before.asked, after.asked) if before.dataset != after.dataset else {}
    before = before.renamed({old: new for new, old in first_ids.items()})
    if before.dataset != after.dataset and not other_dataset and not _ask_the_same(before.asked, after.asked):
        raise OtherDatasetError(
            f"{first.subject} and {second.subject} are of different datasets: "
            "--other-dataset compares the samples with the same id all the same"
        )
    policies = (before.policy.confidence, after.policy.confidence)
    below = GatePolicy(confidence="sequential" if "sequential" in policies else "fixed")
    sequential = GatePolicy(confidence=confidence).over(below).confidence == "sequential"
    design = SampleDesign(
        clusters=after.clusters or before.clusters,
        order=[*dict.fromkeys((*after.asked, *before.asked))],
        sequential=sequential,
    )
    compared = compare(before.results, after.results, after.rubric, margins=margins, design=design)
    missing = {*(margins or {})} - {figure.name for figure in compared.figures}
    if missing:
        raise UsageError(f"the margin of {min(missing)}: the rubric of {second.subject} has no gate for this figure")
    if not compared.samples:
        raise UsageError(
            f"{first.subject} and {second.subject} have no sample id in common, and no sample without an id of its own "
            "with the same question and contexts: nothing can be compared"
        )
    by_content = [sample for sample in compared.samples if sample in first_ids]
    return RunComparison(
        first=before.outline(),
        second=after.outline(),
        rubric=after.stamps["benchmark"],
        differences=tuple(_differences(before, after)),
        warnings=tuple(_warnings(before, after, compared)),
        samples=len(compared.samples),
        paired=Pairing(
            by_id=len(compared.samples) - len(by_content),
            by_question_and_contexts=len(by_content),
            first_ids={sample: first_ids[sample] for sample in by_content},
        ),
        only_in_first=compared.only_in_first,
        only_in_second=compared.only_in_second,
        figures=tuple(figure.result() for figure in compared.figures),
        flips=compared.flips.result({sample: asked.question for sample, asked in after.asked.items()}),
        gates=tuple(gate.result() for gate in compared.gates),
        regressions=(
            *compared.regressions,
            *(() if after.summary.complete else ("the second run is not complete",)),
        ),
        remarks=compared.remarks,
        clusters=compared.clusters,
        confidence="sequential" if sequential else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a sample asks: whoever answers is given the same."""

    question: str
    contexts: str  # their hash
    expected: str  # the hash of the reference and of what else is expected

    @classmethod
    def of(cls, sample: Sample) -> "_Asked":
        passages = [passage.text for passage in sample.contexts]
        expected = None if sample.expected is None else asdict(sample.expected)
        return cls(
            question=sample.question, contexts=sha256_of(passages), expected=sha256_of([sample.reference, expected])
        )


def _made_pairs(before: Mapping[str, _Asked], after: Mapping[str, _Asked]) -> dict[str, str]:
    """Return the ids of the first run by those of the second, of samples with made ids that ask the same.

    What is asked several times is paired in the order of the datasets, where it is asked as often in both.
    """
    asked: list[dict[tuple[str, str], list[str]]] = []
    for run, other in ((before, after), (after, before)):
        by_content: dict[tuple[str, str], list[str]] = {}
        for sample, what in run.items():
            if sample not in other and is_made_id(sample):
                by_content.setdefault((what.question, what.contexts), []).append(sample)
        asked.append(by_content)
    firsts, seconds = asked
    return {
        second: first
        for content, ids in seconds.items()
        if len(ids) == len(firsts.get(content, ()))
        for first, second in zip(firsts[content], ids, strict=True)
    }


def _ask_the_same(before: Mapping[str, _Asked], after: Mapping[str, _Asked]) -> bool:
    """Tell whether every sample of either run has its pair in the other, with the same question."""
    return before.keys() == after.keys() and all(
        asked.question == after[sample].question for sample, asked in before.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """What is needed of one run."""

    entry: RunEntry
    summary: RunSummary
    rubric: BenchmarkRubric
    results: tuple[SampleResult, ...]
    policy: GatePolicy
    clusters: Mapping[str, str]
    asked: Mapping[str, _Asked]  # by sample id, in the order of the dataset

    def renamed(self, names: Mapping[str, str]) -> "_Run":
        """Return the run with other ids for some of its samples."""
        if not names:
            return self
        return replace(
            self,
            results=tuple(
                replace(result, sample_id=names[result.sample_id]) if result.sample_id in names else result
                for result in self.results
            ),
            clusters={names.get(sample, sample): cluster for sample, cluster in self.clusters.items()},
            asked={names.get(sample, sample): asked for sample, asked in self.asked.items()},
        )

    @property
    def dataset(self) -> str | None:
        return self.summary.metadata.dataset_version_or_hash

    @property
    def stamps(self) -> dict[str, Mapping[str, str]]:
        return {stamp["name"]: stamp for stamp in self.summary.metadata.rubrics}

    def outline(self) -> ComparedRun:
        return ComparedRun(run_id=self.entry.run_id, **asdict(self.entry.body.summary), complete=self.summary.complete)


def _read(ledger: Ledger, run: Entry) -> _Run:
    evaluated = evaluate_run(ledger, run)
    return _Run(
        entry=evaluated.run,
        summary=evaluated.summary(),
        rubric=evaluated.rubric,
        results=evaluated.results,
        policy=evaluated.policy,
        clusters=evaluated.clusters,
        asked={sample.id: _Asked.of(sample) for sample in run_samples(ledger, run.subject)},
    )


def _differences(before: _Run, after: _Run) -> Iterator[RunDifference]:
    """Yield what is not the same in both runs, and should be."""
    pairs: dict[str, tuple[object, object]] = {
        name: (getattr(before.summary.metadata, name), getattr(after.summary.metadata, name)) for name in _SAME
    }
    for name in ("benchmark", "verdict"):
        pairs[f"{name}_rubric"] = before.stamps[name]["sha256"], after.stamps[name]["sha256"]
    pairs["cluster"] = before.entry.body.cluster, after.entry.body.cluster
    pairs["repeats"] = before.summary.repeats.repeats, after.summary.repeats.repeats
    if before.asked == after.asked:  # the datasets differ in nothing but recorded answers, which are compared
        del pairs["dataset_version_or_hash"]
    for name, (first, second) in pairs.items():
        if first != second:
            yield RunDifference(name=name, first=first, second=second)


def _warnings(before: _Run, after: _Run, compared: Comparison) -> Iterator[str]:
    for run in (before, after):
        if not run.summary.complete:
            run_id = run.summary.run_id
            yield f"{run_id} is not complete; 'plumbrule run CONFIG --resume {run_id}' goes on"
        if run.summary.anchor == "people":
            yield (
                f"{run.summary.run_id} is decided by people's labels: figures and gates here are the judge's, "
                f"'plumbrule gate {run.summary.run_id}' has people's"
            )
    for which, only in (("first", compared.only_in_first), ("second", compared.only_in_second)):
        if only:
            yield f"{len(only)} samples are only in the {which} run, and are not compared"
    pairs = [(before.asked.get(sample), after.asked.get(sample)) for sample in compared.samples]
    for what, words in (
        ("question", "ask another question"),
        ("contexts", "have other contexts"),
        ("expected", "have another reference, or expect something else"),
    ):
        count = sum(getattr(first, what, None) != getattr(second, what, None) for first, second in pairs)
        if count:
            yield f"{count} of the {len(pairs)} samples compared {words} in the second run"
    if before.stamps["benchmark"] != after.stamps["benchmark"]:
        yield "both runs are graded by the second's benchmark rubric: the first may stand otherwise than in 'show'"
