"""An installed verifier is asked by default; a rubric, or a variable of the environment, names another or none."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_scorer import support_scorer
from plumbrule.support.verifier import open_verifier, verifier_at, verifier_folder
from plumbrule.support.verifier.installed_verifier import installed_folder
from plumbrule.text.text_view import TextView

Make = Callable[..., Path]


@pytest.fixture
def installed(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install a package with a verifier, and return its folder."""
    folder = tmp_path / "site" / "plumbrule_verifier"
    shutil.copytree(make(), folder)
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.delitem(sys.modules, "plumbrule_verifier", raising=False)
    monkeypatch.delenv("PLUMBRULE_VERIFIER")
    return folder


def test_the_installed_one_is_asked(installed: Path) -> None:
    """Without a word in rubric and environment, and results say so."""
    scorer = support_scorer(load_verdict().rubric)
    assert scorer is not None
    support = scorer.score(TextView("The office opens at nine."), [TextView("The office opens at nine.")])

    assert verifier_folder(None) == installed
    assert support is not None
    assert support.verifier == scorer.identity["verifier"] == open_verifier(installed).identity


def test_it_is_opened_once(installed: Path) -> None:
    """Its files do not change, and opening it takes longer than an answer."""
    assert verifier_at(installed) is verifier_at(installed)


@pytest.mark.usefixtures("installed")
def test_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name "none" switches it off, in the rubric and in the environment."""
    off = support_scorer(load_verdict(overrides={"support.verifier": "none"}).rubric)
    monkeypatch.setenv("PLUMBRULE_VERIFIER", "none")
    switched = support_scorer(load_verdict().rubric)

    assert off is not None
    assert switched is not None
    assert off.identity["verifier"] is switched.identity["verifier"] is None


@pytest.mark.usefixtures("installed")
def test_the_rubric_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the environment, which wins over what is installed."""
    monkeypatch.setenv("PLUMBRULE_VERIFIER", "elsewhere")

    assert verifier_folder(None) == Path("elsewhere")
    assert verifier_folder("mine") == Path("mine")
    assert verifier_folder("none") is None


def test_a_package_without_a_verifier_is_none(installed: Path) -> None:
    """An empty folder of that name is not taken for one."""
    (installed / "verifier.yaml").unlink()

    assert installed_folder() is None
