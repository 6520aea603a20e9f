"""The application put together: its routes, its guard, and what a visitor sees where something fails."""

import logging
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import as_file, files
from pkgutil import iter_modules
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from plumbrule._version import __version__
from plumbrule.codec import json_line
from plumbrule.errors import PlumbruleError
from plumbrule.ledger import ArchivedError, LedgerError
from plumbrule.web import json_api, pages
from plumbrule.web.addresses import with_query
from plumbrule.web.kept_views import BeingMadeError
from plumbrule.web.routes import Problem, Routes, add_routes
from plumbrule.web.site import Site
from plumbrule.web.traffic.proxy_headers import ProxyHeaders
from plumbrule.web.traffic.request_guard import PROTECTION, RequestGuard
from plumbrule.web.traffic.request_log import RequestLog, route_of
from plumbrule.web.traffic.request_metrics import RequestMetrics
from plumbrule.web.views.run_address import run_address
from plumbrule.web.visit import failed_visit, unrouted_visit
from plumbrule.web.visit_errors import SignInError, TokenError, VisitError, visitor_words

_log = logging.getLogger("plumbrule.web")
_LOOK_AGAIN_S = 2
_TITLES = {
    401: "Sign in",
    403: "You may not do this",
    404: "There is no such page",
    405: "This page cannot do that",
    409: "Somebody else was first",
    410: "This is archived",
    422: "Something in the address or the form cannot be read",
}
_WRONG = {"int_parsing": "a whole number is needed", "float_parsing": "a number is needed", "missing": "it is missing"}


def create_app(site: Site) -> FastAPI:
    """Return the application of a site."""
    app = FastAPI(
        title="Plumbrule",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        separate_input_output_schemas=False,
    )
    app.state.site = site
    app.state.metrics = RequestMetrics()
    add_routes(app, all_routes())
    site.store.make_tables()
    with as_file(files("plumbrule.web") / "static") as folder:
        app.mount("/static", StaticFiles(directory=folder), name="static")
    app.add_exception_handler(BeingMadeError, _ask_to_wait)
    app.add_exception_handler(VisitError, _refuse)
    app.add_exception_handler(PlumbruleError, _explain)
    app.add_exception_handler(HTTPException, _miss)
    app.add_exception_handler(RequestValidationError, _misunderstand)
    app.add_exception_handler(Exception, _fail)
    app.add_middleware(RequestGuard, hosts=site.hosts)
    app.add_middleware(RequestLog, metrics=app.state.metrics)
    app.add_middleware(ProxyHeaders, proxies=site.proxies)  # the first that a request meets
    return app


def all_routes() -> Iterator[Routes]:
    """Give the routes of every module of pages and of the JSON API, in the order of their names."""
    for package in (pages, json_api):
        for module in sorted(iter_modules(package.__path__), key=lambda each: each.name):
            yield import_module(f"{package.__name__}.{module.name}").routes


def _ask_to_wait(request: Request, error: Exception) -> Response:
    """Say that a page is being worked out; the browser asks for it again by itself."""
    if _wants_json(request):
        response = _tell(request, BeingMadeError.status, str(error))
    else:
        address = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        response = failed_visit(request).render("being_made.html", status=BeingMadeError.status, address=address)
        response.headers["refresh"] = str(_LOOK_AGAIN_S)
    response.headers["retry-after"] = str(_LOOK_AGAIN_S)
    return response


def _refuse(request: Request, error: Exception) -> Response:
    if isinstance(error, SignInError) and request.method == "GET" and not _wants_json(request):
        page = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        return RedirectResponse(with_query("/sign-in", {"next": page}), status_code=303)
    status = error.status if isinstance(error, VisitError) else 400
    response = _tell(request, status, visitor_words(error), title=error.title if isinstance(error, VisitError) else "")
    if isinstance(error, SignInError | TokenError):
        response.headers["www-authenticate"] = "Bearer"
    return response


def _explain(request: Request, error: Exception) -> Response:
    """Show a mistake that the visitor can mend, or a ledger that cannot be read, in the words of the command line."""
    if isinstance(error, ArchivedError):
        return _tell(
            request, 410, visitor_words(error), link=(run_address(error.run), "See its decision and its figures")
        )
    return _tell(request, 503 if isinstance(error, LedgerError) else 400, visitor_words(error))


def _miss(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = error.detail if isinstance(error, HTTPException) else ""
    unrouted_visit(request)
    return _tell(request, status, f"Nothing is at {request.url.path}." if status == 404 else words)


def _misunderstand(request: Request, error: Exception) -> Response:
    problems = error.errors() if isinstance(error, RequestValidationError) else []
    words = "; ".join(f"{'.'.join(str(part) for part in each['loc'][1:])}: {_wrong(each)}" for each in problems[:5])
    return _tell(request, 422, words or "the request was not understood")


def _wrong(problem: Mapping[str, Any]) -> str:
    """Return what is wrong with a value that was sent, in plain words where they are known."""
    words: str = _WRONG.get(problem["type"], problem["msg"])
    return words


def _fail(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, route_of(request.scope), exc_info=error)
    response = _tell(request, 500, "The fault is ours; the server's log has the details. Nothing was half-written.")
    response.headers.update(PROTECTION)  # it is answered outside the guard
    return response


def _tell(
    request: Request, status: int, message: str, *, title: str = "", link: tuple[str, str] | None = None
) -> Response:
    if _wants_json(request):
        return Response(json_line(Problem(status=status, error=message)), status, media_type="application/json")
    title = title or _TITLES.get(status, "That did not work" if status < 500 else "This page cannot be shown now")
    return failed_visit(request).render("error.html", status=status, title=title, message=message, link=link)


def _wants_json(request: Request) -> bool:
    return request.url.path.startswith("/api/") or "application/json" in request.headers.get("accept", "")
