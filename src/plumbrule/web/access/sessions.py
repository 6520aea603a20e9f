"""Sessions of people who signed in, kept on the server; of the id in the cookie only a hash is kept."""

import secrets
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

from plumbrule.hashing import text_sha256
from plumbrule.web.web_store import METADATA

ID_LENGTH = 64  # hexadecimal digits
IDLE = timedelta(hours=8)  # a session that is not used for so long has ended
LIFETIME = timedelta(hours=24)  # and every session ends after this
_SEEN_EVERY = timedelta(minutes=1)  # how exactly it is known when a session was last used
_MOST = 20  # sessions of one account; the oldest end first
_LONGEST_BROWSER = 200

_sessions = Table(
    "web_sessions",
    METADATA,
    Column("id_sha256", Text, primary_key=True),
    Column("account", Integer, nullable=False),
    Column("created", Float, nullable=False),
    Column("seen", Float, nullable=False),
    Column("browser", Text, nullable=False),
    Index("web_sessions_by_account", "account"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session, as its owner and an administrator see it."""

    id_sha256: str
    account: int
    created: datetime
    seen: datetime
    browser: str


def new_session_id() -> str:
    """Return an id that nobody can guess."""
    return secrets.token_hex(ID_LENGTH // 2)


def begin_session(connection: Connection, account: int, *, browser: str, at: datetime) -> str:
    """Begin a session under a new id, which is returned; whatever id the browser had before means nothing."""
    session_id = new_session_id()
    now = at.timestamp()
    over = (_sessions.c.created <= now - LIFETIME.total_seconds()) | (_sessions.c.seen <= now - IDLE.total_seconds())
    connection.execute(delete(_sessions).where(over))
    older = select(_sessions.c.id_sha256).where(_sessions.c.account == account).order_by(_sessions.c.seen.desc())
    surplus = list(connection.execute(older.offset(_MOST - 1)).scalars())
    connection.execute(delete(_sessions).where(_sessions.c.id_sha256.in_(surplus)))
    row = {"account": account, "created": now, "seen": now, "browser": browser[:_LONGEST_BROWSER]}
    connection.execute(insert(_sessions).values(id_sha256=text_sha256(session_id), **row))
    return session_id


def find_session(connection: Connection, session_id: str, *, at: datetime) -> Session | None:
    """Return the session of an id where it has not ended, and take note that it was used."""
    wanted = _sessions.c.id_sha256 == text_sha256(session_id)
    row = connection.execute(select(_sessions).where(wanted)).mappings().first()
    if row is None:
        return None
    session = _read(row)
    if at >= session.created + LIFETIME or at >= session.seen + IDLE:
        return None
    if at >= session.seen + _SEEN_EVERY:
        connection.execute(update(_sessions).where(wanted).values(seen=at.timestamp()))
    return session


def sessions_of(connection: Connection, account: int, *, at: datetime) -> list[Session]:
    """Return the sessions of an account that have not ended, the one used last first."""
    rows = connection.execute(
        select(_sessions).where(_sessions.c.account == account).order_by(_sessions.c.seen.desc())
    ).mappings()
    sessions = [_read(row) for row in rows]
    return [session for session in sessions if at < session.created + LIFETIME and at < session.seen + IDLE]


def end_session(connection: Connection, session_id: str) -> None:
    """End one session."""
    connection.execute(delete(_sessions).where(_sessions.c.id_sha256 == text_sha256(session_id)))


def end_sessions(connection: Connection, account: int) -> int:
    """End every session of an account, and return how many there were."""
    return connection.execute(delete(_sessions).where(_sessions.c.account == account)).rowcount


def is_session(session: Session, session_id: str) -> bool:
    """Tell whether a session is the one of this id."""
    return session.id_sha256 == text_sha256(session_id)


def _read(row: RowMapping) -> Session:
    return Session(
        id_sha256=row["id_sha256"],
        account=row["account"],
        created=datetime.fromtimestamp(row["created"], UTC),
        seen=datetime.fromtimestamp(row["seen"], UTC),
        browser=row["browser"],
    )
