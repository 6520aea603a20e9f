"""Accounts on the command line: the first administrator, and whoever looks after accounts without a browser."""

from pathlib import Path

import pytest
from tests.cli.conftest import Run

from plumbrule.ledger import open_ledger

LEDGER = "sqlite:///.plumbrule/ledger.db"


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """Give a file whose first line is a password."""
    file = tmp_path / "password.txt"
    file.write_text("correct horse battery\nand a second line\n")
    return file


def test_the_first_administrator(run: Run, password: Path) -> None:
    """An account is made where there is no ledger yet, by whoever is named, and listed."""
    made = run("accounts", "add", "Ada Lovelace", "--role", "admin", "--password-file", password, "--as", "The Root")
    assert (made.code, made.out) == (0, "Ada Lovelace: viewer, admin\n")
    assert run("accounts", "list").out == "Ada Lovelace: viewer, admin\n"
    [listed] = run("accounts", "list", "--json").records[0]
    assert (listed["name"], listed["roles"], listed["disabled"]) == ("Ada Lovelace", ["admin", "viewer"], False)
    with open_ledger(LEDGER) as ledger:
        [entry] = ledger.entries(kind="account")
    assert (entry.author, entry.subject) == ("The Root", "Ada Lovelace")


def test_whoever_names_nobody_is_their_login(run: Run, password: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without --as and without settings the ledger has the login of whoever ran the command."""
    monkeypatch.setenv("LOGNAME", "operator")
    run("accounts", "add", "Ada Lovelace", "--role", "admin", "--password-file", password)
    with open_ledger(LEDGER) as ledger:
        [entry] = ledger.entries(kind="account")
    assert entry.author == "operator on the command line"


def test_an_account_is_changed(run: Run, password: Path) -> None:
    """Roles, password, access and tokens, each with its line; a token is printed and nothing else."""
    run("accounts", "add", "Ada Lovelace", "--role", "admin", "--password-file", password)
    run("accounts", "add", "Ben Reyes", "--role", "evaluator", "--password-file", password)
    roles = run("accounts", "set-roles", "ben reyes", "--role", "release manager")
    assert roles.out == "Ben Reyes: viewer, release manager\n"
    assert run("accounts", "reset-password", "Ben Reyes", "--password-file", password).code == 0
    assert run("accounts", "disable", "Ben Reyes").out == "Ben Reyes: disabled\n"
    assert run("accounts", "list").out.splitlines()[1] == "Ben Reyes: viewer, release manager, disabled"
    assert run("accounts", "disable", "Ben Reyes", "--undo").out == "Ben Reyes: viewer, release manager\n"
    token = run("accounts", "token", "Ben Reyes", "--for", "CI", "--scope", "read", "--days", "5")
    assert token.out.startswith("plumbrule_")
    assert len(token.out.splitlines()) == 1


def test_mistakes_are_one_line(run: Run, password: Path, tmp_path: Path) -> None:
    """What cannot be done is said, with exit code 2, and changes nothing."""
    (tmp_path / "short.txt").write_text("short\n")
    (tmp_path / "empty.txt").touch()
    run("accounts", "add", "Ada Lovelace", "--role", "admin", "--password-file", password)
    for arguments, problem in (
        (("add", "ADA lovelace", "--password-file", password), "is the same person as 'Ada Lovelace'"),
        (("add", "Ben Reyes", "--password-file", tmp_path / "short.txt"), "the password is too short"),
        (("add", "Ben Reyes", "--password-file", tmp_path / "empty.txt"), "is empty"),
        (("add", "Ben Reyes", "--password-file", tmp_path / "none.txt"), "cannot be read"),
        (("disable", "Ada Lovelace"), "is the last administrator"),
        (("set-roles", "Ada Lovelace", "--role", "viewer"), "is the last administrator"),
        (("disable", "Ben Reyes"), "there is no account 'Ben Reyes'"),
        (("reset-password", "Ben Reyes"), "there is no account 'Ben Reyes'"),
    ):
        done = run("accounts", *arguments)
        assert (done.code, problem in done.err) == (2, True), done.err
        assert len(done.err.splitlines()) == 1
    assert run("accounts", "list").out == "Ada Lovelace: viewer, admin\n"


def test_a_password_is_no_argument(run: Run) -> None:
    """There is no option that takes one: others on the machine would see it."""
    assert run("accounts", "add", "Ada Lovelace", "--password", "correct horse battery").code == 2
    assert "There is no account yet" in run("accounts", "list").out
