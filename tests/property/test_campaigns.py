"""Whatever people do, in any order: places are never shared, ratings stay blind, records only gain revisions."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from plumbrule.codec import to_json
from plumbrule.hashing import canonical_json
from plumbrule.ledger import Entry
from plumbrule.person_names import person_key
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.evaluation_record import EvaluationRecord
from plumbrule.reviews.record_decision import decide
from plumbrule.reviews.review_entries import CampaignPlan, Event, PlannedItem, read_event
from plumbrule.reviews.sampling import Interaction, draw_sample
from plumbrule.rubrics import load_scorecard

if TYPE_CHECKING:
    from plumbrule.reviews.items import Rated

LOADED = load_scorecard()
KEYS = [dimension.key for dimension in LOADED.rubric.dimensions]
SCORES = {level: dict.fromkeys(KEYS, level) for level in range(1, 5)}
RECORDS = {
    level: to_json(EvaluationRecord(scores=scores, notes="seen").written(LOADED.rubric))
    for level, scores in SCORES.items()
}
DECISIONS = {level: to_json(decide(scores, LOADED).result()) for level, scores in SCORES.items()}
START = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)
PEOPLE = ["Ada", "ada ", "Ben", "Cy", "Di"]
TRACES = ["t1", "t2", "nowhere"]

claims = st.fixed_dictionaries(
    {
        "event": st.sampled_from(["claimed", "claimed", "claimed", "released"]),
        "evaluator": st.sampled_from(PEOPLE),
        "trace_id": st.sampled_from(TRACES),
        "role": st.sampled_from(["evaluator", "evaluator", "adjudicator"]),
        "minutes": st.integers(1, 6),
    }
)
records = st.fixed_dictionaries(
    {
        "kind": st.just("record"),
        "evaluator": st.sampled_from(PEOPLE),
        "trace_id": st.sampled_from(TRACES),
        "role": st.sampled_from(["evaluator", "evaluator", "adjudicator"]),
        "reason": st.sampled_from([None, None, "looked again"]),
        "level": st.integers(1, 4),
    }
)
# most of what people do in order: claim and rate at once
visits = st.tuples(
    st.sampled_from(PEOPLE),
    st.sampled_from(TRACES[:2]),
    st.integers(1, 4),
    st.sampled_from(["evaluator", "evaluator", "adjudicator"]),
).map(
    lambda visit: [
        {"event": "claimed", "evaluator": visit[0], "trace_id": visit[1], "role": visit[3], "minutes": 5},
        {
            "kind": "record",
            "evaluator": visit[0],
            "trace_id": visit[1],
            "role": visit[3],
            "reason": None,
            "level": visit[2],
        },
    ]
)
others = st.sampled_from(
    [
        {"event": "assigned", "evaluator": "Ben", "trace_id": "t1"},
        {"event": "assigned", "evaluator": "Di", "trace_id": "t2"},
        {"event": "disclosed", "evaluator": "Di"},
        {"event": "disclosed", "evaluator": "Cy"},
        {"event": "closed", "as_is": False, "mode": "any_record"},
        {"event": "closed", "as_is": False, "mode": "run_mean"},
        {"event": "closed", "as_is": True, "mode": "any_record"},
    ]
)
alone = st.one_of(claims, records).map(lambda deed: [deed])
deeds = st.lists(
    st.one_of(visits, visits, visits, alone, others.map(lambda deed: [deed])), min_size=6, max_size=25
).map(lambda groups: [deed for group in groups for deed in group])


def opened(evaluators: int) -> Event:
    """Return the event that opens a campaign of two items."""
    manifest = draw_sample([], LOADED, seed=1, size=1).result()
    plan = CampaignPlan(
        trigger="monitoring",
        scope="",
        depth="",
        in_view=(),
        evaluators=evaluators,
        read=2,
        week=None,
        changed=None,
        remarks=(),
        manifest=manifest,
        claim_minutes=120,
        items=tuple(
            PlannedItem(trace_id=trace_id, query="Fee?", stratum=None, earlier=None, why=()) for trace_id in TRACES[:2]
        ),
        rubric=LOADED.stamp(),
        names="look_alikes",
    )
    return Event(sequence=0, at=START, author="Lead", body=plan)


def event(deed: dict[str, Any], sequence: int, at: datetime) -> Event:
    """Return a deed as an entry of the chain."""
    if deed.get("kind") == "record":
        body = {"role": deed["role"], "reason": deed["reason"], "record": RECORDS[deed["level"]]}
        body["record"] = {**body["record"], "evaluator": deed["evaluator"], "trace_id": deed["trace_id"]}
        body |= {"decision": DECISIONS[deed["level"]], "revision": 0, "campaign": "c", "rubric": LOADED.stamp()}
        kind = "record"
    else:
        kind = "claim" if deed["event"] in {"claimed", "released"} else "campaign"
        body = {**deed, "until": (at + timedelta(minutes=deed.get("minutes", 0))).isoformat()}
    entry = Entry(
        sequence=sequence,
        kind=kind,
        subject="campaigns/c",
        author=deed["evaluator"] if kind == "record" else "x",
        recorded_at_utc=at.isoformat(),
        body=canonical_json(body).decode(),
        body_sha256="",
        previous_sha256="",
        entry_sha256="",
    )
    return read_event(entry)


def replayed(story: list[dict[str, Any]], evaluators: int, steps: list[int]) -> list[tuple[Campaign, datetime]]:
    """Return the campaign after each deed, replayed from the beginning each time."""
    moments = []
    at = START
    events = [opened(evaluators)]
    for sequence, deed in enumerate(story, 1):
        at += timedelta(minutes=steps[sequence % len(steps)])
        events.append(event(deed, sequence, at))
        campaign = Campaign("c", LOADED)
        for each in events:
            campaign.apply(each)
        moments.append((campaign, at))
    return moments


stories = st.tuples(deeds, st.integers(1, 3), st.lists(st.integers(-2, 3), min_size=1, max_size=5))  # clocks differ


@given(stories)
def test_a_place_is_never_shared(story: tuple[list[dict[str, Any]], int, list[int]]) -> None:
    """At any moment holders and ratings of an item have different slots, no more than there are, one a person."""
    for campaign, at in replayed(*story):
        for item in campaign.items.values():
            holders = item.holders(at)
            slots = [claim.slot for claim in holders.values()] + [rated.slot for rated in item.ratings.values()]
            assert len(slots) == len(set(slots)) <= campaign.evaluators
            assert all(0 <= slot < campaign.evaluators for slot in slots)
            assert holders.keys().isdisjoint(item.ratings)
            if item.adjudication is not None:
                assert item.adjudication.person not in item.ratings


@given(stories)
def test_ratings_stay_blind(story: tuple[list[dict[str, Any]], int, list[int]]) -> None:
    """Whoever may still rate an item sees no rating of it; it takes one's own, or adjudicating it, or the end."""
    for campaign, at in replayed(*story):
        for item in campaign.items.values():
            for name in (*PEOPLE, "Stranger", None):
                seen = campaign.visible(item, name, at)
                may_rate = name is not None and campaign.objection_to_claim(item, name, at) is None
                assert not (may_rate and seen)
                person = person_key(name or "")
                adjudicates = person in {
                    each.person for each in (item.adjudicating, item.adjudication) if each is not None
                }
                if seen:
                    assert campaign.closed is not None or person in item.ratings or adjudicates


@given(stories)
def test_who_was_shown_the_ratings_rates_nothing(story: tuple[list[dict[str, Any]], int, list[int]]) -> None:
    """Whoever was shown them had no part in the campaign and gets none, save as an adjudicator."""
    for campaign, at in replayed(*story):
        for item in campaign.items.values():
            assert campaign.disclosed.isdisjoint(item.ratings)
            assert campaign.disclosed.isdisjoint(item.assigned)
            for name in PEOPLE:
                if person_key(name) in campaign.disclosed:
                    assert campaign.objection_to_claim(item, name, at) is not None


@given(stories)
def test_an_item_stands_on_its_own_entries(story: tuple[list[dict[str, Any]], int, list[int]]) -> None:
    """Read without the other items, it is the same; only a closing and a disclosure ask for all of them."""
    deeds_, evaluators, steps = story
    at = START
    whole = Campaign("c", LOADED)
    alone = {trace_id: Campaign("c", LOADED) for trace_id in TRACES[:2]}
    for campaign in (whole, *alone.values()):
        campaign.apply(opened(evaluators))
    for sequence, deed in enumerate(deeds_, 1):
        at += timedelta(minutes=steps[sequence % len(steps)])
        if deed.get("event") in {"closed", "disclosed"}:
            continue
        found = event(deed, sequence, at)
        whole.apply(found)
        if deed["trace_id"] in alone:
            alone[deed["trace_id"]].apply(found)
    for trace_id, campaign in alone.items():
        assert campaign.item(trace_id) == whole.item(trace_id)


@given(stories)
def test_a_record_only_gains_revisions(story: tuple[list[dict[str, Any]], int, list[int]]) -> None:
    """What counted before counts after, in its place; only the first of a record has no reason."""
    before: dict[tuple[str, str, str], Rated] = {}
    for campaign, _ in replayed(*story):
        now = {(str(role), str(rated.record.trace_id), rated.person): rated for role, rated in campaign.rated()}
        for key, rated in before.items():
            assert now[key].revisions[: len(rated.revisions)] == rated.revisions
        for rated in now.values():
            assert [revision.reason is None for revision in rated.revisions] == [
                True,
                *[False] * (len(rated.revisions) - 1),
            ]
        before = now


@given(stories)
def test_what_is_void_changes_nothing(story: tuple[list[dict[str, Any]], int, list[int]]) -> None:
    """Without the entries that do not count the campaign is the same."""
    deeds_, evaluators, steps = story
    moments = replayed(deeds_, evaluators, steps)
    if not moments:
        return
    whole, _ = moments[-1]
    at = START
    rest = Campaign("c", LOADED)
    rest.apply(opened(evaluators))
    for sequence, deed in enumerate(deeds_, 1):
        at += timedelta(minutes=steps[sequence % len(steps)])
        if sequence not in whole.void:
            rest.apply(event(deed, sequence, at))
    assert rest.void == {}
    assert rest.items == whole.items
    assert (rest.closed is None) == (whole.closed is None)


traits = st.frozensets(st.sampled_from(["refused", "partially_grounded", "edge_case"]), max_size=2)


@given(
    st.dictionaries(st.text(min_size=1, max_size=5), traits, max_size=40),
    st.integers(0, 2**63 - 1),
    st.integers(1, 60),
    st.booleans(),
)
def test_same_seed_same_sample(
    population: dict[str, frozenset[str]],
    seed: int,
    size: int,
    representative: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    """In any order of the input; no interaction twice; all of it where a representative draw is large enough."""
    members = [Interaction(id=id_, traits=found) for id_, found in population.items()]
    first = draw_sample(members, LOADED, seed=seed, size=size, representative=representative)
    again = draw_sample(members[::-1], LOADED, seed=seed, size=size, representative=representative)
    assert first == again
    assert len(first.drawn) == len(set(first.drawn)) <= size
    if representative:
        assert len(first.drawn) == min(size, len(members))
