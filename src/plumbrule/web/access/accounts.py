"""Accounts of people: made, changed and found; every change is an entry of the ledger with who made it and when.

The name of an account is the name that the ledger keeps for what its owner does, so no two accounts may be one person
by ``person_names``. Passwords are kept in the store as argon2 hashes; nothing secret stands in the ledger.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Connection,
    Float,
    Integer,
    RowMapping,
    Table,
    Text,
    insert,
    select,
    update,
)

from plumbrule.codec import from_json, optional_key, to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger, escaped, open_ledger
from plumbrule.person_names import person_key
from plumbrule.terminal import safe
from plumbrule.web.access.api_tokens import ApiToken, find_token, make_token, revoke_token, tokens_of
from plumbrule.web.access.passwords import check_new_password, hash_password, is_outdated, is_password
from plumbrule.web.access.roles import EVERY_ROLE, Person, Role, Scope
from plumbrule.web.access.sessions import Session, begin_session, end_session, end_sessions, find_session, sessions_of
from plumbrule.web.web_store import METADATA, Store

LONGEST_NAME = 200
GRANTED = tuple(role for role in Role if role in EVERY_ROLE)  # what an account may hold, in their order

_accounts = Table(
    "web_accounts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),  # person_names.person_key of the name
    Column("name", Text, nullable=False),
    Column("password", Text),  # an argon2 hash; none for somebody whom a provider signs in
    Column("identity", Text, unique=True),  # who the provider says it is: its address and their id there
    Column("roles", Text, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("must_change", Boolean, nullable=False),  # the password was given by somebody else
    Column("created", Float, nullable=False),
)

Event = Literal[
    "created", "roles_set", "disabled", "enabled", "password_set", "sessions_ended", "token_made", "token_revoked"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountChange:
    """The body of a ledger entry of the kind account: what was changed on the account that is its subject."""

    event: Event
    roles: tuple[str, ...] | None = optional_key()  # that it has from now on
    title: str | None = optional_key()  # of an API token
    scopes: tuple[str, ...] | None = optional_key()  # of an API token


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One account, without its secrets."""

    id: int
    name: str
    roles: frozenset[Role]
    disabled: bool
    must_change: bool
    by_provider: bool  # who it is says an OpenID Connect provider
    created: datetime

    @property
    def role_words(self) -> str:
        """The roles in words, in their order; that everybody may view goes without saying."""
        return ", ".join(word for word in _words(self.roles) if word != Role.VIEWER) or Role.VIEWER.value

    @property
    def person(self) -> Person:
        """The owner, signed in."""
        return Person(name=self.name, roles=self.roles, account=self.id)


def read_account_change(entry: Entry) -> AccountChange:
    """Return what an entry of the ledger says was changed on an account."""
    return from_json(AccountChange, entry.value, where=f"entry {entry.sequence}, {entry.subject}")


class Accounts:
    """The accounts of a served ledger."""

    def __init__(self, store: Store, ledger: str) -> None:
        self._store = store
        self._ledger = ledger

    def all(self) -> list[Account]:
        """Return every account, by name."""
        with self._store.begin() as connection:
            rows = connection.execute(select(_accounts).order_by(_accounts.c.name)).mappings()
            return [_read(row) for row in rows]

    def find(self, name: str) -> Account:
        """Return the account of a name; raise where there is none."""
        with self._store.begin() as connection:
            return _named(connection, name)

    def get(self, number: int) -> Account | None:
        """Return an account by its number."""
        with self._store.begin() as connection:
            return _one(connection, _accounts.c.id == number)

    def find_identity(self, identity: str) -> Account | None:
        """Return the account of somebody whom a provider signs in."""
        with self._store.begin() as connection:
            return _one(connection, _accounts.c.identity == identity)

    def add(
        self,
        name: str,
        *,
        roles: Iterable[Role],
        author: str,
        at: datetime,
        password: str | None = None,
        identity: str | None = None,
        must_change: bool = False,
    ) -> Account:
        """Make an account with a password, or one for somebody whom a provider signs in."""
        name = _checked_name(name)
        if password is not None:
            check_new_password(password, name=name)
        values = {
            "key": person_key(name),
            "name": name,
            "password": None if password is None else hash_password(password),
            "identity": identity,
            "roles": ",".join(_words(_granted(roles))),
            "disabled": False,
            "must_change": must_change,
            "created": at.timestamp(),
        }
        with self._store.change() as connection, self._open(at) as ledger:
            standing = _one(connection, _accounts.c.key == values["key"])
            if standing is not None:
                raise UsageError(f"'{safe(name)}' is the same person as '{safe(standing.name)}', who has an account")
            connection.execute(insert(_accounts).values(values))
            account = _named(connection, name)
            _record(ledger, account, AccountChange(event="created", roles=_words(account.roles)), author=author, at=at)
        return account

    def set_roles(self, name: str, roles: Iterable[Role], *, author: str, at: datetime) -> Account:
        """Give an account other roles, and end its sessions; the last administrator stays one."""
        chosen = _granted(roles)

        def change(connection: Connection, account: Account) -> AccountChange | None:
            if chosen == account.roles:
                return None
            if Role.ADMIN not in chosen:
                _check_not_last(connection, account)
            _set(connection, account, roles=",".join(_words(chosen)))
            end_sessions(connection, account.id)
            return AccountChange(event="roles_set", roles=_words(chosen))

        return self._change(name, change, author=author, at=at)

    def set_disabled(self, name: str, *, disabled: bool, author: str, at: datetime) -> Account:
        """Keep somebody out, or let them in again; the last administrator cannot be kept out."""

        def change(connection: Connection, account: Account) -> AccountChange | None:
            if disabled == account.disabled:
                return None
            if disabled:
                _check_not_last(connection, account)
            _set(connection, account, disabled=disabled)
            end_sessions(connection, account.id)
            return AccountChange(event="disabled" if disabled else "enabled")

        return self._change(name, change, author=author, at=at)

    def set_password(self, name: str, password: str, *, author: str, at: datetime, must_change: bool) -> Account:
        """Set a password and end the sessions; one that ``must_change`` is good only to choose another."""
        check_new_password(password, name=name)
        kept = hash_password(password)

        def change(connection: Connection, account: Account) -> AccountChange:
            if account.by_provider:
                raise UsageError(f"'{safe(account.name)}' signs in at the provider, and has no password here")
            _set(connection, account, password=kept, must_change=must_change)
            end_sessions(connection, account.id)
            return AccountChange(event="password_set")

        return self._change(name, change, author=author, at=at)

    def end_sessions(self, name: str, *, author: str, at: datetime) -> int:
        """Sign an account out everywhere; return from how many places."""
        ended = 0

        def change(connection: Connection, account: Account) -> AccountChange | None:
            nonlocal ended
            ended = end_sessions(connection, account.id)
            return AccountChange(event="sessions_ended") if ended else None

        self._change(name, change, author=author, at=at)
        return ended

    def make_token(
        self, name: str, *, title: str, scopes: Iterable[Scope], days: int, author: str, at: datetime
    ) -> str:
        """Make an API token of an account and return it, this once."""
        token = ""
        wanted = frozenset(scopes)
        chosen = tuple(scope.value for scope in Scope if scope in wanted)

        def change(connection: Connection, account: Account) -> AccountChange:
            nonlocal token
            token = make_token(connection, account.id, title=title, scopes=wanted, days=days, at=at)
            return AccountChange(event="token_made", title=" ".join(title.split()), scopes=chosen)

        self._change(name, change, author=author, at=at)
        return token

    def revoke_token(self, name: str, number: int, *, author: str, at: datetime) -> None:
        """End an API token of an account."""

        def change(connection: Connection, account: Account) -> AccountChange | None:
            title = revoke_token(connection, account.id, number)
            return None if title is None else AccountChange(event="token_revoked", title=title)

        self._change(name, change, author=author, at=at)

    def tokens(self, account: int) -> list[ApiToken]:
        """Return the API tokens of an account."""
        with self._store.begin() as connection:
            return tokens_of(connection, account)

    def sessions(self, account: int, *, at: datetime) -> list[Session]:
        """Return where an account is signed in."""
        with self._store.begin() as connection:
            return sessions_of(connection, account, at=at)

    def check_password(self, name: str, password: str) -> Account | None:
        """Return the account of a name and its password; no answer tells which of them is wrong."""
        with self._store.begin() as connection:
            row = connection.execute(select(_accounts).where(_accounts.c.key == person_key(name))).mappings().first()
        kept = None if row is None else row["password"]
        if not is_password(password, kept) or row is None or row["disabled"]:
            return None
        if is_outdated(row["password"]):
            with self._store.begin() as connection:
                _set(connection, _read(row), password=hash_password(password))
        return _read(row)

    def sign_in(self, account: Account, *, browser: str, at: datetime) -> str:
        """Begin a session and return its id."""
        with self._store.change() as connection:
            return begin_session(connection, account.id, browser=browser, at=at)

    def sign_out(self, session_id: str) -> None:
        """End a session."""
        with self._store.begin() as connection:
            end_session(connection, session_id)

    def person_of_session(self, session_id: str, *, at: datetime) -> Person | None:
        """Return who is signed in under a session's id."""
        with self._store.begin() as connection:
            session = find_session(connection, session_id, at=at)
            account = None if session is None else _one(connection, _accounts.c.id == session.account)
        return None if account is None or account.disabled else account.person

    def person_of_token(self, token: str, *, at: datetime) -> Person | None:
        """Return whose API token it is, with the token's scopes."""
        with self._store.begin() as connection:
            found = find_token(connection, token, at=at)
            account = None if found is None else _one(connection, _accounts.c.id == found.account)
        if found is None or account is None or account.disabled:
            return None
        return Person(name=account.name, roles=account.roles, account=account.id, scopes=found.scopes)

    def _change(
        self,
        name: str,
        change: Callable[[Connection, Account], AccountChange | None],
        *,
        author: str,
        at: datetime,
    ) -> Account:
        """Change an account and keep the entry, both or none."""
        with self._store.change() as connection, self._open(at) as ledger:
            account = _named(connection, name)
            made = change(connection, account)
            if made is not None:
                _record(ledger, account, made, author=author, at=at)
            return _named(connection, name)

    def _open(self, at: datetime) -> Ledger:
        return open_ledger(self._ledger, at=at)


def _record(ledger: Ledger, account: Account, change: AccountChange, *, author: str, at: datetime) -> None:
    ledger.append("account", escaped(account.name), to_json(change), author, at=at)


def _check_not_last(connection: Connection, account: Account) -> None:
    """Refuse to take away the last administrator: nobody could give the role to anybody again."""
    if Role.ADMIN not in account.roles or account.disabled:
        return
    others = connection.execute(
        select(_accounts.c.roles).where(_accounts.c.id != account.id, _accounts.c.disabled.is_(False))
    ).scalars()
    if not any(Role.ADMIN in _roles(text) for text in others):
        raise UsageError(f"'{safe(account.name)}' is the last administrator: make somebody else one first")


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not person_key(name):
        raise UsageError(f"'{safe(name[:60])}' names nobody: a name has a letter or a digit")
    if len(name) > LONGEST_NAME or safe(name) != name:
        raise UsageError(f"a name has at most {LONGEST_NAME} characters, and no control characters")
    return name


def _named(connection: Connection, name: str) -> Account:
    account = _one(connection, _accounts.c.key == person_key(name))
    if account is None:
        raise UsageError(f"there is no account '{safe(name[:60])}'")
    return account


def _one(connection: Connection, condition: ColumnElement[bool]) -> Account | None:
    row = connection.execute(select(_accounts).where(condition)).mappings().first()
    return None if row is None else _read(row)


def _set(connection: Connection, account: Account, **values: object) -> None:
    connection.execute(update(_accounts).where(_accounts.c.id == account.id).values(values))


def _granted(roles: Iterable[Role]) -> frozenset[Role]:
    """Return roles as an account has them: whoever has one may view."""
    return frozenset(roles) & EVERY_ROLE | {Role.VIEWER}


def _roles(text: str) -> frozenset[Role]:
    return frozenset(Role(word) for word in text.split(",") if word)


def _words(roles: frozenset[Role]) -> tuple[str, ...]:
    return tuple(role.value for role in GRANTED if role in roles)


def _read(row: RowMapping) -> Account:
    return Account(
        id=row["id"],
        name=row["name"],
        roles=_roles(row["roles"]),
        disabled=row["disabled"],
        must_change=row["must_change"],
        by_provider=row["identity"] is not None,
        created=datetime.fromtimestamp(row["created"], UTC),
    )
