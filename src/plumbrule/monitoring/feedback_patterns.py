"""The feedback loop: patterns in what was reviewed, where they gather, and the remedy that the rubric has for each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

from plumbrule.reviews.levels import Scores
from plumbrule.rubrics import ScorecardRubric
from plumbrule.stats.intervals import Interval, wilson

By = Literal["refusal_code", "category", "source", "model"]

GROUPINGS: tuple[By, ...] = get_args(By)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One reviewed interaction: its card, and what it can be grouped by, each possibly several."""

    trace_id: str
    scores: Scores
    groups: Mapping[By, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many of those that a pattern is about show it, and which."""

    name: str
    traces: tuple[str, ...]  # that show it
    total: int

    @property
    def share(self) -> Fraction | None:
        """The share that shows it; None of nothing."""
        return Fraction(len(self.traces), self.total) if self.total else None

    @property
    def interval(self) -> Interval | None:
        """Wilson's interval of the share."""
        return wilson(len(self.traces), self.total)

    def to_dict(self) -> dict[str, Any]:
        """Return the tally as JSON holds it."""
        share, interval = self.share, self.interval
        return {
            "count": len(self.traces),
            "total": self.total,
            "share": None if share is None else float(share),
            "interval_95": None if interval is None else list(interval),
            "traces": list(self.traces),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A pattern among the interactions that share something; it stands out where its whole interval lies above."""

    by: By
    tally: Tally
    stands_out: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the group as JSON holds it."""
        return {"by": self.by, "name": self.tally.name, **self.tally.to_dict(), "stands_out": self.stands_out}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One pattern of the rubric, with its remedy, over everything and by group."""

    key: str
    title: str
    remedy: str
    tally: Tally
    groups: tuple[Group, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as JSON holds it."""
        return {
            "key": self.key,
            "title": self.title,
            "remedy": self.remedy,
            **self.tally.to_dict(),
            "groups": [group.to_dict() for group in self.groups],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionTally:
    """How often a dimension needs a note, and the remedies of the patterns that it belongs to."""

    tally: Tally
    remedies: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the dimension as JSON holds it."""
        return {"dimension": self.tally.name, **self.tally.to_dict(), "remedies": list(self.remedies)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """All patterns, those that show most often first, and every dimension."""

    reviewed: int
    patterns: tuple[Pattern, ...]
    dimensions: tuple[DimensionTally, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON holds it."""
        return {
            "reviewed": self.reviewed,
            "patterns": [pattern.to_dict() for pattern in self.patterns],
            "dimensions": [dimension.to_dict() for dimension in self.dimensions],
        }


def find_patterns(observations: Sequence[Observation], rubric: ScorecardRubric) -> Feedback:
    """Return the rubric's patterns over what was reviewed.

    A pattern is about the interactions to which one of its dimensions applies; it shows where one of them is at one of
    its levels.
    """
    patterns = []
    for rule in rubric.feedback:
        keys, levels = rubric.dimensions_of(rule.dimensions), rubric.scores_of(rule.levels)
        about = [each for each in observations if any(each.scores[key] is not None for key in keys)]
        shown = {id(each) for each in about if any(each.scores[key] in levels for key in keys)}
        whole = _tally(rule.key, about, shown)
        patterns.append(
            Pattern(
                key=rule.key,
                title=rule.title,
                remedy=rule.remedy,
                tally=whole,
                groups=tuple(_groups(about, shown, whole)),
            )
        )
    return Feedback(
        reviewed=len(observations),
        patterns=tuple(sorted(patterns, key=lambda pattern: -len(pattern.tally.traces))),
        dimensions=tuple(_dimensions(observations, rubric)),
    )


def _groups(about: Sequence[Observation], shown: set[int], whole: Tally) -> Iterable[Group]:
    """Yield the groups that show a pattern: by what they are grouped, the most frequent first."""
    for by in GROUPINGS:
        members: dict[str, list[Observation]] = {}
        for each in about:
            for name in dict.fromkeys(each.groups.get(by, ())):
                members.setdefault(name, []).append(each)
        tallies = [_tally(name, some, shown) for name, some in members.items()]
        for tally in sorted(tallies, key=lambda tally: (-len(tally.traces), -(tally.share or 0), tally.name)):
            if tally.traces:
                low = 0.0 if tally.interval is None else tally.interval.low
                yield Group(by=by, tally=tally, stands_out=low > (whole.share or 0))


def _dimensions(observations: Sequence[Observation], rubric: ScorecardRubric) -> Iterable[DimensionTally]:
    levels = rubric.scores_of(rubric.note_required_at)
    for dimension in rubric.dimensions:
        key = dimension.key
        about = [each for each in observations if each.scores[key] is not None]
        remedies = [rule.remedy for rule in rubric.feedback if key in rubric.dimensions_of(rule.dimensions)]
        yield DimensionTally(
            tally=_tally(key, about, {id(each) for each in about if each.scores[key] in levels}),
            remedies=tuple(remedies),
        )


def _tally(name: str, about: Sequence[Observation], shown: set[int]) -> Tally:
    traces = sorted({each.trace_id for each in about if id(each) in shown})
    return Tally(name=name, traces=tuple(traces), total=len({each.trace_id for each in about}))
