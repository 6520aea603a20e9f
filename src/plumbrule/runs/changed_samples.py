"""The samples that two runs judge differently, the worst change first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from plumbrule.runs.comparison import RunComparison
from plumbrule.runs.report.sample_rows import SampleRow
from plumbrule.runs.run_results import SampleSummary

Change = Literal["lost", "worse", "changed", "better", "gained"]
CHANGES: tuple[Change, ...] = ("lost", "worse", "changed", "better", "gained")  # in the order in which they are read


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleStanding:
    """What one run says of a sample: of its repeats, the worst."""

    summary: SampleSummary
    passed: int  # repeats in which it passed
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSample:
    """A sample that the second run judges otherwise than the first.

    It was ``lost`` where it passed in most repeats and no longer does, ``gained`` where it is the other way round;
    else its judged scores are worse or better, or only what the evidence has against it changed.
    """

    sample_id: str
    question: str
    change: Change
    first: SampleStanding
    second: SampleStanding


def changed_samples(
    first: Iterable[SampleRow], second: Iterable[SampleRow], comparison: RunComparison
) -> tuple[ChangedSample, ...]:
    """Return the samples of both runs that are judged differently, those that were lost first, by their second ids.

    Latency and tokens alone change no sample here: they differ from call to call.
    """
    flips, names = comparison.flips, {old: new for new, old in comparison.paired.first_ids.items()}
    before, after = _by_sample(first, names), _by_sample(second, {})
    lost = {flip.sample_id for flip in flips.pass_to_fail}
    gained = {flip.sample_id for flip in flips.fail_to_pass}
    found: list[tuple[tuple[int, float, str], ChangedSample]] = []
    for sample_id in before.keys() & after.keys():
        worst = _worst(before[sample_id]), _worst(after[sample_id])
        drop = _judged(worst[0]) - _judged(worst[1])
        change: Change | None = "lost" if sample_id in lost else "gained" if sample_id in gained else None
        if change is None and drop:
            change = "worse" if drop > 0 else "better"
        if change is None and worst[0].headline != worst[1].headline:
            change = "changed"
        if change is not None:
            sample = ChangedSample(
                sample_id=sample_id,
                question=after[sample_id][0].line.question,
                change=change,
                first=_standing(worst[0], before[sample_id]),
                second=_standing(worst[1], after[sample_id]),
            )
            found.append(((CHANGES.index(change), -drop, sample_id), sample))
    return tuple(sample for _, sample in sorted(found, key=lambda pair: pair[0]))


def _by_sample(rows: Iterable[SampleRow], names: Mapping[str, str]) -> dict[str, list[SampleRow]]:
    by_sample: dict[str, list[SampleRow]] = {}
    for row in rows:
        by_sample.setdefault(names.get(row.sample.sample_id, row.sample.sample_id), []).append(row)
    return by_sample


def _worst(repeats: Sequence[SampleRow]) -> SampleSummary:
    if len(repeats) == 1:
        return repeats[0].sample
    return min(repeats, key=lambda row: (row.sample.sample_score or 0.0, row.sample.repeat)).sample


def _standing(worst: SampleSummary, repeats: Sequence[SampleRow]) -> SampleStanding:
    return SampleStanding(summary=worst, passed=sum(row.sample.passed for row in repeats), repeats=len(repeats))


def _judged(summary: SampleSummary) -> float:
    """Return both judged scores together, from 0 to 2; one that is not known counts as zero."""
    return (summary.accuracy_norm or 0.0) + (summary.faithfulness_norm or 0.0)
