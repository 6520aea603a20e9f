"""A view is made once and kept while it holds: in memory, and in the store over a restart."""

import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text

from plumbrule.ledger import Ledger, open_ledger
from plumbrule.web import kept_views
from plumbrule.web.kept_views import BeingMadeError, KeptViews, View, newest
from plumbrule.web.open_ledgers import OpenLedgers
from plumbrule.web.web_store import Store, store_address

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
LONG_S = 60.0  # a limit that only ends a test that hangs


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What the views of these tests show."""

    count: int
    subjects: tuple[str, ...]


class Making:
    """Makes the views of a test, and counts how often; a closed gate keeps it waiting."""

    def __init__(self) -> None:
        self.times = 0
        self.gate = threading.Event()
        self.gate.set()

    def __call__(self, ledger: Ledger) -> Notes:
        """Return how many notes there are."""
        self.times += 1
        assert self.gate.wait(LONG_S)
        found = tuple(entry.subject for entry in ledger.entries(kind="note"))
        return Notes(count=len(found), subjects=found)

    def view(self, name: str = "notes", weight: int = 1) -> View[Notes]:
        """Return the view that this makes."""
        kinds = partial(newest, kinds=("note",))
        return View(name=name, kind=Notes, stamp=kinds, make=self, weigh=lambda _: weight)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a new ledger."""
    address = f"sqlite:///{tmp_path}/ledger.db"
    with open_ledger(address, at=AT):
        return address


Start = Callable[..., KeptViews]


@pytest.fixture
def start(address: str) -> Iterator[Start]:
    """Give what starts an application's views over the ledger, with a store of their own connection."""
    parts: list[tuple[KeptViews, OpenLedgers, Store]] = []

    def begin(**given: float) -> KeptViews:
        ledgers, store = OpenLedgers(), Store(store_address(address))
        views = KeptViews(ledgers, address, store, **{"keep_from_s": 0.0, **given})  # type: ignore[arg-type]
        parts.append((views, ledgers, store))
        return views

    yield begin
    for views, ledgers, store in parts:
        views.close()
        ledgers.close()
        store.close()


def add(address: str, kind: str, subject: str = "x") -> None:
    """Append an entry."""
    with open_ledger(address) as ledger:
        ledger.append(kind, subject, {}, "Ana", at=AT)


def test_it_is_made_again_only_for_a_new_entry_of_its_kinds(address: str, start: Start) -> None:
    """A second request computes nothing; entries of other kinds change nothing; one of its own does."""
    views, making = start(), Making()
    assert [views.get(making.view()).value.count for _ in range(2)] == [0, 0]
    add(address, "alert")
    assert (views.get(making.view()).value.count, making.times) == (0, 1)
    add(address, "note")
    made = views.get(making.view())
    assert (made.value, made.upto, making.times) == (Notes(count=1, subjects=("x",)), 2, 2)


def test_several_who_ask_at_a_time_share_one_making(start: Start) -> None:
    """A view is made once, however many wait for it."""
    views, making = start(), Making()
    making.gate.clear()
    found: list[Notes] = []
    threads = [threading.Thread(target=lambda: found.append(views.get(making.view()).value)) for _ in range(5)]
    for thread in threads:
        thread.start()
    making.gate.set()
    for thread in threads:
        thread.join()
    assert (len(found), len(set(map(id, found))), making.times) == (5, 1, 1)


def test_whoever_has_no_patience_is_told_that_it_is_being_made(address: str, start: Start) -> None:
    """The first view is not waited for; later the older one is shown, and says what it was made from."""
    views, making = start(), Making()
    making.gate.clear()
    with pytest.raises(BeingMadeError):
        views.get(making.view(), patience_s=0.0)
    making.gate.set()
    assert views.get(making.view()).upto == -1
    making.gate.clear()
    add(address, "note")
    old = views.get(making.view(), patience_s=0.0)
    assert (old.value.count, old.upto) == (0, -1)
    making.gate.set()
    assert views.get(making.view()).value.count == 1


def test_why_a_view_cannot_be_made_is_told_to_whoever_asks_next(start: Start) -> None:
    """Else its page would be worked out for ever. It is told once: whoever asks after that has the view made again."""
    views, making, fails = start(), Making(), True

    def make(ledger: Ledger) -> Notes:
        notes = making(ledger)
        if fails:
            raise ValueError("of two datasets")
        return notes

    view = replace(making.view(), make=make)
    making.gate.clear()
    with pytest.raises(BeingMadeError):
        views.get(view, patience_s=0.0)
    making.gate.set()
    told: Exception = BeingMadeError()
    while isinstance(told, BeingMadeError):
        with pytest.raises((BeingMadeError, ValueError)) as raised:
            views.get(view, patience_s=0.0)
        told = raised.value
    assert (str(told), making.times) == ("of two datasets", 1)
    with pytest.raises(ValueError, match="of two datasets"):  # who waits is told as well, and nobody after them
        views.get(view)
    fails = False
    assert (views.get(view).value.count, making.times) == (0, 3)


def test_a_view_survives_a_restart(address: str, start: Start) -> None:
    """What one process made is not made by the next one, unless the ledger has something newer."""
    making = Making()
    add(address, "note")
    made = start().get(making.view())
    again = start().get(making.view())
    assert (again, making.times) == (made, 1)
    add(address, "note", "y")
    assert (start().get(making.view()).value.subjects, making.times) == (("x", "y"), 2)


def test_many_rows_are_read_back_a_few_at_a_time(address: str, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view with many rows comes back whole from the store, though it is kept in pieces; one without rows, too."""
    monkeypatch.setattr(kept_views, "_AT_ONCE", 2)
    making = Making()
    view = replace(making.view(), rows="subjects")
    assert start().get(view).value == start().get(view).value == Notes(count=0, subjects=())
    for number in range(5):
        add(address, "note", f"{number}")
    made = start().get(view)
    assert (start().get(view), making.times) == (made, 2)
    assert made.value.subjects == ("0", "1", "2", "3", "4")


@pytest.mark.parametrize(
    "change",
    [
        "content = X'00'",
        "content = (SELECT content FROM web_views WHERE name = 'other')",
        "signature = ''",
        "code = 'of another version'",
    ],
)
def test_a_view_in_the_store_that_is_not_the_one_that_was_kept_is_made_again(
    address: str, start: Start, change: str
) -> None:
    """A broken one, one that somebody put there, and one of another version of the code are not shown."""
    making, other = Making(), Making()
    views = start()
    views.get(other.view("other"))
    add(address, "note")
    made = views.get(making.view())
    store = Store(store_address(address))
    with store.begin() as connection:
        connection.execute(text(f"UPDATE web_views SET {change} WHERE name = 'notes'"))  # noqa: S608 - from above
    store.close()
    assert (start().get(making.view()), making.times) == (made, 2)


def test_what_cannot_be_read_back_as_it_is_stays_in_memory(start: Start) -> None:
    """A number that JSON does not have would come back as another: such a view is not kept in the store."""
    endless: View[tuple[float, ...]] = View(
        name="endless", kind=tuple[float | None, ...], stamp=partial(newest, kinds=("note",)), make=lambda _: (1e999,)
    )
    assert start().get(endless).value == (1e999,)
    assert start().get(replace(endless, make=lambda _: (2.0,))).value == (2.0,)


def test_quick_views_are_not_kept_in_the_store(start: Start) -> None:
    """Writing them would cost more than making them."""
    making = Making()
    start(keep_from_s=LONG_S).get(making.view())
    start().get(making.view())
    assert making.times == 2


def test_the_longest_unused_goes_when_there_is_no_room(start: Start) -> None:
    """Memory does not grow with the number of views; one that is too heavy alone is still given."""
    views, making = start(most_weight=4, keep_from_s=LONG_S), Making()
    for name in ("a", "b", "a", "c", "a"):  # b goes for c
        views.get(making.view(name, weight=2))
    assert making.times == 3
    views.get(making.view("b", weight=5))
    assert making.times == 4


def test_the_store_does_not_grow_without_bound(start: Start) -> None:
    """The oldest views go where there is no room for a new one."""
    making, first = Making(), start()
    first.get(making.view("a"))
    with first._store.begin() as connection:
        size = connection.execute(text("SELECT size FROM web_views")).scalar_one()
    views = start(most_bytes=2 * size)
    for name in ("b", "c"):
        views.get(making.view(name))
    with first._store.begin() as connection:
        kept = connection.execute(text("SELECT name FROM web_views ORDER BY number")).scalars().all()
    assert kept == ["b", "c"]


def test_a_failure_is_not_kept(start: Start) -> None:
    """Who asked is told, and what could not be made is made when it is asked for again."""
    views, making = start(), Making()

    def fail(_: Ledger) -> Notes:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        views.get(replace(making.view(), make=fail))
    assert views.get(making.view()).value.count == 0


def test_a_heavy_view_is_set_aside_from_the_search_for_garbage(address: str, start: Start) -> None:
    """A search for garbage does not walk through what is kept of a large run; it does through a small view."""
    views, making = start(), Making()
    add(address, "note")
    before = gc.get_freeze_count()
    light = views.get(making.view("light", weight=100))
    assert any(each is light for each in gc.get_objects())
    heavy = views.get(making.view("heavy", weight=1_000))
    assert gc.get_freeze_count() > before
    assert not any(each is heavy for each in gc.get_objects())
