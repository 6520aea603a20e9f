"""Opening a campaign: the form, the preview that writes nothing, and the opening."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.campaigns import HOSTILE, WEAKER, lines, response, token

from plumbrule.api import reviews
from plumbrule.ledger import open_ledger
from plumbrule.web.site import Site

Look = Callable[[Page, str], None]
NEW = "/campaigns/new"
ANSWERS = lines([response(number) for number in range(4)])


def form(client: TestClient, **fields: str) -> dict[str, str]:
    """Return the fields of the form, filled in."""
    usual = {"trigger": "pre-deployment", "name": "release-9", "seed": "42", "mode": "any_record", "claims": "no"}
    return {"csrf": token(client, NEW), **usual, **fields}


def end_of(site: Site) -> str:
    """Return the hash of the last entry of the ledger."""
    with open_ledger(site.ledger) as ledger:
        return ledger.checkpoint().entry_sha256


def test_a_preview_writes_nothing_and_opening_does(client: TestClient, site: Site) -> None:
    """The manifest is shown first; then the campaign is opened as it was shown, by the visitor, from the named file."""
    before = end_of(site)
    files = {"interactions": ("answers of March.jsonl", ANSWERS)}
    sent = client.post(NEW, data=form(client, evaluators="3", decide_on="bound", proposals="yes"), files=files)
    assert sent.status_code == 303
    preview = client.get(sent.headers["location"]).text
    assert "release-9 would review 4 items" in preview
    assert "The rubric that ships, unchanged" in preview
    assert "<dd>before they rate</dd>" in preview
    assert "answers of March.jsonl, 4 interactions read" in preview
    assert "evaluators see only passages whose text stands in the interactions" in preview  # no file of them is given
    assert end_of(site) == before
    opening = f"{sent.headers['location']}/open"
    csrf = token(client, NEW)
    assert client.post(opening, data={"csrf": csrf}).headers["location"] == "/campaigns/release-9"
    progress = reviews.progress("release-9", ledger=site.ledger)
    assert (progress.items, progress.evaluators_per_item, progress.decide_on) == (4, 3, "bound")
    assert client.post(opening, data={"csrf": csrf}).status_code == 404
    with open_ledger(site.ledger) as ledger:
        last = list(ledger.entries(kind="interaction"))[-1].value
        opened = next(ledger.entries(kind="campaign", subject="campaigns/release-9"))
    assert last["where"].startswith("answers of March.jsonl:")  # and not where the upload lay
    assert (opened.author, opened.value["proposals"]) == ("Robin Reader", "shown")
    assert "<dd>before they rate</dd>" in client.get("/campaigns/release-9").text


def test_a_weaker_policy_is_shown_in_red_and_must_be_accepted(client: TestClient, site: Site) -> None:
    """The difference stands in words; without the tick nothing is opened."""
    files = {"interactions": ("a.jsonl", ANSWERS), "rubric": ("ours.yaml", WEAKER.encode())}
    where = client.post(NEW, data=form(client), files=files).headers["location"]
    preview = client.get(where).text
    assert '<p class="problem">✗ Weaker policy' in preview
    assert "fails below an average overall score of 2, not 3" in preview
    csrf, before = token(client, NEW), end_of(site)
    refused = client.post(f"{where}/open", data={"csrf": csrf})
    assert refused.status_code == 422
    assert "tick that you accept it" in refused.text
    assert end_of(site) == before
    assert client.post(f"{where}/open", data={"csrf": csrf, "accept_weaker_policy": "yes"}).status_code == 303
    assert "Weaker policy" in client.get("/campaigns/release-9").text


@pytest.mark.parametrize(
    ("fields", "files", "words"),
    [
        ({}, {}, "Choose the file of interactions"),
        ({"name": HOSTILE}, {"interactions": ("a.jsonl", ANSWERS)}, "is no name for a campaign"),
        ({"name": "new"}, {"interactions": ("a.jsonl", ANSWERS)}, "is no name for a campaign"),
        ({"name": "week-2025-W15"}, {"interactions": ("a.jsonl", ANSWERS)}, "already: choose another name"),
        ({"size": "many"}, {"interactions": ("a.jsonl", ANSWERS)}, "How many: &#39;many&#39; is not a whole number"),
        ({"trigger": HOSTILE}, {"interactions": ("a.jsonl", ANSWERS)}, "there is no trigger"),
        ({}, {"interactions": ("../../a.exe", ANSWERS)}, "only .jsonl, .ndjson, .json are read here"),
        ({}, {"interactions": ("a.jsonl", b"<b>no</b>")}, "there is no response in it"),
        ({}, {"interactions": ("a.jsonl", ANSWERS), "rubric": ("r.yaml", b"levels: 7")}, "r.yaml"),
        ({"trigger": "corpus-release"}, {"interactions": ("a.jsonl", ANSWERS)}, "name the changed documents"),
        (
            {"trigger": "corpus-release", "changed": "/etc/passwd"},
            {"interactions": ("a.jsonl", ANSWERS)},
            "none of 4 interactions is in scope",
        ),
    ],
)
def test_a_mistake_keeps_the_form(
    client: TestClient, site: Site, fields: dict[str, str], files: dict[str, tuple[str, bytes]], words: str
) -> None:
    """It is told in the words of the form, nothing is written, and no text of the form is taken for a path."""
    before = end_of(site)
    answer = client.post(NEW, data=form(client, **fields), files=files or {"none": ("", b"")})
    assert answer.status_code == 422
    assert words in answer.text
    assert HOSTILE not in answer.text
    assert "/tmp/" not in answer.text  # noqa: S108 - where uploads lie is nobody's business
    assert "root:" not in answer.text
    assert end_of(site) == before
    if files:
        assert "is kept" in answer.text


def test_files_need_not_be_chosen_again(client: TestClient) -> None:
    """After a mistake the form has the files still, for the same person."""
    wrong = client.post(NEW, data=form(client, size="0"), files={"interactions": ("a.jsonl", ANSWERS)})
    assert wrong.status_code == 422
    draft = wrong.text.partition('name="draft" value="')[2].partition('"')[0]
    assert len(draft) == 32
    right = client.post(NEW, data=form(client, draft=draft), files={"none": ("", b"")})
    assert right.status_code == 303
    assert client.get(f"{NEW}?draft={draft}").text.count("is kept") == 0  # the earlier draft is gone
    assert client.get(f"{NEW}/{draft}").status_code == 404


def test_what_a_change_touches_is_drawn(client: TestClient, site: Site) -> None:
    """A corpus release draws what the named documents touch; what was named is kept."""
    files = {"interactions": ("a.jsonl", ANSWERS)}
    fields = form(client, trigger="corpus-release", changed="S0, S7")
    where = client.post(NEW, data=fields, files=files).headers["location"]
    preview = client.get(where).text
    assert "would review 2 items" in preview
    assert "S0, S7" in preview
    client.post(f"{where}/open", data={"csrf": fields["csrf"]})
    assert reviews.progress("release-9", ledger=site.ledger).items == 2


def test_opening_in_a_browser(page: Page, look: Look, tmp_path: Path) -> None:
    """A release manager fills in the form, sees the preview with a weaker policy, accepts it and opens."""
    (tmp_path / "answers.jsonl").write_bytes(ANSWERS)
    (tmp_path / "ours.yaml").write_text(WEAKER)
    page.goto("/campaigns")
    page.get_by_role("link", name="Open a campaign").click()
    expect(page.get_by_label("Earlier answers")).to_be_hidden()
    page.get_by_role("radio", name="Model change").check()
    expect(page.get_by_label("Earlier answers")).to_be_visible()
    look(page, "campaign-new")
    page.get_by_role("radio", name="Weekly monitoring").check()
    page.locator("#interactions").set_input_files(tmp_path / "answers.jsonl")
    page.locator("#rubric").set_input_files(tmp_path / "ours.yaml")
    page.locator("#name").fill("week-9")
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("week-9 would review 4 items: 46 fewer than wanted")
    look(page, "campaign-preview")
    page.get_by_label("I accept a policy").check()
    page.get_by_role("button", name="Open the campaign").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("week-9 is open: 0 of 4 items done")
