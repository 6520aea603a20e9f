"""The checkpoint outside the database: signed, kept in two places, and a way out where it is lost."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from plumbrule import cli
from plumbrule.errors import InputError, UsageError
from plumbrule.files import written_whole
from plumbrule.ledger import LedgerBrokenError, backup, export, open_ledger, state_files
from plumbrule.ledger.chain_state import ChainState
from plumbrule.settings import settings_directory

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
APPEND_AND_DIE = """
import os, signal, sys
from datetime import UTC, datetime
from plumbrule.ledger import open_ledger

at = datetime(2026, 1, 31, tzinfo=UTC)
ledger = open_ledger(sys.argv[1], at=at)
for number in range(5):
    ledger.append("note", "n", number, "ana", at=at)
    if number == int(sys.argv[2]):
        ledger._watch.keep()
os.kill(os.getpid(), signal.SIGKILL)
"""
APPEND_OFTEN = """
import sys
from datetime import UTC, datetime
from plumbrule.ledger import open_ledger

at = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
for number in range(12):
    with open_ledger(sys.argv[1], lock_timeout_s=300) as ledger:
        ledger.append("note", sys.argv[2], number, "ana", at=at)
        assert len(list(ledger.entries(kind="note", subject=sys.argv[2]))) == number + 1
"""

Say = Callable[[], list[str]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a settings directory of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PLUMBRULE_LEDGER_KEY", raising=False)
    return tmp_path / "home"


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Say:
    """Return a function that returns what was said since it was called last."""

    def messages() -> list[str]:
        found = [record.getMessage() for record in caplog.records]
        caplog.clear()
        return found

    return messages


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Give the file of a ledger with three notes."""
    path = tmp_path / "place" / "ledger.db"
    with open_ledger(url(path), at=AT, ledger_id="ledger-test"):
        pass
    for number in range(3):
        append(path, number)
    return path


def url(path: Path) -> str:
    """Return the address of a file."""
    return f"sqlite:///{path}"


def append(path: Path, number: object) -> None:
    """Append a note, as a command of its own."""
    with open_ledger(url(path)) as ledger:
        ledger.append("note", "n", number, "ana", at=AT)


def notes(path: Path) -> list[Any]:
    """Return what the notes say, read as a command of its own."""
    with open_ledger(url(path)) as ledger:
        return [entry.value for entry in ledger.entries(kind="note")]


def beside(path: Path) -> Path:
    """Return the checkpoint beside a ledger."""
    return path.with_name(f"{path.name}.checkpoint")


def kept_upto(path: Path) -> int:
    """Return the number of the entry at which a checkpoint ends."""
    return int(json.loads(path.read_bytes())["sequence"])


def mode(path: Path) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def move_home(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Go on as another user, or on another machine."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place))


def test_every_file_is_its_owners_only(file: Path, home: Path, tmp_path: Path) -> None:
    """The database and what SQLite puts beside it, copies, exports, checkpoints and the key, whatever the umask."""
    before = os.umask(0)
    try:
        with open_ledger(url(tmp_path / "new.db"), at=AT) as ledger, ledger.hold("run-1"):
            ledger.append("note", "n", 1, "ana", at=AT)
            backup(ledger, tmp_path / "copy.db")
            backup(ledger, tmp_path / "copy.jsonl")
            export(ledger, tmp_path / "out.parquet")
            made = [path for path in tmp_path.iterdir() if path.is_file()]
            assert {path.name for path in made} >= {"new.db", "new.db-wal", "new.db-shm", "new.db.run-1.lock"}
            assert {path.name: mode(path) for path in made} == dict.fromkeys((path.name for path in made), 0o600)
        assert cli.invoke(["ledger", "checkpoint", "--to", str(tmp_path / "end.json"), "--ledger", url(file)]) == 0
    finally:
        os.umask(before)
    kept = [beside(file), tmp_path / "new.db.checkpoint", tmp_path / "end.json", file]
    kept += [path for path in (home / "plumbrule").rglob("*") if path.is_file()]
    assert {mode(path) for path in kept} == {0o600}
    assert not list(file.parent.glob("*.key"))


def test_first_use_verifies_everything_and_says_so(file: Path, home: Path, said: Say) -> None:
    """A ledger that came without its checkpoint is trusted once, if its chain is whole; then it is held against it."""
    assert said() == []
    beside(file).unlink()
    shutil.rmtree(home)
    assert notes(file) == [0, 1, 2]
    [remark] = said()
    assert "first use here: all 4 entries were verified" in remark
    assert notes(file) == [0, 1, 2]
    assert said() == []
    assert beside(file).exists()


def test_a_moved_ledger_takes_its_checkpoint_along(file: Path, tmp_path: Path, said: Say) -> None:
    """Under another name it is no first use."""
    shutil.move(file.parent, tmp_path / "elsewhere")
    moved = tmp_path / "elsewhere" / "ledger.db"
    assert notes(moved) == [0, 1, 2]
    assert said() == []


def test_an_older_copy_with_its_own_checkpoint_is_refused(file: Path, tmp_path: Path) -> None:
    """Both files are right in themselves: the settings directory knows that there was more."""
    shutil.copytree(file.parent, tmp_path / "older")
    append(file, 3)
    shutil.copytree(tmp_path / "older", file.parent, dirs_exist_ok=True)
    with pytest.raises(
        LedgerBrokenError, match=r"entry 4: it is missing: the ledger was cut short.* --reset --as NAME"
    ):
        notes(file)


def test_a_link_to_an_older_copy_is_refused(file: Path, tmp_path: Path) -> None:
    """It is the place that counts, as the user names it."""
    shutil.copytree(file.parent, tmp_path / "older")
    append(file, 3)
    shutil.rmtree(file.parent)
    file.parent.symlink_to(tmp_path / "older")
    with pytest.raises(LedgerBrokenError, match="entry 4: it is missing"):
        notes(file)


SPELLINGS = (
    "relative",
    "double slash",
    "dots",
    "dots through a link",
    "linked folder",
    "linked file",
    "uri",
    "encoded",
)


def spelt(file: Path, how: str, elsewhere: Path) -> str:
    """Return another address of the same file; the working directory is that of the file."""
    match how:
        case "relative":
            return f"sqlite:///{file.name}"
        case "double slash":
            return f"sqlite:////{file.parent}//./{file.name}"
        case "dots":
            return f"sqlite:///{file.parent}/../{file.parent.name}/{file.name}"
        case "uri":
            return f"sqlite:///file:{file}?uri=true"
        case "encoded":
            return f"sqlite:///file:{str(file).replace('ledger', 'l%65dger')}?uri=true"
        case "linked file":
            (elsewhere / "link.db").symlink_to(file)
            return url(elsewhere / "link.db")
    (elsewhere / "link").symlink_to(file.parent)
    return url(elsewhere / "link" / file.name)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("how", SPELLINGS)
def test_an_older_copy_is_refused_however_its_place_is_spelt(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, *, first: bool
) -> None:
    """It is known by where it really is, whether this spelling was used before the copy was put there or not."""
    shutil.copytree(file.parent, tmp_path / "older")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(file.parent)
    address = spelt(file, how, elsewhere)
    if first:
        assert cli.invoke(["runs", "--ledger", address]) == 0
    append(file, 3)
    shutil.copytree(tmp_path / "older", file.parent, dirs_exist_ok=True)
    for named in (address, url(file)):
        assert cli.invoke(["runs", "--ledger", named]) == 4
        with pytest.raises(LedgerBrokenError, match="entry 4: it is missing"):
            open_ledger(named)


def test_a_file_linked_to_an_older_copy_is_refused(file: Path, tmp_path: Path) -> None:
    """The place that the user names is known as well as the one where the file is."""
    shutil.copytree(file.parent, tmp_path / "older")
    append(file, 3)
    file.unlink()
    file.symlink_to(tmp_path / "older" / "ledger.db")
    with pytest.raises(LedgerBrokenError, match="entry 4: it is missing"):
        notes(file)


def test_a_copy_that_went_another_way_is_refused(file: Path, tmp_path: Path) -> None:
    """A copy that was added to elsewhere, with a good checkpoint of its own, does not pass for this one."""
    shutil.copytree(file.parent, tmp_path / "fork")
    append(file, "here")
    for number in range(3):
        append(tmp_path / "fork" / "ledger.db", number)
    shutil.copytree(tmp_path / "fork", file.parent, dirs_exist_ok=True)
    with pytest.raises(LedgerBrokenError, match="entry 4: it is not the entry that the checkpoint names"):
        notes(file)


def test_another_ledger_in_its_place_is_refused(file: Path, tmp_path: Path, said: Say) -> None:
    """A new chain with a new name is no way around; who starts a new ledger in the same place may."""
    with open_ledger(url(tmp_path / "other.db"), at=AT):
        pass
    shutil.copy(tmp_path / "other.db", file)
    for _ in range(2):
        with pytest.raises(LedgerBrokenError, match="but ledger-test was here before: another ledger was put in"):
            notes(file)
        beside(file).unlink(missing_ok=True)
    file.unlink()
    with open_ledger(url(file), at=AT):
        pass
    assert "a new ledger was made; ledger-test with 4 entries was here before" in said()[-1]
    assert notes(file) == []
    assert said() == []


def test_a_deleted_checkpoint_is_noticed(file: Path, said: Say) -> None:
    """The one in the settings directory takes its place, and still shows a cut."""
    beside(file).unlink()
    assert notes(file) == [0, 1, 2]
    assert ["the checkpoint beside it was gone" in remark for remark in said()] == [True]
    assert beside(file).exists()


@pytest.mark.parametrize("change", ["edited", "damaged", "empty"])
def test_a_changed_checkpoint_is_refused(file: Path, change: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What our key signed must be as it was; the way out is recorded in the ledger."""
    content = beside(file).read_bytes()
    changed = {"edited": content.replace(b'"sequence":3', b'"sequence":2'), "damaged": content[:50], "empty": b""}
    beside(file).write_bytes(changed[change])
    assert cli.invoke(["runs", "--ledger", url(file)]) == 4
    err = capsys.readouterr().err
    assert f"the checkpoint {beside(file)} " in err
    assert "accept: plumbrule ledger checkpoint --reset --as NAME" in err
    assert cli.invoke(["ledger", "verify", "--ledger", url(file)]) == 1
    assert cli.invoke(["ledger", "checkpoint", "--reset", "--as", "Ada", "--ledger", url(file)]) == 0
    assert "accepted as it is by Ada, and recorded" in capsys.readouterr().out
    with open_ledger(url(file)) as ledger:
        [note] = ledger.entries(subject="checkpoint")
    assert str(beside(file)) in note.value["before"]


def test_a_broken_chain_cannot_be_accepted(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody can vouch for an entry that does not fit its own hash."""
    with open_ledger(url(file), checked=False) as ledger, ledger.engine.begin() as connection:
        connection.exec_driver_sql("DROP TRIGGER entries_refuse_update")
        connection.exec_driver_sql("UPDATE entries SET body = '7' WHERE sequence = 2")
    assert cli.invoke(["ledger", "checkpoint", "--reset", "--as", "Ada", "--ledger", url(file)]) == 4
    assert "entry 2: its body is not the one that was written: it cannot be accepted" in capsys.readouterr().err


def test_who_accepts_may_stand_in_the_settings(file: Path, home: Path) -> None:
    """``user.name`` is who you are where nothing else says so."""
    (home / "plumbrule" / "settings.toml").write_text('[user]\nname = "Bo"\n', encoding="utf-8")
    assert cli.invoke(["ledger", "checkpoint", "--reset", "--ledger", url(file)]) == 0
    with open_ledger(url(file)) as ledger:
        assert [entry.author for entry in ledger.entries(subject="checkpoint")] == ["Bo"]


def test_another_users_checkpoint_is_first_use(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Say
) -> None:
    """Its signature proves nothing here, which is said once; each user goes by their own from then on."""
    move_home(monkeypatch, tmp_path / "second")
    append(file, 3)
    [remark] = said()
    assert "first use here; its checkpoint is signed by another key: all 4 entries were verified" in remark
    move_home(monkeypatch, tmp_path / "home")
    append(file, 4)
    move_home(monkeypatch, tmp_path / "second")
    assert notes(file) == [0, 1, 2, 3, 4]
    assert said() == []


def test_another_users_checkpoint_is_held_all_the_same(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger that is shorter than any checkpoint says was cut."""
    shutil.copy(file, tmp_path / "older.db")
    append(file, 3)
    shutil.copy(tmp_path / "older.db", file)
    move_home(monkeypatch, tmp_path / "second")
    with pytest.raises(LedgerBrokenError, match="entry 4: it is missing"):
        notes(file)


def test_a_key_that_was_named_is_the_only_one_trusted(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Say
) -> None:
    """Machines that share a key hold a ledger against the checkpoint that goes with it, from the first use on."""
    key = tmp_path / "shared.key"
    key.write_text("a secret of the whole team\n", encoding="utf-8")
    monkeypatch.setenv("PLUMBRULE_LEDGER_KEY", str(key))
    with pytest.raises(LedgerBrokenError, match=r"is signed by another key \(\w{16}\) than the one that you name"):
        notes(file)
    assert cli.invoke(["ledger", "checkpoint", "--reset", "--as", "Ada", "--ledger", url(file)]) == 0
    older = file.read_bytes()
    append(file, 3)
    said()
    move_home(monkeypatch, tmp_path / "second")
    assert notes(file)[-1] == 3
    assert not any("first use" in remark for remark in said())
    file.write_bytes(older)
    move_home(monkeypatch, tmp_path / "third")
    with pytest.raises(LedgerBrokenError, match="entry 5: it is missing"):
        notes(file)


@pytest.mark.parametrize(("content", "message"), [(None, "cannot be read: No such file"), ("short", "is no key")])
def test_a_named_key_must_be_there(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, message: str
) -> None:
    """A mistake in its path must not end in a new key."""
    if content is not None:
        (tmp_path / "k").write_text(content, encoding="utf-8")
    monkeypatch.setenv("PLUMBRULE_LEDGER_KEY", str(tmp_path / "k"))
    with pytest.raises(UsageError, match=message):
        notes(file)


def test_a_key_in_the_settings(file: Path, home: Path, tmp_path: Path) -> None:
    """The settings file names it as well."""
    (tmp_path / "team.key").write_text("0123456789abcdef", encoding="utf-8")
    (home / "plumbrule" / "settings.toml").write_text(f'[ledger]\nkey = "{tmp_path}/team.key"\n', encoding="utf-8")
    with pytest.raises(LedgerBrokenError, match="than the one that you name"):
        notes(file)


def test_a_lost_key_is_first_use_again(file: Path, home: Path, said: Say) -> None:
    """Without the key nothing is proved: the chain is verified whole, and that is said."""
    shutil.rmtree(home)
    assert notes(file) == [0, 1, 2]
    assert ["signed by another key" in remark for remark in said()] == [True]


@pytest.mark.parametrize("change", ["edited", "removed"])
def test_an_edited_key_opens_no_older_copy(file: Path, home: Path, tmp_path: Path, change: str) -> None:
    """What another key signed is held all the same: every such checkpoint, not only the one of the older copy."""
    shutil.copytree(file.parent, tmp_path / "older")
    append(file, 3)
    key = next(home.rglob("ledger.key"))
    if change == "edited":
        key.write_text(f"{'0' * 64}\n")
    else:
        key.unlink()
    shutil.copytree(tmp_path / "older", file.parent, dirs_exist_ok=True)
    for _ in range(2):
        with pytest.raises(LedgerBrokenError, match="entry 4: it is missing"):
            notes(file)


def test_without_a_settings_directory_everything_is_verified(
    file: Path, monkeypatch: pytest.MonkeyPatch, said: Say
) -> None:
    """Nothing can be kept; reading works, and says so."""
    move_home(monkeypatch, Path("/dev/null"))
    assert notes(file) == [0, 1, 2]
    assert ["no checkpoint can be kept" in remark for remark in said()] == [True]
    with pytest.raises(UsageError, match="no checkpoint can be kept"):
        open_and_reset(file)


def open_and_reset(path: Path) -> None:
    """Accept a ledger as it is."""
    from plumbrule.api.ledger import reset_checkpoint  # noqa: PLC0415 - of a layer above

    reset_checkpoint(url(path), "Ada", at=AT)


def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    file: Path, monkeypatch: pytest.MonkeyPatch, said: Say
) -> None:
    """The settings directory keeps what the folder does not take, and it is said."""
    beside(file).unlink()
    whole = written_whole

    def refused(path: Path, *, private: bool) -> Any:
        if path == beside(file):
            raise UsageError(f"{path}: cannot be written: Read-only file system")
        return whole(path, private=private)

    monkeypatch.setattr(state_files, "written_whole", refused)
    append(file, 3)
    assert f"a checkpoint could not be written: {beside(file)}" in said()[-1]
    assert notes(file) == [0, 1, 2, 3]


@pytest.mark.parametrize("kept", [9, 4, 1])
def test_a_killed_process_gives_no_alarm(tmp_path: Path, kept: int) -> None:
    """Whether the checkpoint was kept before the last append, after it, or not at all."""
    path = tmp_path / "l.db"
    done = subprocess.run([sys.executable, "-c", APPEND_AND_DIE, url(path), str(kept)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert notes(path) == [0, 1, 2, 3, 4]


def test_a_truncated_log_is_found(tmp_path: Path) -> None:
    """Entries that were acknowledged and stood in SQLite's write-ahead log only."""
    path = tmp_path / "l.db"
    subprocess.run([sys.executable, "-c", APPEND_AND_DIE, url(path), "4"], check=False)
    log = tmp_path / "l.db-wal"
    assert log.stat().st_size
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size // 2)
    with pytest.raises(LedgerBrokenError, match="it is missing: the ledger was cut short, a checkpoint names entry 5"):
        notes(path)


def test_processes_at_once_keep_the_latest_checkpoint(file: Path) -> None:
    """None of them gives a false alarm, and both files end where the ledger does."""
    names = ("a", "b", "c")
    writers = [
        subprocess.Popen([sys.executable, "-c", APPEND_OFTEN, url(file), name], stderr=subprocess.PIPE, text=True)
        for name in names
    ]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0)] * 3
    with open_ledger(url(file), checked=False) as ledger:
        last = ledger.checkpoint()
    kept = [beside(file), *(settings_directory() / "checkpoints").glob("*.json")]
    assert [kept_upto(path) for path in kept] == [last.sequence] * 2
    assert last.sequence == 3 + 36


def test_a_long_run_keeps_checkpoints_on_its_way(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with every append, but not only at its end either."""
    with open_ledger(url(file)) as ledger:
        ledger.append("note", "n", 3, "ana", at=AT)
        assert kept_upto(beside(file)) == 3
        monkeypatch.setattr("plumbrule.ledger.chain_watch._KEEP_EVERY_S", 0.0)
        ledger.append("note", "n", 4, "ana", at=AT)
        assert kept_upto(beside(file)) == 5


def test_a_checkpoint_elsewhere_is_signed(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It holds later; a change of it is found by those who have the key."""
    end = tmp_path / "end.json"
    assert cli.invoke(["ledger", "checkpoint", "--to", str(end), "--ledger", url(file)]) == 0
    out = capsys.readouterr().out
    assert "entry 3, " in out
    assert ", signed by key " in out
    append(file, 3)
    assert cli.invoke(["ledger", "verify", "--checkpoint", str(end), "--ledger", url(file)]) == 0
    assert cli.invoke(["ledger", "checkpoint", "--json", "--ledger", url(file)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["sequence"] == 4
    end.write_bytes(end.read_bytes().replace(b'"sequence":3', b'"sequence":2'))
    assert cli.invoke(["ledger", "verify", "--checkpoint", str(end), "--ledger", url(file)]) == InputError.exit_code
    assert "it was changed" in capsys.readouterr().err


def test_a_long_chain_is_located_between_anchors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint stays small: it names every entry of a small ledger, and every nth of a large one."""
    monkeypatch.setattr("plumbrule.ledger.chain_state._MOST_ANCHORS", 8)
    path = tmp_path / "l.db"
    with open_ledger(url(path), at=AT, ledger_id="ledger-test") as ledger:
        for number in range(40):
            ledger.append("note", "n", number, "ana", at=AT)
    assert len(json.loads(beside(path).read_bytes())["anchors"]) <= 8
    path.unlink()
    with open_ledger(url(path), at=AT, ledger_id="ledger-test", checked=False) as ledger:
        for number in range(40):
            ledger.append("note", "n", number if number < 20 else -number, "ana", at=AT)
    with pytest.raises(LedgerBrokenError, match=r"entry 24: it is not .* written again from an entry after 16"):
        notes(path)


def test_a_checkpoint_of_very_many_runs_is_read(home: Path) -> None:
    """A ledger of 200,000 runs has a checkpoint of more than 16 MB, and each place that it is kept in has the same."""
    key = state_files.signing_key()
    assert key is not None
    scopes = {("result", f"run-{number:06}/0"): (5, "a" * 64) for number in range(200_000)}
    state = ChainState(ledger_id="ledger-1", sequence=1_000_000, entry_sha256="b" * 64, scopes=scopes)
    files = state_files.StateFiles(key, places=("one", "another"), beside=None)
    assert files.write(state) == ()
    assert [path.stat().st_size > 1 << 24 for path in (home / "plumbrule" / "checkpoints").glob("*.json")] == [True] * 2
    assert files.read().own == (state,)
    assert files.last_known() == state
