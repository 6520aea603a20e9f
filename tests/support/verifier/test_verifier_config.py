"""What verifier.yaml may say, and how a mistake in it is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plumbrule.errors import UsageError
from plumbrule.support.verifier.verifier_config import ConfigFile

Make = Callable[..., Path]
LABELS = ["contradiction", "entailment", "neutral"]


def test_a_folder_or_its_file(make: Make) -> None:
    """A verifier is named by its folder or by the file in it, and what is left out has its default."""
    folder = make()

    config = ConfigFile(folder).config

    assert config == ConfigFile(folder / "verifier.yaml").config
    assert (config.name, config.head.labels, config.max_length) == ("share", tuple(LABELS), 64)
    assert (config.threads, config.cache, config.weights, config.output) == (1, 10_000, (), None)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"tresholds": 1}, "18: tresholds: unknown key"),
        ({"overlapp": 1}, "18: overlapp: unknown key; did you mean 'overlap'?"),
        ({"head": {"labels": LABELS, "activation": "softmax", "supports": ["entailment"]}}, "head.supports: unknown"),
        ({"max_length": ...}, "1: max_length: missing key"),
        ({"head": {"labels": LABELS, "activation": "softmax"}}, "6: head.support: missing key"),
        ({"head": "softmax"}, "6: head: must be a mapping of keys to values"),
        ({"version": 1.0}, "2: version: must be text; write it in quotes"),
        ({"name": ""}, "1: name: must have at least 1 character, not ''"),
        ({"max_length": "64"}, "max_length: must be an integer, not '64'"),
        ({"max_length": 8}, "max_length: must be greater than or equal to 16, not 8"),
        ({"overlap": 17}, "overlap: must be at most a quarter of max_length, not 17"),
        ({"overlap": -1}, "overlap: must be greater than or equal to 0, not -1"),
        ({"threads": 0}, "threads: must be greater than or equal to 1, not 0"),
        ({"cache": True}, "cache: must be an integer, not True"),
        ({"weights": "model.onnx.data"}, "weights: must be a list, in [ ]"),
        ({"weights": ["a", "a"]}, "weights: 'a' stands twice"),
        ({"template": "pair"}, "5: template: must be evidence_first, sentence_first, or a text with {evidence} and"),
        ({"template": "{evidence} {evidence} {sentence}"}, "5: template: must be evidence_first"),
    ],
)
def test_what_is_wrong(make: Make, changes: dict[str, Any], problem: str) -> None:
    """A mistake is one line with file, line, key and what is wrong."""
    folder = make(**changes)

    with pytest.raises(UsageError) as raised:
        ConfigFile(folder)

    assert str(raised.value).startswith(f"{folder / 'verifier.yaml'}:")
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ({"support": ["yes"]}, "head.support: 'yes' is not among the labels: contradiction, entailment, neutral"),
        ({"support": []}, "head.support: must name at least one"),
        ({"contradiction": ["entailment"]}, "head.contradiction: 'entailment' cannot mean support too"),
        ({"labels": ["a", "a"]}, "7: head.labels: 'a' stands twice"),
        ({"labels": ["entailment"], "contradiction": []}, "head.activation: softmax over one label is always 1"),
        ({"activation": "sigmoid", "support": LABELS[1:]}, "head.support: name one label"),
        ({"activation": "relu"}, "head.activation: must be 'softmax', 'sigmoid' or 'none', not 'relu'"),
    ],
)
def test_what_is_wrong_with_the_head(make: Make, head: dict[str, Any], problem: str) -> None:
    """Labels are told apart, those named are among them, and the activation fits their number."""
    with pytest.raises(UsageError) as raised:
        ConfigFile(make(head_with=head))

    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "1: a verifier's configuration is a mapping of keys to values"),
        ("", "1: a verifier's configuration is a mapping of keys to values"),
        ("name: a\nname: b\n", "2: name: stands twice, first on line 1"),
        ("name: 'a\n", "1: not YAML: found unexpected end of stream"),
        ("name: !!int x\n", "1: name: the value does not fit its tag, !!int"),
        ("1: a\n", "1: 1: a key must be text; write it in quotes"),
    ],
)
def test_what_is_no_configuration(tmp_path: Path, text: str, problem: str) -> None:
    """A file that is not YAML, or not a mapping, is told of with its line."""
    path = tmp_path / "verifier.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(UsageError) as raised:
        ConfigFile(path)

    assert str(raised.value) == f"{path}:{problem}"


def test_what_is_not_there(tmp_path: Path) -> None:
    """A folder without the file, and a file that is no text, are one line each."""
    with pytest.raises(UsageError, match=r"verifier\.yaml: there is no such file; a verifier is a folder with"):
        ConfigFile(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"\x08\xff\xfe")
    with pytest.raises(
        UsageError, match=r"model\.onnx: not a text file in UTF-8; a verifier's configuration is a YAML file"
    ):
        ConfigFile(tmp_path / "model.onnx")
