"""A name may be cut short where only one begins so; where several do, they are listed."""

from collections.abc import Sequence

import pytest

from plumbrule.errors import UsageError
from plumbrule.names import pick

UUID = "0b7e4a52-6f0e-4f43-9a51-3a1f0f2c9d11"


def found(wanted: str, *names: Sequence[str]) -> Sequence[str] | None:
    """Return the names of the thing that is meant."""
    return pick(wanted, names, lambda each: each, where="here", what="things")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("t-1", "t-1"),
        ("t-12", "t-12"),
        ("u", "u-1"),
        ("u…", "u-1"),
        ("second", "u-1"),
        ("sec", "u-1"),
        (UUID.upper(), UUID),
        (UUID.replace("-", ""), UUID),
        ("0b7e", UUID),
        ("0b7e4a52-6f", UUID),
        ("0b7e4a526f", UUID),
        ("v", None),
        ("", None),
        ("…", None),
    ],
)
def test_which_is_meant(wanted: str, meant: str | None) -> None:
    """The name in full goes before the start of another; a table's cut, and the hyphens of a UUID, do not matter."""
    picked = found(wanted, ["t-12"], ["t-1"], ["u-1", "second"], [UUID])
    assert (None if picked is None else picked[0]) == meant


def test_one_thing_under_two_names_is_one() -> None:
    """Its own names, and the same name met twice, are no reason to ask."""
    assert found("t", ["t-1", "t-1-too"], ["t-1"]) == ["t-1", "t-1-too"]


def test_several_are_listed_in_one_line() -> None:
    """A few of them, in order, and how many more."""
    with pytest.raises(UsageError, match=r"^here: 2 things begin with 't': t-1, t-2; write more of it$"):
        found("t", ["t-2"], ["t-1"])
    with pytest.raises(UsageError, match=r"^here: 7 things begin with 't': t0, t1, t2, t3, t4 and 2 more; write more"):
        found("t", *([f"t{number}"] for number in range(7)))
