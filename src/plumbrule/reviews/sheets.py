"""What people see of a campaign: the sheet that an evaluator works from, the items, how far it is, and its records.

Whatever shows a rating asks ``Campaign.visible`` whether this person may see it yet.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger
from plumbrule.ledger.entry import utc_text
from plumbrule.reviews.adjudication import person_key
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.campaign_store import Standing
from plumbrule.reviews.closing_decision import kept_decision
from plumbrule.reviews.interaction_archive import StoredInteraction, find_interaction
from plumbrule.reviews.items import STATUSES, Claim, Item, Rated
from plumbrule.reviews.levels import named_scores
from plumbrule.rubrics import ScorecardRubric


def sheet_of(ledger: Ledger, campaign: Campaign, item: Item, viewer: str, *, at: datetime) -> dict[str, Any]:
    """Return all that an evaluator needs to rate one item, and the ratings that he may see."""
    rubric = campaign.loaded.rubric
    stored = find_interaction(ledger, item.trace_id)
    if stored is None:
        raise InputError(f"{ledger.name}: does not hold the interaction '{item.trace_id[:60]}'")
    earlier = find_interaction(ledger, item.earlier) if item.earlier is not None else None
    claim = _own_claim(item, viewer)
    return {
        "campaign": campaign.name,
        "trigger": campaign.plan["trigger"],
        "depth": campaign.plan["depth"],
        "item": list(campaign.items.values()).index(item) + 1,
        "items": len(campaign.items),
        "claimed_until": None if claim is None or claim.until <= at else utc_text(claim.until),
        "stratum": item.stratum,
        "why": list(item.why),
        **_interaction(stored),
        "earlier": None if earlier is None else {**_interaction(earlier), "prescore": earlier.prescore},
        "paired_by": item.paired_by,
        "pair": _pair(ledger, campaign, item),
        "prescore": stored.prescore,
        "ratings": [_rating(rated, rubric) for rated in campaign.visible(item, viewer, at)],
        "guidelines": [asdict(guideline) for guideline in rubric.guidelines],
        "dimensions": _dimensions(rubric, campaign.plan["in_view"]),
    }


def describe_items(campaign: Campaign, viewer: str | None, *, at: datetime) -> list[dict[str, Any]]:
    """Return how each item stands; who rated it, never how."""
    person = None if viewer is None else person_key(viewer)
    return [
        {
            "trace_id": item.trace_id,
            "query": item.query,
            "stratum": item.stratum,
            "status": campaign.status(item, at),
            "rated": len(item.ratings),
            "of": campaign.evaluators,
            "rated_by": [rated.first.evaluator for rated in item.ratings.values()],
            "assigned": list(item.assigned.values()),
            "mine": _mine(item, person, at),
        }
        for item in campaign.items.values()
    ]


def describe_progress(campaign: Campaign, *, at: datetime) -> dict[str, Any]:
    """Return how far a campaign is: counts alone."""
    plan, opened = campaign.plan, campaign.opened
    found = Counter(campaign.status(item, at) for item in campaign.items.values())
    people: dict[str, dict[str, Any]] = {}
    for item in campaign.items.values():
        for person, rated in item.ratings.items():
            _person(people, person, str(rated.first.evaluator))["rated"] += 1
        for person, claim in item.holders(at).items():
            _person(people, person, claim.evaluator)["claimed"] += 1
        if item.adjudication is not None:
            _person(people, item.adjudication.person, str(item.adjudication.first.evaluator))["adjudicated"] += 1
    return {
        "campaign": campaign.name,
        "trigger": plan["trigger"],
        "scope": plan["scope"],
        "depth": plan["depth"],
        "week": plan["week"],
        "opened_at": None if opened is None else utc_text(opened.at),
        "closed": campaign.closed is not None,
        "items": len(campaign.items),
        "evaluators_per_item": campaign.evaluators,
        "ratings": sum(len(item.ratings) for item in campaign.items.values()),
        "ratings_wanted": len(campaign.items) * campaign.evaluators,
        "status": {status: found[status] for status in STATUSES},
        "evaluators": [people[key] for key in sorted(people)],
        "remarks": list(plan["remarks"]),
    }


def exported_records(standing: Standing, viewer: str | None, *, at: datetime) -> tuple[list[dict[str, Any]], int]:
    """Return the records that ``viewer`` may see, every field of the template, and how many are held back.

    Of a closed campaign these are all; while it is open, what one's own rating has opened.
    """
    campaign = standing.campaign
    if campaign.closed is None and viewer is None:
        raise UsageError(
            f"{campaign.name}: is open, and its evaluators rate blind: --as NAME exports what NAME may see, or close it"
        )
    seen = {
        rated.revisions[-1].sequence for item in campaign.items.values() for rated in campaign.visible(item, viewer, at)
    }
    records = standing.records()
    shown = [record.to_dict() for record in records if record.entry.sequence in seen]
    return shown, len(records) - len(shown)


def _interaction(stored: StoredInteraction) -> dict[str, Any]:
    interaction = stored.rebuild()
    sample = interaction.sample
    return {
        "trace_id": stored.trace_id,
        "query": sample.question,
        "answer": sample.answer,
        "refusal": None if sample.refusal is None else asdict(sample.refusal),
        "grounding_status": sample.grounding_status,
        "citations": [asdict(citation) for citation in sample.citations],
        "passages": [asdict(passage) for passage in interaction.passages],
        "passages_from": interaction.passages_from,
        "findings": [finding.to_dict() for finding in interaction.findings],
        "timestamp": sample.timestamp,
        "trace": stored.body["trace"],
    }


def _pair(ledger: Ledger, campaign: Campaign, item: Item) -> Mapping[str, Any] | None:
    """Return how an item stands to its pair, by the decision of a campaign that is closed."""
    decision = kept_decision(ledger, campaign.name) if campaign.closed is not None and item.earlier else None
    paired = None if decision is None else decision.get("paired")  # not there in one of an older version
    return next((pair for pair in paired["pairs"] if pair["trace_id"] == item.trace_id), None) if paired else None


def _dimensions(rubric: ScorecardRubric, in_view: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "key": dimension.key,
            "title": dimension.title,
            "asks": dimension.asks,
            "in_view": dimension.key in in_view,
            "may_be_not_applicable": dimension.may_be_not_applicable,
            "key_questions": list(dimension.key_questions),
            "levels": [
                {"score": level.score, "name": level.name, "descriptor": dimension.descriptors[level.name]}
                for level in rubric.levels
            ],
        }
        for dimension in rubric.dimensions
    ]


def _rating(rated: Rated, rubric: ScorecardRubric) -> Mapping[str, Any]:
    record = rated.record
    return {
        "evaluator": record.evaluator,
        "revision": len(rated.revisions) - 1,
        "scores": named_scores(record.scores, rubric),
        "notes": record.notes,
    }


def _own_claim(item: Item, viewer: str) -> Claim | None:
    person = person_key(viewer)
    adjudicates = item.adjudicating is not None and item.adjudicating.person == person
    return item.adjudicating if adjudicates else item.claims.get(person)


def _mine(item: Item, person: str | None, at: datetime) -> str | None:
    """Tell what an item is to one evaluator."""
    if person is None:
        return None
    holds = item.adjudicating is not None and item.adjudicating.until > at
    if item.adjudication is not None and item.adjudication.person == person:
        return "adjudicated"
    if holds and item.adjudicating is not None and item.adjudicating.person == person:
        return "adjudicating"
    if person in item.ratings:
        return "rated"
    if person in item.holders(at):
        return "claimed"
    return "assigned" if person in item.assigned else None


def _person(people: dict[str, dict[str, Any]], key: str, name: str) -> dict[str, Any]:
    return people.setdefault(key, {"evaluator": name, "rated": 0, "claimed": 0, "adjudicated": 0})
