"""Reads a run's configuration: one YAML file, with overrides laid over it, and every mistake named by its place."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from plumbrule.errors import UsageError
from plumbrule.hashing import sha256_of
from plumbrule.http import is_sendable_key
from plumbrule.http.address_guard import check_base_url
from plumbrule.models.model_names import is_floating, says_latest
from plumbrule.rubrics import load_benchmark, names_rubric
from plumbrule.rubrics.yaml_reader import Document, Key, read_yaml
from plumbrule.runs import config_schema as forms
from plumbrule.runs.config_schema import ChatModelChoice, RunConfig

__all__ = ["LoadedConfig", "RunConfig", "check_secrets", "load_config", "starter_text"]

# How a run is carried out, not what comes of it: they may be changed when it is resumed.
_ASIDE = (
    *("budget", "concurrency", "environment", "lease_s", "network", "prices", "rates", "retry", "stop_after_failures"),
)
# Keys that older versions did not have: left out, they do not count, and what those began can be resumed.
_LATER = frozenset(
    {
        *("accept_contexts", "anchor", "api_key_header", "cluster", "delimiter", "encoding", "extra_body"),
        *("generation", "headers", "max_tokens_field", "method", "request", "response", "stream"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """A configuration in force, with the hash of everything that a result depends on.

    Comments, layout, the folder, and how fast and how far the run goes do not count.
    """

    config: RunConfig
    sha256: str
    path: Path
    floating: bool  # a model's name may mean another model tomorrow, and that was allowed

    @property
    def folder(self) -> Path:
        """Where the file is."""
        return self.path.parent

    def resolve(self, path: str) -> Path:
        """Return the place of a path that the configuration names: relative to the configuration's folder."""
        return self.folder / path


def load_config(path: Path, overrides: Mapping[str, object] | None = None) -> LoadedConfig:
    """Return the configuration in the file at ``path``, with ``overrides`` by dotted key laid over it.

    What the file leaves out of ``generation`` and ``repeats`` comes from the benchmark rubric that it names.
    """
    source = read_yaml(path, mapping="a configuration", error=UsageError, secrets=True)
    for dotted, value in (overrides or {}).items():
        try:
            source.override(dotted, value, add=True)
        except KeyError:
            raise source.error(tuple(dotted.split(".")), "there is no such key to set") from None
    for key, text in _texts(source.content, ()):
        if "${" in text:
            raise source.error(
                key, "${...} is not filled in here; name a secret by api_key_env, and write out the rest"
            )
    _fill_in(source, path.parent)
    config = source.validate(TypeAdapter(RunConfig))
    floating = list(_floating(config))
    if floating and not config.allow_floating_models:
        key, name = floating[0]
        raise source.error(
            key, f"'{name}' may mean another model tomorrow; give its date, or set allow_floating_models: true"
        )
    # the dataset is left to its reader, which says more of what is wrong with it
    if isinstance(config.candidate, forms.ModelCandidate) and config.candidate.prompt is not None:
        _existing(config.candidate.prompt, ("candidate", "prompt"), source, path.parent)
    for name in ("rules", "verdict"):
        file = getattr(config.rubric, name)
        if file is not None and not names_rubric(name, Path(file)):
            _existing(file, ("rubric", name), source, path.parent)
    _check_addresses(config, source)
    _check_rates(config, source)
    _check_prices(config, source)
    hashed = _without_unset({key: value for key, value in config.to_dict().items() if key not in _ASIDE})
    return LoadedConfig(config=config, sha256=sha256_of(hashed), path=path.absolute(), floating=bool(floating))


def check_secrets(config: RunConfig, environ: Mapping[str, str]) -> None:
    """Raise where a variable that should hold a key is not set; names are shown, values never."""
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


def _texts(value: object, key: Key) -> Iterator[tuple[Key, str]]:
    """Yield every text, names of keys too, with its place."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict | list):
        for name, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(name, (*key, name))
            yield from _texts(below, (*key, name))


def _without_unset(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a configuration without the later keys that it leaves out, at any depth."""
    if isinstance(value, list):
        return [_without_unset(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {key: _without_unset(part) for key, part in value.items() if part not in (None, False) or key not in _LATER}


def _fill_in(source: Document, folder: Path) -> None:
    """Take what is left out from the benchmark rubric; where a value is of the wrong form, the check comes later."""
    content = source.content
    files, candidate, given, judge = (content.get(key, {}) for key in ("rubric", "candidate", "generation", "judge"))
    path = files.get("benchmark") if isinstance(files, dict) else None
    place = None if not isinstance(path, str) else Path(path)
    if place is not None and not names_rubric("benchmark", place):
        place = _existing(str(path), ("rubric", "benchmark"), source, folder)
    rubric = load_benchmark(place).rubric
    if isinstance(given, dict):
        content["generation"] = {**asdict(rubric.generation), **given}
    members = judge.get("judges") if isinstance(judge, dict) else None
    for each in (judge, *(members if isinstance(members, list) else ())):
        if isinstance(each, dict) and isinstance(each.get("generation"), dict):
            each["generation"] = {**asdict(rubric.generation), **each["generation"]}
    recorded = isinstance(candidate, dict) and candidate.get("kind") == "recorded"
    content.setdefault("repeats", rubric.repeats.recorded if recorded else rubric.repeats.live)


def _existing(path: str, key: Key, source: Document, folder: Path) -> Path:
    place = folder / path
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


def _check_addresses(config: RunConfig, source: Document) -> None:
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


def _check_rates(config: RunConfig, source: Document) -> None:
    """Refuse a limit for a provider that nobody knows: a slip would leave the one that is meant unlimited."""
    known = {choice.model.partition(":")[0] for _, choice in _chat_models(config)} | {*forms.OWN_KEYS, "http", "python"}
    for provider in config.rates:
        if provider not in known:
            names = ", ".join(sorted(known))
            raise source.error(("rates", provider), f"this run calls no such provider; known are {names}")


def _check_prices(config: RunConfig, source: Document) -> None:
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
