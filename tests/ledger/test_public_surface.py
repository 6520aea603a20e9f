"""The ledger's public names are sorted, described, and loaded only when they are used."""

import subprocess
import sys

import pytest

from plumbrule import ledger


def test_public_names_are_sorted() -> None:
    """Constants, then classes, then functions, each in the order of the alphabet, and none twice."""
    names = ledger.__all__
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))


@pytest.mark.parametrize("name", ledger.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    """What is promised is there, and a class or function has a docstring."""
    value = getattr(ledger, name)
    assert isinstance(value, int | tuple) or value.__doc__


@pytest.mark.parametrize(
    ("module", "heavy"),
    [("plumbrule", ("sqlalchemy", "alembic", "psycopg")), ("plumbrule.ledger", ("alembic", "psycopg", "pyarrow"))],
)
def test_importing_is_light(module: str, heavy: tuple[str, ...]) -> None:
    """The package loads no database library, the ledger only the one that it always needs."""
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
