"""The tables of a ledger: one chain of entries that only ever grows, and what the ledger says of itself.

There are no derived tables that could disagree with the entries: runs, results and exchanges are found through
database indexes, and a unique index over the results keeps any from standing twice.
"""

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Table, Text, text

SCHEMA_VERSION = 1

metadata = MetaData()

# A path of text is searched by its beginning, so its order must be that of its bytes in every database.
_PATH = Text().with_variant(Text(collation="C"), "postgresql")
_LONG = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER is the row's own key in SQLite

entries = Table(
    "entries",
    metadata,
    Column("sequence", _LONG, primary_key=True, autoincrement=False),
    Column("kind", _PATH, nullable=False),
    Column("subject", _PATH, nullable=False),
    Column("author", Text, nullable=False),
    Column("recorded_at_utc", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("body_sha256", Text, nullable=False),
    Column("previous_sha256", Text, nullable=False),
    Column("entry_sha256", Text, nullable=False),
    Index("entries_by_kind_and_subject", "kind", "subject", "sequence"),
)
Index(
    "entries_one_result",
    entries.c.subject,
    unique=True,
    sqlite_where=text("kind = 'result'"),
    postgresql_where=text("kind = 'result'"),
)

ledger_info = Table(  # a row for each version that the ledger has had: this table, too, only grows
    "ledger_info",
    metadata,
    Column("schema_version", Integer, primary_key=True, autoincrement=False),
    Column("ledger_id", Text, nullable=False),
    Column("created_at_utc", Text, nullable=False),
)

COLUMNS = tuple(str(column.name) for column in entries.columns)
