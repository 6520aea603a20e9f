"""Why samples failed, and which causes are worth mending first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plumbrule.reports.run_report import By, FixGroup, SampleLine, SampleLink

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


def causes_of(sample: Mapping[str, Any]) -> tuple[str, ...]:
    """Return why a graded sample failed: every field that failed has one cause, and what lies deepest is named."""
    if sample["passed"]:
        return ()
    if sample["timed_out"]:
        return ("timed_out",)
    if sample["candidate_error"] is not None:
        return ("candidate_error",)
    found = {_cause_of(sample, name) for name in sample["failed"]}
    return tuple(cause for cause in CAUSES if cause in found)


def _cause_of(sample: Mapping[str, Any], name: str) -> str:
    known = sample[name] is not None
    if name in {"accuracy_score", "faithfulness_score"}:
        unjudged = sample["evaluator_error"] is not None
        if unjudged and not known:
            return "evaluator_error"
        # Only silence is judged so: an accuracy without a faithfulness.
        if not unjudged and sample["accuracy_score"] == 0 and sample["faithfulness_score"] is None:
            return "no_answer"
    return _FIELDS[name] if known else f"{_FIELDS[name]}_unknown"


def worst_first(samples: Iterable[SampleLine]) -> list[SampleLine]:
    """Sort by score, unknown as zero, then by how many causes there are, then by id."""
    return sorted(samples, key=lambda each: (each.sample_score or 0.0, -len(each.causes), each.sample_id))


def fix_groups(samples: Sequence[SampleLine], numbers: Mapping[str, int]) -> tuple[FixGroup, ...]:
    """Return the groups of failing samples that cost most: by cause, by causes that go together, by category."""
    failing = worst_first(sample for sample in samples if not sample.passed)
    if not failing:
        return ()
    by_cause = [
        _group("cause", (cause,), CAUSES[cause], [each for each in failing if cause in each.causes], samples, numbers)
        for cause in CAUSES
        if any(cause in each.causes for each in failing)
    ]
    sets = sorted({each.causes for each in failing if len(each.causes) > 1})
    together = [
        _group(
            "causes_together",
            causes,
            f"{' and '.join(CAUSES[cause] for cause in causes)} at once",
            [each for each in failing if each.causes == causes],
            samples,
            numbers,
        )
        for causes in sets
    ]
    categories = sorted({each.category for each in failing if each.category is not None})
    by_category = [
        _group("category", (name,), name, [each for each in failing if each.category == name], samples, numbers)
        for name in categories
    ]
    return (*_costliest(by_cause), *_costliest(together), *_costliest(by_category))


def _costliest(groups: list[FixGroup]) -> list[FixGroup]:
    found = sorted(groups, key=lambda group: (-group.samples, -group.only, group.name))
    return found[: _MOST[found[0].by]] if found else []


def _group(
    by: By,
    names: tuple[str, ...],
    title: str,
    members: Sequence[SampleLine],
    samples: Sequence[SampleLine],
    numbers: Mapping[str, int],
) -> FixGroup:
    failing = [each for each in samples if not each.passed]
    mended = len(members) if by == "category" else sum(set(each.causes) <= set(names) for each in failing)
    passed = len(samples) - len(failing)
    return FixGroup(
        by=by,
        name=" + ".join(names),
        title=title,
        samples=len(members),
        only=mended,
        share_of_failures=len(members) / len(failing),
        pass_rate_if_fixed=(passed + mended) / len(samples),
        pass_rate_gain=mended / len(samples),
        worst=tuple(SampleLink(sample_id=each.sample_id, number=numbers[each.sample_id]) for each in members[:_WORST]),
    )
