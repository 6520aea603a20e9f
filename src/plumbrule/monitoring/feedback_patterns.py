"""The feedback loop: patterns in what was reviewed, where they gather, and the remedy that the rubric has for each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from plumbrule.monitoring.reviewed_interactions import Known, ReviewedInteractions
from plumbrule.reviews.levels import Scores
from plumbrule.rubrics import Loaded, ScorecardRubric, Stamp
from plumbrule.stats.intervals import Interval
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.stats.multiplicity import ALPHA, can_be_positive, excess_p_value, holm

By = Literal["refusal_code", "category", "source", "model"]

GROUPINGS: tuple[By, ...] = get_args(By)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One reviewed interaction: its scores, and the groups that it belongs to, several of one kind if need be."""

    trace_id: str
    scores: Scores
    groups: Mapping[By, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A pattern among the interactions that have something in common.

    The group stands out where it has more of the pattern than all interactions have, by Fisher's exact test with Holm's
    correction for every group of every pattern that was looked at: in one report of twenty at most a group stands out
    that is like the others. ``p_value_adjusted`` is None for a group so small that it could not stand out.
    """

    by: By
    name: str
    count: int  # interactions that show the pattern
    total: int  # interactions that the pattern is about
    share: float | None
    interval_95: Interval | None
    traces: tuple[str, ...]  # of those that show it
    p_value: float
    p_value_adjusted: float | None
    stands_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One pattern of the rubric, with its remedy, over everything and by group."""

    key: str
    title: str
    remedy: str
    count: int
    total: int
    share: float | None
    interval_95: Interval | None
    traces: tuple[str, ...]
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionFeedback:
    """How often a dimension needs a note, and the remedies of the patterns that it belongs to."""

    dimension: str
    count: int
    total: int
    share: float | None
    interval_95: Interval | None
    traces: tuple[str, ...]
    remedies: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """All patterns, the most frequent first, and every dimension."""

    reviewed: int
    patterns: tuple[Pattern, ...]
    dimensions: tuple[DimensionFeedback, ...]
    remarks: tuple[str, ...]
    rubric: Stamp


def patterns_in(reviewed: ReviewedInteractions, loaded: Loaded[ScorecardRubric]) -> Feedback:
    """Return the patterns in what was reviewed."""
    observations = [
        Observation(
            trace_id=review.trace_id or f"(record {number})",
            scores=review.settlement.scores,
            groups={} if review.known is None else groups_of(review.known),
        )
        for number, review in enumerate(reviewed.reviewed, 1)
    ]
    return find_patterns(observations, loaded, remarks=reviewed.remarks)


def find_patterns(
    observations: Sequence[Observation], loaded: Loaded[ScorecardRubric], *, remarks: tuple[str, ...] = ()
) -> Feedback:
    """Return the rubric's patterns over what was reviewed.

    A pattern is about the interactions to which one of its dimensions applies. An interaction shows the pattern where
    one of these dimensions is at one of the pattern's levels.
    """
    rubric = loaded.rubric
    patterns = []
    for rule in rubric.feedback:
        keys, levels = rubric.dimensions_of(rule.dimensions), rubric.scores_of(rule.levels)
        about = [one for one in observations if any(one.scores[key] is not None for key in keys)]
        showing = {id(one) for one in about if any(one.scores[key] in levels for key in keys)}
        counts = _counts(about, showing)
        groups = tuple(_groups(about, showing, counts["count"], counts["total"]))
        patterns.append(Pattern(key=rule.key, title=rule.title, remedy=rule.remedy, groups=groups, **counts))
    return Feedback(
        reviewed=len({observation.trace_id for observation in observations}),
        patterns=tuple(sorted(_corrected(patterns), key=lambda pattern: -pattern.count)),
        dimensions=tuple(_dimensions(observations, rubric)),
        remarks=remarks,
        rubric=loaded.stamp(),
    )


def groups_of(known: Known) -> dict[By, tuple[str, ...]]:
    """Return the groups that an interaction belongs to."""
    interaction = known.interaction
    sample, trace = interaction.sample, interaction.trace
    topic = sample.category or sample.metadata.get("topic")
    model = (
        sample.model_id
        or (trace.model_id if trace is not None else None)
        or sample.metadata.get("model_provider")
        or (trace.model_provider if trace is not None else None)
    )
    sources = [passage.source_id for passage in interaction.passages]
    sources += [citation.source_id for citation in sample.citations]
    code = sample.refusal.code if sample.refusal is not None else None
    return {
        "refusal_code": (code,) if code else (),
        "category": (topic,) if isinstance(topic, str) and topic else (),
        "source": tuple(dict.fromkeys(filter(None, sources))),
        "model": (model,) if isinstance(model, str) and model else (),
    }


def _groups(about: Sequence[Observation], showing: set[int], shown: int, total: int) -> Iterable[Group]:
    """Yield the groups that a pattern is about, also those without it: kind by kind, the most frequent first."""
    for by in GROUPINGS:
        members: dict[str, list[Observation]] = {}
        for one in about:
            for name in dict.fromkeys(one.groups.get(by, ())):
                members.setdefault(name, []).append(one)
        groups = []
        for name, inside in members.items():
            counts = _counts(inside, showing)
            p_value = excess_p_value(counts["count"], counts["total"], shown, total)
            groups.append(Group(by=by, name=name, p_value=p_value, p_value_adjusted=None, stands_out=False, **counts))
        yield from sorted(groups, key=lambda group: (-group.count, -(group.share or 0), group.name))


def _corrected(patterns: Sequence[Pattern]) -> Iterable[Pattern]:
    """Yield the patterns with the groups that show them, tested with regard to all groups of all patterns."""
    looked_at = [(pattern, group) for pattern in patterns for group in pattern.groups]
    could = can_be_positive(
        [
            excess_p_value(min(group.total, pattern.count), group.total, pattern.count, pattern.total)
            for pattern, group in looked_at
        ]
    )
    tested = [(pattern.key, group) for (pattern, group), possible in zip(looked_at, could, strict=True) if possible]
    adjusted = holm([group.p_value for _, group in tested])
    by_group = {(key, group.by, group.name): p_value for (key, group), p_value in zip(tested, adjusted, strict=True)}
    for pattern in patterns:
        groups = []
        for group in pattern.groups:
            p_value = by_group.get((pattern.key, group.by, group.name))
            stands_out = p_value is not None and p_value < ALPHA
            if group.count:
                groups.append(replace(group, p_value_adjusted=p_value, stands_out=stands_out))
        yield replace(pattern, groups=tuple(groups))


def _dimensions(observations: Sequence[Observation], rubric: ScorecardRubric) -> Iterable[DimensionFeedback]:
    levels = rubric.scores_of(rubric.note_required_at)
    for dimension in rubric.dimensions:
        key = dimension.key
        about = [one for one in observations if one.scores[key] is not None]
        remedies = [rule.remedy for rule in rubric.feedback if key in rubric.dimensions_of(rule.dimensions)]
        counts = _counts(about, {id(one) for one in about if one.scores[key] in levels})
        yield DimensionFeedback(dimension=key, remedies=tuple(remedies), **counts)


def _counts(about: Sequence[Observation], showing: set[int]) -> dict[str, Any]:
    """Return the fields that count interactions; one that was reviewed twice counts once."""
    traces = sorted({one.trace_id for one in about if id(one) in showing})
    count, total = len(traces), len({one.trace_id for one in about})
    return {
        "count": count,
        "total": total,
        "share": count / total if total else None,
        "interval_95": clopper_pearson(count, total),
        "traces": tuple(traces),
    }
