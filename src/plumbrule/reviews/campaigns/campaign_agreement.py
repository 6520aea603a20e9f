"""How far the people of a campaign agree: with each other, with the pre-scores, and with the judge of a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.names import key_of_trace
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.interaction_archive import Wanted, find_versions
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import level_name
from plumbrule.rubrics import ScorecardRubric
from plumbrule.runs.run_entries import find_run, run_results, run_samples
from plumbrule.samples.sample_model import Sample
from plumbrule.stats.rater_agreement import (
    alpha_over_items,
    confusion_matrix,
    gwet_ac1,
    kappa_over_items,
    tabulate,
)

# for an evaluator's figures, which are over every dimension at once, and for kappas
_FEWER_RESAMPLES = 400

Rated = tuple[Item, str, str, int]  # an item, who rated it, the dimension, the level


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionAgreement:
    """How far people agree with each other on one dimension."""

    key: str
    pairable: int
    alpha: float | None
    alpha_interval_95: tuple[float, float] | None
    ac1: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorAgreement:
    """How far one evaluator agrees with the others, over every dimension of the items that they rated."""

    evaluator: str
    rated: int
    mean_level: float | None
    pairable: int
    alpha: float | None
    alpha_interval_95: tuple[float, float] | None
    ac1: float | None


class _Matrix:
    """What follows from a confusion matrix, whose rows are people's."""

    __slots__ = ()

    pairs: int
    confusion: tuple[tuple[int, ...], ...]

    @property
    def same(self) -> float | None:
        """The share of the pairs in which both give the same level; None where there is no pair."""
        equal = sum(row[place] for place, row in enumerate(self.confusion))
        return equal / self.pairs if self.pairs else None

    @property
    def differs(self) -> bool:
        """Whether any pair has two levels."""
        return any(
            count for row, cells in enumerate(self.confusion) for place, count in enumerate(cells) if place != row
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PrescoreAgreement(_Matrix):
    """How far people agree with the pre-scores on one dimension."""

    key: str
    pairs: int
    kappa: float | None
    kappa_interval_95: tuple[float, float] | None
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScoreAgreement(_Matrix):
    """How far people agree with one score of a run's judge, on the judge's scale."""

    score: str
    dimension: str
    pairs: int
    kappa: float | None
    kappa_interval_95: tuple[float, float] | None
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How far people agree with the judge of a run."""

    run_id: str
    scores: tuple[JudgeScoreAgreement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignAgreement:
    """How far the people of a campaign agree with each other, with the pre-scores and with a judge."""

    campaign: str
    items: int
    left_out: int
    dimensions: tuple[DimensionAgreement, ...]
    evaluators: tuple[EvaluatorAgreement, ...]
    prescores: tuple[PrescoreAgreement, ...]
    judge: JudgeAgreement | None


def measure_agreement(
    ledger: Ledger, campaign: Campaign, *, run: str | None = None, viewer: str | None = None, at: datetime
) -> CampaignAgreement:
    """Return the figures over all items that are rated; of an open campaign, over what ``viewer`` may see of it.

    Those are items with all their ratings, the viewer's own among them.

    Each person's rating counts as it was made blind: a revision made after seeing the others' ratings says nothing
    about agreement.
    """
    rubric = campaign.loaded.rubric
    rated = [item for item in campaign.items.values() if item.ratings]
    if campaign.closed is None and viewer is None:
        raise UsageError(
            f"{campaign.name}: is open, and its evaluators rate blind: --as NAME takes what NAME may see, or close it"
        )
    items = [
        item
        for item in rated
        if campaign.closed is not None or (campaign.full(item) and campaign.visible(item, viewer, at))
    ]
    ratings = [
        (item, person, key, level)
        for item in items
        for person, rating in item.ratings.items()
        for key, level in rating.blind.scores.items()
        if level is not None
    ]
    seed = campaign.plan.manifest.seed
    names = {person: rating.first.evaluator for item in items for person, rating in item.ratings.items()}
    return CampaignAgreement(
        campaign=campaign.name,
        items=len(items),
        left_out=len(rated) - len(items),
        dimensions=tuple(_between(ratings, dimension.key, rubric, seed) for dimension in rubric.dimensions),
        evaluators=tuple(_of_evaluator(ratings, person, str(names[person]), rubric, seed) for person in sorted(names)),
        prescores=tuple(_beside_prescores(ledger, ratings, items, rubric, seed)),
        judge=None if run is None else _beside_judge(ledger, ratings, run, rubric, seed),
    )


def _between(ratings: Sequence[Rated], key: str, rubric: ScorecardRubric, seed: int) -> DimensionAgreement:
    rows = tabulate((item.trace_id, person, level) for item, person, rated, level in ratings if rated == key)
    return DimensionAgreement(key=key, **_figures([[row] for row in rows], rubric, seed))


def _of_evaluator(
    ratings: Sequence[Rated], person: str, name: str, rubric: ScorecardRubric, seed: int
) -> EvaluatorAgreement:
    own = {item.trace_id for item, rater, _, _ in ratings if rater == person}
    of_item: dict[str, list[tuple[str, str, int]]] = {}
    for item, rater, key, level in ratings:
        if item.trace_id in own:
            of_item.setdefault(item.trace_id, []).append((key, rater, level))
    # the dimensions of one item are not independent, so they are drawn together
    items = [tabulate(of_item[trace_id]) for trace_id in sorted(of_item)]
    levels = [level for _, rater, _, level in ratings if rater == person]
    return EvaluatorAgreement(
        evaluator=name,
        rated=len(own),
        mean_level=sum(levels) / len(levels) if levels else None,
        **_figures(items, rubric, seed, resamples=_FEWER_RESAMPLES),
    )


def _figures(
    items: Sequence[Sequence[Sequence[int | None]]], rubric: ScorecardRubric, seed: int, *, resamples: int = 1_000
) -> dict[str, Any]:
    """Return the fields that say how far people agree; each item has a row for everything that was rated of it."""
    levels = _levels(rubric)
    alpha = alpha_over_items(items, levels, seed=seed, resamples=resamples)
    interval = alpha.interval
    return {
        "pairable": alpha.pairable,
        "alpha": alpha.value,
        "alpha_interval_95": None if interval is None else (interval.low, interval.high),
        "ac1": gwet_ac1([row for rows in items for row in rows], levels),
    }


def _beside_prescores(
    ledger: Ledger, ratings: Sequence[Rated], items: Sequence[Item], rubric: ScorecardRubric, seed: int
) -> Iterator[PrescoreAgreement]:
    found = find_versions(ledger, [item.wanted for item in items])
    scores = {level.name: level.score for level in rubric.levels}
    proposals = {
        wanted.trace_id: prescore.scores
        for wanted, version in found.items()
        if (prescore := version.meant.prescore) is not None
    }
    labels = _levels(rubric)
    named = [level_name(score, rubric) for score in labels]
    for dimension in rubric.dimensions:
        key = dimension.key
        given = {
            trace_id: scores.get(proposed[key] or "") for trace_id, proposed in proposals.items() if key in proposed
        }
        yield PrescoreAgreement(key=key, **_beside(ratings, key, given, labels, named, seed))


def _beside_judge(
    ledger: Ledger, ratings: Sequence[Rated], run: str, rubric: ScorecardRubric, seed: int
) -> JudgeAgreement:
    """Return how far people and a run's judge agree, on the judge's scale; the first repeat of each sample counts."""
    found = find_run(ledger, run).subject
    samples = list(run_samples(ledger, found))
    traces = {sample.id: sample.trace_id or sample.id for sample in samples}
    others = _other_answers(ledger, {item.wanted for item, _, _, _ in ratings}, samples)
    judged = {
        key_of_trace(traces.get(result.sample_id, result.sample_id)): result
        for result in (entry.result for entry in run_results(ledger, found))
        if result.repeat == 0 and result.sample_id not in others
    }
    scores = []
    for rule in rubric.judged:
        to_scale = {level.score: rule.levels[level.name] for level in rubric.levels}
        labels = sorted(set(rule.levels.values()))
        people = [(item, person, key, to_scale[level]) for item, person, key, level in ratings]
        given = {
            item.trace_id: getattr(judged.get(key_of_trace(item.trace_id)), rule.score, None)
            for item, _, _, _ in people
        }
        beside = _beside(people, rule.dimension, given, labels, [str(label) for label in labels], seed)
        scores.append(JudgeScoreAgreement(score=rule.score, dimension=rule.dimension, **beside))
    return JudgeAgreement(run_id=found, scores=tuple(scores))


def _other_answers(ledger: Ledger, rated: Iterable[Wanted], samples: Iterable[Sample]) -> set[str]:
    """Return the samples of a run whose recorded answer is not the one that people rated: it is another version."""
    answers = {
        key_of_trace(wanted.trace_id): version.meant.rebuild().sample.answer
        for wanted, version in find_versions(ledger, rated).items()
    }
    return {
        sample.id
        for sample in samples
        if sample.answer is not None
        and answers.get(key_of_trace(sample.trace_id or sample.id), sample.answer) != sample.answer
    }


def _beside(
    ratings: Iterable[Rated],
    key: str,
    given: Mapping[str, int | None],
    labels: Sequence[int],
    named: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    """Return the fields that say how far people agree with others; the rows of the matrix are people's."""
    by_item: dict[str, list[tuple[int, int]]] = {}
    for item, _, rated, level in ratings:
        if rated == key and (other := given.get(item.trace_id)) is not None:
            by_item.setdefault(item.trace_id, []).append((level, other))
    pairs = [pair for trace_id in sorted(by_item) for pair in by_item[trace_id]]
    kappa = kappa_over_items(
        [by_item[trace_id] for trace_id in sorted(by_item)], labels, seed=seed, resamples=_FEWER_RESAMPLES
    )
    return {
        "pairs": len(pairs),
        "kappa": kappa.value,
        "kappa_interval_95": None if kappa.interval is None else (kappa.interval.low, kappa.interval.high),
        "labels": tuple(named),
        "confusion": tuple(map(tuple, confusion_matrix(pairs, labels))),
    }


def _levels(rubric: ScorecardRubric) -> list[int]:
    """Return the levels from the lowest to the highest."""
    return [level.score for level in reversed(rubric.levels)]
