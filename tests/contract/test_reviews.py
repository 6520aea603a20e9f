"""Reviews on every kind of database: kept, found again, and claimed by one of two who come at once."""

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from plumbrule.api.archive import find_interaction, stored_interactions
from plumbrule.api.campaigns import claim_item, claim_next, load_campaign, open_campaign
from plumbrule.api.closing import close_campaign
from plumbrule.api.drawing import Request, draw
from plumbrule.api.reviews import stored_records
from plumbrule.api.submissions import submit_records
from plumbrule.demo import samples_path
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.rubrics import load_scorecard

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
LOADED = load_scorecard()
SCORES = {dimension.key: 4 for dimension in LOADED.rubric.dimensions}


def opened(ledger: Ledger, path: Path, *, size: int) -> list[str]:
    """Open a campaign and return its items."""
    request = Request(trigger="monitoring", path=str(path), size=size, claims=False)
    campaign = open_campaign(ledger, draw(request, LOADED), LOADED, name="c", author="Lead", at=AT)
    return [item.trace_id for item in campaign.items.values()]


def test_a_campaign_from_end_to_end(backend: "Backend") -> None:
    """Interactions and records come back, a revision counts, the chain is whole."""
    with open_ledger(backend.url, at=AT) as ledger:
        items = opened(ledger, samples_path(), size=4)
        assert {stored.trace_id for stored in stored_interactions(ledger)} == set(items)
        found = find_interaction(ledger, items[0])
        assert found is not None
        assert found.rebuild().sample.trace_id == items[0]
        while (taken := claim_next(ledger, "c", "Ada Ö/%", at=AT)) is not None:
            record = {"trace_id": taken[0].trace_id, "scores": SCORES}
            submit_records(ledger, "c", [("", record)], evaluator="Ada Ö/%", at=AT)
        change = {"trace_id": items[1], "scores": {"compliance_alignment": 3}}
        submit_records(ledger, "c", [("", change)], evaluator="Ada Ö/%", reason="tone", at=AT)
        kept = {record.record.trace_id: record for record in stored_records(ledger)}
        assert (len(kept), kept[items[1]].revision, kept[items[1]].record.scores["compliance_alignment"]) == (4, 1, 3)
        assert close_campaign(ledger, "c", author="Lead", at=AT)["release"] is True
        assert ledger.verify().whole


def test_two_who_claim_at_once(backend: "Backend") -> None:
    """Both append, on connections of their own; the chain has room for one."""
    with open_ledger(backend.url, at=AT) as ledger, open_ledger(backend.url) as other:
        [item] = opened(ledger, samples_path(), size=1)
        won: list[str] = []
        start = threading.Barrier(2)

        def come(store: Ledger, name: str) -> None:
            start.wait()
            if claim_next(store, "c", name, at=AT) is not None:
                won.append(name)

        threads = [threading.Thread(target=come, args=pair) for pair in ((ledger, "Ada"), (other, "Ben"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        campaign = load_campaign(ledger, "c").campaign
        assert [held.evaluator for held in campaign.items[item.replace("-", "")].holders(AT).values()] == won
        _, again = claim_item(ledger, "c", item, won[0], at=AT)  # it is still the winner's
        assert again.evaluator == won[0]
