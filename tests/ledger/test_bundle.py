"""An audit bundle is checked by Python alone, and no byte of it can be changed unseen."""

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule.ledger import Ledger, LedgerBrokenError, open_ledger, verify_bundle, write_bundle
from plumbrule.ledger.checkpoint import Checkpoint

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
RUN = "run-1"
STRIDE = 61  # every so many bytes one is changed


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Return a ledger with a run, and with what is none of its business before and after it."""
    folder = tmp_path_factory.mktemp("ledger")
    with open_ledger(f"sqlite:///{folder}/ledger.db", at=AT) as opened:
        opened.append("note", "private", {"text": "a secret of others"}, "ana", at=AT)
        opened.append("run", RUN, {"summary": {"name": "r"}}, "plumbrule run", at=AT)
        opened.append("rubric", f"{RUN}/rubrics/verdict", {"content": {"a": 1e16}}, "plumbrule run", at=AT)
        for number in range(3):
            opened.append("result", f"{RUN}/0/{number}", {"score": number / 3, "é": "\u2028"}, "plumbrule run", at=AT)
        opened.append("run", "run-10", {"summary": {"name": "other"}}, "plumbrule run", at=AT)
        yield opened


@pytest.fixture(scope="module")
def bundle(ledger: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bundle of the run."""
    path = tmp_path_factory.mktemp("bundle") / "audit.zip"
    write_bundle(ledger, RUN, path, checkpoint=ledger.checkpoint(), reports={"report.html": b"<p>report</p>"})
    return path


def written_again(bundle: Path, path: Path, changed: dict[str, bytes]) -> Path:
    """Write a bundle with other content in some of its files, as somebody who knows archives would."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, changed.get(name, old.read(name)))
    return path


def test_what_is_in_it(bundle: Path, ledger: Ledger) -> None:
    """The run is there whole, of everything else there are hashes; the README names each file."""
    held = verify_bundle(bundle)
    with zipfile.ZipFile(bundle) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}

    assert (held.run_id, held.entries, held.entries_of_run) == (RUN, 8, 5)
    assert held.ledger_id == ledger.ledger_id
    assert not any(b"a secret of others" in content or b'other"' in content for content in contents.values())
    assert [json.loads(line)["score"] for line in contents["results.jsonl"].splitlines()] == [0, 1 / 3, 2 / 3]
    assert json.loads(contents["rubrics/verdict.json"])["content"] == {"a": 1e16}
    assert all(f"`{name}`".encode() in contents["README.md"] for name in contents)


def test_the_same_ledger_gives_the_same_bytes(bundle: Path, ledger: Ledger, tmp_path: Path) -> None:
    """A bundle that is made again is the same file."""
    again = tmp_path / "again.zip"
    write_bundle(ledger, RUN, again, checkpoint=ledger.checkpoint(), reports={"report.html": b"<p>report</p>"})

    assert again.read_bytes() == bundle.read_bytes()


def run_script(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a bundle without any package, not even those of the site."""
    return subprocess.run(  # noqa: PLW1510 - the exit code is what is looked at
        [sys.executable, "-I", "-S", "verify.py", *arguments], cwd=folder, capture_output=True, text=True
    )


def test_python_alone_checks_it(bundle: Path, ledger: Ledger, tmp_path: Path) -> None:
    """In an empty directory with the bundle alone: whole, or broken with exit code 1 and the reason."""
    shutil.copy(bundle, tmp_path / "audit.zip")
    with zipfile.ZipFile(bundle) as archive:
        archive.extract("verify.py", tmp_path)
    (tmp_path / "kept.json").write_text(json.dumps(ledger.checkpoint(1).content()))
    done = run_script(tmp_path, "audit.zip", "kept.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"whole: audit.zip: run {RUN}, 5 of 8 entries of ")

    results = b'{"score":1}\n' * 3
    written_again(bundle, tmp_path / "forged.zip", {"results.jsonl": results})
    done = run_script(tmp_path, "forged.zip")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "broken: forged.zip: results.jsonl is not the file that was bundled\n"


def test_any_byte_that_is_changed_is_found(bundle: Path, tmp_path: Path) -> None:
    """In each file of the bundle, whether the archive was written again or not, a change is found."""
    whole = bundle.read_bytes()
    path = tmp_path / "changed.zip"
    with zipfile.ZipFile(bundle) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    for name, content in contents.items():
        for at in {*range(0, len(content), STRIDE), len(content) - 1}:
            changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            with pytest.raises(LedgerBrokenError):
                verify_bundle(written_again(bundle, path, {name: changed}))
        start = whole.index(content)
        path.write_bytes(whole[:start] + bytes([whole[start] ^ 1]) + whole[start + 1 :])
        with pytest.raises(LedgerBrokenError):
            verify_bundle(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_is_no_bundle() -> None:
    """What can be read without end is not begun."""
    with pytest.raises(LedgerBrokenError, match="not a regular file"):
        verify_bundle(Path("/dev/zero"))


def test_a_file_less_or_more_is_found(bundle: Path, tmp_path: Path) -> None:
    """Nothing can be taken away from a bundle, or put into it."""
    path = tmp_path / "changed.zip"
    shutil.copy(bundle, path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.txt", b"")
    with pytest.raises(LedgerBrokenError, match="not those of its manifest"):
        verify_bundle(path)
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist()[1:]:
            new.writestr(name, old.read(name))
    with pytest.raises(LedgerBrokenError, match="not those of its manifest"):
        verify_bundle(path)


def test_a_chain_that_is_forged_throughout_does_not_hold_a_kept_checkpoint(
    bundle: Path, ledger: Ledger, tmp_path: Path
) -> None:
    """Another ledger with a run of the same name is whole in itself; a checkpoint kept elsewhere tells it apart."""
    forged = tmp_path / "forged.zip"
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as other:
        other.append("run", RUN, {"summary": {"name": "forged"}}, "plumbrule run", at=AT)
        write_bundle(other, RUN, forged, checkpoint=other.checkpoint())
    kept = ledger.checkpoint(3)

    assert verify_bundle(bundle, kept).run_id == RUN
    assert verify_bundle(forged).run_id == RUN
    with pytest.raises(LedgerBrokenError, match="of another ledger"):
        verify_bundle(forged, kept)
    longer = Checkpoint(**{**kept.content(), "sequence": 99})
    with pytest.raises(LedgerBrokenError, match="ends before the checkpoint"):
        verify_bundle(bundle, longer)
    other_hash = Checkpoint(**{**kept.content(), "entry_sha256": "0" * 64})
    with pytest.raises(LedgerBrokenError, match="not the chain of the checkpoint"):
        verify_bundle(bundle, other_hash)
