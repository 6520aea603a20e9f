"""Version 1: the chain of entries, the ledger's own row, and the triggers that refuse every change."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_REFUSED = "the ledger is append-only"
_SQLITE_GUARDS = (
    (
        "CREATE TRIGGER {table}_refuse_update BEFORE UPDATE ON {table} "
        "BEGIN SELECT RAISE(ABORT, '{refused}: UPDATE on {table} is refused'); END"
    ),
    (
        "CREATE TRIGGER {table}_refuse_delete BEFORE DELETE ON {table} "
        "BEGIN SELECT RAISE(ABORT, '{refused}: DELETE on {table} is refused'); END"
    ),
    (
        "CREATE TRIGGER {table}_refuse_replace BEFORE INSERT ON {table} "
        "WHEN {same} "
        "BEGIN SELECT RAISE(ABORT, '{refused}: INSERT over a row of {table} is refused'); END"
    ),
)
_SAME = {
    # INSERT OR REPLACE deletes what is in its way without a DELETE trigger, so it is met before it begins.
    "entries": (
        "EXISTS (SELECT 1 FROM entries WHERE sequence = NEW.sequence) OR (NEW.kind = 'result' "
        "AND EXISTS (SELECT 1 FROM entries WHERE kind = 'result' AND subject = NEW.subject))"
    ),
    "ledger_info": "EXISTS (SELECT 1 FROM ledger_info WHERE schema_version = NEW.schema_version)",
}
_POSTGRES_FUNCTION = f"""
CREATE FUNCTION plumbrule_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '{_REFUSED}: % on % is refused', TG_OP, TG_TABLE_NAME;
END $$
"""
_POSTGRES_GUARDS = (
    (
        "CREATE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION plumbrule_refuse_change()"
    ),
    "ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_refuse_change",  # in the role of a replica, too
)


def upgrade() -> None:
    """Make the tables, the indexes and the guards."""
    postgres = op.get_bind().dialect.name == "postgresql"
    path = sa.Text(collation="C") if postgres else sa.Text()
    op.create_table(
        "entries",
        sa.Column("sequence", sa.BigInteger() if postgres else sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("kind", path, nullable=False),
        sa.Column("subject", path, nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("recorded_at_utc", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_sha256", sa.Text(), nullable=False),
        sa.Column("previous_sha256", sa.Text(), nullable=False),
        sa.Column("entry_sha256", sa.Text(), nullable=False),
    )
    op.create_index("entries_by_kind_and_subject", "entries", ["kind", "subject", "sequence"])
    only_results = sa.text("kind = 'result'")
    op.create_index(
        "entries_one_result",
        "entries",
        ["subject"],
        unique=True,
        sqlite_where=only_results,
        postgresql_where=only_results,
    )
    op.create_table(
        "ledger_info",
        sa.Column("schema_version", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("ledger_id", sa.Text(), nullable=False),
        sa.Column("created_at_utc", sa.Text(), nullable=False),
    )
    if postgres:
        op.execute(_POSTGRES_FUNCTION)
    guards = _POSTGRES_GUARDS if postgres else _SQLITE_GUARDS
    for table, same in _SAME.items():
        for guard in guards:
            op.execute(guard.format(table=table, refused=_REFUSED, same=same))
