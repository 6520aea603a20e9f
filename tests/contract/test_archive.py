"""Bodies that are moved to an archive: the chain stays whole, what is gone is said, and everything can come back."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import (
    ArchivedError,
    Cell,
    Draft,
    Entry,
    Ledger,
    LedgerBrokenError,
    LedgerError,
    QueryColumns,
    ResultKey,
    ResultStandsError,
    Row,
    archivable,
    archive,
    archived_bodies,
    archived_kinds,
    backup,
    export,
    extent_of,
    open_ledger,
    read_notice,
    restore,
    restore_archive,
)
from plumbrule.ledger.archive_folder import MANIFEST, NO_COLUMNS, open_archive
from plumbrule.ledger.guards import restore_guards

if TYPE_CHECKING:
    from tests.contract.conftest import Backend

pq = pytest.importorskip("pyarrow.parquet")

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
KINDS = ("exchange", "result", "sample")
SELECTION = {"run-1": KINDS}


def fill(ledger: Ledger) -> list[Entry]:
    """Append two runs, whose entries stand between one another, and a note on each."""
    drafts = []
    for number in range(3):
        for run in ("run-1", "run-10"):
            key = ResultKey(run=run, repeat=0, sample=f"q{number}").subject
            drafts += [
                Draft(
                    kind="sample", subject=f"{run}/samples/q{number}", body={"id": f"q{number}"}, author="ana", at=AT
                ),
                Draft(kind="result", subject=key, body={"accuracy": number, "é": "\u2028"}, author="ana", at=AT),
            ]
    drafts += [Draft(kind="note", subject=run, body={}, author="ana", at=AT) for run in ("run-1", "run-10")]
    return ledger.append_many(drafts)


def put_away(ledger: Ledger, path: Path, *, columns: QueryColumns = NO_COLUMNS) -> None:
    """Archive the first run."""
    archive(ledger, SELECTION, path, author="bo", reason="old", at=AT, columns=columns)


@pytest.fixture
def ledger(backend: "Backend") -> Iterator[Ledger]:
    """Give a ledger with two runs."""
    with open_ledger(backend.url, at=AT, ledger_id="ledger-test") as opened:
        fill(opened)
        yield opened


class TestArchiving:
    """The bodies go, the hashes stay."""

    def test_the_chain_is_whole_with_and_without_the_archive(self, ledger: Ledger, tmp_path: Path) -> None:
        """What is archived is counted, and hashed where the archive is given; an earlier checkpoint is held."""
        before = ledger.checkpoint()
        put_away(ledger, tmp_path / "archive")
        alone = ledger.verify(before)
        assert (alone.whole, alone.entries, alone.missing_guards) == (True, 16, ())
        assert (alone.archived, alone.archives_verified) == (6, None)
        both = ledger.verify(before, archived=archived_bodies(ledger, [tmp_path / "archive"]))
        assert (both.whole, both.archived, both.archives_verified) == (True, None, 6)

    def test_the_archive_has_every_byte(self, ledger: Ledger, tmp_path: Path) -> None:
        """Each column of each entry is as it stood in the ledger; the manifest says what and where in the chain."""
        entries = [e for e in ledger.entries(run="run-1") if e.kind in KINDS]
        put_away(ledger, tmp_path / "archive")
        rows = pq.read_table(tmp_path / "archive" / "entries-000000.parquet").to_pylist()
        assert [Entry(**row) for row in rows] == entries
        manifest = open_archive(tmp_path / "archive").manifest
        assert (manifest.ledger_id, manifest.entries, manifest.kinds) == ("ledger-test", 6, {"result": 3, "sample": 3})
        assert manifest.runs == {"run-1": {"result": 3, "sample": 3}}
        assert (manifest.first, manifest.first_previous_sha256) == (entries[0].sequence, entries[0].previous_sha256)
        assert (manifest.last, manifest.last_entry_sha256) == (entries[-1].sequence, entries[-1].entry_sha256)

    def test_the_ledger_says_who_archived_what_and_why(self, ledger: Ledger, tmp_path: Path) -> None:
        """One entry for each run, which names the folder by its manifest."""
        put_away(ledger, tmp_path / "archive")
        [entry] = ledger.entries(kind="archive")
        notice = read_notice(entry)
        assert (entry.subject, entry.author, entry.sequence) == ("run-1", "bo", 15)
        assert (notice.event, notice.kinds, notice.reason) == ("archived", {"result": 3, "sample": 3}, "old")
        assert notice.folder == str(tmp_path / "archive")
        assert notice.manifest_sha256 == open_archive(tmp_path / "archive").manifest_sha256
        assert list(archived_kinds(ledger)["run-1"]) == ["result", "sample"]

    def test_reading_says_where_it_is(self, ledger: Ledger, tmp_path: Path) -> None:
        """An archived body is one line and no guess; what needs no body is found as before, and other runs, too."""
        put_away(ledger, tmp_path / "archive")
        said = rf"^run-1: its result entries were archived on 2026-01-31 to .*archive: .*ledger restore {tmp_path}"
        with pytest.raises(ArchivedError, match=said):
            list(ledger.results("run-1"))
        with pytest.raises(ArchivedError):
            ledger.result(ResultKey(run="run-1", repeat=0, sample="q1"))
        with pytest.raises(ArchivedError):
            ledger.entry(1)
        assert len(list(ledger.outlines(kind="result"))) == 6
        assert len(list(ledger.results("run-10"))) == 3
        left = ledger.entries(kind="sample", without_archived=True)
        assert [entry.subject for entry in left] == [f"run-10/samples/q{number}" for number in range(3)]
        assert [entry.subject for entry in ledger.glance("result", ["run-1/0/q1", "run-10/0/q1"])] == ["run-10/0/q1"]

    def test_a_ledger_goes_on(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """An archived result stands: the same is the old entry, another is refused; others are appended."""
        old = ledger.result(ResultKey(run="run-1", repeat=0, sample="q1"))
        assert old is not None
        put_away(ledger, tmp_path / "archive")
        assert ledger.append("result", old.subject, old.value, "cy", at=AT).sequence == old.sequence
        with pytest.raises(ResultStandsError):
            ledger.append("result", old.subject, {"accuracy": 7}, "cy", at=AT)
        ledger.append("result", "run-1/1/q1", {}, "cy", at=AT)
        ledger.close()
        with open_ledger(backend.url) as again:
            assert again.verify().archived == 6
            assert [entry.subject for entry in again.entries(kind="result", without_archived=True)][-1] == "run-1/1/q1"

    def test_it_is_first_used_elsewhere(self, ledger: Ledger, backend: "Backend", tmp_path: Path) -> None:
        """A backup of it holds the hashes, and is verified whole where there is no checkpoint of it."""
        put_away(ledger, tmp_path / "archive")
        kept = backup(ledger, tmp_path / "copy.jsonl")
        url = backend.new_url()
        assert restore(tmp_path / "copy.jsonl", url) == kept
        with open_ledger(url) as copy:
            assert copy.verify(kept).archived == 6
            restore_archive(copy, tmp_path / "archive", author="bo", at=AT)
            assert len(list(copy.results("run-1"))) == 3

    def test_an_export_has_the_hashes(self, ledger: Ledger, tmp_path: Path) -> None:
        """In either form an archived body is null."""
        put_away(ledger, tmp_path / "archive")
        assert export(ledger, tmp_path / "out.jsonl") == 16
        lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
        assert [line["sequence"] for line in lines if line.get("archived")] == [1, 2, 5, 6, 9, 10]
        assert all(line["body"] is None for line in lines if line.get("archived"))
        export(ledger, tmp_path / "out.parquet")
        bodies = pq.read_table(tmp_path / "out.parquet").column("body").to_pylist()
        assert [number for number, body in enumerate(bodies) if body is None] == [1, 2, 5, 6, 9, 10]

    def test_only_what_may_be_archived_is(self, ledger: Ledger, tmp_path: Path) -> None:
        """Notes, records and decisions always stay; a reason is needed; nothing is no archive."""
        with pytest.raises(UsageError, match="note entries are never archived, only of exchange, result, sample"):
            archive(ledger, {"run-1": ("note",)}, tmp_path / "a", author="bo", reason="old", at=AT)
        with pytest.raises(UsageError, match="a reason is needed"):
            archive(ledger, SELECTION, tmp_path / "a", author="bo", reason=" ", at=AT)
        with pytest.raises(UsageError, match="nothing to archive"):
            archive(ledger, {"run-2": KINDS}, tmp_path / "a", author="bo", reason="old", at=AT)
        assert not [path for path in tmp_path.iterdir() if path.is_dir()]
        assert extent_of(ledger, SELECTION)["result"].entries == 3

    def test_a_folder_is_never_written_over(self, ledger: Ledger, tmp_path: Path) -> None:
        """Neither another archive nor a folder with something in it."""
        put_away(ledger, tmp_path / "archive")
        before = (tmp_path / "archive" / MANIFEST).read_bytes()
        with pytest.raises(UsageError, match="holds another archive"):
            archive(ledger, {"run-10": KINDS}, tmp_path / "archive", author="bo", reason="old", at=AT)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "file").write_text("mine", encoding="utf-8")
        with pytest.raises(UsageError, match="cannot be written"):
            archive(ledger, {"run-10": KINDS}, tmp_path / "other", author="bo", reason="old", at=AT)
        assert (tmp_path / "archive" / MANIFEST).read_bytes() == before
        assert sorted(path.name for path in tmp_path.glob("*other*")) == ["other"]
        assert len(list(ledger.results("run-10"))) == 3

    def test_what_comes_meanwhile_stays(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """A result that another process appends while the archive is written keeps its body."""
        late: list[Entry] = []

        def cells(_row: Row) -> Mapping[str, Cell]:
            if not late:
                late.append(other.append("result", "run-1/1/late", {"n": 1}, "cy", at=AT))
            return {}

        with open_ledger(backend.url) as other:
            put_away(ledger, tmp_path / "archive", columns=QueryColumns(types={}, cells=cells))
        assert ledger.entry(late[0].sequence) == late[0]
        assert ledger.verify().archived == 6

    def test_a_kind_of_a_run_is_archived_as_a_whole(self, ledger: Ledger, tmp_path: Path) -> None:
        """What is added to an archived run is archived with the rest, after that was restored."""
        put_away(ledger, tmp_path / "archive")
        ledger.append("result", "run-1/1/late", {}, "cy", at=AT)
        assert archivable(ledger, ["run-1", "run-10"]) == {"run-10": ("result", "sample")}
        with pytest.raises(LedgerError, match="run-1: some of its result entries are archived already: restore them"):
            put_away(ledger, tmp_path / "other")
        assert ledger.verify().archived == 6
        restore_archive(ledger, tmp_path / "archive", author="bo", at=AT)
        put_away(ledger, tmp_path / "both")
        assert ledger.verify().archived == 7

    def test_two_at_once_are_refused(self, ledger: Ledger, tmp_path: Path) -> None:
        """The second is told to wait."""
        with ledger.hold("archive"), pytest.raises(UsageError, match="another process"):
            put_away(ledger, tmp_path / "archive")


class TestRestoring:
    """What was archived comes back as it was."""

    def test_every_body_is_back(self, ledger: Ledger, tmp_path: Path) -> None:
        """The entries are those of before, the archive stays, and the ledger says who restored it."""
        before = list(ledger.entries(after=-1))
        put_away(ledger, tmp_path / "archive")
        restore_archive(ledger, tmp_path / "archive", author="cy", at=AT)
        assert list(ledger.entries(after=-1))[: len(before)] == before
        found = ledger.verify()
        assert (found.whole, found.archived, found.missing_guards) == (True, None, ())
        notice = list(ledger.entries(kind="archive"))[-1]
        assert (notice.author, read_notice(notice).event) == ("cy", "restored")
        assert archived_kinds(ledger)["run-1"] == {}
        with pytest.raises(UsageError, match="there is nothing to restore"):
            restore_archive(ledger, tmp_path / "archive", author="cy", at=AT)
        put_away(ledger, tmp_path / "again")
        assert ledger.verify().archived == 6

    def test_an_archive_of_another_ledger_is_refused(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """No entry there names it; the same for one whose manifest was changed."""
        put_away(ledger, tmp_path / "archive")
        with open_ledger(backend.new_url(), at=AT) as other:
            fill(other)
            with pytest.raises(InputError, match="names this archive: it is of another ledger"):
                restore_archive(other, tmp_path / "archive", author="cy", at=AT)
        manifest = tmp_path / "archive" / MANIFEST
        manifest.write_bytes(manifest.read_bytes().replace(b'"entries":6', b'"entries":7'))
        with pytest.raises(InputError, match="or its manifest was changed"):
            ledger.verify(archived=archived_bodies(ledger, [tmp_path / "archive"]))

    @pytest.mark.parametrize("change", ["flip", "remove"])
    def test_a_damaged_archive_is_refused(self, ledger: Ledger, tmp_path: Path, change: str) -> None:
        """Neither restored nor verified; the ledger stays as it is."""
        put_away(ledger, tmp_path / "archive")
        [file] = (tmp_path / "archive").glob("*.parquet")
        content = file.read_bytes()
        file.unlink() if change == "remove" else file.write_bytes(content[:-20] + b"x" + content[-19:])
        with pytest.raises(InputError, match=r"entries-000000\.parquet: "):
            restore_archive(ledger, tmp_path / "archive", author="cy", at=AT)
        with pytest.raises(InputError, match=r"entries-000000\.parquet: "):
            archived_bodies(ledger, [tmp_path / "archive"])
        assert ledger.verify().archived == 6

    def test_a_forged_body_does_not_fit_the_chain(self, ledger: Ledger, tmp_path: Path) -> None:
        """Whoever writes archive, manifest and archive entry again is betrayed by the hash in the entry."""
        put_away(ledger, tmp_path / "archive")
        forged = [(number, b'{"accuracy":2}') for number in (1, 2, 5, 6, 9, 10)]
        found = ledger.verify(archived=iter(forged))
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (1, "body")

    def test_of_two_archives_each_is_needed(self, ledger: Ledger, tmp_path: Path) -> None:
        """One given alone leaves the other's bodies counted; both together are verified in the chain's order."""
        put_away(ledger, tmp_path / "a")
        archive(ledger, {"run-10": KINDS}, tmp_path / "b", author="bo", reason="old", at=AT)
        one = ledger.verify(archived=archived_bodies(ledger, [tmp_path / "b"]))
        assert (one.archived, one.archives_verified) == (6, 6)
        both = ledger.verify(archived=archived_bodies(ledger, [tmp_path / "b", tmp_path / "a"]))
        assert (both.archived, both.archives_verified) == (None, 12)


class TestTampering:
    """A body that is gone for another reason is a broken entry."""

    @pytest.mark.parametrize("sequence", [3, 13])
    def test_a_body_that_no_archive_has(
        self, backend: "Backend", ledger: Ledger, tmp_path: Path, sequence: int
    ) -> None:
        """An entry of a run that is not archived, or of a kind that never is: found by verify and by a reader."""
        put_away(ledger, tmp_path / "archive")
        backend.tamper(f"UPDATE entries SET body = '' WHERE sequence = {sequence}")  # noqa: S608 - this is tampering
        found = ledger.verify()
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (sequence, "body")
        with pytest.raises(LedgerBrokenError, match=f"entry {sequence}: its body is gone, and no archive has it"):
            ledger.entry(sequence)

    def test_a_body_that_was_restored(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """What came back may not go again behind the ledger's back."""
        put_away(ledger, tmp_path / "archive")
        restore_archive(ledger, tmp_path / "archive", author="bo", at=AT)
        backend.tamper("UPDATE entries SET body = '' WHERE sequence = 2")
        assert ledger.verify().broken is not None
        with pytest.raises(LedgerBrokenError, match="entry 2: its body is gone"):
            list(ledger.entries(kind="result", without_archived=True))

    def test_a_kind_that_is_never_archived(self, backend: "Backend", ledger: Ledger) -> None:
        """An archive entry that names it explains nothing, nor one that cannot be read."""
        body = {"event": "archived", "kinds": {"note": 1}, "folder": "x", "manifest_sha256": "y"}
        ledger.append("archive", "run-1", body, "eve", at=AT)
        ledger.append("archive", "run-1", [1], "eve", at=AT)
        backend.tamper("UPDATE entries SET body = '' WHERE sequence = 13")
        found = ledger.verify()
        assert found.broken is not None
        assert found.broken.sequence == 13

    def test_a_header_of_an_archived_entry(self, backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
        """Kind, subject, author and time are hashed as before."""
        put_away(ledger, tmp_path / "archive")
        backend.tamper("UPDATE entries SET author = 'eve' WHERE sequence = 2")
        found = ledger.verify()
        assert found.broken is not None
        assert (found.broken.sequence, found.broken.fault) == (2, "hash")


# Archives and then restores in forks of one process, each killed at a later step, until one comes to its end; after
# each, another fork looks at what is there.
KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
import pyarrow.parquet
from sqlalchemy import event
from sqlalchemy.engine import Engine
from plumbrule.errors import UsageError
from plumbrule.ledger import ArchivedError, archive, archived_bodies, open_ledger, restore_archive

url, folder, AT = sys.argv[1], Path(sys.argv[2]), datetime(2026, 2, 1, tzinfo=UTC)

def forked(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    return os.waitpid(pid, 0)[1]

def killed_at(number, work):
    left = number
    def step(*_args):
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
    fsync, rename = os.fsync, Path.rename
    def run():
        with open_ledger(url) as ledger:
            event.listen(Engine, "before_cursor_execute", step)
            event.listen(Engine, "commit", step)
            os.fsync = lambda descriptor: (step(), fsync(descriptor))
            Path.rename = lambda self, target: (step(), rename(self, target))
            try:
                work(ledger)
            except UsageError as error:  # the one before was killed when all was done
                assert "there is nothing to" in str(error), error
            event.remove(Engine, "before_cursor_execute", step)
            event.remove(Engine, "commit", step)
    return forked(run)

def look():
    with open_ledger(url) as ledger:
        found = ledger.verify()
        try:
            bodies = len(list(ledger.results("run-1"))) + len(list(ledger.entries(kind="sample", run="run-1")))
        except ArchivedError:
            bodies = 0
        if found.archived:
            found = ledger.verify(archived=archived_bodies(ledger, [folder]))
        print(found.whole, len(found.missing_guards), bodies, found.archives_verified or 0)

kinds = ("exchange", "result", "sample")
for work in (
    lambda ledger: archive(ledger, {"run-1": kinds}, folder, author="bo", reason="old", at=AT),
    lambda ledger: restore_archive(ledger, folder, author="bo", at=AT),
):
    for number in count():
        status = killed_at(number, work)
        if status not in (0, signal.SIGKILL) or forked(look):
            sys.exit(1)
        if status == 0:
            print("end", number)
            break
"""


def test_a_process_that_is_killed_leaves_either_state(backend: "Backend", tmp_path: Path) -> None:
    """Between any two steps of archive and restore the chain is whole, the guards stand, no body is lost."""
    with open_ledger(backend.url, at=AT, ledger_id="ledger-test") as ledger:
        fill(ledger)
    command = [sys.executable, "-c", KILLED, backend.url, str(tmp_path / "archive")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    archiving, restoring, rest = done.stdout.split("end ")
    assert rest.count("\n") == 1
    for lines in (archiving.splitlines(), restoring.splitlines()[1:]):
        assert len(lines) > 8
        assert set(lines) <= {"True 0 6 0", "True 0 0 6"}
    assert archiving.splitlines()[-1] == "True 0 0 6"
    assert restoring.splitlines()[-1] == "True 0 6 0"
    assert [path.name for path in tmp_path.glob("archive*")] == ["archive"]


def test_an_archive_is_the_same_again(ledger: Ledger, tmp_path: Path) -> None:
    """The same entries give the same bytes, so that a command that was killed can take what it left."""
    put_away(ledger, tmp_path / "a")
    restore_archive(ledger, tmp_path / "a", author="bo", at=AT)
    put_away(ledger, tmp_path / "b")
    names = [MANIFEST, "entries-000000.parquet"]
    assert [(tmp_path / "a" / name).read_bytes() for name in names] == [
        (tmp_path / "b" / name).read_bytes() for name in names
    ]


def test_an_archive_of_a_later_form_is_refused(ledger: Ledger, tmp_path: Path) -> None:
    """The line says what to do."""
    put_away(ledger, tmp_path / "archive")
    manifest = tmp_path / "archive" / MANIFEST
    manifest.write_bytes(manifest.read_bytes().replace(b"plumbrule-archive-1", b"plumbrule-archive-2"))
    with pytest.raises(InputError, match="which this Plumbrule cannot read: upgrade it"):
        open_archive(tmp_path / "archive")
    for content in (b"{", b"{}", b"[]"):
        manifest.write_bytes(content)
        with pytest.raises(InputError, match=r"manifest\.json: "):
            open_archive(tmp_path / "archive")
    with pytest.raises(InputError, match="cannot be read"):
        open_archive(tmp_path)


def test_bodies_that_are_not_all_there_are_not_taken_away(backend: "Backend", ledger: Ledger, tmp_path: Path) -> None:
    """Where the ledger has other bodies than the archive, nothing is changed."""
    put_away(ledger, tmp_path / "archive")
    restore_archive(ledger, tmp_path / "archive", author="bo", at=AT)
    late: list[int] = []

    def cells(_row: Row) -> Mapping[str, Cell]:
        if not late:
            late.append(1)
            with open_ledger(backend.url) as other:
                other.append("note", "late", {}, "cy", at=AT)
            backend.tamper("UPDATE entries SET body = '' WHERE sequence = 2")
            restore_guards(ledger.engine, ledger.name)
        return {}

    with pytest.raises(LedgerError, match="run-1: of 3 result entries that were archived 2 are there"):
        put_away(ledger, tmp_path / "other", columns=QueryColumns(types={}, cells=cells))
