"""Blind means blind: whatever command another evaluator calls, nothing that it shows depends on a rating not yet his.

Two ledgers differ only in how Ada rated. Every command that reads a ledger is called as Ben, who has rated nothing, on
both; what he is shown must be the same.
"""

import os
import re
import shutil
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import orjson
import pytest
from tests.cli.conftest import Run

from plumbrule import cli
from plumbrule.demo import samples_path
from plumbrule.ledger import open_ledger, restore
from plumbrule.reviews.campaigns.campaign_store import claim_item, open_campaign
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.reviews.submission import submit_records
from plumbrule.rubrics import load_scorecard
from plumbrule.settings import settings_directory

NOTES = ("quokka-7Q2X", "wombat-9K4Z")
LEVELS = ((4, 4, 4, 4, 4, 4), (3, 2, 2, 3, 3, 3))  # of the item that Ben is to rate
LEVELS_OF_FULL = ((4, 4, 4, 4, 4, 4), (3, 3, 3, 3, 3, 3))  # beside Cy's; neither goes to an adjudicator
KEYS = [dimension.key for dimension in load_scorecard().rubric.dimensions]
LEDGER = ("--ledger", "sqlite:///ledger.db")

# What changes from one moment, or one chain, to the next: times, hashes, ids made from them.
_CHANGING = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{12,64}\b|\d{4}-\d\d-\d\d[T ][0-9:.]+(Z| UTC)"
)

# Every command with --ledger, each with what Ben may try; {item} is what Ada rated and he is to rate, {full} has all
# its ratings and none of his.
CALLS: dict[str, list[list[str]]] = {
    "compare": [["last", "last", "--json"]],
    "doctor": [["--json"]],
    "export": [["last", "--to", "otlp", "-o", "out.json"], ["last", "--to", "inspect", "-o", "out.json"]],
    "feedback": [[], ["--json"]],
    "feedback take": [["{item}", "-o", "out.jsonl"], ["{full}", "-o", "out.jsonl", "--json"]],
    "gate": [["last"]],
    "incident": [["{item}", "-o", "out.json"], ["{full}", "-o", "out.html", "--json"], ["{full}", "--json"]],
    "label": [["last"], ["last", "--draw", "2", "--as", "Ben", "--json"], ["last", "--campaign", "c", "--as", "Ben"]],
    "ledger archive": [["--run", "last", "--dry-run"]],  # what it moves is of runs, and has no ratings
    "ledger backup": [],  # a whole copy, to be kept from evaluators: see below
    "ledger bundle": [["last", "out.zip"]],
    "ledger checkpoint": [["--to", "out.json"], ["--json"], ["--reset", "--as", "Ben"]],
    "ledger export": [["out.jsonl"], ["out.jsonl", "--with-open-ratings", "--as", "Ben"]],
    "ledger restore": [["archive", "--reason", "why", "--as", "Ben"]],
    "ledger upgrade": [[]],
    "ledger verify": [[], ["--json"]],
    "monitor": [[], ["--json"], ["--alert-file", "out.json"]],
    "plan": [["--rate", "0.9", "--limit", "0.85"], ["--run", "last", "--limit", "0.85", "--json"]],
    "report": [["last", "-o", "out.html"], ["last", "-o", "out.json"]],
    "review adjudicate": [
        ["--as", "Ben"],
        ["{item}", "--as", "Ben"],
        ["{full}", "--as", "Ben", "--json"],
        ["--take", "--as", "Ben"],
        ["{full}", "--take", "--as", "Ben"],
    ],
    "review agreement": [[], ["--as", "Ben"], ["--as", "Ben", "--json"], ["--json", "--run", "last"]],
    "review assign": [["{item}", "--to", "Ben"], ["{full}", "--to", "Ben"]],
    "review claim": [["{item}", "--as", "Ben", "--json"], ["--count", "3", "--as", "Ben"], ["{full}", "--as", "Ben"]],
    "review close": [[], ["--as", "Ben", "--json"]],
    "review export": [["-"], ["-", "--as", "Ben"], ["out.jsonl", "--as", "Ben", "--json"]],
    "review list": [[], ["--json"], ["last", "--as", "Ben"], ["last", "--as", "Ben", "--json"]],
    "review next": [["--as", "Ben"], ["--as", "Ben", "--json"]],
    "review progress": [[], ["--json"]],
    "review rate": [["--as", "Ben"], ["--as", "Ben", "--json"], ["--as", "Ben", "--adjudicate"]],
    "review release": [["{item}", "--as", "Ben"]],
    "review revise": [
        ["card.json", "--reason", "why", "--as", "Ben"],
        ["other.json", "--reason", "why", "--as", "Ben"],
    ],
    "review show": [["{item}", "--as", "Ben"], ["{item}", "--as", "Ben", "--json"], ["{full}", "--as", "Ben"]],
    "review submit": [["other.json", "--as", "Ben"]],
    "run": [["run.yaml", "--dry-run"]],
    "runs": [[], ["--json"]],
    "sample": [["data.jsonl", "--trigger", "monitoring", "--no-claims", "--name", "next", "--as", "Lead", "--json"]],
    "show": [["last"], ["last", "--json"]],
}
ROWS = [(command, arguments) for command, calls in CALLS.items() for arguments in calls]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], dict[str, str]]:
    """Return two folders whose ledgers differ in Ada's ratings alone, and the items by their part in this."""
    first, before = tmp_path_factory.mktemp("ledger"), Path.cwd()
    (first / "data.jsonl").write_bytes(b"".join(samples_path().read_bytes().splitlines(keepends=True)[:3]))
    os.chdir(first)
    try:
        assert cli.invoke(["init", "run.yaml"]) == 0
        assert cli.invoke(["run", "run.yaml", *LEDGER]) == 0
    finally:
        os.chdir(before)
    at, loaded = datetime.now(UTC), load_scorecard()
    with open_ledger(f"sqlite:///{first / 'ledger.db'}") as ledger:
        request = Request(trigger="pre-deployment", path=str(first / "data.jsonl"), claims=False)
        campaign = open_campaign(ledger, draw(request, loaded), loaded, name="c", author="Lead", at=at)
        item, full, _ = (each.trace_id for each in campaign.items.values())
    for name, trace_id in (("card.json", item), ("other.json", full)):
        (first / name).write_bytes(orjson.dumps(_card(trace_id, (4,) * 6, "mine")))
    second = tmp_path_factory.mktemp("other") / "ledger"
    shutil.copytree(first, second)
    for version, folder in enumerate((first, second)):
        with open_ledger(f"sqlite:///{folder / 'ledger.db'}") as ledger:
            for trace_id, who, levels, said in (
                (item, "Ada", LEVELS[version], NOTES[version]),
                (full, "Ada", LEVELS_OF_FULL[version], NOTES[version]),
                (full, "Cy", (4,) * 6, "seen"),
            ):
                claim_item(ledger, "c", trace_id, who, at=at)
                submit_records(ledger, "c", [("", _card(trace_id, levels, said))], evaluator=who, at=at)
            claim_item(ledger, "c", item, "Ben", at=at)
    return [first, second], {"item": item, "full": full}


def _card(trace_id: str, levels: tuple[int, ...], note: str) -> dict[str, Any]:
    return {"trace_id": trace_id, "scores": dict(zip(KEYS, levels, strict=True)), "notes": note}


def reading_a_ledger(command: click.Command, path: tuple[str, ...], context: click.Context) -> Iterator[str]:
    """Yield every command, under this one, that takes a ledger."""
    if any(parameter.name == "ledger_url" for parameter in command.params):
        yield " ".join(path)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from reading_a_ledger(found, (*path, name), context)


def test_every_command_is_tried() -> None:
    """A new command that reads a ledger stands in the table above, or this fails; pages have tests of their own."""
    reading = set(reading_a_ledger(cli.cli, (), click.Context(cli.cli)))
    without_ratings = {command for command in reading if command.startswith("accounts ")} | {"serve"}
    assert reading - without_ratings == set(CALLS)


def shown(run: Run, folder: Path, here: Path, command: str, arguments: list[str]) -> str:
    """Return all that a command prints and writes, on a copy of the ledger."""
    for old in here.iterdir():
        old.unlink()
    shutil.rmtree(settings_directory() / "checkpoints", ignore_errors=True)  # one of the two in the place of the other
    for name in ("ledger.db", "data.jsonl", "run.yaml", "card.json", "other.json"):
        shutil.copy(folder / name, here / name)
    done = run(*command.split(), *arguments, *LEDGER, stdin=b"q\n")
    files = [text_of(path) for path in sorted(here.glob("out.*"))]
    return f"exit code {done.code}\n{done.out}\n{done.err}\n{''.join(files)}"


def text_of(path: Path) -> str:
    """Return what a file holds, of an archive what its parts hold."""
    if not zipfile.is_zipfile(path):
        return path.read_text()
    with zipfile.ZipFile(path) as archive:
        return "".join(archive.read(name).decode() for name in archive.namelist())


@pytest.mark.parametrize(("command", "arguments"), ROWS, ids=[f"{c} {' '.join(a)}".strip() for c, a in ROWS])
def test_nothing_depends_on_a_rating_that_is_not_yet_to_be_seen(
    run: Run,
    folders: tuple[list[Path], dict[str, str]],
    tmp_path: Path,
    command: str,
    arguments: list[str],
) -> None:
    """No note of Ada's is shown, and with other levels of hers Ben is shown the same."""
    made, items = folders
    given = [argument.format(**items) for argument in arguments]
    told = [shown(run, folder, tmp_path, command, given) for folder in made]
    assert not any(note in text for note in NOTES for text in told)
    first, second = (_CHANGING.sub("#", text) for text in told)
    assert first == second


def test_what_the_table_would_catch(run: Run, folders: tuple[list[Path], dict[str, str]], tmp_path: Path) -> None:
    """As Ada, who rated, the same commands do tell the two ledgers apart: the comparison can fail."""
    made, items = folders
    for command, arguments in (
        ("review show", [items["item"], "--as", "Ada", "--json"]),
        ("review export", ["-", "--as", "Ada"]),
        ("review agreement", ["--as", "Ada", "--json"]),
        ("ledger export", ["out.jsonl", "--with-open-ratings", "--as", "Auditor"]),
    ):
        first, second = (_CHANGING.sub("#", shown(run, folder, tmp_path, command, arguments)) for folder in made)
        assert first != second, command


def test_an_export_withholds_and_can_be_checked(
    run: Run, folders: tuple[list[Path], dict[str, str]], tmp_path: Path
) -> None:
    """The bodies of the three records are out, every hash is in, and restoring from it says what is the matter."""
    text = shown(run, folders[0][0], tmp_path, "ledger export", ["out.jsonl"])
    assert "the bodies of 3 records" in text
    lines = [orjson.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    bare = [line for line in lines if line.get("withheld")]
    assert [(line["kind"], line["body"]) for line in bare] == [("record", None)] * 3
    with open_ledger(f"sqlite:///{tmp_path / 'ledger.db'}") as ledger:
        kept = [(entry.body_sha256, entry.entry_sha256) for entry in ledger.entries(after=-1)]
    assert [(line["body_sha256"], line["entry_sha256"]) for line in lines] == kept
    with pytest.raises(Exception, match="withholds its body: restore from a backup"):
        restore(tmp_path / "out.jsonl", f"sqlite:///{tmp_path / 'again.db'}")


def test_who_was_shown_the_ratings_rates_no_more(
    run: Run, folders: tuple[list[Path], dict[str, str]], tmp_path: Path
) -> None:
    """It is refused to evaluators, recorded for others, and those cannot become evaluators."""
    refused = shown(run, folders[0][0], tmp_path, "ledger export", ["out.jsonl", "--with-open-ratings", "--as", "ben "])
    assert "'ben ' rates in c, which is open" in refused
    assert not (tmp_path / "out.jsonl").exists()
    assert run("ledger", "export", "out.jsonl", "--with-open-ratings", *LEDGER).code == 2
    assert run("ledger", "export", "out.jsonl", "--with-open-ratings", "--as", "Di", *LEDGER).code == 0
    assert NOTES[0] in (tmp_path / "out.jsonl").read_text()
    with open_ledger(f"sqlite:///{tmp_path / 'ledger.db'}") as ledger:
        *_, event = ledger.entries(kind="campaign", subject="campaigns/c")
        assert (event.author, event.value) == ("Di", {"event": "disclosed", "evaluator": "Di"})
    for command in (["claim", "--count", "1"], ["next"]):
        said = run("review", *command, "--as", "di", *LEDGER).out
        assert "nothing is left for di: 2 items wait for other evaluators; di was shown the ratings" in said
    item = folders[1]["item"]
    assert "was shown the ratings of c" in run("review", "assign", "--as", "Lead", item, "--to", "Di", *LEDGER).err
    assert restore(tmp_path / "out.jsonl", f"sqlite:///{tmp_path / 'again.db'}").sequence > 0


def test_a_backup_is_whole_and_says_so(run: Run, folders: tuple[list[Path], dict[str, str]], tmp_path: Path) -> None:
    """It must be: a ledger is restored from it. What it prints tells no rating, and warns."""
    text = shown(run, folders[0][0], tmp_path, "ledger backup", ["copy.jsonl"])
    assert "keep it from their evaluators (c)" in text
    assert NOTES[0] not in text
    assert NOTES[0] in (tmp_path / "copy.jsonl").read_text()


def test_figures_come_with_the_closing(run: Run, folders: tuple[list[Path], dict[str, str]], tmp_path: Path) -> None:
    """While it is open its records are left out and counted; then they count."""
    shown(run, folders[0][0], tmp_path, "ledger verify", [])
    [monitored] = run("monitor", "--json", *LEDGER).records
    assert [week["reviewed"] for week in monitored["weeks"]] == [0]
    assert "3 records of c" in monitored["remarks"][0]
    assert "3 records of c" in run("monitor", *LEDGER).out
    assert "3 records of c" in run("feedback", *LEDGER).out
    assert run("review", "close", "--as", "Lead", "--as-is", *LEDGER).code == 1
    [monitored] = run("monitor", "--json", *LEDGER).records
    assert (sum(week["reviewed"] for week in monitored["weeks"]), monitored["remarks"]) == (2, [])
    assert run("feedback", "--json", *LEDGER).records[0]["remarks"] == []
