"""A ledger and outputs that an earlier version made: the code under test reads the one and prints the others again.

Everything goes through the command line, so that this holds whatever becomes of the modules behind it. What was kept is
described in ``tests/data/old_ledger/README.md``.

Both sides are compared byte for byte, or where ``CHANGED`` names the command figure by figure, after ``normalised`` has
replaced what may differ without a change of behaviour:

- the stamp of the support model: the hash of its files, the first 12 digits of it and its version, wherever they stand;
- the hashes of the offline judge and of a calibration, which are taken over that of the model, among others.

Nothing else needs replacing: versions, packages and platform stand in the metadata of runs, which the ledger keeps, and
no command here prints those of the machine that it runs on.
"""

import difflib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.data.old_ledger.commands import COMMANDS, INDEX, expected, lay_out, outcome

# Outputs that were changed on purpose since: which commands, which parts of their JSON, and why. What JSON has besides,
# every figure of the earlier version, must still be there and equal; keys may be added. Pages and tables of these
# commands may differ, and have tests of their own.
CHANGED: tuple[tuple[str, str, str], ...] = (
    (
        r"(gate|show|report) ",
        r".*\binterval(s\.\w+)?(\.nulls_as_zero)?\.(low|high|method)",
        "intervals that hold near the edges",
    ),
    (r"(gate|show|report) ", r"gates\.\*\.(inconclusive|samples_to_settle)", "the same, and samples for 80% power"),
    (r"(gate|show|report) \{panel\}", r"gates\.\*\.value", "over all repeats, no longer of the worst one"),
    (r"(gate|report) ", r"reasons.*", "worded by outcome and by the state of the interval"),
    (r"report ", r"decision|report_version", "three outcomes"),
    (r"runs$", r"-", "the date and the outcome of each run"),
    (r"judge ", r"refused", "a refusal by wording counts"),
    (r"run .*--dry-run", r"generation.*", "what each model is sent, by its place"),
    (r"compare ", r"figures\.\*\.(nulls_as_zero\.)?verdict", "a test that allows for the number of figures"),
    (r"(feedback|monitor|score|suite run)", r".*interval(_95)?(\.\*)?", "exact and bounded intervals"),
    (r"feedback", r"patterns\.\*\.groups\.\*\.stands_out", "a test that allows for the number of groups"),
    (r"feedback", r"reviewed", "an interaction counts once"),
    (
        r"monitor",
        r"(alerts\.\*|weeks\.\*(\.figures\.\*)?)\.(total|value|reviewed|interactions)",
        "the same, and all are counted",
    ),
    (r"monitor", r"(weeks\.\*\.)?refusals\.confusion\.counts.*|remarks", "the same"),
    (r"monitor", r"drift\..*\.sum", "the uncertainty of the first weeks"),
    (r"monitor --rubric support_card.yaml", r"", "a weaker policy must be accepted"),
    (r"monitor --set figures.0.alert=3.4", r"", "an override may name a place in a list"),
    (r"review agreement", r"evaluators\.\*\.alpha_interval_95\.\*", "items are drawn again, not single levels"),
    (
        r"review agreement",
        r"prescores\.\*\.(confusion\.\*\.\*|kappa|pairs)",
        "pre-scores of the version that was rated",
    ),
    (r"review show", r"dimensions\.\*\.may_be_not_applicable", "Not Applicable is for refusals"),
    (
        r"(feedback|monitor|incident|review|rubric|sample)",
        r"(.*\brubrics?(\.\*)?\.|\*\.|content\.|)(sha256|version)",
        "scorecard 2",
    ),
    (r"review (progress|list|export|close)", r"", "versions of interactions, late revisions, policy and roles; --as"),
    (r"incident ", r"", "versions of interactions; the page says that passages support an answer"),
    (r"rubric list", r"", "a second verdict rubric ships"),
    (
        r"score answers.jsonl",
        r"(\*\.)?flags(\.contradicted)?|passed_contradicted|worst",
        "findings of the support score contradict, too; what passes against the evidence is among the worst",
    ),
    (r"rubric (check|show)", r"", "faults name their line; policies are compared; new keys"),
    (r"score answers.jsonl --explain", r"", "plainer words: supported"),
    (r"support calibrate", r"", "decides by the log loss of answers"),
    (
        r"(score|prescore|judge|suite run|support show|run )",
        r"(.*\.)?(rubrics?(\.\*)?|verdict|compliance)\.(sha256|version)|.*\.sha256",
        "refusals in other words; parts answered",
    ),
    (
        r"(score|prescore|judge|suite run|incident)",
        r"(.*\.)?(support(\..*)?|unsupported|faithfulness_score|rationale|scores\..*|level|basis|judgement\..*)",
        "binding decides on short answers to a question",
    ),
    (
        r"score answers.jsonl",
        r"(\*\.)?hallucination\.anchors\.\*\.(evidence.*)",
        "the value in the same role is what the context says instead",
    ),
    (r"score ", r"\*\.refusal\.start", "the words that decline, with who declines"),
    (r"judge -q \"Which fee\?\"", r"(?!judge)\w+", "'I cannot say' is a refusal"),
    (r"rubric show", r"content\.(refusal|completeness)\.\w+", "patterns for phrases, parts for keywords"),
    (
        r"prescore",
        r"\*\.dimensions\.(attribution_accuracy|grounding_integrity|response_completeness)\.(caps|hints|passed).*",
        "completeness by parts; low support is a rule instead of a hint",
    ),
)
_FIRST_USE = re.compile(r"[^\n]*: first use here: all [\d,]+ entries were verified[^\n]*\n")

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
    """What is listed is what was recorded."""
    assert list(json.loads(INDEX.read_text(encoding="utf-8"))["commands"]) == list(COMMANDS)


def test_the_chain_holds(tmp_path: Path) -> None:
    """Every entry that the earlier version wrote is read back with the hash that it was written with."""
    lay_out(tmp_path)
    found = outcome("ledger verify --json", NAMES, tmp_path)
    assert (found["exit"], _FIRST_USE.sub("", found["stderr"])) == ("0", "")
    assert found["stdout"] == expected("ledger verify --json")["stdout"]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_output_is_the_same(command: str, tmp_path: Path) -> None:
    """Exit code, output, complaints and files are those of the earlier version, but for what changed on purpose."""
    lay_out(tmp_path)
    found, kept = outcome(command, NAMES, tmp_path), expected(command)
    found["stderr"] = _FIRST_USE.sub("", found["stderr"])
    rules = [(paths, why) for commands, paths, why in CHANGED if re.match(commands, command)]
    assert found["exit"] == kept["exit"] or any(not paths for paths, _ in rules), found["stderr"]
    for part in dict.fromkeys([*kept, *found]):
        before, after = (normalised(parts.get(part, "")) for parts in (kept, found))
        if before == after:
            continue
        read = _json(before), _json(after)
        if None in read or found["exit"] != kept["exit"]:  # a page, a table or a message
            assert rules, differences(kept, found)
        else:
            moved = [path for path in changes(*read) if not any(re.fullmatch(paths, path) for paths, _ in rules)]
            assert not moved, differences(kept, found)


def _json(text: str) -> Any:
    """Return the JSON, or the JSON lines, of an output; None where it is neither."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines()] or None
    except ValueError:
        return None


def changes(before: Any, after: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the paths of what an earlier output has and a later one has not, or has otherwise; ``*`` is any place."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from changes(value, after.get(key, ...), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from changes(one, other, (*path, "*"))
    elif before != after:
        yield ".".join(path)


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
