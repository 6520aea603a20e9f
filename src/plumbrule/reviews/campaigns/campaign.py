"""A review campaign, replayed from its events: who took which item, who rated it, how it ended.

Everybody may append a claim or a record at any moment. Which of them count is decided here, by their order in the chain
alone: the first claim on a place gets it, and what comes too late is void. So all readers agree on who was first.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from plumbrule.errors import InputError
from plumbrule.names import key_of_trace
from plumbrule.person_names import person_key, plain_key
from plumbrule.reviews.adjudication import Rating, Settlement, settle
from plumbrule.reviews.evaluation_record import record_of
from plumbrule.reviews.items import Claim, Item, Rated, Revision, Status
from plumbrule.reviews.levels import objection_to_levels
from plumbrule.reviews.review_entries import (
    Assignment,
    CampaignPlan,
    ClaimMade,
    ClaimReleased,
    Closure,
    Disclosure,
    Event,
    RecordEntry,
    Role,
)
from plumbrule.rubrics import Loaded, ScorecardRubric


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideRating:
    """A rating of an interaction that was made outside of a campaign: in another one, or in none."""

    campaign: str | None
    evaluator: str
    interaction: str | None  # the hash of the version that it is about, where it says so
    sequence: int


# the ratings of each interaction in the whole ledger, by the key of its trace id; read when they are asked for
OutsideRatings = Callable[[], Mapping[str, Sequence[OutsideRating]]]


class Campaign:
    """A campaign after its events; ``void`` gives the reason for each entry that does not count."""

    def __init__(self, name: str, loaded: Loaded[ScorecardRubric], outside: OutsideRatings = dict) -> None:
        self.name = name
        self.loaded = loaded
        self._outside = functools.cache(outside)
        self.opened: Event | None = None
        self.closed: Event | None = None
        self.closure: Closure | None = None
        self.items: dict[str, Item] = {}
        self.void: dict[int, str] = {}
        self.disclosed: set[str] = set()  # who has seen the ratings, and so rates nothing here
        self.sequence = 0
        self._lent: set[str] | None = None  # the items of another campaign that must not be changed, by their keys

    def lend(self, outside: OutsideRatings) -> "Campaign":
        """Return a campaign that is as this one is now, and can go on without changing it; items are copied late."""
        lent = Campaign(self.name, self.loaded, outside)
        lent.opened, lent.closed, lent.closure, lent.sequence = self.opened, self.closed, self.closure, self.sequence
        lent.items, lent.void, lent.disclosed = dict(self.items), dict(self.void), set(self.disclosed)
        lent._lent = set(self.items)
        return lent

    def own(self, item: Item) -> Item:
        """Return an item to be changed, without its settlement: a copy where it is another campaign's."""
        key = key_of_trace(item.trace_id)
        if self._lent is not None and key in self._lent:
            self._lent.discard(key)
            self.items[key] = item.copy()
        self.items[key].settled = None
        return self.items[key]

    @property
    def plan(self) -> CampaignPlan:
        """What was decided when the campaign was opened."""
        body = None if self.opened is None else self.opened.body
        if not isinstance(body, CampaignPlan):
            raise InputError(f"{self.name}: the entry that opened this campaign is missing")
        return body

    @property
    def evaluators(self) -> int:
        """How many rate each item."""
        return self.plan.evaluators

    @property
    def key_of(self) -> Callable[[str], str]:
        """The function that gives the key of a person's name: names with the same key are one person here.

        A campaign of an older version keeps the comparison of its time, or other records would count than did then.
        """
        body = None if self.opened is None else self.opened.body
        return plain_key if isinstance(body, CampaignPlan) and body.names is None else person_key

    def item(self, trace_id: str) -> Item | None:
        """Return an item by its trace id, however a UUID is written."""
        return self.items.get(key_of_trace(trace_id))

    def rated(self, trace_ids: Iterable[str] | None = None) -> Iterator[tuple[Role, Rated]]:
        """Yield every record that counts, or those of some items."""
        keys = self.items if trace_ids is None else dict.fromkeys(map(key_of_trace, trace_ids))
        for item in (self.items[key] for key in keys if key in self.items):
            for rating in item.ratings.values():
                yield "evaluator", rating
            if item.adjudication is not None:
                yield "adjudicator", item.adjudication

    def rating_of(self, rated: Rated, role: Role) -> Rating:
        """Return the levels of a record for a settlement."""
        by_last = role == "adjudicator" or (self.closure is not None and self._by_last(self.closure))
        return _last_rating(rated) if by_last else rated.rating

    def full(self, item: Item) -> bool:
        """Tell whether an item has all its ratings."""
        return len(item.ratings) >= self.evaluators

    def settlement(self, item: Item) -> Settlement | None:
        """Return the settlement of an item's ratings, as they are now; None where there are none."""
        return self._settled(item, by_last=self.closure is not None and self._by_last(self.closure))

    def _settled(self, item: Item, *, by_last: bool) -> Settlement | None:
        if not item.ratings:
            return None
        if item.settled is not None and item.settled[0] == by_last:
            return item.settled[1]
        ratings = [_last_rating(rated) if by_last else rated.rating for rated in item.ratings.values()]
        decided = None if item.adjudication is None else _last_rating(item.adjudication)
        settled = settle(ratings, self.loaded.rubric, decided, key_of=self.key_of)
        item.settled = by_last, settled
        return settled

    def _by_last(self, closure: Closure) -> bool:
        """Tell whether an older version closed this, by the last revisions: what was decided stays as it was."""
        return not closure.by_blind_ratings and any(planned.interaction is None for planned in self.plan.items)

    def status(self, item: Item, at: datetime) -> Status:
        """Tell how far an item is."""
        if not self.full(item):
            return "claimed" if item.holders(at) else "open"
        settled = self.settlement(item)
        return "adjudication" if settled is not None and settled.open else "done"

    def unfinished(self) -> list[Item]:
        """Return the items that lack a rating or wait for an adjudicator."""
        return self._unfinished(by_last=self.closure is not None and self._by_last(self.closure))

    def _unfinished(self, *, by_last: bool) -> list[Item]:
        settlements = ((item, self._settled(item, by_last=by_last)) for item in self.items.values())
        return [item for item, settled in settlements if not self.full(item) or settled is None or settled.open]

    def visible(self, item: Item, viewer: str | None, at: datetime, *, adjudicates: bool = False) -> tuple[Rated, ...]:
        """Return the ratings of an item that ``viewer`` may see: everything that shows a rating asks here.

        Before one's own rating is in there are none, unless the campaign is closed or one is the item's adjudicator.
        Who ``adjudicates`` may look before taking it: nobody can rate it any more, and they did not.
        """
        looks = adjudicates and self.objection_to_claim(item, viewer or "", at, "adjudicator") is None
        person = None if viewer is None else self.key_of(viewer)
        adjudicators = {each.person for each in (item.adjudicator(at), item.adjudication) if each is not None}
        if self.closed is None and not looks and person not in item.ratings and person not in adjudicators:
            return ()
        ended = () if item.adjudication is None else (item.adjudication,)
        return (*item.ratings.values(), *ended)

    def objection_to_claim(self, item: Item, evaluator: str, at: datetime, role: Role = "evaluator") -> str | None:
        """Return why somebody may not take an item; None where they may."""
        person = self.key_of(evaluator)
        if not person:
            return "a claim needs a name"
        if self.closed is not None:
            return f"{self.name} is closed"
        if self.wrote(item, person):
            return f"'{evaluator}' is the author of the answer '{item.trace_id}': somebody else must review it"
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
        """Return why somebody may not rate an item, or revise their rating; None where they may."""
        person = self.key_of(evaluator)
        if self.closed is not None:
            return f"{self.name} is closed: its decision stands"
        if self.wrote(item, person):
            return f"'{evaluator}' is the author of the answer '{item.trace_id}': somebody else must review it"
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
        """Return why an item may not be reserved for somebody; None where it may."""
        person = self.key_of(evaluator)
        if not person:
            return "name whom the item is for"
        if self.closed is not None:
            return f"{self.name} is closed"
        if person in self.disclosed:
            return f"'{evaluator}' was shown the ratings of {self.name}: somebody else must rate"
        if self.wrote(item, person):
            return f"'{evaluator}' is the author of the answer '{item.trace_id}': somebody else must review it"
        taken = {*item.ratings, *item.holders(at), *item.assigned}
        if person not in taken and len(taken) >= self.evaluators:
            return f"every place of '{item.trace_id}' is taken or kept for somebody"
        return None

    def apply(self, event: Event) -> None:
        """Take in the next event of the chain."""
        self.sequence = event.sequence
        body = event.body
        match body:
            case CampaignPlan():
                objection = self._open(event, body)
            case _ if self.opened is None:
                objection = f"{self.name} was not open yet"
            case Disclosure():
                objection = self._disclose(event, body)
            case Closure():
                objection = self._close(event, body)
            case RecordEntry():
                objection = self._record(event, body)
            case Assignment() | ClaimMade() | ClaimReleased():
                objection = self._take(event, body)
            case _:
                objection = f"nobody knows what '{body.event}' means"
        if objection is not None:
            self.void[event.sequence] = objection

    def _open(self, event: Event, plan: CampaignPlan) -> str | None:
        if self.opened is not None:
            return f"there is a campaign {self.name} already"
        self.opened = event
        for planned in plan.items:
            self.items[key_of_trace(planned.trace_id)] = Item(
                trace_id=planned.trace_id,
                query=planned.query,
                stratum=planned.stratum,
                earlier=planned.earlier,
                why=planned.why,
                paired_by=planned.paired_by,
                opened=event.sequence,
                interaction=planned.interaction,
                earlier_interaction=planned.earlier_interaction,
                answered=planned.answered,
                authors=planned.authors or (),
                content=planned.content,
            )
        return None

    def _close(self, event: Event, closure: Closure) -> str | None:
        if self.closed is not None:
            return f"{self.name} is closed already"
        left = len(self._unfinished(by_last=self._by_last(closure)))
        if left and not closure.as_is:
            return f"{left} of {len(self.items)} items are still open"
        if closure.second is not None and self.key_of(closure.second) in {"", self.key_of(event.author)}:
            return f"'{closure.second}' closes {self.name}: the second signature must be another person's"
        self.closed, self.closure = event, closure
        return None

    def _disclose(self, event: Event, disclosure: Disclosure) -> str | None:
        evaluator = disclosure.evaluator
        person = self.key_of(evaluator)
        if not person:
            return "name who is to see the ratings"
        for item in self.items.values():
            if person in item.ratings or person in item.assigned or person in item.holders(event.at):
                return f"'{evaluator}' rates in {self.name}, which is open: its ratings are not shown to its evaluators"
        self.disclosed.add(person)
        return None

    def _take(self, event: Event, body: Assignment | ClaimMade | ClaimReleased) -> str | None:
        item, person = self.item(body.trace_id), self.key_of(body.evaluator)
        if item is None:
            return f"'{body.trace_id}' is no item of {self.name}"
        item = self.own(item)
        match body:
            case Assignment():
                objection = self.objection_to_assigning(item, body.evaluator, event.at)
                if objection is None:
                    item.assigned[person] = body.evaluator
                return objection
            case ClaimReleased():
                return self._release(item, person, body.role)
            case ClaimMade():
                return self._claim(event, item, person, body)

    def _claim(self, event: Event, item: Item, person: str, made: ClaimMade) -> str | None:
        objection = self.objection_to_claim(item, made.evaluator, event.at, made.role)
        if objection is None:
            until = datetime.fromisoformat(made.until)
            slot = 0 if made.role == "adjudicator" else self._slot(item, person, event.at)
            claim = Claim(person=person, evaluator=made.evaluator, slot=slot, until=until, sequence=event.sequence)
            if made.role == "adjudicator":
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

    def _record(self, event: Event, entry: RecordEntry) -> str | None:
        record = record_of(entry.record, self.loaded.rubric)
        item = self.item(record.trace_id or "")
        evaluator, role, reason = record.evaluator or "", entry.role, entry.reason
        if item is None:
            return f"'{record.trace_id}' is no item of {self.name}"
        if None not in (entry.interaction, item.interaction) and entry.interaction != item.interaction:
            return f"the record is about another version of '{item.trace_id}' than {self.name} drew"
        objection = self.objection_to_record(item, evaluator, event.at, role=role, revises=reason is not None)
        objection = objection or objection_to_levels(record.scores, self.loaded.rubric, answered=item.answered is True)
        if objection is not None:
            return objection
        item = self.own(item)
        person = self.key_of(evaluator)
        late = role == "evaluator" and any(seen.person != person for seen in self.visible(item, evaluator, event.at))
        new = Revision(record=record, at=event.at, reason=reason, sequence=event.sequence, late=late)
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

    def wrote(self, item: Item, person: str) -> bool:
        """Tell whether somebody wrote the answer of an item."""
        return any(self.key_of(author) == person for author in item.authors)

    def _objection_to_adjudicating(self, item: Item, person: str, at: datetime) -> str | None:
        if person in item.ratings:
            return f"who rated '{item.trace_id}' does not adjudicate it: somebody else must"
        if item.adjudication is not None:
            return f"'{item.trace_id}' is adjudicated already"
        if self.status(item, at) != "adjudication":
            return f"'{item.trace_id}' does not wait for an adjudicator"
        holder = item.adjudicator(at)
        if holder is not None and holder.person != person:
            return f"somebody else is adjudicating '{item.trace_id}'"
        made = self._rated_outside(item, person)
        if made is not None:
            where = "outside of campaigns" if made.campaign is None else f"in {made.campaign}"
            return f"'{made.evaluator}' rated '{item.trace_id}' {where}: somebody else must adjudicate it"
        return None

    def _rated_outside(self, item: Item, person: str) -> OutsideRating | None:
        """Return the rating that somebody made of the same version elsewhere, before now.

        A campaign of an older version did not ask, and what counted in it still does.
        """
        if self.plan.names is None:
            return None
        for made in self._outside().get(key_of_trace(item.trace_id), ()):
            elsewhere = made.campaign != self.name and made.sequence <= self.sequence
            same = None in (made.interaction, item.interaction) or made.interaction == item.interaction
            if elsewhere and same and self.key_of(made.evaluator) == person:
                return made
        return None

    def _slot(self, item: Item, person: str, at: datetime) -> int:
        """Return the place that a new holder gets: the one held before, else the first that is free."""
        holders = item.holders(at)
        if person in holders:
            return holders[person].slot
        used = {rated.slot for rated in item.ratings.values()} | {claim.slot for claim in holders.values()}
        return next(slot for slot in range(self.evaluators) if slot not in used)


def replay(
    name: str, events: Iterable[Event], loaded: Loaded[ScorecardRubric], outside: OutsideRatings = dict
) -> Campaign:
    """Return the campaign after its events, which come in the order of the chain."""
    campaign = Campaign(name, loaded, outside)
    for event in events:
        campaign.apply(event)
    return campaign


def _last_rating(rated: Rated) -> Rating:
    return Rating(evaluator=rated.record.evaluator or rated.person, scores=rated.record.scores)
