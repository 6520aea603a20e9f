"""One request: who makes it, the ledger it reads, and how its page is rendered."""

import hashlib
import hmac
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from plumbrule.ledger import Ledger
from plumbrule.web.access.roles import EVERY_ROLE, Person
from plumbrule.web.access.sessions import ID_LENGTH, new_session_id
from plumbrule.web.kept_views import Made, View
from plumbrule.web.site import Site
from plumbrule.web.templates_environment import render_template
from plumbrule.web.visit_errors import ForbiddenError, TokenError, UnnamedError

T = TypeVar("T")

COOKIE = "plumbrule_session"
CSRF_FIELD, CSRF_HEADER = "csrf", "x-csrf-token"
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}
_BEARER = "bearer "


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A request with its person; pages take it as their first parameter."""

    request: Request = field(repr=False)
    site: Site
    person: Person | None
    session_id: str = field(repr=False)
    begun: float = field(default_factory=time.monotonic, repr=False)

    @property
    def now(self) -> datetime:
        """The moment to record and to count claims by."""
        return self.site.clock()

    @property
    def name(self) -> str:
        """The name that the ledger keeps for what this visit changes."""
        if self.person is None or self.person.name is None:
            raise UnnamedError
        return self.person.name

    @property
    def secure(self) -> bool:
        """Whether the browser reaches the application by HTTPS."""
        return self.site.https or self.request.url.scheme == "https"

    @property
    def csrf(self) -> str:
        """The token that a form of this session carries."""
        return csrf_token(self.site, self.session_id)

    def cookie(self, name: str) -> str:
        """Return a cookie that was set by ``set_cookie``; empty where there is none."""
        return self.request.cookies.get(cookie_name(self.site, self.request, name), "")

    def set_cookie(self, response: Response, name: str, value: str, *, lasts: timedelta | None = None) -> None:
        """Set a cookie that no script can read; without ``lasts`` it ends with the browser."""
        response.set_cookie(
            cookie_name(self.site, self.request, name),
            value,
            max_age=None if lasts is None else int(lasts.total_seconds()),
            httponly=True,
            secure=self.secure,
            samesite="lax",
        )

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        """Give the ledger, verified as it is read."""
        with self.site.ledgers.use(self.site.ledger) as ledger:
            yield ledger

    def recall(self, view: View[T]) -> Made[T]:
        """Return what takes long to work out; a page that only shows it waits no longer than the site has patience."""
        patience = self.site.patience_s
        if patience is None or self.request.method not in SAFE_METHODS:
            return self.site.views.get(view)
        return self.site.views.get(view, patience_s=max(0.0, self.begun + patience - time.monotonic()))

    def render(self, template: str, *, status: int = 200, **values: object) -> HTMLResponse:
        """Return a page."""
        page = render_template(template, visit=self, site=self.site, person=self.person, csrf=self.csrf, **values)
        response = HTMLResponse(page, status_code=status)
        keep_session(response, self)
        return response

    def redirect(self, address: str) -> RedirectResponse:
        """Send the browser on after a change, so that a reload repeats nothing; only to a page of this application."""
        if not address.startswith("/") or address.startswith(("//", "/\\")):
            address = "/"
        response = RedirectResponse(address, status_code=303)
        keep_session(response, self)
        return response


def csrf_token(site: Site, session_id: str) -> str:
    """Return the token that shows that a form came from a page of this session."""
    return hmac.new(site.store.secret("csrf"), session_id.encode(), hashlib.sha256).hexdigest()


def cookie_name(site: Site, request: Request, name: str = COOKIE) -> str:
    """Return the name of a cookie; by HTTPS it is one that no neighbouring host can set."""
    return f"__Host-{name}" if site.https or request.url.scheme == "https" else name


def keep_session(response: HTMLResponse | RedirectResponse, visit: Visit) -> None:
    """Give a new visitor the cookie of their session."""
    if visit.session_id and visit.cookie(COOKIE) != visit.session_id:
        visit.set_cookie(response, COOKIE, visit.session_id)


async def begin_visit(request: Request) -> Visit:
    """Find out who makes a request, and refuse a change that no page of this application asked for."""
    visit = await run_in_threadpool(_begun, request)
    person = visit.person
    by_token = person is not None and person.scopes is not None  # which no other site can make a browser send
    if request.method not in SAFE_METHODS and not by_token:
        await _check_origin(visit)
    return visit


def _begun(request: Request) -> Visit:
    """Return the visit of a request, with who makes it."""
    site: Site = request.app.state.site
    session_id = request.cookies.get(cookie_name(site, request)) or ""
    if len(session_id) != ID_LENGTH:
        session_id = new_session_id()
    person = _find_person(site, request, session_id) if site.team else _local_person(site)
    visit = Visit(request=request, site=site, person=person, session_id=session_id)
    request.state.visit = visit
    return visit


def unrouted_visit(request: Request) -> None:
    """Begin the visit of a request that no page takes, so that its answer has the navigation of who makes it."""
    with suppress(TokenError):
        if getattr(request.state, "visit", None) is None:
            _begun(request)


def failed_visit(request: Request) -> Visit:
    """Return the visit of a request that failed; nobody's where it failed before it was clear who makes it."""
    begun: Visit | None = getattr(request.state, "visit", None)
    if begun is not None:
        return begun
    site: Site = request.app.state.site
    return Visit(request=request, site=site, person=None if site.team else _local_person(site), session_id="")


def _local_person(site: Site) -> Person:
    return Person(name=site.local_person, roles=EVERY_ROLE)


def _find_person(site: Site, request: Request, session_id: str) -> Person | None:
    """Return whose API token was sent, else who is signed in."""
    given = request.headers.get("authorization", "")
    if given.lower().startswith(_BEARER):
        person = site.accounts.person_of_token(given[len(_BEARER) :].strip(), at=site.clock())
        if person is None:
            raise TokenError
        return person
    if cookie_name(site, request) not in request.cookies:
        return None
    return site.accounts.person_of_session(session_id, at=site.clock())


async def _check_origin(visit: Visit) -> None:
    """Refuse a change from another site, and one without the token of the session."""
    request = visit.request
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{'https' if visit.secure else 'http'}://{request.headers.get('host')}":
        raise ForbiddenError("This change was asked for by another site, and was not made.")
    kind = request.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() == "application/json":
        return  # no other site can send JSON here: a browser would ask first, and gets no leave
    token = request.headers.get(CSRF_HEADER)
    if token is None and kind.startswith(("multipart/", "application/x-www-form")):
        given = (await request.form()).get(CSRF_FIELD)
        token = given if isinstance(given, str) else None
    if token is None or not hmac.compare_digest(token.encode(), visit.csrf.encode()):
        raise ForbiddenError("This form is too old or not from this application. Reload its page and send it again.")


Visiting = Annotated[Visit, Depends(begin_visit)]
