"""Passwords: which are accepted, and how they are kept and compared: by argon2id, a few at a time to bound memory."""

import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from plumbrule.errors import UsageError
from plumbrule.person_names import person_key

SHORTEST, LONGEST = 12, 1000  # characters
_FEWEST_DIFFERENT = 5
_HASHER = PasswordHasher()  # argon2id as RFC 9106 has it where memory is scarce: 64 MiB for each
_AT_A_TIME = threading.BoundedSemaphore(4)


def check_new_password(password: str, *, name: str) -> None:
    """Refuse a password that is guessed too easily."""
    if len(password) < SHORTEST:
        raise UsageError(f"the password is too short: use at least {SHORTEST} characters, such as four random words")
    if len(password) > LONGEST:
        raise UsageError(f"the password is too long: use at most {LONGEST:,} characters")
    if len(set(password)) < _FEWEST_DIFFERENT:
        raise UsageError(f"the password repeats itself: use at least {_FEWEST_DIFFERENT} different characters")
    if person_key(name) and person_key(name) in person_key(password):
        raise UsageError("the password holds the name of the account: use one that nobody would guess")


def hash_password(password: str) -> str:
    """Return what is kept of a password."""
    with _AT_A_TIME:
        return _HASHER.hash(password)


def is_password(password: str, kept: str | None) -> bool:
    """Tell whether a password is the one that was kept; where none was kept it takes as long to say no."""
    with _AT_A_TIME:
        try:
            _HASHER.verify(_nobody() if kept is None else kept, password[: LONGEST + 1])
        except (VerificationError, InvalidHashError):
            return False
    return kept is not None


def is_outdated(kept: str) -> bool:
    """Tell whether a password was kept with weaker parameters than are used now."""
    return _HASHER.check_needs_rehash(kept)


def make_password() -> str:
    """Return a random password that a person can type once."""
    letters = "abcdefghijkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(4))


@cache
def _nobody() -> str:
    return _HASHER.hash(secrets.token_hex())
