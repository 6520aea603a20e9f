"""A review campaign as its entries make it, one after the other: who took which item, who rated it, how it ended.

Everybody may append a claim or a record at any moment. Which of them count is decided here, by their order in the chain
alone: the first claim on a slot has it, and what comes too late is void. So no two readers ever disagree on who won.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from plumbrule.names import key_of_trace
from plumbrule.reviews.adjudication import Rating, Settlement, person_key, settle
from plumbrule.reviews.evaluation_record import read_record
from plumbrule.reviews.items import Claim, Event, Item, Rated, Revision, Role, Status
from plumbrule.rubrics import Loaded, ScorecardRubric


class Campaign:
    """A campaign as it stands after its events; ``void`` says of each entry that does not count why not."""

    def __init__(self, name: str, loaded: Loaded[ScorecardRubric]) -> None:
        self.name = name
        self.loaded = loaded
        self.opened: Event | None = None
        self.closed: Event | None = None
        self.items: dict[str, Item] = {}
        self.void: dict[int, str] = {}
        self.disclosed: set[str] = set()  # who has seen the ratings, and so rates nothing here
        self.sequence = 0

    @property
    def plan(self) -> Mapping[str, Any]:
        """What was decided when the campaign was opened."""
        return self.opened.body if self.opened is not None else {}

    @property
    def evaluators(self) -> int:
        """How many rate each item."""
        return int(self.plan["evaluators"])

    def item(self, trace_id: str) -> Item | None:
        """Return an item by its trace id, however a UUID is written."""
        return self.items.get(key_of_trace(trace_id))

    def rated(self) -> Iterator[tuple[Role, Rated]]:
        """Yield every record that counts."""
        for item in self.items.values():
            for rating in item.ratings.values():
                yield "evaluator", rating
            if item.adjudication is not None:
                yield "adjudicator", item.adjudication

    def full(self, item: Item) -> bool:
        """Tell whether an item has all its ratings."""
        return len(item.ratings) >= self.evaluators

    def settlement(self, item: Item) -> Settlement | None:
        """Return what the ratings of an item come to, now; None where there are none."""
        if not item.ratings:
            return None
        ratings = [_rating(rated) for rated in item.ratings.values()]
        decided = None if item.adjudication is None else _rating(item.adjudication)
        return settle(ratings, self.loaded.rubric, decided)

    def status(self, item: Item, at: datetime) -> Status:
        """Tell how far an item is."""
        if not self.full(item):
            return "claimed" if item.holders(at) else "open"
        settled = self.settlement(item)
        return "adjudication" if settled is not None and settled.open else "done"

    def unfinished(self) -> list[Item]:
        """Return the items that lack a rating or wait for an adjudicator."""
        settled = ((item, self.settlement(item)) for item in self.items.values())
        return [item for item, found in settled if not self.full(item) or found is None or found.open]

    def visible(self, item: Item, viewer: str | None, at: datetime) -> tuple[Rated, ...]:
        """Return the ratings of an item that ``viewer`` may see: everything that shows a rating asks here.

        Before one's own rating is in there are none, unless the campaign is closed or one is the item's adjudicator.
        """
        person = None if viewer is None else person_key(viewer)
        holds = item.adjudicating is not None and item.adjudicating.until > at
        adjudicates = (holds and item.adjudicating is not None and item.adjudicating.person == person) or (
            item.adjudication is not None and item.adjudication.person == person
        )
        if self.closed is None and person not in item.ratings and not adjudicates:
            return ()
        ended = () if item.adjudication is None else (item.adjudication,)
        return (*item.ratings.values(), *ended)

    def objection_to_claim(self, item: Item, evaluator: str, at: datetime, role: Role = "evaluator") -> str | None:
        """Say why somebody may not take an item; None where nothing stands against it."""
        person = person_key(evaluator)
        if not person:
            return "a claim needs a name"
        if self.closed is not None:
            return f"{self.name} is closed"
        if role == "adjudicator":
            return self._objection_to_adjudicating(item, person, at)
        if person in self.disclosed:
            return f"'{evaluator}' was shown the ratings of {self.name}: somebody else must rate"
        if person in item.ratings:
            return f"'{evaluator}' rated '{item.trace_id}' already; a change is a revision"
        if self.full(item):
            return f"'{item.trace_id}' has all its {self.evaluators} ratings"
        holders = item.holders(at)
        if person in holders:
            return None  # again: for longer
        promised = {key for key in item.assigned if key != person and key not in item.ratings}
        if len(item.ratings) + len(promised | set(holders)) >= self.evaluators:
            return f"every free place of '{item.trace_id}' is taken by others"
        return None

    def objection_to_record(
        self, item: Item, evaluator: str, at: datetime, *, role: Role = "evaluator", revises: bool = False
    ) -> str | None:
        """Say why somebody may not rate an item, or revise the rating; None where nothing stands against it."""
        person = person_key(evaluator)
        if self.closed is not None:
            return f"{self.name} is closed: its decision stands"
        if role == "adjudicator":
            made, claim = item.adjudication, item.adjudicating
            mine = made is not None and made.person == person
            if made is not None and not mine:
                return f"'{item.trace_id}' is adjudicated already"
        else:
            made, claim = item.ratings.get(person), item.claims.get(person)
            mine = made is not None
            if revises and item.adjudication is not None:
                return f"'{item.trace_id}' is adjudicated: the adjudicator's levels count"
        if revises:
            return None if mine else f"'{evaluator}' has not rated '{item.trace_id}': there is nothing to revise"
        if mine:
            return f"'{evaluator}' rated '{item.trace_id}' already; a change is a revision and needs a reason"
        if role == "evaluator" and person in self.disclosed:
            return f"'{evaluator}' was shown the ratings of {self.name}: somebody else must rate"
        if claim is None or claim.person != person:
            return f"'{evaluator}' holds no claim on '{item.trace_id}': claim it first"
        if claim.until <= at:
            return f"the claim of '{evaluator}' on '{item.trace_id}' ended at {claim.until:%Y-%m-%d %H:%M}: claim again"
        return None

    def objection_to_assigning(self, item: Item, evaluator: str, at: datetime) -> str | None:
        """Say why an item may not be kept for somebody; None where nothing stands against it."""
        person = person_key(evaluator)
        if not person:
            return "name whom the item is for"
        if self.closed is not None:
            return f"{self.name} is closed"
        if person in self.disclosed:
            return f"'{evaluator}' was shown the ratings of {self.name}: somebody else must rate"
        taken = {*item.ratings, *item.holders(at), *item.assigned}
        if person not in taken and len(taken) >= self.evaluators:
            return f"every place of '{item.trace_id}' is taken or kept for somebody"
        return None

    def apply(self, event: Event) -> None:
        """Take in the next event of the chain."""
        self.sequence = event.sequence
        said = event.body.get("event", "claimed")
        match event.kind, said:
            case "campaign", "opened":
                objection = self._open(event)
            case _ if self.opened is None:
                objection = f"{self.name} was not open yet"
            case "campaign", "disclosed":
                objection = self._disclose(event)
            case "campaign", "closed":
                objection = self._close(event)
            case "record", _:
                objection = self._record(event)
            case ("campaign", "assigned") | ("claim", "claimed" | "released"):
                objection = self._take(event, said)
            case _:
                objection = f"nobody knows what '{said}' means"
        if objection is not None:
            self.void[event.sequence] = objection

    def _open(self, event: Event) -> str | None:
        if self.opened is not None:
            return f"there is a campaign {self.name} already"
        self.opened = event
        for given in event.body["items"]:
            item = Item(
                trace_id=given["trace_id"],
                query=given["query"],
                stratum=given["stratum"],
                earlier=given["earlier"],
                why=tuple(given["why"]),
                paired_by=given.get("paired_by"),
            )
            self.items[key_of_trace(item.trace_id)] = item
        return None

    def _close(self, event: Event) -> str | None:
        if self.closed is not None:
            return f"{self.name} is closed already"
        left = len(self.unfinished())
        if left and not event.body["as_is"]:
            return f"{left} of {len(self.items)} items are still open"
        self.closed = event
        return None

    def _disclose(self, event: Event) -> str | None:
        evaluator = event.body["evaluator"]
        person = person_key(evaluator)
        if not person:
            return "name who is to see the ratings"
        for item in self.items.values():
            if person in item.ratings or person in item.assigned or person in item.holders(event.at):
                return f"'{evaluator}' rates in {self.name}, which is open: its ratings are not shown to its evaluators"
        self.disclosed.add(person)
        return None

    def _take(self, event: Event, said: str) -> str | None:
        body = event.body
        item, person = self.item(body["trace_id"]), person_key(body["evaluator"])
        if item is None:
            return f"'{body['trace_id']}' is no item of {self.name}"
        if said == "assigned":
            objection = self.objection_to_assigning(item, body["evaluator"], event.at)
            if objection is None:
                item.assigned[person] = body["evaluator"]
            return objection
        role: Role = body["role"]
        if said == "released":
            return self._release(item, person, role)
        objection = self.objection_to_claim(item, body["evaluator"], event.at, role)
        if objection is None:
            until = datetime.fromisoformat(body["until"])
            slot = 0 if role == "adjudicator" else self._slot(item, person, event.at)
            claim = Claim(person=person, evaluator=body["evaluator"], slot=slot, until=until, sequence=event.sequence)
            if role == "adjudicator":
                item.adjudicating = claim
            else:
                item.claims = {**item.holders(event.at), person: claim}
        return objection

    def _release(self, item: Item, person: str, role: Role) -> str | None:
        if role == "adjudicator" and item.adjudicating is not None and item.adjudicating.person == person:
            item.adjudicating = None
        elif role == "evaluator" and person in item.claims:
            del item.claims[person]
        else:
            return f"there is no claim on '{item.trace_id}' to let go"
        item.assigned.pop(person, None)
        return None

    def _record(self, event: Event) -> str | None:
        body = event.body
        record = read_record(body["record"], self.loaded.rubric, complete=False)
        item = self.item(record.trace_id or "")
        evaluator, role, reason = record.evaluator or "", body["role"], body["reason"]
        if item is None:
            return f"'{record.trace_id}' is no item of {self.name}"
        objection = self.objection_to_record(item, evaluator, event.at, role=role, revises=reason is not None)
        if objection is not None:
            return objection
        person = person_key(evaluator)
        new = Revision(record=record, at=event.at, reason=reason, sequence=event.sequence)
        before = item.adjudication if role == "adjudicator" else item.ratings.get(person)
        slot = before.slot if before is not None else item.claims[person].slot if role == "evaluator" else 0
        rated = Rated(person=person, slot=slot, revisions=(*(before.revisions if before else ()), new))
        if role == "adjudicator":
            item.adjudication, item.adjudicating = rated, None
        else:
            item.ratings[person] = rated
            item.claims.pop(person, None)
            item.assigned.pop(person, None)
        return None

    def _objection_to_adjudicating(self, item: Item, person: str, at: datetime) -> str | None:
        if person in item.ratings:
            return f"who rated '{item.trace_id}' does not adjudicate it: somebody else must"
        if item.adjudication is not None:
            return f"'{item.trace_id}' is adjudicated already"
        if self.status(item, at) != "adjudication":
            return f"'{item.trace_id}' does not wait for an adjudicator"
        holder = item.adjudicating
        if holder is not None and holder.until > at and holder.person != person:
            return f"somebody else is adjudicating '{item.trace_id}'"
        return None

    def _slot(self, item: Item, person: str, at: datetime) -> int:
        """Return the slot that a new holder gets: the one held before, else the first that nobody has."""
        holders = item.holders(at)
        if person in holders:
            return holders[person].slot
        used = {rated.slot for rated in item.ratings.values()} | {claim.slot for claim in holders.values()}
        return next(slot for slot in range(self.evaluators) if slot not in used)


def replay(name: str, events: Iterable[Event], loaded: Loaded[ScorecardRubric]) -> Campaign:
    """Return the campaign that its events make, in the order of the chain."""
    campaign = Campaign(name, loaded)
    for event in events:
        campaign.apply(event)
    return campaign


def _rating(rated: Rated) -> Rating:
    return Rating(evaluator=rated.record.evaluator or rated.person, scores=rated.record.scores)
