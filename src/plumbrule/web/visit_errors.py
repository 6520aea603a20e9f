"""Why a request is refused, each with its status; the message is for the visitor."""

import re
from typing import ClassVar

_LEDGER = re.compile(r"^(sqlite|postgresql)\S*://\S*: ")  # where it is: of use at the command line, not to a visitor


def visitor_words(error: Exception) -> str:
    """Return the message of an error for a visitor, who need not know where the ledger is."""
    return _LEDGER.sub("", str(error))


class VisitError(Exception):
    """A request that is not answered as asked."""

    status: ClassVar[int] = 400
    title: ClassVar[str] = ""  # of its page, where it is not that of the status


class SignInError(VisitError):
    """Nobody is signed in, and the page needs somebody."""

    status = 401

    def __init__(self) -> None:
        super().__init__("Sign in to see this page.")


class TokenError(VisitError):
    """An API token that is not known, or has ended."""

    status = 401

    def __init__(self) -> None:
        super().__init__("This API token is not known, or it has ended.")


class ForbiddenError(VisitError):
    """The visitor may not do this."""

    status = 403


class UnnamedError(ForbiddenError):
    """Nobody is named on this machine, and what is asked for is kept under a name."""

    title = "Say who you are first"

    def __init__(self) -> None:
        super().__init__("What you do here is kept under your name: start the application again with --as NAME.")


class AbsentError(VisitError):
    """There is no such thing."""

    status = 404


class ConflictError(VisitError):
    """Somebody else changed the same thing first."""

    status = 409
