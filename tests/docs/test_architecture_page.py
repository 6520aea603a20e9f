"""docs/architecture.md is true: every package and module that it names is there, and no package is left out."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "plumbrule"


def test_every_path_is_there() -> None:
    """A file or a folder that the page names exists."""
    paths = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|yaml))?)`", PAGE)
    assert len(paths) > 20
    relative = {"commands/", "views/", "formats/", "pages/", "json_api/"}  # of the package in whose line they stand
    assert [path for path in paths if not (PACKAGE / path).exists() and path not in relative] == []


def test_every_module_of_a_walk_is_there() -> None:
    """The walks go through modules that exist."""
    walks = re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", PAGE)
    assert len(walks) > 15
    assert [walk for walk in walks if not (PACKAGE / f"{walk.replace('.', '/')}.py").exists()] == []


def test_every_package_has_its_line() -> None:
    """What lies in the source is on the page."""
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py") if not path.stem.startswith("_")}
    named = set(re.findall(r"`([a-z_]+)`", PAGE))
    assert packages | modules <= named
