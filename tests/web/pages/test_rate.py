"""Rating on the pages: the queue, the one screen, drafts, and the whole review of an item by keyboard alone."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import orjson
import psycopg
import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import URL
from tests.contract.conftest import plain, server_url
from tests.web.conftest import WIDE, served
from tests.web.open_reviews import NAME, client_of, interactions, levels, open_campaign, rate, send

from plumbrule.api import reviews
from plumbrule.api.ledger_access import now
from plumbrule.ledger import open_ledger
from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.web_store import Store, store_address

__all__ = ["server_url"]  # a fixture

Look = Callable[[Page, str], None]
ME = "Robin Reader"
FILLED = {"holds": "yes", "do": "submit"}


def is_checked(text: str, key: str, value: str) -> bool:
    """Tell whether a level is chosen on a page."""
    return bool(re.search(rf'name="level_{key}" value="{value}"[^>]* checked', text))


def test_an_empty_queue_says_what_to_do(client: TestClient) -> None:
    """Where no campaign is open, the page says how one is opened."""
    page = client.get("/rate").text
    assert "Nothing to rate" in page
    assert "No campaign is open." in page
    assert "/campaigns/new" in page


def test_whoever_is_not_named_is_told_how(site: Site) -> None:
    """What is done is kept under a name: without one the page says how to give it."""
    with TestClient(create_app(replace(site, local_person=None))) as client:
        response = client.get("/rate")
    assert response.status_code == 403
    assert "<h1>Say who you are first</h1>" in response.text
    assert "--as NAME" in response.text


def test_the_queue_puts_first_what_is_mine(site: Site, client: TestClient, demo_folder: Path) -> None:
    """Items that I hold or that are assigned to me stand first, with the time left; looking takes nothing."""
    traces = open_campaign(site, demo_folder)
    assert "4 items to rate" in client.get("/rate").text
    assert reviews.work_lists(ME, ledger=site.ledger)[0].to_rate == ()
    reviews.assign_items([traces[3]], ME, author="Lena Lead", ledger=site.ledger)
    answer = send(client, "/rate", campaign=NAME)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/rate/{NAME}/{traces[3]}")
    page = client.get("/rate").text
    assert "4 items to rate, 1 is yours" in page
    assert "assigned to you" in page
    assert "Go on" in page


def test_the_queue_begins_with_the_campaign_that_one_comes_from(
    site: Site, client: TestClient, demo_folder: Path
) -> None:
    """The campaign of the address stands first and has the focus, else one in which an item is mine."""
    open_campaign(site, demo_folder)
    [trace_id, *_] = open_campaign(site, demo_folder, name="second")
    send(client, f"/rate/second/{trace_id}", do="take")

    def first(address: str) -> str:
        found = re.search(
            r'name="campaign" value="([^"]*)">\s*<button class="main" autofocus', client.get(address).text
        )
        return "" if found is None else found[1]

    assert first("/rate") == "second"
    assert first(f"/rate?campaign={NAME}") == NAME
    assert 'id="queue" href="/rate?campaign=second"' in client.get(f"/rate/second/{trace_id}").text
    answer = send(client, f"/rate/second/{trace_id}", do="release")
    assert "Given back." in client.get(answer.headers["location"]).text


def test_the_words_of_the_screen_are_for_people(site: Site, client: TestClient, demo_folder: Path) -> None:
    """Codes of the assistant, triggers and strata are shown as words, the code in the tooltip."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    send(client, f"/rate/{NAME}/{trace_id}", do="take")
    page = client.get(f"/rate/{NAME}/{trace_id}").text
    panes, _, rest = page.partition('<form id="rating"')
    shown = re.sub(r"<[^>]*>", "", panes.partition("<main")[2])
    assert "<span>Pre-deployment</span>" in rest
    assert not re.search(r"[A-Z]+_[A-Z]+", shown)
    assert re.search(r'title="[A-Z]+_[A-Z_]+"', panes)
    assert "119 min" in client.get("/rate").text or "120 min" in client.get("/rate").text


def test_looking_at_an_item_takes_nothing(site: Site, client: TestClient, demo_folder: Path) -> None:
    """The page of an item that I do not hold offers to take it, and its levels cannot be changed."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    page = client.get(f"/rate/{NAME}/{trace_id}").text
    assert "Take this item" in page
    assert reviews.items(NAME, ledger=site.ledger).items[0].status == "open"
    assert send(client, f"/rate/{NAME}/{trace_id}", do="take").status_code == 303
    page = client.get(f"/rate/{NAME}/{trace_id}").text
    assert "min left" in page
    assert "Submit" in page
    assert client.get(f"/rate/{NAME}/nothing-like-it").status_code == 404
    assert client.get("/rate/no-campaign/x").status_code == 404


def test_a_submitted_record_leads_to_the_next_item(site: Site, client: TestClient, demo_folder: Path) -> None:
    """A record is kept under the visitor's own name, whatever the form says, and the next item is taken at once."""
    traces = open_campaign(site, demo_folder)
    for place, trace_id in enumerate(traces):
        send(client, f"/rate/{NAME}/{trace_id}", do="take")
        fields = {**levels(4, 3), **FILLED, "evaluator": "Somebody Else"}
        answer = send(client, f"/rate/{NAME}/{trace_id}", **fields)
        assert answer.status_code == 303
        last = place + 1 == len(traces)
        assert answer.headers["location"].startswith(
            f"/rate?campaign={NAME}&kept=" if last else f"/rate/{NAME}/{traces[place + 1]}?after="
        )
    [work] = reviews.work_lists(ME, ledger=site.ledger)
    assert (len(work.submitted), work.free) == (4, 0)
    assert "Nothing else is left for you" in client.get(answer.headers["location"]).text
    assert "you rated 4 of them" in client.get("/rate").text


def test_what_is_missing_is_said_and_nothing_is_lost(site: Site, client: TestClient, demo_folder: Path) -> None:
    """A record without a level, or without the note that a low level needs, is not kept; the form keeps its content."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    send(client, f"/rate/{NAME}/{trace_id}", do="take")
    answer = send(client, f"/rate/{NAME}/{trace_id}", **FILLED, level_grounding_integrity="2")
    assert answer.status_code == 422
    assert "rate Attribution Accuracy, Retrieval Relevance" in answer.text
    assert is_checked(answer.text, "grounding_integrity", "2")
    answer = send(client, f"/rate/{NAME}/{trace_id}", **FILLED, **levels(2, 4))
    assert (answer.status_code, "Attribution Accuracy is at Needs Review" in answer.text) == (422, True)
    assert re.search(r'<textarea id="notes"[^>]* autofocus aria-invalid="true"', answer.text)
    answer = send(client, f"/rate/{NAME}/{trace_id}", **FILLED, **levels("none"))
    assert answer.status_code == 422
    assert "was answered" in answer.text or "always applies" in answer.text
    assert send(client, f"/rate/{NAME}/{trace_id}", **FILLED, **levels(7)).status_code == 422
    assert send(client, f"/rate/{NAME}/{trace_id}", **FILLED, notes="x" * 100_001).status_code == 422
    assert reviews.work_lists(ME, ledger=site.ledger)[0].submitted == ()


def test_a_draft_survives_a_restart(site: Site, demo_folder: Path) -> None:
    """What was filled in is on the server at every change, is there after a restart, and is gone once it is kept."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    address = f"/rate/{NAME}/{trace_id}"
    with client_of(site, ME) as client:
        send(client, address, do="take")
        answer = send(client, address, do="draft", holds="yes", level_retrieval_relevance="1", notes="<b>odd</b>")
        assert "Blocked" in answer.json()["html"]
        assert "1 of 6 rated" in answer.json()["html"]
    restarted = replace(site, store=Store(store_address(site.ledger)))
    with client_of(restarted, ME) as client:
        page = client.get(address).text
        assert is_checked(page, "retrieval_relevance", "1")
        assert "&lt;b&gt;odd&lt;/b&gt;" in page
        with client_of(restarted, "Ben") as other:
            assert "odd" not in other.get(address).text
        assert send(client, address, **FILLED, **levels(1, 4), notes="odd").status_code == 303
        send(client, address, do="take")
        assert not is_checked(client.get(f"{address}?revise=true").text, "retrieval_relevance", "1")
    restarted.store.close()


def test_a_claim_that_ran_out_is_made_again(site: Site, demo_folder: Path) -> None:
    """Who submits after their time is over keeps the record where nobody took the place."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    with client_of(site, ME) as client:
        send(client, f"/rate/{NAME}/{trace_id}", do="take")
    with client_of(site, ME, at=now() + timedelta(days=1)) as client:
        assert send(client, f"/rate/{NAME}/{trace_id}", **FILLED, **levels(4)).status_code == 303
    [work] = reviews.work_lists(ME, ledger=site.ledger)
    assert [line.trace_id for line in work.submitted] == [trace_id]


def test_a_place_that_others_took_keeps_the_draft(site: Site, demo_folder: Path) -> None:
    """Where others took every place in the meantime, nothing is kept in the ledger and nothing of the form is lost."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    address = f"/rate/{NAME}/{trace_id}"
    later = now() + timedelta(days=1)
    with client_of(site, ME) as client:
        send(client, address, do="take")
    for who in ("Ben", "Cy"):
        with client_of(site, who, at=later) as client:
            assert send(client, address, do="take").status_code == 303
    with client_of(site, ME, at=later) as client:
        answer = send(client, address, **FILLED, **levels(3), notes="my thoughts")
        assert answer.status_code == 409
        assert "taken by others" in answer.text
        assert "What you filled in is kept" in answer.text
        page = client.get(address).text
        assert "my thoughts" in page
        assert is_checked(page, "grounding_integrity", "3")
    assert reviews.work_lists(ME, ledger=site.ledger)[0].submitted == ()


def test_two_people_rate_the_same_item_at_once(site: Site, demo_folder: Path) -> None:
    """Each sees their own draft only, both records count, and neither saw the other's before."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    address = f"/rate/{NAME}/{trace_id}"
    with client_of(site, "Ada") as ada, client_of(site, "Ben") as ben:
        for person in (ada, ben):
            assert send(person, address, do="take").status_code == 303
        send(ada, address, do="draft", holds="yes", **levels(4), notes="from Ada")
        send(ben, address, do="draft", holds="yes", **levels(1), notes="from Ben")
        assert "from Ada" not in ben.get(address).text
        assert send(ada, address, **FILLED, **levels(4), notes="from Ada").status_code == 303
        assert "from Ada" not in ben.get(address).text
        assert "from Ada" not in ben.get(f"/campaigns/{NAME}/items/{trace_id}").text
        assert send(ben, address, **FILLED, **levels(1), notes="from Ben").status_code == 303
        assert "from Ada" in ben.get(f"/campaigns/{NAME}/items/{trace_id}").text
        again = send(ben, address, **FILLED, **levels(4), notes="once more")
        assert (again.status_code, "already" in again.text) == (409, True)
        page = ben.get("/rate").text
        assert "waits for an adjudicator" in page
    [line, *_] = reviews.items(NAME, ledger=site.ledger).items
    assert (line.rated, line.status) == (2, "adjudication")


def test_a_record_is_revised_with_a_reason(site: Site, client: TestClient, demo_folder: Path) -> None:
    """A submitted record can be changed; the reason is required and stays in the record."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    rate(site, trace_id, ME, 4)
    address = f"/rate/{NAME}/{trace_id}"
    assert "Revise it with a reason" in client.get(address).text
    page = client.get(f"{address}?revise=true").text
    assert is_checked(page, "grounding_integrity", "4")
    fields = {**levels(4, 4, 3), **FILLED, "revises": "yes", "notes": "seen again"}
    answer = send(client, address, **fields)
    assert (answer.status_code, "A revision needs a reason" in answer.text) == (422, True)
    answer = send(client, address, **fields, reason="misread <i>it</i>")
    assert answer.headers["location"] == f"/campaigns/{NAME}/items/{trace_id}"
    page = client.get(answer.headers["location"]).text
    assert "1 revision" in page
    assert "misread &lt;i&gt;it&lt;/i&gt;" in page


def test_not_applicable_is_for_refusals(site: Site, client: TestClient, demo_folder: Path) -> None:
    """On an answered item the choice is off; on a refusal it can be chosen where the dimension may be."""
    answered, refused = interactions(demo_folder, 2)
    refused["response"] |= {"answer": None, "citations": [], "grounding_status": "REFUSED"}
    refused["response"]["refusal"] = {
        "code": "NO_ELIGIBLE_DOCS",
        "reason": "Nothing fits <script>.",
        "next_steps": ["Ask"],
    }
    open_campaign(site, demo_folder, [answered, refused])
    pages = {}
    for each in (answered, refused):
        trace_id = each["response"]["trace_id"]
        send(client, f"/rate/{NAME}/{trace_id}", do="take")
        pages[trace_id] = client.get(f"/rate/{NAME}/{trace_id}").text
    first, second = pages.values()
    choice = 'name="level_attribution_accuracy" value="none" data-press="0"'
    assert f"{choice} disabled" in first
    assert f"{choice}>" in second
    assert "The assistant refused" in second
    assert "Nothing fits &lt;script&gt;." in second
    fields = {**levels("none", 4), "level_grounding_integrity": "none"}
    answer = send(client, f"/rate/{NAME}/{refused['response']['trace_id']}", **FILLED, **fields)
    assert answer.status_code in {303, 422}
    if answer.status_code == 422:
        assert "always applies" in answer.text


def test_a_pair_and_a_newer_version_are_shown(
    site: Site, client: TestClient, demo_folder: Path, tmp_path: Path
) -> None:
    """A model change shows both answers side by side; a version that was kept later is named, and is not rated."""
    new, old = interactions(demo_folder, 1)[0], interactions(demo_folder, 1)[0]
    old["response"] |= {"answer": "It was said before [1].", "trace_id": "earlier-1"}
    old["trace"]["trace_id"] = "earlier-1"
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_bytes(orjson.dumps(old))
    [trace_id] = open_campaign(site, demo_folder, [new], trigger="model-change", earlier=str(earlier))
    page = client.get(f"/rate/{NAME}/{trace_id}").text
    assert "The earlier model&#39;s answer" in page or "The earlier model's answer" in page
    assert "It was said before" in page
    newer = interactions(demo_folder, 1)[0]
    newer["response"]["answer"] = "Another answer [1]."
    path = tmp_path / "newer.jsonl"
    path.write_bytes(orjson.dumps(newer))
    record = {
        "trace_id": trace_id,
        "scores": dict.fromkeys([key[6:] for key in levels(4)], 4),
        "query": new["response"]["query"],
    }
    reviews.keep_records(
        [{**record, "trigger": "pre-deployment", "evaluator": "Zoe"}], interactions=str(path), ledger=site.ledger
    )
    page = client.get(f"/rate/{NAME}/{trace_id}").text
    assert "A newer version of this interaction was kept later" in page
    assert "Another answer" not in page


def test_proposals_are_hidden_unless_the_campaign_shows_them(site: Site, client: TestClient, demo_folder: Path) -> None:
    """Before a record is in no proposal is on the page."""
    [trace_id, *_] = open_campaign(site, demo_folder)
    send(client, f"/rate/{NAME}/{trace_id}", do="take")
    page = client.get(f"/rate/{NAME}/{trace_id}").text
    assert "propos" not in page
    assert "Proposed" not in client.get(f"/campaigns/{NAME}/items/{trace_id}").text


def test_a_proposal_that_is_shown_is_kept_as_accepted(site: Site, client: TestClient, demo_folder: Path) -> None:
    """Where the campaign shows proposals, the record tells which were taken over; another level is one's own."""
    [trace_id, *_] = open_campaign(site, demo_folder, terms=ReleaseTerms(show_proposals=True))
    address = f"/rate/{NAME}/{trace_id}"
    send(client, address, do="take")
    proposed = dict(re.findall(r'name="accepted" value="(\w+)" data-level="(\w+)"', client.get(address).text))
    assert len(proposed) > 1
    taken, changed, *_ = proposed
    fields = {key: value for key, value in levels(4).items() if key != f"level_{taken}"}
    fields[f"level_{changed}"] = next(level for level in "34" if level != proposed[changed])
    answer = send(client, address, **FILLED, **fields, notes="seen", accepted=[taken, changed])
    assert answer.status_code == 303
    [record] = reviews.export_records(NAME, viewer=ME, ledger=site.ledger).records
    assert record.accepted == (taken,)
    assert "accepted" in client.get(f"/campaigns/{NAME}/items/{trace_id}").text


def test_hostile_texts_are_shown_as_texts(site: Site, client: TestClient, demo_folder: Path) -> None:
    """Markup in any field is text, a long text is clipped with a way to see all of it, and the page stays small."""
    [each] = interactions(demo_folder, 1)
    bad = "<script>alert(1)</script>"
    each["response"] |= {"query": f"{bad}?", "answer": f"{bad} [1] " + "long " * 30_000, "category": bad}
    each["response"]["citations"][0] |= {"source_title": bad, "passage": bad}
    [trace_id] = open_campaign(site, demo_folder, [each])
    for address in (f"/rate/{NAME}/{trace_id}", f"/campaigns/{NAME}/items/{trace_id}"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert bad not in answer.text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in answer.text
        assert "Show all of the answer" in answer.text
        assert len(answer.content) < 300_000
    assert len(client.get(f"/rate/{NAME}/{trace_id}?whole=true").content) > 150_000


def test_a_review_by_keyboard_alone(site: Site, page: Page, look: Look, demo_folder: Path) -> None:
    """From the queue to the next item without a mouse: levels, evidence, descriptors, undo, the note, submit."""
    first, *_ = open_campaign(site, demo_folder)
    rate(site, first, ME, 4)
    rate(site, first, "Ben", 1, 4)
    review_by_keyboard(page, look)


def test_nothing_jumps(site: Site, browser: Browser, address: str, demo_folder: Path) -> None:
    """Panes, dimensions and note keep their places, whatever is said: to take it, keys, what is missing, kept."""
    first, *_ = open_campaign(site, demo_folder)
    context = browser.new_context(base_url=address, viewport=WIDE)
    page = context.new_page()

    def places() -> list[object]:
        page.wait_for_load_state()  # a page that was just opened has no places before its style sheet is there
        return [page.locator(each).bounding_box() for each in (".panes", ".dimensions", "#notes")]

    page.goto(f"/rate/{NAME}/{first}")
    looked = places()
    page.get_by_role("button", name="Take this item").click()
    expect(page.locator("html[data-keys=ready]")).to_have_count(1)
    assert places() == looked
    for key in "1111":
        page.keyboard.press(key)
    expect(page.locator("#standing")).to_contain_text("Note needed")
    assert places() == looked
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("rate")
    assert places() == looked
    page.locator("[data-key=refusal_appropriateness] [data-press='4']").check()
    page.locator("[data-key=compliance_alignment] [data-press='4']").check()
    page.locator("#notes").fill("Nothing is as it should be.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Kept.")).to_be_visible()
    assert places() == looked
    context.close()


def test_a_pair_with_proposals_in_a_browser(
    site: Site, page: Page, look: Look, demo_folder: Path, tmp_path: Path
) -> None:
    """Both answers stand beside the passages; ``a`` takes a proposal over, and a digit is one's own again."""
    new, old = interactions(demo_folder, 1)[0], interactions(demo_folder, 1)[0]
    old["response"] |= {"answer": "The branch supervisor alone approves it [1].", "trace_id": "earlier-1"}
    old["trace"]["trace_id"] = "earlier-1"
    earlier = tmp_path / "earlier.jsonl"
    earlier.write_bytes(orjson.dumps(old))
    terms = ReleaseTerms(show_proposals=True)
    open_campaign(site, demo_folder, [new], terms=terms, trigger="model-change", earlier=str(earlier))
    page.goto("/rate")
    page.keyboard.press("Enter")
    expect(page.locator("html[data-keys=ready]")).to_have_count(1)
    first = page.locator(".dimension").first
    expect(first.locator("input[name=accepted]")).not_to_be_checked()
    page.keyboard.press("a")
    expect(first.locator("input[name=accepted]")).to_be_checked()
    expect(first.locator("input[type=radio]:checked")).to_have_count(1)
    expect(page.locator("#standing")).to_contain_text("1 of 6 rated")
    assert page.evaluate("document.documentElement.scrollHeight <= window.innerHeight")
    look(page, "rate-pair")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("2")
    expect(first.locator("input[name=accepted]")).not_to_be_checked()


@pytest.fixture
def postgresql(server_url: URL) -> Iterator[Site]:
    """Give a site on a real PostgreSQL."""
    with psycopg.connect(plain(str(server_url)), autocommit=True) as connection:
        connection.execute("CREATE DATABASE web_reviews")
    url = server_url.set(drivername="postgresql+psycopg", database="web_reviews", password=None)
    address = url.render_as_string(hide_password=False)
    with open_ledger(address, at=now()):
        store = Store(store_address(address))
    made = Site(ledger=address, store=store, local_person=ME, hosts=("127.0.0.1",))
    yield made
    made.close()


def test_a_review_by_keyboard_on_postgresql(postgresql: Site, browser: Browser, demo_folder: Path) -> None:
    """The same review on PostgreSQL."""
    open_campaign(postgresql, demo_folder)
    with served(postgresql) as address:
        context = browser.new_context(base_url=address, viewport=WIDE)
        review_by_keyboard(context.new_page(), lambda *_: None)
        context.close()
    assert len(reviews.work_lists(ME, ledger=postgresql.ledger)[0].submitted) == 1


def review_by_keyboard(page: Page, look: Look) -> None:
    """Review the next item of the queue with keys alone."""
    page.goto("/rate")
    look(page, "rate-queue")
    page.keyboard.press("Enter")  # on the button that has the focus
    title = page.get_by_role("heading", level=1)
    expect(title).to_contain_text("item")
    item = title.inner_text()
    expect(page.locator(".dimension.active .title")).to_have_text("Attribution Accuracy")
    expect(page.locator(".level:has([data-press='0']) input").first).to_be_disabled()
    assert page.evaluate("document.documentElement.scrollHeight <= window.innerHeight")
    standing = page.locator("#standing")
    page.keyboard.press("0")  # off on an answered item
    expect(page.locator(".dimension.active .title")).to_have_text("Attribution Accuracy")
    for key in "432":
        page.keyboard.press(key)
    expect(standing).to_contain_text("3 of 6 rated")
    expect(standing).to_contain_text("Note needed: Grounding Integrity is at Needs Review")
    page.keyboard.press("u")
    expect(standing).to_contain_text("2 of 6 rated")
    expect(page.locator(".dimension.active .title")).to_have_text("Grounding Integrity")  # the next key is for it
    page.keyboard.press("d")
    expect(page.locator(".about:popover-open")).to_contain_text("Ask yourself")
    look(page, "rate-levels")
    page.keyboard.press("d")
    expect(page.locator(".about:popover-open")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator("#passage-1")).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("#passage-2")).to_be_focused()
    page.keyboard.press("k")
    page.keyboard.press("e")
    expect(page.locator(".pane.passages mark.lit").first).to_be_visible()
    look(page, "rate")
    finish_by_keyboard(page, item)


def finish_by_keyboard(page: Page, item: str) -> None:
    """Go on with a draft after a reload, submit it, and be at the next item."""
    title, standing = page.get_by_role("heading", level=1), page.locator("#standing")
    page.reload()
    expect(standing).to_contain_text("2 of 6 rated")  # the draft was on the server
    expect(page.locator(".dimension.active .title")).to_have_text("Grounding Integrity")
    for key in "2441":
        page.keyboard.press(key)
    expect(standing).to_contain_text("Fail")
    expect(standing).to_contain_text("Blocked")
    page.keyboard.press("n")
    page.keyboard.type("The second sentence is in no passage 4321.")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    expect(standing).not_to_contain_text("Any dimension scored")
    expect(page.locator("#rating[data-saved=yes]")).to_have_count(1)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Kept.")).to_be_visible()
    expect(title).not_to_have_text(item)
    expect(page.locator(".dimension.active .title")).to_have_text("Attribution Accuracy")
    page.keyboard.press("q")
    expect(title).to_contain_text("to rate")
