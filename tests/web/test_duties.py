"""Who did what is who signed in: in the pages and the JSON API of a team, on SQLite and on PostgreSQL."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient
from sqlalchemy import URL
from tests.contract.conftest import plain, server_url
from tests.web.conftest import PASSWORD, csrf_of
from tests.web.open_reviews import NAME, levels, open_campaign

from plumbrule.api import reviews
from plumbrule.api.ledger_access import now
from plumbrule.ledger import open_ledger
from plumbrule.web.access import passwords
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.web_store import Store, store_address

__all__ = ["server_url"]  # a fixture

FORGED = dict.fromkeys(("evaluator", "person", "name", "author", "as"), "Somebody Else")


@pytest.fixture
def team(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Give the demo's ledger, served to a team."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    return replace(site, team=True, local_person=None)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Give what closes every client at the end."""
    with ExitStack() as stack:
        yield stack


def sign_in(stack: ExitStack, site: Site, name: str, *roles: Role) -> TestClient:
    """Return the client of somebody who signed in."""
    site.accounts.add(name, roles=roles, password=PASSWORD, author="the test", at=now())
    client = TestClient(create_app(site), follow_redirects=False, raise_server_exceptions=False)
    stack.enter_context(client)
    token = csrf_of(client, "/sign-in")
    assert client.post("/sign-in", data={"name": name, "password": PASSWORD, "csrf": token}).status_code == 303
    return client


def rate(client: TestClient, trace_id: str, *given: int) -> int:
    """Take and rate an item with a form that names somebody else everywhere, and return the status."""
    fields = {"csrf": csrf_of(client, "/account"), **FORGED}
    client.post(f"/rate/{NAME}/{trace_id}", data={**fields, "do": "take"})
    filled = {**levels(*given), "holds": "yes", "do": "submit", "notes": "looked at it"}
    return client.post(f"/rate/{NAME}/{trace_id}", data={**fields, **filled}).status_code


def test_a_record_is_the_logins(team: Site, stack: ExitStack, demo_folder: Path) -> None:
    """Whatever a form says, the record, its entry and its claim have the name of whoever signed in."""
    [trace_id, *_] = open_campaign(team, demo_folder)
    assert rate(sign_in(stack, team, "Eva Luator", Role.EVALUATOR), trace_id, 4) == 303
    with open_ledger(team.ledger) as ledger:
        records = [entry for entry in ledger.entries(kind="record") if entry.value["campaign"] == NAME]
        claims = [entry for entry in ledger.entries(kind="claim") if entry.value.get("campaign") == NAME]
    assert [(entry.author, entry.value["record"]["evaluator"]) for entry in records] == [("Eva Luator", "Eva Luator")]
    assert {entry.author for entry in claims} == {"Eva Luator"}


def test_a_token_rates_as_its_owner(team: Site, stack: ExitStack, demo_folder: Path) -> None:
    """The JSON API keeps the owner of the token as the evaluator, and refuses a record that names somebody else."""
    [trace_id, *_] = open_campaign(team, demo_folder)
    sign_in(stack, team, "Eva Luator", Role.EVALUATOR)
    made = {"title": "CI", "scopes": [Scope.REVIEW], "days": 1, "author": "Eva Luator", "at": now()}
    bearer = {"authorization": f"Bearer {team.accounts.make_token('Eva Luator', **made)}"}  # type: ignore[arg-type]
    client = stack.enter_context(TestClient(create_app(team), raise_server_exceptions=False))
    taken = client.post(f"/api/v1/campaigns/{NAME}/claim", json={"trace_ids": [trace_id]}, headers=bearer)
    assert taken.status_code == 200, taken.text
    scores = {name.removeprefix("level_"): int(level) for name, level in levels(4).items()}
    record = {"trace_id": trace_id, "scores": scores, "notes": "looked at it"}
    forged = client.post(
        f"/api/v1/campaigns/{NAME}/records", json={"record": {**record, "evaluator": "Somebody Else"}}, headers=bearer
    )
    kept = client.post(f"/api/v1/campaigns/{NAME}/records", json={"record": record}, headers=bearer)
    assert (forged.status_code < 300) != (kept.status_code < 300), (forged.text, kept.text)
    with open_ledger(team.ledger) as ledger:
        [entry] = [entry for entry in ledger.entries(kind="record") if entry.value["campaign"] == NAME]
    assert (entry.author, entry.value["record"]["evaluator"]) == ("Eva Luator", "Eva Luator")


def test_whoever_rated_an_item_does_not_decide_it(team: Site, stack: ExitStack, demo_folder: Path) -> None:
    """One person with both roles may rate an item and not adjudicate it; another adjudicator may."""
    [trace_id, *_] = open_campaign(team, demo_folder)
    both = sign_in(stack, team, "Bea Both", Role.EVALUATOR, Role.ADJUDICATOR)
    other = sign_in(stack, team, "Ola Other", Role.EVALUATOR)
    third = sign_in(stack, team, "Ada Judicator", Role.ADJUDICATOR)
    assert rate(both, trace_id, 4) == 303
    assert rate(other, trace_id, 1) == 303
    assert other.get("/adjudicate").status_code == 403
    for client, allowed in ((both, False), (third, True)):
        client.post(
            f"/adjudicate/{NAME}/{trace_id}", data={"csrf": csrf_of(client, "/account"), "do": "take", **FORGED}
        )
        with open_ledger(team.ledger) as ledger:
            claims = [entry for entry in ledger.entries(kind="claim") if entry.value.get("role") == "adjudicator"]
            names = {entry.author for entry in claims if entry.value.get("campaign") == NAME}
        assert names == ({"Ada Judicator"} if allowed else set())


def test_nobody_signs_for_somebody_else(team: Site, stack: ExitStack, demo_folder: Path) -> None:
    """The second signature is the login of a second person: it is no field of a call."""
    open_campaign(team, demo_folder)
    client = sign_in(stack, team, "Rae Lease", Role.RELEASE_MANAGER)
    answer = client.post(f"/api/v1/campaigns/{NAME}/close", json={"as_is": True, "second": "Somebody Else"})
    assert (answer.status_code, "Nobody signs for somebody else" in answer.text) == (403, True)
    [campaign] = [each for each in reviews.campaigns(ledger=team.ledger) if each.campaign == NAME]
    assert not campaign.closed


def test_a_team_on_postgresql(server_url: URL, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accounts, sessions, tokens and throttling work in the database of the ledger."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    with psycopg.connect(plain(str(server_url)), autocommit=True) as connection:
        connection.execute("CREATE DATABASE web_team")
    url = server_url.set(drivername="postgresql+psycopg", database="web_team", password=None)
    address = url.render_as_string(hide_password=False)
    open_ledger(address, at=now()).close()
    store = Store(store_address(address))
    site = Site(ledger=address, store=store, team=True, hosts=("testserver",))
    stack.callback(site.close)
    client = sign_in(stack, site, "Ada Admin", Role.ADMIN)
    token = csrf_of(client, "/accounts")
    assert client.post("/accounts", data={"csrf": token, "name": "Ben Reyes"}).status_code == 201
    assert client.post("/accounts/1/disable", data={"csrf": token}).status_code == 409
    made = client.post("/account/tokens", data={"csrf": token, "title": "CI", "scopes": "read"})
    bearer = made.text.partition('aria-label="The token">')[2].partition("<")[0]
    program = stack.enter_context(TestClient(create_app(site), follow_redirects=False))
    assert program.get("/metrics", headers={"authorization": f"Bearer {bearer}"}).status_code == 200
    wrong = {"name": "Ben Reyes", "password": "wrong", "csrf": csrf_of(program, "/sign-in")}
    assert [program.post("/sign-in", data=wrong).status_code for _ in range(7)] == [401] * 5 + [429] * 2
    assert client.post("/sign-out", data={"csrf": token}).status_code == 303
    assert client.get("/account").status_code == 303
