"""Two runs of a real ledger beside each other, for people and for machines."""

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Make = Callable[..., str]

REFERENCE = Path(__file__).parents[3] / "docs" / "runs.md"
CONFIG = """
name: {name}
dataset: {{path: {dataset}, id: fees}}
candidate: {{kind: python, target: "{module}:reply", model_id: "{name}@1"}}
judge: {{kind: rules}}
repeats: {repeats}
{more}
"""
REPLY = """
WRONG = {wrong!r}
def reply(sample):
    text = "The fee is $99." if sample["id"] in WRONG else "The fee is $25."
    return {{"answer": text, "input_tokens": {tokens}, "output_tokens": 20}}
"""
FEE = "The fee is $25."


def samples(count: int, question: str = "What is the fee?") -> str:
    """Return a dataset as JSON Lines."""
    asked = {"question": question, "answer": "", "contexts": [FEE], "reference": FEE}
    lines = (json.dumps({**asked, "id": f"q{number:02}"}) for number in range(count))
    return "\n".join(lines) + "\n"


@pytest.fixture
def make(run: Run, tmp_path: Path) -> Make:
    """Return a function that carries out a run whose answers to some samples are wrong, and returns its id."""

    def make_run(
        name: str,
        wrong: Sequence[str] = (),
        *,
        dataset: str | None = None,
        tokens: int = 300,
        repeats: int = 1,
        more: str = "",
    ) -> str:
        (tmp_path / f"{name}.jsonl").write_text(samples(20) if dataset is None else dataset)
        module = f"answers_{secrets.token_hex(4)}"  # one process runs all tests, and imports a name once
        (tmp_path / f"{module}.py").write_text(REPLY.format(wrong=list(wrong), tokens=tokens))
        config = CONFIG.format(name=name, module=module, dataset=f"{name}.jsonl", repeats=repeats, more=more)
        (tmp_path / f"{name}.yaml").write_text(config)
        done = run("run", f"{name}.yaml", "--json")
        assert (done.code, done.err) == (0, "")
        run_id: str = done.records[0]["run_id"]
        return run_id

    return make_run


BAD = [f"q{number:02}" for number in range(12)]


def test_a_worse_run_is_told_and_fails_on_request(run: Run, make: Make) -> None:
    """Flips with their questions, gates side by side, and exit code 1 only where it is asked for."""
    first, second = make("old"), make("new", BAD)
    done = run("compare", first, second)
    assert (done.code, done.err) == (0, "")
    assert "12 passed, and fail in the second:" in done.out
    assert "q00 (accuracy_score" in done.out
    assert "What is the fee?" in done.out
    assert "q10" not in done.out
    assert "and 2 more; --json lists all" in done.out
    assert "worse: pass_rate: clearly worse" in done.out
    assert run("compare", first, second, "--fail-on", "worse").code == 1
    assert run("compare", second, first, "--fail-on", "worse").code == 0
    assert "12 failed, and pass in the second:" in run("compare", second, first).out


def test_the_json_of_a_comparison(run: Run, make: Make) -> None:
    """All that the terminal shows, all flips, and both runs by name."""
    first, second = make("old"), make("new", BAD)
    [compared] = run("compare", first, second, "--json").records
    assert (compared["first"]["run_id"], compared["second"]["run_id"]) == (first, second)
    assert (compared["first"]["model"], compared["second"]["complete"]) == ("old@1", True)
    assert compared["rubric"]["name"] == "benchmark"
    assert (compared["samples"], compared["differences"], compared["warnings"]) == (20, [], [])
    assert [flip["sample_id"] for flip in compared["flips"]["pass_to_fail"]] == BAD
    assert compared["flips"]["pass_to_fail"][0]["question"] == "What is the fee?"
    assert compared["flips"]["mcnemar_p"] == 2 / 2**12
    [passes] = [each for each in compared["figures"] if each["name"] == "pass_rate"]
    assert (passes["first"], passes["second"], passes["verdict"]) == (1.0, 0.4, "worse")
    assert (passes["wins"], passes["losses"], passes["ties"]) == (0, 12, 8)
    assert passes["interval"]["high"] < 0
    [gate] = [each for each in compared["gates"] if each["name"] == "pass_rate"]
    assert (gate["first"]["passed"], gate["second"]["passed"]) == (True, False)
    assert "pass_rate: clearly worse" in compared["regressions"]


@pytest.mark.parametrize("width", ["100", "120"])
def test_differences_that_chance_may_have_made(
    run: Run, make: Make, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    """Six of 20 alone would be clear; the table says why it is not, and what would be, at any width."""
    monkeypatch.setenv("COLUMNS", width)
    done = run("compare", make("old"), make("new", BAD[:6]))
    assert "unclear*" in done.out
    assert "unclear*: the interval excludes 0" in done.out
    assert "detectable: the smallest true difference" in done.out
    assert "…" not in done.out.partition("\n\n")[2].partition("\n\n")[0]


def test_a_gate_lost_by_chance_does_not_fail(run: Run, make: Make) -> None:
    """Four of 20 wrong miss the gate that three kept; nothing differs clearly, so it is a note and no exit code."""
    first, second = make("old", BAD[:3]), make("new", BAD[:4])
    done = run("compare", first, second, "--fail-on", "worse")
    assert done.code == 0
    assert "note: pass_rate: the gate held, and fails; the figures do not differ clearly" in done.out
    assert "worse:" not in done.out


def test_a_margin_decides_on_request(run: Run, make: Make) -> None:
    """Kept for certain, missed for certain, or not settled by so few samples: exit codes 0, 1 and 5."""
    first, second = make("old"), make("new", BAD)
    kept = run("compare", first, first, "--margin", "0.5", "--fail-on", "margin")
    assert (kept.code, "pass_rate: worse by no more than 0.5: shown" in kept.out) == (0, True)
    missed = run("compare", first, second, "--margin", "pass_rate=0.05", "--fail-on", "margin")
    assert (missed.code, "pass_rate: worse by no more than 0.05: not shown" in missed.out) == (1, True)
    unsettled = run("compare", first, first, "--margin", "0.5", "--margin", "pass_rate=0.01", "--fail-on", "margin")
    assert (unsettled.code, "pass_rate: worse by no more than 0.01: inconclusive" in unsettled.out) == (5, True)
    [compared] = run("compare", first, first, "--margin", "0.5", "--json").records
    [passes] = [each for each in compared["figures"] if each["name"] == "pass_rate"]
    assert passes["non_inferiority"] == {"margin": 0.5, "state": "shown"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--margin", "pass_rat=0.1"), "there is no figure 'pass_rat'"),
        (("--margin", "pass_rate=much"), "'much' is no number"),
        (("--margin", "-0.1"), "must be above 0"),
        (("--fail-on", "margin"), "--fail-on margin needs a --margin"),
    ],
)
def test_a_margin_that_means_nothing_is_refused(run: Run, make: Make, options: tuple[str, ...], message: str) -> None:
    """One line that says what is wrong."""
    make("old")
    done = run("compare", "last", "last", *options)
    assert done.code == 2
    assert message in done.err


def test_every_key_is_documented(run: Run, make: Make) -> None:
    """docs/runs.md names all that the JSON holds."""
    first, second = make("old"), make("new", BAD, more="generation: {temperature: 0.5}")
    [compared] = run("compare", first, second, "--margin", "0.1", "--json").records
    compared["differences"] = [dict.fromkeys(each) for each in compared["differences"]]  # values are not ours
    keys = set(keys_of(compared))
    page = REFERENCE.read_text(encoding="utf-8")
    assert len(keys) > 40
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []


def keys_of(value: object) -> Iterator[str]:
    """Yield every key at any depth."""
    if isinstance(value, dict):
        yield from value
    inside: Iterable[object] = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inside:
        yield from keys_of(each)


def test_a_run_against_itself(run: Run, make: Make) -> None:
    """The same run twice: nothing differs, nothing fails, and the same bytes each time."""
    make("old", BAD[:3])
    done = run("compare", "last", "last", "--fail-on", "worse", "--json")
    assert done.code == 0
    assert {each["difference"] for each in done.records[0]["figures"]} == {0}
    assert run("compare", "last", "last", "--json").out == done.out
    assert "clearly" not in run("compare", "last", "last").out


def test_another_dataset_is_refused_unless_it_is_meant(run: Run, make: Make) -> None:
    """One line that says what to do; then samples are paired by id, and what does not fit is told."""
    first = make("old")
    second = make("new", dataset=samples(8, "Which fee applies?") + samples(25).split("\n", 20)[-1])
    done = run("compare", first, second)
    assert (done.code, done.out) == (2, "")
    assert "are of different datasets: --other-dataset" in done.err
    assert len(done.err.splitlines()) == 1
    [compared] = run("compare", first, second, "--other-dataset", "--json").records
    assert (compared["samples"], len(compared["only_in_first"]), len(compared["only_in_second"])) == (8, 12, 5)
    assert compared["warnings"] == [
        "12 samples are only in the first run, and are not compared",
        "5 samples are only in the second run, and are not compared",
        "8 of the 8 samples compared ask another question in the second run",
    ]
    assert [each["name"] for each in compared["differences"]] == ["dataset_version_or_hash"]
    shown = run("compare", first, second, "--other-dataset").out
    assert "warning: 12 samples are only in the first run" in shown
    assert "dataset_version_or_hash: " in shown


RECORDED = "name: mine\ndataset: {path: mine.jsonl, id: mine}\ncandidate: {kind: recorded}\njudge: {kind: rules}\n"


@pytest.fixture
def record(run: Run, tmp_path: Path) -> Make:
    """Return a function that carries out a run of recorded answers, and returns its id."""

    def record_run(rows: Sequence[dict[str, Any]]) -> str:
        (tmp_path / "mine.yaml").write_text(f"{RECORDED}rubric: {{benchmark: grounding}}\n")
        (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, rows)))
        done = run("run", "mine.yaml", "--json")
        assert (done.code, done.err) == (0, "")
        run_id: str = done.records[0]["run_id"]
        return run_id

    return record_run


def recorded(fees: Sequence[int]) -> list[dict[str, Any]]:
    """Return a question about each of several fees, and the answer that was recorded."""
    return [
        {"question": f"What is fee {n}?", "answer": f"Fee {n} is ${fee}.", "contexts": [f"Fee {n} is $25."]}
        for n, fee in enumerate(fees)
    ]


def test_mended_answers_are_compared_by_question_and_contexts(run: Run, record: Make) -> None:
    """Ids that were made hold the answer; what is asked pairs the samples, and the comparison says so."""
    first, second = record(recorded([99, 99, 25, 25])), record(recorded([25, 25, 25, 25]))
    done = run("compare", first, second, "--json")
    assert (done.code, done.err) == (0, "")
    [compared] = done.records
    assert (compared["samples"], compared["only_in_first"], compared["only_in_second"]) == (4, [], [])
    assert (compared["paired"]["by_id"], compared["paired"]["by_question_and_contexts"]) == (2, 2)
    changed = {flip["sample_id"] for flip in compared["flips"]["fail_to_pass"]}
    assert changed == set(compared["paired"]["first_ids"])
    assert (compared["differences"], compared["warnings"]) == ([], [])
    assert "4 samples compared, paired 2 by id and 2 by question and contexts" in run("compare", first, second).out
    assert run("compare", "previous", "last", "--json").records == [compared]


def test_ids_of_ones_own_pair_mended_answers(run: Run, record: Make) -> None:
    """An id that the data gives is the sample's name, whatever contexts it had; that these changed is told."""
    rows = [{**row, "id": f"T-{number}"} for number, row in enumerate(recorded([99, 25, 25]))]
    first = record(rows)
    second = record([{**row, "answer": "The fee is $25.", "contexts": ["The fee is $25."]} for row in rows])
    [compared] = run("compare", first, second, "--json").records
    assert compared["paired"] == {"by_id": 3, "by_question_and_contexts": 0, "first_ids": {}}
    assert compared["warnings"] == ["3 of the 3 samples compared have other contexts in the second run"]
    assert [each["name"] for each in compared["differences"]] == ["dataset_version_or_hash"]


def test_a_question_that_is_asked_again_is_paired_in_order_or_not_at_all(run: Run, record: Make) -> None:
    """As often in both runs: in the order of the datasets. Else nobody could tell which answer stands for which."""
    [asked] = recorded([25])
    first = record([{**asked, "answer": text} for text in ("Fee 0 is $24.", "Fee 0 is $99.")])
    second = record([{**asked, "answer": text} for text in ("Fee 0 is $98.", "Fee 0 is $25.")])
    [compared] = run("compare", first, second, "--json").records
    assert compared["paired"]["by_question_and_contexts"] == 2
    third = record([{**asked, "answer": text} for text in ("$25.", "$26.", "$27.")])
    done = run("compare", first, third)
    assert done.code == 2
    assert "are of different datasets" in done.err


def test_nothing_in_common_is_said_in_one_line(run: Run, make: Make) -> None:
    """Ids that never meet cannot be paired."""
    first, second = make("old"), make("new", dataset=samples(3).replace('"q', '"other'))
    done = run("compare", first, second, "--other-dataset")
    assert done.code == 2
    assert "no sample id in common" in done.err


def test_what_else_differs_is_listed(run: Run, make: Make, tmp_path: Path) -> None:
    """Rubric and repeats, and no parameters: no model was sent any; the second run's rubric grades both."""
    (tmp_path / "easy.yaml").write_text("total_tokens: {pass_at_most: 100000}\n")
    first = make("old", tokens=9_000)
    more = "rubric: {benchmark: easy.yaml}\ngeneration: {temperature: 0.7}"
    second = make("new", tokens=9_000, repeats=2, more=more)
    [compared] = run("compare", first, second, "--json").records
    differences = {each["name"]: (each["first"], each["second"]) for each in compared["differences"]}
    assert set(differences) == {"benchmark_rubric", "repeats"}
    assert differences["repeats"] == (1, 2)
    assert any("second's benchmark rubric" in warning for warning in compared["warnings"])
    [passes] = [each for each in compared["figures"] if each["name"] == "pass_rate"]
    assert passes["first"] == 1.0
    [passes] = [
        each for each in run("compare", second, first, "--json").records[0]["figures"] if each["name"] == "pass_rate"
    ]
    assert passes["first"] == 0.0
    assert "repeats: 1 in the first, 2 in the second" in run("compare", first, second).out


def test_a_run_that_is_not_complete_cannot_replace_another(run: Run, make: Make, tmp_path: Path) -> None:
    """What it has is compared, the rest is told, and it fails on worse however good it looks."""
    first = make("old")
    config = (tmp_path / "old.yaml").read_text()
    (tmp_path / "part.yaml").write_text(f"{config}budget: {{max_calls: 7}}\nconcurrency: 1\n")
    assert run("run", "part.yaml").code == 4
    [compared] = run("compare", first, "last", "--json").records
    assert (compared["samples"], len(compared["only_in_first"]), compared["second"]["complete"]) == (7, 13, False)
    assert compared["regressions"] == ["the second run is not complete"]
    assert run("compare", first, "last", "--fail-on", "worse").code == 1
    assert run("compare", "last", first, "--fail-on", "worse").code == 0


def test_an_unknown_run_is_one_line(run: Run, make: Make) -> None:
    """As for every command that takes a run."""
    make("old")
    done = run("compare", "run-nowhere", "last")
    assert (done.code, "there is no run 'run-nowhere'" in done.err) == (2, True)


def test_hostile_text_is_shown_as_text(run: Run, make: Make) -> None:
    """A question cannot steer the terminal, nor break a line."""
    hostile = samples(8, "What \x1b[31mis\nthe [bold]fee?")
    first, second = make("old", dataset=hostile), make("new", BAD, dataset=hostile)
    shown = run("compare", first, second).out
    assert "\x1b" not in shown
    assert "What \\x1b[31mis the [bold]fee?" in shown


def test_differences_have_colours_on_a_terminal(run: Run, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Green is better, red is worse, dim is unclear."""
    first, second = make("old"), make("new", BAD, tokens=100)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run("compare", first, second).out
    assert "\x1b[1;31mworse" in shown
    assert "\x1b[1;32mbetter" in shown
    assert "\x1b[2munclear" in shown


def test_the_clusters_of_the_runs_count(run: Run, make: Make) -> None:
    """Ten wrong answers on one of two documents are no clear difference; the table names the clusters."""
    rows = [json.loads(line) for line in samples(20).splitlines()]
    dataset = "".join(json.dumps({**row, "category": f"c{place // 10}"}) + "\n" for place, row in enumerate(rows))
    wrong = [f"q{number:02}" for number in range(10)]
    for more, clusters, worse in (("", None, "worse"), ("cluster: category", 2, "no clear difference")):
        first = make("before", dataset=dataset, more=more)
        second = make("after", wrong, dataset=dataset, more=more)
        [compared] = run("compare", first, second, "--json").records
        [passing] = [each for each in compared["figures"] if each["name"] == "pass_rate"]
        assert (compared.get("clusters"), passing["verdict"]) == (clusters, worse)
        shown = run("compare", first, second).out
        assert ("20 samples in 2 clusters compared" in shown) is (clusters is not None)
        assert ("McNemar" in shown) is (clusters is None)


def test_a_narrow_terminal_cuts_no_figure(run: Run, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns every figure, interval and mark is there in full; gates that are not settled are named."""
    first, second = make("before", repeats=2), make("after", ["q03", "q07"], repeats=2)
    monkeypatch.setenv("COLUMNS", "80")
    shown = run("compare", first, second).out
    assert "…" not in shown
    [figures] = [line for line in shown.splitlines() if line.startswith("pass_rate") and "-0.1" in line]
    assert figures.split()[1:4] == ["1.000", "0.900", "-0.100"]
    [gate] = [line for line in shown.splitlines() if line.startswith("pass_rate") and "≥" in line]
    assert gate.split() == ["pass_rate", "≥", "0.85", "✓", "1", "1", "✓", "0.9", "0.9"]
    assert "not settled in the second: aggregate_score, pass_rate, faithfulness_failure_rate" in shown


def test_a_run_that_people_decide_is_compared_by_its_judge_and_says_so(run: Run, make: Make) -> None:
    """What the judge says of both is compared; nobody takes its gates for the decision by people's labels."""
    first, second = make("before"), make("after", more="anchor: people")
    [compared] = run("compare", first, second, "--json").records
    [warning] = [each for each in compared["warnings"] if "people" in each]
    assert warning.startswith(f"{second} is decided by people's labels: figures and gates here are the judge's")


def test_a_comparison_keeps_the_confidence_of_its_runs(run: Run, make: Make, tmp_path: Path) -> None:
    """Sequential intervals where either run's policy says so, or on request; the output says it; less is refused."""
    some = BAD[:9]
    first, second = make("old"), make("new", some)
    done = run("compare", first, second, "--fail-on", "worse")
    assert (done.code, "however often" in done.out) == (1, False)
    assert "confidence" not in run("compare", first, second, "--json").records[0]
    asked = run("compare", first, second, "--fail-on", "worse", "--confidence", "sequential")
    assert asked.code == 0
    assert "20 samples compared, paired by id; intervals are valid however often one looks" in asked.out
    assert "detectable" not in asked.out
    (tmp_path / "bench.yaml").write_text('version: "ours-1"\ngates:\n  confidence: sequential\n')
    third = make("third", some, more="rubric: {benchmark: bench.yaml}")
    for pair in ((first, third), (third, first)):
        done = run("compare", *pair, "--json")
        assert done.records[0]["confidence"] == "sequential"
        assert {figure["interval"]["method"] for figure in done.records[0]["figures"]} == {"betting"}
        refused = run("compare", *pair, "--confidence", "fixed")
        assert refused.code == 2
        assert "this run's policy is sequential" in refused.err
