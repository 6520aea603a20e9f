"""Routes that say which role they need; one without a role is a fault of the application, found when it starts."""

from collections.abc import Callable, Iterable
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from plumbrule.web.roles import Role
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import ForbiddenError, SignInError

Handler = Callable[..., Any]
Declared = Callable[[Handler], Handler]


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

    def call(self, path: str, *, role: Role, method: str = "GET", **options: Any) -> Declared:  # noqa: ANN401 - FastAPI's own
        """Declare a call of the JSON API."""
        return self.api_route(path, methods=[method], dependencies=[Depends(Need(role))], **options)

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
