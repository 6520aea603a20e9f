"""Every judged figure of a run as people would have it: their labels of a random part correct the judge's word on all.

An answer's label is graded as its result was: the person's scores take the place of the judge's, and what was measured
stays. So a label says for every figure what the judge's result says, and prediction-powered inference
(``stats/prediction_powered.py``) estimates the figure that labels of all answers would give. What several people say
of one answer counts by its mean: the figure is what a person of those who label would say.

The unit is the sample. With several repeats one answer of a drawn sample is labelled, the judge's word on that answer
stands beside it, and a sample without a label counts by the mean over its repeats. The estimate is of the answers of
this run. Nulls are left out where the judge has no word, or count as the worst there is; a person's label of an answer
that the judge could not score stays what the person says.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean, pvariance

from plumbrule.rubrics import BenchmarkRubric
from plumbrule.runs.anchor.anchor_results import (
    JUDGED,
    AnchoredEstimate,
    AnchoredFigure,
    AnchorSummary,
    JudgeAccuracy,
)
from plumbrule.runs.anchor.label_file import Key, Label
from plumbrule.runs.anchor.label_store import RunLabels
from plumbrule.runs.sample_results import COMPONENT_OF, JUDGED_SCORES, GradedSample, grade
from plumbrule.stats.prediction_powered import (
    AnchoredMean,
    AnsweredShare,
    Clusters,
    LabelOutlook,
    prediction_powered_mean,
)
from plumbrule.stats.sample_sizes import POWER

LEVEL = 0.95
FEWEST = 2  # labels, below which nothing can be estimated
_MEASURED = frozenset({"latency_e2e_ms", "total_tokens"})

Value = Callable[[GradedSample, BenchmarkRubric], Fraction | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """A figure as the mean of a value from 0 to 1 of each answer; ``scale`` names the scale that it is shown on."""

    value: Value
    needs: tuple[str, ...]  # fields of a label
    worst: Fraction = Fraction(0)
    scale: str | None = None


_FIGURES: Mapping[str, _Figure] = {
    "accuracy_mean": _Figure(
        value=lambda sample, _: sample.grade.accuracy_norm, needs=("accuracy_score",), scale="accuracy_score"
    ),
    "accuracy_full_credit_rate": _Figure(
        value=lambda sample, rubric: _is(sample.result.accuracy_score, rubric.accuracy_score.highest),
        needs=("accuracy_score",),
    ),
    "faithfulness_mean": _Figure(
        value=lambda sample, _: sample.grade.faithfulness_norm,
        needs=("faithfulness_score",),
        scale="faithfulness_score",
    ),
    "faithfulness_failure_rate": _Figure(
        value=lambda sample, rubric: _is(sample.result.faithfulness_score, rubric.faithfulness_score.lowest),
        needs=("faithfulness_score",),
        worst=Fraction(1),
    ),
    "pass_rate": _Figure(value=lambda sample, _: Fraction(sample.grade.passed), needs=()),
    "aggregate_score": _Figure(
        value=lambda sample, _: sample.grade.sample_score, needs=("accuracy_score", "faithfulness_score")
    ),
}


def anchor_figures(
    graded: Sequence[GradedSample],
    labels: RunLabels,
    rubric: BenchmarkRubric,
    clusters: Mapping[str, str] | None = None,
) -> AnchorSummary:
    """Estimate every judged figure of a run from the judge's results of all answers and the labels of those drawn.

    ``clusters`` names by sample id what it shares with others, such as a document.
    """
    answers = {(sample.result.repeat, sample.result.sample_id): sample for sample in graded}
    drawn = [key for key in labels.drawn if key in answers]
    unanswered = {key for key in drawn if answers[key].result.candidate_error is not None and not labels.of(key)}
    several = [key for key in drawn if len(labels.of(key)) > 1]
    figures: dict[str, AnchoredFigure] = {}
    unavailable: dict[str, str] = {}
    for name in JUDGED:
        estimator = _Estimator(
            name=name,
            figure=_FIGURES[name],
            rubric=rubric,
            answers=answers,
            drawn=drawn,
            labels=labels,
            clusters=clusters or {},
        )
        reason = estimator.missing()
        figure = None if reason else estimator.estimate()
        if figure is None:
            unavailable[name] = reason or f"there are fewer than {FEWEST} labels of answers that the judge scored"
        else:
            figures[name] = figure
    return AnchorSummary(
        drawn=len(drawn),
        draws=labels.draws,
        labelled=sum(bool(labels.of(key)) for key in drawn),
        missing=sum(not labels.of(key) and key not in unanswered for key in drawn),
        unanswered=len(unanswered),
        people=labels.people,
        labelled_by_several=len(several),
        disagreements=sum(len(set(map(_said, labels.of(key)))) > 1 for key in several),
        changed=labels.changed,
        figures=figures,
        unavailable=unavailable,
        judge=_judge_accuracy(answers, drawn, labels, rubric),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimator:
    """One figure of a run with its labels."""

    name: str
    figure: _Figure
    rubric: BenchmarkRubric
    answers: Mapping[Key, GradedSample]
    drawn: Sequence[Key]
    labels: RunLabels
    clusters: Mapping[str, str]

    @property
    def needs(self) -> tuple[str, ...]:
        """The fields of a label that the figure needs; a score of several is without those that are not graded."""
        if self.name != "aggregate_score":
            return self.figure.needs
        return tuple(name for name in self.figure.needs if COMPONENT_OF[name] in self.rubric.components)

    def missing(self) -> str | None:
        """Return why the figure cannot be estimated; None where every drawn answer has what it takes."""
        if not self.drawn:
            return "no answers were drawn yet ('plumbrule label RUN --draw N' draws them)"
        open_answers = [key for key in self.drawn if self.label(key, null=Fraction(0)) is None]
        if not open_answers:
            return None
        none = [key for key in open_answers if not self.labels.of(key)]
        if none:
            return f"{len(none)} of {len(self.drawn)} drawn answers have no label yet"
        needed = " and ".join(self.needs) or "pass, or both scores"
        return f"{len(open_answers)} of {len(self.drawn)} labels do not say {needed}"

    def estimate(self) -> AnchoredFigure | None:
        """Return the figure in both treatments of nulls; None where there are too few labels."""
        judged = {key: self.figure.value(sample, self.rubric) for key, sample in self.answers.items()}
        left_out = self._treated(judged, null=None)
        as_zero = self._treated(judged, null=self.figure.worst) if None in judged.values() else left_out
        if left_out is None or as_zero is None:
            return None
        (estimate, judge), (zeroed, _) = left_out, as_zero
        return AnchoredFigure(**{name: getattr(estimate, name) for name in _FIELDS}, judge=judge, nulls_as_zero=zeroed)

    def label(self, key: Key, *, null: Fraction | None) -> Fraction | None:
        """Return what people say of an answer, by the mean; None where nobody says enough for this figure.

        A value that is null for another reason, such as a latency that nobody measured, counts as ``null``.
        """
        sample, given = self.answers[key], self.labels.of(key)
        if not given and sample.result.candidate_error is not None:
            return self.figure.worst
        values = [value for label in given if (value := self._said(sample, label, null)) is not None]
        return sum(values, Fraction()) / len(values) if values else None

    def _said(self, sample: GradedSample, label: Label, null: Fraction | None) -> Fraction | None:
        if self.name == "pass_rate":
            passes = passed_by(sample, label, self.rubric)
            return None if passes is None else Fraction(passes)
        if any(getattr(label, name) is None for name in self.needs):
            return None
        value = self.figure.value(_regraded(sample, label, self.rubric), self.rubric)
        return null if value is None else value

    def _treated(
        self, judged: Mapping[Key, Fraction | None], *, null: Fraction | None
    ) -> tuple[AnchoredEstimate, float] | None:
        """Return the estimate with nulls left out or as a value, and what the judge alone says."""
        treated = ((key, null if value is None else value) for key, value in judged.items())
        known = {key: float(value) for key, value in treated if value is not None}
        labelled = {
            key[1]: (float(label), known[key])
            for key in self.drawn
            if key in known and (label := self.label(key, null=null)) is not None
        }
        by_sample: dict[str, list[float]] = {}
        for (_, sample), value in known.items():
            by_sample.setdefault(sample, []).append(value)
        means = {sample: fmean(values) for sample, values in by_sample.items()}
        others = {sample: mean for sample, mean in means.items() if sample not in labelled}
        pairs = list(labelled.values())
        clusters = self._clusters(labelled, others) if self.clusters else None
        found = prediction_powered_mean(pairs, list(others.values()), clusters=clusters)
        if found is None:
            return None
        highest = 1 if self.figure.scale is None else getattr(self.rubric, self.figure.scale).highest
        estimate = AnchoredEstimate(
            value=_even(found.value * highest),
            low=found.interval.low * highest,
            high=found.interval.high * highest,
            level=LEVEL,
            labels=found.labels,
            samples=found.samples,
            tuning=found.tuning,
            labels_to_power=self._labels_to_power(
                found,
                pairs,
                list(others.values()),
                None if clusters is None else len({*clusters.labelled, *clusters.others}),
            ),
        )
        return estimate, _even(fmean(means.values()) * highest)

    def _clusters(self, labelled: Iterable[str], others: Iterable[str]) -> Clusters:
        """Return the cluster of each sample; one that names none is a cluster of its own."""

        def groups(samples: Iterable[str]) -> list[Hashable]:
            return [self.clusters.get(sample, (sample,)) for sample in samples]

        return Clusters(labelled=groups(labelled), others=groups(others))

    def _labels_to_power(
        self, found: AnchoredMean, pairs: Sequence[tuple[float, float]], others: Sequence[float], clusters: int | None
    ) -> int | None:
        limit = getattr(self.rubric.gates, self.name, None)
        if limit is None:
            return None
        outlook = LabelOutlook(
            value=found.value,
            answers=[
                AnsweredShare(label=label, prediction=prediction, share=count)
                for (label, prediction), count in Counter(pairs).items()
            ],
            of_one=pvariance(others) if others else None,
            design_effect=found.design_effect,
            clusters=clusters,
        )
        return outlook.labels_for_power(float(limit), samples=found.samples, power=POWER)


def passed_by(sample: GradedSample, label: Label, rubric: BenchmarkRubric) -> bool | None:
    """Return whether an answer passes by a person's label and what was measured; None where the label does not say."""
    again = _regraded(sample, label, rubric).grade
    wanted = {name for name in JUDGED_SCORES if COMPONENT_OF[name] in rubric.components}
    known = {name for name in wanted if getattr(label, name) is not None}
    if label.passes is False or (_MEASURED | known) & set(again.failed):
        return False
    return True if label.passes or known == wanted else None


_FIELDS = tuple(AnchoredEstimate.__dataclass_fields__)


def _regraded(sample: GradedSample, label: Label, rubric: BenchmarkRubric) -> GradedSample:
    result = replace(sample.result, accuracy_score=label.accuracy_score, faithfulness_score=label.faithfulness_score)
    return GradedSample(result=result, grade=grade(result, rubric))


def _judge_accuracy(
    answers: Mapping[Key, GradedSample], drawn: Sequence[Key], labels: RunLabels, rubric: BenchmarkRubric
) -> JudgeAccuracy | None:
    """Count the judge's passes among the answers that people pass and fail; each person's label counts."""
    pairs = [
        (passes, answers[key].grade.passed)
        for key in drawn
        for label in labels.of(key)
        if (passes := passed_by(answers[key], label, rubric)) is not None
    ]
    if not pairs:
        return None
    passed = [judged for passes, judged in pairs if passes]
    failed = [not judged for passes, judged in pairs if not passes]
    return JudgeAccuracy(
        passed_by_people=len(passed),
        failed_by_people=len(failed),
        sensitivity=fmean(passed) if passed else None,
        specificity=fmean(failed) if failed else None,
    )


def _said(label: Label) -> tuple[object, ...]:
    return label.accuracy_score, label.faithfulness_score, label.passes


def _is(score: int | None, wanted: int) -> Fraction | None:
    return None if score is None else Fraction(score == wanted)


def _even(value: float) -> float:
    """Return a value without the noise of floating point: a limit of 0.85 is met by 0.85."""
    return round(value, 12)
