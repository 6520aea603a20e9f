"""Drafts of records, kept on the server at every change until they are submitted: nothing that was rated is lost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import orjson
from sqlalchemy import Column, Table, Text, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from plumbrule.codec import to_json
from plumbrule.hashing import sha256_of
from plumbrule.person_names import person_key
from plumbrule.web.web_store import METADATA, Store

LONGEST_TEXT = 100_000  # characters of a note or a reason

_drafts = Table(
    "web_drafts",
    METADATA,
    Column("id", Text, primary_key=True),  # the hash of whose draft it is, and of what
    Column("content", Text, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftKey:
    """Whose draft it is, in which role, and of which version of an item."""

    person: str
    role: str
    campaign: str
    trace_id: str
    version: str

    @property
    def id(self) -> str:
        """The key of the draft in the store."""
        parts = [person_key(self.person), self.role, self.campaign, self.trace_id, self.version]
        return sha256_of(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What somebody filled in so far: the levels as the fields of the form have them."""

    levels: Mapping[str, str] = field(default_factory=dict)
    notes: str = ""
    reason: str = ""
    accepted: tuple[str, ...] = ()  # the dimensions whose proposal was taken over
    saved_at: str | None = None


def save_draft(store: Store, key: DraftKey, draft: Draft, *, at: datetime) -> Draft:
    """Keep a draft in place of an earlier one, and return it with the moment."""
    saved = Draft(
        levels=draft.levels,
        notes=draft.notes,
        reason=draft.reason,
        accepted=draft.accepted,
        saved_at=at.isoformat(),
    )
    content = orjson.dumps(to_json(saved)).decode()
    change = update(_drafts).where(_drafts.c.id == key.id).values(content=content)
    with store.begin() as connection:
        known = connection.execute(change).rowcount
    if not known:
        try:
            with store.begin() as connection:
                connection.execute(insert(_drafts).values(id=key.id, content=content))
        except IntegrityError:  # the same draft was saved at the same moment
            with store.begin() as connection:
                connection.execute(change)
    return saved


def find_draft(store: Store, key: DraftKey) -> Draft | None:
    """Return the draft that is kept, None where there is none."""
    with store.begin() as connection:
        content = connection.execute(select(_drafts.c.content).where(_drafts.c.id == key.id)).scalar()
    if content is None:
        return None
    kept = orjson.loads(content)
    return Draft(**{**kept, "accepted": tuple(kept["accepted"])})


def drop_draft(store: Store, key: DraftKey) -> None:
    """Forget a draft, which was submitted."""
    with store.begin() as connection:
        connection.execute(delete(_drafts).where(_drafts.c.id == key.id))
