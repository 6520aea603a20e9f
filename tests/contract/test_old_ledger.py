"""A ledger and outputs that an earlier version made: the code under test reads the one and prints the others again.

Everything goes through the command line, so that this holds whatever becomes of the modules behind it. What was kept is
described in ``tests/data/old_ledger/README.md``.

Both sides are compared byte for byte after ``normalised`` has replaced what may differ without a change of behaviour:

- the stamp of the support model: the hash of its files, the first 12 digits of it and its version, wherever they stand;
- the hashes of the offline judge and of a calibration, which are taken over that of the model, among others.

Nothing else needs replacing: versions, packages and platform stand in the metadata of runs, which the ledger keeps, and
no command here prints those of the machine that it runs on.
"""

import difflib
import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.data.old_ledger.commands import COMMANDS, INDEX, expected, lay_out, outcome

# A command whose output was changed on purpose, and why. Its exit code must still be the same.
CHANGED: dict[str, str] = {
    "incident {incident} -o incident.html": "the page says that passages support an answer",
    "incident {approvals} -o incident.html --from interactions.jsonl --passages corpus.jsonl": "the same",
    "monitor --set figures.0.alert=3.4 --json": "an override may name a place in a list",
    "rubric check verdict --rubric strict_card.yaml": "a fault of a rubric file names its line",
    "score answers.jsonl --explain complaints-06-contradicted": "plainer words: supported",
    "score answers.jsonl --explain wire-01-two-approvals": "the same",
}

NAMES: dict[str, str] = json.loads(INDEX.read_text(encoding="utf-8"))["names"]

# The stamps of the version that made the ledger.
_OLD_STAMPS = {
    "21a40abed440ca9463ac227b3f27b4db7061a0b67a92c9b6a9912569788e0b1e": "SUPPORT-MODEL",
    "109d2bf446951a2c7ab4bfe6e4cc69892ada41b2a72680341465673aabbc25af": "RULES-JUDGE",
    "5ec15a418c043c2ead87194333ea2a15825e3e3ddd3e04247dd12cfe74e5ee22": "CALIBRATION",
}

_SHORT = 12  # digits of a hash, where it is shown in a sentence
_SHOWN_LINES = 40
_LONGEST_LINE = 300
_Q = '(?:"|&#34;)'  # as in JSON, and in JSON on a page
_MODEL_VERSION = re.compile(
    rf"((?:{_Q}name{_Q}:\s*{_Q}plumbrule-support{_Q},\s*(?:{_Q}sha256{_Q}:\s*{_Q}[\w-]*{_Q},\s*)?{_Q}version{_Q}:\s*{_Q})"
    r"|(?:plumbrule-support (?:version )?))[\w.]+"
)


def test_every_command_is_kept() -> None:
    """What is listed is what was recorded; a change is of a command that there is."""
    assert list(json.loads(INDEX.read_text(encoding="utf-8"))["commands"]) == list(COMMANDS)
    assert CHANGED.keys() <= set(COMMANDS)


def test_the_chain_holds(tmp_path: Path) -> None:
    """Every entry that the earlier version wrote is read back with the hash that it was written with."""
    lay_out(tmp_path)
    found = outcome("ledger verify --json", NAMES, tmp_path)
    assert (found["exit"], found["stderr"]) == ("0", "")
    assert found["stdout"] == expected("ledger verify --json")["stdout"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_output_is_the_same(command: str, tmp_path: Path) -> None:
    """Exit code, output, complaints and files are those of the earlier version."""
    lay_out(tmp_path)
    found, kept = outcome(command, NAMES, tmp_path), expected(command)
    assert found["exit"] == kept["exit"] or command in CHANGED, found["stderr"]
    difference = differences(kept, found)
    if difference and command.startswith("review progress") and command.endswith("--json"):
        # the keys of a kept decision are in the order of 'review close --json', no longer in that of the ledger
        assert json.loads(found["stdout"]) == json.loads(kept["stdout"])
        return
    if command in CHANGED:
        assert difference, f"nothing has changed; it was said: {CHANGED[command]}"
    else:
        assert not difference, difference


def differences(kept: dict[str, str], found: dict[str, str]) -> str:
    """Return how an outcome differs from the one that is kept, shortly."""
    lines: list[str] = []
    for part in dict.fromkeys([*kept, *found]):
        before, after = (normalised(parts.get(part, "")) for parts in (kept, found))
        if before != after:
            lines += difflib.unified_diff(
                pieces(before), pieces(after), f"kept {part}", f"{part} now", lineterm="", n=1
            )
    shown = [line[:_LONGEST_LINE] for line in lines[:_SHOWN_LINES]]
    return "\n".join([*shown, *([f"... and {len(lines) - _SHOWN_LINES} lines"] if len(lines) > _SHOWN_LINES else [])])


def pieces(text: str) -> list[str]:
    """Return the lines of a text, and long lines of JSON by their members."""
    return [piece for line in text.split("\n") for piece in (line.split(',"') if len(line) > _LONGEST_LINE else [line])]


# Phrases that were made plainer, as they were and as they are; tables are as wide as their words.
PLAINER = {
    r"(\S+) to any\b": r"\1 or more",
    "hardly bear it out": "hardly support it",
    "hardly bear out": "hardly support",
    "could bear out": "could support",
    "what the run comes to, and when": "which figures the run gets, and when",
    "# bears out a detail": "# supports a detail",
    "unlikely to be borne out gets": "unlikely to be supported gets",
    "what the ratings come to, and when": "how the ratings are scored, and when",
    "how likely the contexts bear the answer out; it stands beside the scores": (
        "how likely it is that the contexts support the answer; beside the scores"
    ),
}


def normalised(text: str) -> str:
    """Return a text without the stamps of the models, in the words of today."""
    for before, after in PLAINER.items():
        text = re.sub(before, after, text)
    text = re.sub(r"(?<=\S) {2,}", "  ", text)
    for digest, placeholder in stamps().items():
        text = text.replace(digest, placeholder).replace(digest[:_SHORT], placeholder)
    return _MODEL_VERSION.sub(r"\1VERSION", text)


@cache
def stamps() -> dict[str, str]:
    """Return the hashes of the support model, the offline judge and a calibration, then and now, by placeholders."""
    asked = {
        "SUPPORT-MODEL": ("model", "support show --json"),
        "RULES-JUDGE": ("judge", "judge -q What? -a It. -c It. -r It. --json"),
        "CALIBRATION": ("calibration", "support calibrate --prior 0.1 --json"),
    }
    found = dict(_OLD_STAMPS)
    with TemporaryDirectory() as folder:
        for placeholder, (key, command) in asked.items():
            found[json.loads(outcome(command, {}, Path(folder))["stdout"])[key]["sha256"]] = placeholder
    return found
