"""Who may do what: the roles of people, and one person with theirs."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who uses the application, under the name that the ledger keeps."""

    name: str | None  # None: the local person has not said who they are, and can change nothing
    roles: frozenset[Role]

    def may(self, role: Role) -> bool:
        """Tell whether this person may do what asks for a role."""
        return role in {Role.PUBLIC, Role.VIEWER} or role in self.roles


EVERY_ROLE = frozenset(Role) - {Role.PUBLIC}
