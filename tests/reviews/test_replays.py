"""A campaign that is kept between requests is at every moment what a whole replay of the chain gives."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.reviews.campaigns import campaign_store
from plumbrule.reviews.campaigns.campaign_store import (
    Standing,
    assign_item,
    claim_item,
    claim_next,
    load_campaign,
    load_item,
    name_versions,
    rehearse,
    release_item,
)
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.replays import Replay, Replays, keep_replays
from plumbrule.reviews.review_entries import Assignment
from plumbrule.reviews.submission import adjudicate_item, submit_records

LONG_S = 60.0  # a limit that only ends a test that hangs
ONE, TWO = (response(number)["trace_id"] for number in range(2))


def rates(ledger: Ledger, who: str, trace_id: str, *levels: int) -> None:
    """Rate an item."""
    submit_records(ledger, "c", [("", card(trace_id, *levels))], evaluator=who, at=later(2))


def revises(ledger: Ledger) -> None:
    """Revise a record."""
    change = {"trace_id": ONE, "scores": {"compliance_alignment": 3}}
    submit_records(ledger, "c", [("", change)], evaluator="Ada", at=later(3), reason="again")


STEPS: list[Callable[[Ledger], object]] = [
    lambda ledger: assign_item(ledger, "c", TWO, "Ben", author="Lead", at=AT),
    lambda ledger: claim_item(ledger, "c", ONE, "Ada", at=AT),
    lambda ledger: claim_item(ledger, "c", ONE, "Cy", at=AT),
    lambda ledger: release_item(ledger, "c", ONE, "Cy", at=later(1)),
    lambda ledger: rates(ledger, "Ada", ONE, 4),
    revises,
    lambda ledger: claim_next(ledger, "c", "Ben", at=later(1)),
    lambda ledger: rates(ledger, "Ben", TWO, 4),
    lambda ledger: claim_next(ledger, "c", "Ben", at=later(1)),
    lambda ledger: rates(ledger, "Ben", ONE, 1, 4),
    lambda ledger: adjudicate_item(
        ledger, "c", {"trace_id": ONE, "scores": {"attribution_accuracy": 3}, "notes": "x"}, "Di", at=later(4)
    ),
    lambda ledger: close_campaign(ledger, "c", author="Lead", at=later(5), as_is=True),
]


def test_a_kept_replay_is_the_whole_replay(ledger: Ledger, opens: Opens, tmp_path: Path) -> None:
    """After every step, by whichever of two open ledgers, both say the same of items, void entries and records."""
    opens(2)
    keep_replays(ledger)
    load_campaign(ledger, "c")
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db") as other:  # which reads everything each time
        for number, step in enumerate(STEPS):
            step(ledger if number % 3 else other)
            kept, whole = load_campaign(ledger, "c"), load_campaign(other, "c")
            assert kept.campaign.items == whole.campaign.items
            assert kept.campaign.void == whole.campaign.void
            assert kept.campaign.sequence == whole.campaign.sequence
            assert kept.entries == whole.entries
            assert [record.entries for record in kept.records()] == [record.entries for record in whole.records()]
            for key, item in kept.campaign.items.items():
                assert kept.campaign.settlement(item) == whole.campaign.settlement(whole.campaign.items[key])
        assert kept.campaign.closed == whole.campaign.closed
        assert kept.campaign.closed is not None


def test_what_is_lent_changes_nothing_that_is_kept(ledger: Ledger, opens: Opens) -> None:
    """An event that is only rehearsed, and what is filled in of versions, is gone at the next load."""
    opens(1)
    keep_replays(ledger)
    campaign, _ = load_item(ledger, "c", ONE)
    body = Assignment(evaluator="Ada", trace_id=ONE, campaign="c")
    assert rehearse(campaign, body, author="Lead", at=AT) is None
    name_versions(ledger, campaign)
    assert next(iter(campaign.items.values())).assigned == {"ada": "Ada"}
    assert load_item(ledger, "c", ONE)[1].assigned == {}
    with pytest.raises(UsageError, match="already"):
        rates_twice(ledger)
    assert len(load_item(ledger, "c", ONE)[1].ratings) == 1


def rates_twice(ledger: Ledger) -> None:
    """Try to take an item again that was rated."""
    claim_item(ledger, "c", ONE, "Ada", at=AT)
    rates(ledger, "Ada", ONE, 4)
    claim_item(ledger, "c", ONE, "Ada", at=AT)


def test_several_who_ask_at_a_time_share_one_replay(
    ledger: Ledger, opens: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A campaign is read whole once, however many load it at the same time; all of them get all of it."""
    opens(2)
    keep_replays(ledger)
    began, go_on, whole = threading.Event(), threading.Event(), []
    real = campaign_store._standing

    def replay(*given: Any) -> Standing:
        whole.append(1)
        began.set()
        assert go_on.wait(LONG_S)
        return real(*given)

    monkeypatch.setattr(campaign_store, "_standing", replay)
    loaded: list[Standing] = []
    threads = [threading.Thread(target=lambda: loaded.append(load_campaign(ledger, "c"))) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert began.wait(LONG_S)
    go_on.set()
    for thread in threads:
        thread.join()
    assert ([len(each.campaign.items) for each in loaded], len(whole)) == ([2] * 5, 1)


def test_replays_are_bounded(ledger: Ledger, opens: Opens) -> None:
    """The campaigns that were asked for longest ago go first, and an older state takes no newer one's place."""
    opens(1)
    standing = load_campaign(ledger, "c")
    replays = Replays(most_entries=2 * len(standing.entries))

    def replay(upto: int) -> Replay:
        return Replay(campaign=standing.campaign, entries=standing.entries, upto=upto)

    for name in ("a", "b"):
        replays.keep(name, replay(5))
    replays.find("a")
    replays.keep("a", replay(4))
    replays.keep("c", replay(5))
    assert [replays.find(name) is None for name in ("a", "b", "c")] == [False, True, False]
    found = replays.find("a")
    assert found is not None
    assert found.upto == 5
