"""Closings that wait for a second signature: each person signs by their own login, and only then the campaign closes.

Nothing of this is in the ledger. What somebody asked for holds only for the ratings that there were then: where more
have come since, the second person would sign for something else, and it has to be asked for again.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Column, Integer, Table, Text, delete, insert, select
from sqlalchemy.exc import IntegrityError

from plumbrule.ledger.entry import utc_text
from plumbrule.web.web_store import METADATA, Store

_pending = Table(
    "web_pending_closings",
    METADATA,
    Column("campaign", Text, primary_key=True),
    Column("asked_by", Text, nullable=False),
    Column("asked_at", Text, nullable=False),
    Column("as_is", Boolean, nullable=False),
    Column("records", Integer, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingClosing:
    """Somebody wants to close a campaign, and asks for a second signature."""

    campaign: str
    asked_by: str
    asked_at: str
    as_is: bool
    records: int  # with revisions, that the campaign had when it was asked for


def ask_second(store: Store, campaign: str, *, by: str, as_is: bool, records: int, at: datetime) -> bool:
    """Keep that somebody asks for a second signature; False where somebody did already."""
    values = {
        "campaign": campaign,
        "asked_by": by,
        "asked_at": utc_text(at),
        "as_is": as_is,
        "records": records,
    }
    try:
        with store.begin() as connection:
            connection.execute(insert(_pending).values(values))
    except IntegrityError:
        return False
    return True


def find_pending(store: Store, campaign: str) -> PendingClosing | None:
    """Return what was asked for, where it was."""
    with store.begin() as connection:
        row = connection.execute(select(_pending).where(_pending.c.campaign == campaign)).mappings().first()
    return None if row is None else PendingClosing(**row)


def take_pending(store: Store, asked: PendingClosing) -> bool:
    """Take what was asked for out of the store; False where somebody else did so first."""
    same = (_pending.c.campaign == asked.campaign) & (_pending.c.asked_at == asked.asked_at)
    with store.begin() as connection:
        return connection.execute(delete(_pending).where(same)).rowcount == 1
