"""The form of verifier.yaml, read with every mistake named by its line and key."""

import difflib
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass
from pydantic_core import ErrorDetails

from plumbrule.errors import UsageError
from plumbrule.rubrics.plain_yaml import KeyedYaml

CONFIG_NAME = "verifier.yaml"

_CLOSED = ConfigDict(extra="forbid")
_PAIRS = ("evidence_first", "sentence_first")
_PLACES = ("{evidence}", "{sentence}")

Key = tuple[str | int, ...]


def _check_template(template: str) -> str:
    if template not in _PAIRS and any(template.count(place) != 1 for place in _PLACES):
        raise ValueError("must be evidence_first, sentence_first, or a text with {evidence} and {sentence} once each")
    return template


def _check_distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"'{label}' stands twice")
    return labels


Text = Annotated[str, Field(min_length=1)]
Labels = Annotated[tuple[Text, ...], AfterValidator(_check_distinct)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class Head:
    """What the numbers mean that the graph puts out: one for each label, in this order."""

    labels: Annotated[Labels, Field(min_length=1)]
    activation: Literal["softmax", "sigmoid", "none"]
    support: Annotated[Labels, Field(min_length=1)]
    contradiction: Labels = ()

    @field_validator("activation")
    @classmethod
    def _check_activation(cls, activation: str, info: ValidationInfo) -> str:
        if activation == "softmax" and len(info.data.get("labels", "..")) == 1:
            raise ValueError("softmax over one label is always 1; a single logit takes sigmoid")
        return activation

    @field_validator("support", "contradiction")
    @classmethod
    def _check_named(cls, named: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        labels = info.data.get("labels", named)
        for label in named:
            if label not in labels:
                raise ValueError(f"'{label}' is not among the labels: {', '.join(labels)}")
            if label in info.data.get("support", ()):
                raise ValueError(f"'{label}' cannot mean support too")
        if len(named) > 1 and info.data.get("activation") == "sigmoid":
            raise ValueError("name one label: sigmoid gives each a probability of its own, which do not add up")
        return named


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class VerifierConfig:
    """All that verifier.yaml says."""

    name: Text
    version: Text
    model: Text
    tokenizer: Text
    template: Annotated[str, AfterValidator(_check_template)]
    head: Head
    max_length: Annotated[int, Field(strict=True, ge=16, le=65536)]
    overlap: Annotated[int, Field(strict=True, ge=0)]
    weights: Labels = ()
    output: Text | None = None
    threads: Annotated[int, Field(strict=True, ge=1, le=256)] = 1
    cache: Annotated[int, Field(strict=True, ge=0, le=10_000_000)] = 10_000

    @field_validator("overlap")
    @classmethod
    def _check_overlap(cls, overlap: int, info: ValidationInfo) -> int:
        if overlap * 4 > info.data.get("max_length", overlap * 4):
            raise ValueError(f"must be at most a quarter of max_length, not {overlap}")
        return overlap


class ConfigFile:
    """A verifier's configuration: what it says, where, and on which line."""

    def __init__(self, path: Path) -> None:
        self.path = path / CONFIG_NAME if path.is_dir() else path
        self._lines: dict[Key, int] = {}
        content = self._read()
        try:
            self.config = TypeAdapter(VerifierConfig).validate_python(content)
        except ValidationError as error:
            raise self._first_problem(error) from None

    def error(self, key: Key, problem: str) -> UsageError:
        """Return the error that names file, line and dotted key."""
        known = key
        while known and known not in self._lines:
            known = known[:-1]
        dotted = ".".join(map(str, key))
        where = f"{self.path}:{self._lines.get(known, 1)}:"
        return UsageError(f"{where} {dotted}: {problem}" if dotted else f"{where} {problem}")

    def read_file(self, name: str, key: Key) -> bytes:
        """Return the content of a file that the configuration names, relative to its own folder."""
        place = self.path.parent / name
        try:
            return place.read_bytes()
        except FileNotFoundError:
            raise self.error(key, f"there is no file '{place}'") from None
        except (OSError, ValueError) as error:  # a folder, no right to read it, a NUL in the name
            raise self.error(key, f"'{place}' cannot be read: {getattr(error, 'strerror', None) or error}") from None

    def _read(self) -> object:
        try:
            text = self.path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"{self.path}: not a text file in UTF-8; name a {CONFIG_NAME} or its folder") from None
        except FileNotFoundError:
            raise UsageError(f"{self.path}: there is no such file; a verifier is a folder with {CONFIG_NAME}") from None
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be read: {error.strerror}") from None
        try:
            loader = KeyedYaml(text)
            node = loader.get_single_node()
            if not isinstance(node, yaml.MappingNode):
                raise self.error((), "a verifier's configuration is a mapping of keys to values")
            self._note_lines(node, ())
            return loader.construct_document(node)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self._lines[()] = mark.line + 1 if mark is not None else 1
            raise self.error((), getattr(error, "problem", None) or "not YAML") from None
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):  # PyYAML on '!!int x' and the like
            raise self.error((), "nested too deeply, or a value that is not YAML") from None

    def _note_lines(self, node: yaml.MappingNode, key: Key) -> None:
        for name, value in node.value:
            below = (*key, str(name.value))
            self._lines[below] = name.start_mark.line + 1
            if name.tag != "tag:yaml.org,2002:str":
                self._lines[()] = name.start_mark.line + 1
                raise self.error((), "a key must be text; write it in quotes")
            if isinstance(value, yaml.MappingNode) and not key:  # the form is two levels deep
                self._note_lines(value, below)

    def _first_problem(self, error: ValidationError) -> UsageError:
        """Return the problem to mend first: an unknown key comes before a missing one, which it may explain."""
        first = min(error.errors(), key=lambda problem: "unexpected" not in problem["type"])
        return self.error(first["loc"], _worded(first))


def _worded(problem: ErrorDetails) -> str:
    given, key = problem["input"], problem["loc"]
    match problem["type"]:
        case "unexpected_keyword_argument":
            form: type[Any] = VerifierConfig if len(key) == 1 else Head
            close = difflib.get_close_matches(str(key[-1]), [field.name for field in fields(form)], n=1)
            return f"unknown key; did you mean '{close[0]}'?" if close else "unknown key"
        case "missing":
            return "missing key"
        case "dataclass_type":
            return "must be a mapping of keys to values"
        case "too_short":
            return "must name at least one"
        case "tuple_type":
            return "must be a list, in [ ]"
        case "string_type":
            return "must be text; write it in quotes" if isinstance(given, int | float) else "must be text"
        case "value_error":
            return problem["msg"].removeprefix("Value error, ")
    message = problem["msg"].replace("Input should be", "must be").replace("a valid i", "an i")
    return f"{message[0].lower()}{message[1:]}, not {given!r:.60}"
