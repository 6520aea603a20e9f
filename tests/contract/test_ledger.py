"""What every ledger does, whichever database keeps it."""

import hashlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import (
    SCHEMA_VERSION,
    Checkpoint,
    Draft,
    EntryError,
    Ledger,
    LedgerBrokenError,
    LedgerError,
    LedgerVersionError,
    NotALedgerError,
    ResultKey,
    ResultStandsError,
    backup,
    export,
    open_ledger,
    restore,
    upgrade,
)
from plumbrule.ledger.chain import BEFORE_ALL, link
from plumbrule.ledger.database import writing
from plumbrule.ledger.tables import metadata

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([-0.0, 5e-324, 1.7976931348623157e308, "\x00", "\u2028", "é", "e\u0301", "'; DROP TABLE entries"])
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def key(sample: str, *, run: str = "run-1", repeat: int = 0) -> ResultKey:
    """Return the key of a result."""
    return ResultKey(run=run, repeat=repeat, sample=sample)


def fill(ledger: Ledger) -> None:
    """Append a run, four results and a note: entries 1 to 6."""
    drafts = [Draft(kind="run", subject="run-1", body={"model": "m-1"}, author="ana", at=AT)]
    drafts += [
        Draft(kind="result", subject=key(f"q{number}").subject, body={"accuracy": number % 3}, author="ana", at=AT)
        for number in range(4)
    ]
    drafts.append(Draft(kind="note", subject="run-1", body="looks good — né?", author="bo", at=AT))
    ledger.append_many(drafts)


@pytest.fixture
def ledger(backend: "Backend") -> Iterator[Ledger]:
    """Give a new ledger with a known identity."""
    with open_ledger(backend.url, at=AT, ledger_id="ledger-test") as opened:
        yield opened


class TestAppending:
    """Entries are added at the end, durably, and found again."""

    def test_an_entry_is_returned_as_it_stands(self, ledger: Ledger) -> None:
        """What is returned, what is read back and what was given are the same."""
        entry = ledger.append("note", "run-1", {"b": [1, -0.0], "a": "é"}, "ana", at=AT)
        assert ledger.entry(1) == entry
        assert (entry.sequence, entry.kind, entry.subject, entry.author) == (1, "note", "run-1", "ana")
        assert entry.recorded_at_utc == "2026-01-31T09:30:00.000000Z"
        assert entry.body == '{"a":"é","b":[1,-0.0]}'
        assert entry.value == {"a": "é", "b": [1, -0.0]}

    def test_each_entry_names_the_one_before(self, ledger: Ledger) -> None:
        """The chain begins at the opening entry, which names the ledger, and anyone can work out a hash."""
        fill(ledger)
        opening, *rest = ledger.entries(after=-1)
        assert (opening.kind, opening.subject, opening.previous_sha256) == ("ledger", "ledger-test", BEFORE_ALL)
        assert [entry.sequence for entry in rest] == [1, 2, 3, 4, 5, 6]
        assert [entry.previous_sha256 for entry in rest] == [e.entry_sha256 for e in (opening, *rest[:-1])]
        note = rest[-1]
        parts = ("plumbrule-entry-1", "6", "note", "run-1", "bo", note.recorded_at_utc)
        text = "\n".join((*parts, hashlib.sha256(note.body.encode()).hexdigest(), rest[-2].entry_sha256))
        assert note.entry_sha256 == hashlib.sha256(text.encode()).hexdigest()

    def test_entries_are_found_by_kind_subject_and_run(self, ledger: Ledger) -> None:
        """A run's entries are its own: those of run-10 or run-1-b are not those of run-1."""
        fill(ledger)
        ledger.append("run", "run-10", {}, "ana", at=AT)
        ledger.append("result", key("q0", run="run-1-b").subject, {}, "ana", at=AT)
        ledger.append("exchange", key("q0").subject, {"request": "…"}, "ana", at=AT)
        assert [entry.sequence for entry in ledger.results("run-1")] == [2, 3, 4, 5]
        assert [entry.sequence for entry in ledger.entries(run="run-1")] == [1, 2, 3, 4, 5, 6, 9]
        assert [entry.sequence for entry in ledger.entries(subject="run-1")] == [1, 6]
        assert [entry.sequence for entry in ledger.entries(kind="exchange")] == [9]
        assert [entry.sequence for entry in ledger.entries(after=7)] == [8, 9]
        assert [entry.subject for entry in ledger.runs()] == ["run-1", "run-10"]
        assert [entry.subject for entry in ledger.runs("run-10")] == ["run-10"]
        assert ledger.entry(10) is None

    def test_what_stands_is_the_last_of_each_subject(self, ledger: Ledger) -> None:
        """Of one kind, in the order of the chain; an entry of another kind on the same subject changes nothing."""
        for kind, subject in (("note", "a"), ("note", "b"), ("note", "a"), ("alert", "b")):
            ledger.append(kind, subject, {}, "ana", at=AT)
        assert [(entry.subject, entry.sequence) for entry in ledger.standing("note")] == [("b", 2), ("a", 3)]
        assert list(ledger.standing("claim")) == []

    def test_finished_results_are_known_by_their_keys(self, ledger: Ledger) -> None:
        """Any sample id is kept apart and found again, whatever characters it holds."""
        keys = {key(name, repeat=2) for name in ("a/b", "a%2Fb", "a b", "né", "line\nbreak", "\x00", "日本", "x/0/y")}
        for number, one in enumerate(sorted(keys)):
            ledger.append("result", one.subject, number, "ana", at=AT)
        assert {ResultKey.read(entry.subject) for entry in ledger.results("run-1")} == keys
        assert [ledger.result(one).value for one in sorted(keys)] == list(range(len(keys)))  # type: ignore[union-attr]

    def test_the_same_result_again_is_the_old_entry(self, ledger: Ledger) -> None:
        """A result that is repeated after a kill stands once, with its first author and time."""
        first = ledger.append("result", key("q1").subject, {"a": 1, "b": 2}, "ana", at=AT)
        again = ledger.append("result", key("q1").subject, {"b": 2, "a": 1}, "bo", at=AT.replace(year=2027))
        twice = ledger.append_many(
            [Draft(kind="result", subject=key("q1").subject, body=first.value, author="c", at=AT)] * 2
        )
        assert [again, *twice] == [first] * 3
        assert ledger.checkpoint().sequence == 1

    def test_another_result_is_refused(self, ledger: Ledger) -> None:
        """A result is never replaced; another repeat or run is another result; the whole batch is refused with it."""
        ledger.append("result", key("q1").subject, {"a": 1}, "ana", at=AT)
        draft = Draft(kind="note", subject="run-1", body={}, author="ana", at=AT)
        clash = Draft(kind="result", subject=key("q1").subject, body={"a": 2}, author="ana", at=AT)
        with pytest.raises(ResultStandsError, match="run-1/0/q1 stands as entry 1: append a correction"):
            ledger.append_many([draft, clash])
        assert ledger.checkpoint().sequence == 1
        ledger.append("result", key("q1", repeat=1).subject, {"a": 2}, "ana", at=AT)
        ledger.append("result", key("q1", run="run-2").subject, {"a": 2}, "ana", at=AT)
        assert ledger.verify().entries == 4

    def test_a_correction_is_a_new_entry(self, ledger: Ledger) -> None:
        """It names what it corrects, with author, time and reason; the old entry stays."""
        fill(ledger)
        old = ledger.result(key("q2"))
        assert old is not None
        correction = ledger.correct(old, {"accuracy": 0}, "bo", reason="wrong reference", at=AT)
        assert ledger.corrections(old) == [correction]
        assert correction.value == {
            "corrects": old.sequence,
            "corrects_sha256": old.entry_sha256,
            "reason": "wrong reference",
            "value": {"accuracy": 0},
        }
        assert ledger.result(key("q2")) == old
        with pytest.raises(EntryError, match="needs a reason"):
            ledger.correct(old, {}, "bo", reason=" ", at=AT)

    def test_many_are_appended_together(self, ledger: Ledger) -> None:
        """A large batch, with text that COPY must escape, is one transaction and verifies."""
        texts = ["tab\t", "back\\slash", "\\N", "\\.", "new\nline", "nul\x00", "quote'\""]
        drafts = [
            Draft(kind="sample", subject=f"s{number}\\t", body=[texts[number % 7], number], author="a\\nb", at=AT)
            for number in range(2500)
        ]
        placed = ledger.append_many(drafts)
        assert list(ledger.entries()) == placed
        assert [entry.value for entry in placed] == [draft.body for draft in drafts]
        assert ledger.verify().entries == 2501

    def test_nothing_is_appended(self, ledger: Ledger) -> None:
        """An empty batch is no entry."""
        assert ledger.append_many([]) == []
        assert ledger.checkpoint().sequence == 0

    def test_threads_share_commits_and_not_errors(self, ledger: Ledger) -> None:
        """Callers at the same time each get their own outcome; a refused one does not harm the others."""
        ledger.append("result", key("clash").subject, 0, "ana", at=AT)
        kept: list[int] = []
        refused: list[Exception] = []

        def work(worker: int) -> None:
            for number in range(10):
                kept.append(ledger.append("result", key(f"{worker}-{number}").subject, number, "ana", at=AT).sequence)
                try:
                    ledger.append("result", key("clash").subject, worker + 1, "ana", at=AT)
                except ResultStandsError as error:
                    refused.append(error)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(kept) == list(range(2, 82))
        assert len(refused) == 80
        assert ledger.verify().whole

    def test_a_failure_inside_a_write_leaves_nothing(self, ledger: Ledger) -> None:
        """A transaction that does not end leaves the ledger as it was."""
        fill(ledger)
        before = ledger.checkpoint()
        with pytest.raises(RuntimeError, match="midway"), writing(ledger.engine, ledger.name) as connection:  # noqa: PT012
            connection.exec_driver_sql("INSERT INTO entries SELECT 7, 'note', 's', 'a', 't', 'b', 'c', 'd', 'e'")
            raise RuntimeError("midway")
        assert ledger.checkpoint() == before
        assert ledger.verify().whole

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
    @given(bodies=st.lists(JSON, min_size=1, max_size=8))
    def test_any_json_comes_back_and_verifies(self, ledger: Ledger, bodies: list[Any]) -> None:
        """The canonical text survives the database: signed zero, any text, every number that JSON holds here."""
        at = len(list(ledger.entries()))
        ledger.append_many(Draft(kind="note", subject="any", body=body, author="é", at=AT) for body in bodies)
        read = list(ledger.entries(after=at))
        assert [entry.body for entry in read] == [
            orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode() for body in bodies
        ]
        assert [orjson.dumps(entry.value, option=orjson.OPT_SORT_KEYS).decode() for entry in read] == [
            entry.body for entry in read
        ]
        assert ledger.verify().whole


REORDER = (
    "UPDATE entries SET sequence = -2 WHERE sequence = 2",
    "UPDATE entries SET sequence = 2 WHERE sequence = 3",
    "UPDATE entries SET sequence = 3 WHERE sequence = -2",
)
COPY_1 = "SELECT * FROM entries WHERE sequence = 1"
FORGED_RESULT = "SELECT 7, kind, subject, 'eve', '', body, '', '', '' FROM entries WHERE sequence = 3"


class TestTampering:
    """A change of the past is refused by the database, and found out where it was forced."""

    def test_a_good_ledger_is_whole(self, ledger: Ledger) -> None:
        """Every entry is counted, and the guards stand."""
        fill(ledger)
        found = ledger.verify(ledger.checkpoint())
        assert (found.whole, found.entries, found.missing_guards) == (True, 7, ())
        assert found.last_sha256 == ledger.checkpoint().entry_sha256

    @pytest.mark.parametrize(
        ("statements", "sequence", "fault"),
        [
            (["UPDATE entries SET body = '{\"accuracy\":2}' WHERE sequence = 2"], 2, "body"),
            (["UPDATE entries SET body = body || ' ' WHERE sequence = 6"], 6, "body"),
            (["UPDATE entries SET author = 'eve' WHERE sequence = 4"], 4, "hash"),
            (["UPDATE entries SET kind = 'run' WHERE sequence = 6"], 6, "hash"),
            (["UPDATE entries SET recorded_at_utc = '2025' WHERE sequence = 1"], 1, "hash"),
            (["UPDATE entries SET entry_sha256 = body_sha256 WHERE sequence = 3"], 3, "hash"),
            (["UPDATE entries SET previous_sha256 = body_sha256 WHERE sequence = 3"], 3, "previous"),
            (["DELETE FROM entries WHERE sequence = 3"], 3, "gap"),
            (["DELETE FROM entries WHERE sequence = 0"], 0, "gap"),
            (["DELETE FROM entries"], 0, "gap"),
            (
                ["DELETE FROM entries WHERE sequence = 3", "UPDATE entries SET sequence = 3 WHERE sequence = 4"],
                3,
                "previous",
            ),
            (["UPDATE entries SET sequence = -1 WHERE sequence = 5"], -1, "gap"),
            (REORDER, 2, "previous"),
        ],
    )
    def test_the_first_broken_entry_is_named(
        self, backend: "Backend", ledger: Ledger, statements: list[str], sequence: int, fault: str
    ) -> None:
        """Flip, delete and reorder are each found at the right entry, and the missing guards are told."""
        fill(ledger)
        backend.tamper(*statements)
        found = ledger.verify()
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (sequence, fault)
        assert found.broken.message.startswith(f"entry {sequence}: ")
        assert found.missing_guards

    def test_an_entry_that_was_linked_anew_breaks_the_next(self, backend: "Backend", ledger: Ledger) -> None:
        """Who changes an entry and works out its hash again is betrayed by the one after it."""
        fill(ledger)
        before = ledger.entry(1)
        assert before is not None
        draft = Draft(kind="result", subject=key("q0").subject, body={"accuracy": 2}, author="ana", at=AT)
        forged = link(draft.sealed(), sequence=2, previous_sha256=before.entry_sha256)
        change = f"body = '{forged.body}', body_sha256 = '{forged.body_sha256}', entry_sha256 = '{forged.entry_sha256}'"
        backend.tamper(f"UPDATE entries SET {change} WHERE sequence = 2")  # noqa: S608 - this is tampering
        found = ledger.verify()
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (3, "previous")

    def test_a_checkpoint_finds_a_ledger_cut_short(self, backend: "Backend", ledger: Ledger) -> None:
        """Without its last entries a chain is whole; the checkpoint names the first that is missing."""
        fill(ledger)
        kept = ledger.checkpoint()
        backend.tamper("DELETE FROM entries WHERE sequence > 4")
        assert ledger.verify().whole
        found = ledger.verify(kept)
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (5, "truncated")

    def test_a_checkpoint_finds_a_ledger_written_anew(self, backend: "Backend", ledger: Ledger) -> None:
        """A chain that was cut and grown again is whole; the checkpoint's entry is not in it."""
        fill(ledger)
        kept = ledger.checkpoint()
        backend.tamper("DELETE FROM entries WHERE sequence > 4")
        ledger.append_many(Draft(kind="note", subject="n", body=n, author="eve", at=AT) for n in range(5))
        assert ledger.verify().whole
        found = ledger.verify(ledger.checkpoint(), kept)
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (6, "rewritten")

    def test_a_checkpoint_of_another_ledger_is_refused(self, ledger: Ledger) -> None:
        """It would prove nothing."""
        other = Checkpoint(ledger_id="ledger-2", sequence=0, entry_sha256=BEFORE_ALL, recorded_at_utc="")
        with pytest.raises(UsageError, match="the checkpoint is of ledger-2"):
            ledger.verify(other)

    def test_a_ledger_that_calls_itself_another_is_broken(self, backend: "Backend", ledger: Ledger) -> None:
        """The chain's own opening entry says which ledger it is."""
        ledger.close()
        drop = "DROP TRIGGER ledger_info_refuse_" + ("update" if backend.kind == "sqlite" else "change ON ledger_info")
        backend.run(drop, "UPDATE ledger_info SET ledger_id = 'ledger-2'")
        with open_ledger(backend.url, checked=False) as opened:
            found = opened.verify()
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (0, "identity")
        with pytest.raises(LedgerBrokenError):
            open_ledger(backend.url)

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE entries SET author = 'eve' WHERE sequence = 1",
            "DELETE FROM entries WHERE sequence = 6",
            "DELETE FROM entries",
            "TRUNCATE entries",
            "UPDATE ledger_info SET schema_version = 7",
            "DELETE FROM ledger_info",
            "TRUNCATE ledger_info",
            f"INSERT INTO entries {COPY_1}",
            f"INSERT INTO entries {COPY_1} ON CONFLICT (sequence) DO UPDATE SET author = 'eve'",
            f"INSERT OR REPLACE INTO entries {COPY_1}",
            f"INSERT OR REPLACE INTO entries {FORGED_RESULT}",
            f"INSERT INTO entries {FORGED_RESULT}",
            "INSERT OR REPLACE INTO ledger_info SELECT schema_version, 'ledger-2', '' FROM ledger_info",
            "SET session_replication_role = replica; DELETE FROM entries",
        ],
    )
    def test_the_database_refuses_every_change(self, backend: "Backend", ledger: Ledger, statement: str) -> None:
        """Even its owner's statements are refused; what another database does not know is an error there anyway."""
        fill(ledger)
        if backend.kind == "sqlite" and "; " in statement:
            statement = statement.split("; ")[1]
        before = list(ledger.entries(after=-1))
        with pytest.raises(DBAPIError) as caught, ledger.engine.begin() as connection:
            connection.exec_driver_sql(statement)
        foreign = ("TRUNCATE" in statement) if backend.kind == "sqlite" else ("OR REPLACE" in statement)
        assert ("syntax error" in str(caught.value)) == foreign
        assert list(ledger.entries(after=-1)) == before
        assert ledger.verify().missing_guards == ()


class TestKeepingSafe:
    """A ledger can be carried elsewhere, whole."""

    def test_an_export_has_the_same_bytes_from_every_database(self, ledger: Ledger, tmp_path: Path) -> None:
        """The bytes depend on the entries alone: this digest is that of both."""
        fill(ledger)
        assert export(ledger, tmp_path / "out.jsonl") == 7
        content = (tmp_path / "out.jsonl").read_bytes()
        lines = [orjson.loads(line) for line in content.splitlines()]
        assert [line["sequence"] for line in lines] == list(range(7))
        assert lines[2]["body"] == {"accuracy": 0}
        assert hashlib.sha256(content).hexdigest() == "9d935f6b8ff560ab647e0b8ea52467a2956771b0be5cd689844df4d727ba34f9"

    def test_an_export_to_parquet(self, ledger: Ledger, tmp_path: Path) -> None:
        """Every column of every entry, the body as its canonical text."""
        pq = pytest.importorskip("pyarrow.parquet")
        fill(ledger)
        assert export(ledger, tmp_path / "out.parquet") == 7
        rows = pq.read_table(tmp_path / "out.parquet").to_pylist()
        assert [row["sequence"] for row in rows] == list(range(7))
        assert [row["body"] for row in rows] == [entry.body for entry in ledger.entries(after=-1)]

    def test_a_broken_ledger_is_not_exported(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """The error names the entry, and no file appears."""
        fill(ledger)
        backend.tamper("UPDATE entries SET body = 'x' WHERE sequence = 4")
        for suffix in ("jsonl", "parquet"):
            with pytest.raises(LedgerBrokenError, match="entry 4: its body"):
                export(ledger, tmp_path / f"out.{suffix}")
        assert not list(tmp_path.glob("*out*"))

    def test_a_backup_is_restored_with_its_chain(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """The restored ledger is the same one: same identity, same entries, and it holds the old checkpoint."""
        fill(ledger)
        kept = backup(ledger, tmp_path / "copy.jsonl")
        assert kept == ledger.checkpoint()
        url = backend.new_url()
        assert restore(tmp_path / "copy.jsonl", url) == kept
        with open_ledger(url) as restored:
            assert list(restored.entries(after=-1)) == list(ledger.entries(after=-1))
            assert restored.verify(kept).whole
            restored.append("note", "run-1", "goes on", "ana", at=AT)
            assert restored.verify(kept).whole
        with pytest.raises(LedgerError, match="is in use already"):
            restore(tmp_path / "copy.jsonl", url)

    @pytest.mark.parametrize("change", ["flip", "drop", "half"])
    def test_a_changed_backup_is_not_restored(
        self, backend: "Backend", ledger: Ledger, tmp_path: Path, change: str
    ) -> None:
        """Nothing but the opening entry is there afterwards, and a good backup can still be restored."""
        fill(ledger)
        good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
        backup(ledger, good)
        lines = good.read_bytes().splitlines(keepends=True)
        changed = {
            "flip": [*lines[:3], lines[3].replace(b":1}", b":2}"), *lines[4:]],
            "drop": [*lines[:3], *lines[4:]],
            "half": [*lines[:3], lines[3][:40]],
        }
        bad.write_bytes(b"".join(changed[change]))
        url = backend.new_url()
        with pytest.raises(InputError, match=r"bad\.jsonl"):
            restore(bad, url)
        assert restore(good, url) == ledger.checkpoint()

    def test_a_backup_is_never_written_over(self, ledger: Ledger, tmp_path: Path) -> None:
        """An older backup may be the only good one."""
        (tmp_path / "copy.jsonl").write_bytes(b"old")
        with pytest.raises(UsageError, match="is there already"):
            backup(ledger, tmp_path / "copy.jsonl")


class TestVersions:
    """The tables are brought up to date once, and never back."""

    def test_an_empty_place_is_upgraded_once(self, backend: "Backend") -> None:
        """The second time there is nothing to do, and the ledger stays the same one."""
        assert upgrade(backend.url, at=AT) == (0, SCHEMA_VERSION)
        with open_ledger(backend.url) as first:
            identity = first.ledger_id
        assert upgrade(backend.url, at=AT) == (SCHEMA_VERSION, SCHEMA_VERSION)
        with open_ledger(backend.url, at=AT, ledger_id="ledger-other") as again:
            assert again.ledger_id == identity
            assert again.verify().entries == 1

    def test_the_migrations_make_the_tables_of_the_schema(self, ledger: Ledger) -> None:
        """What the code expects and what the steps build are the same."""
        with ledger.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []

    def test_a_newer_ledger_is_left_alone(self, backend: "Backend", ledger: Ledger) -> None:
        """It is neither read nor upgraded; the line says what to do."""
        ledger.close()
        backend.run("INSERT INTO ledger_info VALUES (2, 'ledger-test', '')")
        with pytest.raises(LedgerVersionError, match=r"is a ledger of version 2, .*: upgrade Plumbrule$"):
            open_ledger(backend.url, at=AT)
        with pytest.raises(LedgerVersionError, match="upgrade Plumbrule"):
            upgrade(backend.url, at=AT)

    def test_a_place_with_nothing_is_no_ledger_to_read(self, backend: "Backend") -> None:
        """Without a time to record, nothing is made."""
        with pytest.raises(UsageError, match="there is no ledger here yet"):
            open_ledger(backend.url)

    def test_tables_of_something_else_are_left_alone(self, backend: "Backend") -> None:
        """A table that happens to be called entries is not touched."""
        backend.run("CREATE TABLE entries (id INTEGER)")
        with pytest.raises(NotALedgerError, match="is a database of something else"):
            open_ledger(backend.url, at=AT)
        with pytest.raises(NotALedgerError):
            upgrade(backend.url, at=AT)


class TestNewest:
    """What is made from entries holds while the newest of them is the same."""

    def test_it_is_found_again_among_what_came_since(self, backend: "Backend", ledger: Ledger) -> None:
        """By kind, by any kind and by run, whoever appended; none is -1."""
        fill(ledger)
        assert ledger.newest("alert") == (-1, "")
        assert ledger.newest("result")[0] == 5
        assert ledger.newest()[0] == 6
        with open_ledger(backend.url) as other:
            alert = other.append("alert", "a", {}, "bo", at=AT)
            other.append("note", "run-1", {}, "bo", at=AT)
        assert ledger.newest("alert") == (alert.sequence, alert.entry_sha256)
        assert ledger.newest("result")[0] == 5
        assert ledger.newest()[0] == 8
        assert ledger.newest("result", run="run-1")[0] == 5
        assert ledger.newest("result", run="run-2") == (-1, "")

    def test_a_ledger_that_was_cut_is_looked_at_again(self, backend: "Backend", ledger: Ledger) -> None:
        """What was found before is not held on to."""
        fill(ledger)
        assert ledger.newest("note")[0] == 6
        backend.tamper("DELETE FROM entries WHERE sequence > 4")
        assert ledger.newest("note") == (-1, "")
        assert ledger.newest("result")[0] == 4

    def test_the_last_run(self, ledger: Ledger) -> None:
        """The others are not read; there may be none."""
        assert ledger.last_run() is None
        fill(ledger)
        ledger.append("run", "run-0", {}, "ana", at=AT)
        last = ledger.last_run()
        assert last is not None
        assert last.subject == "run-0"
