"""A model change: the new answers beside the earlier model's, by pre-scores and by people's records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from plumbrule.ledger import Ledger
from plumbrule.names import key_of_trace
from plumbrule.reviews.adjudication import Rating, settle
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.card_decision import decide, overall_of
from plumbrule.reviews.interaction_archive import StoredInteraction, find_interactions
from plumbrule.reviews.items import PAIRED_BY, Item
from plumbrule.reviews.levels import Scores
from plumbrule.reviews.record_store import StoredRecord, stored_records
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.stats.paired_tests import Gap, Tally, mean_gap, sign_test, tally
from plumbrule.stats.spread import mean_of

OVERALL = "overall"

Verdict = Literal["better", "worse", "no clear difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One answer's levels, and what they come to; None where there is no level, or no overall score."""

    levels: Mapping[str, int | None]
    overall: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFigure:
    """A dimension, or the overall score, over all pairs: new less earlier, and whether chance could have done it.

    ``left_out`` of the pairs have no level on one side, as where the dimension does not apply to a refusal.
    """

    key: str
    pairs: int
    left_out: int
    earlier: Fraction | None
    new: Fraction | None
    gap: Gap
    signs: Tally

    @property
    def verdict(self) -> Verdict:
        """How the new model stands to the earlier one; clear only where the interval excludes 0."""
        interval = self.gap.interval
        if interval is None or interval.low <= 0 <= interval.high:
            return "no clear difference"
        return "better" if interval.low > 0 else "worse"

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as JSON holds it."""
        interval = self.gap.interval
        return {
            "key": self.key,
            "pairs": self.pairs,
            "left_out": self.left_out,
            "earlier": _number(self.earlier),
            "new": _number(self.new),
            "difference": _number(self.gap.mean),
            "interval_95": None if interval is None else list(interval),
            "method": self.gap.method,
            "better": self.signs.above,
            "worse": self.signs.below,
            "equal": self.signs.level,
            "sign_test_p": float(sign_test(self.signs.above, self.signs.below)),
            "verdict": self.verdict,
        }


def compare_sides(pairs: Sequence[tuple[Side, Side]], rubric: ScorecardRubric) -> list[PairedFigure]:
    """Return the overall score and every dimension of the pairs, each an earlier side and a new one."""
    scores = [level.score for level in rubric.levels]
    bound = Fraction(max(scores) - min(scores))
    figures = [_figure(OVERALL, [(first.overall, second.overall) for first, second in pairs], bound)]
    for dimension in rubric.dimensions:
        levels = [tuple(side.levels.get(dimension.key) for side in pair) for pair in pairs]
        known = [(_exact(first), _exact(second)) for first, second in levels]
        figures.append(_figure(dimension.key, known, bound))
    return figures


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
    )


def _exact(level: int | None) -> Fraction | None:
    return None if level is None else Fraction(level)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


_DRAW = "representative"  # the draw of a trigger that asks how a new model stands to the one before

# why a pair does not count: nothing on the new side, nothing on the earlier one, or not by the same rubric
Reason = Literal["new_missing", "earlier_missing", "other_rubric", "withheld"]
REASONS: tuple[Reason, ...] = ("new_missing", "earlier_missing", "other_rubric", "withheld")
Found = tuple[Side, Side] | Reason


def compare_answers(ledger: Ledger, campaign: Campaign, *, people: bool) -> dict[str, Any] | None:
    """Return the paired comparison of a model change; None of any other campaign.

    Pre-scores tell no rating. Cards do, so that ``people`` is for a campaign that is closed.
    """
    if campaign.plan.get("draw") != _DRAW:
        return None
    items = list(campaign.items.values())
    paired = [item for item in items if item.earlier is not None]
    counted = [item.paired_by for item in paired]
    beside: dict[str, Any] = {"people": None, "prescores": None}
    found = {"prescores": _by_prescores(ledger, paired, campaign.loaded.rubric)}
    if people:
        found["people"] = _by_people(ledger, paired, campaign)
    for name, sides in found.items():
        beside[name] = _compared(sides, campaign.loaded.rubric)
    return {
        "items": len(items),
        "paired": len(paired),
        "paired_by": {how: counted.count(how) for how in PAIRED_BY},
        "unpaired": [item.trace_id for item in items if item.earlier is None],
        **beside,
        "pairs": [
            {
                "trace_id": item.trace_id,
                "earlier": item.earlier,
                "paired_by": item.paired_by,
                **{name: _difference(found[name][place]) if name in found else None for name in beside},
            }
            for place, item in enumerate(paired)
        ],
    }


def _compared(found: Sequence[Found], rubric: ScorecardRubric) -> dict[str, Any]:
    sides = [each for each in found if isinstance(each, tuple)]
    return {
        "pairs": len(sides),
        "left_out": {reason: sum(each == reason for each in found) for reason in REASONS},
        "figures": [figure.to_dict() for figure in compare_sides(sides, rubric)],
    }


def _difference(found: Found) -> float | None:
    """Return how far the new answer stands above the earlier one, overall."""
    if isinstance(found, str):
        return None
    earlier, new = (side.overall for side in found)
    return None if earlier is None or new is None else float(new - earlier)


def _by_prescores(ledger: Ledger, paired: Sequence[Item], rubric: ScorecardRubric) -> list[Found]:
    names = [name for item in paired for name in (item.trace_id, item.earlier) if name is not None]
    stored = find_interactions(ledger, names)
    return [_prescored(stored.get(item.trace_id), stored.get(item.earlier or ""), rubric) for item in paired]


def _prescored(new: StoredInteraction | None, earlier: StoredInteraction | None, rubric: ScorecardRubric) -> Found:
    after = None if new is None else new.prescore
    before = None if earlier is None else earlier.prescore
    if after is None:
        return "new_missing"
    if before is None:
        return "earlier_missing"
    if before["rubrics"] != after["rubrics"]:
        return "other_rubric"
    return _proposed(before, rubric), _proposed(after, rubric)


def _proposed(prescore: Mapping[str, Any], rubric: ScorecardRubric) -> Side:
    """Return a pre-score as a card; it has an overall score only where no dimension is unknown."""
    named = {level.name: level.score for level in rubric.levels}
    scores, dimensions = prescore["scores"], prescore["dimensions"]
    levels = {dimension.key: named.get(scores.get(dimension.key)) for dimension in rubric.dimensions}
    whole = all(
        levels[dimension.key] is not None
        or (dimension.may_be_not_applicable and dimensions.get(dimension.key, {}).get("basis") == "refused")
        for dimension in rubric.dimensions
    )
    return Side(levels=levels, overall=overall_of(levels, rubric) if whole else None)


def _by_people(ledger: Ledger, paired: Sequence[Item], campaign: Campaign) -> list[Found]:
    wanted = {key_of_trace(item.earlier or "") for item in paired}
    records: dict[str, list[StoredRecord]] = {}
    for record in stored_records(ledger) if wanted else ():
        key = key_of_trace(record.record.trace_id or "")
        if key in wanted:
            records.setdefault(key, []).append(record)
    found: list[Found] = []
    for item in paired:
        settled = campaign.settlement(item)
        if settled is None:
            found.append("new_missing")
            continue
        earlier = _earlier_card(records.get(key_of_trace(item.earlier or ""), []), campaign.loaded)
        if isinstance(earlier, str):
            found.append(earlier)
        else:
            found.append((_card(earlier, campaign.loaded), _card(settled.scores, campaign.loaded)))
    return found


def _earlier_card(records: Iterable[StoredRecord], loaded: Loaded[ScorecardRubric]) -> Scores | Reason:
    """Return the card that people settled on last, in a campaign that is closed or outside of any."""
    listed = list(records)
    told = [record for record in listed if not record.blind]
    if not told:
        return "withheld" if listed else "earlier_missing"
    newest = max(told, key=lambda record: record.entry.sequence).campaign
    members = [record for record in told if record.campaign == newest]
    if any(record.rubric.sha256 != loaded.sha256 for record in members):
        return "other_rubric"
    ratings = [_rating(record) for record in members if record.role == "evaluator"]
    decided = [_rating(record) for record in members if record.role == "adjudicator"]
    return settle(ratings or decided, loaded.rubric, decided[-1] if ratings and decided else None).scores


def _rating(record: StoredRecord) -> Rating:
    return Rating(evaluator=record.record.evaluator or "", scores=record.record.scores)


def _card(scores: Scores, loaded: Loaded[ScorecardRubric]) -> Side:
    return Side(levels=scores, overall=decide(scores, loaded).overall)
