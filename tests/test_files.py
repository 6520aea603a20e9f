"""A file is written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.files import as_listed, written_new, written_whole


def write(path: Path, content: bytes) -> None:
    """Write a file whole."""
    with written_whole(path) as file:
        file.write(content)


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    """Nothing stands under the name before the end, and nothing else after it."""
    path = tmp_path / "out.jsonl"
    with written_whole(path) as file:
        file.write(b"first")
        assert not path.exists()
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    """An existing file keeps its content, and no part file stays behind."""
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old")
    with pytest.raises(error), written_whole(path) as file:  # noqa: PT012 - it is written to before it fails
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_makes_no_file(tmp_path: Path) -> None:
    """Where nothing was, nothing is."""
    with pytest.raises(ValueError, match="midway"), written_whole(tmp_path / "out.jsonl"):
        raise ValueError("midway")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    """A shorter result leaves nothing of the longer one before."""
    path = tmp_path / "out.jsonl"
    write(path, b"long content")
    write(path, b"short")
    assert path.read_bytes() == b"short"


def test_a_name_in_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path without a folder is one here."""
    monkeypatch.chdir(tmp_path)
    write(Path("out.jsonl"), b"x")
    assert (tmp_path / "out.jsonl").read_bytes() == b"x"


@pytest.mark.parametrize(
    ("place", "why"), [("missing/out.jsonl", "No such file or directory"), ("folder", "it is a directory")]
)
def test_a_place_that_cannot_be_written(tmp_path: Path, place: str, why: str) -> None:
    """The error names the path and the reason."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError) as caught:
        write(tmp_path / place, b"x")
    assert str(caught.value) == f"{tmp_path / place}: cannot be written: {why}"


def test_a_parent_that_is_a_file(tmp_path: Path) -> None:
    """A file is no folder."""
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(UsageError, match="cannot be written"):
        write(tmp_path / "file" / "out.jsonl", b"x")


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    """The user's umask decides, as for any other file."""
    before = os.umask(0o027)
    try:
        write(tmp_path / "out.jsonl", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o640


def test_an_existing_file_keeps_its_mode(tmp_path: Path) -> None:
    """A private file does not become readable to all by being written again."""
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_is_written_through(tmp_path: Path) -> None:
    """The file behind a symbolic link gets the content; the link stays one."""
    path, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
    path.write_bytes(b"old")
    link.symlink_to(path)
    write(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    """A pipe, as /dev/null or /dev/stdout would be, stays what it is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        try:
            write(pipe, b"new")
        except UsageError:
            pass
        else:
            assert os.read(reader, 10) == b"new"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


def test_a_path_as_its_folders_list_it(tmp_path: Path) -> None:
    """Where a name is not listed and one that differs only in case is, the file system ignores case."""
    (tmp_path / "Folder").mkdir()
    (tmp_path / "Folder" / "Ledger.db").touch()
    listed = tmp_path / "Folder" / "Ledger.db"
    assert as_listed(listed) == listed
    assert as_listed(tmp_path / "fOLDER" / "ledger.DB") == listed
    (tmp_path / "Folder" / "LEDGER.db").touch()
    names = [child.name for child in (tmp_path / "Folder").iterdir()]
    if len(names) == 2:  # case counts here
        assert as_listed(tmp_path / "Folder" / "LEDGER.db").name == "LEDGER.db"
        assert as_listed(tmp_path / "Folder" / "new.db").name == "new.db"


def test_a_new_file_is_never_written_over(tmp_path: Path) -> None:
    """A file that is there stays as it is, and one that could not be finished is not there."""
    path = tmp_path / "answers.jsonl"
    with written_new(path) as file:
        file.write(b"first")
    with pytest.raises(UsageError, match="is not written over"), written_new(path) as file:
        file.write(b"second")
    assert path.read_bytes() == b"first"
    with pytest.raises(RuntimeError), written_new(tmp_path / "other"):
        raise RuntimeError
    assert [file.name for file in tmp_path.iterdir()] == ["answers.jsonl"]
