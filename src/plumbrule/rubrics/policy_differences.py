"""How a rubric differs from the one that ships, in words: each difference is weaker, stricter, or neither.

The scorecard that ships is a floor. A rubric may add rules and tighten limits; one that lets anything through that the
shipped one would stop is weaker, and whoever uses it has to accept that. Where a change of a deciding part could be
either, it counts as weaker. Texts and other parts that decide nothing are told as other differences.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

from plumbrule.errors import UsageError
from plumbrule.rubrics.benchmark_rubric import BenchmarkRubric
from plumbrule.rubrics.loader import Loaded, content_of, load_rubric
from plumbrule.rubrics.review_rules import TraitRule
from plumbrule.rubrics.scorecard_rubric import BlockerRule, Dimension, FigureRule, ScorecardRubric, Stratum, Trigger

Effect = Literal["weaker", "stricter", "other"]
_ORDER: tuple[Effect, ...] = ("weaker", "stricter", "other")
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDifference:
    """One difference from the rubric that ships, in words."""

    effect: Effect
    text: str


def policy_differences(loaded: Loaded[Any]) -> tuple[PolicyDifference, ...]:
    """Return how a rubric differs from the one of its name that ships, the weaker differences first."""
    shipped = _shipped(loaded.name)
    if loaded.sha256 == shipped.sha256:
        return ()
    deciding: frozenset[str] = frozenset()
    if isinstance(loaded.rubric, ScorecardRubric):
        found, told = _of_scorecard(loaded.rubric, shipped.rubric), _TOLD_OF_SCORECARD
    elif isinstance(loaded.rubric, BenchmarkRubric):
        found, told, deciding = _of_benchmark(loaded.rubric, shipped.rubric), _TOLD_OF_BENCHMARK, _DECIDING
    else:
        found, told = iter(()), frozenset({"name", "version"})
    differences = [*found, *_untold(content_of(loaded), content_of(shipped), told, deciding)]
    return tuple(sorted(differences, key=lambda difference: _ORDER.index(difference.effect)))


def weaker_differences(differences: Iterable[PolicyDifference]) -> tuple[PolicyDifference, ...]:
    """Return the differences by which a rubric lets through what the shipped one would stop."""
    return tuple(difference for difference in differences if difference.effect == "weaker")


def check_policy(loaded: Loaded[Any], *, accept_weaker: bool) -> tuple[PolicyDifference, ...]:
    """Return how a rubric differs from the one that ships; raise where it is weaker and nobody accepted that."""
    differences = policy_differences(loaded)
    weaker = weaker_differences(differences)
    if weaker and not accept_weaker:
        listed = "; ".join(difference.text for difference in weaker[:_SHOWN])
        more = f"; and {len(weaker) - _SHOWN} more" if len(weaker) > _SHOWN else ""
        raise UsageError(
            f"the {loaded.name} rubric {loaded.version} is weaker than the one that ships: {listed}{more}; "
            "--accept-weaker-policy uses it all the same, and every result says so"
        )
    return differences


@functools.cache
def _shipped(name: str) -> Loaded[Any]:
    return load_rubric(name, None, {})


def _difference(effect: Effect, text: str) -> PolicyDifference:
    return PolicyDifference(effect=effect, text=text)


# --- scorecard

# the keys whose differences are told below, part by part
_TOLD_OF_SCORECARD = frozenset(
    {
        *("name", "version", "levels", "not_applicable", "note_required_at", "dimensions", "bands", "blockers"),
        *("recommendation", "adjudication", "triggers", "traits", "strata", "figures", "drift", "decide_on"),
    }
)


def _of_scorecard(rubric: ScorecardRubric, shipped: ScorecardRubric) -> Iterator[PolicyDifference]:
    stands_for = _stands_for(rubric, shipped)
    yield from _of_levels(rubric, shipped, stands_for)
    yield from _of_dimensions(rubric, shipped)
    yield from _of_blockers(rubric, shipped, stands_for)
    limits, floor = rubric.recommendation, shipped.recommendation
    yield from _of_limit("recommendation.fail_below", limits.fail_below, floor.fail_below)
    yield from _of_limit("recommendation.pass_at_least", limits.pass_at_least, floor.pass_at_least)
    for place, named, before in (
        ("recommendation.pass_with_none_at", limits.pass_with_none_at, floor.pass_with_none_at),
        ("note_required_at", rubric.note_required_at, shipped.note_required_at),
        ("adjudication.any_at", rubric.adjudication.any_at, shipped.adjudication.any_at),
    ):
        yield from _of_names(place, named, [name for name in stands_for if stands_for[name] in before])
    yield from _of_limit(
        "adjudication.levels_apart", rubric.adjudication.levels_apart, shipped.adjudication.levels_apart, most=True
    )
    yield from _of_not_applicable(rubric, shipped)
    yield from _of_triggers(rubric, shipped)
    yield from _of_parts("trait", rubric.traits, shipped.traits, _key, _of_trait, added="other")
    yield from _of_parts("stratum", rubric.strata, shipped.strata, _key, _of_stratum, added="other")
    yield from _of_bands(rubric, shipped)
    yield from _of_parts("figure", rubric.figures, shipped.figures, _key, _of_figure, added="stricter")
    yield from _of_limit("drift.slack", rubric.drift.slack, shipped.drift.slack, most=True)
    yield from _of_limit("drift.alarm_at", rubric.drift.alarm_at, shipped.drift.alarm_at, most=True)
    yield from _of_limit("drift.baseline_weeks", rubric.drift.baseline_weeks, shipped.drift.baseline_weeks, most=True)
    if rubric.decide_on != shipped.decide_on:
        effect: Effect = "stricter" if rubric.decide_on == "bound" else "weaker"
        yield _changed(effect, "decide_on", rubric.decide_on, shipped.decide_on)


def _stands_for(rubric: ScorecardRubric, shipped: ScorecardRubric) -> dict[str, str]:
    """Return for each level the shipped level that it stands for: itself, else the next one below it, or the worst.

    On a scale of its own only the worst level stands for one that ships, the worst.
    """
    known = [level.name for level in shipped.levels]
    if not any(level.name in known for level in rubric.levels):
        return {**{level.name: level.name for level in rubric.levels}, rubric.levels[-1].name: known[-1]}
    stands_for: dict[str, str] = {}
    below = known[-1]
    for level in reversed(rubric.levels):
        below = level.name if level.name in known else below
        stands_for[level.name] = below
    return stands_for


def _of_levels(
    rubric: ScorecardRubric, shipped: ScorecardRubric, stands_for: Mapping[str, str]
) -> Iterator[PolicyDifference]:
    """Compare the scales; a level that is added counts no more than the shipped one that it stands for."""
    scores = {level.name: level.score for level in rubric.levels}
    floors = {level.name: level.score for level in shipped.levels}
    for level in shipped.levels:
        if level.name not in scores:
            yield _difference("weaker", f"level '{level.name}' is removed")
        else:
            yield from _of_limit(f"level '{level.name}' counts", scores.pop(level.name), level.score, most=True)
    for name, score in scores.items():
        floor = floors.get(stands_for[name])
        if floor is not None and score > floor:
            more = f"and counts {score}, where '{stands_for[name]}' counts {floor}"
            yield _difference("weaker", f"level '{name}' is added, {more}")
        else:
            yield _difference("other", f"level '{name}' is added")


def _of_dimensions(rubric: ScorecardRubric, shipped: ScorecardRubric) -> Iterator[PolicyDifference]:
    yield from _of_parts("dimension", rubric.dimensions, shipped.dimensions, _key, _of_dimension, added="other")


def _of_dimension(place: str, dimension: Dimension, shipped: Dimension) -> Iterator[PolicyDifference]:
    yield from _of_limit(f"{place} weighs", dimension.weight, shipped.weight)
    if dimension.may_be_not_applicable != shipped.may_be_not_applicable:
        effect: Effect = "weaker" if dimension.may_be_not_applicable else "stricter"
        may = "may" if dimension.may_be_not_applicable else "may not"
        yield _difference(effect, f"{place} {may} be Not Applicable")
    texts = ("title", "measures", "asks", "key_questions", "descriptors", "artifacts", "test_cases")
    changed = [name for name in texts if getattr(dimension, name) != getattr(shipped, name)]
    if changed:
        yield _difference("other", f"{place} has other texts: {', '.join(changed)}")


def _of_blockers(
    rubric: ScorecardRubric, shipped: ScorecardRubric, stands_for: Mapping[str, str]
) -> Iterator[PolicyDifference]:
    by_name = {rule.rule: rule for rule in rubric.blockers}
    known = set(rubric.dimensions_of("all"))
    for floor in shipped.blockers:
        named = by_name.pop(floor.rule, None)
        wanted = _pairs(
            [key for key in rubric.dimensions_of(floor.dimensions) if key in known],
            [name for name in stands_for if stands_for[name] in floor.levels],
        )
        place = f"blocker {floor.rule} ({floor.title})"
        if wanted and _covered(floor, wanted, rubric):
            if named is None:
                yield _difference("other", f"{place} is covered by other rules")
            elif _shape(named, rubric) != _shape(floor, rubric):
                yield _difference("stricter", f"{place}: {_in_words(named)}, not {_in_words(floor)}")
            continue
        if named is None:
            yield _difference("weaker", f"{place} is removed")
        else:
            yield _difference("weaker", f"{place}: {_in_words(named)}, not {_in_words(floor)}")
    for rule in by_name.values():
        yield _difference("stricter", f"blocker {rule.rule} ({rule.title}) is added: {_in_words(rule)}")


def _covered(floor: BlockerRule, wanted: set[tuple[str, str]], rubric: ScorecardRubric) -> bool:
    """Tell whether everything that a shipped rule blocks is blocked, by rules that may not be averaged where it is not.

    What one rating alone blocks need not be counted; the rest must be within one rule that counts no more.
    """
    rules = [rule for rule in rubric.blockers if floor.run_mean or not rule.run_mean]
    blocks = [(rule, _pairs(rubric.dimensions_of(rule.dimensions), rule.levels)) for rule in rules]
    left = wanted.difference(*(pairs for rule, pairs in blocks if rule.more_than == 0))
    return not left or any(left <= pairs and rule.more_than <= floor.more_than for rule, pairs in blocks)


def _pairs(dimensions: Iterable[str], levels: Iterable[str]) -> set[tuple[str, str]]:
    return set(product(dimensions, levels))


def _shape(rule: BlockerRule, rubric: ScorecardRubric) -> tuple[object, ...]:
    return frozenset(rubric.dimensions_of(rule.dimensions)), frozenset(rule.levels), rule.more_than, rule.run_mean


def _in_words(rule: BlockerRule) -> str:
    dimensions = "any dimension" if rule.dimensions == "all" else ", ".join(rule.dimensions)
    averaged = "which run_mean may average" if rule.run_mean else "never averaged"
    return f"more than {rule.more_than} of {dimensions} at {' or '.join(rule.levels)}, {averaged}"


def _of_not_applicable(rubric: ScorecardRubric, shipped: ScorecardRubric) -> Iterator[PolicyDifference]:
    allowed, before = rubric.not_applicable.allowed_on, shipped.not_applicable.allowed_on
    if allowed != before:
        yield _changed("stricter" if allowed == "refusals" else "weaker", "not_applicable.allowed_on", allowed, before)
    if replace(rubric.not_applicable, allowed_on=before) == shipped.not_applicable:
        return
    needs, floor = rubric.not_applicable.needs, shipped.not_applicable.needs
    if needs is not None and floor is not None and needs.dimension == floor.dimension:
        names = [level.name for level in rubric.levels]
        if needs.at_least == floor.at_least:
            effect: Effect = "other" if _but_name(rubric) == _but_name(shipped) else "weaker"
        elif floor.at_least in names and names.index(needs.at_least) < names.index(floor.at_least):
            effect = "stricter"
        else:
            effect = "weaker"
    else:
        effect = "stricter" if floor is None else "weaker"
    yield _difference(effect, f"not_applicable is {_told(rubric.not_applicable)}, not {_told(shipped.not_applicable)}")


def _but_name(rubric: ScorecardRubric) -> dict[str, object]:
    rules = rubric.not_applicable
    return {name: getattr(rules, name) for name in rules.__dataclass_fields__ if name not in {"name", "allowed_on"}}


def _of_triggers(rubric: ScorecardRubric, shipped: ScorecardRubric) -> Iterator[PolicyDifference]:
    """Compare the triggers; one that is added asks for no less than the shipped one that asks for most."""
    known = {trigger.key for trigger in shipped.triggers}
    kept = [trigger for trigger in rubric.triggers if trigger.key in known]
    yield from _of_parts("trigger", kept, shipped.triggers, _key, _of_trigger, added="other")
    floor = max(shipped.triggers, key=lambda trigger: (trigger.draw == "all", trigger.evaluators))
    for trigger in rubric.triggers:
        if trigger.key not in known:
            place = f"trigger {trigger.key} is added"
            weaker = weaker_differences(_of_trigger(f"{place}, and is less than {floor.key}", trigger, floor))
            yield from weaker or [_difference("other", place)]


def _of_trait(place: str, trait: TraitRule, shipped: TraitRule) -> Iterator[PolicyDifference]:
    """Compare the signs of a trait: more of them find more interactions."""
    for name in shipped.__dataclass_fields__:
        value, floor = getattr(trait, name), getattr(shipped, name)
        if value != floor:
            more = value is True or (isinstance(value, tuple) and set(value) >= set(floor))
            yield _changed("stricter" if more else "weaker", f"{place}: {name}", _named(value), _named(floor))


def _named(value: object) -> str:
    return _told(value) or "none"


def _of_stratum(place: str, stratum: Stratum, shipped: Stratum) -> Iterator[PolicyDifference]:
    yield from _of_limit(f"{place}: share", stratum.share, shipped.share)
    if stratum.any_of != shipped.any_of:
        yield _changed("weaker", f"{place}: any_of", _named(stratum.any_of), _named(shipped.any_of))


def _of_trigger(place: str, trigger: Trigger, shipped: Trigger) -> Iterator[PolicyDifference]:
    yield from _of_limit(f"{place}: evaluators", trigger.evaluators, shipped.evaluators)
    if trigger.sample_size != shipped.sample_size:
        more = trigger.sample_size is None or (shipped.sample_size or trigger.sample_size) < trigger.sample_size
        effect: Effect = "stricter" if more else "weaker"
        yield _changed(effect, f"{place}: sample_size", trigger.sample_size or "all", shipped.sample_size or "all")
    if trigger.draw != shipped.draw:
        yield _changed("stricter" if trigger.draw == "all" else "weaker", f"{place}: draw", trigger.draw, shipped.draw)
    if trigger.in_view != shipped.in_view:
        wider = trigger.in_view == "all" or (shipped.in_view != "all" and set(trigger.in_view) >= set(shipped.in_view))
        effect = "stricter" if wider else "weaker"
        yield _changed(effect, f"{place}: in_view", _told(trigger.in_view), _told(shipped.in_view))
    texts = ("title", "scope", "depth")
    changed = [name for name in texts if getattr(trigger, name) != getattr(shipped, name)]
    if changed:
        yield _difference("other", f"{place} has other texts: {', '.join(changed)}")


def _of_bands(rubric: ScorecardRubric, shipped: ScorecardRubric) -> Iterator[PolicyDifference]:
    starts = {band.key: band for band in rubric.bands}
    for floor in shipped.bands:
        band = starts.pop(floor.key, None)
        if band is None:
            yield _difference("weaker", f"band {floor.key} is removed")
            continue
        yield from _of_limit(f"band {floor.key} begins", band.at_least, floor.at_least)
        if band.action != floor.action:
            yield _changed("weaker", f"band {floor.key}: action", band.action, floor.action)
        if band.title != floor.title:
            yield _changed("other", f"band {floor.key}: title", band.title, floor.title)
    for key, band in starts.items():
        yield _difference("weaker", f"band {key} is added, from {float(band.at_least):g}: {band.action}")


def _of_figure(place: str, figure: FigureRule, shipped: FigureRule) -> Iterator[PolicyDifference]:
    if (figure.of, figure.dimension, figure.levels) != (shipped.of, shipped.dimension, shipped.levels):
        yield _difference("weaker", f"{place} is of something else")
        return
    higher = shipped.target.higher_is_better
    if figure.target.higher_is_better != higher:
        yield _difference("weaker", f"{place} has its target on the other side")
        return
    yield from _of_limit(f"{place}: target", figure.target.bound, shipped.target.bound, most=not higher)
    yield from _of_limit(f"{place}: alert", figure.alert, shipped.alert, most=not higher)
    if figure.target != shipped.target and figure.target.bound == shipped.target.bound:
        met = figure.target.met_by(figure.target.bound)
        yield _difference("weaker" if met else "stricter", f"{place}: the target {'is' if met else 'is not'} met at it")


# --- benchmark

_TOLD_OF_BENCHMARK = frozenset({"name", "version", "gates"})
_DECIDING = frozenset(
    {"accuracy_score", "faithfulness_score", "latency_e2e_ms", "total_tokens", "weights", "labels", "components"}
)
_AT_MOST = ("faithfulness_failure_rate", "latency_e2e_p95_ms", "contradicted_rate", "unsupported_rate")


def _of_benchmark(rubric: BenchmarkRubric, shipped: BenchmarkRubric) -> Iterator[PolicyDifference]:
    for name in shipped.gates.__dataclass_fields__:
        value, floor = getattr(rubric.gates, name), getattr(shipped.gates, name)
        if isinstance(value, Fraction | int | float) and isinstance(floor, Fraction | int | float):
            yield from _of_limit(f"gate {name}", value, floor, most=name in _AT_MOST)
        elif isinstance(value, Fraction) and floor is None:
            yield _difference("stricter", f"gate {name} is added, at {_told(value)}")
        elif isinstance(floor, Fraction) and value is None:
            yield _difference("weaker", f"gate {name} is left out, {_told(floor)} in the rubric that ships")
        elif value != floor:
            yield _changed("other", f"gate {name}", value, floor)


# --- for all


def _of_parts(
    what: str,
    parts: Sequence[Any],
    shipped: Sequence[Any],
    key: Callable[[Any], str],
    compare: Callable[[str, Any, Any], Iterator[PolicyDifference]],
    *,
    added: Effect,
) -> Iterator[PolicyDifference]:
    """Compare the parts of a list by their keys; one that is removed is weaker."""
    by_key = {key(part): part for part in parts}
    for floor in shipped:
        part = by_key.pop(key(floor), None)
        if part is None:
            yield _difference("weaker", f"{what} {key(floor)} is removed")
        elif part != floor:
            yield from compare(f"{what} {key(floor)}", part, floor)
    for name in by_key:
        yield _difference(added, f"{what} {name} is added")


def _key(part: Any) -> str:  # noqa: ANN401 - any part with a key
    return str(part.key)


def _of_limit(
    place: str, value: Fraction | float, shipped: Fraction | float, *, most: bool = False
) -> Iterator[PolicyDifference]:
    """Compare a limit from below, or with ``most`` from above."""
    if value != shipped:
        yield _changed("weaker" if (value > shipped) == most else "stricter", place, _told(value), _told(shipped))


def _of_names(place: str, named: Sequence[str], shipped: Sequence[str]) -> Iterator[PolicyDifference]:
    """Compare a list of levels at which something is asked for."""
    for name in shipped:
        if name not in named:
            yield _difference("weaker", f"{place} is without '{name}'")
    for name in named:
        if name not in shipped:
            yield _difference("stricter", f"{place} has '{name}', too")


def _changed(effect: Effect, place: str, value: object, shipped: object) -> PolicyDifference:
    return _difference(effect, f"{place} {value}, not {shipped}")


def _told(value: object) -> str:
    if isinstance(value, Fraction | float):
        return f"{float(value):g}"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is None:
        return "none" if value is None else str(value)
    return "; ".join(f"{name} {_told(getattr(value, name))}" for name in fields)


def _untold(
    content: Mapping[str, Any], shipped: Mapping[str, Any], told: frozenset[str], deciding: frozenset[str]
) -> Iterator[PolicyDifference]:
    """Name the other parts that differ; those that decide could be either."""
    for key in dict.fromkeys((*shipped, *content)):
        if key not in told and content.get(key) != shipped.get(key):
            yield _difference("weaker" if key in deciding else "other", f"{key}: other than what ships")
