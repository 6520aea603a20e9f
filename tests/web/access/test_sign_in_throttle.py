"""Whoever guesses passwords is slowed down, and keeps nobody else out."""

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select
from tests.web.conftest import MovedClock

from plumbrule.web.access import sign_in_throttle
from plumbrule.web.access.sign_in_throttle import (
    FREE_BY_ADDRESS,
    FREE_BY_NAME,
    LONGEST_WAIT,
    Attempt,
    ThrottledError,
    attempt_of,
    begin_attempt,
    device_cookie,
    end_attempt,
)
from plumbrule.web.site import Site
from plumbrule.web.web_store import Store


@pytest.fixture
def store(team_site: Site) -> Store:
    """Give the store of a site."""
    return team_site.store


def waits(store: Store, attempt: Attempt, clock: MovedClock) -> Iterator[int]:
    """Yield how long each attempt has to wait that is made as soon as it may be."""
    while True:
        try:
            begin_attempt(store, attempt, at=clock())
        except ThrottledError as error:
            yield error.wait_s
            clock.move(seconds=error.wait_s)
            begin_attempt(store, attempt, at=clock())
        else:
            yield 0


def test_each_failure_doubles_the_wait(store: Store, clock: MovedClock) -> None:
    """The first few are free, then one waits longer each time, and never longer than the limit."""
    attempt = attempt_of(store, "Ada Lovelace", address="203.0.113.7", device="")
    waited = waits(store, attempt, clock)
    assert [next(waited) for _ in range(9)] == [0] * FREE_BY_NAME + [1, 2, 4, 8]
    assert [next(waited) for _ in range(20)][-1] == LONGEST_WAIT.total_seconds()


def test_a_name_is_counted_over_all_addresses(store: Store, clock: MovedClock) -> None:
    """Guesses from many machines count together, however the name is written."""
    for number in range(FREE_BY_NAME):
        begin_attempt(store, attempt_of(store, "Ada Lovelace", address=f"203.0.113.{number}", device=""), at=clock())
    with pytest.raises(ThrottledError, match="Try again in 1 seconds"):
        begin_attempt(store, attempt_of(store, "ADA-LOVELACE", address="198.51.100.1", device=""), at=clock())
    begin_attempt(store, attempt_of(store, "Ben Reyes", address="198.51.100.1", device=""), at=clock())


@pytest.mark.parametrize(
    ("first", "second"), [("203.0.113.7", "203.0.113.7"), ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2")]
)
def test_an_address_is_counted_over_all_names(store: Store, clock: MovedClock, first: str, second: str) -> None:
    """One machine that tries many names is slowed down, in IPv6 by its whole network."""
    for number in range(FREE_BY_ADDRESS):
        begin_attempt(store, attempt_of(store, f"Name {number}x", address=first, device=""), at=clock())
    with pytest.raises(ThrottledError):
        begin_attempt(store, attempt_of(store, "Another", address=second, device=""), at=clock())


def test_strangers_do_not_keep_the_owner_out(store: Store, clock: MovedClock) -> None:
    """In a browser in which they signed in before, the owner is counted on their own; no other name is."""
    cookie = device_cookie(store, "Ada Lovelace")
    for number in range(FREE_BY_NAME + 1):
        stranger = attempt_of(store, "Ada Lovelace", address=f"203.0.113.{number}", device="")
        with pytest.raises(ThrottledError) if number == FREE_BY_NAME else pytest.MonkeyPatch.context():
            begin_attempt(store, stranger, at=clock())
    begin_attempt(store, attempt_of(store, "Ada Lovelace", address="192.0.2.1", device=cookie), at=clock())
    forged = [cookie.replace(cookie[-1], "g"), f"x{cookie}", ".", "", "é.é"]
    owners = {attempt_of(store, "Ada Lovelace", address="", device=each).owner for each in forged}
    assert owners == {attempt_of(store, "Ada Lovelace", address="", device="").owner}
    assert attempt_of(store, "Ben Reyes", address="", device=cookie).owner.startswith("name ")


def test_success_forgets_failures(store: Store, clock: MovedClock) -> None:
    """Whoever signs in starts again with none; their address keeps what it tried under other names."""
    attempt = attempt_of(store, "Ada Lovelace", address="203.0.113.7", device="")
    for _ in range(FREE_BY_NAME - 1):
        begin_attempt(store, attempt, at=clock())
    end_attempt(store, attempt)
    for _ in range(FREE_BY_NAME):
        begin_attempt(store, attempt, at=clock())
    with pytest.raises(ThrottledError):
        begin_attempt(store, attempt, at=clock())


def test_failures_are_kept_over_restarts_and_forgotten_in_time(
    store: Store, team_site: Site, clock: MovedClock
) -> None:
    """Another process counts on; after a day nothing is left."""
    attempt = attempt_of(store, "Ada Lovelace", address="203.0.113.7", device="")
    for _ in range(FREE_BY_NAME):
        begin_attempt(store, attempt, at=clock())
    again = Store(f"{team_site.ledger.removesuffix('.db')}.web.db")
    with pytest.raises(ThrottledError):
        begin_attempt(again, attempt, at=clock())
    again.close()
    clock.move(hours=24)
    begin_attempt(store, attempt_of(store, "Ben Reyes", address="192.0.2.1", device=""), at=clock())
    assert rows(store) == 2


def test_memory_is_bounded(store: Store, clock: MovedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many names are tried, only so many are kept."""
    monkeypatch.setattr(sign_in_throttle, "MOST_KEPT", 10)
    for number in range(30):
        clock.move(seconds=1)
        begin_attempt(store, attempt_of(store, f"Name {number}x", address=f"10.0.0.{number}", device=""), at=clock())
    assert rows(store) == 10


def rows(store: Store) -> int:
    """Return how much is kept."""
    with store.begin() as connection:
        return connection.execute(select(func.count()).select_from(sign_in_throttle._attempts)).scalar_one()
