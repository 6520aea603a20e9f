"""The commands whose output about the kept ledger is kept, and how one is run.

``python -m tests.data.old_ledger.commands`` records what they print with the package that is on PYTHONPATH.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from plumbrule.cli import main

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
INDEX = EXPECTED / "index.json"
LEDGER = Path(".plumbrule") / "ledger.db"
LARGE = 4000  # bytes; longer text is kept compressed

# The runs of the ledger by name, and interactions; a command names them in braces.
RUNS = (
    *("demo", "tight", "loose", "better", "at_the_limits", "failures_above_the_limit", "latency_above_the_limit"),
    *("mixed", "nulls_decide", "pass_rate_below_the_limit", "score_below_the_limit", "panel", "stopped"),
)
CAMPAIGNS = ("release-2025-03-31", "week-2025-W23", "four", "corpus-1", "model-2", "incident-1", "open-1")
TRACES = {
    "approvals": "e783e2d3-cffe-47f6-8a94-6fe6e2c3595a",
    "incident": "bb9f3660-355e-4dda-9b72-87769d009ee2",
    "adhoc": "a7bd6c1b-f03d-4bbc-8dbc-431b50370187",
}

_OF_THE_LEDGER = """
runs
runs --json
compare {demo} {tight}
compare {demo} {tight} --json
compare {demo} {loose} --json --fail-on worse
compare {demo} {better} --other-dataset
compare {demo} {better} --other-dataset --json
compare {better} {demo} --other-dataset --json --fail-on worse
compare {demo} {better}
compare {demo} {panel} --json
show {demo}
show {tight}
show {panel}
show {stopped}
show last --json
show nowhere
gate {demo}
gate {tight}
gate {tight} --strict --json
gate {at_the_limits} --strict --json
gate {stopped} --json
gate {mixed}
report {demo} -o report.html
report {demo} -o report.md
report {demo} -o report.json
report {demo} -o report.xml
report {tight} -o report.html
report {tight} -o report.md
report {loose} -o report.json
report {mixed} -o report.html
report {mixed} -o report.md
report {mixed} -o report.json
report {mixed} -o report.xml
report {panel} -o report.html
report {panel} -o report.json
report {stopped} -o report.md
review list
review list --json
review list open-1 --as Ada --json
review list open-1 --as Bob --mine
review list open-1 --as Cy
review progress
review progress --campaign four
review progress --campaign open-1
review agreement --campaign release-2025-03-31
review agreement --campaign release-2025-03-31 --run {demo} --json
review agreement --campaign open-1 --as Ada --json
review export records.jsonl --campaign corpus-1
review export records.jsonl --campaign open-1 --as Ada --json
review export - --campaign open-1 --as Bob
review show {incident} --campaign incident-1 --as Ada
review show {incident} --campaign incident-1 --as Ada --json
review show {approvals} --campaign release-2025-03-31 --as Zoe --json
review show {approvals} --campaign release-2025-03-31 --as Zoe
review show later-00 --campaign open-1 --as Ada --json
review show later-01 --campaign open-1 --as Bob --json
review show later-02 --campaign open-1 --as Zoe
review close --campaign open-1
monitor
monitor --json
monitor --from 2025-W14 --to 2025-W27 --json --alert-file alerts.json
monitor --trigger monitoring --from 2025-W20
monitor --trigger pre-deployment --json
monitor --rubric support_card.yaml --json
monitor --rubric strict_card.yaml --json
monitor --set figures.0.alert=3.4 --json
feedback
feedback --json
feedback --trigger monitoring --json
feedback --rubric support_card.yaml
feedback --rubric support_card.yaml --json
feedback take {incident} -o regressions.jsonl --json
feedback take {adhoc} -o regressions.jsonl
incident {incident} --json
incident {incident} -o incident.html
incident {incident} -o incident.json --json
incident {approvals} -o incident.html --from interactions.jsonl --passages corpus.jsonl
incident {adhoc} --json --verdict-rubric changed_verdict.yaml
incident later-00 --json
incident nothing-of-the-kind --json
ledger verify
ledger verify --json
ledger verify --keep checkpoint.json
ledger export entries.jsonl
"""

_OF_FILES = """
score answers.jsonl
score answers.jsonl --json
score answers.jsonl --json -o verdicts.jsonl
score answers.jsonl --no-claims --json
score answers.jsonl --no-claims --support --json
score answers.jsonl --no-support --json
score answers.jsonl --fail-on fail --worst 1
score answers.jsonl --rubric changed_verdict.yaml --set completeness.warn_below=0.9 --json
score answers.jsonl --explain wire-01-two-approvals
score answers.jsonl --explain complaints-06-contradicted
score answers.jsonl --explain records-07-wrong-number --json
validate answers.jsonl
validate answers.jsonl --json
validate tight_benchmark.yaml --format jsonl --json
prescore interactions.jsonl
prescore interactions.jsonl --passages corpus.jsonl --json
prescore interactions.jsonl --passages corpus.jsonl --no-claims --json -o prescores.jsonl
prescore interactions.jsonl --passages corpus.jsonl --explain {incident}
sample interactions.jsonl --passages corpus.jsonl --trigger monitoring --size 6 --dry-run --json
sample interactions.jsonl --passages corpus.jsonl --trigger pre-deployment --dry-run
suite list
suite list --json
suite coverage
suite coverage --json
suite show cs-holding-period
suite show cs-holding-period --json
suite run --candidate examples.assistant:answer --json
suite run --candidate examples.assistant:answer --code POLICY_BLOCKED
support show
support show --json
support calibrate --prior 0.1
judge -q "What is the fee?" -a "It is $25." -c "The fee is $25." -r "$25."
judge -q "What is the fee?" -a "It is $25." -c "The fee is $25." -r "$25." --json
judge -q "What is the fee?" -a "It is $40, and nobody may waive it." -c "The fee is $25." -r "$25." --json
judge -q "Which fee?" -a "I cannot say." -c "The fee is $25." --json
rubric list
rubric list --json
rubric check benchmark --rubric tight_benchmark.yaml
rubric check scorecard --rubric support_card.yaml --json
rubric check verdict --rubric strict_card.yaml
rubric show nothing
run run.yaml --dry-run --json
run run.yaml --dry-run
review decide adhoc.json
review decide adhoc.json --json
review decide adhoc.json --rubric strict_card.yaml --json
monitor --records adhoc.json --json
feedback --records adhoc.json
"""

COMMANDS = (
    *(f"show {{{run}}} --json --samples" for run in RUNS),
    *(f"gate {{{run}}} --json" for run in RUNS if run != "stopped"),
    *(f"review list {name} --json" for name in CAMPAIGNS),
    *(f"review progress --campaign {name} --json" for name in CAMPAIGNS),
    *(f"review agreement --campaign {name} --json" for name in CAMPAIGNS if name != "open-1"),
    *(f"review export - --campaign {name}" for name in CAMPAIGNS if name != "open-1"),
    *(f"rubric show {name}{form}" for name in ("verdict", "benchmark", "rules", "scorecard", "compliance", "refusals")
      for form in ("", " --json")),
    *_OF_THE_LEDGER.strip().splitlines(),
    *_OF_FILES.strip().splitlines(),
)  # fmt: skip


def slug(command: str) -> str:
    """Return the name that the files of a command's output begin with."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", command).strip("_")
    return f"{words[:60]}_{hashlib.sha256(command.encode()).hexdigest()[:6]}"


def lay_out(folder: Path) -> None:
    """Lay out the ledger and the inputs in a folder."""
    (folder / LEDGER).parent.mkdir()
    (folder / LEDGER).write_bytes(gzip.decompress((HERE / "ledger.db.gz").read_bytes()))
    for path in sorted((HERE / "inputs").iterdir()):
        if path.suffix == ".gz":
            (folder / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copy(path, folder)


def outcome(command: str, names: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Run a command in a folder and return all that came of it: exit code, output, complaints, and files written."""
    before = set(folder.iterdir())
    arguments = [re.sub(r"\{(\w+)\}", lambda match: names[match[1]], word) for word in shlex.split(command)]
    printed = invoke(arguments, folder)
    written = {path.name: path.read_text(encoding="utf-8") for path in sorted(set(folder.iterdir()) - before)}
    return {**printed, **written}


def invoke(arguments: Sequence[str], folder: Path) -> dict[str, str]:
    """Call the entry point in a folder and return exit code, output and complaints."""
    raw = {"stdout": io.BytesIO(), "stderr": io.BytesIO()}
    out, err = (io.TextIOWrapper(stream, encoding="utf-8", write_through=True) for stream in raw.values())
    argv = sys.argv
    sys.argv = ["plumbrule", *arguments]
    code: object = None
    try:
        with _environment(), chdir(folder), redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as leaving:
        code = leaving.code
    finally:
        sys.argv = argv
    return {"exit": str(code), **{name: stream.getvalue().decode() for name, stream in raw.items()}}


@contextmanager
def _environment() -> Iterator[None]:
    """Set the width of the terminal, and nothing else that a command looks at."""
    before = dict(os.environ)
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "PLUMBRULE_DEBUG", "PLUMBRULE_LEDGER"):
        os.environ.pop(name, None)
    os.environ["COLUMNS"] = "100"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def expected(command: str) -> dict[str, str]:
    """Return the outcome that is kept for a command, checked against the index."""
    parts = {}
    for part, digest in json.loads(INDEX.read_text(encoding="utf-8"))["commands"][command].items():
        path = EXPECTED / f"{slug(command)}.{part}"
        if part == "exit" or digest is None:
            parts[part] = digest or ""
            continue
        packed = path.with_name(f"{path.name}.gz")
        content = gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError(f"{path.name}: not what was kept: {digest}")
        parts[part] = content.decode()
    return parts


def record() -> None:
    """Run every command, and keep what comes of it."""
    shutil.rmtree(EXPECTED, ignore_errors=True)
    EXPECTED.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        lay_out(Path(scratch))
        runs = json.loads(outcome("runs --json", {}, Path(scratch))["stdout"])
    names = TRACES | {run["name"]: run["run_id"] for run in runs}
    index = {}
    for command in COMMANDS:
        with tempfile.TemporaryDirectory() as scratch:
            lay_out(Path(scratch))
            parts = outcome(command, names, Path(scratch))
        index[command] = {part: _keep(command, part, text) for part, text in parts.items()}
        sys.stderr.write(f"{parts['exit']} {len(parts['stdout']):8} {command}: {parts['stderr'][:150]}\n")
    INDEX.write_text(json.dumps({"names": names, "commands": index}, indent=1) + "\n", encoding="utf-8")


def _keep(command: str, part: str, text: str) -> str | None:
    """Write one part of an outcome and return what the index has of it: the exit code, a hash, or None."""
    if part == "exit" or not text:
        return text or None
    path, content = EXPECTED / f"{slug(command)}.{part}", text.encode()
    if len(content) > LARGE:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(content, 9, mtime=0))
    else:
        path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    record()
