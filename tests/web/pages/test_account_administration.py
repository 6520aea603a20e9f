"""The accounts of everybody: what an administrator does, and what nobody can do."""

from fastapi.testclient import TestClient
from tests.web.conftest import PASSWORD, Enter, csrf_of

from plumbrule.ledger import open_ledger
from plumbrule.web.access.accounts import read_account_change
from plumbrule.web.access.roles import Role
from plumbrule.web.site import Site


def post(client: TestClient, path: str, **data: object) -> tuple[int, str]:
    """Send a form of the administrator's pages."""
    response = client.post(path, data={"csrf": csrf_of(client, "/accounts"), **data})
    return response.status_code, response.text


def test_an_administrator_looks_after_accounts(enter: Enter, team_site: Site) -> None:
    """They add people, change roles, reset passwords, end sessions, disable and enable; the ledger names them."""
    admin = enter("Ada Admin", Role.ADMIN)
    status, text = post(admin, "/accounts", name="Ben Reyes", roles=["evaluator"])
    assert status == 201
    first = text.partition('aria-label="The password">')[2].partition("<")[0]
    ben = team_site.accounts.check_password("Ben Reyes", first)
    assert ben is not None
    assert ben.must_change
    assert post(admin, f"/accounts/{ben.id}/roles", roles=["adjudicator", "release manager"])[0] == 303
    status, text = post(admin, f"/accounts/{ben.id}/password")
    assert status == 201
    assert team_site.accounts.check_password("Ben Reyes", first) is None
    team_site.accounts.sign_in(ben, browser="", at=team_site.clock())
    assert post(admin, f"/accounts/{ben.id}/sessions")[0] == 303
    assert post(admin, f"/accounts/{ben.id}/disable")[0] == 303
    assert "Ben Reyes: disabled" in admin.get(f"/accounts/{ben.id}").text
    assert post(admin, f"/accounts/{ben.id}/enable")[0] == 303
    with open_ledger(team_site.ledger) as ledger:
        entries = list(ledger.entries(kind="account", subject="Ben Reyes"))
    assert {entry.author for entry in entries} == {"Ada Admin"}
    assert [read_account_change(entry).event for entry in entries] == [
        "created",
        "roles_set",
        "password_set",
        "sessions_ended",
        "disabled",
        "enabled",
    ]
    page = admin.get(f"/accounts/{ben.id}").text
    assert "Roles set: viewer, adjudicator, release manager" in page
    assert first not in page


def test_the_last_administrator_stays(enter: Enter) -> None:
    """Whoever tries to disable or demote the last one is told why not, and nothing changes."""
    admin = enter("Ada Admin", Role.ADMIN)
    for path, data in (("/accounts/1/disable", {}), ("/accounts/1/roles", {"roles": ["viewer"]})):
        status, text = post(admin, path, **data)
        assert (status, "is the last administrator" in text) == (409, True)
    assert admin.get("/accounts").status_code == 200


def test_a_mistake_keeps_the_form(enter: Enter) -> None:
    """A name that is taken, and one that is no name, are told beside the form, with what was filled in."""
    admin = enter("Ada Admin", Role.ADMIN)
    for name, problem in (("ADA  admin", "is the same person as"), ("...", "names nobody")):
        status, text = post(admin, "/accounts", name=name, roles=["evaluator"])
        assert (status, problem in text) == (422, True)
        assert f'value="{name}"' in text
        assert 'value="evaluator" checked' in text
    assert post(admin, "/accounts", name="Ben", roles=["owner"])[0] == 422
    assert admin.get("/accounts/99").status_code == 404


def test_one_own_account(enter: Enter, team_site: Site) -> None:
    """People change their own password, sign out elsewhere, make and revoke tokens; nobody else's."""
    first, second = enter("Ben Reyes", Role.EVALUATOR), enter("Ben Reyes")
    other = enter("Ada Admin", Role.ADMIN)
    token = csrf_of(first, "/account")
    made = first.post(
        "/account/tokens", data={"csrf": token, "title": "<b>CI</b>", "scopes": ["read", "run"], "days": "5"}
    )
    assert made.status_code == 201
    assert "&lt;b&gt;CI&lt;/b&gt;" in made.text
    secret = made.text.partition('aria-label="The token">')[2].partition("<")[0]
    assert team_site.accounts.person_of_token(secret, at=team_site.clock()) is not None
    assert secret not in first.get("/account").text
    [kept] = team_site.accounts.tokens(team_site.accounts.find("Ben Reyes").id)
    other.post(f"/account/tokens/{kept.id}/revoke", data={"csrf": csrf_of(other, "/account")})
    assert team_site.accounts.person_of_token(secret, at=team_site.clock()) is not None
    first.post(f"/account/tokens/{kept.id}/revoke", data={"csrf": token})
    assert team_site.accounts.person_of_token(secret, at=team_site.clock()) is None
    for bad in ({"title": "x", "days": "0", "scopes": "read"}, {"title": "x", "scopes": "all"}, {"scopes": "read"}):
        assert first.post("/account/tokens", data={"csrf": token, **bad}).status_code == 422
    new = "another horse entirely"
    wrong = first.post("/account/password", data={"csrf": token, "password": "wrong", "new": new, "again": new})
    assert (wrong.status_code, "is not right" in wrong.text) == (422, True)
    right = first.post("/account/password", data={"csrf": token, "password": PASSWORD, "new": new, "again": new})
    assert right.status_code == 303
    assert first.get("/account").status_code == 200
    assert second.get("/account").status_code == 303
    assert first.post("/account/sessions", data={"csrf": csrf_of(first, "/account")}).status_code == 303
    assert first.get("/account").status_code == 200


def test_who_acts_is_who_signed_in(enter: Enter, team_site: Site) -> None:
    """A form field that names somebody else changes nothing: the ledger has the name of the login."""
    admin = enter("Ada Admin", Role.ADMIN)
    post(
        admin, "/accounts", name="Ben Reyes", author="Somebody Else", person="Somebody Else", evaluator="Somebody Else"
    )
    with open_ledger(team_site.ledger) as ledger:
        [entry] = ledger.entries(kind="account", subject="Ben Reyes")
    assert entry.author == "Ada Admin"
