"""The accounts of everybody, for administrators."""

from typing import Annotated

from fastapi import Form
from fastapi.responses import HTMLResponse, Response

from plumbrule.errors import UsageError
from plumbrule.ledger import escaped
from plumbrule.web.access.accounts import GRANTED, Account, read_account_change
from plumbrule.web.access.passwords import make_password
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError, ConflictError

routes = Routes()

Roles = Annotated[list[str] | None, Form()]
_ROLES = {
    Role.VIEWER: "sees every page",
    Role.EVALUATOR: "rates items",
    Role.ADJUDICATOR: "decides where evaluators disagree",
    Role.RELEASE_MANAGER: "starts runs, opens and closes campaigns, decides on releases",
    Role.ADMIN: "looks after accounts",
}
_MOST_CHANGES = 50


@routes.page("/accounts", role=Role.ADMIN)
def show_accounts(visit: Visiting) -> HTMLResponse:
    """Show every account."""
    return _list(visit)


@routes.action("/accounts", role=Role.ADMIN)
def add_account(visit: Visiting, name: Annotated[str, Form()] = "", roles: Roles = None) -> Response:
    """Make an account with a password that is shown this once, and good only to choose another."""
    _check_team(visit)
    password = make_password()
    try:
        account = visit.site.accounts.add(
            name, roles=_chosen(roles), password=password, must_change=True, author=visit.name, at=visit.now
        )
    except UsageError as error:
        return _list(visit, status=422, problem=str(error), name=name, chosen=roles or [])
    return _show(visit, account.id, status=201, password=password)


@routes.page("/accounts/{number}", role=Role.ADMIN)
def show_one(visit: Visiting, number: int) -> HTMLResponse:
    """Show one account and what was changed on it."""
    return _show(visit, number)


@routes.action("/accounts/{number}/roles", role=Role.ADMIN)
def set_roles(visit: Visiting, number: int, roles: Roles = None) -> Response:
    """Give an account other roles."""
    account = _get(visit, number)
    try:
        visit.site.accounts.set_roles(account.name, _chosen(roles), author=visit.name, at=visit.now)
    except UsageError as error:
        return _show(visit, number, status=409, problem=str(error))
    return visit.redirect(f"/accounts/{number}")


@routes.action("/accounts/{number}/disable", role=Role.ADMIN)
def disable(visit: Visiting, number: int) -> Response:
    """Keep somebody out."""
    account = _get(visit, number)
    try:
        visit.site.accounts.set_disabled(account.name, disabled=True, author=visit.name, at=visit.now)
    except UsageError as error:
        return _show(visit, number, status=409, problem=str(error))
    return visit.redirect(f"/accounts/{number}")


@routes.action("/accounts/{number}/enable", role=Role.ADMIN)
def enable(visit: Visiting, number: int) -> Response:
    """Let somebody in again."""
    visit.site.accounts.set_disabled(_get(visit, number).name, disabled=False, author=visit.name, at=visit.now)
    return visit.redirect(f"/accounts/{number}")


@routes.action("/accounts/{number}/password", role=Role.ADMIN)
def reset_password(visit: Visiting, number: int) -> Response:
    """Give an account a password that is shown this once, and good only to choose another."""
    account = _get(visit, number)
    password = make_password()
    try:
        visit.site.accounts.set_password(account.name, password, author=visit.name, at=visit.now, must_change=True)
    except UsageError as error:
        return _show(visit, number, status=409, problem=str(error))
    return _show(visit, number, status=201, password=password)


@routes.action("/accounts/{number}/sessions", role=Role.ADMIN)
def end_sessions(visit: Visiting, number: int) -> Response:
    """Sign somebody out everywhere."""
    visit.site.accounts.end_sessions(_get(visit, number).name, author=visit.name, at=visit.now)
    return visit.redirect(f"/accounts/{number}")


@routes.action("/accounts/{number}/tokens/{token}/revoke", role=Role.ADMIN)
def revoke_token(visit: Visiting, number: int, token: int) -> Response:
    """End an API token of somebody."""
    visit.site.accounts.revoke_token(_get(visit, number).name, token, author=visit.name, at=visit.now)
    return visit.redirect(f"/accounts/{number}")


def _check_team(visit: Visit) -> None:
    if not visit.site.team:
        raise ConflictError("This site has one local person and no accounts: serve it with --team.")


def _chosen(roles: list[str] | None) -> list[Role]:
    known = {role.value: role for role in GRANTED}
    unknown = [role for role in roles or () if role not in known]
    if unknown:
        raise UsageError("there is no such role")
    return [known[role] for role in roles or ()]


def _get(visit: Visit, number: int) -> Account:
    account = visit.site.accounts.get(number) if 0 < number < 2**31 else None
    if account is None:
        raise AbsentError("There is no such account.")
    return account


def _list(
    visit: Visit, *, status: int = 200, problem: str | None = None, name: str = "", chosen: list[str] | None = None
) -> HTMLResponse:
    accounts = visit.site.accounts.all()
    return visit.render(
        "accounts.html",
        status=status,
        accounts=accounts,
        signed_in={account.id: len(visit.site.accounts.sessions(account.id, at=visit.now)) for account in accounts},
        roles=_ROLES,
        granted=GRANTED,
        problem=problem,
        name=name,
        chosen=chosen or [],
    )


def _show(
    visit: Visit, number: int, *, status: int = 200, problem: str | None = None, password: str | None = None
) -> HTMLResponse:
    account = _get(visit, number)
    with visit.ledger() as ledger:
        entries = list(ledger.entries(kind="account", subject=escaped(account.name)))[-_MOST_CHANGES:]
    return visit.render(
        "account_detail.html",
        status=status,
        account=account,
        sessions=visit.site.accounts.sessions(account.id, at=visit.now),
        tokens=visit.site.accounts.tokens(account.id),
        changes=[(entry, read_account_change(entry)) for entry in reversed(entries)],
        roles=_ROLES,
        granted=GRANTED,
        now=visit.now,
        problem=problem,
        password=password,
    )
