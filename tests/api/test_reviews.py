"""Reviews from Python: a campaign from the draw to the decision, with the ledger open or by its address."""

from pathlib import Path

import orjson
import pytest
from tests.reviews.conftest import AT, card, later, response

from plumbrule.api import reviews
from plumbrule.codec import to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import open_ledger
from plumbrule.reviews.campaigns.campaign_progress import CampaignReport
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.sample_draw import Request
from plumbrule.reviews.sheets import Sheet

ONE, TWO = (response(number)["trace_id"] for number in (0, 1))


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    """Return a request for the full suite of two interactions."""
    path = tmp_path / "responses.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps(response(number)) for number in range(2)))
    return Request(trigger="pre-deployment", path=str(path), claims=False)


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    """Return the address of a ledger that is not there yet."""
    return f"sqlite:///{tmp_path}/ledger.db"


def test_from_the_draw_to_the_decision(request_: Request, ledger: str) -> None:
    """Each step is one call that opens the ledger itself and returns a typed result."""
    assert reviews.draw(request_).campaign is None
    draw = reviews.open_campaign(request_, name="c", author="Lead", ledger=ledger, at=AT)
    assert (draw.campaign, draw.manifest.drawn, draw.evaluators) == ("c", 2, 2)
    reviews.assign_items([TWO], "Ben", author="Lead", ledger=ledger, at=AT)
    sheet = reviews.claim_next("Ben", ledger=ledger, at=AT)
    assert isinstance(sheet, Sheet)
    assert (sheet.trace_id, sheet.ratings) == (TWO, ())
    assert reviews.release_item(TWO, "Ben", ledger=ledger, at=AT).released == TWO
    for name, levels in (("Ada", (4,)), ("Ben", (1, 4))):
        claimed = reviews.claim_items(name, count=5, ledger=ledger, at=AT)
        assert {claim.trace_id for claim in claimed.claims} == {ONE, TWO}
        kept = reviews.submit_records([card(ONE, 4), card(TWO, *levels)], evaluator=name, ledger=ledger, at=later(1))
        assert [stored.record.trace_id for stored in kept.records] == [ONE, TWO]
    assert isinstance(reviews.claim_next("Cy", ledger=ledger, at=later(2)), NothingLeft)
    assert reviews.nothing_left("Cy", ledger=ledger, at=later(2)).waiting.items == 0
    assert [line.status for line in reviews.items(ledger=ledger, at=later(2)).items].count("adjudication") == 1
    with pytest.raises(UsageError, match="1 of 2 items are still open"):
        reviews.close_campaign("c", author="Lead", ledger=ledger, at=later(2))
    adjudication = reviews.claim_adjudication("Cy", ledger=ledger, at=later(2))
    assert isinstance(adjudication, Sheet)
    assert [rating.evaluator for rating in adjudication.ratings] == ["Ada", "Ben"]
    decided = {"scores": {"attribution_accuracy": 3}, "notes": "cites the right source"}
    reviews.adjudicate(decided, "Cy", trace_id=TWO, ledger=ledger, at=later(3))
    decision = reviews.close_campaign("c", author="Lead", ledger=ledger, at=later(4))
    assert (decision.release, decision.recommendation) == (True, "Pass")
    report = reviews.progress("c", ledger=ledger, at=later(5))
    assert isinstance(report, CampaignReport)
    assert (report.closed, report.decision) == (True, decision)
    assert reviews.agreement(ledger=ledger, at=later(5)).items == 2
    assert len(reviews.export_records(ledger=ledger, at=later(5)).records) == 5
    assert [progress.campaign for progress in reviews.campaigns(ledger=ledger, at=later(5))] == ["c"]


def test_an_open_ledger_stays_open(request_: Request, ledger: str) -> None:
    """A caller who opened the ledger goes on with it; one record is a call of its own."""
    with open_ledger(ledger, at=AT) as opened:
        reviews.open_campaign(request_, name="c", author="Lead", ledger=opened, at=AT)
        reviews.claim_items("Ada", [ONE], ledger=opened, at=AT)
        [kept] = reviews.submit_record(card(ONE, 3), evaluator="Ada", ledger=opened, at=AT).records
        assert kept.decision.recommendation == "Pass with notes"
        change = {"trace_id": ONE, "scores": {"compliance_alignment": 4}}
        [kept] = reviews.submit_record(change, evaluator="Ada", reason="again", ledger=opened, at=AT).records
        assert (kept.revision, [line.reason for line in kept.exported().history]) == (1, [None, "again"])
        assert to_json(reviews.sheet(ONE, "Ada", ledger=opened, at=AT))["ratings"][0]["revision"] == 1
        assert len(reviews.stored_records(ledger=opened)) == 1


def test_records_outside_of_campaigns(ledger: str, tmp_path: Path) -> None:
    """They are kept in a ledger that is made for them, with the interaction that they are about."""
    record = card("t-1", trigger="incident", query="Fee?")
    path = tmp_path / "t-1.json"
    path.write_bytes(orjson.dumps(response(1, trace_id="t-1")))
    kept = reviews.keep_records([record], evaluator="Ada", interactions=path, ledger=ledger, at=AT)
    assert (kept.campaign, [stored.role for stored in kept.records]) == (None, ["evaluator"])
