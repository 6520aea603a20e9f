"""API tokens: made by a person for a program, with scopes and an end; shown once, kept as a hash."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    RowMapping,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from plumbrule.errors import UsageError
from plumbrule.hashing import text_sha256
from plumbrule.web.access.roles import Scope
from plumbrule.web.web_store import METADATA

PREFIX = "plumbrule_"  # by which a token in the wrong place is found
LONGEST_DAYS = 366
_LONGEST_TITLE = 100
_MOST = 50  # of one account
_USED_EVERY = timedelta(hours=1)  # how exactly it is known when a token was last used

_tokens = Table(
    "web_tokens",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("account", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("token_sha256", Text, nullable=False, unique=True),
    Column("scopes", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("used", Float),
    Index("web_tokens_by_account", "account"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """One token, without its secret."""

    id: int
    account: int
    title: str
    scopes: frozenset[Scope]
    created: datetime
    expires: datetime
    used: datetime | None


def make_token(
    connection: Connection, account: int, *, title: str, scopes: Iterable[Scope], days: int, at: datetime
) -> str:
    """Make a token and return it: it is not kept, and cannot be shown again."""
    title = " ".join(title.split())
    chosen = sorted(set(scopes))
    if not title or len(title) > _LONGEST_TITLE:
        raise UsageError(f"say what the token is for, in at most {_LONGEST_TITLE} characters")
    if not chosen:
        raise UsageError(f"a token needs a scope: {', '.join(Scope)}")
    if not 1 <= days <= LONGEST_DAYS:
        raise UsageError(f"a token ends after 1 to {LONGEST_DAYS} days")
    if len(tokens_of(connection, account)) >= _MOST:
        raise UsageError(f"an account has at most {_MOST} tokens: revoke one first")
    token = PREFIX + secrets.token_urlsafe(32)
    row = {"account": account, "title": title, "scopes": ",".join(chosen), "token_sha256": text_sha256(token)}
    moments = {"created": at.timestamp(), "expires": (at + timedelta(days=days)).timestamp()}
    connection.execute(insert(_tokens).values(**row, **moments))
    return token


def find_token(connection: Connection, token: str, *, at: datetime) -> ApiToken | None:
    """Return a token where it has not ended, and take note that it was used."""
    wanted = _tokens.c.token_sha256 == text_sha256(token)
    row = connection.execute(select(_tokens).where(wanted)).mappings().first()
    if row is None or at.timestamp() >= row["expires"]:
        return None
    found = _read(row)
    if found.used is None or at >= found.used + _USED_EVERY:
        connection.execute(update(_tokens).where(wanted).values(used=at.timestamp()))
    return found


def tokens_of(connection: Connection, account: int) -> list[ApiToken]:
    """Return the tokens of an account, the newest first."""
    wanted = select(_tokens).where(_tokens.c.account == account).order_by(_tokens.c.id.desc())
    return [_read(row) for row in connection.execute(wanted).mappings()]


def revoke_token(connection: Connection, account: int, number: int) -> str | None:
    """Remove a token of an account, and return its title; None where it has no such token."""
    wanted = (_tokens.c.account == account) & (_tokens.c.id == number)
    title = connection.execute(select(_tokens.c.title).where(wanted)).scalar()
    connection.execute(delete(_tokens).where(wanted))
    return title


def _read(row: RowMapping) -> ApiToken:
    return ApiToken(
        id=row["id"],
        account=row["account"],
        title=row["title"],
        scopes=frozenset(Scope(each) for each in row["scopes"].split(",")),
        created=datetime.fromtimestamp(row["created"], UTC),
        expires=datetime.fromtimestamp(row["expires"], UTC),
        used=None if row["used"] is None else datetime.fromtimestamp(row["used"], UTC),
    )
