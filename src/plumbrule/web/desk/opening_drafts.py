"""Campaigns that are about to be opened: what a form says and the files with it, kept between preview and opening.

They are in the store, never in the ledger. A draft is gone when its campaign is opened, or a day later.
"""

import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePath

import orjson
from sqlalchemy import Column, LargeBinary, Table, Text, delete, insert, select

from plumbrule.interactions.evidence_files import NamedFile
from plumbrule.ledger.entry import utc_text
from plumbrule.web.web_store import METADATA, Store

_KEPT_FOR = timedelta(days=1)
_LONGEST_NAME = 200
_LISTS = {"changed"}  # ids that were written into a field: they are no file until they are read

_drafts = Table(
    "web_opening_drafts",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("person", Text, nullable=False),
    Column("made_at", Text, nullable=False),
    Column("fields", Text, nullable=False),
)
_files = Table(
    "web_opening_files",
    METADATA,
    Column("draft", Text, primary_key=True),
    Column("field", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file that came with a form, under the name that it has there."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningDraft:
    """What a form says of a campaign that is to be opened."""

    fields: Mapping[str, str]
    files: Mapping[str, GivenFile]

    @contextmanager
    def written(self) -> Iterator[Mapping[str, NamedFile]]:
        """Give the files, written where they can be read by their paths; messages show their names."""
        with tempfile.TemporaryDirectory(prefix="plumbrule-") as folder:
            written = {}
            for field, given in self.files.items():
                suffixes = [".txt"] if field in _LISTS else PurePath(given.name).suffixes[-2:]
                path = Path(folder, f"{field}{''.join(suffixes)}"[:_LONGEST_NAME])
                path.write_bytes(given.content)
                written[field] = NamedFile(path=path, name=given.name)
            yield written


def keep_draft(store: Store, draft: OpeningDraft, *, person: str, at: datetime) -> str:
    """Keep a draft and return its id; drafts of yesterday are dropped."""
    id_ = secrets.token_hex(16)
    with store.begin() as connection:
        old = select(_drafts.c.id).where(_drafts.c.made_at < utc_text(at - _KEPT_FOR))
        connection.execute(delete(_files).where(_files.c.draft.in_(old)))
        connection.execute(delete(_drafts).where(_drafts.c.made_at < utc_text(at - _KEPT_FOR)))
        fields = orjson.dumps(dict(draft.fields)).decode()
        connection.execute(insert(_drafts).values(id=id_, person=person, made_at=utc_text(at), fields=fields))
        for field, given in draft.files.items():
            connection.execute(insert(_files).values(draft=id_, field=field, name=given.name, content=given.content))
    return id_


def find_draft(store: Store, id_: str, *, person: str) -> OpeningDraft | None:
    """Return a draft of a person; nobody else sees it."""
    with store.begin() as connection:
        mine = (_drafts.c.id == id_) & (_drafts.c.person == person)
        fields = connection.execute(select(_drafts.c.fields).where(mine)).scalar()
        if fields is None:
            return None
        rows = connection.execute(select(_files).where(_files.c.draft == id_)).mappings().all()
    files = {row["field"]: GivenFile(name=row["name"], content=bytes(row["content"])) for row in rows}
    return OpeningDraft(fields=orjson.loads(fields), files=files)


def drop_draft(store: Store, id_: str) -> None:
    """Forget a draft."""
    with store.begin() as connection:
        connection.execute(delete(_files).where(_files.c.draft == id_))
        connection.execute(delete(_drafts).where(_drafts.c.id == id_))
