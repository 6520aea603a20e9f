"""Interactions are kept as they came, once, and come back as they were."""

from contextlib import nullcontext
from pathlib import Path

import orjson
import pytest
from tests.reviews.conftest import AT, card, response

from plumbrule.api.prescores import prescore_many
from plumbrule.demo import samples_path
from plumbrule.errors import InputError
from plumbrule.interactions.interaction_reader import read_interactions
from plumbrule.ledger import Ledger
from plumbrule.monitoring.interaction_lookup import locate
from plumbrule.monitoring.reviewed_interactions import known_of, reviewed_in_files
from plumbrule.reviews.interaction_archive import find_interaction, keep_interactions, stored_interactions, versions_of
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import keep_adhoc
from plumbrule.rubrics import load_scorecard
from plumbrule.suites import corpus_path


def written(folder: Path, *records: object, name: str = "in.jsonl") -> Path:
    """Write records, one a line."""
    path = folder / name
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    return path


def keep(ledger: Ledger, path: Path, **options: object) -> object:
    """Keep what a file holds."""
    return keep_interactions(ledger, list(read_interactions(path)), author="Ana", at=AT, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("passages", [None, corpus_path()])
def test_interactions_come_back_as_they_were(ledger: Ledger, passages: Path | None) -> None:
    """Sample, trace, passages, their origin and the findings are those of the reading."""
    read = list(read_interactions(samples_path(), passages))
    assert keep_interactions(ledger, read, author="Ana", at=AT).new == len(read) > 50
    back = [stored.rebuild() for stored in stored_interactions(ledger)]
    for before, after in zip(read, back, strict=True):
        assert after.sample == before.sample
        assert (after.trace, after.passages, after.passages_from) == (
            before.trace,
            before.passages,
            before.passages_from,
        )
        assert (after.findings, after.unresolved, after.where) == (before.findings, before.unresolved, before.where)


def test_trace_and_corpus_passages_come_back(ledger: Ledger, tmp_path: Path) -> None:
    """A trace from another file, passages by id from a corpus, and an id that nobody has."""
    bare = response(1)
    del bare["contexts"]
    trace = {
        "trace_id": bare["trace_id"],
        "retrieval": {"passage_ids": ["p1", "gone"]},
        "decision": {"outcome": "ANSWER"},
    }
    corpus = written(tmp_path, {"passage_id": "p1", "text": "The fee is $25.", "source_id": "S1"}, name="corpus.jsonl")
    [read] = read_interactions(written(tmp_path, bare, trace), corpus)
    keep_interactions(ledger, [read], author="Ana", at=AT)
    found = find_interaction(ledger, bare["trace_id"].upper())
    assert found is not None
    back = found.rebuild()
    assert (back.sample, back.trace, back.passages) == (read.sample, read.trace, read.passages)
    assert (back.passages_from, back.unresolved) == ("trace", ("gone",))
    assert (found.kept.trace, found.week) == (trace, "2026-W05")


@pytest.mark.parametrize(
    ("timestamp", "week"), [("2026-01-26T01:00:00+02:00", "2026-W04"), ("2026-01-25T23:00:00-02:00", "2026-W05")]
)
def test_the_week_is_the_same_everywhere(ledger: Ledger, tmp_path: Path, timestamp: str, week: str) -> None:
    """Kept, located in the file it came from, and drawn by its week: always that of UTC."""
    given = response(1, timestamp=timestamp)
    path = written(tmp_path, given)
    keep(ledger, path)
    found = find_interaction(ledger, given["trace_id"])
    assert found is not None
    assert (found.week, known_of(found.entry).week) == (week, week)
    assert locate(given["trace_id"], ledger=None, source=path, passages=None).known.week == week
    request = Request(trigger="monitoring", path=str(path), week=week, claims=False)
    assert draw(request, load_scorecard()).manifest.drawn == (given["trace_id"],)


def test_the_same_is_not_stored_twice(ledger: Ledger, tmp_path: Path) -> None:
    """From another file it is still the same; another answer is a new entry, which counts, and a finding says so."""
    keep(ledger, written(tmp_path, response(1)))
    again = keep(ledger, written(tmp_path, response(2), response(1), name="other.jsonl"))
    assert (again.new, again.unchanged, again.findings) == (1, 1, ())  # type: ignore[attr-defined]
    changed = keep(ledger, written(tmp_path, response(1, answer="The fee is $30 [1].")))
    assert [finding.code for finding in changed.findings] == ["trace_id_twice"]  # type: ignore[attr-defined]
    found = find_interaction(ledger, response(1)["trace_id"])
    assert found is not None
    assert found.rebuild().sample.answer == "The fee is $30 [1]."
    standing = [stored.kept.response["answer"] for stored in stored_interactions(ledger)]
    assert standing == [response(2)["answer"], "The fee is $30 [1]."]
    assert len(list(ledger.entries(kind="interaction"))) == 3


def test_two_answers_under_one_trace_id(ledger: Ledger, tmp_path: Path) -> None:
    """In one import they are an error that names both, wherever it is read; the same response again is none."""
    first, second = response(1), response(1, answer="The fee is $30 [1].")
    again = written(tmp_path, first, response(2), first, name="again.jsonl")
    both = written(tmp_path, first, response(2), second, name="both.jsonl")
    wrong = r"has two answers, at .*both.jsonl:1.* and at .*both.jsonl:3"
    loaded, about = load_scorecard(), {"trigger": "incident", "query": first["query"], "evaluator": "Ada"}
    for path, raised in ((again, nullcontext()), (both, pytest.raises(InputError, match=wrong))):
        with raised:
            draw(Request(trigger="pre-deployment", path=str(path), claims=False), loaded)
    for read in (
        lambda: locate(first["trace_id"], ledger=None, source=both, passages=None),
        lambda: keep_adhoc(
            ledger, [("", card(first["trace_id"], **about))], at=AT, interactions=read_interactions(both)
        ),
        lambda: draw(
            Request(trigger="model-change", path=str(written(tmp_path, response(3))), earlier=str(both), claims=False),
            loaded,
        ),
    ):
        with pytest.raises(InputError, match=wrong):
            read()
    records = tmp_path / "records.jsonl"
    records.write_bytes(orjson.dumps({**card(first["trace_id"]), "date": "2026-01-27"}))
    with pytest.raises(InputError, match=wrong):
        reviewed_in_files(str(records), both, loaded)


def test_two_versions_kept_at_once(ledger: Ledger, tmp_path: Path) -> None:
    """From Python both are kept, and a finding names the other."""
    kept = keep(ledger, written(tmp_path, response(1), response(1, answer="The fee is $30 [1].")))
    assert kept.new == 2  # type: ignore[attr-defined]
    [found] = kept.findings  # type: ignore[attr-defined]
    assert (found.code, found.message.startswith(str(tmp_path))) == ("trace_id_twice", True)
    assert len(versions_of(ledger, response(1)["trace_id"])) == 2


def test_prescores_are_kept(ledger: Ledger, tmp_path: Path) -> None:
    """The proposals, their evidence and the rubrics stand beside the interaction."""
    [read] = read_interactions(written(tmp_path, response(1, answer="The fee is probably $30 [1].")))
    keep_interactions(ledger, [read], prescore_many([read], claims=False), author="Ana", at=AT)
    found = find_interaction(ledger, response(1)["trace_id"])
    assert found is not None
    assert found.prescore is not None
    assert found.prescore.scores["compliance_alignment"] == "Unsafe"
    assert found.prescore.dimensions["compliance_alignment"].caps[0].evidence


def test_names_from_outside(ledger: Ledger, tmp_path: Path) -> None:
    """A trace id with slashes, per cents or control characters is found again by itself alone."""
    names = ["a/b", "a", "a%2Fb", "x\ty", "é"]
    keep(ledger, written(tmp_path, *(response(1, trace_id=name) for name in names)))
    for name in names:
        found = find_interaction(ledger, name)
        assert found is not None
        assert found.trace_id == name
    assert find_interaction(ledger, "b") is None
