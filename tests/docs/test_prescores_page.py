"""docs/prescores.md is complete: every rule with its cap, every finding, hint, policy key and JSON key has its row."""

import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from plumbrule.demo import samples_path
from plumbrule.interactions.contract_findings import SEVERITIES
from plumbrule.rubrics import load_compliance, load_refusals, shipped_text

PAGE = Path(__file__).parents[2] / "docs" / "prescores.md"
PRESCORES = Path(__file__).parents[2] / "src" / "plumbrule" / "prescores"


def rows(header: str) -> list[list[str]]:
    """Return the cells of every table with this header, without their code marks."""
    found = []
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        if line == header:
            for row in lines[number + 2 :]:
                if not row.startswith("|"):
                    break
                found.append([cell.strip().strip("`") for cell in row.strip("|").split("|")])
    assert found, f"no table {header}"
    return found


def leaves(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the dotted key of every value, with the value."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def test_every_rule_is_explained_with_its_cap() -> None:
    """The tables of rules are the caps of the shipped policy."""
    caps = dataclasses.asdict(load_compliance().rubric.caps)
    shipped = {rule: cap for rules in caps.values() for rule, cap in rules.items()}
    assert {row[0]: row[1] for row in rows("| rule | cap | when it fires |")} == shipped


def test_every_finding_is_explained() -> None:
    """Each code has its row with its severity."""
    assert {row[0]: row[1] for row in rows("| finding | severity | meaning |")} == SEVERITIES


def test_every_hint_is_explained() -> None:
    """Each hint that the code can give has its row."""
    given = {code for path in PRESCORES.glob("*.py") for code in re.findall(r'code="(\w+)"', path.read_text())}
    assert {row[0] for row in rows("| hint | dimension | what it says |")} == given


def test_every_policy_key_is_explained() -> None:
    """Each key of the compliance policy has its row with the value that ships; the caps have tables of their own."""
    content = yaml.safe_load(shipped_text("compliance"))
    del content["caps"], content["name"]
    shown = {row[0]: row[1] for row in rows("| key | ships as | what it sets |")}
    assert shown == {key: "a list" if isinstance(value, list) else str(value) for key, value in leaves(content)}


def test_every_code_and_its_keys_are_explained() -> None:
    """Each code of the taxonomy has its row, and so has each key of a code."""
    codes = load_refusals().rubric.codes
    assert {row[0]: row[1] for row in rows("| code | meaning |")} == {
        name: code.meaning for name, code in codes.items()
    }
    content = yaml.safe_load(shipped_text("refusals"))["codes"]["POLICY_BLOCKED"]
    assert {row[0] for row in rows("| key of a code | what it sets |")} == {key for key, _ in leaves(content)}


def keys_of(value: object) -> Iterator[str]:
    """Yield every key that is a name of ours, at any depth; rules, codes and dimensions have tables of their own."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from keys_of(inner if key not in {"not_applicable", "levels", "scores"} else None)
    elif isinstance(value, list):
        for item in value:
            yield from keys_of(item)


def paths_of(value: object, path: str = "") -> Iterator[str]:
    """Yield the dotted path of every key; a list adds nothing to it, and DIMENSION stands for each dimension."""
    if isinstance(value, dict):
        for key, inner in value.items():
            longer = f"{path}.{'DIMENSION' if path == 'dimensions' else key}".lstrip(".")
            yield longer
            yield from paths_of(inner, longer)
    elif isinstance(value, list):
        for item in value:
            yield from paths_of(item, path)


@pytest.mark.parametrize("claims", [(), ("--no-claims",)])
def test_every_json_key_is_explained(tmp_path: Path, claims: tuple[str, ...]) -> None:
    """The page names each key of a result and of the summary."""
    output = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "plumbrule", "prescore", str(samples_path()), "-o", str(output), "--json", *claims]
    summary = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    page = PAGE.read_text(encoding="utf-8")
    results = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    keys = {*keys_of(summary), *keys_of(results)} - set(results[0]["scores"])
    assert len(keys) > 30
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []
    written = [path for row in rows("| key | meaning |") for path in row[0].replace("`", "").split(", ")]
    there = {*paths_of(summary), *paths_of(results)}
    assert [path for path in written if path not in there] == []  # a nested key stands under its path
    assert [key for key in (*results[0], *summary) if key not in written] == []
