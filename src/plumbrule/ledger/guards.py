"""The guards: triggers that refuse every change of what stands, checked by what they do and not by their names only."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, text

from plumbrule.ledger.database import writing
from plumbrule.ledger.ledger_errors import told_clearly

_TABLES = ("entries", "ledger_info")
_REFUSED = "the ledger is append-only"
_TAKEN = {
    "entries": (
        "EXISTS (SELECT 1 FROM entries WHERE sequence = NEW.sequence) OR (NEW.kind = 'result' "
        "AND EXISTS (SELECT 1 FROM entries WHERE kind = 'result' AND subject = NEW.subject))"
    ),
    "ledger_info": "EXISTS (SELECT 1 FROM ledger_info WHERE schema_version = NEW.schema_version)",
}
_EVENTS = {"update": "BEFORE UPDATE", "delete": "BEFORE DELETE", "replace": "BEFORE INSERT"}
_SAID = {"update": "UPDATE on", "delete": "DELETE on", "replace": "INSERT over a row of"}


def _sqlite_guard(table: str, change: str) -> str:
    taken = f"WHEN {_TAKEN[table]} " if change == "replace" else ""
    return (
        f"CREATE TRIGGER {table}_refuse_{change} {_EVENTS[change]} ON {table} {taken}"
        f"BEGIN SELECT RAISE(ABORT, '{_REFUSED}: {_SAID[change]} {table} is refused'); END"
    )


# As the migrations make them; a test compares them.
_SQLITE: Mapping[str, str] = {
    f"{table}_refuse_{change}": _sqlite_guard(table, change) for table in _TABLES for change in _EVENTS
}
_FUNCTION = f"BEGIN RAISE EXCEPTION '{_REFUSED}: % on % is refused', TG_OP, TG_TABLE_NAME; END"
_POSTGRES: Mapping[str, str] = {f"{table}_refuse_change": table for table in _TABLES}
_BEFORE_CHANGES = 2 + 8 + 16 + 32  # pg_trigger.tgtype: before, delete, update, truncate; for each statement

GUARDS = {"sqlite": frozenset(_SQLITE), "postgresql": frozenset(_POSTGRES)}

_SQLITE_TRIGGERS = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
_POSTGRES_TRIGGERS = """
SELECT tgname, relname, tgenabled, tgtype, tgqual IS NULL AND tgattr = ''::int2vector AND proconfig IS NULL, prosrc
FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
WHERE NOT tgisinternal AND tgrelid IN (to_regclass('entries'), to_regclass('ledger_info'))
"""
_POSTGRES_RULES = """
SELECT rulename FROM pg_rewrite WHERE ev_class IN (to_regclass('entries'), to_regclass('ledger_info'))
"""


def missing_guards(engine: Engine, name: str) -> tuple[str, ...]:
    """Return the guards that are not there or do not do what they should, and triggers that are none of ours."""
    with told_clearly(name), engine.connect() as connection:
        sound, strange = _sqlite(connection) if engine.dialect.name == "sqlite" else _postgres(connection)
    return tuple(sorted({*(GUARDS[engine.dialect.name] - sound), *(f"{other} (not ours)" for other in strange)}))


def restore_guards(engine: Engine, name: str) -> None:
    """Put every guard in its place again; a trigger of somebody else's is left to its owner."""
    with writing(engine, name) as connection:
        if connection.dialect.name == "sqlite":
            for guard, statement in _SQLITE.items():
                connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {guard}")
                connection.exec_driver_sql(statement)
            return
        function = "CREATE OR REPLACE FUNCTION plumbrule_refuse_change() RETURNS trigger LANGUAGE plpgsql"
        connection.execute(text(f"{function} AS $${_FUNCTION}$$"))
        connection.exec_driver_sql("ALTER FUNCTION plumbrule_refuse_change() RESET ALL")
        for guard, table in _POSTGRES.items():
            connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {guard} ON {table}")
            connection.exec_driver_sql(
                f"CREATE TRIGGER {guard} BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                "FOR EACH STATEMENT EXECUTE FUNCTION plumbrule_refuse_change()"
            )
            connection.exec_driver_sql(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {guard}")


@contextmanager
def unguarded(connection: Connection) -> Iterator[None]:
    """Let a block replace bodies of entries, inside the transaction of ``connection``.

    The guard is away for this transaction alone: nobody else sees the ledger without it, and a process that ends before
    the transaction does leaves it where it was.
    """
    sqlite = connection.dialect.name == "sqlite"
    guard = "entries_refuse_update" if sqlite else "entries_refuse_change"
    # a trigger of PostgreSQL that is dropped keeps readers out, one that is disabled does not
    away = f"DROP TRIGGER {guard}" if sqlite else f"ALTER TABLE entries DISABLE TRIGGER {guard}"
    back = _SQLITE[guard] if sqlite else f"ALTER TABLE entries ENABLE ALWAYS TRIGGER {guard}"
    connection.exec_driver_sql(away)
    yield
    connection.exec_driver_sql(back)


def _sqlite(connection: Connection) -> tuple[set[str], set[str]]:
    """Return the guards that are as they should be, and the other triggers on our tables."""
    sound, strange = set(), set()
    for guard, table, statement in connection.exec_driver_sql(_SQLITE_TRIGGERS):
        if guard not in _SQLITE:
            strange |= {guard} if table in _TABLES else set()
        elif _plain(statement) == _plain(_SQLITE[guard]):
            sound.add(guard)
    return sound, strange


def _postgres(connection: Connection) -> tuple[set[str], set[str]]:
    """Return the guards that are as they should be, and the other triggers and rules on our tables."""
    sound, strange = set(), set(connection.exec_driver_sql(_POSTGRES_RULES).scalars())
    for guard, table, enabled, when, unconditional, source in connection.exec_driver_sql(_POSTGRES_TRIGGERS):
        if guard not in _POSTGRES:
            strange.add(guard)
        elif (
            table == _POSTGRES[guard]
            and _text(enabled) == "A"  # in the role of a replica, too
            and when == _BEFORE_CHANGES
            and unconditional
            and _plain(source) == _FUNCTION
        ):
            sound.add(guard)
    return sound, strange


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _plain(statement: object) -> str:
    return " ".join(str(statement).split())
