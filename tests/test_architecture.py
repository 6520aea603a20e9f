"""The package tree shows the product: names that are nouns, used once, in packages that can be taken in at a glance."""

import importlib
from collections import Counter
from pathlib import Path

import pytest

import plumbrule

SOURCE = Path(plumbrule.__file__).parent
MODULES = [path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py")) if path.stem != "__init__"]
PACKAGES = sorted({path.parent for path in MODULES})

# A format has one reader here and one writer there, and a command, a page or a call is named after what it is about.
FORMATS = {"csv", "html", "json", "jsonl", "junit", "markdown", "parquet"}
COMMANDS = Path("cli/commands")
PAGES = Path("web/pages")
CALLS = Path("web/json_api")
# Nouns all the same: what a program does to bytes, and what is done to an answer.
NOUNS = {"grounding", "hashing", "monitoring", "sampling", "scoring"}
MOST_MODULES = 25
UNTYPED = ("api", "cli")  # packages that pass typed results on, and no dict of anything
EXPORTING = ["engines", "http", "interactions", "judges", "ledger", "models", "samples", "text", "verdicts"]


def test_no_module_name_is_used_twice() -> None:
    """A name in a traceback or an editor's tab tells which module it is."""
    named = [path.stem for path in MODULES if path.parent not in {PAGES, CALLS} and COMMANDS not in path.parents]
    counted = Counter(name for name in named if name not in FORMATS)
    assert [name for name, count in counted.items() if count > 1] == []


def test_a_module_is_called_by_a_noun() -> None:
    """A module is what it holds; what is done is a function."""
    gerunds = [path.as_posix() for path in MODULES if path.stem.endswith("ing") and path.stem not in NOUNS]
    assert [path for path in gerunds if not Path(path).stem.startswith("rating")] == []


@pytest.mark.parametrize("package", [package for package in PACKAGES if package != PAGES], ids=str)
def test_a_package_is_small(package: Path) -> None:
    """What has more modules is more than one thing."""
    assert sum(path.parent == package for path in MODULES) <= MOST_MODULES


@pytest.mark.parametrize("package", UNTYPED)
def test_results_are_typed(package: str) -> None:
    """No ``dict[str, Any]`` is passed around."""
    texts = [(SOURCE / path).read_text(encoding="utf-8") for path in MODULES if path.parts[0] == package]
    assert sum(text.count("dict[str, Any]") for text in texts) == 0


@pytest.mark.parametrize("package", EXPORTING)
def test_a_package_says_what_its_neighbours_may_use(package: str) -> None:
    """Its ``__all__`` holds no name twice, and every name is there; ruff keeps it sorted."""
    module = importlib.import_module(f"plumbrule.{package}")
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)
