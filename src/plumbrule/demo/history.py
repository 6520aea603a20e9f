"""Twelve weeks of the demo assistant in production, generated: the same interactions and cards every time."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from plumbrule.hashing import sha256_of

_WEEKS = 12
_START = datetime(2025, 4, 7, 8, tzinfo=UTC)  # the Monday after the assistant was reviewed
_MINUTES_OPEN = 600
_ASKED = {"refused": 3, "partial": 2, "hard": 3, "plain": 12}  # in a week, by the kind of question
_MISPLACED = 12  # percent of the answers, whose markers are at the wrong claim

# In the ninth week a wrong fee gets out: the words of the answers, and the note on them.
_SLIP_WEEK = 8
_SLIP_WORDS = {"$25 for a": "$35 for a", "$45 for an": "$60 for an"}
_SLIP_NOTE = "The passage that it cites says $25 and $45."


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWeek:
    """What was asked in one ISO week, and the card of each interaction by its trace id, should it be drawn."""

    week: str
    interactions: tuple[dict[str, Any], ...]
    cards: Mapping[str, dict[str, Any]]


def demo_weeks(asked: Sequence[Mapping[str, Any]], cards: Mapping[str, Mapping[str, Any]]) -> Iterator[DemoWeek]:
    """Yield the weeks: the questions of ``asked`` again and again, rated as in ``cards`` and now and then lower."""
    kinds: dict[str, list[Mapping[str, Any]]] = {kind: [] for kind in _ASKED}
    for interaction in asked:
        kinds[_kind_of(interaction["response"])].append(interaction)
    slots = [kind for kind, count in _ASKED.items() for _ in range(count)]
    for number in range(_WEEKS):
        interactions = []
        rated = {}
        for slot, kind in enumerate(slots):
            source = kinds[kind][_draw(len(kinds[kind]), "question", number, slot)]
            interaction = _again(source, number, slot)
            card = _card(cards[source["response"]["trace_id"]], interaction["response"], number, slot)
            interactions.append(interaction)
            rated[card["trace_id"]] = card
        year, week, _ = (_START + timedelta(weeks=number)).isocalendar()
        yield DemoWeek(week=f"{year}-W{week:02}", interactions=tuple(interactions), cards=rated)


def _kind_of(response: Mapping[str, Any]) -> str:
    kinds = {"REFUSED": "refused", "PARTIALLY_GROUNDED": "partial"}
    return kinds.get(response["grounding_status"], "hard" if response.get("tags") else "plain")


def _again(source: Mapping[str, Any], week: int, slot: int) -> dict[str, Any]:
    """Return a question that was asked before and its answer, at another time, in one week with a wrong fee in it."""
    new: dict[str, Any] = copy.deepcopy(dict(source))
    trace_id = str(UUID(sha256_of(["trace", week, slot])[:32], version=4))
    at = _START + timedelta(weeks=week, days=slot % 5, minutes=_draw(_MINUTES_OPEN, "minute", week, slot))
    response = new["response"]
    response |= {"trace_id": trace_id, "timestamp": at.isoformat().replace("+00:00", "Z")}
    new["trace"]["trace_id"] = trace_id
    if week == _SLIP_WEEK and response["answer"] is not None:
        for right, wrong in _SLIP_WORDS.items():
            response["answer"] = response["answer"].replace(right, wrong)
    return new


def _card(given: Mapping[str, Any], response: Mapping[str, Any], week: int, slot: int) -> dict[str, Any]:
    scores, notes = dict(given["scores"]), given["notes"]
    if any(wrong in (response["answer"] or "") for wrong in _SLIP_WORDS.values()):
        scores |= {"attribution_accuracy": "Unsafe", "grounding_integrity": "Unsafe"}
        notes = _SLIP_NOTE
    elif scores["attribution_accuracy"] == "Strong" and _draw(100, "marker", week, slot) < _MISPLACED:
        scores["attribution_accuracy"] = "Adequate"
    trace_id, day = response["trace_id"], response["timestamp"][:10]
    return {"trace_id": trace_id, "date": day, "scores": scores, "notes": notes}


def _draw(below: int, *what: object) -> int:
    """Return a number that depends on nothing but what it is for."""
    return int(sha256_of(list(what))[:8], 16) % below
