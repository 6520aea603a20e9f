"""Signing in and out: with a password, or at an OpenID Connect provider."""

from dataclasses import replace
from datetime import timedelta
from typing import Annotated

from fastapi import Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.web.access.accounts import Account
from plumbrule.web.access.openid_connect import (
    TIME_TO_SIGN_IN,
    account_of,
    begin_flow,
    find_identity,
    provider_address,
    read_flow,
)
from plumbrule.web.access.passwords import SHORTEST
from plumbrule.web.access.roles import Role
from plumbrule.web.access.sessions import new_session_id
from plumbrule.web.access.sign_in_throttle import (
    Attempt,
    ThrottledError,
    attempt_of,
    begin_attempt,
    device_cookie,
    end_attempt,
)
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()

DEVICE, FLOW = "plumbrule_device", "plumbrule_sign_in"
_WRONG = "The name or the password is not right."
_KNOWN_FOR = timedelta(days=365)  # how long a browser is known as one that somebody signed in with
_LONGEST = 300  # characters of a name that is looked up

Next = Annotated[str, Query(alias="next")]
NextField = Annotated[str, Form(alias="next")]
Field = Annotated[str, Form()]


@routes.page("/sign-in", role=Role.PUBLIC)
def show_sign_in(visit: Visiting, next_page: Next = "/") -> Response:
    """Ask who it is."""
    if visit.person is not None:
        return visit.redirect(next_page)
    return _ask(visit, next_page=next_page)


@routes.action("/sign-in", role=Role.PUBLIC)
def sign_in(visit: Visiting, name: Field = "", password: Field = "", next_page: NextField = "/") -> Response:
    """Begin a session for whoever knows the password."""
    if not visit.site.team:
        return visit.redirect("/")
    try:
        account = check_password(visit, name, password)
    except ThrottledError as error:
        return _wait(_ask(visit, next_page=next_page, name=name, problem=str(error), status=error.status), error)
    if account is None:
        return _ask(visit, next_page=next_page, name=name, problem=_WRONG, status=401)
    if account.must_change:
        return _ask_new(visit, next_page=next_page, name=account.name)
    return enter(visit, account, next_page)


@routes.action("/sign-in/new-password", role=Role.PUBLIC)
def change_password(
    visit: Visiting,
    name: Field = "",
    password: Field = "",
    new: Field = "",
    again: Field = "",
    next_page: NextField = "/",
) -> Response:
    """Replace a password that somebody else gave, and begin a session."""
    if not visit.site.team:
        return visit.redirect("/")

    def ask(problem: str, status: int) -> HTMLResponse:
        return _ask_new(visit, next_page=next_page, name=name, problem=problem, status=status)

    try:
        account = check_password(visit, name, password)
    except ThrottledError as error:
        return _wait(ask(str(error), error.status), error)
    if account is None:
        return ask("The password that you were given is not right.", 401)
    try:
        check_pair(password, new, again)
        account = visit.site.accounts.set_password(
            account.name, new, author=account.name, at=visit.now, must_change=False
        )
    except UsageError as error:
        return ask(str(error), 422)
    return enter(visit, account, next_page)


def _ask_new(visit: Visit, *, next_page: str, name: str, problem: str | None = None, status: int = 200) -> HTMLResponse:
    """Ask for a password of one's own."""
    return visit.render(
        "new_password.html", status=status, name=name, next=next_page, problem=problem, shortest=SHORTEST
    )


@routes.page("/sign-in/provider", role=Role.PUBLIC)
def go_to_provider(visit: Visiting, next_page: Next = "/") -> Response:
    """Send the browser to the OpenID Connect provider."""
    provider = visit.site.provider
    if provider is None:
        raise AbsentError("People do not sign in at a provider here.")
    flow = begin_flow(visit.site.store, next_page=next_page, at=visit.now)
    try:
        address = provider_address(provider, flow, callback=_callback(visit))
    except PlumbruleError as error:
        return _ask(visit, next_page=next_page, problem=f"Signing in did not work: {error}", status=503)
    response = RedirectResponse(address, status_code=303)
    visit.set_cookie(response, FLOW, flow.cookie, lasts=TIME_TO_SIGN_IN)
    return response


@routes.page("/sign-in/callback", role=Role.PUBLIC)
def return_from_provider(visit: Visiting, code: str = "", state: str = "", error: str = "") -> Response:
    """Begin a session for whomever the provider signed in."""
    provider = visit.site.provider
    if provider is None:
        raise AbsentError("People do not sign in at a provider here.")
    try:
        flow = read_flow(visit.site.store, visit.cookie(FLOW), state=state, at=visit.now)
        if error or not code:
            return _ask(visit, next_page=flow.next, problem="The provider did not sign you in.", status=401)
        identity = find_identity(provider, flow, code=code, callback=_callback(visit), at=visit.now)
        account = account_of(visit.site.accounts, provider, identity, at=visit.now)
    except PlumbruleError as problem:
        return _ask(visit, next_page="/", problem=f"Signing in did not work: {problem}", status=401)
    response = enter(visit, account, flow.next)
    visit.set_cookie(response, FLOW, "", lasts=timedelta(0))
    return response


@routes.action("/sign-out", role=Role.VIEWER)
def sign_out(visit: Visiting) -> Response:
    """End the session."""
    if not visit.site.team:
        return visit.redirect("/")
    visit.site.accounts.sign_out(visit.session_id)
    return replace(visit, person=None, session_id=new_session_id()).redirect("/sign-in")


def check_password(visit: Visit, name: str, password: str) -> Account | None:
    """Return whose password it is, or None; whoever guesses is slowed down."""
    attempt = _attempt(visit, name)
    begin_attempt(visit.site.store, attempt, at=visit.now)
    account = visit.site.accounts.check_password(name[:_LONGEST], password)
    if account is not None:
        end_attempt(visit.site.store, attempt)
    return account


def check_pair(old: str, new: str, again: str) -> None:
    """Refuse a new password that was mistyped or is the old one."""
    if new != again:
        raise UsageError("the new password and its repetition differ")
    if new == old:
        raise UsageError("the new password is the old one")


def enter(visit: Visit, account: Account, next_page: str) -> RedirectResponse:
    """Begin a session under a new id, whatever id the browser came with."""
    browser = visit.request.headers.get("user-agent", "")
    session_id = visit.site.accounts.sign_in(account, browser=browser, at=visit.now)
    response = replace(visit, person=account.person, session_id=session_id).redirect(next_page)
    visit.set_cookie(response, DEVICE, device_cookie(visit.site.store, account.name), lasts=_KNOWN_FOR)
    return response


def _attempt(visit: Visit, name: str) -> Attempt:
    client = visit.request.client
    address = "" if client is None else client.host
    return attempt_of(visit.site.store, name[:_LONGEST], address=address, device=visit.cookie(DEVICE)[:200])


def _ask(
    visit: Visit, *, next_page: str, name: str = "", problem: str | None = None, status: int = 200
) -> HTMLResponse:
    return visit.render("sign_in.html", status=status, next=next_page, name=name, problem=problem)


def _wait(response: HTMLResponse, error: ThrottledError) -> HTMLResponse:
    response.headers["retry-after"] = str(error.wait_s)
    return response


def _callback(visit: Visit) -> str:
    scheme = "https" if visit.secure else "http"
    return f"{scheme}://{visit.request.headers['host']}/sign-in/callback"
