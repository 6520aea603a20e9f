"""Opens a ledger: makes a new one, brings an old one up to date, and refuses what is none."""

import secrets
import time
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from sqlalchemy import Connection, Engine, func, inspect, select, text
from sqlalchemy.engine import URL

from plumbrule.errors import UsageError
from plumbrule.files import as_listed, make_private
from plumbrule.ledger.chain import BEFORE_ALL, link
from plumbrule.ledger.chain_watch import ChainWatch
from plumbrule.ledger.database import make_engine, name_of, read_url, reading, writing
from plumbrule.ledger.entry import Draft, utc_text
from plumbrule.ledger.entry_rows import row_of
from plumbrule.ledger.ledger_errors import (
    AbsentLedgerError,
    LedgerBusyError,
    LedgerError,
    LedgerReadOnlyError,
    LedgerVersionError,
    NotALedgerError,
    told_clearly,
)
from plumbrule.ledger.state_files import StateFiles, signing_key
from plumbrule.ledger.store import Ledger
from plumbrule.ledger.tables import SCHEMA_VERSION, entries, ledger_info

LOCK_TIMEOUT_S = 15.0
_OURS = {"alembic_version", "entries", "ledger_info"}
_SERVER = text("SELECT system_identifier, current_database(), current_schema() FROM pg_control_system()")
_IDENTITY = select(ledger_info.c.ledger_id).order_by(ledger_info.c.schema_version).limit(1)


def open_ledger(
    address: str | URL,
    *,
    at: datetime | None = None,
    ledger_id: str | None = None,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    checked: bool = True,
) -> Ledger:
    """Open the ledger at a URL; one that is not there yet is made when ``at``, the time to record, is given.

    What is read from it is verified against the checkpoint that is kept outside the database. Only those who look at a
    broken ledger, or verify all of it, open one that is not ``checked``.
    """
    url = read_url(address)
    name = name_of(url)
    file = _file_of(url)
    if at is None and file is not None and not file.exists():
        raise _absent(name)
    if at is not None and file is not None:
        _make_folder(file.parent, name)
        make_private(file)
    engine = make_engine(url, lock_timeout_s=lock_timeout_s)
    try:
        with reading(engine, name) as connection:
            version = version_of(connection, name)
        made = _bring_up(engine, name, version, at=at, ledger_id=ledger_id)
        if file is not None:
            _log_ahead(engine, name, lock_timeout_s)
        with reading(engine, name) as connection:
            identity = str(connection.scalar(_IDENTITY))
        files, watch = _state_files(engine, url, file), None
        if checked:
            watch = ChainWatch(engine, name=name, ledger_id=identity, files=files)
            watch.begin(made=made)
    except BaseException:
        engine.dispose()
        raise
    return Ledger(engine, name=name, ledger_id=identity, files=files, watch=watch)


def upgrade(
    address: str | URL, *, at: datetime, ledger_id: str | None = None, lock_timeout_s: float = LOCK_TIMEOUT_S
) -> tuple[int, int]:
    """Bring a ledger to this version, in one transaction; return the version before and after (0 for none)."""
    url = read_url(address)
    file = _file_of(url)
    if file is not None:
        _make_folder(file.parent, name_of(url))
        make_private(file)
    engine = make_engine(url, lock_timeout_s=lock_timeout_s)
    try:
        return _migrate(engine, name_of(url), at=at, ledger_id=ledger_id), SCHEMA_VERSION
    finally:
        engine.dispose()


def version_of(connection: Connection, name: str) -> int:
    """Return the version of the ledger's tables, 0 where there is nothing yet; refuse what is no ledger or newer."""
    tables = set(inspect(connection).get_table_names())
    if "ledger_info" not in tables:
        # A file of another program is left alone; a database server may well serve several.
        if tables & _OURS or (tables and connection.dialect.name == "sqlite"):
            raise NotALedgerError(f"{name}: is a database of something else, not a ledger: name another")
        return 0
    if not tables >= _OURS:
        raise NotALedgerError(f"{name}: is not a whole ledger: {', '.join(sorted(_OURS - tables))} is missing")
    version = connection.scalar(select(func.max(ledger_info.c.schema_version))) or 0
    if version > SCHEMA_VERSION:
        raise LedgerVersionError(
            f"{name}: is a ledger of version {version}, this Plumbrule knows versions up to {SCHEMA_VERSION}: "
            "upgrade Plumbrule"
        )
    return int(version)


def _bring_up(engine: Engine, name: str, version: int, *, at: datetime | None, ledger_id: str | None) -> bool:
    """Make the tables of a new ledger and tell whether it was; leave it to the user when an old one changes."""
    if version == 0 and at is None:
        raise _absent(name)
    if version == 0 and at is not None:
        return _migrate(engine, name, at=at, ledger_id=ledger_id) == 0
    if version < SCHEMA_VERSION:
        raise LedgerVersionError(
            f"{name}: is a ledger of version {version}, this Plumbrule writes version {SCHEMA_VERSION}: "
            "run plumbrule ledger upgrade"
        )
    return False


def _state_files(engine: Engine, url: URL, file: Path | None) -> StateFiles | None:
    """Return where the state of the chain is kept outside the database; None where no key can be kept.

    A ledger is known by two places, so that no other spelling of its address is a first use: the one that the user
    names, because a link to an older copy must not pass for another place, and the one where the database really is.
    """
    key = signing_key()
    if key is None:
        return None
    name = name_of(url)
    if file is None:
        with reading(engine, name) as connection:
            server = "/".join(map(str, connection.execute(_SERVER).one()))
        return StateFiles(key, places=(name, f"postgresql {server}"), beside=None)
    with reading(engine, name) as connection:
        opened = next(row.file for row in connection.execute(text("PRAGMA database_list")) if row.name == "main")
    real = as_listed(Path(opened).resolve())
    return StateFiles(key, places=(str(file.absolute()), str(real)), beside=real.with_name(f"{real.name}.checkpoint"))


def _absent(name: str) -> AbsentLedgerError:
    return AbsentLedgerError(f"{name}: there is no ledger here yet: start a run, or name another with --ledger")


def _migrate(engine: Engine, name: str, *, at: datetime, ledger_id: str | None) -> int:
    """Take every step that is due, and open the chain of a new ledger; return the version before."""
    from alembic import command  # noqa: PLC0415 - needed once in the life of a ledger
    from alembic.config import Config  # noqa: PLC0415 - the same

    with writing(engine, name) as connection:
        if connection.dialect.name == "postgresql" and connection.scalar(text("SHOW server_encoding")) != "UTF8":
            raise LedgerError(f"{name}: the database cannot hold every text: create one with ENCODING 'UTF8'")
        before = version_of(connection, name)  # again, now that nobody else can write
        if before == SCHEMA_VERSION:
            return before
        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", "plumbrule.ledger:migrations")
        command.upgrade(config, "head")
        if before == 0:
            ledger_id = ledger_id or f"ledger-{secrets.token_hex(16)}"
            opening = Draft(kind="ledger", subject=ledger_id, body={"form": 1}, author="plumbrule", at=at)
            connection.execute(
                entries.insert(), [row_of(link(opening.sealed(), sequence=0, previous_sha256=BEFORE_ALL))]
            )
        else:
            ledger_id = connection.scalar(_IDENTITY)
        row = {"schema_version": SCHEMA_VERSION, "ledger_id": ledger_id, "created_at_utc": utc_text(at)}
        connection.execute(ledger_info.insert(), [row])
    return before


def _file_of(url: URL) -> Path | None:
    """Return the file of a SQLite ledger."""
    if url.get_backend_name() != "sqlite" or url.database is None:
        return None
    path = url.database.removeprefix("file:")
    return Path(path if path == url.database else unquote(path))


def _make_folder(folder: Path, name: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{name}: its folder cannot be made: {error.strerror}") from None


def _log_ahead(engine: Engine, name: str, lock_timeout_s: float) -> None:
    """Let readers and a writer work at the same time, where the file can be written."""
    deadline = time.monotonic() + lock_timeout_s
    raw = engine.raw_connection()
    try:
        while True:
            try:
                with told_clearly(name):
                    raw.cursor().execute("PRAGMA journal_mode = WAL")
            except LedgerReadOnlyError:
                return  # it can still be read
            except LedgerBusyError:  # this one change does not wait for others by itself
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return
    finally:
        raw.close()
