"""Why samples failed, and which causes to fix first."""

from collections.abc import Iterable, Mapping, Sequence

from plumbrule.runs.report.run_report import By, FixGroup, SampleLine, SampleLink
from plumbrule.runs.run_results import SampleSummary

CAUSES = {
    "timed_out": "no answer in time",
    "candidate_error": "the candidate could not answer",
    "no_answer": "the candidate answered nothing",
    "evaluator_error": "the judge could not judge",
    "faithfulness": "unfaithful to the context",
    "faithfulness_unknown": "faithfulness not known",
    "accuracy": "inaccurate",
    "accuracy_unknown": "accuracy not known",
    "latency": "too slow",
    "latency_unknown": "latency not measured",
    "tokens": "too many tokens",
    "tokens_unknown": "tokens not reported",
}
_FIELDS = {
    "accuracy_score": "accuracy",
    "faithfulness_score": "faithfulness",
    "latency_e2e_ms": "latency",
    "total_tokens": "tokens",
}
_WORST = 3
_MOST = {"cause": 5, "causes_together": 1, "category": 3}  # the first screen holds so many


def causes_of(sample: SampleSummary) -> tuple[str, ...]:
    """Return why a sample failed: every field that failed has one cause, and the deepest cause is named."""
    if sample.passed:
        return ()
    if sample.timed_out:
        return ("timed_out",)
    if sample.candidate_error is not None:
        return ("candidate_error",)
    causes = {_cause_of(sample, name) for name in sample.failed}
    return tuple(cause for cause in CAUSES if cause in causes)


def _cause_of(sample: SampleSummary, name: str) -> str:
    known = getattr(sample, name) is not None
    if name in {"accuracy_score", "faithfulness_score"}:
        unjudged = sample.evaluator_error is not None
        if unjudged and not known:
            return "evaluator_error"
        # Only silence is judged so: an accuracy without a faithfulness.
        if not unjudged and sample.accuracy_score == 0 and sample.faithfulness_score is None:
            return "no_answer"
    return _FIELDS[name] if known else f"{_FIELDS[name]}_unknown"


def worst_first(samples: Iterable[SampleLine]) -> list[SampleLine]:
    """Sort by score, unknown as zero, then by how many causes there are, then by id."""
    return sorted(samples, key=lambda sample: (sample.sample_score or 0.0, -len(sample.causes), sample.sample_id))


def fix_groups(samples: Sequence[SampleLine], numbers: Mapping[str, int]) -> tuple[FixGroup, ...]:
    """Return the groups of failing samples that cost most: by cause, by causes that go together, by category."""
    failing = worst_first(sample for sample in samples if not sample.passed)
    if not failing:
        return ()
    by_cause = [
        _group(
            "cause", (cause,), CAUSES[cause], [sample for sample in failing if cause in sample.causes], samples, numbers
        )
        for cause in CAUSES
        if any(cause in sample.causes for sample in failing)
    ]
    sets = sorted({sample.causes for sample in failing if len(sample.causes) > 1})
    together = [
        _group(
            "causes_together",
            causes,
            f"{' and '.join(CAUSES[cause] for cause in causes)} at once",
            [sample for sample in failing if sample.causes == causes],
            samples,
            numbers,
        )
        for causes in sets
    ]
    in_category: dict[str, list[SampleLine]] = {}
    for sample in failing:
        if sample.category is not None:
            in_category.setdefault(sample.category, []).append(sample)
    largest = sorted(in_category, key=lambda name: (-len(in_category[name]), name))[: _MOST["category"]]
    by_category = [_group("category", (name,), name, in_category[name], samples, numbers) for name in largest]
    return (*_costliest(by_cause), *_costliest(together), *by_category)


def _costliest(groups: list[FixGroup]) -> list[FixGroup]:
    costliest = sorted(groups, key=lambda group: (-group.samples, -group.only, group.name))
    return costliest[: _MOST[costliest[0].by]] if costliest else []


def _group(
    by: By,
    names: tuple[str, ...],
    title: str,
    members: Sequence[SampleLine],
    samples: Sequence[SampleLine],
    numbers: Mapping[str, int],
) -> FixGroup:
    failing = [sample for sample in samples if not sample.passed]
    fixed = len(members) if by == "category" else sum(set(sample.causes) <= set(names) for sample in failing)
    passed = len(samples) - len(failing)
    return FixGroup(
        by=by,
        name=" + ".join(names),
        title=title,
        samples=len(members),
        only=fixed,
        share_of_failures=len(members) / len(failing),
        pass_rate_if_fixed=(passed + fixed) / len(samples),
        pass_rate_gain=fixed / len(samples),
        worst=tuple(
            SampleLink(sample_id=sample.sample_id, number=numbers[sample.sample_id]) for sample in members[:_WORST]
        ),
    )
