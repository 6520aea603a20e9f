"""A decision in sentences: each says what it is about, and none decides anything."""

from collections.abc import Callable

import pytest
from tests.reviews.conftest import AT, Opens, card, later

from plumbrule.errors import UsageError
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaigns.campaign_history import describe_history
from plumbrule.reviews.campaigns.campaign_store import assign_item, claim_item, kept_decision, load_campaign
from plumbrule.reviews.closing_decision import close_campaign, forecast_closing
from plumbrule.reviews.decision_report import DecisionReport, remark_sentence, report_decision
from plumbrule.reviews.followed_items import follow_items
from plumbrule.reviews.submission import submit_records

Rates = Callable[..., None]


def name(number: int) -> str:
    """Return the trace id of that number."""
    return f"00000000-0000-4000-8000-{number:012}"


@pytest.fixture
def rates(ledger: Ledger) -> Rates:
    """Return a function that has two people rate an item alike."""

    def rate(number: int, *levels: object, people: tuple[str, ...] = ("Ada", "Ben")) -> None:
        for who in people:
            claim_item(ledger, "c", name(number), who, at=AT)
            submit_records(ledger, "c", [("", card(name(number), *levels))], evaluator=who, at=AT)

    return rate


def report(ledger: Ledger) -> DecisionReport:
    """Return the report of the campaign, which is closed."""
    found = report_decision(ledger, load_campaign(ledger, "c"))
    assert found is not None
    return found


def test_an_open_campaign_has_no_report(ledger: Ledger, opens: Opens) -> None:
    """There is nothing to report before it is closed."""
    opens()
    assert report_decision(ledger, load_campaign(ledger, "c")) is None


def test_a_blocker_names_rule_dimensions_and_items(ledger: Ledger, opens: Opens, rates: Rates) -> None:
    """The rule by its title, the dimensions by theirs, the items by trace id; the item that fails is first."""
    opens(2)
    rates(0, 4)
    rates(1, 2, 4)
    close_campaign(ledger, "c", author="Gus", at=later(1))
    told = report(ledger)
    assert told.title == "No release: 1 of 2 items fails"
    [reason] = told.reasons
    assert (reason.heading, reason.text) == (
        "Attribution Accuracy < Adequate",
        "Attribution Accuracy, in 1 of 2 items.",
    )
    assert [item.trace_id for item in reason.items] == [name(1)]
    assert [item.decision.trace_id for item in told.items["Fail"]] == [name(1)]
    assert [(note.person, note.text) for note in told.items["Fail"][0].notes] == [("Ada", "seen"), ("Ben", "seen")]
    [first, _] = follow_items(load_campaign(ledger, "c").campaign, kept_decision(ledger, "c"), at=later(2))
    assert first.trace_id == name(1)


def test_a_note_is_a_reason_with_all_its_items(ledger: Ledger, opens: Opens, rates: Rates) -> None:
    """The ledger's text stops after five records; the sentence does not."""
    opens(7)
    for number in range(7):
        rates(number, 4, 2, 4)
    close_campaign(ledger, "c", author="Gus", at=later(1))
    told = report(ledger)
    assert told.title == "Release with notes on 7 of 7 items"
    assert "and 2 more" in told.decision.reasons[0]
    assert told.reasons[0].text == "Retrieval Relevance is at Needs Review in 7 of 7 items."
    assert len(told.reasons[0].items) == 7


def test_what_lacks_is_told_without_options(ledger: Ledger, opens: Opens, rates: Rates) -> None:
    """Closed as it is without a second signature: no release, with the items, and no word of the command line."""
    opens(2)
    rates(0)
    rates(1, people=("Ada",))
    close_campaign(ledger, "c", author="Gus", at=later(1), as_is=True)
    told = report(ledger)
    assert told.title == "No release: 1 of 2 items lack a rating or wait for an adjudicator"
    assert all("--" not in reason.text for reason in told.reasons)
    assert [item.trace_id for item in told.reasons[0].items] == [name(1)]
    assert [warning.heading for warning in told.warnings] == ["Closed as it was"]


def test_without_a_rating_there_is_no_release(ledger: Ledger, opens: Opens, rates: Rates) -> None:
    """Known before it is closed, and told after."""
    opens(2)
    rates(0)
    forecast = forecast_closing(load_campaign(ledger, "c").campaign, author="Ada")
    assert (forecast.left, forecast.unrated, forecast.unfinished) == (1, (name(1),), ())
    assert forecast.roles == ("Ada rated and closes it",)
    with pytest.raises(UsageError, match="still open"):
        close_campaign(ledger, "c", author="Gus", at=later(1))
    close_campaign(ledger, "c", author="Gus", at=later(1), as_is=True)
    told = report(ledger)
    assert told.title == "No release: 1 of 2 items without a rating"
    assert [item.number for item in told.reasons[-1].items] == [None]


def test_the_history_names_everybody_and_the_proof(ledger: Ledger, opens: Opens, rates: Rates) -> None:
    """Who opened, assigned, rated, closed and signed, how often; and the entries, whose hashes are the chain's."""
    opens(2, size=1)
    item = load_campaign(ledger, "c").campaign.plan.items[0].trace_id
    assign_item(ledger, "c", item, "Ada", author="Lead", at=AT)
    rates(int(item[-3:]))
    close_campaign(ledger, "c", author="Gus", at=later(1), second="Hal")
    history = describe_history(ledger, load_campaign(ledger, "c"))
    done = [(line.person, line.deed, line.count) for line in history.lines]
    assert done == [
        ("Lead", "opened", 1),
        ("Lead", "assigned", 1),
        ("Ada", "rated", 1),
        ("Ben", "rated", 1),
        ("Gus", "closed", 1),
        ("Hal", "signed", 1),
        ("Gus", "decided", 1),
    ]
    assert [proof.what for proof in history.proofs] == ["opened", "closed", "decided", "checkpoint"]
    for proof in history.proofs:
        entry = ledger.entry(proof.sequence)
        assert entry is not None
        assert entry.entry_sha256 == proof.sha256


@pytest.mark.parametrize(
    ("remark", "heading", "text"),
    [
        ("roles: Ada rated and closed it", "One person in several roles", "Ada rated and closed it."),
        ("something: else", "Remark", "Something: else."),
        ("a plain one.", "Remark", "A plain one."),
    ],
)
def test_a_remark_has_a_heading_for_its_code(remark: str, heading: str, text: str) -> None:
    """A code that is not known stays in the text."""
    sentence = remark_sentence(remark)
    assert (sentence.heading, sentence.text) == (heading, text)
