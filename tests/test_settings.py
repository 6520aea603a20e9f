"""The user's settings file: what it may say, and what a fault in it looks like."""

from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.settings import settings_file, signing_key_file, user_name


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the place of a settings file that is not there yet."""
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("PLUMBRULE_SETTINGS", str(path))
    return path


def test_there_need_be_none(file: Path) -> None:
    """Nobody is named, and no key."""
    assert (settings_file(), user_name(), signing_key_file()) == (file, None, None)


def test_name_and_key(file: Path) -> None:
    """Both are read, and read again after a change."""
    file.write_text('[user]\nname = "Ada"\n[ledger]\nkey = "/keys/one"\n')
    assert (user_name(), signing_key_file()) == ("Ada", Path("/keys/one"))
    file.write_text('[user]\nname = ""\n')
    assert (user_name(), signing_key_file()) == (None, None)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("user = 3", "there is no table 'user'"),
        ("[person]", "there is no table 'person'; there are: user, ledger"),
        ("[user]\nnam = 'Ada'", "user: there is no 'nam'; there are: name"),
        ("[user]\nname = 3", "user.name must be a text in quotes"),
        ("[user", "is not TOML"),
        ("#" * (1 << 20) + "#", "is larger than 1048576 bytes"),
    ],
)
def test_a_fault_is_one_line(file: Path, content: str, says: str) -> None:
    """It names the file and what is wrong in it."""
    file.write_text(content)
    with pytest.raises(UsageError) as caught:
        user_name()
    assert str(file) in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
