"""The form of verifier.yaml, read with every mistake named by its line and key."""

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationInfo, field_validator
from pydantic.dataclasses import dataclass

from plumbrule.errors import UsageError
from plumbrule.files import open_file
from plumbrule.rubrics.yaml_reader import Key, read_yaml

CONFIG_NAME = "verifier.yaml"
MAX_FILE_BYTES = 4 << 30  # of a model, its weights or its tokenizer

_CLOSED = ConfigDict(extra="forbid")
_PAIRS = ("evidence_first", "sentence_first")
_PLACES = ("{evidence}", "{sentence}")


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


Room = Annotated[int, Field(strict=True, ge=8, le=65536)]
Weight = Annotated[float, Field(allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class AnswerReading:
    """How a verifier reads whole answers: the most tokens of each part, and what it weighs beside binding."""

    passages: Room
    question: Room
    answer: Room
    intercept: Weight
    binding: Annotated[Weight, Field(gt=0)]
    verifier: Annotated[Weight, Field(ge=0)]
    unbound: Weight | None = None  # the intercept where there is nothing to bind
    least: Weight | None = None  # with it, the log-odds below which the verifier brings no answer

    def weighed(self, own: float, told: float, *, decides: bool) -> float:
        """Return the log-odds of a sentence, or of the answer, with those that the verifier gives to the answer.

        ``decides`` tells whether its own are those of binding. To those of coverage the verifier only adds doubt: it
        does not see what is added, and coverage does not see small changes.
        """
        if self.unbound is not None and not decides:
            doubted = self.unbound + self.verifier * told
            return min(own, doubted if self.least is None else max(self.least, doubted))
        return self.intercept + self.binding * own + self.verifier * told


@dataclass(frozen=True, slots=True, kw_only=True, config=_CLOSED)
class SentenceReading:
    """What a verifier of answers weighs where coverage decides: there it is asked about each sentence by itself."""

    intercept: Weight
    verifier: Annotated[Weight, Field(ge=0)]

    def weighed(self, own: float, told: float) -> float:
        """Return the log-odds of a sentence with those that the verifier gives it; it only adds doubt."""
        return own + self.intercept + self.verifier * min(0.0, told)


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
    answers: AnswerReading | None = None
    sentences: SentenceReading | None = None
    output: Text | None = None
    threads: Annotated[int, Field(strict=True, ge=1, le=256)] = 1
    cache: Annotated[int, Field(strict=True, ge=0, le=10_000_000)] = 10_000

    @field_validator("sentences")
    @classmethod
    def _check_sentences(cls, sentences: SentenceReading | None, info: ValidationInfo) -> SentenceReading | None:
        if sentences is not None and info.data.get("answers") is None:
            raise ValueError("belongs to a verifier of answers; what others weigh says support.verifier_weight")
        return sentences

    @field_validator("overlap")
    @classmethod
    def _check_overlap(cls, overlap: int, info: ValidationInfo) -> int:
        if overlap * 4 > info.data.get("max_length", overlap * 4):
            raise ValueError("must be at most a quarter of max_length")
        return overlap


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PackedVerifier:
    """The files of a verifier, for a machine that does not have them."""

    path: Path
    text: str
    files: Mapping[str, bytes]  # by the names of the configuration


def pack_verifier(path: Path) -> PackedVerifier:
    """Return the files of the verifier in a folder."""
    file = ConfigFile(path)
    names = (file.config.model, file.config.tokenizer, *file.config.weights)
    contents = {name: file.read_file(name, ("weights",)) for name in names}
    return PackedVerifier(path=file.path, text=file.path.read_text(encoding="utf-8"), files=contents)


class ConfigFile:
    """A verifier's configuration: what it says, where, and on which line."""

    def __init__(self, source: Path | PackedVerifier) -> None:
        self._packed: Mapping[str, bytes] | None = None
        if isinstance(source, PackedVerifier):
            self.path, self._packed = source.path, source.files
            content: Path | str = source.text
        else:
            content = self.path = source / CONFIG_NAME if source.is_dir() else source
            if not self.path.exists():
                raise UsageError(f"{self.path}: there is no such file; a verifier is a folder with {CONFIG_NAME}")
        document = read_yaml(content, where=str(self.path), mapping="a verifier's configuration", error=UsageError)
        self.config = document.validate(TypeAdapter(VerifierConfig))
        self.error = document.error

    def read_file(self, name: str, key: Key) -> bytes:
        """Return the content of a file that the configuration names, relative to its own folder; bounded in size."""
        if self._packed is not None:
            return self._packed[name]
        place = self.path.parent / name
        try:
            with open_file(place) as file:
                size = os.fstat(file.fileno()).st_size
                content = file.read(min(size, MAX_FILE_BYTES) + 1)  # a device has no size, and no end
        except FileNotFoundError:
            raise self.error(key, f"there is no file '{place}'") from None
        except (OSError, ValueError) as error:  # a folder, no right to read it, a NUL in the name
            raise self.error(key, f"'{place}' cannot be read: {getattr(error, 'strerror', None) or error}") from None
        if len(content) > min(size, MAX_FILE_BYTES):
            limit = f"it has more than {MAX_FILE_BYTES:,} bytes" if size else "it is not a regular file"
            raise self.error(key, f"'{place}' cannot be read: {limit}")
        return content
