"""Datasets are read from an object store and verdicts written to it, as on a disk."""

from collections.abc import Iterator
from pathlib import Path

import fsspec
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.servers.object_store import s3_server

from plumbrule.api.scoring import score_file, score_into_folder, verdict_rules
from plumbrule.errors import InputError, UsageError
from plumbrule.object_stores import UrlFolder, is_url
from plumbrule.samples import DatasetFile

RULES = verdict_rules(claims=False)
ROWS = [
    {"id": f"q{number}", "question": "Fee?", "answer": f"The fee is ${number}.", "contexts": ["The fee is $3."]}
    for number in range(50)
]


@pytest.fixture(scope="module")
def store() -> Iterator[fsspec.AbstractFileSystem]:
    """Give a store with a bucket."""
    with pytest.MonkeyPatch.context() as monkeypatch, s3_server(monkeypatch):
        store = fsspec.filesystem("s3")
        store.clear_instance_cache()
        store.mkdir("bucket")
        yield store
        store.clear_instance_cache()


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_store_takes_and_gives_what_a_disk_does(
    store: fsspec.AbstractFileSystem, tmp_path: Path, suffix: str
) -> None:
    """The same bytes and the same summary, and what is there is not done again."""
    table = pa.Table.from_pylist(ROWS)
    local = tmp_path / f"answers.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, local)
    else:
        local.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ROWS))
    store.put_file(str(local), f"bucket/answers.{suffix}")
    expected = score_file(DatasetFile(local), rules=RULES, into=tmp_path / "verdicts.jsonl")
    dataset = DatasetFile(f"s3://bucket/answers.{suffix}")
    for _ in range(2):
        scored = score_into_folder(dataset, f"s3://bucket/{suffix}/", rules=RULES, chunk_size=20)
        assert scored.summary == expected.summary
    names = ["verdicts-00000000.jsonl", "verdicts-00000001.jsonl", "verdicts-00000002.jsonl"]
    folder = UrlFolder(f"s3://bucket/{suffix}")
    assert folder.names() == ["manifest.json", *names]
    assert b"".join(folder.read(name) or b"" for name in names) == (tmp_path / "verdicts.jsonl").read_bytes()


def test_what_is_not_there_is_told(store: fsspec.AbstractFileSystem) -> None:
    """A missing file, a missing bucket, a file system that nobody knows: one line each."""
    assert store.exists("bucket")
    with pytest.raises(InputError, match=r"s3://bucket/none\.jsonl: no such file"):
        score_file(DatasetFile("s3://bucket/none.jsonl"), rules=RULES)
    with pytest.raises(UsageError, match="s3://nowhere/out/: "):
        UrlFolder("s3://nowhere/out/").write("a", b"")
    with pytest.raises(UsageError, match="nosuch://a/b: "):
        UrlFolder("nosuch://a/b")


def test_a_path_is_no_address() -> None:
    """A file of this machine is opened as such, whatever its name."""
    assert is_url("s3://bucket/a.jsonl")
    assert not is_url("s3/a.jsonl")
    assert not is_url("C:/a.jsonl")
    assert not is_url("-")
