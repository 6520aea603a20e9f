"""Signing in and out: a new session each time, the same answer to every mistake."""

import dataclasses
import re
from collections.abc import Callable, Iterator

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect
from tests.web.conftest import PASSWORD, WIDE, Enter, MovedClock, csrf_of, served

from plumbrule.ledger import open_ledger
from plumbrule.web.access.openid_connect import OpenIdProvider
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.access.sign_in_throttle import FREE_BY_NAME
from plumbrule.web.site import Site
from plumbrule.web.visit import COOKIE

GIVEN, OWN = "handed over by Ada", "my very own words"


def post(client: TestClient, path: str, page: str, **data: object) -> tuple[int, str]:
    """Send a form of a page, and return the status and the text of the answer, without its token."""
    token = csrf_of(client, page)
    response = client.post(path, data={"csrf": token, **data})
    return response.status_code, response.text.replace(token, "")


def test_an_unknown_address_keeps_the_navigation(enter: Enter) -> None:
    """Who is signed in and mistypes an address finds the way on, and out; a stranger is shown no navigation."""
    known, stranger = enter("Vera", Role.VIEWER).get("/nowhere"), enter(None).get("/nowhere")
    assert known.status_code == stranger.status_code == 404
    assert 'href="/runs"' in known.text
    assert "Sign out" in known.text
    assert 'href="/runs"' not in stranger.text
    unread = enter("Vera").get("/nowhere", headers={"authorization": "Bearer unknown"})
    assert unread.status_code == 404


def test_a_page_leads_to_the_sign_in_and_back(enter: Enter, team_site: Site) -> None:
    """Whoever is not signed in gets to the page that they wanted, with its filters, after signing in."""
    enter("Ada Admin", Role.ADMIN)
    client = enter(None)
    response = client.get("/runs?name=a%20b&page=2")
    assert response.headers["location"] == "/sign-in?next=/runs%3Fname%3Da%2520b%26page%3D2"
    form = client.get(response.headers["location"]).text
    assert 'name="next" value="/runs?name=a%20b&amp;page=2"' in form
    token = csrf_of(client, "/sign-in")
    data = {"name": "ada ADMIN", "password": PASSWORD, "next": "/runs?name=a%20b&page=2", "csrf": token}
    assert client.post("/sign-in", data=data).headers["location"] == "/runs?name=a%20b&page=2"
    assert client.get("/runs", headers={"accept": "application/json"}).status_code == 200
    assert team_site.team


def test_a_session_is_never_taken_over(enter: Enter) -> None:
    """The id that a browser came with means nothing after the sign-in, whoever put it there, nor after signing out."""
    enter("Ada Admin", Role.ADMIN)
    client = enter(None)
    client.cookies.set(COOKIE, "a" * 64)
    assert post(client, "/sign-in", "/sign-in", name="Ada Admin", password=PASSWORD)[0] == 303
    ids = [cookie.value for cookie in client.cookies.jar if cookie.name == COOKIE and cookie.value != "a" * 64]
    assert len(ids) == 1
    fixed, given = enter(None), enter(None)
    fixed.cookies.set(COOKIE, "a" * 64)
    given.cookies.set(COOKIE, str(ids[0]))
    assert fixed.get("/account").status_code == 303
    assert given.get("/account").status_code == 200
    assert post(given, "/sign-out", "/account")[0] == 303
    given.cookies.clear()
    given.cookies.set(COOKIE, str(ids[0]))
    assert given.get("/account").status_code == 303


def test_cookies_are_out_of_reach(enter: Enter) -> None:
    """No script reads them and no other site's form sends them."""
    enter("Ada Admin", Role.ADMIN)
    client = enter(None)
    token = csrf_of(client, "/sign-in")
    response = client.post("/sign-in", data={"name": "Ada Admin", "password": PASSWORD, "csrf": token})
    cookies = response.headers.get_list("set-cookie")
    assert len(cookies) == 2
    assert all("HttpOnly" in cookie and "SameSite=lax" in cookie for cookie in cookies)


def test_every_mistake_has_one_answer(enter: Enter, team_site: Site, clock: MovedClock) -> None:
    """An unknown name, a wrong password and a disabled account are not told apart."""
    enter("Ada Admin", Role.ADMIN)
    enter("Ben Reyes")
    team_site.accounts.set_disabled("Ben Reyes", disabled=True, author="Ada Admin", at=clock())
    answers = []
    for name, password in (("Ada Admin", "wrong"), ("No Body", PASSWORD), ("Ben Reyes", PASSWORD), ("", "")):
        status, text = post(enter(None), "/sign-in", "/sign-in", name=name, password=password)
        answers.append((status, text.replace(name, "NAME") if name else text))
    assert {status for status, _ in answers} == {401}
    assert len({text for _, text in answers[:3]}) == 1
    assert "The name or the password is not right." in answers[0][1]


def test_guessing_is_slowed_down(enter: Enter, clock: MovedClock) -> None:
    """After a few failures even the right password waits, the answer says how long, and then it is taken."""
    enter("Ada Admin", Role.ADMIN)
    client = enter(None)
    statuses = [
        post(client, "/sign-in", "/sign-in", name="Ada Admin", password=f"guess {number}")[0]
        for number in range(FREE_BY_NAME + 2)
    ]
    assert statuses == [401] * FREE_BY_NAME + [429, 429]
    token = csrf_of(client, "/sign-in")
    refused = client.post("/sign-in", data={"name": "Ada Admin", "password": PASSWORD, "csrf": token})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    clock.move(seconds=1)
    assert post(client, "/sign-in", "/sign-in", name="Ada Admin", password=PASSWORD)[0] == 303


def test_a_given_password_is_only_good_to_choose_another(enter: Enter, team_site: Site, clock: MovedClock) -> None:
    """Whoever handed it over cannot act under the name of its owner without the owner noticing."""
    enter("Ada Admin", Role.ADMIN)
    accounts = team_site.accounts
    accounts.add("Ben Reyes", roles=[], password=GIVEN, must_change=True, author="Ada Admin", at=clock())
    client = enter(None)
    status, text = post(client, "/sign-in", "/sign-in", name="Ben Reyes", password=GIVEN)
    assert status == 200
    assert "Choose a password of your own" in text
    assert client.get("/account").status_code == 303
    change = "/sign-in/new-password"
    for new, again, problem in (
        (OWN, OWN + "!", "its repetition differ"),
        (GIVEN, GIVEN, "is the old one"),
        ("tiny", "tiny", "is too short"),
        ("BenReyes BenReyes", "BenReyes BenReyes", "holds the name"),
    ):
        status, text = post(client, change, "/sign-in", name="Ben Reyes", password=GIVEN, new=new, again=again)
        assert (status, problem in text) == (422, True)
        assert new not in text
    assert post(client, change, "/sign-in", name="Ben Reyes", password=OWN, new=OWN, again=OWN)[0] == 401
    assert post(client, change, "/sign-in", name="Ben Reyes", password=GIVEN, new=OWN, again=OWN)[0] == 303
    assert client.get("/account").status_code == 200
    with open_ledger(team_site.ledger) as ledger:
        assert [entry.author for entry in ledger.entries(kind="account", subject="Ben Reyes")] == [
            "Ada Admin",
            "Ben Reyes",
        ]


def test_a_token_is_no_session(enter: Enter, team_site: Site, clock: MovedClock) -> None:
    """A wrong or ended token is refused even beside a good cookie, and no token changes its owner's account."""
    client = enter("Ada Admin", Role.ADMIN)
    wrong = client.get("/account", headers={"authorization": "Bearer plumbrule_wrong"})
    assert (wrong.status_code, wrong.headers["www-authenticate"]) == (401, "Bearer")
    made = {"title": "CI", "scopes": list(Scope), "days": 9, "author": "Ada Admin", "at": clock()}
    token = team_site.accounts.make_token("Ada Admin", **made)  # type: ignore[arg-type]
    bearer = {"authorization": f"Bearer {token}"}
    program = enter(None)
    assert program.get("/account", headers=bearer).status_code == 200
    for path in ("/account/tokens", "/account/password", "/accounts"):
        answer = program.post(path, headers=bearer, data={"title": "more", "scopes": "run", "name": "x"})
        assert (answer.status_code, "no API token may do it" in answer.text) == (403, True)


def test_one_local_person_needs_no_sign_in(client: TestClient) -> None:
    """Without a team there is nothing to sign in to, and no account."""
    assert client.get("/sign-in").headers["location"] == "/"
    assert client.get("/account").status_code == 404
    assert "One local person, no accounts" in client.get("/accounts").text
    token = csrf_of(client, "/accounts")
    assert client.post("/accounts", data={"csrf": token, "name": "Ada"}).status_code == 409
    assert client.post("/sign-out", data={"csrf": token}).status_code == 303


@pytest.fixture
def team_page(browser: Browser, team_site: Site, clock: MovedClock) -> Iterator[Page]:
    """Give a page of a browser at the team's site, where people may sign in at a provider too."""
    team_site.accounts.add("Ada Lovelace", roles=[Role.ADMIN], password=PASSWORD, author="the test", at=clock())
    provider = OpenIdProvider(issuer="https://id.example.com", client_id="plumbrule", title="Example Bank")
    with served(dataclasses.replace(team_site, provider=provider)) as where:
        context = browser.new_context(base_url=where, viewport=WIDE, reduced_motion="reduce")
        faults: list[str] = []
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        yield page
        context.close()
        assert faults == []


def test_a_team_in_a_browser(team_page: Page, look: Callable[[Page, str], None]) -> None:
    """An administrator signs in, adds somebody, and that person chooses a password and makes a token."""
    page = team_page
    page.goto("/accounts")
    look(page, "sign-in")
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_label("Password").fill("not my password")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The name or the password is not right.")
    look(page, "sign-in-wrong")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("1 account")
    page.get_by_label("Name").fill("Ben Reyes")
    page.get_by_label("Evaluator rates").check()
    look(page, "accounts")
    page.get_by_role("button", name="Add the account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ben Reyes: evaluator")
    password = page.get_by_label("The password").inner_text()
    look(page, "account-detail")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Name").fill("Ben Reyes")
    page.get_by_label("Password").fill(password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Choose a password of your own")
    look(page, "new-password")
    page.get_by_label("Password that you were given").fill(password)
    page.get_by_label("New password at least 12 characters").fill(OWN)
    page.get_by_label("New password again").fill(OWN)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\d/$"))
    page.goto("/account")
    page.get_by_label("What it is for").fill("CI of the assistant")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_label("The token", exact=True)).to_contain_text("plumbrule_")
    look(page, "account")
