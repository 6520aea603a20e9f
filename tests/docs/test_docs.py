"""The documentation is true: its commands run, its quoted output is real, its lists are complete, its links lead on.

``REWRITE_DOCS=1 pytest tests/docs`` brings quoted output and the picture up to date; read the difference before you
keep it.
"""

import ast
import dataclasses
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import click
import pytest
import yaml

import plumbrule
from plumbrule.cli import cli
from plumbrule.demo import samples_path
from plumbrule.monitoring import incident_model
from plumbrule.rubrics import shipped_text
from plumbrule.samples import ALIASES, FIELDS
from plumbrule.suites import load_suite
from plumbrule.support import kept_support
from plumbrule.verdicts import verdict
from plumbrule.verdicts.refusal import Judgement

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INSTALLED = Path(sys.executable).parent  # the programs as they are installed
IMAGE = DOCS / "images" / "demo.svg"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
REWRITE = bool(os.environ.get("REWRITE_DOCS"))

# Set-up, done by CI on a clean clone; everything else in a shell fence is run here.
NOT_RUN = ("make ", "pip install ", "python3 -m venv ", "pre-commit ")

SHELL = ("bash", "console", "sh")
FENCE = re.compile(r"^(?:<!-- (?P<note>.*?) -->\n)?```(?P<info>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
ALIAS_HEADER = "| field | other names, in the order in which they win |"
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ELLIPSIS = "..."
WIDTH = "100"


def environment(programs: Path, home: Path) -> dict[str, str]:
    """Return the environment of a reader."""
    return {
        "PLUMBRULE_VERIFIER": "none",
        "PATH": os.pathsep.join((str(programs), str(INSTALLED), os.environ["PATH"])),
        "HOME": str(home),
        "COLUMNS": WIDTH,
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",  # output and errors come in the order in which they were printed
    }


def run(command: list[str], folder: Path, *, exit_code: int, programs: Path) -> list[str]:
    """Run a command as a reader would, and return the lines it printed, errors among them."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(programs, folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    printed = done.stdout.decode()
    assert done.returncode == exit_code, f"{command[-1]}: exit code {done.returncode}, not {exit_code}\n{printed}"
    return [line.rstrip() for line in printed.strip("\n").splitlines()]


def quote(printed: list[str], quoted: list[str]) -> list[str]:
    """Return what a page should quote: all that was printed or, around an ellipsis, as much as it does now."""
    if ELLIPSIS not in quoted:
        return printed
    head = quoted.index(ELLIPSIS)
    tail = len(quoted) - head - 1
    return [*printed[:head], ELLIPSIS, *printed[len(printed) - tail :]]


def run_shell(body: str, folder: Path, *, console: bool, exit_code: int, programs: Path) -> str:
    """Run the commands of a shell fence; in a console fence, put what they print below each."""
    shown: list[str] = []
    pieces = re.split(r"^\$ ", body, flags=re.MULTILINE) if console else ["", *body.splitlines(keepends=True)]
    assert not pieces[0].strip(), f"a console fence starts with a command: {pieces[0]}"
    for piece in pieces[1:]:
        command, *quoted = piece.splitlines() or [""]
        shown.append(f"$ {command}" if console else command)
        if command.startswith((*NOT_RUN, "#")) or not command:
            shown.extend(quoted)
            continue
        printed = run(["bash", "-o", "pipefail", "-c", command], folder, exit_code=exit_code, programs=programs)
        if console and quoted:
            shown.extend(quote(printed, quoted))
    return "\n".join(shown) + "\n"


def refreshed(text: str, folder: Path, programs: Path) -> str:
    """Do all that a page tells its reader to do, in order, and return the page with the output it should quote."""
    printed: list[str] = []

    def refresh(fence: re.Match[str]) -> str:
        nonlocal printed
        key, _, value = (fence["note"] or "").partition(": ")
        body = fence["body"]
        if key == "file":
            (folder / value).write_text(body, encoding="utf-8")
        elif fence["info"] in SHELL:
            exit_code = int(value) if key == "exit" else 0
            console = fence["info"] == "console"
            body = run_shell(body, folder, console=console, exit_code=exit_code, programs=programs)
        elif fence["info"] == "python":
            (folder / "snippet.py").write_text(body, encoding="utf-8")
            printed = run(["python", "snippet.py"], folder, exit_code=0, programs=programs)
        elif key == "output":
            body = "\n".join(printed) + "\n"
        start = fence.start("body") - fence.start()
        return f"{fence[0][:start]}{body}{fence[0][start + len(fence['body']) :]}"

    return FENCE.sub(refresh, text)


def prepared(folder: Path, text: str = "") -> Path:
    """Return a folder with what every page starts from, but for what its text makes itself."""
    if "\n$ plumbrule demo --keep answers.jsonl" not in text:
        shutil.copyfile(samples_path(), folder / "answers.jsonl")
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def named(page: Path) -> str:
    """Return a page's path as a reader knows it."""
    return str(page.relative_to(ROOT))


def all_pages() -> str:
    """Return the whole documentation."""
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def section(page: Path, heading: str) -> str:
    """Return what stands under one heading of a page."""
    parts = re.split(r"^(#+ .+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert f"## {heading}" in parts, f"{named(page)} has no section '{heading}'"
    return parts[parts.index(f"## {heading}") + 1]


def table_rows(page: Path, header: str) -> list[list[str]]:
    """Return the cells of every table with this header, without their code marks."""
    rows: list[list[str]] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line == header:
            for row in lines[number + 2 :]:
                if not row.startswith("|"):
                    break
                rows.append([cell.strip().strip("`") for cell in row.strip("|").split("|")])
    assert rows, f"{named(page)} has no table {header}"
    return rows


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path, programs: Path) -> None:
    """Every command and snippet runs in order with the exit code stated, and prints what is quoted below it.

    Those of README.md, which a reader sees first, are started as they are installed.
    """
    text = page.read_text(encoding="utf-8")
    real = refreshed(text, prepared(tmp_path, text), INSTALLED if page.name == "README.md" else programs)
    if REWRITE:
        page.write_text(real, encoding="utf-8")
    else:
        assert real.splitlines() == text.splitlines()


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ plumbrule --version\nplumbrule 0.0.0\n```\n",
        "```console\n$ plumbrule --version\n...\nplumbrule 0.0.0\n```\n",
        "<!-- exit: 1 -->\n```console\n$ plumbrule --version\n```\n",
        "```sh\nplumbrule score no-such-file.jsonl\n```\n",
        "```python\nprint(1)\n```\n\n<!-- output -->\n```text\n2\n```\n",
        "```python\nraise SystemExit(1)\n```\n",
    ],
)
def test_what_does_not_happen_is_noticed(text: str, tmp_path: Path, programs: Path) -> None:
    """A wrong quotation changes the page, and a wrong exit code is an error: the check above can fail."""
    with pytest.raises(AssertionError):
        assert refreshed(text, tmp_path, programs) == text


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link names a file of the repository and, after #, a heading in it."""
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{named(page)} links to {link}"
        if anchor:
            assert anchor in slugs(target), f"{named(page)} links to {link}"


def slugs(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_index_names_every_page() -> None:
    """docs/README.md links to every other page of docs."""
    linked = set(LINK.findall((DOCS / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= linked


def emitted_flags() -> set[str]:
    """Return every flag that the verdict can carry, read from the code that gives it."""
    tree = ast.parse(inspect.getsource(verdict))
    [method] = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "_flags"]
    keys = {
        key.value
        for node in ast.walk(method)
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant)
    }
    judged = {f"refusal_{judgement}" for judgement in get_args(Judgement)}
    return {str(key) for key in keys} | judged - {"refusal_as_expected", "refusal_unjudged"}


def test_every_flag_is_explained() -> None:
    """Each flag that the code can give has its row in the table of flags."""
    explained = {row[0] for row in table_rows(DOCS / "verdict-rubric.md", "| flag | meaning |")}
    assert len(explained) > 5
    assert explained == emitted_flags()


def leaves(content: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the dotted key of every value."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def test_every_rubric_key_is_explained() -> None:
    """Each key of verdict.yaml has its row, with the value that ships, in the table of keys."""
    content = yaml.safe_load(shipped_text("verdict"))
    rows = {row[0]: row[1] for row in table_rows(DOCS / "verdict-rubric.md", "| key | ships as | what it sets |")}
    assert set(rows) == set(leaves(content)) - {"name"}
    for key, shown in rows.items():
        value: Any = content
        for step in key.split("."):
            value = value[step]
        if not isinstance(value, list):
            assert shown == str(value), key


def test_every_command_and_option_is_explained() -> None:
    """Each command has a section in the reference that names all its options."""

    def walk(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from walk(inner, f"{path} {name}")

    commands = [pair for pair in walk(cli, "plumbrule") if not isinstance(pair[1], click.Group)]
    assert len(commands) > 4
    for path, command in commands:
        explained = section(DOCS / "commands.md", path)
        for option in command.params:
            if isinstance(option, click.Option):
                assert f"`{option.opts[-1]}" in explained, f"{path} {option.opts}"


def test_every_field_and_alias_is_explained() -> None:
    """docs/data.md names every field of a sample and every other name that is understood."""
    page = (DOCS / "data.md").read_text(encoding="utf-8")
    names = [*FIELDS, *(alias for aliases in ALIASES.values() for alias in aliases)]
    assert [name for name in names if f"`{name}" not in page] == []
    order = {row[0]: row[1] for row in table_rows(DOCS / "data.md", ALIAS_HEADER)}
    assert {name: tuple(re.findall(r"\w+", listed)) for name, listed in order.items()} == ALIASES


def keys_of(value: object) -> Iterator[str]:
    """Yield every key at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from keys_of(inner)
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def test_every_json_key_is_explained(tmp_path: Path, programs: Path) -> None:
    """docs/commands.md names every key that the commands print as JSON."""
    prepared(tmp_path)
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    commands = ("score answers.jsonl -o out.jsonl --json", "validate answers.jsonl --json")
    objects = [
        json.loads("".join(run(["plumbrule", *line.split()], tmp_path, exit_code=0, programs=programs)))
        for line in commands
    ]
    results = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    keys = {key for each in objects for key in (*each, *each["counts"], *each.get("facts", ()))}
    keys.update(keys_of(results))
    assert len(keys) > 40
    assert [key for key in sorted(keys) if not re.search(rf"`(?:\w+\.)?{key}(?:\[\])?`", page)] == []


def test_every_key_of_a_decision_is_explained(tmp_path: Path, programs: Path) -> None:
    """docs/scorecards.md and docs/commands.md name every key that `review decide --json` prints."""
    card = {dimension["key"]: "Unsafe" for dimension in yaml.safe_load(shipped_text("scorecard"))["dimensions"]}
    record = {"trace_id": "t", "evaluation_id": "7d444840-9dc0-11d1-b245-5ffdce74fad2", "scores": card}
    (tmp_path / "card.json").write_text(json.dumps(record), encoding="utf-8")
    [line] = run(["plumbrule", "review", "decide", "card.json", "--json"], tmp_path, exit_code=1, programs=programs)
    keys = set(keys_of(json.loads(line)))
    assert len(keys) > 12
    for name in ("scorecards.md", "commands.md"):
        page = (DOCS / name).read_text(encoding="utf-8")
        assert [key for key in sorted(keys) if f"`{key}`" not in page] == [], name


def test_every_key_of_the_suite_is_explained(tmp_path: Path, programs: Path) -> None:
    """docs/commands.md and docs/suites.md name every key of what the suite's commands give, and every criterion."""
    prepared(tmp_path)
    running = "suite run --candidate examples.assistant:answer --code CONFLICTING_SOURCES -o cases.jsonl --json"
    lines = {running: 1, "suite list --json": 0, "suite coverage --json": 0, "suite show cs-gift-limit --json": 0}
    objects = [
        json.loads("".join(run(["plumbrule", *line.split()], tmp_path, exit_code=code, programs=programs)))
        for line, code in lines.items()
    ]
    for tally in objects[0]["test_cases"]:
        tally["criteria"] = list(tally["criteria"].values())
    for each in objects[2]["dimensions"]:
        each["test_cases"] = []
    cases = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    keys = {*keys_of(objects), *(key for case in cases for key in case)}
    keys |= {key for case in cases for result in case["criteria"].values() for key in result}
    keys |= set(load_suite().criteria)
    page = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("commands.md", "suites.md"))
    assert len(keys) > 60
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []


def test_every_key_of_monitoring_is_explained(tmp_path: Path, programs: Path) -> None:
    """docs/monitoring.md names every key that `monitor`, `feedback` and `incident` write as JSON."""
    rubric = yaml.safe_load(shipped_text("scorecard"))
    card = dict.fromkeys((dimension["key"] for dimension in rubric["dimensions"]), 1)
    record = {"trace_id": "t", "date": "2026-01-05", "scores": card}
    (tmp_path / "cards.jsonl").write_text(json.dumps(record), encoding="utf-8")
    monitor = ["plumbrule", "monitor", "--records", "cards.jsonl", "--alert-file", "alerts.json", "--json"]
    [line] = run(monitor, tmp_path, exit_code=1, programs=programs)
    keys = set(keys_of(json.loads(line))) | set(keys_of(json.loads((tmp_path / "alerts.json").read_bytes())))
    [line] = run(
        ["plumbrule", "feedback", "--records", "cards.jsonl", "--json"], tmp_path, exit_code=0, programs=programs
    )
    keys |= set(keys_of(json.loads(line)))
    modules = {incident_model.__name__, kept_support.__name__}
    classes = [each for each in vars(incident_model).values() if dataclasses.is_dataclass(each)]
    parts = [each for each in classes if each.__module__ in modules]
    keys |= {each.name for part in parts for each in dataclasses.fields(part)}
    keys -= {figure["key"] for figure in rubric["figures"]}  # the drift of each
    assert len(keys) > 80
    page = (DOCS / "monitoring.md").read_text(encoding="utf-8")
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []


def test_every_part_of_the_scorecard_rubric_is_explained() -> None:
    """Each key of scorecard.yaml has its place in the table of keys."""
    rows = table_rows(DOCS / "scorecards.md", "| key | what it sets |")
    explained = {key for row in rows for key in re.findall(r"\w+", row[0])}
    assert explained == set(yaml.safe_load(shipped_text("scorecard"))) - {"name", "version"}


def test_every_public_name_is_explained() -> None:
    """The pages name all that `import plumbrule` offers."""
    pages = all_pages()
    assert [name for name in plumbrule.__all__ if name not in pages] == []


def test_value_tables_are_true() -> None:
    """Each row of the tables of numbers and dates says what the program finds."""
    rows = table_rows(DOCS / "verdict-rubric.md", "| in the answer | in the context | supported | reason |")
    wrong = []
    for said, given, supported, reason in rows:
        result = plumbrule.score(answer=said, contexts=[given], overrides={"hallucination.anchors": ["number", "date"]})
        found = [("yes" if anchor.supported else "no", anchor.reason) for anchor in result.hallucination.anchors]
        if (supported, reason) not in found[:1]:
            wrong.append((said, given, found))
    assert wrong == []


def test_claim_table_is_true() -> None:
    """Each row of the table of claims says what the program takes for a claim."""
    wrong = []
    for said, claims in table_rows(DOCS / "verdict-rubric.md", "| sentence | claims |"):
        triples = [anchor.triple for anchor in plumbrule.score(answer=said).hallucination.anchors if anchor.triple]
        found = "; ".join(f"{triple.subject} → {triple.verb} → {triple.object}" for triple in triples) or "none"
        if claims != found:
            wrong.append((said, found))
    assert wrong == []


def test_picture_fetches_nothing() -> None:
    """The picture holds no address but the name of its own format."""
    addresses = re.findall(r"https?://[^\s\"'<>)]+", IMAGE.read_text(encoding="utf-8"))
    assert addresses == ["http://www.w3.org/2000/svg"]


def test_picture_shows_what_the_program_prints() -> None:
    """The picture's text is that of a picture drawn now; colours and layout are left to Rich's version."""
    spec = importlib.util.spec_from_file_location("make_images", DOCS / "make_images.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn: str = module.draw()
    if REWRITE:
        IMAGE.write_text(drawn, encoding="utf-8")
    assert texts(IMAGE.read_text(encoding="utf-8")) == texts(drawn)


def texts(picture: str) -> list[str]:
    """Return what can be read in a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_pages_are_about_the_product(page: Path) -> None:
    """No page names a path of the machine on which it was written."""
    assert re.findall(r"/(?:work|tmp|home|root|Users)/\S*", page.read_text(encoding="utf-8")) == []
