"""docs/verifier.md is true: its configurations follow the form, and every key of the form is explained."""

import dataclasses
import re
from pathlib import Path

import pytest

from plumbrule.support.verifier.verifier_config import ConfigFile, Head, VerifierConfig

PAGE = Path(__file__).parents[2] / "docs" / "verifier.md"
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_key_is_explained() -> None:
    """Each key of verifier.yaml has its place in the table of keys, and there is no other."""
    table = re.search(
        r"^\| key \| what it sets \|\n(.*?)\n\n", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert table is not None
    explained = {key for row in table[1].splitlines()[1:] for key in re.findall(r"`([\w.]+)`", row.split("|")[1])}
    keys = {field.name for field in dataclasses.fields(VerifierConfig)} - {"head"}
    assert explained == keys | {f"head.{field.name}" for field in dataclasses.fields(Head)}


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_configurations_follow_the_form(text: str, tmp_path: Path) -> None:
    """Each configuration on the page is read without a problem."""
    path = tmp_path / "verifier.yaml"
    path.write_text(text, encoding="utf-8")

    assert ConfigFile(path).config.version == "1"


def test_there_are_three_configurations() -> None:
    """The page shows three models, each by its name."""
    assert len(EXAMPLES) == len({text.splitlines()[0] for text in EXAMPLES}) == 3
