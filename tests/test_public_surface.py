"""The public names are few, sorted, importable and light."""

import subprocess
import sys

import pytest

import plumbrule

HEAVY = ("ijson", "jinja2", "numpy", "orjson", "pyarrow", "pydantic", "rich", "simplemma", "spacy", "yaml", "zstandard")


def test_public_names_are_sorted() -> None:
    """``__all__`` is sorted and holds no name twice."""
    assert sorted(set(plumbrule.__all__)) == plumbrule.__all__


@pytest.mark.parametrize("name", plumbrule.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    """What is promised is there, and a class or function has a docstring."""
    value = getattr(plumbrule, name)
    assert isinstance(value, str) or value.__doc__


def test_dir_shows_the_public_names() -> None:
    """Completion in a shell shows what is public and nothing else."""
    assert dir(plumbrule) == plumbrule.__all__


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A typo is told as Python tells it."""
    with pytest.raises(AttributeError, match="has no attribute 'scroe'"):
        plumbrule.scroe  # noqa: B018 - the access itself is tested
    with pytest.raises(ImportError):
        exec("from plumbrule import scroe")  # noqa: S102 - the statement itself is tested


def test_importing_the_package_is_light() -> None:
    """No heavy library is loaded before it is used."""
    code = f"import sys, plumbrule; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_python_m_plumbrule_is_the_command() -> None:
    """The module runs as the command does."""
    done = subprocess.run([sys.executable, "-m", "plumbrule", "--version"], check=True, capture_output=True, text=True)
    assert done.stdout == f"plumbrule {plumbrule.__version__}\n"
