"""A model change in a ledger: the new answers beside the earlier model's, by pre-scores and by people's cards."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from plumbrule.api.archive import StoredInteraction, find_interactions
from plumbrule.api.reviews import StoredRecord, stored_records
from plumbrule.ledger import Ledger
from plumbrule.rubrics import Loaded, ScorecardRubric
from plumbrule.samples.cra import key_of_trace
from plumbrule.scorecards.adjudication import Rating, settle
from plumbrule.scorecards.campaigns import Campaign
from plumbrule.scorecards.decisions import decide, overall_of
from plumbrule.scorecards.items import PAIRED_BY, Item
from plumbrule.scorecards.levels import Scores
from plumbrule.scorecards.pairing import Side, compare_sides

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
