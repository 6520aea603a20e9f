"""Routes that say which role they need; one without a role is a fault of the application, found when it starts."""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.responses import HTMLResponse, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from plumbrule.codec import json_line
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.visit import SAFE_METHODS, Visiting
from plumbrule.web.visit_errors import ForbiddenError, SignInError

API = "/api/v1"
PYTHON = "x-python"  # the key of an example in the description of a call

Handler = Callable[..., Any]
Declared = Callable[[Handler], Handler]

_REVIEWING = {Role.EVALUATOR, Role.ADJUDICATOR, Role.RELEASE_MANAGER}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a call of the JSON API answers where it fails."""

    status: int
    error: str


class Need:
    """The role that a route asks for, and the scope that an API token needs besides."""

    def __init__(self, role: Role, scope: Scope | None = None) -> None:
        self.role = role
        self._scope = scope

    def __call__(self, visit: Visiting) -> None:
        """Refuse a visitor who lacks the role, and an API token that lacks the scope."""
        if self.role is Role.PUBLIC:
            return
        if visit.person is None:
            raise SignInError
        if not visit.person.may(self.role):
            raise ForbiddenError(f"This needs the role {self.role}; an administrator can give it to you.")
        scopes, scope = visit.person.scopes, self.scope(visit.request.method)
        if scopes is not None and (scope is None or scope not in scopes):
            needed = "no API token may do it" if scope is None else f"it needs the scope {scope}"
            raise ForbiddenError(f"This API token may not do this: {needed}.")

    def scope(self, method: str) -> Scope | None:
        """Return the scope that a token needs: as the route says, else by its role; None where no token will do."""
        if self._scope is not None or self.role is Role.ADMIN:
            return self._scope
        if method in SAFE_METHODS:
            return Scope.READ
        return Scope.REVIEW if self.role in _REVIEWING else None


class Routes(APIRouter):
    """The routes of one module."""

    def page(self, path: str, *, role: Role, scope: Scope | None = None) -> Declared:
        """Declare a page that is read."""
        return self._declare(path, "GET", Need(role, scope))

    def action(self, path: str, *, role: Role, scope: Scope | None = None) -> Declared:
        """Declare what a form on a page does."""
        return self._declare(path, "POST", Need(role, scope))

    def call(
        self,
        path: str,
        *,
        role: Role,
        result: Any,  # noqa: ANN401 - a type
        method: str = "GET",
        scope: Scope | None = None,
        python: str | None = None,
    ) -> Declared:
        """Declare a call of the JSON API, whose handler returns a typed ``result``.

        ``python`` is an example of the same call by ``plumbrule.connect``, which the description of the API shows.
        """
        need = Need(role, scope)

        def declare(handler: Handler) -> Handler:
            @functools.wraps(handler)
            def answer(*given: Any, **named: Any) -> Response:  # noqa: ANN401 - what the handler takes
                return Response(json_line(handler(*given, **named)), media_type="application/json")

            self.api_route(
                f"{API}{path}",
                methods=[method],
                dependencies=[Depends(need)],
                response_model=result,
                responses={"default": {"model": Problem, "description": "Why it was not done"}},
                description=f"{handler.__doc__ or ''} Needs the role {role}; a token, the scope {need.scope(method)}.",
                openapi_extra=None if python is None else {PYTHON: f"server.{python}"},
            )(answer)
            return handler

        return declare

    def _declare(self, path: str, method: str, need: Need) -> Declared:
        return self.api_route(
            path,
            methods=[method],
            dependencies=[Depends(need)],
            response_class=HTMLResponse,
            response_model=None,
            include_in_schema=False,
        )


def need_of(route: BaseRoute) -> Need:
    """Return what a route asks for."""
    if isinstance(route, APIRoute):
        for dependency in route.dependencies:
            if isinstance(dependency.dependency, Need):
                return dependency.dependency
    raise TypeError(f"{getattr(route, 'path', route)}: a route must say which role it needs")


def add_routes(app: FastAPI, modules: Iterable[Routes]) -> None:
    """Add the routes of every module, each of which must name its role."""
    for routes in modules:
        for route in routes.routes:
            need_of(route)
        app.include_router(routes)
