"""Closing a campaign: what is said beforehand, who may, and the second signature."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import Request
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect
from tests.web.campaigns import open_one, open_with_every_warning, rate, response, token

from plumbrule.api import reviews
from plumbrule.ledger import open_ledger
from plumbrule.web.access.roles import Person, Role
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.visit import Visit, begin_visit

Look = Callable[[Page, str], None]
CLOSE = "/campaigns/small/close"


@contextmanager
def signed_in(site: Site, name: str, *roles: Role) -> Iterator[TestClient]:
    """Give a client whose requests are somebody's."""
    app = create_app(site)

    async def as_somebody(request: Request) -> Visit:
        return replace(await begin_visit(request), person=Person(name=name, roles=frozenset(roles)))

    app.dependency_overrides[begin_visit] = as_somebody
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def team(site: Site) -> Site:
    """Return the same site for a team."""
    return replace(site, team=True)


@pytest.fixture
def part(site: Site, tmp_path: Path) -> None:
    """Open a campaign on two of three answers, and rate them well: a release needs two signatures."""
    items = open_one(site, tmp_path, "small", [response(number) for number in range(3)], size=2)
    for trace_id in items:
        for who in ("Ada", "Ben"):
            rate(site, "small", trace_id, who, 4)


def entries(site: Site) -> int:
    """Return how many entries the ledger has."""
    with open_ledger(site.ledger) as ledger:
        return ledger.checkpoint().sequence


@pytest.mark.usefixtures("part")
def test_the_form_says_what_is_certain_and_no_more(client: TestClient, site: Site, tmp_path: Path) -> None:
    """What lacks, and that a release needs a second person; nothing of the ratings; looking writes nothing."""
    before = entries(site)
    page = client.get(CLOSE).text
    assert "small is ready to close" in page
    assert "2 of 3 interactions in scope were reviewed" in page
    assert "a release needs a second person" in page
    assert "Strong" not in page
    assert entries(site) == before
    open_with_every_warning(site, tmp_path)
    warned = client.get("/campaigns/warned/close").text
    assert "2 of 5 items lack a rating or wait for an adjudicator" in warned
    assert "Weaker policy" in warned
    assert "Revised late" in warned
    assert "Lena Lead opened it and rated" in warned
    assert "Needs Review" not in warned
    open_one(site, tmp_path, "bare", [response(9)])
    assert "Closing bare now means no release" in client.get("/campaigns/bare/close").text


@pytest.mark.usefixtures("part")
def test_a_local_site_names_the_second_person(client: TestClient, site: Site) -> None:
    """As on the command line; the same person twice is refused, and the form keeps what it said."""
    csrf = token(client, CLOSE)
    twice = client.post(CLOSE, data={"csrf": csrf, "second": "robin  reader"})
    assert twice.status_code == 422
    assert 'value="robin  reader"' in twice.text
    assert client.post(CLOSE, data={"csrf": csrf, "second": "Hal"}).headers["location"] == "/campaigns/small/decision"
    decision = reviews.progress("small", ledger=site.ledger).decision
    assert decision is not None
    assert (decision.outcome, decision.closed_by, decision.second) == ("RELEASE", "Robin Reader", "Hal")
    again = client.post(CLOSE, data={"csrf": csrf})
    assert again.status_code == 409
    assert "closed already" in again.text
    assert client.get(CLOSE).headers["location"] == "/campaigns/small/decision"


def test_open_items_need_the_word(client: TestClient, site: Site, tmp_path: Path) -> None:
    """A campaign with open items closes as it is, or not at all."""
    open_with_every_warning(site, tmp_path)
    csrf = token(client, "/campaigns/warned/close")
    refused = client.post("/campaigns/warned/close", data={"csrf": csrf})
    assert refused.status_code == 422
    assert "still open" in refused.text
    assert "--" not in re.sub(r"<[^>]*>|<!--.*?-->", "", refused.text.partition("<main")[2])
    assert re.search(r'href="[^"]*/items/[^"]*">item \d+</a>', refused.text)
    assert not reviews.progress("warned", ledger=site.ledger).closed
    assert client.post("/campaigns/warned/close", data={"csrf": csrf, "as_is": "yes"}).status_code == 303
    assert reviews.progress("warned", ledger=site.ledger).closed


@pytest.mark.usefixtures("part")
def test_on_a_team_site_the_second_person_signs_by_their_own_login(team: Site) -> None:
    """One asks, another signs; nobody signs for somebody else, nor twice, and a name in the form is not taken."""
    before = entries(team)
    with signed_in(team, "Gus", Role.RELEASE_MANAGER) as gus, signed_in(team, "Hal", Role.RELEASE_MANAGER) as hal:
        csrf = token(gus, CLOSE)
        asked = gus.post(CLOSE, data={"csrf": csrf, "ask_second": "yes", "second": "Hal"})
        assert asked.headers["location"] == CLOSE
        assert entries(team) == before
        assert gus.post(CLOSE, data={"csrf": csrf, "ask_second": "yes"}).status_code == 409
        assert gus.post(f"{CLOSE}/sign", data={"csrf": csrf}).status_code == 403
        assert "Take it back" in gus.get(CLOSE).text
        assert "Gus asks for a second signature" in hal.get("/campaigns/small").text
        assert "Sign as Hal and close" in hal.get(CLOSE).text
        assert hal.post(f"{CLOSE}/sign", data={"csrf": token(hal, CLOSE)}).status_code == 303
        assert hal.post(f"{CLOSE}/sign", data={"csrf": token(hal, "/campaigns")}).status_code == 409
    decision = reviews.progress("small", ledger=team.ledger).decision
    assert decision is not None
    assert (decision.outcome, decision.closed_by, decision.second) == ("RELEASE", "Gus", "Hal")


@pytest.mark.usefixtures("part")
def test_no_call_of_the_api_signs_for_somebody_else(team: Site) -> None:
    """On a team site the name of a second person in a call is refused, and nothing is closed."""
    with signed_in(team, "Gus", Role.RELEASE_MANAGER) as gus:
        headers = {"x-csrf-token": token(gus, CLOSE)}
        answer = gus.post("/api/v1/campaigns/small/close", json={"second": "Hal"}, headers=headers)
        assert answer.status_code == 403
    assert not reviews.progress("small", ledger=team.ledger).closed


@pytest.mark.usefixtures("part")
def test_a_second_signature_is_for_what_was_asked(team: Site) -> None:
    """Where more was rated since, or it was taken back, nobody can sign."""
    with signed_in(team, "Gus", Role.RELEASE_MANAGER) as gus, signed_in(team, "Hal", Role.RELEASE_MANAGER) as hal:
        csrf = token(gus, CLOSE)
        gus.post(CLOSE, data={"csrf": csrf, "ask_second": "yes"})
        first = reviews.items("small", ledger=team.ledger).items[0].trace_id
        rate(team, "small", first, "Ada", 3, reason="looked again")
        changed = hal.post(f"{CLOSE}/sign", data={"csrf": token(hal, CLOSE)})
        assert changed.status_code == 409
        assert "has to be asked for again" in changed.text
        gus.post(CLOSE, data={"csrf": csrf, "ask_second": "yes"})
        assert gus.post(f"{CLOSE}/withdraw", data={"csrf": csrf}).status_code == 303
        assert hal.post(f"{CLOSE}/sign", data={"csrf": token(hal, CLOSE)}).status_code == 409
        assert gus.post(CLOSE, data={"csrf": csrf, "second": "Hal"}).status_code == 303
    decision = reviews.progress("small", ledger=team.ledger).decision
    assert decision is not None
    assert (decision.outcome, decision.second) == ("NO RELEASE", None)


@pytest.mark.usefixtures("part")
def test_a_viewer_looks_and_changes_nothing(team: Site) -> None:
    """Whoever has no role may read campaigns and decisions; opening, assigning and closing are refused."""
    with signed_in(team, "Vic") as vic:
        for address in ("/campaigns", "/campaigns/small", "/campaigns/small/decision", "/campaigns/small/agreement"):
            page = vic.get(address)
            assert page.status_code == 200
            assert "/close" not in page.text
            assert "/campaigns/new" not in page.text
            assert 'href="/rate' not in page.text.partition("<main")[2].partition("<h2>People")[0]
        csrf = token(vic, "/campaigns/small")
        for address in ("/campaigns/new", CLOSE):
            assert vic.get(address).status_code == 403
        posts = ("close", "close/sign", "close/withdraw", "assign")
        for address in ("/campaigns/new", *(f"/campaigns/small/{each}" for each in posts)):
            assert vic.post(address, data={"csrf": csrf}).status_code == 403
    assert not reviews.progress("small", ledger=team.ledger).closed


@pytest.mark.usefixtures("part")
def test_closing_in_a_browser(page: Page, look: Look) -> None:
    """A release manager sees what closing would meet, names the second person, signs, and reads the decision."""
    page.goto("/campaigns/small")
    page.get_by_role("link", name="Close…").click()
    look(page, "campaign-closing")
    page.get_by_label("Who signs as the second person").fill("Hal")
    page.get_by_role("button", name="Sign and close as Robin Reader").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Release with notes")
    expect(page.get_by_text("Robin Reader and Hal signed")).to_be_visible()
