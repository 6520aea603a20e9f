"""Who may do what: the roles of people, the scopes of API tokens, and one person with theirs."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a page or an action asks for; everyone who is signed in may view."""

    PUBLIC = "public"  # nobody need be signed in
    VIEWER = "viewer"
    EVALUATOR = "evaluator"
    ADJUDICATOR = "adjudicator"
    RELEASE_MANAGER = "release manager"
    ADMIN = "admin"


class Scope(StrEnum):
    """What an API token may be used for, within the roles of its owner."""

    READ = "read"  # see whatever the owner may see
    RUN = "run"  # start, stop and resume runs
    REVIEW = "review"  # rate, adjudicate, open and close campaigns


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who uses the application, under the name that the ledger keeps."""

    name: str | None  # None: the local person has not said who they are, and can change nothing
    roles: frozenset[Role]
    account: int | None = None  # the number of their account; None for the local person
    scopes: frozenset[Scope] | None = None  # of the API token that was sent; None: they are signed in

    def may(self, role: Role) -> bool:
        """Tell whether this person may do what asks for a role."""
        return role in {Role.PUBLIC, Role.VIEWER} or role in self.roles


EVERY_ROLE = frozenset(Role) - {Role.PUBLIC}
