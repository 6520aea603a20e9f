"""Reviews on every kind of database: kept, found again, and claimed by one of two who come at once."""

import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tests.clock import LONG_S

from plumbrule.demo import samples_path
from plumbrule.ledger import Entry, Ledger, open_ledger
from plumbrule.reviews.campaigns.campaign_store import claim_item, claim_next, load_campaign, open_campaign
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.interaction_archive import find_interaction, stored_interactions
from plumbrule.reviews.record_store import stored_records
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import submit_records
from plumbrule.rubrics import load_scorecard

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
LOADED = load_scorecard()
SCORES = {dimension.key: 4 for dimension in LOADED.rubric.dimensions}


def opened(ledger: Ledger, path: Path, *, size: int, trigger: str = "monitoring") -> list[str]:
    """Open a campaign and return its items."""
    request = Request(trigger=trigger, path=str(path), size=size, claims=False)
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
        assert close_campaign(ledger, "c", author="Lead", second="Owner", at=AT).release is True
        assert ledger.verify().whole


def test_two_who_claim_at_once(backend: "Backend") -> None:
    """Both append, on connections of their own; the chain has room for one."""
    with (
        open_ledger(backend.url, at=AT, lock_timeout_s=LONG_S) as ledger,
        open_ledger(backend.url, lock_timeout_s=LONG_S) as other,
    ):
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


CLAIM = """
import sys
from datetime import UTC, datetime
from plumbrule.reviews.campaigns.campaign_store import claim_next
from plumbrule.reviews.submission import submit_records
from plumbrule.ledger import open_ledger

url, name, keys = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
at = datetime(2026, 1, 31, 9, 31, tzinfo=UTC)
with open_ledger(url, lock_timeout_s=300) as ledger:
    while (found := claim_next(ledger, "c", name, at=at)) is not None:
        record = {"trace_id": found[0].trace_id, "scores": dict.fromkeys(keys, 4)}
        submit_records(ledger, "c", [("", record)], evaluator=name, at=at)
        print(found[0].trace_id, flush=True)
"""


def test_processes_at_once_never_share_a_place(backend: "Backend") -> None:
    """Three evaluators in processes of their own rate two places of each item: none twice, none lost, none over."""
    count = 6
    with open_ledger(backend.url, at=AT) as ledger:
        opened(ledger, samples_path(), size=count, trigger="pre-deployment")
        workers = [
            subprocess.Popen(
                [sys.executable, "-c", CLAIM, backend.url, name, ",".join(SCORES)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in ("Ada", "Ben", "Cy")
        ]
        said = [worker.communicate(timeout=LONG_S) for worker in workers]
        assert [errors for _, errors in said] == [""] * 3
        rated = [out.split() for out, _ in said]
        assert [len(each) for each in rated] == [len(set(each)) for each in rated]
        assert sum(map(len, rated)) == 2 * count
        campaign = load_campaign(ledger, "c").campaign
        for item in campaign.items.values():
            assert sorted(rating.slot for rating in item.ratings.values()) == [0, 1]
        assert campaign.unfinished() == []
        assert ledger.verify().whole


def test_a_record_stands_as_it_was_written(backend: "Backend") -> None:
    """However often it is revised, every entry of it keeps its bytes; only more of them come."""
    with open_ledger(backend.url, at=AT) as ledger:
        [item] = opened(ledger, samples_path(), size=1)
        claim_item(ledger, "c", item, "Ada", at=AT)
        before: list[Entry] = []
        for number in range(4):
            record = {"trace_id": item, "scores": {**SCORES, "compliance_alignment": 4 - number % 2}}
            reason = f"look {number}" if number else None
            submit_records(ledger, "c", [("", record)], evaluator="Ada", reason=reason, at=AT)
            entries = list(ledger.entries(kind="record"))
            assert (entries[:number], len(entries)) == (before, number + 1)
            before = entries
        [kept] = stored_records(ledger)
        assert (kept.revision, list(kept.entries)) == (3, before)


def test_outlines_are_what_the_entries_say(backend: "Backend") -> None:
    """Subject and author of each, in the order of the chain, of one campaign and not of one that begins the same."""
    with open_ledger(backend.url, at=AT) as ledger:
        for subject in ("campaigns/c/t2", "campaigns/c2/t1", "campaigns/c/t1", "campaigns/c/t2"):
            ledger.append("claim", subject, {}, f"by {subject}", at=AT)
        wanted = [(entry.subject, entry.author) for entry in ledger.entries(kind="claim", run="campaigns/c")]
        assert list(ledger.outlines(kind="claim", run="campaigns/c")) == wanted
        assert [subject for subject, _ in wanted] == ["campaigns/c/t2", "campaigns/c/t1", "campaigns/c/t2"]
