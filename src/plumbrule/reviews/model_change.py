"""A model change: the new answers beside the earlier model's, by pre-scores and by people's records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from plumbrule.codec import optional_key
from plumbrule.ledger import Ledger
from plumbrule.names import key_of_trace
from plumbrule.person_names import plain_key
from plumbrule.prescores.kept_prescore import KeptPrescore
from plumbrule.reviews.adjudication import settle
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.interaction_archive import FoundVersion, Wanted, find_versions
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import Scores, level_name
from plumbrule.reviews.record_decision import decide, overall_of
from plumbrule.reviews.record_store import StoredRecord, records_about
from plumbrule.reviews.review_entries import PAIRED_BY, PairedBy
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.stats.multiplicity import ALPHA, holm
from plumbrule.stats.paired_tests import Gap, Tally, mean_gap, mean_gap_p_value, sign_test, tally
from plumbrule.stats.spread import mean_of

OVERALL = "overall"

_DRAW = "representative"  # the draw of a trigger that compares a new model with the one before

Verdict = Literal["better", "worse", "no clear difference"]
# why a pair does not count: nothing on the new side, nothing on the earlier one, another rubric, an open campaign
Reason = Literal["new_missing", "earlier_missing", "other_rubric", "withheld"]
REASONS: tuple[Reason, ...] = ("new_missing", "earlier_missing", "other_rubric", "withheld")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureResult:
    """A dimension, or the overall score, over all pairs: new less earlier, as JSON has it."""

    key: str
    pairs: int
    left_out: int
    earlier: float | None
    new: float | None
    difference: float | None
    interval_95: tuple[float, float] | None
    method: str
    better: int
    worse: int
    equal: int
    sign_test_p: float
    verdict: Verdict
    p_value: float | None = optional_key()  # not there in older versions, as the next
    p_value_adjusted: float | None = optional_key()  # for all the figures that are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """The pairs by one kind of levels, people's or those of the pre-scores, and why some are left out."""

    pairs: int
    left_out: Mapping[Reason, int]
    figures: tuple[FigureResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    """An item and the earlier answer, with the difference of their overall scores."""

    trace_id: str
    earlier: str | None
    paired_by: PairedBy | None
    people: float | None
    prescores: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPair:
    """One dimension of both answers, by the names of its levels; None where there is no level."""

    key: str
    title: str
    earlier: str | None
    new: str | None
    difference: int | None  # of the scores of the levels, new less earlier


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLevels:
    """The levels of both answers of a pair, or why they are not compared."""

    dimensions: tuple[LevelPair, ...]
    earlier: float | None  # overall
    new: float | None
    difference: float | None  # new less earlier
    reason: Reason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """One pair of a model change: people's levels once the campaign is closed, and those of the pre-scores."""

    people: PairLevels | None
    prescores: PairLevels


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChange:
    """The new model's answers compared with the earlier model's."""

    items: int
    paired: int
    paired_by: Mapping[PairedBy, int]
    unpaired: tuple[str, ...]
    people: PairedComparison | None
    prescores: PairedComparison | None
    pairs: tuple[PairLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One answer's levels and overall score; None where there is none."""

    levels: Mapping[str, int | None]
    overall: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFigure:
    """A dimension, or the overall score, over all pairs, with exact means.

    ``left_out`` of the pairs have no level on one side, for example where the dimension does not apply to a refusal.
    ``p_value_adjusted`` allows for all the figures that are tested with this one (Holm).
    """

    key: str
    pairs: int
    left_out: int
    earlier: Fraction | None
    new: Fraction | None
    gap: Gap
    signs: Tally
    p_value: float | None
    p_value_adjusted: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Whether the new model is better or worse; clear only where interval and adjusted test exclude 0."""
        interval = self.gap.interval
        if interval is None or interval.low <= 0 <= interval.high:
            return "no clear difference"
        if self.p_value_adjusted is None or self.p_value_adjusted >= ALPHA:
            return "no clear difference"
        return "better" if interval.low > 0 else "worse"

    def result(self) -> FigureResult:
        """Return the figure for JSON."""
        interval = self.gap.interval
        return FigureResult(
            key=self.key,
            pairs=self.pairs,
            left_out=self.left_out,
            earlier=_number(self.earlier),
            new=_number(self.new),
            difference=_number(self.gap.mean),
            interval_95=None if interval is None else (interval.low, interval.high),
            method=self.gap.method,
            better=self.signs.above,
            worse=self.signs.below,
            equal=self.signs.level,
            sign_test_p=float(sign_test(self.signs.above, self.signs.below)),
            verdict=self.verdict,
            p_value=self.p_value,
            p_value_adjusted=self.p_value_adjusted,
        )


def compare_sides(pairs: Sequence[tuple[Side, Side]], rubric: ScorecardRubric) -> list[PairedFigure]:
    """Return the overall score and every dimension of the pairs, each an earlier side and a new one.

    They are tested together: two models that are alike show a clear difference in any of them at most once in twenty
    times.
    """
    scores = [level.score for level in rubric.levels]
    bound = Fraction(max(scores) - min(scores))
    figures = [_figure(OVERALL, [(first.overall, second.overall) for first, second in pairs], bound)]
    for dimension in rubric.dimensions:
        levels = [tuple(side.levels.get(dimension.key) for side in pair) for pair in pairs]
        known = [(_exact(first), _exact(second)) for first, second in levels]
        figures.append(_figure(dimension.key, known, bound))
    return _adjusted(figures)


def _adjusted(figures: Sequence[PairedFigure]) -> list[PairedFigure]:
    """Return the figures with p-values that allow for all of them."""
    tests = [figure.p_value for figure in figures if figure.p_value is not None]
    corrected = dict(zip(tests, holm(tests), strict=True))  # equal p-values stay equal
    return [
        figure if figure.p_value is None else replace(figure, p_value_adjusted=corrected[figure.p_value])
        for figure in figures
    ]


def _figure(key: str, pairs: Sequence[tuple[Fraction | None, Fraction | None]], bound: Fraction) -> PairedFigure:
    known = [(first, second) for first, second in pairs if first is not None and second is not None]
    differences = [second - first for first, second in known]
    return PairedFigure(
        key=key,
        pairs=len(known),
        left_out=len(pairs) - len(known),
        earlier=mean_of([first for first, _ in known]),
        new=mean_of([second for _, second in known]),
        gap=mean_gap(differences, bound=bound),
        signs=tally(differences),
        p_value=mean_gap_p_value(differences, bound=bound),
    )


def _exact(level: int | None) -> Fraction | None:
    return None if level is None else Fraction(level)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


Compared = tuple[Side, Side] | Reason


def compare_answers(ledger: Ledger, campaign: Campaign, *, people: bool) -> ModelChange | None:
    """Return the paired comparison of a model change; None for any other campaign.

    Pre-scores reveal no rating. Records do, so ``people`` is for a campaign that is closed.
    """
    if campaign.plan.draw != _DRAW:
        return None
    items = list(campaign.items.values())
    paired = [item for item in items if item.earlier is not None]
    counted = [item.paired_by for item in paired]
    rubric = campaign.loaded.rubric
    by_prescores = _by_prescores(ledger, paired, rubric)
    by_people = _by_people(ledger, paired, campaign) if people else None
    return ModelChange(
        items=len(items),
        paired=len(paired),
        paired_by={how: counted.count(how) for how in PAIRED_BY},
        unpaired=tuple(item.trace_id for item in items if item.earlier is None),
        people=None if by_people is None else _compared(by_people, rubric),
        prescores=_compared(by_prescores, rubric),
        pairs=tuple(
            PairLine(
                trace_id=item.trace_id,
                earlier=item.earlier,
                paired_by=item.paired_by,
                people=None if by_people is None else _difference(by_people[place]),
                prescores=_difference(by_prescores[place]),
            )
            for place, item in enumerate(paired)
        ),
    )


def compare_pair(ledger: Ledger, campaign: Campaign, item: Item) -> PairReport:
    """Return the levels of an item beside those of the earlier answer; people's only of a closed campaign."""
    rubric = campaign.loaded.rubric
    people = _by_people(ledger, [item], campaign)[0] if campaign.closed is not None else None
    return PairReport(
        people=None if people is None else _levels_of(people, rubric),
        prescores=_levels_of(_by_prescores(ledger, [item], rubric)[0], rubric),
    )


def _levels_of(pair: Compared, rubric: ScorecardRubric) -> PairLevels:
    if isinstance(pair, str):
        return PairLevels(dimensions=(), earlier=None, new=None, difference=None, reason=pair)
    earlier, new = pair
    levels = [(rule, earlier.levels.get(rule.key), new.levels.get(rule.key)) for rule in rubric.dimensions]
    return PairLevels(
        dimensions=tuple(
            LevelPair(
                key=rule.key,
                title=rule.title,
                earlier=None if before is None else level_name(before, rubric),
                new=None if after is None else level_name(after, rubric),
                difference=None if before is None or after is None else after - before,
            )
            for rule, before, after in levels
        ),
        earlier=_number(earlier.overall),
        new=_number(new.overall),
        difference=_difference(pair),
        reason=None,
    )


def _compared(pairs: Sequence[Compared], rubric: ScorecardRubric) -> PairedComparison:
    sides = [pair for pair in pairs if isinstance(pair, tuple)]
    return PairedComparison(
        pairs=len(sides),
        left_out={reason: sum(pair == reason for pair in pairs) for reason in REASONS},
        figures=tuple(figure.result() for figure in compare_sides(sides, rubric)),
    )


def _difference(pair: Compared) -> float | None:
    """Return the overall score of the new answer less that of the earlier one."""
    if isinstance(pair, str):
        return None
    earlier, new = (side.overall for side in pair)
    return None if earlier is None or new is None else float(new - earlier)


def _by_prescores(ledger: Ledger, paired: Sequence[Item], rubric: ScorecardRubric) -> list[Compared]:
    wanted: list[Wanted | None] = [one for item in paired for one in (item.wanted, item.wanted_earlier)]
    found: dict[Wanted | None, FoundVersion] = dict(find_versions(ledger, filter(None, wanted)).items())
    return [_prescored(found.get(item.wanted), found.get(item.wanted_earlier), rubric) for item in paired]


def _prescored(new: FoundVersion | None, earlier: FoundVersion | None, rubric: ScorecardRubric) -> Compared:
    after = None if new is None else new.meant.prescore
    before = None if earlier is None else earlier.meant.prescore
    if after is None:
        return "new_missing"
    if before is None:
        return "earlier_missing"
    if before.rubrics != after.rubrics:
        return "other_rubric"
    return _proposed(before, rubric), _proposed(after, rubric)


def _proposed(prescore: KeptPrescore, rubric: ScorecardRubric) -> Side:
    """Return the levels of a pre-score; it has an overall score only where no dimension is unknown."""
    named = {level.name: level.score for level in rubric.levels}
    levels = {dimension.key: named.get(prescore.scores.get(dimension.key) or "") for dimension in rubric.dimensions}
    refused = {key for key, proposal in prescore.dimensions.items() if proposal.basis == "refused"}
    whole = all(
        levels[dimension.key] is not None or (dimension.may_be_not_applicable and dimension.key in refused)
        for dimension in rubric.dimensions
    )
    return Side(levels=levels, overall=overall_of(levels, rubric) if whole else None)


def _by_people(ledger: Ledger, paired: Sequence[Item], campaign: Campaign) -> list[Compared]:
    found = find_versions(ledger, [item.wanted_earlier for item in paired if item.wanted_earlier is not None])
    versions = {
        item.trace_id: (key_of_trace(item.earlier or ""), found[item.wanted_earlier].meant.version)
        for item in paired
        if item.wanted_earlier in found
    }
    records: dict[tuple[str, str | None], list[StoredRecord]] = {}
    for record in records_about(ledger, [trace_id for trace_id, _ in versions.values()]):
        records.setdefault((key_of_trace(record.record.trace_id or ""), record.about.version), []).append(record)
    pairs: list[Compared] = []
    for item in paired:
        settled = campaign.settlement(item)
        if settled is None:
            pairs.append("new_missing")
            continue
        about = versions.get(item.trace_id)  # a record of another version says nothing of the one that was paired
        earlier = _earlier_scores(records.get(about, []) if about is not None else [], campaign.loaded)
        if isinstance(earlier, str):
            pairs.append(earlier)
        else:
            pairs.append((_side(earlier, campaign.loaded), _side(settled.scores, campaign.loaded)))
    return pairs


def _earlier_scores(records: Iterable[StoredRecord], loaded: Loaded[ScorecardRubric]) -> Scores | Reason:
    """Return the levels that people settled on last, in a campaign that is closed or outside of any."""
    listed = list(records)
    public = [record for record in listed if not record.blind]
    if not public:
        return "withheld" if listed else "earlier_missing"
    newest = max(public, key=lambda record: record.entry.sequence).campaign
    members = [record for record in public if record.campaign == newest]
    if any(record.rubric.sha256 != loaded.sha256 for record in members):
        return "other_rubric"
    ratings = [record.rating for record in members if record.role == "evaluator"]
    decided = [record.rating for record in members if record.role == "adjudicator"]
    adjudication = decided[-1] if ratings and decided else None
    return settle(ratings or decided, loaded.rubric, adjudication, key_of=plain_key).scores


def _side(scores: Scores, loaded: Loaded[ScorecardRubric]) -> Side:
    return Side(levels=scores, overall=decide(scores, loaded).overall)
