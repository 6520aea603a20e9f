"""The decision of a campaign for somebody who has to answer for it: a title, reasons and warnings in sentences.

Nothing is decided here. The decision is as the ledger keeps it; each sentence names the items that it is about.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, ItemDecision
from plumbrule.reviews.campaigns.campaign_history import CampaignHistory, describe_history
from plumbrule.reviews.campaigns.campaign_store import Standing, decision_entry
from plumbrule.reviews.release_decision import ReleaseBlocker
from plumbrule.reviews.review_entries import CampaignPlan, Role, read_entry
from plumbrule.rubrics import ScorecardRubric, weaker_differences
from plumbrule.rubrics.scorecard_rubric import Recommendation

_OUTCOMES = {"RELEASE": "Release", "NO RELEASE": "No release", "INCONCLUSIVE": "Inconclusive"}
_AT_LEVEL = re.compile(r"(\w+) is at (.+?) \(record ")
_OPTION = re.compile(r" \((?:close )?--[^)]*\)")  # what the command line says of its options
_CODE = re.compile(r"([a-z_]+): (.+)", re.DOTALL)
_HEADINGS = {  # of remarks, by their codes
    "roles": "One person in several roles",
    "names": "Names that are one person's today",
    "checkpoint": "The ledger was accepted as it was",
    "part_of_scope": "Part of the scope",
    "shortfall": "Fewer than were asked for",
    "unmatched": "In no stratum",
    "record_bad": "Records that could not be read",
    "trace_id_twice": "The same trace id again",
    "unpaired": "Without an earlier answer",
    "changed_nowhere": "Changed, and used nowhere",
    "same_answers": "The same question and answer again",
    "trait_unknown": "An unknown trait",
    "same_items": "Reviewed before",
}
_REMARK = "Remark"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemReference:
    """An item that a sentence is about; the number is that of the item in the decision, None where it has none."""

    trace_id: str
    number: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A reason or a warning, and the items that show it."""

    heading: str
    text: str
    items: tuple[ItemReference, ...] = ()
    campaign: str | None = None  # another one that it is about
    grave: bool = False  # it weighs on what the decision is worth


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordNote:
    """What somebody wrote beside their ratings."""

    person: str
    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedItem:
    """An item with its decision, its question and the notes on it."""

    decision: ItemDecision
    query: str
    notes: tuple[RecordNote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionReport:
    """The decision of a closed campaign with everything that it rests on."""

    title: str
    decision: CampaignDecision
    reasons: tuple[Sentence, ...]
    warnings: tuple[Sentence, ...]
    items: Mapping[Recommendation, tuple[DecidedItem, ...]]  # the lowest overall score first
    dimensions: Mapping[str, str]  # their titles
    levels: tuple[str, ...]  # their names, the best first
    trigger: str  # its title
    band: str | None  # its title
    plan: CampaignPlan
    history: CampaignHistory


def report_decision(ledger: Ledger, standing: Standing) -> DecisionReport | None:
    """Return the decision of a campaign in sentences; None while there is none."""
    campaign = standing.campaign
    entry = decision_entry(ledger, campaign)
    if entry is None:
        return None
    decision = read_entry(CampaignDecision, entry)
    rubric = campaign.loaded.rubric
    titles = {dimension.key: dimension.title for dimension in rubric.dimensions}
    return DecisionReport(
        title=title_of(decision),
        decision=decision,
        reasons=tuple(reasons_of(decision, rubric)),
        warnings=tuple(warnings_of(decision, titles)),
        items=_decided_items(campaign, decision),
        dimensions=titles,
        levels=tuple(level.name for level in rubric.levels),
        trigger=next(
            (trigger.title for trigger in rubric.triggers if trigger.key == decision.trigger), decision.trigger
        ),
        band=next((band.title for band in rubric.bands if band.key == decision.band), decision.band),
        plan=campaign.plan,
        history=describe_history(ledger, standing),
    )


def title_of(decision: CampaignDecision) -> str:
    """Return the decision in a line, with how many items it rests on."""
    outcome = _OUTCOMES[decision.outcome]
    failing = sum(card.recommendation == "Fail" for card in decision.cards)
    noted = sum(card.recommendation == "Pass with notes" for card in decision.cards)
    if decision.outcome == "INCONCLUSIVE":
        return f"{outcome}: {decision.headline.partition(': ')[2]}"
    if decision.outcome == "RELEASE":
        if decision.recommendation == "Pass":
            return f"{outcome}: {_of(decision.records, decision.items)} pass"
        return f"{outcome} with notes" + (f" on {_of(noted, decision.items)}" if noted else "")
    if failing:
        return f"{outcome}: {_of(failing, decision.items)} {'fails' if failing == 1 else 'fail'}"
    if decision.unrated:
        return f"{outcome}: {_of(len(decision.unrated), decision.items)} without a rating"
    grave = (reason for reason in decision.reasons if not _AT_LEVEL.match(reason))  # than a level that needs a note
    named = next(grave, next(iter(decision.reasons), None))
    return outcome if named is None else f"{outcome}: {plain_reason(named)}"


def reasons_of(decision: CampaignDecision, rubric: ScorecardRubric) -> Iterator[Sentence]:
    """Yield why the decision is what it is, each reason with the items that show it."""
    titles = {dimension.key: dimension.title for dimension in rubric.dimensions}
    rules = {rule.rule: rule.title for rule in rubric.blockers}
    for blocker in decision.blockers:
        yield _blocker(blocker, decision, rules.get(blocker.rule, blocker.rule), titles)
    blocking = tuple(f"{blocker.rule}:" for blocker in decision.blockers)
    for reason in decision.reasons:
        if not reason.startswith(blocking):
            yield _reason(reason, decision, titles)


def warnings_of(decision: CampaignDecision, titles: Mapping[str, str]) -> Iterator[Sentence]:
    """Yield what to know of a decision before relying on it, what weighs most first."""
    weaker = weaker_differences(decision.policy)
    if weaker:
        count = "1 rule is" if len(weaker) == 1 else f"{len(weaker)} rules are"
        yield Sentence(heading="Weaker policy", text=f"{count} weaker than in the rubric that ships.", grave=True)
    if decision.as_is:
        left = len(decision.unrated) + len(decision.unfinished)
        text = (
            f"{_of(left, decision.items)} had not all ratings, or waited for an adjudicator."
            if left
            else "Nothing was left to do all the same."
        )
        open_items = (*decision.unrated, *decision.unfinished)
        yield Sentence(heading="Closed as it was", text=text, items=_references(open_items, decision), grave=bool(left))
    if decision.second is not None:
        yield Sentence(
            heading="Second signature",
            text=f"{decision.closed_by} and {decision.second} signed for a release on less than was asked for.",
        )
    for revised in decision.revised:
        changes = ", ".join(
            f"{titles.get(change.dimension, change.dimension)} from {change.blind} to {change.revised}"
            for change in revised.changes
        )
        reasons = "; ".join(f"“{reason}”" for reason in revised.reasons if reason)
        told = f"{revised.evaluator} changed {changes or 'the notes'}{f': {reasons}' if reasons else ''}"
        stop = "" if told.endswith((".”", "!”", "?”")) else "."
        yield Sentence(
            heading="Revised after others' ratings were visible",
            text=f"{told}{stop} The blind rating counts.",
            items=_references([revised.trace_id], decision),
            grave=True,
        )
    shown = ("revised after", "closed as is:", "same_items:")
    for remark in decision.remarks:
        if not remark.startswith(shown):
            yield remark_sentence(remark)
    for earlier in decision.earlier:
        outcome = "still open" if earlier.outcome is None else f"{_OUTCOMES[earlier.outcome]}, {earlier.recommendation}"
        yield Sentence(
            heading="Earlier campaign on the same items",
            text=f"{earlier.items} of these {decision.items} items: {outcome}.",
            campaign=earlier.campaign,
        )


def _blocker(blocker: ReleaseBlocker, decision: CampaignDecision, title: str, titles: Mapping[str, str]) -> Sentence:
    named = _listed([titles.get(key, key) for key in blocker.dimensions])
    if blocker.records:
        trace_ids = [card.trace_id for card in decision.cards if card.record in blocker.records]
        text = f"{named}, in {_of(len(blocker.records), decision.items)}."
        return Sentence(heading=title, text=text, items=_references(trace_ids, decision), grave=True)
    means = [
        f"{titles.get(key, key)} averages {mean:.3g}"
        for key in blocker.dimensions
        if (mean := decision.dimension_means.get(key)) is not None
    ]
    return Sentence(heading=title, text=f"{_listed(means)}.", grave=True)


def _reason(reason: str, decision: CampaignDecision, titles: Mapping[str, str]) -> Sentence:
    at_level = _AT_LEVEL.match(reason)
    if at_level is not None:
        key, level = at_level[1], at_level[2]
        shown = [card.trace_id for card in decision.cards if card.scores.get(key) == level]
        text = f"{titles.get(key, key)} is at {level} in {_of(len(shown), decision.items)}."
        return Sentence(heading="", text=text, items=_references(shown, decision))
    items: tuple[str, ...] = ()
    if "have no rating" in reason:
        items = decision.unrated
    elif "lack a rating" in reason:
        items = (*decision.unrated, *decision.unfinished)
    first, _, rest = reason.partition(" ")
    return Sentence(
        heading="", text=_sentence(f"{titles.get(first, first)} {rest}"), items=_references(items, decision)
    )


def remark_sentence(remark: str) -> Sentence:
    """Return a remark on a draw or a decision with a heading in place of its code."""
    coded = _CODE.match(remark)
    if coded is None or coded[1] not in _HEADINGS:
        return Sentence(heading=_REMARK, text=_sentence(remark))
    grave = coded[1] in {"roles", "checkpoint", "part_of_scope", "names"}
    return Sentence(heading=_HEADINGS[coded[1]], text=_sentence(coded[2]), grave=grave)


def _decided_items(campaign: Campaign, decision: CampaignDecision) -> dict[Recommendation, tuple[DecidedItem, ...]]:
    by_recommendation: dict[Recommendation, list[DecidedItem]] = {"Fail": [], "Pass with notes": [], "Pass": []}
    for card in sorted(decision.cards, key=lambda card: (card.overall, card.record)):
        item = campaign.item(card.trace_id)
        by_recommendation[card.recommendation].append(
            DecidedItem(
                decision=card,
                query="" if item is None else item.query,
                notes=() if item is None else tuple(_notes(campaign, card.trace_id)),
            )
        )
    return {name: tuple(items) for name, items in by_recommendation.items()}


def _notes(campaign: Campaign, trace_id: str) -> Iterator[RecordNote]:
    item = campaign.item(trace_id)
    if item is None:
        return
    for rated in item.ratings.values():
        if rated.record.notes.strip():
            person = rated.record.evaluator or rated.person
            yield RecordNote(person=person, role="evaluator", text=rated.record.notes)
    if item.adjudication is not None and item.adjudication.record.notes.strip():
        made = item.adjudication
        yield RecordNote(person=made.record.evaluator or made.person, role="adjudicator", text=made.record.notes)


def _references(trace_ids: Iterable[str], decision: CampaignDecision) -> tuple[ItemReference, ...]:
    numbers = {card.trace_id: card.record for card in decision.cards}
    return tuple(ItemReference(trace_id=trace_id, number=numbers.get(trace_id)) for trace_id in trace_ids)


def _sentence(text: str) -> str:
    plain = plain_reason(text)
    return f"{plain[:1].upper()}{plain[1:]}" + ("" if plain.endswith((".", "!", "?", "…")) else ".")


def plain_reason(text: str) -> str:
    """Return a reason without what it says of options of the command line."""
    return _OPTION.sub("", text)


def _of(count: int, items: int) -> str:
    return f"{count} of {items} item{'' if items == 1 else 's'}"


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
