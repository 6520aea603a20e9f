"""Which item somebody is likely to get next, told from the subjects and authors of entries, without reading any.

It is a guess that saves reading a large campaign whole: whether an item is free is asked of the item itself.
"""

from collections import defaultdict
from dataclasses import dataclass

from plumbrule.ledger import Ledger, escaped
from plumbrule.samples.cra import key_of_trace
from plumbrule.scorecards.adjudication import person_key
from plumbrule.scorecards.campaigns import Campaign


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """The items that somebody may hold, and those that may be free, the likeliest first."""

    held: tuple[str, ...]
    free: tuple[str, ...]


def likely_items(ledger: Ledger, campaign: Campaign, evaluator: str) -> Likely:
    """Return what to try for an evaluator: kept for him, then free places, then places that others seem to hold."""
    keys: dict[str, str] = {}
    rated, claimed = (
        _people_at(ledger, kind, f"{room}/{campaign.name}", keys)
        for kind, room in (("record", "records"), ("claim", "campaigns"))
    )
    person = person_key(evaluator)
    held: list[str] = []
    free: list[tuple[bool, bool, str]] = []
    for key, item in campaign.items.items():
        part = escaped(key_of_trace(key), part=True)
        done = rated[part]
        if person in done:
            continue
        if person in claimed[part]:
            held.append(item.trace_id)
        if len(done) < campaign.evaluators:
            taken = len(done | claimed[part] - {person}) >= campaign.evaluators
            free.append((person not in item.assigned, taken, item.trace_id))
    free.sort(key=lambda each: each[:2])  # in the order of the campaign, otherwise
    return Likely(held=tuple(held), free=tuple(trace_id for _, _, trace_id in free))


def _people_at(ledger: Ledger, kind: str, room: str, keys: dict[str, str]) -> defaultdict[str, set[str]]:
    """Return who has entries on each item, by the item's part of the subject; ``keys`` spares reading a name twice."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for subject, author in ledger.outlines(kind=kind, run=room):
        if author not in keys:
            keys[author] = person_key(author)
        found[subject.split("/")[2]].add(keys[author])
    return found
