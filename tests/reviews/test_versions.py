"""What was drawn is what is rated and decided: a second import under the same trace id is another version."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.reviews.conftest import AT, Opens, card, later, response

from plumbrule.api.monitoring import incident, take_sample
from plumbrule.codec import to_json
from plumbrule.errors import InputError
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.ledger import Draft, Ledger
from plumbrule.monitoring.reviewed_interactions import reviewed_in_ledger
from plumbrule.reports.incident_html import render_incident
from plumbrule.reviews.campaigns.campaign_agreement import measure_agreement
from plumbrule.reviews.campaigns.campaign_progress import report_campaign
from plumbrule.reviews.campaigns.campaign_store import claim_item, load_campaign, load_item, open_campaign
from plumbrule.reviews.closing_decision import close_campaign
from plumbrule.reviews.interaction_archive import Wanted, find_interaction, find_version, hash_of, versions_of
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.sheets import sheet_of
from plumbrule.reviews.submission import submit_records
from plumbrule.rubrics import Loaded, ScorecardRubric

ONE = response(0)["trace_id"]
SWAPPED = "The fee of wire 0 is $99, probably [1]."

Imports = Callable[..., None]


@pytest.fixture
def imports(ledger: Ledger, tmp_path: Path, loaded: Loaded[ScorecardRubric]) -> Imports:
    """Return a function that opens another campaign on the first interaction, changed."""

    def once(name: str, **changes: Any) -> None:
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(orjson.dumps(response(0, **changes)))
        drawn = draw(Request(trigger="incident", path=str(path), trace=ONE, claims=False), loaded)
        open_campaign(ledger, drawn, loaded, name=name, author="Lead", at=AT)

    return once


def shown(ledger: Ledger, name: str = "c") -> Any:
    """Return the sheet of the first interaction in a campaign."""
    campaign, item = load_item(ledger, name, ONE)
    return sheet_of(ledger, campaign, item, "Ada", at=later(1))


def rate(ledger: Ledger, name: str, evaluator: str, *levels: object) -> None:
    """Claim and rate the first interaction."""
    claim_item(ledger, name, ONE, evaluator, at=later(1))
    submit_records(ledger, name, [("", card(ONE, *levels))], evaluator=evaluator, at=later(2))


def test_an_open_campaign_keeps_the_version_that_it_drew(ledger: Ledger, opens: Opens, imports: Imports) -> None:
    """The answer under an open item cannot be swapped; sheet, progress and decision say that there is a newer one."""
    opens(1)
    before = shown(ledger)
    assert before.newer_version is None
    imports("other", answer=SWAPPED)
    after, other = shown(ledger), shown(ledger, "other")
    assert (after.answer, after.prescore) == (before.answer, before.prescore)
    assert after.interaction == before.interaction
    assert (after.newer_version, other.answer, other.newer_version) == (other.interaction, SWAPPED, None)
    campaign = load_campaign(ledger, "c").campaign
    assert report_campaign(ledger, campaign, at=AT).newer_versions == (ONE,)
    for name in ("Ada", "Ben"):
        rate(ledger, "c", name)
    decision = close_campaign(ledger, "c", author="Lead", at=later(3))
    assert [made.interaction for made in decision.cards] == [before.interaction]
    assert decision.newer_versions == (ONE,)
    assert any("1 of 1 items have a newer version" in remark for remark in decision.remarks)
    records = [entry.value["interaction"] for entry in ledger.entries(kind="record")]
    assert records == [before.interaction] * 2


def test_the_same_content_is_one_version(ledger: Ledger, opens: Opens, imports: Imports, tmp_path: Path) -> None:
    """Whatever file it comes from, and whatever was worked out of it; only the assistant's own output counts."""
    opens(1)
    imports("again")
    assert [stored.version for stored in versions_of(ledger, ONE)] == [shown(ledger).interaction]
    assert shown(ledger).newer_version is None
    [read] = read_interactions(tmp_path / "again.jsonl")
    assert hash_of(read) == shown(ledger).interaction
    imports("other", answer=SWAPPED)
    imports("back")  # the first version again: it is the latest, and not a third one
    assert len(versions_of(ledger, ONE)) == 2
    assert (shown(ledger).newer_version, shown(ledger, "other").newer_version) == (None, shown(ledger).interaction)


def test_an_older_plan_means_what_was_the_latest_when_it_was_opened(ledger: Ledger, opens: Opens) -> None:
    """A campaign of an older ledger has no hashes: the order of the chain says which version it drew."""
    campaign = opens(1)
    plan = to_json(campaign.plan)
    for planned in plan["items"]:
        del planned["interaction"], planned["answered"]
    old = find_interaction(ledger, ONE)
    assert old is not None
    body = {**old.entry.value, "response": response(0, answer=SWAPPED)}
    ledger.append("campaign", "campaigns/old", plan, "Lead", at=AT)
    ledger.append("interaction", old.entry.subject, body, "Lead", at=AT)
    sheet = shown(ledger, "old")
    assert (sheet.answer, sheet.interaction) == (response(0)["answer"], old.version)
    assert sheet.newer_version == versions_of(ledger, ONE)[-1].version
    for name in ("Ada", "Ben"):
        rate(ledger, "old", name)
    assert [entry.value["interaction"] for entry in ledger.entries(kind="record")] == [old.version] * 2
    decision = close_campaign(ledger, "old", author="Lead", at=later(3))
    assert [made.interaction for made in decision.cards] == [old.version]


def test_a_record_of_another_version_does_not_count(ledger: Ledger, opens: Opens, imports: Imports) -> None:
    """One that names another version is refused, and one that was appended all the same is void."""
    opens(1)
    imports("other", answer=SWAPPED)
    other = shown(ledger, "other").interaction
    claim_item(ledger, "c", ONE, "Ada", at=later(1))
    with pytest.raises(InputError, match="'interaction' is not the version that c drew"):
        submit_records(ledger, "c", [("", card(ONE, interaction=other))], evaluator="Ada", at=later(2))
    rate(ledger, "c", "Ben")
    *_, made = ledger.entries(kind="record")
    body = {**made.value, "interaction": other, "record": {**made.value["record"], "evaluator": "Ada"}}
    subject = made.subject.rpartition("/")[0] + "/Ada"
    [entry] = ledger.append_many([Draft(kind="record", subject=subject, body=body, author="Ada", at=later(3))])
    campaign = load_campaign(ledger, "c").campaign
    assert "about another version" in campaign.void[entry.sequence]
    assert [rated.person for rated in campaign.items[next(iter(campaign.items))].ratings.values()] == ["ben"]


def test_a_version_that_is_not_there(ledger: Ledger, opens: Opens) -> None:
    """An unknown hash finds nothing, rather than another version."""
    opens(1)
    assert find_version(ledger, Wanted(trace_id=ONE, version="0" * 64, before=99)) is None
    assert find_version(ledger, Wanted(trace_id="none", version=None, before=99)) is None


def test_figures_are_of_the_version_that_was_rated(
    ledger: Ledger, opens: Opens, imports: Imports, loaded: Loaded[ScorecardRubric]
) -> None:
    """Monitoring and agreement take week, refusal and pre-score of what people saw, not of what came later."""
    opens(1, trigger="monitoring")
    rate(ledger, "c", "Ada")
    close_campaign(ledger, "c", author="Lead", at=later(3))
    refusal = {"code": "NO_ELIGIBLE_DOCS", "reason": "nothing was found"}
    imports("other", answer=None, refusal=refusal, grounding_status="REFUSED", citations=[])
    [review] = reviewed_in_ledger(ledger, loaded).reviewed
    assert review.known is not None
    assert (review.known.refused, review.interaction) == (False, shown(ledger).interaction)
    agreed = measure_agreement(ledger, load_campaign(ledger, "c").campaign, at=later(4))
    assert {line.key: line.pairs for line in agreed.prescores}["response_completeness"] == 1


def test_an_incident_says_which_version_each_part_is_about(
    ledger: Ledger, opens: Opens, imports: Imports, tmp_path: Path
) -> None:
    """It shows the latest, lists all, and gives campaigns and records with theirs."""
    opens(1, trigger="monitoring")
    rate(ledger, "c", "Ada", 1)
    close_campaign(ledger, "c", author="Lead", at=later(3), as_is=True)
    drawn = shown(ledger).interaction
    assert [version.shown for version in incident(ONE, ledger=ledger).versions] == [True]
    imports("other", answer=SWAPPED)
    found = incident(ONE, ledger=ledger)
    assert (found.answer, found.interaction) == (SWAPPED, shown(ledger, "other").interaction)
    assert [(version.interaction, version.shown) for version in found.versions] == [
        (drawn, False),
        (found.interaction, True),
    ]
    assert [(one.campaign, one.interaction, one.newer_version) for one in found.campaigns] == [
        ("c", drawn, found.interaction),
        ("other", found.interaction, None),
    ]
    assert [history.interaction for history in found.records] == [drawn]
    assert any("Reviewed in c (another version)" in remark.text for remark in found.remarks)
    page = render_incident(found).decode()
    assert response(0)["answer"].split(" [")[0] in page
    assert "a newer one exists" in page
    take_sample(ONE, tmp_path / "regressions.jsonl", ledger=ledger)
    [taken] = map(orjson.loads, (tmp_path / "regressions.jsonl").read_bytes().splitlines())
    assert "expected" not in taken  # nobody reviewed this version
