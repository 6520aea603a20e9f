"""Reads a run's configuration: one YAML file, with overrides laid over it, and every mistake named by its place."""

import difflib
import re
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import asdict, dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from plumbrule.errors import UsageError
from plumbrule.hashing import sha256_of
from plumbrule.http import is_sendable_key
from plumbrule.http.address_guard import check_base_url
from plumbrule.models.model_names import is_floating, says_latest
from plumbrule.rubrics import load_benchmark
from plumbrule.rubrics.plain_yaml import PlainYaml
from plumbrule.runs import config_schema as forms
from plumbrule.runs.config_schema import ChatModelChoice, RunConfig

__all__ = ["LoadedConfig", "RunConfig", "check_secrets", "load_config", "starter_text"]

Key = tuple[str | int, ...]

# How a run is carried out, not what comes of it: they may be changed when it is resumed.
_ASIDE = ("budget", "concurrency", "prices", "rates", "stop_after_failures")
_PLAIN = re.compile(r"[\w-]+")
# Pydantic's path to each form, with the kind after each place that has several.
_FORMS: dict[Key, type[Any]] = {
    (): RunConfig,
    ("dataset",): forms.Dataset,
    ("candidate", "recorded"): forms.RecordedCandidate,
    ("candidate", "model"): forms.ModelCandidate,
    ("candidate", "http"): forms.HttpCandidate,
    ("candidate", "python"): forms.PythonCandidate,
    ("judge", "rules"): forms.RulesJudge,
    ("judge", "llm"): forms.LlmJudge,
    ("judge", "panel"): forms.PanelJudge,
    ("generation",): forms.GenerationParams,
    ("budget",): forms.Budget,
    ("rates",): forms.Rate,
    ("prices",): forms.Price,
    ("rubric",): forms.RubricFiles,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """A configuration in force, with the hash of all that a result depends on.

    Comments, layout, the folder, and how fast and how far the run goes do not count.
    """

    config: RunConfig
    sha256: str
    folder: Path
    floating: bool  # a model's name may mean another model tomorrow, and that was allowed

    def resolve(self, path: str) -> Path:
        """Return the place of a path that the configuration names: relative to the configuration's folder."""
        return self.folder / path


def load_config(path: Path, overrides: Mapping[str, object] | None = None) -> LoadedConfig:
    """Return the configuration in the file at ``path``, with ``overrides`` by dotted key laid over it.

    What the file leaves out of ``generation`` and ``repeats`` comes from the benchmark rubric that it names.
    """
    source = _Source(path)
    for dotted, value in (overrides or {}).items():
        source.lay_over(dotted, value)
    for key, text in _texts(source.content, (), set()):
        if "${" in text:
            raise source.error(
                key, "${...} is not filled in here; name a secret by api_key_env, and write out the rest"
            )
    _fill_in(source)
    try:
        config = TypeAdapter(RunConfig).validate_python(source.content)
    except ValidationError as error:
        raise source.first_problem(error) from None
    floating = list(_floating(config))
    if floating and not config.allow_floating_models:
        key, name = floating[0]
        raise source.error(
            key, f"'{name}' may mean another model tomorrow; give its date, or set allow_floating_models: true"
        )
    # the dataset is left to its reader, which says more of what is wrong with it
    if isinstance(config.candidate, forms.ModelCandidate) and config.candidate.prompt is not None:
        _existing(config.candidate.prompt, ("candidate", "prompt"), source)
    for name in ("rules", "verdict"):
        file = getattr(config.rubric, name)
        if file is not None:
            _existing(file, ("rubric", name), source)
    _check_addresses(config, source)
    _check_rates(config, source)
    _check_prices(config, source)
    said = {key: value for key, value in config.to_dict().items() if key not in _ASIDE}
    return LoadedConfig(config=config, sha256=sha256_of(said), folder=path.absolute().parent, floating=bool(floating))


def check_secrets(config: RunConfig, environ: Mapping[str, str]) -> None:
    """Raise where a variable that should hold a key is not set; names are told, values never."""
    wanted = {name: ".".join(map(str, key)) for key, name in _key_variables(config)}
    missing = [f"{name} (for {key})" for name, key in wanted.items() if not environ.get(name, "").strip()]
    if missing:
        raise UsageError(f"not set in the environment: {', '.join(missing)}; set each to its key, then run again")
    for name in wanted:
        if not is_sendable_key(environ[name].strip()):
            raise UsageError(f"the environment variable {name} holds characters that no key has")


def starter_text() -> str:
    """Return the commented configuration to begin with."""
    return resources.files("plumbrule.runs").joinpath("starter.yaml").read_text(encoding="utf-8")


class _Source:
    """A configuration file: what it says, and on which line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content: dict[str, Any] = {}
        self._lines: dict[Key, int] = {}
        self._overridden: list[Key] = []
        self._seen: set[int] = set()
        text = self._read_text()
        try:
            loader = PlainYaml(text)
            node = loader.get_single_node()
            if not isinstance(node, yaml.MappingNode):
                raise self.error((), "a configuration is a mapping of keys to values")
            self._note_lines(node, ())
            self.content = loader.construct_document(node)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self._lines[()] = mark.line + 1 if mark is not None else 1
            raise self.error((), getattr(error, "problem", None) or "not YAML") from None
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):  # PyYAML on '!!int x' and the like
            raise self.error((), "nested too deeply, or a value that is not YAML") from None

    def lay_over(self, dotted: str, value: object) -> None:
        """Set one value; the mappings on the way to it need not stand in the file."""
        key: Key = tuple(int(part) if part.isdecimal() else part for part in dotted.split("."))
        self._overridden.append(key)
        place: Any = self.content
        try:
            for part in key[:-1]:
                below = place.get(part, {}) if isinstance(place, dict) else place[part]
                place[part] = copy(below)  # an alias elsewhere keeps what it says
                place = place[part]
            place[key[-1]] = value
        except (TypeError, IndexError):
            raise self.error(key, "there is no such key to set") from None

    def error(self, key: Key, problem: str) -> UsageError:
        """Return the error that names file, line and dotted key."""
        dotted = ".".join(str(part) if _PLAIN.fullmatch(str(part)) else repr(part) for part in key)
        if any(key[: len(over)] == over for over in self._overridden):
            return UsageError(f"{self.path}: override {dotted}: {problem}")
        where = f"{self.path}:{self._line_of(key)}: "
        return UsageError(f"{where}{dotted}: {problem}" if dotted else f"{where}{problem}")

    def first_problem(self, error: ValidationError) -> UsageError:
        """Return the first problem in the file; an unknown key comes before a missing one, which it may explain."""
        problems = sorted(
            error.errors(), key=lambda problem: ("unexpected" not in problem["type"], self._line_of(_key_of(problem)))
        )
        return self.error(_key_of(problems[0]), _worded(problems[0]))

    def _line_of(self, key: Key) -> int:
        while key and key not in self._lines:
            key = key[:-1]
        return self._lines.get(key, 1)

    def _read_text(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise UsageError(f"{self.path}: not a text file in UTF-8") from None
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be read: {error.strerror}") from None

    def _note_lines(self, node: yaml.Node, key: Key) -> None:
        self._lines.setdefault(key, node.start_mark.line + 1)
        if id(node) in self._seen:  # an alias: it may lead back to itself
            return
        self._seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                self._note_lines(item, (*key, number))
        elif isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                below = (*key, name.value if isinstance(name, yaml.ScalarNode) else "?")
                twice = below in self._lines
                self._lines[below] = name.start_mark.line + 1
                if name.tag not in {"tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"}:
                    raise self.error(below, "a key must be text; write it in quotes")
                if twice:
                    raise self.error(below, "stands twice")
                self._note_lines(value, below)


def _texts(value: object, key: Key, above: set[int]) -> Iterator[tuple[Key, str]]:
    """Yield every text, names of keys too, with its place; an alias is followed once."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict | list) and id(value) not in above:
        above.add(id(value))
        for name, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(name, (*key, name), above)
            yield from _texts(below, (*key, name), above)


def _fill_in(source: _Source) -> None:
    """Take what is left out from the benchmark rubric; where a value is of the wrong form, the check comes later."""
    content = source.content
    files, candidate, given = (content.get(key, {}) for key in ("rubric", "candidate", "generation"))
    path = files.get("benchmark") if isinstance(files, dict) else None
    place = _existing(path, ("rubric", "benchmark"), source) if isinstance(path, str) else None
    rubric = load_benchmark(place).rubric
    if isinstance(given, dict):
        content["generation"] = {**asdict(rubric.generation), **given}
    recorded = isinstance(candidate, dict) and candidate.get("kind") == "recorded"
    content.setdefault("repeats", rubric.repeats.recorded if recorded else rubric.repeats.live)


def _existing(path: str, key: Key, source: _Source) -> Path:
    place = source.path.parent / path
    try:
        there = place.is_file()
    except (OSError, ValueError):  # a name that is too long, or holds a NUL
        there = False
    if not there:
        raise source.error(key, f"there is no file {str(place)[:200]!r}")
    return place


def _chat_models(config: RunConfig) -> Iterator[tuple[Key, ChatModelChoice]]:
    judge = config.judge
    choices: list[tuple[Key, object]] = [(("candidate",), config.candidate), (("judge",), judge)]
    if isinstance(judge, forms.PanelJudge):
        choices += [(("judge", "judges", number), member) for number, member in enumerate(judge.judges)]
    for key, choice in choices:
        if isinstance(choice, ChatModelChoice):
            yield key, choice


def _check_addresses(config: RunConfig, source: _Source) -> None:
    """Refuse an address that may not be called, with its place in the file."""
    candidate = config.candidate
    given: list[tuple[Key, str | None, bool, bool]] = [
        ((*key, "base_url"), choice.base_url, choice.allow_private, choice.key_variable is not None)
        for key, choice in _chat_models(config)
    ]
    if isinstance(candidate, forms.HttpCandidate):
        secret = candidate.api_key_env is not None
        given.append((("candidate", "url"), candidate.url, candidate.allow_private, secret))
    for key, url, allow_private, secret in given:
        if url is not None:
            try:
                check_base_url(url, allow_private=allow_private, secret=secret, name="the address")
            except UsageError as error:
                raise source.error(key, str(error)) from None


def _check_rates(config: RunConfig, source: _Source) -> None:
    """Refuse a limit for a provider that nobody knows: a slip would leave the one that is meant unlimited."""
    known = {choice.model.partition(":")[0] for _, choice in _chat_models(config)} | {*forms.OWN_KEYS, "http", "python"}
    for provider in config.rates:
        if provider not in known:
            names = ", ".join(sorted(known))
            raise source.error(("rates", provider), f"this run calls no such provider; known are {names}")


def _check_prices(config: RunConfig, source: _Source) -> None:
    """Ask for the price of every model where the cost is limited: an unknown cost would never reach the limit."""
    if config.budget.max_cost_usd is None:
        return
    for _, choice in _chat_models(config):
        if choice.model not in config.prices:
            raise source.error(("budget", "max_cost_usd"), f"needs the price of '{choice.model}' under prices")


def _floating(config: RunConfig) -> Iterator[tuple[Key, str]]:
    named = getattr(config.candidate, "model_id", None)  # of all but a chat model
    if named is not None and says_latest(named):
        yield ("candidate", "model_id"), named
    for key, choice in _chat_models(config):
        if is_floating(choice.model, own_address=choice.base_url is None):
            yield (*key, "model"), choice.model


def _key_variables(config: RunConfig) -> Iterator[tuple[Key, str]]:
    if isinstance(config.candidate, forms.HttpCandidate) and config.candidate.api_key_env is not None:
        yield ("candidate",), config.candidate.api_key_env
    for key, choice in _chat_models(config):
        if choice.key_variable is not None:
            yield key, choice.key_variable


def _key_of(problem: ErrorDetails) -> Key:
    """Return the key as the file has it: pydantic's, without the kinds that it puts between."""
    key: Key = ()
    tag_follows = False
    for part in problem["loc"]:
        if not tag_follows and part != "[key]":
            key = (*key, part)
        tag_follows = not tag_follows and (key in {("candidate",), ("judge",)} or key[:-1] == ("judge", "judges"))
    return (*key, "kind") if problem["type"].startswith("union_tag") else key


def _known_keys(parent: Key) -> list[str]:
    if parent[:1] in {("rates",), ("prices",)}:
        parent = parent[:1]  # whatever the name of the provider or the model
    if parent[:3] == ("judge", "panel", "judges"):
        parent = ("judge", parent[-1])  # a member of a panel has the form of a judge
    return [field.name for field in fields(_FORMS[parent])]


def _worded(problem: ErrorDetails) -> str:
    given, last = problem["input"], problem["loc"][-1] if problem["loc"] else ""
    match problem["type"]:
        case "unexpected_keyword_argument":
            close = difflib.get_close_matches(str(last), _known_keys(problem["loc"][:-1]), n=1)
            return f"unknown key; did you mean '{close[0]}'?" if close else "unknown key"
        case "missing" | "union_tag_not_found":
            return "missing key"
        case "union_tag_invalid":
            return f"must be one of {problem['ctx']['expected_tags']}, not {problem['ctx']['tag']!r:.60}"
        case "dataclass_type" | "model_attributes_type" | "dict_type":
            return "must be a mapping of keys to values"
        case "string_type":
            return "must be text; write it in quotes" if isinstance(given, int | float) else "must be text"
        case "value_error":
            return problem["msg"].removeprefix("Value error, ")
    message = problem["msg"].replace("Input should be", "must be").replace("a valid i", "an i").replace("valid ", "")
    # only what cannot be a secret is shown: a number, or what stands in place of a known word
    shown = isinstance(given, int | float) or problem["type"] == "literal_error"
    return f"{message}, not {given!r:.60}" if shown else message[0].lower() + message[1:]
