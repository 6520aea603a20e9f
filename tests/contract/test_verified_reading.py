"""What was changed behind a ledger's back is refused by every command that reads it, with the first bad entry named."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import create_engine, text
from tests.contract.conftest import Backend, plain
from tests.data.old_ledger.commands import HERE, INDEX

from plumbrule import cli
from plumbrule.ledger import Draft, LedgerBrokenError, backup, open_ledger, restore
from plumbrule.ledger.chain import link
from plumbrule.ledger.entry import Entry, Sealed
from plumbrule.ledger.guards import GUARDS, missing_guards, restore_guards
from plumbrule.ledger.tables import COLUMNS

if TYPE_CHECKING:
    from _pytest.tmpdir import TempPathFactory
    from sqlalchemy.engine import URL

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
NAMES: dict[str, str] = json.loads(INDEX.read_text(encoding="utf-8"))["names"]
RUN = NAMES["demo"]
RECORD = "kind = 'record' AND subject LIKE 'records/open-1/%'"
RESULT = f"kind = 'result' AND subject LIKE '{RUN}/%'"
# each command with an entry that it uses
COMMANDS = {
    "gate": (["gate", RUN], RESULT),
    "report": (["report", RUN, "-o", "{folder}/report.json"], RESULT),
    "show": (["show", RUN], RESULT),
    "progress": (["review", "progress", "--campaign", "open-1"], RECORD),
    "close": (["review", "close", "--campaign", "open-1", "--as-is", "--as", "Ada"], RECORD),
    "monitor": (["monitor"], "kind = 'record' AND subject LIKE 'records/week-2025-W15/%'"),
    "incident": (["incident", NAMES["incident"], "--json"], "kind = 'record' AND subject LIKE 'records/incident-1/%'"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """A ledger with runs and campaigns, and ways around its guards."""

    backend: Backend
    folder: Path

    @property
    def url(self) -> str:
        """Return the ledger's address."""
        return self.backend.url

    def find(self, condition: str) -> Entry:
        """Return the first entry that fits, as it stands."""
        return self.rows(f"WHERE sequence = (SELECT min(sequence) FROM entries WHERE {condition})")[0]  # noqa: S608 - our own

    def rows(self, condition: str) -> list[Entry]:
        """Return entries as they stand."""
        engine = create_engine(self.url)
        with engine.connect() as connection:
            wanted = text(f"SELECT * FROM entries {condition} ORDER BY sequence")  # noqa: S608 - our own
            found = connection.execute(wanted).mappings().all()
        engine.dispose()
        return [Entry(**row) for row in found]

    def put(self, *changed: Entry, remove: str = "1 = 0") -> None:
        """Replace entries by others with the same numbers, and take some away; the guards stand again afterwards."""
        columns, values = ", ".join(COLUMNS), ", ".join(f":{name}" for name in COLUMNS)
        self.backend.tamper()
        engine = create_engine(self.url)
        with engine.begin() as connection:
            connection.execute(text(f"DELETE FROM entries WHERE {remove}"))  # noqa: S608 - tampering
            if rows := [{name: getattr(entry, name) for name in COLUMNS} for entry in changed]:
                connection.execute(text("DELETE FROM entries WHERE sequence = :sequence"), rows)
                connection.execute(text(f"INSERT INTO entries ({columns}) VALUES ({values})"), rows)  # noqa: S608 - the same
        restore_guards(engine, "tampered")
        engine.dispose()

    @contextmanager
    def unharmed(self, first: int) -> Iterator[None]:
        """Put everything from an entry on back after the block."""
        before = self.rows(f"WHERE sequence >= {first}")
        try:
            yield
        finally:
            self.put(*before, remove=f"sequence >= {first}")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: "TempPathFactory") -> Path:
    """Return the entries of an older ledger, as JSON lines."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "ledger.db").write_bytes(gzip.decompress((HERE / "ledger.db.gz").read_bytes()))
    with open_ledger(f"sqlite:///{folder}/ledger.db") as ledger:
        backup(ledger, folder / "copy.jsonl")
    return folder / "copy.jsonl"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def victim(request: pytest.FixtureRequest, copy: Path, tmp_path_factory: "TempPathFactory") -> Victim:
    """Give one ledger of each kind of database for all attacks: each of them is undone."""
    folder = tmp_path_factory.mktemp("victim")
    if request.param == "sqlite":
        url = f"sqlite:///{folder}/ledger.db"
    else:
        server: URL = request.getfixturevalue("server_url")
        with psycopg.connect(plain(str(server)), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE SCHEMA victim"))
        address = server.set(drivername="postgresql+psycopg", password=None)
        options = {"options": "-csearch_path=victim"}
        url = address.update_query_dict(options).render_as_string(hide_password=False)
    restore(copy, url)
    return Victim(backend=Backend(kind=request.param, new_url=lambda: url, url=url), folder=folder)


def sealed(entry: Entry, **changes: str) -> Sealed:
    """Return an entry without its place, with changes, its body hashed."""
    draft = Draft(
        kind=changes.get("kind", entry.kind),
        subject=changes.get("subject", entry.subject),
        body=json.loads(changes.get("body", entry.body)),
        author=changes.get("author", entry.author),
        at=datetime.fromisoformat(changes.get("recorded_at_utc", entry.recorded_at_utc)),
    )
    return draft.sealed()


def altered(entry: Entry, **changes: str) -> Entry:
    """Return an entry with some columns changed and all others as they are."""
    return Entry(**{name: changes.get(name, getattr(entry, name)) for name in Entry.__slots__})


def linked_again(entry: Entry, **changes: str) -> Entry:
    """Return an entry that was changed, with its own hash worked out again."""
    return link(sealed(entry, **changes), sequence=entry.sequence, previous_sha256=entry.previous_sha256)


def forged_body(entry: Entry) -> str:
    """Return another body."""
    return json.dumps(json.loads(entry.body) | {"forged": True}, sort_keys=True, separators=(",", ":"))


def edit(**changes: str) -> Any:
    """Return an attack that changes columns and nothing else."""
    return lambda victim, entry: victim.put(altered(entry, **changes))


def edit_body(victim: Victim, entry: Entry) -> None:
    """Change the body."""
    victim.put(altered(entry, body=forged_body(entry)))


def edit_and_hash(victim: Victim, entry: Entry) -> None:
    """Change the body, and work out the hashes of the entry again."""
    victim.put(linked_again(entry, body=forged_body(entry)))


def hide(victim: Victim, entry: Entry) -> None:
    """Make it an entry of another kind, with the right hash of its own, so that no search finds it."""
    victim.put(linked_again(entry, kind="note"))


def move(victim: Victim, entry: Entry) -> None:
    """Give it another subject beside its own, with the right hash."""
    victim.put(linked_again(entry, subject=f"{entry.subject}x"))


def rewrite(victim: Victim, entry: Entry) -> None:
    """Change the body, and link everything after it again: the chain is whole in itself."""
    before = linked_again(entry, body=forged_body(entry))
    chain = [before]
    for later in victim.rows(f"WHERE sequence > {entry.sequence}"):
        chain.append(link(sealed(later), sequence=later.sequence, previous_sha256=chain[-1].entry_sha256))
    victim.put(*chain)


def delete(victim: Victim, entry: Entry) -> None:
    """Take the entry away."""
    victim.put(remove=f"sequence = {entry.sequence}")


def close_up(victim: Victim, entry: Entry) -> None:
    """Take the entry away, and link everything after it again without a gap."""
    chain = victim.rows(f"WHERE sequence = {entry.sequence - 1}")
    for later in victim.rows(f"WHERE sequence > {entry.sequence}"):
        chain.append(link(sealed(later), sequence=later.sequence - 1, previous_sha256=chain[-1].entry_sha256))
    victim.put(*chain[1:], remove=f"sequence > {chain[-1].sequence}")


def cut(victim: Victim, entry: Entry) -> None:
    """Take everything away from the entry on: what an older copy looks like."""
    victim.put(remove=f"sequence >= {entry.sequence}")


ATTACKS = {
    "body": (edit_body, "its body is not the one that was written"),
    "body and hash": (edit_and_hash, "it is not the entry that the checkpoint names"),
    "kind": (edit(kind="note"), "its kind, subject, author, time or hash"),
    "kind and hash": (hide, "it is not the entry that the checkpoint names"),
    "subject": (edit(subject="records/other/x/y"), "its kind, subject, author, time or hash"),
    "subject and hash": (move, "it is not the entry that the checkpoint names"),
    "author": (edit(author="Eve"), "its kind, subject, author, time or hash"),
    "time": (edit(recorded_at_utc="2020-01-01T00:00:00.000000Z"), "its kind, subject, author, time or hash"),
    "rewritten": (rewrite, "it is not the entry that the checkpoint names"),
    "deleted": (delete, "it is missing"),
    "deleted and closed up": (close_up, "it is not the entry that the checkpoint names"),
    "cut": (cut, "it is missing: the ledger was cut short"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_change_is_refused(
    victim: Victim, attack: str, command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Exit code 4, no output, and the first bad entry with its number and kind; all is well when it is undone."""
    words, condition = COMMANDS[command]
    entry = victim.find(condition)
    change, message = ATTACKS[attack]
    arguments = [word.format(folder=tmp_path) for word in words] + ["--ledger", victim.url]
    with victim.unharmed(entry.sequence):
        change(victim, entry)
        assert cli.invoke(arguments) == 4
        out, err = capsys.readouterr()
        assert out == ""
        assert not list(tmp_path.iterdir())
        assert f"entry {entry.sequence}: {message}" in err
        assert "(kind: " in err or "missing" in message
        assert err.count("\n") == 1
    with open_ledger(victim.url) as ledger:  # no alarm when it is undone
        assert ledger.entry(entry.sequence) == entry


def test_verify_says_the_same_and_exits_with_1(victim: Victim, capsys: pytest.CaptureFixture[str]) -> None:
    """A chain that was written again from an entry on is found without an option."""
    entry = victim.find(RESULT)
    with victim.unharmed(entry.sequence):
        rewrite(victim, entry)
        assert cli.invoke(["ledger", "verify", "--ledger", victim.url]) == 1
        assert f"entry {entry.sequence}: it is not the entry that the checkpoint names" in capsys.readouterr().out
    assert cli.invoke(["ledger", "verify", "--ledger", victim.url]) == 0


def test_an_older_state_is_accepted_on_purpose(victim: Victim, capsys: pytest.CaptureFixture[str]) -> None:
    """A backup that was put back needs somebody who says so; it is recorded, and the ledger goes on."""
    last = victim.find("sequence = (SELECT max(sequence) FROM entries)")
    victim.put(remove=f"sequence = {last.sequence}")
    assert cli.invoke(["runs", "--ledger", victim.url]) == 4
    assert "ledger checkpoint --reset --as NAME" in capsys.readouterr().err
    assert cli.invoke(["ledger", "checkpoint", "--reset", "--ledger", victim.url]) == 2
    assert cli.invoke(["ledger", "checkpoint", "--reset", "--as", "Ada", "--ledger", victim.url]) == 0
    assert cli.invoke(["runs", "--ledger", victim.url]) == 0
    note = victim.find(f"sequence = {last.sequence}")
    assert (note.kind, note.subject, note.author) == ("note", "checkpoint", "Ada")
    before = {name: getattr(last, name) for name in ("sequence", "entry_sha256")}
    assert all(before.items() <= kept.items() for kept in note.value["before"])
    assert note.value["accepted"]["sequence"] == last.sequence - 1


SQLITE_FAULTS = {
    "missing": ["DROP TRIGGER entries_refuse_update"],
    "emptied": [
        "DROP TRIGGER entries_refuse_delete",
        "CREATE TRIGGER entries_refuse_delete BEFORE DELETE ON entries BEGIN SELECT 1; END",
    ],
    "never": [
        "DROP TRIGGER ledger_info_refuse_update",
        (
            "CREATE TRIGGER ledger_info_refuse_update BEFORE UPDATE ON ledger_info WHEN 0 "
            "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: UPDATE on ledger_info is refused'); END"
        ),
    ],
    "another": [
        "CREATE TRIGGER helpful BEFORE INSERT ON entries WHEN NEW.kind = 'alert' BEGIN SELECT RAISE(IGNORE); END"
    ],
}
CREATE = "CREATE TRIGGER entries_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON entries FOR EACH STATEMENT "
POSTGRES_FAULTS = {
    "missing": ["DROP TRIGGER entries_refuse_change ON entries"],
    "emptied": [
        (
            "CREATE OR REPLACE FUNCTION plumbrule_refuse_change() RETURNS trigger LANGUAGE plpgsql "
            "AS $$ BEGIN RETURN NULL; END $$"
        )
    ],
    "disabled": ["ALTER TABLE entries DISABLE TRIGGER entries_refuse_change"],
    "never": [
        "DROP TRIGGER entries_refuse_change ON entries",
        f"{CREATE} WHEN (false) EXECUTE FUNCTION plumbrule_refuse_change()",
        "ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_refuse_change",
    ],
    "narrower": [
        "DROP TRIGGER entries_refuse_change ON entries",
        (
            "CREATE TRIGGER entries_refuse_change BEFORE DELETE ON entries FOR EACH STATEMENT "
            "EXECUTE FUNCTION plumbrule_refuse_change()"
        ),
        "ALTER TABLE entries ENABLE ALWAYS TRIGGER entries_refuse_change",
    ],
    "another": ["CREATE RULE helpful AS ON INSERT TO entries WHERE NEW.kind = 'alert' DO INSTEAD NOTHING"],
}


@pytest.mark.parametrize(
    ("backend", "fault"),
    [*(("sqlite", fault) for fault in SQLITE_FAULTS), *(("postgresql", fault) for fault in POSTGRES_FAULTS)],
    indirect=["backend"],
)
def test_a_guard_that_does_not_guard_is_refused(
    backend: Backend, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By what it does, not by its name; it is put back by somebody who is recorded."""
    open_ledger(backend.url, at=AT).close()
    backend.run(*(SQLITE_FAULTS if backend.kind == "sqlite" else POSTGRES_FAULTS)[fault])
    assert cli.invoke(["runs", "--ledger", backend.url]) == 4
    assert "the guards that refuse changes are missing or changed" in capsys.readouterr().err
    assert cli.invoke(["ledger", "verify", "--ledger", backend.url]) == 1
    assert "missing or changed guard: " in capsys.readouterr().out
    reset = ["ledger", "checkpoint", "--reset", "--as", "Ada", "--ledger", backend.url]
    if fault == "another":
        assert cli.invoke(reset) == 4
        assert "remove these first: helpful (not ours)" in capsys.readouterr().err
        return
    assert cli.invoke(reset) == 0
    assert cli.invoke(["runs", "--ledger", backend.url]) == 0
    engine = create_engine(backend.url)
    assert missing_guards(engine, "mended") == ()
    engine.dispose()


def test_the_guards_are_those_that_the_migrations_make(backend: Backend) -> None:
    """What is compared with and what is made are the same, and putting them back changes nothing."""
    with open_ledger(backend.url, at=AT) as ledger:
        assert missing_guards(ledger.engine, ledger.name) == ()
        restore_guards(ledger.engine, ledger.name)
        assert missing_guards(ledger.engine, ledger.name) == ()
        assert len(GUARDS[backend.kind]) == (6 if backend.kind == "sqlite" else 2)


def test_entries_after_the_last_checkpoint_are_no_alarm(backend: Backend) -> None:
    """A process that was killed between an append and its checkpoint leaves a ledger that goes on."""
    killed = open_ledger(backend.url, at=AT)
    killed.append("note", "n", 1, "ana", at=AT)  # and never closed
    with open_ledger(backend.url) as ledger:
        assert [entry.value for entry in ledger.entries(kind="note")] == [1]
        killed.append("note", "n", 2, "ana", at=AT)
        assert [entry.value for entry in ledger.entries(kind="note")] == [1, 2]
        ledger.append("note", "n", 3, "bo", at=AT)
    killed.append("note", "n", 4, "ana", at=AT)
    killed.close()
    with open_ledger(backend.url) as ledger:
        assert [entry.value for entry in ledger.entries(kind="note")] == [1, 2, 3, 4]


def test_a_change_while_the_ledger_is_open_is_found(backend: Backend) -> None:
    """What was read once is verified again when it is read again."""
    with open_ledger(backend.url, at=AT) as ledger:
        for number in range(3):
            ledger.append("note", f"n/{number}", number, "ana", at=AT)
        assert len(list(ledger.entries(kind="note"))) == 3
        backend.tamper("UPDATE entries SET body = '7' WHERE sequence = 2")
        with pytest.raises(LedgerBrokenError, match=r"entry 2: its body is not .* \(kind: note\)"):
            list(ledger.entries(kind="note"))
        with pytest.raises(LedgerBrokenError, match="entry 2: its body"):
            ledger.entry(2)


def test_a_missing_entry_is_found_by_its_number(backend: Backend) -> None:
    """There is no entry 1 in a ledger that goes up to 2: that is no answer, it is a gap."""
    with open_ledger(backend.url, at=AT) as ledger:
        for number in range(2):
            ledger.append("note", "n", number, "ana", at=AT)
        backend.tamper("DELETE FROM entries WHERE sequence = 1")
        with pytest.raises(LedgerBrokenError, match="entry 1: it is missing"):
            ledger.entry(1)


def test_an_entry_before_the_opening_one_is_refused(backend: Backend) -> None:
    """A row that the chain does not know is not read, wherever it was put."""
    with open_ledger(backend.url, at=AT) as ledger:
        ledger.append("note", "n", 1, "ana", at=AT)
    backend.tamper("INSERT INTO entries SELECT -1, 'alert', subject, author, recorded_at_utc, body, body_sha256, "
                   "previous_sha256, entry_sha256 FROM entries WHERE sequence = 1")  # fmt: skip
    engine = create_engine(backend.url)
    restore_guards(engine, "tampered")
    engine.dispose()
    with open_ledger(backend.url) as ledger, pytest.raises(LedgerBrokenError, match="before the opening entry"):
        list(ledger.entries(subject="n", after=-2))


def test_a_time_that_goes_back_is_said(backend: Backend, capsys: pytest.CaptureFixture[str]) -> None:
    """By verify, and by a command that uses the entry; writers that waited for one another are not meant."""
    with open_ledger(backend.url, at=AT) as ledger:
        ledger.append("note", "n", 1, "ana", at=AT.replace(second=30))
        ledger.append("note", "n", 2, "ana", at=AT)
        ledger.append("run", "run-1", {}, "ana", at=AT.replace(year=2025))
        ledger.append("note", "n", 3, "ana", at=AT)
    said = "entry 3: its time, 2025-01-31T09:30:00.000000Z, is before that of entry 2, 2026-01-31T09:30:00.000000Z"
    assert cli.invoke(["ledger", "verify", "--ledger", backend.url]) == 0
    out = capsys.readouterr().out
    assert said in " ".join(out.split())
    assert "entry 2:" not in out
    cli.invoke(["show", "run-1", "--ledger", backend.url])
    assert f"{said} (kind: run)" in capsys.readouterr().err
