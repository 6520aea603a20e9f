"""``plumbrule validate``: what a dataset holds, from where, and every bad record."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inline_snapshot import snapshot

Run = Callable[..., Any]
Write = Callable[..., Path]

MIXED = [
    {"id": "1", "user_input": "What?", "response": "A.", "retrieved_contexts": "one passage", "extra": 1},
    {"id": "2", "question": "What?", "answer": 4},
    {"question": "What?", "answer": "B.", "contexts": ["one", "two"]},
    {"id": "1", "answer": "C."},
    {"id": "4", "answer": None, "refusal": {"code": "X"}},
]


def test_what_was_understood(run: Run, write: Write) -> None:
    """Counts, the origin of every field, what was left aside, remarks, and each bad line with its number."""
    write("mixed.jsonl", MIXED)
    done = run("validate", "mixed.jsonl")
    assert (done.code, done.err) == (3, "")
    assert done.out == snapshot("""\
mixed.jsonl:2: answer must be text, not a number
mixed.jsonl:4: duplicate id '1', first on line 1

mixed.jsonl: jsonl, good records 3, bad 2
answered 2 · refused 1 (declared) · timed out 0 · without contexts 1 · without question 1

field     taken from          records
id        id                        2
question  user_input                1
question  question                  1
answer    response                  1
answer    answer                    1
contexts  retrieved_contexts        1
contexts  contexts                  1
refusal   refusal                   1

not understood, and left aside
  extra (1)

remarks
  contexts given as one string (1)
  id made from the content (1)
""")


def test_refusals_are_counted_as_score_says_them(run: Run, write: Write) -> None:
    """What the data declares is told by both in the same word; what refuses by its wording is for score to tell."""
    refused: list[dict[str, object]] = [
        {"id": "1", "question": "Why?", "refusal": {"code": "X"}, "contexts": ["a"]},
        {"id": "2", "question": "Why?", "answer": "I cannot answer that question.", "contexts": ["a"]},
        {"id": "3", "question": "Why?", "answer": "Because.", "contexts": ["a"]},
    ]
    write("r.jsonl", refused)
    assert "answered 2 · refused 1 (declared) ·" in run("validate", "r.jsonl").out
    assert "refused 2 (declared 1, by wording 1)" in run("score", "r.jsonl", "--no-claims").out
    [summary] = run("score", "r.jsonl", "--no-claims", "--json", "-o", "out.jsonl").records
    assert (summary["counts"]["refused"], summary["flags"]["refusal_undeclared"]) == (2, 1)


def test_as_json(run: Run, write: Write) -> None:
    """The same for machines."""
    write("mixed.jsonl", MIXED)
    done = run("validate", "mixed.jsonl", "--json")
    assert (done.code, done.err) == (3, "")
    assert done.records == snapshot(
        [
            {
                "source": "mixed.jsonl",
                "format": "jsonl",
                "counts": {"attempted": 5, "read": 3, "bad": 2},
                "facts": {
                    "answered": 2,
                    "refused_declared": 1,
                    "timed_out": 0,
                    "without_contexts": 1,
                    "without_question": 1,
                },
                "fields": {
                    "id": {"id": 2},
                    "question": {"user_input": 1, "question": 1},
                    "answer": {"response": 1, "answer": 1},
                    "contexts": {"retrieved_contexts": 1, "contexts": 1},
                    "refusal": {"refusal": 1},
                },
                "ignored": {"extra": 1},
                "notes": {"contexts given as one string": 1, "id made from the content": 1},
                "bad": [
                    {"line": 2, "reason": "answer must be text, not a number"},
                    {"line": 4, "reason": "duplicate id '1', first on line 1"},
                ],
            }
        ]
    )


def test_a_good_dataset(run: Run, dataset: Path) -> None:
    """Exit code 0, no complaints."""
    done = run("validate", dataset.name)
    assert (done.code, done.err) == (0, "")
    assert "good records 4, bad 0" in done.out
    assert "answered 3 · refused 1 (declared)" in done.out


def test_a_single_string_of_context_is_accepted_and_said(run: Run, write: Write) -> None:
    """One string is one context."""
    path = write("a.jsonl", [{"answer": "A.", "contexts": "The one."}])
    done = run("validate", path)
    assert done.code == 0
    assert "contexts given as one string (1)" in done.out
    assert run("score", path).code == 0


def test_a_missing_field_suggests_a_mapping(run: Run, write: Write) -> None:
    """Where nothing was read as contexts, --map is named."""
    path = write("a.jsonl", [{"question": "Q?", "answer": "A.", "docs": ["D."]}])
    assert "nothing was read as contexts; --map FIELD=COLUMN" in run("validate", path).out
    mapped = run("validate", path, "--map", "contexts=docs")
    assert "nothing was read" not in mapped.out
    assert "docs" in mapped.out


def test_a_reason_that_repeats_is_counted(run: Run, write: Write) -> None:
    """Of many records with one reason three are listed, then how many more there are and what to try."""
    rows = write("odd.csv", "Bot said\n" + "The fee is $25.\n" * 9)
    done = run("validate", rows)
    assert (done.code, done.out.count("odd.csv:")) == (3, 4)  # three records, and the heading
    assert "and 6 more: answer is null and there is no refusal" in done.out
    assert "--map question=COLUMN --map answer=COLUMN --map contexts=COLUMN" in done.out
    assert len(run("validate", rows, "--json").records[0]["bad"]) == 9


def test_standard_input(run: Run) -> None:
    """A dash reads JSONL from standard input."""
    done = run("validate", "-", "--json", stdin=b'{"answer":"A."}\n')
    assert done.records[0]["source"] == "standard input"
    assert done.records[0]["counts"] == {"attempted": 1, "read": 1, "bad": 0}


def test_a_dataset_that_cannot_be_read_at_all(run: Run, tmp_path: Path) -> None:
    """One line, exit code 3."""
    done = run("validate", tmp_path / "missing.jsonl")
    assert (done.code, done.out) == (3, "")
    assert done.err == f"plumbrule: {tmp_path}/missing.jsonl: no such file\n"


def test_hostile_names_are_shown_not_obeyed(run: Run, write: Write) -> None:
    """Keys, ids and values of a file cannot move the cursor."""
    path = write("a.jsonl", [{"answer": "A.", "\x1b[31mkey": 1}, {"id": "\x1b[2J", "answer": "B."}] * 2)
    done = run("validate", path)
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[31mkey" in done.out
