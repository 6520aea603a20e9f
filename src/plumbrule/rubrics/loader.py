"""Read a rubric file, lay overrides over it, and check it against its typed form."""

import copy
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from plumbrule.errors import RubricError
from plumbrule.hashing import sha256_of
from plumbrule.rubrics.benchmark_rubric import BenchmarkRubric
from plumbrule.rubrics.compliance_rubric import ComplianceRubric
from plumbrule.rubrics.refusal_taxonomy import RefusalTaxonomy
from plumbrule.rubrics.rules_policy import RulesPolicy
from plumbrule.rubrics.scorecard_rubric import ScorecardRubric
from plumbrule.rubrics.verdict_rubric import VerdictRubric
from plumbrule.rubrics.yaml_reader import Document, read_yaml

R = TypeVar("R")

_FORMS: dict[str, type[Any]] = {
    "benchmark": BenchmarkRubric,
    "compliance": ComplianceRubric,
    "refusals": RefusalTaxonomy,
    "rules": RulesPolicy,
    "scorecard": ScorecardRubric,
    "verdict": VerdictRubric,
}
# rubrics that ship as a file laid over another one that ships
_LAID_OVER = {"grounding": "benchmark", "recommended": "verdict"}
RUBRICS = tuple(sorted({*_FORMS, *_LAID_OVER}))
_VERSIONED = frozenset({"scorecard"})  # it decides on releases: two that differ are told apart by their versions
_NEEDS_VERSION = (
    "this is not the {name} rubric that ships under version {version}: give it a version of its own, "
    'such as version: "{version}-mine"'
)


Stamp = Mapping[str, str]  # name, version and sha256 of a rubric, a model or a suite, in every result of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded(Generic[R]):
    """A rubric in force, with the hash of its content: comments and layout do not count."""

    rubric: R
    name: str
    version: str
    sha256: str

    def stamp(self) -> dict[str, str]:
        """Return what every result says of the rubric that made it."""
        return {"name": self.name, "version": self.version, "sha256": self.sha256}


def load_verdict(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Loaded[VerdictRubric]:
    """Return the verdict rubric that ships, with the file at ``path`` and then ``overrides`` laid over it.

    ``Path("recommended")`` names the second verdict rubric that ships.
    """
    return load_rubric("verdict", path, overrides or {})


def load_benchmark(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Loaded[BenchmarkRubric]:
    """Return the benchmark rubric that ships, with the file at ``path`` and then ``overrides`` laid over it.

    ``Path("grounding")`` names the second benchmark rubric that ships.
    """
    return load_rubric("benchmark", path, overrides or {})


def load_rules(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Loaded[RulesPolicy]:
    """Return the rules judge's policy that ships, with the file at ``path`` and then ``overrides`` laid over it."""
    return load_rubric("rules", path, overrides or {})


def load_scorecard(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Loaded[ScorecardRubric]:
    """Return the scorecard rubric that ships, with the file at ``path`` and then ``overrides`` laid over it."""
    return load_rubric("scorecard", path, overrides or {})


def load_compliance(
    path: Path | None = None, overrides: Mapping[str, object] | None = None
) -> Loaded[ComplianceRubric]:
    """Return the compliance policy that ships, with the file at ``path`` and then ``overrides`` laid over it."""
    return load_rubric("compliance", path, overrides or {})


def load_refusals(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Loaded[RefusalTaxonomy]:
    """Return the refusal taxonomy that ships, with the file at ``path`` and then ``overrides`` laid over it."""
    return load_rubric("refusals", path, overrides or {})


def content_of(loaded: Loaded[Any]) -> dict[str, Any]:
    """Return all that a rubric says, as plain values."""
    content: dict[str, Any] = _adapter(loaded.name).dump_python(loaded.rubric, mode="json")
    return content


def kept_rubric(name: str, content: Mapping[str, Any]) -> Loaded[Any]:
    """Return a rubric from what ``content_of`` gave of it: nothing of the one that ships now comes in."""
    adapter = _adapter(name)
    rubric = adapter.validate_python(dict(content))
    return Loaded(
        rubric=rubric, name=rubric.name, version=rubric.version, sha256=sha256_of(adapter.dump_python(rubric))
    )


def shipped_text(name: str) -> str:
    """Return the text of a rubric that ships, comments and all."""
    if name not in RUBRICS:
        hint = f" (a file is named with --rubric {name})" if name.endswith((".yaml", ".yml")) else ""
        raise RubricError(f"there is no rubric '{name}'; there are: {', '.join(RUBRICS)}{hint}")
    return resources.files("plumbrule.rubrics").joinpath(f"{name}.yaml").read_text(encoding="utf-8")


def parse_override(text: str) -> tuple[str, object]:
    """Read ``key.path=value``, the value as YAML."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise RubricError(f"override '{text}' is not of the form key=value, such as relevance.fail_below=0.05")
    return key.strip(), read_yaml(value, where=f"override '{key.strip()}'").content


def load_rubric(name: str, path: Path | None, overrides: Mapping[str, object]) -> Loaded[Any]:
    """Return any rubric that ships, by name, with the file at ``path`` and then ``overrides`` laid over it.

    A ``path`` may be the name of a rubric that ships to be laid over this one. A scorecard that differs from the one
    that ships needs a version of its own: a file states it, overrides get one that is made from their hash.
    """
    if path is not None and names_rubric(name, path):
        name, path = str(path), None
    if path is None and not overrides:
        return _shipped_whole(name)
    content = copy.deepcopy(_shipped(name))  # a change of this one is not a change of the next
    if path is None:
        document = Document(where=f"rubric '{name}'", content=content)
    else:
        document = _read_file(name, path)
        document.content = _merge(content, document.content)
        if name in _VERSIONED:
            _check_version(name, document)
    for key, value in overrides.items():
        try:
            document.override(key, value)
        except KeyError:
            raise RubricError(
                f"override '{key}': the rubric has no key '{key}'; 'plumbrule rubric show {_form(name)}' lists them"
            ) from None
    loaded = _checked(name, document)
    if name in _VERSIONED and overrides and loaded.sha256 != _shipped_whole(name).sha256:
        if "version" not in overrides:
            document.content["version"] = f"{loaded.version}+set.{loaded.sha256[:8]}"
            loaded = _checked(name, document)
        elif _is_reserved(name, loaded.version):
            raise RubricError(f"override 'version': {_NEEDS_VERSION.format(name=name, version=loaded.version)}")
    return loaded


@functools.cache
def _shipped_whole(name: str) -> Loaded[Any]:
    """Return a rubric that ships as it is, read once: a page of the web application asks for one a hundred times."""
    return _checked(name, Document(where=f"rubric '{name}'", content=copy.deepcopy(_shipped(name))))


def names_rubric(name: str, path: Path) -> bool:
    """Tell whether a path is the name of a rubric that ships to be laid over the rubric ``name``."""
    return _LAID_OVER.get(str(path)) == name


def _read_file(name: str, path: Path) -> Document:
    """Return what a rubric file says; a bare word that is no file may be meant as the name of a rubric."""
    over = [one for one, under in _LAID_OVER.items() if under == name]
    if over and str(path) == path.stem and not path.exists():
        raise RubricError(f"{path}: there is no such file, and no rubric of this name ships; {' and '.join(over)} does")
    return read_yaml(path, mapping="a rubric")


def _checked(name: str, document: Document) -> Loaded[Any]:
    adapter = _adapter(name)
    rubric = document.validate(adapter)
    return Loaded(
        rubric=rubric, name=rubric.name, version=rubric.version, sha256=sha256_of(adapter.dump_python(rubric))
    )


def _check_version(name: str, document: Document) -> None:
    """Raise where a file changes a rubric and leaves it the version of the one that ships."""
    version = str(document.content.get("version"))
    if not _is_reserved(name, version) or document.content == _shipped(name):
        return
    if _checked(name, document).sha256 != _shipped_whole(name).sha256:
        raise RubricError(f"{document.where}: {_NEEDS_VERSION.format(name=name, version=version)}")


def _is_reserved(name: str, version: str) -> bool:
    """Tell whether a version is that of a rubric that ships or shipped: a whole number up to the one that ships."""
    return version.isascii() and version.isdigit() and int(version[:9]) <= int(_shipped(name)["version"])


@functools.cache
def _shipped(name: str) -> dict[str, Any]:
    """Return what a rubric that ships says, read once: a review asks for it many times."""
    content: dict[str, Any] = read_yaml(shipped_text(name), where=name).content
    return _merge(_shipped(_LAID_OVER[name]), content) if name in _LAID_OVER else content


def _form(name: str) -> str:
    """Return the rubric whose form a rubric has: its own, or that of the one that it is laid over."""
    return _LAID_OVER.get(name, name)


@functools.cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(_FORMS[_form(name)])


def _merge(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Lay ``over`` over ``under``: a file states only what it changes."""
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
