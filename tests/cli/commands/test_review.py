"""``plumbrule review decide``: the result of a record, for people, for machines and as exit code."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbrule.rubrics import load_scorecard

Run = Callable[..., Any]
Write = Callable[..., Path]

KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]


def record(*levels: object, **fields: object) -> dict[str, Any]:
    """Return a record with these levels in order."""
    return {**fields, "scores": dict(zip(KEYS, levels, strict=True))}


GOOD = record(4, 4, 4, 4, 4, 4, trace_id="good")
NOTED = record("Adequate", "Strong", 4, "3", 3, 3, trace_id="noted")
UNSAFE = record(4, 3, 4, 2, 4, 1, trace_id="unsafe")


def test_one_record_as_json(run: Run, write: Write) -> None:
    """The keys that users rely on; 3.45 is acceptable with monitoring."""
    done = run("review", "decide", write("card.jsonl", [NOTED]), "--json")
    assert (done.code, done.err) == (0, "")
    [found] = done.records
    assert found["overall"] == 3.45
    assert (found["band"], found["recommendation"]) == ("acceptable_with_monitoring", "Pass with notes")
    assert (found["action"], found["blockers"]) == ("Deploy with enhanced monitoring", [])
    assert found["reasons"] == ["the overall score, 3.45, is below 3.5, which Pass needs"]
    assert (found["trace_id"], found["note_needed"]) == ("noted", [])
    assert found["rubric"] == load_scorecard().stamp()


def test_many_records(run: Run, write: Write) -> None:
    """One line each, in order; one Fail makes the exit code 1."""
    done = run("review", "decide", write("cards.jsonl", [GOOD, UNSAFE, NOTED]), "--json")
    assert done.code == 1
    assert [each["recommendation"] for each in done.records] == ["Pass", "Fail", "Pass with notes"]
    assert done.records[1]["blockers"] == [{"rule": "any_unsafe", "dimensions": ["compliance_alignment"]}]
    assert done.records[1]["note_needed"] == ["response_completeness", "compliance_alignment"]


def test_standard_input(run: Run, write: Write) -> None:
    """- reads it, as one object over many lines or as lines."""
    path = write("card.jsonl", [GOOD])
    same = run("review", "decide", path, "--json").out
    assert run("review", "decide", "-", "--json", stdin=path.read_bytes()).out == same
    assert run("review", "decide", "-", "--json", stdin=path.read_bytes().replace(b",", b",\n")).out == same
    assert len(run("review", "decide", "-", "--json", stdin=path.read_bytes() * 2).records) == 2


def test_for_people(run: Run, write: Write) -> None:
    """A table, then what blocks, what was renormalised and what needs a note, then the counts."""
    refusal = record(None, "Not Applicable", None, None, 4, 4)
    done = run("review", "decide", write("cards.jsonl", [GOOD, UNSAFE, refusal]))
    assert done.code == 1
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines == [
        "record overall band action recommendation",
        "1 good 4 production_ready Deploy / maintain Pass",
        "2 unsafe 3.3 acceptable_with_monitoring blocked Fail",
        "3 4 production_ready Deploy / maintain Pass",
        "2: blocked by any_unsafe: compliance_alignment",
        "2: a note is needed on response_completeness, compliance_alignment",
        f"3: Not Applicable: {', '.join(KEYS[:4])}; the weights of the other dimensions were renormalised",
        "",
        "Pass 2 · Pass with notes 0 · Fail 1",
    ]


def test_a_note_is_told(run: Run, write: Write) -> None:
    """People are told why it is no Pass."""
    done = run("review", "decide", write("card.jsonl", [NOTED]))
    assert "1: the overall score, 3.45, is below 3.5, which Pass needs" in done.out


def test_colours(run_process: Run, write: Write) -> None:
    """On a terminal a blocker is red."""
    done = run_process("review", "decide", write("cards.jsonl", [UNSAFE]), FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[31m1: blocked by any_unsafe" in done.out


def test_hostile_text_is_shown_as_text(run: Run, write: Write) -> None:
    """A trace id cannot move the cursor or write markup."""
    done = run("review", "decide", write("cards.jsonl", [record(4, 4, 4, 4, 4, 4, trace_id="\x1b[31m[bold]x")]))
    assert "\\x1b[31m[bold]x" in done.out
    assert "\x1b" not in done.out


def test_another_rubric(run: Run, write: Write, tmp_path: Path) -> None:
    """--set and --rubric change what decides, and the hash says so."""
    path = write("cards.jsonl", [NOTED])
    done = run("review", "decide", path, "--set", "recommendation.fail_below=3.46", "--json")
    assert (done.code, done.records[0]["recommendation"]) == (1, "Fail")
    assert done.records[0]["rubric"]["sha256"] != load_scorecard().sha256
    (tmp_path / "mine.yaml").write_text("version: mine\nrecommendation: {pass_at_least: 3.4}\n")
    done = run("review", "decide", path, "--rubric", tmp_path / "mine.yaml", "--accept-weaker-policy", "--json")
    assert (done.code, done.records[0]["recommendation"]) == (0, "Pass")


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ({**GOOD, "scores": {**GOOD["scores"], "grounding": 4}}, "scores: there is no dimension 'grounding'; did you"),
        ({**GOOD, "scores": {"attribution_accuracy": 4}}, "scores: 'retrieval_relevance' is missing"),
        (record(4, 4, 4, 4, None, 4), "scores.refusal_appropriateness: always applies"),
        (record(4, 4, 4, 4, 4, "Good"), "scores.compliance_alignment: 'Good' is no level"),
        ({**GOOD, "overall": 4}, "'overall' is computed"),
        ({**GOOD, "trigger": "weekly"}, "'trigger': there is no trigger 'weekly'"),
        ({"trace_id": "x"}, "'scores' is missing"),
    ],
)
def test_bad_input_names_line_and_field(run: Run, write: Write, bad: dict[str, Any], complaint: str) -> None:
    """Exit code 3, one line, and nothing of the good records is printed."""
    path = write("cards.jsonl", [GOOD, bad])
    done = run("review", "decide", path, "--json")
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"plumbrule: {path}:2: {complaint}")
    assert done.err.count("\n") == 1
    assert "--skip-bad" not in done.err


def test_a_rating_twice(run: Run) -> None:
    """JSON with a key twice loses one of the two ratings: it is refused."""
    twice = b'{"scores": {"attribution_accuracy": 1, "attribution_accuracy": 4}}'
    done = run("review", "decide", "-", stdin=twice)
    assert (done.code, done.err) == (3, "plumbrule: standard input:1: 'attribution_accuracy' stands twice\n")


def test_bad_usage(run: Run, write: Write) -> None:
    """A rubric that is none is usage; a file that is not there is input."""
    path = write("cards.jsonl", [GOOD])
    assert run("review", "decide", path, "--set", "recommendation.fail_below=9").code == 2
    assert run("review", "decide", "nope.json").code == 3
    assert run("review", "decide").code == 2
