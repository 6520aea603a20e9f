"""The reviews of the demo: scripted people do in a ledger, by the same calls, what real ones would.

A demo that was cut short is taken up where it was, and a second one in the same ledger finds everything done.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from plumbrule.codec import to_json
from plumbrule.demo import cards_path, demo_weeks, interactions_path
from plumbrule.files import written_whole
from plumbrule.ledger import Ledger
from plumbrule.monitoring.alerts import Alert, alerts_of, figures_over, raise_alerts
from plumbrule.monitoring.reviewed_interactions import cases_of_ledger
from plumbrule.monitoring.weekly_figures import Monitoring
from plumbrule.reviews.adjudication import Rating, person_key, settle
from plumbrule.reviews.campaign import Campaign
from plumbrule.reviews.campaign_store import campaign_names, claim_item, item_of, load_campaign, open_campaign
from plumbrule.reviews.closing_decision import close_campaign, kept_decision
from plumbrule.reviews.interaction_archive import find_interactions
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import level_name, named_scores
from plumbrule.reviews.record_decision import decide
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import adjudicate_item, submit_records
from plumbrule.reviews.weeks import week_of
from plumbrule.rubrics import load_scorecard
from plumbrule.suites import corpus_path

CORPUS, INTERACTIONS, LOGS = "corpus.jsonl", "interactions.jsonl", "weeks"
RELEASE = "release-2025-03-31"
_REVIEWER, _ADJUDICATOR = "Dee", "Cy"  # of the weeks
_AUTHOR = "plumbrule demo"
_A_WEEK = 8  # cards

Clock = Callable[[], datetime]
Card = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The weeks in production: their figures, the alerts, and the interactions behind them."""

    monitoring: Monitoring
    alerts: tuple[Alert, ...]
    behind: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        alerts = [alert.body for alert in self.alerts]
        return {**self.monitoring.to_dict(), "alerts": alerts, "behind": list(self.behind)}


def review_release(ledger: Ledger, folder: Path, now: Clock) -> dict[str, Any]:
    """Have two evaluators review a release candidate, an adjudicator settle where they part, and close the campaign."""
    cards = list(_lines(cards_path()))
    _write(folder / CORPUS, corpus_path().read_bytes())
    _write(folder / INTERACTIONS, interactions_path().read_bytes())
    request = Request(
        trigger="pre-deployment", path=str(folder / INTERACTIONS), passages=str(folder / CORPUS), claims=True
    )
    _rate(ledger, RELEASE, request, [card for card in cards if card["role"] == "evaluator"], now)
    for card in cards:
        item = load_campaign(ledger, RELEASE).campaign.item(card["trace_id"])
        if card["role"] == "adjudicator" and item is not None and item.adjudication is None:
            adjudicate_item(ledger, RELEASE, _record(card), card["evaluator"], at=now())
    if kept_decision(ledger, RELEASE) is None:
        close_campaign(ledger, RELEASE, author=_AUTHOR, at=now())
    return describe_release(ledger)


def review_weeks(ledger: Ledger, folder: Path, now: Clock) -> Watched:
    """Have the assistant's weeks in production sampled and reviewed, and return the figures with their alerts."""
    settled = {card["trace_id"]: card for card in _lines(cards_path()) if card["role"] == "evaluator"}
    for card in _lines(cards_path()):
        if card["role"] == "adjudicator":
            given = settled[card["trace_id"]]
            settled[card["trace_id"]] = {**given, "scores": {**given["scores"], **card["scores"]}}
    (folder / LOGS).mkdir(exist_ok=True)
    weeks = list(demo_weeks(list(_lines(interactions_path())), settled))
    for week in weeks:
        log = folder / LOGS / f"{week.week}.jsonl"
        _write(log, b"".join(orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE) for each in week.interactions))
        request = Request(
            trigger="monitoring", path=str(log), passages=str(folder / CORPUS), size=_A_WEEK, claims=False
        )
        name = f"week-{week.week}"
        _rate(ledger, name, request, [{**card, "evaluator": _REVIEWER} for card in week.cards.values()], now)
        for item in load_campaign(ledger, name).campaign.unfinished():  # nobody alone calls an answer unsafe
            adjudicate_item(ledger, name, week.cards[item.trace_id], _ADJUDICATOR, at=now())
        if kept_decision(ledger, name) is None:
            close_campaign(ledger, name, author=_AUTHOR, at=now())
    loaded = load_scorecard()
    cases = cases_of_ledger(ledger, loaded)
    found = figures_over(cases, loaded, first=weeks[0].week, last=weeks[-1].week)
    alerts = alerts_of(found, loaded)
    raise_alerts(ledger, alerts, at=now())
    alarmed = {alert.week for alert in alerts}
    behind = [
        _told(ledger, case.campaign, case.trace_id)
        for case in cases.cases
        if case.decision.recommendation == "Fail" and week_of(case.date) in alarmed and case.campaign and case.trace_id
    ]
    return Watched(monitoring=found, alerts=tuple(alerts), behind=tuple(behind))


def describe_release(ledger: Ledger) -> dict[str, Any]:
    """Return what the ledger has of the release review: proposals, where people part, what was noted, the decision."""
    campaign = load_campaign(ledger, RELEASE).campaign
    kept = find_interactions(ledger, [item.trace_id for item in campaign.items.values()])
    bodies = {trace_id: to_json(stored.kept) for trace_id, stored in kept.items()}
    proposed = [bodies[item.trace_id]["prescore"]["scores"] for item in campaign.items.values()]
    disagreements = []
    noted = []
    for item in campaign.items.values():
        body = bodies[item.trace_id]
        settled = campaign.settlement(item)
        for dimension in settled.dimensions if settled is not None else ():
            about = {
                "trace_id": item.trace_id,
                "query": item.query,
                "answer": body["response"]["answer"],
                "dimension": dimension.dimension,
                "counts": level_name(dimension.counts, campaign.loaded.rubric),
            }
            if len(set(dimension.given)) > 1:
                disagreements.append(about | _parted(campaign, item, dimension.dimension, body["prescore"]))
            elif dimension.counts in campaign.loaded.rubric.scores_of(campaign.loaded.rubric.note_required_at):
                noted.append(about | {"notes": next(iter(item.ratings.values())).record.notes})
    return {
        "campaign": campaign.name,
        "items": len(campaign.items),
        "ratings": sum(role == "evaluator" for role, _ in campaign.rated()),
        "proposed": {
            dimension.key: dict(Counter(scores[dimension.key] or "none" for scores in proposed))
            for dimension in campaign.loaded.rubric.dimensions
        },
        "disagreements": disagreements,
        "noted": noted,
        "decision": to_json(kept_decision(ledger, RELEASE)),
    }


def _parted(campaign: Campaign, item: Item, dimension: str, prescore: Mapping[str, Any]) -> dict[str, Any]:
    """Return who rated what, and what the card would come to if nobody had settled it."""
    rubric = campaign.loaded.rubric
    ratings = [rated.record for rated in item.ratings.values()]
    people = [*ratings, *([item.adjudication.record] if item.adjudication is not None else [])]
    unsettled = settle([Rating(evaluator=each.evaluator or "", scores=each.scores) for each in ratings], rubric)
    return {
        "proposed": prescore["scores"][dimension],
        "why": [
            {
                "rule": cap["rule"],
                "message": cap["message"],
                "answer": [spot["text"] for spot in cap["evidence"] if spot["where"] == "answer"],
            }
            for cap in prescore["dimensions"][dimension]["caps"]
            if cap["cap"] == prescore["scores"][dimension]
        ],
        "given": [
            {"evaluator": each.evaluator, "level": named_scores(each.scores, rubric)[dimension], "notes": each.notes}
            for each in people
        ],
        "adjudicator": None if item.adjudication is None else item.adjudication.record.evaluator,
        "unsettled": decide(unsettled.scores, campaign.loaded).recommendation,
    }


def _rate(ledger: Ledger, name: str, request: Request, cards: Sequence[Card], now: Clock) -> None:
    """Open a campaign where it is not there, and give each item that was drawn its cards, where they are not."""
    if name not in campaign_names(ledger):
        loaded = load_scorecard()
        open_campaign(ledger, draw(request, loaded), loaded, author=_AUTHOR, at=now(), name=name)
    campaign = load_campaign(ledger, name).campaign
    due = []
    for card in cards:
        item = campaign.item(card["trace_id"])
        if item is not None and person_key(card["evaluator"]) not in item.ratings:
            claim_item(ledger, name, item.trace_id, card["evaluator"], at=now())
            due.append(("", _record(card)))
    if due:
        submit_records(ledger, name, due, at=now())


def _told(ledger: Ledger, name: str, trace_id: str) -> dict[str, Any]:
    """Return an interaction with its lowest ratings and the notes on it."""
    campaign = load_campaign(ledger, name).campaign
    item = item_of(campaign, trace_id)
    kept = find_interactions(ledger, [trace_id])[trace_id]
    settled = campaign.settlement(item)
    scores = {} if settled is None else settled.scores
    low = campaign.loaded.rubric.scores_of(campaign.loaded.rubric.note_required_at)
    return {
        "week": kept.week,
        "campaign": name,
        "trace_id": item.trace_id,
        "query": item.query,
        "answer": kept.kept.response["answer"],
        "low": {key: level_name(score, campaign.loaded.rubric) for key, score in scores.items() if score in low},
        "notes": [rated.record.notes for rated in item.ratings.values()],
    }


def _record(card: Card) -> dict[str, Any]:
    return {key: value for key, value in card.items() if key != "role"}


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    return map(orjson.loads, file.read_bytes().splitlines())


def _write(file: Path, content: bytes) -> None:
    with written_whole(file) as written:
        written.write(content)
