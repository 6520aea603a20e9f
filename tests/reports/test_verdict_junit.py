"""Verdicts as JUnit XML: what fails the build fails there, with its evidence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from plumbrule.api.scoring import score_file
from plumbrule.samples import DatasetFile
from plumbrule.verdicts import FailOn

ROWS = (
    {"id": "right", "question": "What is the fee?", "answer": "The fee is $25.", "contexts": ["The fee is $25."]},
    {
        "id": "wrong",
        "category": "fees",
        "question": "What is the fee?",
        "answer": "The fee is $45.",
        "contexts": ["The fee is $25."],
    },
    {
        "id": "half",
        "question": "What is the fee, and the limit?",
        "answer": "The fee is $25 and the limit is $900.",
        "contexts": ["The fee is $25 and the limit is $800."],
    },
)
Write = Callable[..., ET.Element]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    """Return a function that scores rows into a JUnit file, and returns its root."""

    def write(rows: Any, *fail_on: FailOn) -> ET.Element:
        (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
        output = tmp_path / "verdicts.xml"
        score_file(DatasetFile(str(tmp_path / "rows.jsonl")), into=output, workers=1, fail_on=fail_on)
        return ET.parse(output).getroot()  # noqa: S314 - the file was made here

    return write


def failed(root: ET.Element) -> list[str | None]:
    """Return the names of the cases that fail."""
    return [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]


def test_a_case_fails_with_its_evidence(written: Write) -> None:
    """The message says which rule fired; the text names what is not supported and what the context says."""
    root = written(ROWS)
    assert failed(root) == ["wrong"]
    assert (root.get("tests"), root.get("failures"), root[0].get("tests")) == ("3", "1", "3")
    [failure] = root.iter("failure")
    assert (failure.get("type"), "hallucination" in (failure.get("message") or "")) == ("FAIL", True)
    assert "not supported: '$45'" in (failure.text or "")
    assert "context 0: 'The fee is $25.'" in (failure.text or "")
    assert [case.get("classname") for case in root.iter("testcase")] == ["answers", "answers.fees", "answers"]


def test_what_fails_is_what_fails_the_build(written: Write) -> None:
    """The conditions are those of --fail-on; what they leave out is told in the output of its case."""
    told = {case.get("name"): case.findtext("system-out") for case in written(ROWS).iter("testcase")}
    assert (told["right"], (told["half"] or "").startswith("PASS · contradicted")) == (None, True)
    assert failed(written(ROWS, "fail", "contradicted")) == ["wrong", "half"]


def test_hostile_text_is_text(written: Write) -> None:
    """Control characters and markup neither break the file nor become a part of it."""
    row = {**ROWS[1], "id": "</testcase>\x1b[31m", "answer": "]]> <failure/> The fee is $45.\x00"}
    root = written([row])
    assert failed(root) == ["</testcase>\\x1b[31m"]
    assert len(list(root.iter("failure"))) == 1
