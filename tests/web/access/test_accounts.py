"""Accounts: one for each person, every change in the ledger, no secret kept in the clear."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.web.conftest import PASSWORD, MovedClock

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Draft, open_ledger
from plumbrule.web.access.accounts import AccountChange, Accounts, read_account_change
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.access.sessions import IDLE, LIFETIME
from plumbrule.web.site import Site

OTHER = "another horse entirely"


@pytest.fixture
def accounts(team_site: Site) -> Accounts:
    """Give the accounts of a site with one administrator."""
    team_site.accounts.add(
        "Ada Lovelace", roles=[Role.ADMIN], password=PASSWORD, author="the test", at=team_site.clock()
    )
    return team_site.accounts


@pytest.mark.parametrize("name", ["Ada Lovelace", "ada lovelace", " ADA  LOVELACE ", "Ada-Lovelace.", "Аdа Lоvеlасе"])
def test_one_person_has_one_account(accounts: Accounts, clock: MovedClock, name: str) -> None:
    """A name that reads as one that is there cannot be taken: the ledger tells people apart by name."""
    with pytest.raises(UsageError, match="is the same person as 'Ada Lovelace', who has an account"):
        accounts.add(name, roles=[], password=PASSWORD, author="the test", at=clock())


@pytest.mark.parametrize("name", ["", "...", "a" * 201, "Ada\x1b[31m Lovelace", "Ada\u202eLovelace"])
def test_a_name_names_somebody(accounts: Accounts, clock: MovedClock, name: str) -> None:
    """What has no letter, is endless or hides characters is no name."""
    with pytest.raises(UsageError, match="name"):
        accounts.add(name, roles=[], password=PASSWORD, author="the test", at=clock())


@pytest.mark.parametrize("password", ["short", "a" * 1001, "ababababababab", "my AdaLovelace password"])
def test_a_password_is_not_guessed_easily(accounts: Accounts, clock: MovedClock, password: str) -> None:
    """It is long, varied, and not the name."""
    with pytest.raises(UsageError, match="the password"):
        accounts.set_password("Ada Lovelace", password, author="the test", at=clock(), must_change=False)


def test_every_change_is_in_the_ledger(accounts: Accounts, team_site: Site, clock: MovedClock) -> None:
    """Each change is an entry with who made it and when, and none holds a secret."""
    ben = {"author": "Ada Lovelace", "at": clock()}
    accounts.add("Ben Reyes", roles=[Role.EVALUATOR], password=PASSWORD, must_change=True, **ben)  # type: ignore[arg-type]
    clock.move(minutes=1)
    accounts.set_roles("Ben Reyes", [Role.ADJUDICATOR], author="Ada Lovelace", at=clock())
    accounts.set_password("Ben Reyes", OTHER, author="Ben Reyes", at=clock(), must_change=False)
    accounts.sign_in(accounts.find("Ben Reyes"), browser="", at=clock())
    accounts.end_sessions("Ben Reyes", author="Ada Lovelace", at=clock())
    token = accounts.make_token("Ben Reyes", title="CI", scopes=[Scope.RUN], days=9, author="Ben Reyes", at=clock())
    [made] = accounts.tokens(accounts.find("Ben Reyes").id)
    accounts.revoke_token("Ben Reyes", made.id, author="Ben Reyes", at=clock())
    accounts.set_disabled("Ben Reyes", disabled=True, author="Ada Lovelace", at=clock())
    accounts.set_disabled("Ben Reyes", disabled=False, author="Ada Lovelace", at=clock())
    with open_ledger(team_site.ledger) as ledger:
        entries = list(ledger.entries(kind="account", subject="Ben Reyes"))
    assert [(entry.author, read_account_change(entry)) for entry in entries] == [
        ("Ada Lovelace", AccountChange(event="created", roles=("viewer", "evaluator"))),
        ("Ada Lovelace", AccountChange(event="roles_set", roles=("viewer", "adjudicator"))),
        ("Ben Reyes", AccountChange(event="password_set")),
        ("Ada Lovelace", AccountChange(event="sessions_ended")),
        ("Ben Reyes", AccountChange(event="token_made", title="CI", scopes=("run",))),
        ("Ben Reyes", AccountChange(event="token_revoked", title="CI")),
        ("Ada Lovelace", AccountChange(event="disabled")),
        ("Ada Lovelace", AccountChange(event="enabled")),
    ]
    assert entries[0].recorded_at_utc == "2026-03-02T09:00:00.000000Z"
    assert entries[1].recorded_at_utc == "2026-03-02T09:01:00.000000Z"
    everything = "".join(entry.body for entry in entries)
    assert all(secret not in everything for secret in (PASSWORD, OTHER, token, "argon2"))


def test_an_entry_that_cannot_be_read_is_named(team_site: Site, clock: MovedClock) -> None:
    """A body of another form is an error with its place, never a guess."""
    with open_ledger(team_site.ledger) as ledger:
        [entry] = ledger.append_many(
            [Draft(kind="account", subject="Ben", body={"event": "promoted"}, author="somebody", at=clock())]
        )
    with pytest.raises(InputError, match=r"entry 1, Ben: 'event' cannot be read"):
        read_account_change(entry)


def test_what_is_not_kept_is_not_done(accounts: Accounts, team_site: Site, clock: MovedClock, tmp_path: Path) -> None:
    """Where the ledger takes no entry, the account stays as it was."""
    (tmp_path / "file").touch()
    broken = Accounts(team_site.store, f"sqlite:///{tmp_path / 'file' / 'ledger.db'}")
    with pytest.raises(UsageError, match="its folder cannot be made"):
        broken.set_roles("Ada Lovelace", list(Role), author="the test", at=clock())
    with pytest.raises(UsageError, match="its folder cannot be made"):
        broken.add("Ben Reyes", roles=[], password=PASSWORD, author="the test", at=clock())
    assert [(account.name, account.roles) for account in accounts.all()] == [
        ("Ada Lovelace", frozenset({Role.VIEWER, Role.ADMIN}))
    ]


def test_the_last_administrator_stays(accounts: Accounts, clock: MovedClock) -> None:
    """Nobody takes the role from the last one who has it, nor keeps them out; of two, one may go."""
    by = {"author": "the test", "at": clock()}
    accounts.add("Ben Reyes", roles=[Role.ADMIN], password=PASSWORD, **by)  # type: ignore[arg-type]
    accounts.set_disabled("Ben Reyes", disabled=True, **by)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="'Ada Lovelace' is the last administrator"):
        accounts.set_roles("Ada Lovelace", [Role.EVALUATOR], **by)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="'Ada Lovelace' is the last administrator"):
        accounts.set_disabled("Ada Lovelace", disabled=True, **by)  # type: ignore[arg-type]
    accounts.set_disabled("Ben Reyes", disabled=False, **by)  # type: ignore[arg-type]
    accounts.set_roles("Ada Lovelace", [Role.EVALUATOR], **by)  # type: ignore[arg-type]
    assert accounts.find("Ada Lovelace").roles == {Role.VIEWER, Role.EVALUATOR}


def test_nothing_secret_is_kept_in_the_clear(accounts: Accounts, team_site: Site, clock: MovedClock) -> None:
    """Of a password, a session's id and a token only hashes are on the disk."""
    session = accounts.sign_in(accounts.find("Ada Lovelace"), browser="", at=clock())
    token = accounts.make_token("Ada Lovelace", title="CI", scopes=[Scope.READ], days=1, author="Ada", at=clock())
    folder = Path(team_site.ledger.removeprefix("sqlite:///")).parent
    content = b"".join(file.read_bytes() for file in folder.iterdir())
    assert b"$argon2id$" in content
    assert all(secret.encode() not in content for secret in (PASSWORD, session, token))


class TestSessions:
    """A session ends by itself, and with everything that changes who somebody is."""

    def test_it_ends_when_it_is_not_used(self, accounts: Accounts, clock: MovedClock) -> None:
        """Each use starts the time again, up to the longest that any session lasts."""
        session = accounts.sign_in(accounts.find("Ada Lovelace"), browser="", at=clock())
        begun = clock()
        while clock() + IDLE - timedelta(minutes=1) < begun + LIFETIME:
            clock.move(seconds=(IDLE - timedelta(minutes=1)).total_seconds())
            assert accounts.person_of_session(session, at=clock()) is not None
        clock.now = begun + LIFETIME
        assert accounts.person_of_session(session, at=clock()) is None
        session = accounts.sign_in(accounts.find("Ada Lovelace"), browser="", at=clock())
        clock.move(seconds=IDLE.total_seconds())
        assert accounts.person_of_session(session, at=clock()) is None

    @pytest.mark.parametrize("change", ["password", "roles", "disabled", "ended", "signed out"])
    def test_it_ends_with_a_change(self, accounts: Accounts, clock: MovedClock, change: str) -> None:
        """A change of password or roles ends every session, and so does keeping somebody out."""
        by = {"author": "Ada Lovelace", "at": clock()}
        ben = accounts.add("Ben Reyes", roles=[], password=PASSWORD, **by)  # type: ignore[arg-type]
        session, other = (accounts.sign_in(ben, browser="", at=clock()) for _ in range(2))
        assert accounts.person_of_session(session, at=clock()) == ben.person
        if change == "password":
            accounts.set_password("Ben Reyes", OTHER, must_change=False, **by)  # type: ignore[arg-type]
        elif change == "roles":
            accounts.set_roles("Ben Reyes", [Role.EVALUATOR], **by)  # type: ignore[arg-type]
        elif change == "disabled":
            accounts.set_disabled("Ben Reyes", disabled=True, **by)  # type: ignore[arg-type]
        elif change == "ended":
            assert accounts.end_sessions("Ben Reyes", **by) == 2  # type: ignore[arg-type]
        else:
            accounts.sign_out(session)
        assert accounts.person_of_session(session, at=clock()) is None
        assert (accounts.person_of_session(other, at=clock()) is None) == (change != "signed out")

    def test_an_account_has_few(self, accounts: Accounts, clock: MovedClock) -> None:
        """The oldest of too many ends, so that the store does not grow."""
        ada = accounts.find("Ada Lovelace")
        sessions = []
        for _ in range(25):
            clock.move(seconds=1)
            sessions.append(accounts.sign_in(ada, browser="x" * 5000, at=clock()))
        assert len(accounts.sessions(ada.id, at=clock())) == 20
        assert accounts.person_of_session(sessions[0], at=clock()) is None
        assert accounts.person_of_session(sessions[-1], at=clock()) == ada.person


class TestTokens:
    """An API token stands for its owner, within its scopes, for a time."""

    def test_it_ends(self, accounts: Accounts, clock: MovedClock) -> None:
        """A token is good until its day, and not for a moment longer."""
        token = accounts.make_token("Ada Lovelace", title="CI", scopes=[Scope.RUN], days=30, author="Ada", at=clock())
        clock.move(days=29)
        person = accounts.person_of_token(token, at=clock())
        assert person is not None
        assert (person.name, person.scopes) == ("Ada Lovelace", frozenset({Scope.RUN}))
        clock.move(days=1)
        assert accounts.person_of_token(token, at=clock()) is None
        assert accounts.person_of_token("plumbrule_unknown", at=clock()) is None

    def test_it_follows_its_owner(self, accounts: Accounts, clock: MovedClock) -> None:
        """It has the roles that its owner has now, and none when they are kept out."""
        by = {"author": "Ada Lovelace", "at": clock()}
        accounts.add("Ben Reyes", roles=[Role.EVALUATOR], password=PASSWORD, **by)  # type: ignore[arg-type]
        token = accounts.make_token("Ben Reyes", title="CI", scopes=list(Scope), days=1, **by)  # type: ignore[arg-type]
        accounts.set_roles("Ben Reyes", [Role.ADJUDICATOR], **by)  # type: ignore[arg-type]
        person = accounts.person_of_token(token, at=clock())
        assert person is not None
        assert person.roles == {Role.VIEWER, Role.ADJUDICATOR}
        accounts.set_disabled("Ben Reyes", disabled=True, **by)  # type: ignore[arg-type]
        assert accounts.person_of_token(token, at=clock()) is None

    @pytest.mark.parametrize(
        "wrong", [{"title": " "}, {"title": "x" * 101}, {"scopes": []}, {"days": 0}, {"days": 367}], ids=str
    )
    def test_it_is_bounded(self, accounts: Accounts, clock: MovedClock, wrong: dict[str, object]) -> None:
        """It says what it is for, has a scope, and ends within a year."""
        given = {"title": "CI", "scopes": [Scope.READ], "days": 1, "author": "Ada", "at": clock()} | wrong
        with pytest.raises(UsageError, match="token"):
            accounts.make_token("Ada Lovelace", **given)  # type: ignore[arg-type]
