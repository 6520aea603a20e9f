"""The words and constants of binding: all of them are in the model's hash, and all of them are read."""

import ast
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml

from plumbrule.support import support_model
from plumbrule.support.binding import binding_words as module
from plumbrule.support.binding.binding_words import BindingConstants, BindingWords, binding_words, read_binding_data
from plumbrule.support.support_model import load_model

MODEL: dict[str, Any] = orjson.loads(read_binding_data("binding.json"))
WORDS: dict[str, Any] = yaml.safe_load(read_binding_data("binding.yaml"))
PACKAGE = Path(module.__file__).parent


def hash_with(monkeypatch: pytest.MonkeyPatch, name: str, content: bytes) -> str:
    """Return the hash of the model that would ship with another file of binding."""
    monkeypatch.setattr(
        support_model, "read_binding_data", lambda each: content if each == name else read_binding_data(each)
    )
    return load_model.__wrapped__().sha256


@pytest.mark.parametrize(
    ("part", "name"),
    [(part, name) for part in ("constants", "weights") for name in MODEL[part]]
    + [("", name) for name in ("intercept", "support_share")],
)
def test_every_constant_and_weight_is_in_the_hash(monkeypatch: pytest.MonkeyPatch, part: str, name: str) -> None:
    """Another number is another model."""
    changed = orjson.loads(read_binding_data("binding.json"))
    (changed[part] if part else changed)[name] += 1
    as_shipped, other = (hash_with(monkeypatch, "binding.json", orjson.dumps(each)) for each in (MODEL, changed))
    assert as_shipped != other


@pytest.mark.parametrize("name", list(WORDS))
def test_every_word_list_is_in_the_hash(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Another list is another model."""
    changed = {key: "fourteen" if key == name else words for key, words in WORDS.items()}
    as_shipped, other = (
        hash_with(monkeypatch, "binding.yaml", yaml.safe_dump(each, sort_keys=False).encode())
        for each in (WORDS, changed)
    )
    assert as_shipped != other


def read_with(monkeypatch: pytest.MonkeyPatch, raw: Mapping[str, Any]) -> BindingWords:
    """Return what would be read of another file of numbers."""
    monkeypatch.setattr(
        module,
        "read_binding_data",
        lambda each: orjson.dumps(raw) if each == "binding.json" else read_binding_data(each),
    )
    return binding_words.__wrapped__()


@pytest.mark.parametrize("name", list(MODEL["constants"]))
def test_every_constant_is_read_from_the_file(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As it stands there."""
    changed = orjson.loads(read_binding_data("binding.json"))
    changed["constants"][name] += 1
    assert getattr(read_with(monkeypatch, changed).constants, name) == MODEL["constants"][name] + 1


def test_a_constant_that_nobody_declares_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is one that is missing."""
    changed = orjson.loads(read_binding_data("binding.json"))
    changed["constants"]["steam"] = 1
    with pytest.raises(TypeError, match="steam"):
        read_with(monkeypatch, changed)
    del changed["constants"]["steam"], changed["constants"]["stem"]
    with pytest.raises(TypeError, match="stem"):
        read_with(monkeypatch, changed)


def test_every_constant_and_word_list_is_used() -> None:
    """By its name, somewhere in the support score."""
    used = {
        node.attr
        for path in PACKAGE.parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    assert {field.name for field in fields(BindingConstants)} <= used
    assert {field.name for field in fields(BindingWords)} <= used
    named = {
        node.slice.value
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    }
    assert named >= set(WORDS)
