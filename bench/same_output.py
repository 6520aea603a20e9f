"""Tells whether two source trees give the same output: ``python -m bench.same_output --old SRC_DIR [--new SRC_DIR]``.

SRC_DIR is the folder with the package: the src of a checkout. Each command runs once with either tree, in a folder
of its own, one after the other in the order below, so that those that write to the ledger build on each other. Compared
are exit code, output, complaints and the files that were written, after ids and times of this run and the hashes over
them, and the stamps of the support model and the offline judge were replaced. ``--diff`` shows what differs.
"""

import argparse
import difflib
import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

# Phrases that were made plainer, as they were and as they are.
PLAINER = {
    r"(\S+) to any\b": r"\1 or more",
    "hardly bear it out": "hardly support it",
    "hardly bear out": "hardly support",
    "could bear out": "could support",
    "borne out": "supported",
}
ROOT = Path(__file__).parents[1]
INPUTS = ROOT / "tests" / "data" / "old_ledger" / "inputs"
CARD = '{"trace_id": "%s", "scores": {"attribution_accuracy": %s, "retrieval_relevance": 4, "grounding_integrity": 4, \
"response_completeness": 3, "refusal_appropriateness": 4, "compliance_alignment": 4}, "notes": "Seen."}\n'
TRACES = ("e783e2d3-cffe-47f6-8a94-6fe6e2c3595a", "bb9f3660-355e-4dda-9b72-87769d009ee2")
FILES = {
    "ada.jsonl": "".join(CARD % (trace, 4) for trace in TRACES),
    "bob.jsonl": "".join(CARD % (trace, 2) for trace in TRACES),
    "change.json": f'{{"trace_id": "{TRACES[0]}", "scores": {{"attribution_accuracy": 3}}}}',
    "settled.json": '{"scores": {"attribution_accuracy": "Adequate"}, "notes": "In between."}',
}
COMMANDS = """
score answers.jsonl --json -o verdicts.jsonl
score answers.jsonl --no-claims --support --json
score answers.jsonl
prescore interactions.jsonl --passages corpus.jsonl --json
suite run --candidate examples.assistant:answer --json
run run.yaml --json
run run.yaml
show last --json --samples
report last -o report.html
report last -o report.json
sample interactions.jsonl --passages corpus.jsonl --trigger pre-deployment --name release --as Lead --json
review next --as Ada --json
review claim {0} {1} --as Ada --json
review claim {0} {1} --as Bob
review submit ada.jsonl --as Ada --json
review revise change.json --as Ada --reason "misread it" --json
review submit bob.jsonl --as Bob
review show {1} --as Ada --json
review adjudicate {1} --as Cy --json
review adjudicate {1} --as Cy --record settled.json --json
review assign {0} --to Zoe --as Lead --json
review agreement --as Ada --json
review close --as Lead --json
review close --as-is --as Lead --json
review export records.jsonl
review submit adhoc.json --adhoc --json
monitor --json
feedback --json
feedback take {0} -o regressions.jsonl
incident {1} -o incident.html
incident {1} --json
ledger verify --json --keep checkpoint.json
ledger export entries.jsonl
demo --into demo --json
""".format(*TRACES)

_DAYS = "|".join(f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%d}" for days in (-1, 0, 1))
REPLACED = (
    (re.compile(r"\b(run|campaign)-\d{8}T\d{6}-[0-9a-f]{6}"), r"\1-ID"),
    (re.compile(r"\bledger-[0-9a-f]{32}"), "ledger-ID"),
    (re.compile(rf"\b(?:{_DAYS})(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|\+00:00| UTC)?)?"), "TIME"),
    (re.compile(r'("(?:(?:run_)?entry|previous|body|last)_sha256":\s?)"[0-9a-f]{64}"'), r'\1"HASH"'),
    (re.compile(r"(at entry</dt>.*, )[0-9a-f]{64}"), r"\1HASH"),
    (re.compile(r'("evaluation_id":\s?)"[0-9a-f-]{36}"'), r'\1"ID"'),  # made from the ledger's own id
    (re.compile(r"(plumbrule-support (?:version )?)\d+"), r"\1VERSION"),
    (re.compile(r'("sha256":\s?"STAMP",\s?"version":\s?)"\d+"'), r'\1"VERSION"'),
    (re.compile(r'("name":\s?"plumbrule-support",\s?(?:"sha256":\s?"STAMP",\s?)?"version":\s?)"\d+"'), r'\1"VERSION"'),
    *((re.compile(before), after) for before, after in PLAINER.items()),
    (re.compile(r"(?<=\S) {2,}"), "  "),  # tables are as wide as their words
)
STAMP = r'"(?:model|judge)":\{"name":"(?:plumbrule-support|rules)","version":"[^"]*","sha256":"([0-9a-f]{64})"'
# A database differs by its pages, and its checkpoint by hashes over times; the export compares what it holds.
SKIPPED = {".checkpoint", ".db", ".pyc"}


def lay_out(folder: Path) -> None:
    """Write the inputs."""
    for path in INPUTS.iterdir():
        if path.suffix == ".gz":
            (folder / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copy(path, folder)
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def outcome(command: str, source: Path, folder: Path) -> str:
    """Run a command with a source tree and return all that came of it, as one text."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    program = [sys.executable, "-c", "import sys; sys.argv[0] = 'plumbrule'; from plumbrule.cli import main; main()"]
    environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{source.parent}", "COLUMNS": "100"}
    done = subprocess.run(
        [*program, *shlex.split(command)], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    parts = [f"exit code {done.returncode}", done.stdout, done.stderr]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in SKIPPED and before.get(path) != path.stat().st_mtime_ns:
            parts += [f"file {path.relative_to(folder)}", path.read_text(encoding="utf-8")]
    return "\n".join(parts)


def stamps_of(source: Path, folder: Path) -> list[str]:
    """Return the hashes of a tree's support model and of its offline judge, which is taken over the model's."""
    asked = ("support show --json", "judge -q What? -a It. -c It. -r It. --json")
    return [digest for text in asked for digest in re.findall(STAMP, outcome(text, source, folder))]


def normalised(text: str, stamps: list[str]) -> str:
    """Return a text without the ids and times of this run and without the stamps of a tree's models."""
    for digest in stamps:
        text = text.replace(digest, "STAMP").replace(digest[:12], "STAMP")
    for pattern, replacement in REPLACED:
        text = pattern.sub(replacement, text)
    return text


def main() -> int:
    """Print a line for each command; return 1 if any differs."""
    parser = argparse.ArgumentParser(prog="python -m bench.same_output", description=__doc__.partition("\n")[0])
    parser.add_argument("--old", type=Path, required=True, help="the source folder to compare with")
    parser.add_argument("--new", type=Path, default=ROOT / "src", help="by default that of this checkout")
    parser.add_argument("--diff", action="store_true", help="show the first lines that differ")
    options = parser.parse_args()
    differing = 0
    with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
        lay_out(Path(old))
        lay_out(Path(new))
        pairs = ((options.old.resolve(), Path(old)), (options.new.resolve(), Path(new)))
        trees = {tree: stamps_of(*tree) for tree in pairs}
        for command in COMMANDS.strip().splitlines():
            before, after = (normalised(outcome(command, *tree), stamps) for tree, stamps in trees.items())
            differing += before != after
            print(f"{'same' if before == after else 'DIFFERS':8} {command}", flush=True)
            if options.diff and before != after:
                first, second = (re.split(r'\n|,(?=")', text) for text in (before, after))
                lines = list(difflib.unified_diff(first, second, "old", "new", lineterm="", n=0))
                print("\n".join(line[:200] for line in lines[:20]))
    print(f"{differing} of {len(COMMANDS.strip().splitlines())} differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
