"""Who may call what: every route of the application times every role, and no route that is not in the table."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.routing import Mount
from tests.web.conftest import PASSWORD, Enter, csrf_of

from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.application import all_routes, create_app
from plumbrule.web.routes import Routes, add_routes, need_of
from plumbrule.web.site import Site

TABLE = Path(__file__).parent / "routes.txt"
SAFE = {"GET", "HEAD"}
INLINE = re.compile(
    r'<script(?![^>]*\ssrc="/static/)[^>]*>|<style|<[^>]*\s(?:style|on\w+)=|href="javascript:', re.IGNORECASE
)


def every_route() -> Iterator[tuple[str, APIRoute]]:
    """Yield each route of the application with its method."""
    for routes in all_routes():
        for route in routes.routes:
            assert isinstance(route, APIRoute)
            for method in sorted(route.methods or ()):
                yield method, route


ROUTES = list(every_route())
NAMES = [f"{method} {route.path}" for method, route in ROUTES]
CHANGES = [(method, route) for method, route in ROUTES if method not in SAFE]


def address(route: APIRoute) -> str:
    """Return an address of a route, for a thing that does not exist."""
    path = re.sub(r"\{[^}]*:run\}", f"run-{'7' * 32}", route.path)
    return re.sub(r"\{[^}]*\}", "7", path)


def send(client: TestClient, method: str, route: APIRoute, headers: Mapping[str, str]) -> int:
    """Send a request without content, and return the status of its answer."""
    with client.stream(method, address(route), headers={"accept": "application/json", **headers}) as response:
        return response.status_code


def test_the_table_names_every_route() -> None:
    """A new route, or a role that is changed, is added to the table by hand: nothing is open by mistake."""
    served = set()
    for method, route in ROUTES:
        need = need_of(route)
        scope = "-" if need.role is Role.PUBLIC else need.scope(method) or "none"
        served.add(f"{method} {route.path} {need.role.replace(' ', '_')} {scope}")
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    written = {" ".join(line.split()) for line in lines}
    assert sorted(served - written) == [], "add these to the table, if that is who may use them"
    assert sorted(written - served) == [], "these are in the table and not served"


def test_nothing_else_is_served(team_site: Site) -> None:
    """Besides the routes of the table there are only the files of the application: no API console, no schema."""
    app = create_app(team_site)
    others = [route for route in app.routes if isinstance(route, APIRoute | Mount)]
    assert [getattr(route, "path", None) for route in others] == ["/static"]
    assert (app.docs_url, app.redoc_url, app.openapi_url) == (None, None, None)


def test_a_route_without_a_role_is_refused_when_the_application_starts() -> None:
    """What forgot its role cannot be served."""
    routes = Routes()
    routes.api_route("/forgotten", methods=["GET"])(lambda: "open to all")
    with pytest.raises(TypeError, match="/forgotten: a route must say which role it needs"):
        add_routes(FastAPI(), [routes])


class TestRoles:
    """Every route asks for the role in the table, before it looks at anything else."""

    def test_a_stranger_sees_nothing(self, enter: Enter) -> None:
        """Whoever is not signed in is asked to sign in by every route that is not public."""
        client = enter(None)
        token = csrf_of(client, "/sign-in")
        statuses = {
            name: send(client, method, route, {"x-csrf-token": token})
            for name, (method, route) in zip(NAMES, ROUTES, strict=True)
            if need_of(route).role is not Role.PUBLIC
        }
        assert {name: status for name, status in statuses.items() if status != 401} == {}

    @pytest.mark.parametrize("role", [role for role in Role if role is not Role.PUBLIC])
    def test_a_role_opens_its_own_routes(self, enter: Enter, role: Role) -> None:
        """Somebody with one role is refused by each route that asks for another, and by no route that asks for it."""
        client = enter("Robin Reader", role)
        enter("Ada Admin", Role.ADMIN)
        headers = {"accept": "application/json", "x-csrf-token": csrf_of(client, "/account")}
        wrong = {}
        for name, (method, route) in zip(NAMES, ROUTES, strict=True):
            needed = need_of(route).role
            if needed is Role.PUBLIC or route.path in {"/sign-out", "/account/sessions"}:  # which end the session
                continue
            response = client.request(method, address(route), headers=headers)
            refused = response.status_code == 403 and "This needs the role" in response.text
            if response.status_code == 401 or refused == (needed in {Role.VIEWER, role}):
                wrong[name] = response.status_code
        assert wrong == {}

    @pytest.mark.parametrize("scope", Scope)
    def test_a_token_needs_scope_and_role(self, enter: Enter, team_site: Site, scope: Scope) -> None:
        """A token opens what both its scope and its owner's roles open, and needs no CSRF token."""
        accounts = team_site.accounts
        enter("Robin Reader", Role.EVALUATOR)
        made = {"title": "CI", "scopes": [scope], "days": 1, "author": "Robin Reader", "at": team_site.clock()}
        client, bearer = enter(None), {"authorization": f"Bearer {accounts.make_token('Robin Reader', **made)}"}  # type: ignore[arg-type]
        wrong = {}
        for name, (method, route) in zip(NAMES, ROUTES, strict=True):
            need = need_of(route)
            if need.role is Role.PUBLIC:
                continue
            allowed = need.role in {Role.VIEWER, Role.EVALUATOR} and need.scope(method) is scope
            status = send(client, method, route, bearer)
            if status == 401 or (status == 403) == allowed:
                wrong[name] = status
        assert wrong == {}

    def test_nobody_is_more_than_their_roles(self, enter: Enter) -> None:
        """An administrator rates nothing, and an evaluator looks after no account."""
        assert enter("Ada Admin", Role.ADMIN).get("/accounts").status_code == 200
        assert enter("Eve Evaluator", Role.EVALUATOR).get("/accounts").status_code == 403


class TestForgery:
    """A change is made only where a page of this application asked for it."""

    def test_a_form_without_its_token_is_refused(self, enter: Enter) -> None:
        """Without the token of the session, and with the token of another session, nothing is changed."""
        client = enter("Ada Admin", *Role)
        other = csrf_of(enter(None), "/sign-in")
        for headers in ({}, {"x-csrf-token": "0" * 64}, {"x-csrf-token": other}):
            statuses = {f"{method} {route.path}": send(client, method, route, headers) for method, route in CHANGES}
            assert {name: status for name, status in statuses.items() if status != 403} == {}
        assert client.get("/accounts").status_code == 200  # still signed in, with the same roles

    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://testserver", "http://testserver:81"])
    def test_another_origin_is_refused(self, enter: Enter, origin: str) -> None:
        """A request that a browser sends for another site is refused, even with the right token."""
        client = enter("Ada Admin", *Role)
        headers = {"origin": origin, "x-csrf-token": csrf_of(client, "/accounts")}
        statuses = {f"{method} {route.path}": send(client, method, route, headers) for method, route in CHANGES}
        assert {name: status for name, status in statuses.items() if status != 403} == {}

    def test_its_own_origin_is_accepted(self, enter: Enter) -> None:
        """A browser names the origin of our own pages, too."""
        client = enter("Ada Admin", Role.ADMIN)
        headers = {"origin": "http://testserver", "x-csrf-token": csrf_of(client, "/accounts")}
        assert client.post("/sign-out", headers=headers).status_code == 303


def test_every_page_is_protected(enter: Enter) -> None:
    """No page has an inline script or style, no page is framed or cached, and no foreign name reaches one."""
    signed_in, stranger = enter("Ada Admin", *Role), enter(None)
    for route in (route for method, route in ROUTES if method == "GET"):
        for client in (signed_in, stranger):
            response = client.get(address(route))
            policy = response.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-store"
            if response.headers.get("content-type", "").startswith("text/html"):
                assert INLINE.findall(response.text) == [], route.path
        assert signed_in.get(address(route), headers={"host": "evil.example"}).status_code == 421


def test_a_fault_of_ours_is_protected_too(enter: Enter, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of an error that nobody expected has the same headers, and says nothing of the error."""
    client = enter("Ada Admin", Role.ADMIN)

    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("the secret text of a record")

    monkeypatch.setattr("plumbrule.web.access.accounts.Accounts.all", fail)
    response = client.get("/accounts")
    assert response.status_code == 500
    assert "script-src 'self'" in response.headers["content-security-policy"]
    assert "secret text" not in response.text


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "\\\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "http:evil.example",
        " //evil.example",
        "evil.example",
    ],
)
def test_a_redirect_stays_here(enter: Enter, target: str) -> None:
    """Whatever page somebody was told to go on to, they stay at this site."""
    client = enter(None)
    enter("Ada Admin", Role.ADMIN)
    answers = [
        client.post(
            "/sign-in",
            data={"name": "Ada Admin", "password": PASSWORD, "next": target, "csrf": csrf_of(client, "/sign-in")},
        ),
        client.get("/sign-in", params={"next": target}),
    ]
    for response in answers:
        assert response.status_code == 303
        location = response.headers["location"]
        assert re.match(r"/(?![/\\\t])", location), location
        assert not re.search(r"[\s\\]", location)


HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><b>" + "x" * 100_000
MARKUP = re.compile("<script>alert|<img src=x")


def fields_of(route: APIRoute) -> set[str]:
    """Return the names of everything that a route takes from a form or from the address."""
    return {field.alias for field in (*route.dependant.body_params, *route.dependant.query_params)}


def test_hostile_text_is_shown_as_text(enter: Enter) -> None:
    """HTML, script and 100,000 characters in every field of every route are text: never markup, never a fault."""
    client = enter("Ada Admin", *Role)
    wrong = {}
    for name, (method, route) in zip(NAMES, ROUTES, strict=True):
        if route.path == "/sign-out":  # which has no field, and ends the session
            continue
        for form in (dict.fromkeys(fields_of(route), HOSTILE), dict.fromkeys(fields_of(route), HOSTILE[:60])):
            query = {field: value[:2000] for field, value in form.items()}
            sent = {"params": query} if method == "GET" else {"data": form}
            headers = {"x-csrf-token": csrf_of(client, "/account")}  # each time: some routes begin another session
            response = client.request(method, address(route), headers=headers, **sent)  # type: ignore[arg-type]
            html = response.headers.get("content-type", "").startswith("text/html")
            refused = response.status_code in {401, 403} and need_of(route).role is not Role.PUBLIC
            if refused or response.status_code >= 500 or (html and MARKUP.search(response.text)):
                wrong[name] = response.status_code
    assert wrong == {}
    assert client.get("/account").status_code == 200


def test_a_hostile_address_is_shown_as_text(enter: Enter) -> None:
    """What somebody puts into the path of a page is text, too."""
    client = enter("Ada Admin", *Role)
    wrong = {}
    for name, (method, route) in zip(NAMES, ROUTES, strict=True):
        if method == "GET" and "{" in route.path:
            for text in ("%3Cscript%3Ealert(1)%3C%2Fscript%3E", "..%2f..%2fetc", "%00", "x" * 5000, "-1", "9" * 40):
                response = client.get(re.sub(r"\{[^}]*\}", text, route.path))
                html = response.headers.get("content-type", "").startswith("text/html")
                if response.status_code >= 500 or (html and MARKUP.search(response.text)):
                    wrong[f"{name} {text[:20]}"] = response.status_code
    assert wrong == {}


@pytest.mark.parametrize("page", ["/", "/runs", "/jobs", "/campaigns", "/monitoring", "/feedback", "/incidents"])
def test_an_empty_page_offers_only_what_its_visitor_may_do(enter: Enter, page: str) -> None:
    """What to do first is a link for whoever may do it; for a viewer it is said who can."""
    shown = enter("Vera", Role.VIEWER).get(page).text
    assert "/campaigns/new" not in shown
    assert "/runs/new" not in shown
