"""One's own account: password, sessions, API tokens."""

from typing import Annotated

from fastapi import Form
from fastapi.responses import HTMLResponse, Response

from plumbrule.errors import UsageError
from plumbrule.web.access.accounts import Account
from plumbrule.web.access.api_tokens import LONGEST_DAYS
from plumbrule.web.access.passwords import SHORTEST
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.access.sessions import is_session
from plumbrule.web.access.sign_in_throttle import ThrottledError
from plumbrule.web.pages.sign_in import check_pair, check_password, enter
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()

Field = Annotated[str, Form()]
_WRONG = "The password that you have now is not right."
_SCOPES = {
    Scope.READ: "Read: see whatever you may see",
    Scope.RUN: "Run: start, stop and resume runs",
    Scope.REVIEW: "Review: rate, adjudicate, open and close campaigns",
}


@routes.page("/account", role=Role.VIEWER)
def show_account(visit: Visiting) -> HTMLResponse:
    """Show the account of whoever is signed in."""
    return _show(visit)


@routes.action("/account/password", role=Role.VIEWER)
def set_password(visit: Visiting, password: Field = "", new: Field = "", again: Field = "") -> Response:
    """Change the password; every other session ends."""
    account = _own(visit)
    try:
        if check_password(visit, account.name, password) is None:
            return _show(visit, status=422, password_problem=_WRONG)
        check_pair(password, new, again)
        account = visit.site.accounts.set_password(
            account.name, new, author=account.name, at=visit.now, must_change=False
        )
    except ThrottledError as error:
        return _show(visit, status=429, password_problem=str(error))
    except UsageError as error:
        return _show(visit, status=422, password_problem=str(error))
    return enter(visit, account, "/account")


@routes.action("/account/sessions", role=Role.VIEWER)
def end_sessions(visit: Visiting) -> Response:
    """Sign out everywhere, and in again here."""
    account = _own(visit)
    visit.site.accounts.end_sessions(account.name, author=account.name, at=visit.now)
    return enter(visit, account, "/account")


@routes.action("/account/tokens", role=Role.VIEWER)
def make_token(
    visit: Visiting,
    title: Field = "",
    scopes: Annotated[list[str] | None, Form()] = None,
    days: Field = "90",
) -> Response:
    """Make an API token, and show it this once."""
    account = _own(visit)
    try:
        chosen = [Scope(scope) for scope in scopes or ()]
        number = int(days) if days.isdecimal() and len(days) < 6 else 0
        token = visit.site.accounts.make_token(
            account.name, title=title, scopes=chosen, days=number, author=account.name, at=visit.now
        )
    except ValueError:
        return _show(visit, status=422, token_problem="There is no such scope.", title=title)  # noqa: S106 - a message
    except UsageError as error:
        return _show(visit, status=422, token_problem=str(error), title=title)
    return _show(visit, status=201, token=token)


@routes.action("/account/tokens/{number}/revoke", role=Role.VIEWER)
def revoke_token(visit: Visiting, number: int) -> Response:
    """End an API token."""
    account = _own(visit)
    visit.site.accounts.revoke_token(account.name, number, author=account.name, at=visit.now)
    return visit.redirect("/account")


def _own(visit: Visit) -> Account:
    number = None if visit.person is None else visit.person.account
    account = None if number is None else visit.site.accounts.get(number)
    if account is None:
        raise AbsentError("There are no accounts here: they are for a site that is served with --team.")
    return account


def _show(
    visit: Visit,
    *,
    status: int = 200,
    password_problem: str | None = None,
    token_problem: str | None = None,
    token: str | None = None,
    title: str = "",
) -> HTMLResponse:
    account = _own(visit)
    sessions = visit.site.accounts.sessions(account.id, at=visit.now)
    return visit.render(
        "account.html",
        status=status,
        account=account,
        sessions=[(session, is_session(session, visit.session_id)) for session in sessions],
        tokens=visit.site.accounts.tokens(account.id),
        now=visit.now,
        scopes=_SCOPES,
        longest_days=LONGEST_DAYS,
        shortest=SHORTEST,
        password_problem=password_problem,
        token_problem=token_problem,
        token=token,
        title=title,
    )
