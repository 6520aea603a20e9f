"""A benchmark run from its configuration to the gate, through the ledger, whatever interrupts it."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from plumbrule.demo import samples_path

COMMAND = Path(sys.executable).with_name("plumbrule")

Run = Callable[..., Any]


@pytest.fixture
def config(tmp_path: Path, run: Run) -> Path:
    """Return the configuration that init writes, beside the demo's dataset."""
    (tmp_path / "data.jsonl").write_bytes(samples_path().read_bytes())
    assert run("init", "run.yaml").code == 0
    return tmp_path / "run.yaml"


@pytest.mark.usefixtures("config")
def test_the_starter_runs_as_it_stands(run: Run, tmp_path: Path) -> None:
    """Init, run, show and gate work one after the other; the demo's wrong answers keep it from release."""
    done = run("run", "run.yaml", "--json")
    assert (done.code, done.err) == (0, "")
    [shown] = done.records
    assert shown["complete"]
    assert shown["aggregates"]["counts"]["attempted"] == 56
    assert {gate["name"] for gate in shown["gates"]} == {
        "aggregate_score",
        "pass_rate",
        "faithfulness_failure_rate",
        "latency_e2e_p95_ms",
    }
    [again] = run("show", "last", "--json", "--samples").records
    assert len(again.pop("samples")) == 56
    assert again == shown
    assert run("show", shown["run_id"][:12], "--json").records == [shown]
    gate = run("gate", "last")
    assert gate.code == 1
    assert "NO RELEASE" in gate.out
    assert shown["run_id"] in run("runs").out
    assert run("ledger", "verify").code == 0
    assert (tmp_path / ".plumbrule" / "ledger.db").exists()


@pytest.mark.usefixtures("config")
def test_a_complete_run_may_be_joined(run: Run) -> None:
    """Nothing is left to do: the same summary and no second decision. It is named once, and labels go with another."""
    [shown] = run("run", "run.yaml", "--workers", "1", "--json").records
    entries = run("ledger", "verify", "--json").records[0]["entries"]
    assert run("run", "run.yaml", "--join", "last", "--json").records == [shown]
    assert run("ledger", "verify", "--json").records[0]["entries"] == entries
    for other in ("--resume", "--labels"):
        refused = run("run", "run.yaml", "--join", "last", other, "last")
        assert refused.code == 2
        assert "--join goes neither with --resume nor with --labels" in refused.err


_BARE = (  # a question, an answer and a passage, as people have them
    {"question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."]},
    {
        "question": "How long are forms kept?",
        "answer": "Forms are kept for six years.",
        "contexts": ["Forms are kept for six years."],
    },
)
_BARE_CONFIG = "name: bare\ndataset: {path: data.jsonl, id: bare}\ncandidate: {kind: recorded}\njudge: {kind: rules}\n"


def test_data_without_references_has_a_gated_run(run: Run, tmp_path: Path) -> None:
    """The grounding rubric releases faithful answers and not wrong ones; a missing reference is no error."""
    (tmp_path / "run.yaml").write_text(f"{_BARE_CONFIG}rubric: {{benchmark: grounding}}\n")
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, _BARE)))
    done = run("run", "run.yaml", "--json")
    assert (done.code, done.err) == (0, "")
    [shown] = done.records
    assert [gate["name"] for gate in shown["gates"]] == [
        "faithfulness_failure_rate",
        "contradicted_rate",
        "unsupported_rate",
    ]
    assert {name: shown["aggregates"]["counts"][name] for name in ("attempted", "scored", "errored")} == {
        "attempted": 2,
        "scored": 2,
        "errored": 0,
    }
    assert shown["aggregates"]["pass_rate"] == 1
    assert "gates.pass_rate is none, 0.85 by default (weaker)" in shown["policy_differences"]
    assert run("gate", "last").code == 0
    for kind in ("html", "md", "json", "xml"):
        assert run("report", "last", "-o", f"report.{kind}").code == 0
    assert "A sample passes with faithfulness of at least 1." in (tmp_path / "report.html").read_text()
    wrong = {**_BARE[0], "answer": "The fee is $45."}
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, (wrong, _BARE[1]))))
    assert run("run", "run.yaml").code == 0
    assert run("gate", "last").code == 1


def test_a_dry_run_counts_what_the_gates_lack(run: Run, tmp_path: Path) -> None:
    """Reference, latency and tokens are counted with the gates that need them and the keys that give them."""
    (tmp_path / "run.yaml").write_text(_BARE_CONFIG)
    whole = {**_BARE[0], "reference": "$25", "latency_e2e_ms": 900, "input_tokens": 9, "output_tokens": 9}
    refused = {"question": "Why?", "refusal": {"code": "X"}, "expected": {"refuse": True}}
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, (*_BARE, whole, refused))))
    [plan] = run("run", "run.yaml", "--dry-run", "--json").records
    assert {gap["missing"]: (gap["samples"], tuple(gap["gates"])) for gap in plan["gaps"]} == {
        "reference": (2, ("aggregate_score", "pass_rate")),
        "latency": (3, ("aggregate_score", "pass_rate", "latency_e2e_p95_ms")),
        "tokens": (3, ("aggregate_score", "pass_rate")),
    }
    assert "ground_truth" in plan["gaps"][0]["keys"]
    shown = run("run", "run.yaml", "--dry-run").out
    assert "2 of 4 samples without reference: aggregate_score, pass_rate" in shown
    (tmp_path / "run.yaml").write_text(f"{_BARE_CONFIG}rubric: {{benchmark: grounding}}\n")
    assert run("run", "run.yaml", "--dry-run", "--json").records[0]["gaps"] == []


def test_the_gates_on_evidence_want_the_rules_judge(run: Run, tmp_path: Path) -> None:
    """A model alone does not say what contexts contradict: a dry run tells, before anything is paid for."""
    judge = "judge: {kind: llm, model: local:judge, base_url: 'http://127.0.0.1:9/v1'}"
    config = _BARE_CONFIG.replace("judge: {kind: rules}", judge)
    (tmp_path / "run.yaml").write_text(f"{config}rubric: {{benchmark: grounding}}\n")
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, _BARE)))
    [plan] = run("run", "run.yaml", "--dry-run", "--json").records
    assert [(gap["missing"], gap["gates"]) for gap in plan["gaps"]] == [
        ("rules judge", ["contradicted_rate", "unsupported_rate"])
    ]


def test_a_good_run_passes_the_gate(run: Run, tmp_path: Path) -> None:
    """Exit code 0 where every gate holds; strict asks for whole metadata, too."""
    sample = {
        "question": "What is the fee?",
        "answer": "The fee is $25.",
        "contexts": ["The fee is $25."],
        "reference": "The fee is $25.",
        "latency_e2e_ms": 900,
        "input_tokens": 300,
        "output_tokens": 20,
    }
    lines = [json.dumps({**sample, "id": f"q{number}"}) for number in range(30)]
    (tmp_path / "data.jsonl").write_text("\n".join(lines) + "\n")
    run("init")
    assert run("run", "run.yaml").code == 0
    assert (run("gate", "last").code, run("gate", "last", "--strict").code) == (0, 1)
    config = tmp_path / "run.yaml"
    known = '{kind: recorded, model_id: "assistant@2025-01-01", prompt_id: answer, prompt_version: "7"}'
    config.write_text(config.read_text().replace("{kind: recorded}", known, 1))
    for arguments in (["init"], ["add", "run.yaml"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-mx"]):
        subprocess.run(["git", *arguments], check=True, capture_output=True, cwd=tmp_path)  # noqa: S607 - git
    assert run("run", "run.yaml").code == 0
    assert run("gate", "last", "--strict").code == 0


GOOD = {
    "question": "What is the fee?",
    "answer": "The fee is $25.",
    "contexts": ["The fee is $25."],
    "reference": "The fee is $25.",
    "latency_e2e_ms": 900,
    "input_tokens": 300,
    "output_tokens": 20,
}


def write_samples(folder: Path, count: int, **fields: Any) -> None:
    """Write that many good samples."""
    lines = [json.dumps({**GOOD, "id": f"q{number}", **fields}) for number in range(count)]
    (folder / "data.jsonl").write_text("\n".join(lines) + "\n")


def test_more_samples_settle_an_inconclusive_gate(run: Run, tmp_path: Path) -> None:
    """Three perfect samples: a qualified release by point, exit code 5 by bound; a hundred are a release by both."""
    write_samples(tmp_path, 3)
    run("init")
    assert run("run", "run.yaml").code == 0
    point, bound = run("gate", "last"), run("gate", "last", "--decide-on", "bound")
    assert (point.code, bound.code) == (0, 5)
    assert "RELEASE, not settled: 4 of 4 gates" in point.out
    assert "INCONCLUSIVE, not settled: 4 of 4 gates" in bound.out
    assert "about 23 samples in all would settle it with 80% power, if the true rate is 1" in bound.out
    [decision] = run("gate", "last", "--decide-on", "bound", "--json").records
    assert (decision["outcome"], decision["decide_on"], decision["release_ready"]) == ("INCONCLUSIVE", "bound", False)
    assert {gate["settled"] for gate in decision["gates"]} == {"inconclusive"}
    assert run("report", "last", "-o", "report.md", "--decide-on", "bound").code == 0
    assert "## … INCONCLUSIVE, not settled: 4 of 4 gates" in (tmp_path / "report.md").read_text()
    write_samples(tmp_path, 100)
    assert run("run", "run.yaml", "--decide-on", "bound", "--json").records[0]["outcome"] == "RELEASE"
    assert run("gate", "last").code == 0
    shown = run("show", "last", "--json").records[0]
    assert (shown["decide_on"], shown["headline"]) == ("bound", "RELEASE")
    weaker = run("gate", "last", "--decide-on", "point")
    assert weaker.code == 2
    assert "this run's policy is bound" in weaker.err


def test_a_list_of_runs_has_no_plain_release_that_is_not_settled(run: Run, tmp_path: Path) -> None:
    """Three perfect samples are not settled, in the list of runs as well; a hundred are."""
    run("init")
    for count in (3, 100):
        write_samples(tmp_path, count)
        assert run("run", "run.yaml").code == 0
    shown = run("runs").out
    assert (shown.count("RELEASE"), shown.count("RELEASE,"), shown.count("settled")) == (2, 1, 1)
    [[first, second]] = run("runs", "--json").records
    assert (first["outcome"], len(first["unsettled_gates"])) == ("RELEASE", 4)
    assert (second["outcome"], "unsettled_gates" in second) == ("RELEASE", False)


def test_samples_that_repeat_others_are_counted(run: Run, tmp_path: Path) -> None:
    """Three samples under a hundred ids look like a hundred: the decision says how many are the same."""
    write_samples(tmp_path, 100)
    lines = [json.loads(line) for line in (tmp_path / "data.jsonl").read_text().splitlines()]
    three = [{**line, "question": f"What is fee {place % 3}?"} for place, line in enumerate(lines)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in three))
    run("init")
    assert run("run", "run.yaml").code == 0
    said = "97 of 100 samples repeat another's question, contexts and answer, and count as often"
    for command in (("gate", "last"), ("show", "last")):
        assert said in run(*command).out
    assert said in run("gate", "last", "--json").records[0]["remarks"]
    run("report", "last", "-o", "report.md")
    assert said in (tmp_path / "report.md").read_text()
    other = [{**line, "question": f"What is fee {place}?"} for place, line in enumerate(lines)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(line) + "\n" for line in other))
    assert run("run", "run.yaml").code == 0
    assert "repeat another's" not in run("gate", "last").out


def test_looks_at_the_same_candidate_are_counted(run: Run, tmp_path: Path) -> None:
    """Complete runs of one candidate on one dataset, whatever its content; another candidate begins at one."""
    run("init")
    for count in (3, 4, 5):
        write_samples(tmp_path, count)
        assert run("run", "run.yaml").code == 0
    assert "third look at these gates" in run("gate", "last").out
    first = run("runs", "--json").records[0]
    runs = first if isinstance(first, list) else run("runs", "--json").records
    assert [run("show", each["run_id"], "--json").records[0]["look"] for each in runs] == [1, 2, 3]
    config = tmp_path / "run.yaml"
    config.write_text(config.read_text().replace("{kind: recorded}", '{kind: recorded, model_id: "new@2026-01-01"}', 1))
    assert run("run", "run.yaml", "--json").records[0]["look"] == 1


def test_a_weaker_rubric_is_shown_at_the_top(run: Run, tmp_path: Path) -> None:
    """In words, in gate, show and report, and whether it is weaker."""
    write_samples(tmp_path, 3)
    run("init")
    (tmp_path / "mine.yaml").write_text("version: mine\ngates: {pass_rate: 0.5, decide_on: bound}\n")
    with (tmp_path / "run.yaml").open("a") as file:
        file.write("rubric: {benchmark: mine.yaml}\n")
    assert run("run", "run.yaml").code == 0
    said = "gates.pass_rate is 0.5, 0.85 by default (weaker)"
    run("report", "last", "-o", "report.md")
    for text, below in (
        (run("gate", "last").out, "nulls"),
        (run("show", "last").out, "nulls"),
        ((tmp_path / "report.md").read_text().replace("\\", ""), "## Fix first"),
    ):
        assert text.index(said) < text.index(below)
    [decision] = run("gate", "last", "--json").records
    assert decision["policy_differences"] == [said, "gates.decide_on is bound, point by default"]


def test_clusters_are_kept_with_the_run(run: Run, tmp_path: Path) -> None:
    """What samples share widens the interval, also when the run is read again; a name that no sample has is refused."""
    write_samples(tmp_path, 40, metadata={"document": "fees.pdf"})
    run("init")
    config = tmp_path / "run.yaml"
    plain = config.read_text()
    config.write_text(f"{plain}cluster: template\n")
    refused = run("run", "run.yaml")
    assert refused.code == 2
    assert "cluster: no sample" in refused.err
    config.write_text(f"{plain}cluster: document\n")
    [shown] = run("run", "run.yaml", "--json").records
    passing = shown["gates"][1]
    assert (passing["interval"]["samples"], passing["interval"]["clusters"]) == (40, 1)
    assert passing["settled"] == "inconclusive"
    assert run("show", "last", "--json").records == [shown]
    config.write_text(plain)
    assert run("run", "run.yaml", "--json").records[0]["gates"][1]["settled"] == "holds"


@pytest.mark.usefixtures("config")
def test_a_changed_entry_is_named(run: Run, tmp_path: Path) -> None:
    """The database refuses a change; one made behind its back breaks the chain at that entry."""
    run("run", "run.yaml", "--ledger", "sqlite:///other.db")
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        with pytest.raises(sqlite3.DatabaseError):
            database.execute("UPDATE entries SET author = 'x' WHERE sequence = 5")
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("UPDATE entries SET author = 'x' WHERE sequence = 5")
        database.commit()
    done = run("ledger", "verify", "--ledger", "sqlite:///other.db")
    assert done.code == 1
    assert "entry 5" in done.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("candidate: {kind: recorded}", ("candidate: {kind: python, target: 'nowhere:f'}", "no module 'nowhere'")),
        ("concurrency: 16", ("concurency: 16", "concurency")),
        ("path: data.jsonl", ("path: other.jsonl", "other.jsonl")),
    ],
)
def test_a_wrong_configuration_is_one_line(run: Run, config: Path, change: str, said: tuple[str, str]) -> None:
    """It names the file and the key, and no run is begun."""
    config.write_text(config.read_text().replace(change, said[0], 1))
    done = run("run", "run.yaml")
    assert done.code in {2, 3}
    assert said[1] in done.err
    assert len(done.err.splitlines()) == 1


def test_there_is_no_ledger_yet(run: Run) -> None:
    """Only a run makes one; the others say so on one line."""
    for arguments in (("runs",), ("show", "last"), ("gate", "last"), ("ledger", "verify")):
        done = run(*arguments)
        assert done.code == 2
        assert "there is no ledger here yet" in done.err


@pytest.mark.usefixtures("config")
def test_init_writes_over_nothing(run: Run) -> None:
    """A configuration that is there stays."""
    assert run("init", "run.yaml").code == 2


@pytest.mark.usefixtures("config")
def test_a_killed_run_is_resumed_to_the_same_whole(run: Run, tmp_path: Path) -> None:
    """After kill -9 at any moment nothing finished is lost or done twice, and the figures are the same to the byte."""
    undisturbed = run("run", "run.yaml", "--ledger", "sqlite:///calm.db", "--json").records[0]
    ledger = ["--ledger", "sqlite:///killed.db"]
    generator = random.Random(11)  # noqa: S311 - a test, not a secret
    arguments = ["run", "run.yaml"]
    for _ in range(4):
        process = subprocess.Popen(
            [COMMAND, *arguments, *ledger], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while _entries(tmp_path / "killed.db") < 60 + generator.randint(0, 40) and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        arguments = ["run", "run.yaml", "--resume", "last"]
    resumed = run(*arguments, *ledger, "--json").records[0]
    assert resumed["complete"]
    assert json.dumps(resumed["aggregates"]) == json.dumps(undisturbed["aggregates"])
    assert json.dumps(resumed["gates"]) == json.dumps(undisturbed["gates"])
    assert run("ledger", "verify", *ledger).code == 0


def _entries(path: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            [count] = database.execute("SELECT count(*) FROM entries").fetchone()
            return int(count)
    except sqlite3.Error:  # not made yet
        return 0


def test_repeats_show_their_worst(run: Run, tmp_path: Path) -> None:
    """Gates are over all repeats; which one keeps each worst is said; another policy is not taken when resuming."""
    write_samples(tmp_path, 4)
    (tmp_path / "my.py").write_text(
        "import itertools\n\ncount = itertools.count()\n\n\n"
        "def reply(question):\n"
        '    return {"answer": "The fee is $25." if next(count) else "No.", "input_tokens": 9, "output_tokens": 9}\n'
    )
    run("init")
    config = tmp_path / "run.yaml"
    candidate = 'candidate: {kind: python, target: "my:reply"}\nconcurrency: 1\n'
    lines = [line for line in config.read_text().splitlines() if not line.startswith(("candidate:", "concurrency:"))]
    config.write_text("\n".join([*lines, candidate]))
    [shown] = run("run", "run.yaml", "--confidence", "sequential", "--json").records
    assert (shown["repeats"]["repeats"], shown["confidence"]) == (3, "sequential")
    assert shown["gates"][1]["value"] == pytest.approx(11 / 12)
    assert shown["gates"][1]["worst_repeat"]["value"] == 0.75
    assert {gate["interval"]["method"] for gate in shown["gates"]} == {"betting"}
    assert "worst repeats: " in run("gate", "last").out
    refused = run("run", "run.yaml", "--resume", "last", "--decide-on", "bound")
    assert (refused.code, "another policy" in refused.err) == (2, True)


def test_the_list_of_runs_says_what_came_of_them(run: Run, tmp_path: Path) -> None:
    """The date and the outcome of each."""
    write_samples(tmp_path, 30)
    run("init")
    assert run("run", "run.yaml").code == 0
    [[first]] = run("runs", "--json").records
    assert first["outcome"] == "RELEASE"
    shown = run("runs").out
    assert first["at"][:10] in shown
    assert "RELEASE" in shown


def test_a_piped_table_is_not_cut(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads it has no 80 columns to fit it in; COLUMNS asks for them."""
    write_samples(tmp_path, 3)
    run("init")
    name = "a-name-longer-than-what-is-left-to-it"
    config = tmp_path / "run.yaml"
    config.write_text(config.read_text().replace("name: my-benchmark", f"name: {name}"))
    run("run", "run.yaml")
    monkeypatch.delenv("COLUMNS")
    shown = run("runs").out
    assert name in shown
    assert len(shown.splitlines()) == 2
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, run("runs").out.splitlines())) <= 80
