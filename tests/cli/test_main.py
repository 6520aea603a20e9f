"""The command itself: help, version, mistakes, and what it costs to ask for help."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

import plumbrule

Run = Callable[..., Any]

COMMANDS = [
    (),
    ("completion",),
    ("demo",),
    ("prescore",),
    ("review",),
    ("review", "decide"),
    ("rubric",),
    ("rubric", "check"),
    ("rubric", "list"),
    ("rubric", "show"),
    ("score",),
    ("suite",),
    ("suite", "coverage"),
    ("suite", "list"),
    ("suite", "run"),
    ("suite", "show"),
    ("validate",),
]
HEAVY = ("ijson", "orjson", "pyarrow", "pydantic", "rich", "simplemma", "spacy", "yaml")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(run: Run, command: tuple[str, ...]) -> None:
    """--help and -h print the same, on standard output, with exit code 0, and no stray markup."""
    done = run(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: {' '.join(('plumbrule', *command))} ")
    assert run(*command, "-h").out == done.out
    assert "\\b" not in done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_no_arguments_print_the_help(run: Run) -> None:
    """A first call shows what there is."""
    assert run() == run("--help")


def test_help_lists_every_command(run: Run) -> None:
    """Each with one line, and where to start."""
    assert run("--help").out.partition("exit.\n\n")[2] == snapshot("""\
Verdicts:
  score       Give every answer a verdict, with the evidence.
  validate    Read a dataset, say what was understood, list every bad line.
  rubric      Show the rubrics, and check one of your own.
  support     Show the support score's model, and calibrate it on your own labels.

Benchmark runs:
  init        Write a commented run configuration to start from.
  plan        Say how many samples and labels a release decision needs.
  run         Carry out a benchmark run into the ledger.
  judge       Judge one answer, as a run would.
  runs        List the runs of the ledger.
  show        Show one run's figures and gates.
  gate        Decide whether a run may be released, as exit code.
  compare     Compare two runs sample by sample.
  label       Draw answers of a run for people to label, and keep their labels.
  report      Write the report of a run to a file.
  export      Hand a run over to another tool: OpenTelemetry, Langfuse, MLflow, Inspect AI.

Reviews and monitoring:
  prescore    Propose scorecard levels for interactions, with the evidence.
  sample      Draw a review sample for a trigger, and open its campaign.
  review      Rate interactions on scorecards, blind, and decide.
  suite       Run an assistant against the test suite that ships.
  monitor     Follow the reviewed figures week by week, and raise alerts.
  feedback    Find patterns in what was reviewed, with their remedies.
  incident    Gather everything known of one interaction into one file.

Ledger and installation:
  demo        See the main job end to end on bundled data.
  serve       Open the pages of a ledger in a browser.
  ledger      Verify, export, back up and upgrade the store.
  accounts    Make and change the accounts of a site that is served to a team.
  schema      Print the JSON schema of a result or a file.
  doctor      Say what is installed, what is missing, and whether the ledger is sound.
  completion  Print the shell's completion script.

  Start with: plumbrule demo
""")


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(run: Run, option: str) -> None:
    """The version is that of the package."""
    assert run(option).out == f"plumbrule {plumbrule.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("scor",), "there is no command 'scor'; did you mean 'score'?"),
        (("xyzzy",), "there is no command 'xyzzy'"),
        (("--frob",), "No such option '--frob'"),
        (("score",), "Missing argument 'DATASET'"),
        (("score", "--frob", "x"), "No such option '--frob'"),
        (("score", "x", "y"), "unexpected extra argument (y)"),
        (("score", "x", "--workers", "none"), "'none' is not a valid integer"),
        (("score", "x", "--workers", "0"), "0 is not in the range"),
        (("score", "x", "--fail-on", "maybe"), "'maybe' is not one of"),
        (("score", "x", "--format", "xml"), "'xml' is not one of"),
        (("score", "x", "-o"), "'-o' requires an argument"),
        (("completion", "tcsh"), "'tcsh' is not one of"),
        (("rubric", "frob"), "No such command 'frob'"),
        (("rubric", "show"), "Missing argument 'NAME'"),
        (
            ("rubric", "show", "nope"),
            "there is no rubric 'nope'; there are: benchmark, compliance, grounding, recommended, refusals, rules, ",
        ),
        (("validate",), "Missing argument 'DATASET'"),
    ],
)
def test_a_mistake_is_one_line(run: Run, arguments: tuple[str, ...], line: str) -> None:
    """Exit code 2, one line on standard error that begins with the command's name, nothing else."""
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert done.err.startswith("plumbrule: ")
    assert line in done.err


def test_an_internal_error_is_one_line(run: Run, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug is told on one line too, with exit code 4 and how to see where it is; on request it is shown."""
    # A module that cannot be imported stands for any bug.
    monkeypatch.setitem(sys.modules, "plumbrule.cli.views.verdict_tables", None)
    done = run("score", dataset)
    assert (done.code, done.out, done.err.count("\n")) == (4, "", 1)
    assert "internal error" in done.err
    assert "PLUMBRULE_DEBUG=1" in done.err
    monkeypatch.setenv("PLUMBRULE_DEBUG", "1")
    with pytest.raises(ImportError):
        run("score", dataset)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_imports_nothing_heavy(command: tuple[str, ...]) -> None:
    """Asking for help loads no parser, no tables and no model of data."""
    code = (
        "import sys\n"
        "from plumbrule import cli\n"
        f"cli.invoke([*{command}, '--help'])\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr == "[]\n"


def test_scoring_loads_no_ledger_and_no_report(tmp_path: Path) -> None:
    """A verdict needs no database, no page and no network: loading them would cost more than the scoring."""
    data = tmp_path / "a.jsonl"
    data.write_text('{"id": "1", "question": "What is the fee?", "answer": "$5.", "contexts": ["The fee is $5."]}\n')
    code = (
        "import sys\n"
        "from plumbrule import cli\n"
        f"cli.invoke(['score', {str(data)!r}])\n"
        "names = ('plumbrule.ledger', 'plumbrule.reports', 'plumbrule.runs', 'plumbrule.http', 'sqlalchemy')\n"
        "print([name for name in names if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize("arguments", [("--help",), ("score", "--help"), ("--version",)], ids=" ".join)
def test_help_costs_a_quarter_of_a_second_at_most(run_process: Run, arguments: tuple[str, ...]) -> None:
    """In processor time; a busy machine costs some of it, so one of ten calls is enough."""

    def cost() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run_process(*arguments).code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert any(cost() <= 0.25 for _ in range(10))


def test_the_reader_may_go_away(dataset: Path) -> None:
    """``plumbrule score … --json | head`` ends quietly, with the code of a closed pipe and not that of a decision."""
    command = Path(sys.executable).with_name("plumbrule")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [command, "score", dataset, "--json", "--no-claims"],
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


_LEAVING = """
import atexit, sys, threading
from plumbrule import cli

class Finalized:
    def __del__(self): print("the interpreter was taken down", file=sys.__stdout__)

kept = Finalized()
if sys.argv.pop(1) == "threads":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
real = cli.invoke
def invoke(arguments):
    atexit.register(print, "what was to be done at the end is done")
    return real(arguments)
cli.invoke = invoke
cli.main()
"""


@pytest.mark.parametrize(
    ("left", "arguments", "code", "said"),
    [
        ("threads", ["--version"], 0, ["what was to be done at the end is done"]),
        ("threads", ["rubric", "nonsense"], 2, ["what was to be done at the end is done"]),
        ("none", ["--version"], 0, ["what was to be done at the end is done", "the interpreter was taken down"]),
    ],
)
def test_threads_that_are_left_are_not_taken_down(left: str, arguments: list[str], code: int, said: list[str]) -> None:
    """A thread inside compiled code would abort when it is ended, as that of a server stopped while it warms up."""
    done = subprocess.run(
        [sys.executable, "-c", _LEAVING, left, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert [line for line in done.stdout.splitlines() if "plumbrule" not in line] == said
