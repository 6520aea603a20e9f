"""A folder of chunk files holds what one file would, and is gone on with where it was left."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import orjson
import pytest

from plumbrule.api.scoring import score_file, score_into_folder, verdict_rules
from plumbrule.engines.chunks import Chunk, DoneChunk, Task
from plumbrule.engines.local_processes import LocalEngine
from plumbrule.errors import InputError, UsageError
from plumbrule.rubrics import Loaded, VerdictRubric
from plumbrule.samples import DatasetFile, Sample

RULES = verdict_rules(claims=False)


class CountedEngine:
    """Runs chunks in this process, notes which, and fails after so many."""

    def __init__(self, most: int = 1000) -> None:
        self.run: list[int] = []
        self._most = most

    def __call__(
        self, make_task: Callable[[], Task[Sample, object]], chunks: Iterable[Chunk[Sample]]
    ) -> Iterator[DoneChunk[Sample, object]]:
        """Yield each chunk when it is done."""
        for done in LocalEngine()(make_task, chunks):
            if len(self.run) == self._most:
                raise KeyboardInterrupt
            self.run.append(done.chunk.first)
            yield done


def score(dataset: Path, folder: Path, rules: Loaded[VerdictRubric] = RULES, most: int = 1000) -> list[int]:
    """Score into a folder, and return the first sample of each chunk that was scored."""
    engine = CountedEngine(most)
    scored = score_into_folder(DatasetFile(dataset), str(folder), engine=engine, rules=rules, chunk_size=20)  # type: ignore[arg-type]  # it runs one kind of task
    assert scored == score_file(DatasetFile(dataset), rules=rules)
    return engine.run


def content(folder: Path) -> bytes:
    """Return all chunk files one after another."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("verdicts-*.jsonl")))


def whole(dataset: Path, tmp_path: Path) -> bytes:
    """Return what one file would hold."""
    score_file(DatasetFile(dataset), rules=RULES, into=tmp_path / "whole.jsonl")
    return (tmp_path / "whole.jsonl").read_bytes()


def test_the_files_are_one_file_in_pieces(dataset: Path, tmp_path: Path) -> None:
    """Byte for byte, with the same summary and the same worst samples."""
    assert score(dataset, tmp_path / "out") == [1, 21, 41, 61, 81]
    assert content(tmp_path / "out") == whole(dataset, tmp_path)


def test_the_manifest_says_what_is_there(dataset: Path, tmp_path: Path) -> None:
    """Two runs give the same manifest: no time and no machine stands in it."""
    for name in ("one", "two"):
        score(dataset, tmp_path / name)
    manifest = (tmp_path / "one" / "manifest.json").read_bytes()
    assert manifest == (tmp_path / "two" / "manifest.json").read_bytes()
    record = orjson.loads(manifest)
    assert record["complete"] is True
    assert record["input"] == {"source": str(dataset), "bytes": dataset.stat().st_size, "bad_records": 0}
    assert record["rubric"] == RULES.stamp()
    assert [entry["rows"] for entry in record["chunks"]] == [20, 20, 20, 20, 10]


def test_what_is_there_is_not_done_again(dataset: Path, tmp_path: Path) -> None:
    """After an interruption only the rest is scored, and the second time nothing; the summary is that of all."""
    with pytest.raises(KeyboardInterrupt):
        score(dataset, tmp_path / "out", most=2)
    assert orjson.loads((tmp_path / "out" / "manifest.json").read_bytes())["complete"] is False
    assert score(dataset, tmp_path / "out") == [41, 61, 81]
    assert score(dataset, tmp_path / "out") == []
    assert content(tmp_path / "out") == whole(dataset, tmp_path)


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"{}\n")])
def test_a_chunk_that_is_not_right_is_done_again(
    dataset: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    """One that is missing, and one with other bytes than were written."""
    score(dataset, tmp_path / "out")
    damage(tmp_path / "out" / "verdicts-00000001.jsonl")
    assert score(dataset, tmp_path / "out") == [21]
    assert content(tmp_path / "out") == whole(dataset, tmp_path)


LIES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "no JSON": lambda lines: [b"{" for _ in lines],
    "no verdicts": lambda lines: [b"{}" for _ in lines],
    "fewer": lambda lines: lines[:-1],
    "of other samples": lambda lines: lines[::-1],
}


@pytest.mark.parametrize("lie", LIES)
def test_a_chunk_that_the_manifest_is_wrong_about_is_done_again(dataset: Path, tmp_path: Path, lie: str) -> None:
    """Its bytes are those that the manifest names, and are not the verdicts of its samples."""
    score(dataset, tmp_path / "out")
    chunk, manifest = tmp_path / "out" / "verdicts-00000001.jsonl", tmp_path / "out" / "manifest.json"
    right = manifest.read_bytes()
    text = b"".join(line + b"\n" for line in LIES[lie](chunk.read_bytes().splitlines()))
    chunk.write_bytes(text)
    entries = orjson.loads(right)
    entries["chunks"][0]["rows"] = 7
    entries["chunks"][1] |= {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
    manifest.write_bytes(orjson.dumps(entries))
    assert score(dataset, tmp_path / "out") == [1, 21]
    assert content(tmp_path / "out") == whole(dataset, tmp_path)
    assert manifest.read_bytes() == right


def test_what_is_no_file_stays(dataset: Path, tmp_path: Path) -> None:
    """A folder with the name of a chunk of another input is nobody's chunk; a pipe in place of one is told."""
    (tmp_path / "verdicts-00000099.jsonl").mkdir()
    score(dataset, tmp_path)
    assert (tmp_path / "verdicts-00000099.jsonl").is_dir()
    (tmp_path / "verdicts-00000001.jsonl").unlink()
    os.mkfifo(tmp_path / "verdicts-00000001.jsonl")
    with pytest.raises(UsageError, match="cannot be read: it is not a regular file"):
        score(dataset, tmp_path)


def test_a_changed_dataset_is_scored_where_it_changed(dataset: Path, tmp_path: Path) -> None:
    """A changed sample, samples that are added, and samples that are gone."""
    lines = dataset.read_bytes().splitlines(keepends=True)
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(b"".join(lines[:70]))
    assert score(changed, tmp_path / "out") == [1, 21, 41, 61]
    changed.write_bytes(b"".join(lines).replace(b'"q25"', b'"other"'))
    assert score(changed, tmp_path / "out") == [21, 61, 81]
    changed.write_bytes(b"".join(lines[:20]))
    assert score(changed, tmp_path / "out") == []
    assert content(tmp_path / "out") == whole(changed, tmp_path)


def test_verdicts_of_another_rubric_are_not_mixed(dataset: Path, tmp_path: Path) -> None:
    """The folder stays as it is."""
    score(dataset, tmp_path / "out")
    before = content(tmp_path / "out")
    other = verdict_rules(overrides={"relevance.fail_below": 0.9}, claims=False)
    with pytest.raises(UsageError, match="were made with another rubric: name another folder"):
        score(dataset, tmp_path / "out", other)
    assert content(tmp_path / "out") == before


def test_a_manifest_that_is_none_is_told(dataset: Path, tmp_path: Path) -> None:
    """It is not written over."""
    (tmp_path / "manifest.json").write_bytes(b"{")
    with pytest.raises(InputError, match=r"manifest\.json: is not JSON"):
        score(dataset, tmp_path)
