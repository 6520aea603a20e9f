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
from plumbrule.web.roles import Role
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import ForbiddenError, SignInError

API = "/api/v1"

Handler = Callable[..., Any]
Declared = Callable[[Handler], Handler]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a call of the JSON API answers where it fails."""

    status: int
    error: str


class Need:
    """The role that a route asks for."""

    def __init__(self, role: Role) -> None:
        self.role = role

    def __call__(self, visit: Visiting) -> None:
        """Refuse a visitor who lacks the role; an action also needs a name to keep in the ledger."""
        if self.role is Role.PUBLIC:
            return
        if visit.person is None:
            raise SignInError
        if not visit.person.may(self.role):
            raise ForbiddenError(f"This needs the role {self.role}; an administrator can give it to you.")


class Routes(APIRouter):
    """The routes of one module."""

    def page(self, path: str, *, role: Role) -> Declared:
        """Declare a page that is read."""
        return self._declare(path, "GET", role)

    def action(self, path: str, *, role: Role) -> Declared:
        """Declare what a form on a page does."""
        return self._declare(path, "POST", role)

    def call(self, path: str, *, role: Role, result: Any, method: str = "GET") -> Declared:  # noqa: ANN401 - a type
        """Declare a call of the JSON API, whose handler returns a typed ``result``."""

        def declare(handler: Handler) -> Handler:
            @functools.wraps(handler)
            def answer(*given: Any, **named: Any) -> Response:  # noqa: ANN401 - what the handler takes
                return Response(json_line(handler(*given, **named)), media_type="application/json")

            self.api_route(
                f"{API}{path}",
                methods=[method],
                dependencies=[Depends(Need(role))],
                response_model=result,
                responses={"default": {"model": Problem, "description": "Why it was not done"}},
                description=f"{handler.__doc__ or ''} Needs the role {role}.",
            )(answer)
            return handler

        return declare

    def _declare(self, path: str, method: str, role: Role) -> Declared:
        return self.api_route(
            path,
            methods=[method],
            dependencies=[Depends(Need(role))],
            response_class=HTMLResponse,
            response_model=None,
            include_in_schema=False,
        )


def role_of(route: BaseRoute) -> Role:
    """Return the role that a route asks for."""
    if isinstance(route, APIRoute):
        for dependency in route.dependencies:
            if isinstance(dependency.dependency, Need):
                return dependency.dependency.role
    raise TypeError(f"{getattr(route, 'path', route)}: a route must say which role it needs")


def add_routes(app: FastAPI, modules: Iterable[Routes]) -> None:
    """Add the routes of every module, each of which must name its role."""
    for routes in modules:
        for route in routes.routes:
            role_of(route)
        app.include_router(routes)
