"""``plumbrule feedback``: patterns for people and machines, and interactions taken into a dataset."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.storing import Store, card, refusal, response

Run = Callable[..., Any]
Write = Callable[..., Path]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a ledger with a good answer, a bad one and a refusal."""
    store = Store(tmp_path / "ledger.db")
    store.interaction(response("t1", category="fees"))
    store.interaction(response("t2", category="fees", model_id="m-2"))
    store.interaction(refusal("t3"))
    store.record(card("t1"))
    store.record(card("t2", 4, 4, 1, 4, 1))
    store.record(card("t2", 4, 4, 1, 4, 1, evaluator="Cy"), role="adjudicator")
    store.record(card("t3", None, None, None, None, 4, 4))
    return store


def lines(path: Path) -> list[Any]:
    """Return the records of a dataset."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_patterns_as_json(run: Run, store: Store) -> None:
    """Count, share, interval, remedy and the traces that show it, over all and by group."""
    done = run("feedback", "--ledger", store.url, "--json")
    assert (done.code, done.err) == (0, "")
    [shown] = done.records
    assert (shown["reviewed"], shown["rubric"]["name"]) == (3, "scorecard")
    grounding = next(each for each in shown["patterns"] if each["key"] == "grounding_issues")
    assert (grounding["count"], grounding["total"], grounding["traces"]) == (1, 2, ["t2"])
    groups = {(group["by"], group["name"]): group["traces"] for group in grounding["groups"]}
    assert groups == {("category", "fees"): ["t2"], ("source", "FEE-1"): ["t2"], ("model", "m-2"): ["t2"]}


def test_patterns_for_people(run: Run, store: Store) -> None:
    """The remedy stands under each pattern that shows; hostile names are shown as text."""
    store.interaction(response("t\x1b[31m", category="[red]x[/red]"))
    store.record(card("t\x1b[31m", 4, 2))
    out = run("feedback", "--ledger", store.url).out
    assert "Retrieval Issues  1 of 3, 33.3%" in out
    assert "remedy: Tune retrieval or expand corpus" in out
    assert "[red]x[/red]" in out
    assert "\x1b" not in out


def test_patterns_of_files(run: Run, write: Write) -> None:
    """No ledger is needed."""
    cards, answers = write("cards.jsonl", [card("t1", 4, 1)]), write("answers.jsonl", [response("t1")])
    [shown] = run("feedback", "--records", cards, "--interactions", answers, "--json").records
    assert shown["patterns"][0]["groups"][0]["name"] == "FEE-1"


@pytest.mark.parametrize(
    ("trace_id", "expected"),
    [
        ("t1", {"refuse": False}),
        ("t2", {"refuse": True}),
        ("t3", {"refuse": True, "refusal_code": "NO_ELIGIBLE_DOCS"}),
    ],
)
def test_taken_with_what_the_card_says(run: Run, store: Store, tmp_path: Path, trace_id: str, expected: Any) -> None:
    """The canonical fields, the passages as contexts, and whether it should have refused; validate takes the file."""
    dataset = tmp_path / "regressions.jsonl"
    done = run("feedback", "take", trace_id, "-o", dataset, "--ledger", store.url)
    assert (done.code, done.err) == (0, "")
    [sample] = lines(dataset)
    assert (sample["id"], sample["trace_id"], sample["question"]) == (trace_id, trace_id, "What is the wire fee?")
    assert sample["expected"] == expected
    assert sample["contexts"] == [{"id": "fee-1-1", "source_id": "FEE-1", "text": "The wire fee is $25."}]
    assert sample["tags"] == ["regression"]
    assert run("validate", dataset).code == 0
    assert run("score", dataset, "--no-claims").code == 0


@pytest.mark.parametrize(("trace_id", "expected"), [("t1", {"refuse": False}), ("t4", None)])
def test_taken_for_machines(run: Run, store: Store, trace_id: str, expected: Any) -> None:
    """One object: the file, the sample, what should have been where anybody said so, and how many there are now."""
    store.interaction(response("t4"))
    done = run("feedback", "take", trace_id, "-o", "regressions.jsonl", "--ledger", store.url, "--json")
    assert (done.code, done.err) == (0, "")
    taken = {"file": "regressions.jsonl", "id": trace_id, "trace_id": trace_id, "expected": expected, "samples": 1}
    assert done.records == [taken]


def test_what_was_expected_stays(run: Run, store: Store, tmp_path: Path) -> None:
    """A stated expectation is not overruled by a card."""
    store.interaction(refusal("t3", expected={"refuse": False}))
    dataset = tmp_path / "regressions.jsonl"
    run("feedback", "take", "t3", "-o", dataset, "--ledger", store.url)
    assert lines(dataset)[0]["expected"] == {"refuse": False}


def test_open_ratings_expect_nothing(run: Run, store: Store, tmp_path: Path) -> None:
    """While the raters part and nobody has adjudicated, nobody has said what should have been."""
    store.interaction(response("t4"))
    store.record(card("t4", 4, 4, 4, 4, 4, evaluator="Ada"), campaign="c")
    store.record(card("t4", 4, 4, 4, 4, 1, evaluator="Bea"), campaign="c")
    dataset = tmp_path / "regressions.jsonl"
    done = run("feedback", "take", "t4", "-o", dataset, "--ledger", store.url)
    assert "nobody said what should have been" in done.out
    assert "expected" not in lines(dataset)[0]


def test_the_start_of_an_id_will_do(run: Run, store: Store, tmp_path: Path) -> None:
    """The sample has the id in full."""
    store.interaction(response("0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"))
    dataset = tmp_path / "regressions.jsonl"
    assert run("feedback", "take", "0b7e", "-o", dataset, "--ledger", store.url).code == 0
    assert lines(dataset)[0]["trace_id"] == "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"


def test_a_dataset_grows_and_is_never_broken(run: Run, store: Store, tmp_path: Path) -> None:
    """What stands there stays byte for byte, a missing line end is mended, a duplicate is refused."""
    dataset = tmp_path / "regressions.jsonl"
    before = b'{"id": "old",  "answer": "kept as it is"}'
    dataset.write_bytes(before)
    assert run("feedback", "take", "t1", "-o", dataset, "--ledger", store.url).code == 0
    grown = dataset.read_bytes()
    assert grown.startswith(before + b"\n")
    assert [sample["id"] for sample in lines(dataset)] == ["old", "t1"]
    again = run("feedback", "take", "t1", "-o", dataset, "--ledger", store.url)
    assert (again.code, again.out) == (2, "")
    assert "holds 't1' already; it was not taken again" in again.err
    assert dataset.read_bytes() == grown


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["t", "-o", "a.jsonl"], 2, "3 interactions begin with 't': t1, t2, t3; write more of it"),
        (["t11", "-o", "a.jsonl"], 2, "there is no interaction 't11'; there is t1"),
        (["t1", "-o", "a.csv"], 2, "name it .jsonl"),
        (["t1", "-o", "bad.jsonl"], 3, "bad.jsonl:1: not valid JSON"),
        (["t1", "-o", "no/folder/a.jsonl"], 2, "cannot be written"),
        (["t1", "-o", "a.jsonl", "--from", "none.jsonl"], 3, "none.jsonl"),
    ],
)
def test_what_cannot_be_taken(run: Run, store: Store, write: Write, arguments: list[str], code: int, said: str) -> None:
    """One line, and no file is made or changed."""
    bad = write("bad.jsonl", "{nonsense\n")
    done = run("feedback", "take", *arguments, "--ledger", store.url)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert bad.read_text() == "{nonsense\n"
    assert not (bad.parent / "a.jsonl").exists()
