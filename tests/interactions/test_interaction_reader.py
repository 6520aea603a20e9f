"""Interactions are read from real files in any mix; what does not fit is counted and named, never lost."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from plumbrule.demo import samples_path
from plumbrule.errors import InputError, UsageError
from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.interaction_reader import InteractionReading, read_interactions
from plumbrule.suites import corpus_path

Put = Callable[[str, object], Path]

ONE = "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"
TWO = "5d1f2c3b-9a51-4f43-8b7e-3a1f0f2c9d22"


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Return a function that writes a record as JSON, a list as JSON Lines, or text as it is, below one folder."""

    def write(name: str, content: object) -> Path:
        path = tmp_path / "evidence" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, list):
            content = b"".join(orjson.dumps(record) + b"\n" for record in content)
        elif isinstance(content, dict):
            content = orjson.dumps(content)
        elif isinstance(content, str):
            content = content.encode()
        assert isinstance(content, bytes)
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


def response(trace_id: str = ONE, **changes: Any) -> dict[str, Any]:
    """Return a response that keeps to the contract."""
    return {
        "trace_id": trace_id,
        "timestamp": "2025-01-06T18:09:25Z",
        "query": "What is the fee?",
        "grounding_status": "FULLY_GROUNDED",
        "answer": "The fee is $25 [1].",
        "citations": [
            {
                "citation_id": 1,
                "source_id": "OPS",
                "source_title": "Fees",
                "effective_date": "2024-01-01",
                "passage": "The fee is $25.",
                "collection": "operations",
            }
        ],
        "refusal": None,
        "metadata": {"corpus_release_id": "r", "sources_consulted": 1, "model_provider": "demo"},
        **changes,
    }


def trace(trace_id: str = ONE, **retrieval: Any) -> dict[str, Any]:
    """Return the trace of such a response."""
    return {
        "trace_id": trace_id,
        "input": {"query": "What is the fee?"},
        "retrieval": {"passages_retrieved": 1, "passage_ids": ["p1"], **retrieval},
        "grounding": {"status": "FULLY_GROUNDED", "grounding_coverage": 1.0},
        "decision": {"outcome": "ANSWER"},
    }


PASSAGE = {"passage_id": "p1", "text": "The fee is $25.", "source_id": "OPS"}


def read(path: Path, passages: Path | None = None) -> tuple[list[Interaction], InteractionReading]:
    """Read everything."""
    reading = read_interactions(path, passages)
    return list(reading), reading


def codes(interactions: list[Interaction]) -> list[str]:
    """Return the codes of all findings of interactions."""
    return [finding.code for interaction in interactions for finding in interaction.findings]


def test_a_folder_in_any_mix(put: Put, tmp_path: Path) -> None:
    """Responses, traces and passages in several files and formats meet by trace id and passage id."""
    put("a/responses.jsonl", [response(ONE), response(TWO)])
    put("b/trace-2.json", trace(TWO.replace("-", "").upper()))
    put("b/more.jsonl.gz", [trace(ONE), PASSAGE])
    found, reading = read(tmp_path / "evidence")
    assert [each.sample.trace_id for each in found] == [ONE, TWO]
    assert all(each.trace is not None and each.passages_from == "trace" for each in found)
    assert [passage.text for each in found for passage in each.passages] == ["The fee is $25."] * 2
    assert codes(found) == []
    counts = {"responses": 2, "traces": 2, "joined": 2, "untraced": 0, "orphaned": 0, "bad": 0, "passages": 1}
    assert reading.counts.to_dict() == counts


@pytest.mark.parametrize(
    "content",
    [
        {"response": response(), "trace": trace(), "passages": [PASSAGE]},
        {**response(), "trace": trace(), "contexts": [PASSAGE]},
        {**trace(), **response(), "contexts": [PASSAGE]},
        [response(contexts=[PASSAGE]), trace()],
        [trace(), response(), PASSAGE],
        {"data": [trace(), response(), PASSAGE]},
    ],
    ids=["side by side", "inside", "in one object", "lines", "lines, trace first", "a list in an object"],
)
def test_one_file(put: Put, content: object) -> None:
    """A single JSON or JSONL file may hold response, trace and passages in each of these ways."""
    path = put("one.jsonl" if isinstance(content, list) else "one.json", content)
    [found], reading = read(path)
    assert found.trace is not None
    assert found.trace.grounding.grounding_coverage == 1.0
    assert [passage.id for passage in found.passages] == ["p1"]
    assert (reading.counts.joined, reading.counts.orphaned, reading.counts.bad) == (1, 0, 0)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c.jsonl", [PASSAGE, {**PASSAGE, "passage_id": "p2"}]),
        ("c.json", {"passages": [PASSAGE]}),
        ("c.json", {"p1": "The fee is $25."}),
        ("c.json", {"p1": {"text": "The fee is $25.", "source_id": "OPS"}}),
        ("c.json", {"page_content": "The fee is $25.", "metadata": {"id": "p1", "source": "OPS"}}),
    ],
    ids=["lines", "a list", "texts by id", "objects by id", "one, with metadata"],
)
def test_a_corpus_file(put: Put, name: str, content: object) -> None:
    """Passages are found by id in each of these forms."""
    [found], _ = read(put("r.jsonl", [response(), trace()]), put(f"corpus/{name}", content))
    assert [passage.text for passage in found.passages] == ["The fee is $25."]
    assert found.unresolved == ()


def test_a_corpus_folder(put: Put, tmp_path: Path) -> None:
    """One file per passage, as JSON or as text named by its id, and files of many."""
    put("corpus/p1.txt", "The fee is $25.\n")
    put("corpus/p2.json", {"id": "p2", "text": "Two."})
    put("corpus/more.jsonl", [{"id": "p3", "text": "Three."}])
    path = put("r.jsonl", [response(), trace(passage_ids=["p1", "p2", "p3"])])
    [found], reading = read(path, tmp_path / "evidence" / "corpus")
    assert [passage.text for passage in found.passages] == ["The fee is $25.", "Two.", "Three."]
    assert reading.counts.passages == 3


def test_responses_alone_and_a_corpus(put: Put) -> None:
    """Without traces the corpus's passages of the cited sources stand in, and it is said that they do."""
    other = {**PASSAGE, "passage_id": "p9", "source_id": "REC"}
    [found], _ = read(put("r.jsonl", [response()]), put("c.jsonl", [PASSAGE, other]))
    assert (found.passages_from, [passage.id for passage in found.passages]) == ("citations", ["p1"])
    assert not found.retrieval_known


def test_orphans_and_doubles(put: Put, tmp_path: Path) -> None:
    """A trace without a response, a response without a trace, and ids that stand twice are counted and named."""
    put("a.jsonl", [response(ONE), response(ONE), response(TWO)])
    put("b.jsonl", [trace(ONE), trace(ONE), trace("lonely"), {"retrieval": {}}])
    found, reading = read(tmp_path / "evidence")
    counts = reading.counts
    assert (counts.responses, counts.traces, counts.joined, counts.untraced, counts.orphaned) == (3, 4, 1, 2, 3)
    assert counts.traces == counts.joined + counts.orphaned
    assert counts.responses == counts.joined + counts.untraced
    assert counts.findings["trace_id_twice"] == 2
    assert counts.findings["trace_orphan"] == 2
    twice = [finding for each in found for finding in each.findings if finding.code == "trace_id_twice"]
    assert [finding.where.rpartition("/")[2] for finding in twice] == ["a.jsonl:2"]


def test_bad_records_are_named(put: Put, tmp_path: Path) -> None:
    """A line that is no JSON, no object, or nothing known is a finding with its place; the rest is read."""
    put("a.jsonl", orjson.dumps(response()) + b'\nnonsense\n[1]\n{"colour": "red"}\n')
    put("broken.json", '{"trace_id": ')
    put("notes.txt", "not evidence")
    found, reading = read(tmp_path / "evidence")
    assert len(found) == 1
    assert reading.counts.bad == 4
    shown = {(finding.where.rpartition("/")[2], finding.code) for finding in reading.findings}
    assert shown == {
        ("a.jsonl:2", "record_bad"),
        ("a.jsonl:3", "record_bad"),
        ("a.jsonl:4", "record_bad"),
        ("broken.json", "record_bad"),
        ("notes.txt", "file_skipped"),
    }


def test_passages_that_disagree(put: Put) -> None:
    """Two texts under one id: the first stands, and it is said."""
    [found], reading = read(put("r.jsonl", [response(), trace(), PASSAGE, {**PASSAGE, "text": "Another."}]))
    assert found.passages[0].text == "The fee is $25."
    assert [finding.code for finding in reading.findings] == ["passage_twice"]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([response(), {**response(TWO), "timestamp": "soon"}, trace(), trace(TWO)], "r.jsonl:2: timestamp 'soon'"),
        ([response()], "r.jsonl:1: there is no trace of this response"),
        ([response(), trace(), trace(TWO)], "r.jsonl:3: trace '5d1f"),
        ([response(), trace(), ["x"]], "r.jsonl:3: a record must be a JSON object"),
    ],
)
def test_strict(put: Put, records: list[Any], message: str) -> None:
    """With strict the first finding is an error with file and line."""
    path = put("r.jsonl", records)
    corpus = put("c.jsonl", [PASSAGE])
    with pytest.raises(InputError, match=r"r\.jsonl") as caught:
        list(read_interactions(path, corpus, strict=True))
    assert message in str(caught.value)
    assert caught.value.exit_code == 3


def test_strict_lets_the_contract_pass(put: Put) -> None:
    """What keeps to the contract is read under strict as well."""
    path = put("r.jsonl", [response(), trace(), PASSAGE])
    assert len(list(read_interactions(path, strict=True))) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.jsonl", "", "there is no response in it"),
        ("r.jsonl", [trace()], "there is no response in it"),
        ("r.jsonl", "junk", "there is no response in it: not valid JSON"),
    ],
)
def test_nothing_to_read(put: Put, name: str, content: object, message: str) -> None:
    """A file without a single response is an error that says why."""
    with pytest.raises(InputError, match=message):
        read(put(name, content))


def test_paths_that_cannot_be_read(put: Put, tmp_path: Path) -> None:
    """No such path, an empty folder, standard input and another format each say what to do."""
    with pytest.raises(InputError, match="no such file or folder"):
        read(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"there is no \.jsonl or \.ndjson or \.json file"):
        read(tmp_path / "empty")
    with pytest.raises(UsageError, match="name a file or a folder"):
        read_interactions("-")
    with pytest.raises(UsageError, match=r"only \.jsonl, \.ndjson, \.json are read"):
        read(put("r.csv", "a,b\n"))
    with pytest.raises(InputError, match="not one passage could be read"):
        read(put("r.jsonl", [response()]), put("c.jsonl", [{"x": 1}]))


def test_progress_ends_where_the_files_end(put: Put) -> None:
    """The position runs from nothing to both passes over all bytes."""
    path = put("r.jsonl", [response(), trace()])
    reading = read_interactions(path)
    assert reading.position() == (0, 2 * path.stat().st_size)
    list(reading)
    assert reading.position() == (2 * path.stat().st_size, 2 * path.stat().st_size)


def test_the_demo() -> None:
    """The bundled records are responses with their contexts; the corpus knows every source that they cite."""
    found, reading = read(samples_path(), corpus_path())
    assert len(found) == reading.counts.responses == 56
    assert set(codes(found)) == {"trace_missing"}
    assert all(each.retrieval_known or not each.sample.contexts for each in found)
