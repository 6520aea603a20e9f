"""The reviews of the demo: scripted people do in a ledger, by the same calls, what real ones would.

A demo that was interrupted goes on where it stopped, and a second one in the same ledger finds everything done.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from plumbrule.codec import json_line
from plumbrule.demo import cards_path, demo_weeks, interactions_path
from plumbrule.files import written_whole
from plumbrule.interactions.weeks import week_of
from plumbrule.ledger import Ledger
from plumbrule.monitoring.alerts import alerts_of, keep_alerts
from plumbrule.monitoring.monitoring_report import AnyAlert, DriftPoint, RefusalResult, WeekResult
from plumbrule.monitoring.reviewed_interactions import reviewed_in_ledger
from plumbrule.monitoring.weekly_figures import figures_over
from plumbrule.person_names import person_key
from plumbrule.prescores.kept_prescore import KeptPrescore
from plumbrule.reviews.adjudication import settle
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_store import (
    campaign_names,
    claim_item,
    item_of,
    kept_decision,
    load_campaign,
    open_campaign,
)
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.interaction_archive import find_versions
from plumbrule.reviews.items import Item
from plumbrule.reviews.levels import level_name, named_scores
from plumbrule.reviews.record_decision import decide
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import adjudicate_item, submit_records
from plumbrule.rubrics import Stamp, load_scorecard
from plumbrule.suites import corpus_path

CORPUS, INTERACTIONS, LOGS = "corpus.jsonl", "interactions.jsonl", "weeks"
RELEASE = "release-2025-03-31"
PRACTICE = "practice"
_REVIEWER, _ADJUDICATOR = "Dee", "Cy"  # of the weeks
_OPENER, _CLOSER = "Fay", "Gus"
_A_WEEK = 8  # cards

Clock = Callable[[], datetime]
Card = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapReason:
    """A rule that fired, with the words of the answer that show it."""

    rule: str
    message: str
    answer: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenLevel:
    """The level that one person gave a dimension."""

    evaluator: str | None
    level: str | None
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A dimension of one item on which the evaluators disagree, and how it was settled."""

    trace_id: str
    query: str
    answer: str | None
    dimension: str
    counts: str | None  # the level that counts
    proposed: str | None
    why: tuple[CapReason, ...]
    given: tuple[GivenLevel, ...]  # the adjudicator's last
    adjudicator: str | None
    unsettled: str  # the recommendation if nobody had settled it


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedItem:
    """A dimension of one item that the evaluators agree needs a note."""

    trace_id: str
    query: str
    answer: str | None
    dimension: str
    counts: str | None
    notes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseReview:
    """The review of a release: what was proposed, where people disagree, what was noted, and the decision."""

    campaign: str
    items: int
    ratings: int
    proposed: Mapping[str, Mapping[str, int]]  # levels by dimension, counted
    disagreements: tuple[Disagreement, ...]
    noted: tuple[NotedItem, ...]
    decision: CampaignDecision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedInteraction:
    """An interaction behind an alert, with its lowest ratings and the notes on it."""

    week: str | None
    campaign: str
    trace_id: str
    query: str
    answer: str | None
    low: Mapping[str, str | None]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeksReview:
    """The weeks in production: their figures, the alerts, and the interactions behind them."""

    weeks: tuple[WeekResult, ...]
    drift: Mapping[str, tuple[DriftPoint, ...]]
    refusals: RefusalResult
    alerts: tuple[AnyAlert, ...]
    rubric: Stamp
    behind: tuple[FailedInteraction, ...]

    @property
    def reviewed(self) -> int:
        """How many interactions were reviewed."""
        return sum(week.reviewed for week in self.weeks)


def review_release(ledger: Ledger, folder: Path, now: Clock) -> ReleaseReview:
    """Have two evaluators review a release, an adjudicator settle where they disagree, and close the campaign.

    One of them revises a rating after seeing the other's: it goes to the adjudicator all the same.
    """
    cards = list(_lines(cards_path()))
    _write(folder / CORPUS, corpus_path().read_bytes())
    _write(folder / INTERACTIONS, interactions_path().read_bytes())
    request = Request(
        trigger="pre-deployment", path=str(folder / INTERACTIONS), passages=str(folder / CORPUS), claims=True
    )
    _rate(ledger, RELEASE, request, [card for card in cards if card["role"] == "evaluator"], now)
    for card in cards:
        item = load_campaign(ledger, RELEASE).campaign.item(card["trace_id"])
        if item is None or item.adjudication is not None:
            continue
        if card["role"] == "revision" and not item.ratings[person_key(card["evaluator"])].late:
            submit_records(ledger, RELEASE, [("", _record(card))], reason=card["reason"], at=now())
        elif card["role"] == "adjudicator":
            adjudicate_item(ledger, RELEASE, _record(card), card["evaluator"], at=now())
    if kept_decision(ledger, RELEASE) is None:
        close_campaign(ledger, RELEASE, author=_CLOSER, at=now())
    return describe_release(ledger)


def open_practice(ledger: Ledger, folder: Path, now: Clock) -> None:
    """Open a campaign for whoever looks at the demo: one item waits for an adjudicator, the others for ratings."""
    cards = list(_lines(cards_path()))
    disputed = {card["trace_id"] for card in cards if card["role"] == "adjudicator"}
    request = Request(
        trigger="pre-deployment", path=str(folder / INTERACTIONS), passages=str(folder / CORPUS), claims=False
    )
    rated = [card for card in cards if card["role"] == "evaluator" and card["trace_id"] in disputed]
    _rate(ledger, PRACTICE, request, rated, now)


def review_weeks(ledger: Ledger, folder: Path, now: Clock) -> WeeksReview:
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
        _write(log, b"".join(map(json_line, week.interactions)))
        request = Request(
            trigger="monitoring", path=str(log), passages=str(folder / CORPUS), size=_A_WEEK, claims=False
        )
        name = f"week-{week.week}"
        _rate(ledger, name, request, [{**card, "evaluator": _REVIEWER} for card in week.cards.values()], now)
        for item in load_campaign(ledger, name).campaign.unfinished():  # nobody alone calls an answer unsafe
            adjudicate_item(ledger, name, week.cards[item.trace_id], _ADJUDICATOR, at=now())
        if kept_decision(ledger, name) is None:
            close_campaign(ledger, name, author=_CLOSER, at=now())
    loaded = load_scorecard()
    reviewed = reviewed_in_ledger(ledger, loaded)
    figures = figures_over(reviewed, loaded, first=weeks[0].week, last=weeks[-1].week)
    alerts = alerts_of(figures, loaded)
    keep_alerts(ledger, alerts, at=now())
    alarmed = {alert.week for alert in alerts}
    behind = [
        _failed(ledger, review.campaign, review.trace_id)
        for review in reviewed.reviewed
        if review.decision.recommendation == "Fail"
        and week_of(review.date) in alarmed
        and review.campaign
        and review.trace_id
    ]
    return WeeksReview(
        weeks=tuple(week.result() for week in figures.weeks),
        drift=figures.drift,
        refusals=figures.refusals.result(),
        alerts=alerts,
        rubric=figures.rubric,
        behind=tuple(behind),
    )


def describe_release(ledger: Ledger) -> ReleaseReview:
    """Return what the ledger has on the review of the release."""
    campaign = load_campaign(ledger, RELEASE).campaign
    rubric = campaign.loaded.rubric
    found = find_versions(ledger, [item.wanted for item in campaign.items.values()])
    stored = {wanted.trace_id: version.meant for wanted, version in found.items()}
    prescores = {trace_id: one.prescore for trace_id, one in stored.items() if one.prescore is not None}
    disagreements = []
    noted = []
    for item in campaign.items.values():
        settled = campaign.settlement(item)
        for dimension in settled.dimensions if settled is not None else ():
            about = {
                "trace_id": item.trace_id,
                "query": item.query,
                "answer": stored[item.trace_id].kept.response["answer"],
                "dimension": dimension.dimension,
                "counts": level_name(dimension.counts, rubric),
            }
            if len(set(dimension.given)) > 1:
                prescore = prescores[item.trace_id]
                disagreements.append(
                    Disagreement(**about, **_disagreement(campaign, item, dimension.dimension, prescore))
                )
            elif dimension.counts in rubric.scores_of(rubric.note_required_at):
                noted.append(NotedItem(**about, notes=next(iter(item.ratings.values())).record.notes))
    return ReleaseReview(
        campaign=campaign.name,
        items=len(campaign.items),
        ratings=sum(role == "evaluator" for role, _ in campaign.rated()),
        proposed={
            dimension.key: dict(
                Counter(prescores[item.trace_id].scores[dimension.key] or "none" for item in campaign.items.values())
            )
            for dimension in rubric.dimensions
        },
        disagreements=tuple(disagreements),
        noted=tuple(noted),
        decision=kept_decision(ledger, RELEASE),
    )


def _disagreement(campaign: Campaign, item: Item, dimension: str, prescore: KeptPrescore) -> dict[str, Any]:
    """Return who rated what, and the recommendation if nobody had settled it."""
    rubric = campaign.loaded.rubric
    ratings = [rated.blind for rated in item.ratings.values()]
    people = [*ratings, *([item.adjudication.record] if item.adjudication is not None else [])]
    unsettled = settle([rated.rating for rated in item.ratings.values()], rubric)
    proposed = prescore.scores[dimension]
    return {
        "proposed": proposed,
        "why": tuple(
            CapReason(
                rule=cap.rule,
                message=cap.message,
                answer=tuple(spot.text for spot in cap.evidence if spot.where == "answer"),
            )
            for cap in prescore.dimensions[dimension].caps
            if cap.cap == proposed
        ),
        "given": tuple(
            GivenLevel(
                evaluator=record.evaluator, level=named_scores(record.scores, rubric)[dimension], notes=record.notes
            )
            for record in people
        ),
        "adjudicator": None if item.adjudication is None else item.adjudication.record.evaluator,
        "unsettled": decide(unsettled.scores, campaign.loaded).recommendation,
    }


def _rate(ledger: Ledger, name: str, request: Request, cards: Sequence[Card], now: Clock) -> None:
    """Open a campaign where there is none of this name, and submit the records that its items do not have yet."""
    if name not in campaign_names(ledger):
        loaded = load_scorecard()
        open_campaign(ledger, draw(request, loaded), loaded, author=_OPENER, at=now(), name=name)
    campaign = load_campaign(ledger, name).campaign
    due = []
    for card in cards:
        item = campaign.item(card["trace_id"])
        if item is not None and campaign.key_of(card["evaluator"]) not in item.ratings:
            claim_item(ledger, name, item.trace_id, card["evaluator"], at=now())
            due.append(("", _record(card)))
    if due:
        submit_records(ledger, name, due, at=now())


def _failed(ledger: Ledger, name: str, trace_id: str) -> FailedInteraction:
    """Return an interaction with its lowest ratings and the notes on it."""
    campaign = load_campaign(ledger, name).campaign
    item = item_of(campaign, trace_id)
    stored = find_versions(ledger, [item.wanted])[item.wanted].meant
    settled = campaign.settlement(item)
    scores = {} if settled is None else settled.scores
    low = campaign.loaded.rubric.scores_of(campaign.loaded.rubric.note_required_at)
    return FailedInteraction(
        week=stored.week,
        campaign=name,
        trace_id=item.trace_id,
        query=item.query,
        answer=stored.kept.response["answer"],
        low={key: level_name(score, campaign.loaded.rubric) for key, score in scores.items() if score in low},
        notes=tuple(rated.record.notes for rated in item.ratings.values()),
    )


def _record(card: Card) -> dict[str, Any]:
    return {key: value for key, value in card.items() if key not in {"role", "reason"}}


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    return map(orjson.loads, file.read_bytes().splitlines())


def _write(file: Path, content: bytes) -> None:
    with written_whole(file) as written:
        written.write(content)
