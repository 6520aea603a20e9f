"""What was made is kept while it is new, and while there is room."""

import threading

import pytest

from plumbrule.web.bounded_cache import BoundedCache


def test_what_is_as_new_as_its_source_is_made_once() -> None:
    """Another stamp makes it again."""
    made: list[int] = []
    cache: BoundedCache[int] = BoundedCache(most=10)

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [cache.get("a", 1, make), cache.get("a", 1, make), cache.get("a", 2, make)] == [0, 0, 1]


def test_the_longest_unused_goes_when_there_is_no_room() -> None:
    """The weights of what is kept stay within the bound; one that is too heavy alone is still given."""
    cache: BoundedCache[str] = BoundedCache(most=4, weigh=len)
    for key in ("aa", "bb"):
        cache.get(key, 0, lambda key=key: key)  # type: ignore[misc]
    cache.get("aa", 0, lambda: pytest.fail("it was kept"))
    assert cache.get("cc", 0, lambda: "cc") == "cc"
    cache.get("aa", 0, lambda: pytest.fail("it was used last"))
    assert cache.get("bb", 0, lambda: "made again") == "made again"


def test_a_failure_is_not_kept() -> None:
    """What could not be made is made when it is asked for again."""
    cache: BoundedCache[int] = BoundedCache(most=4)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", 0, lambda: 1 // 0)
    assert cache.get("a", 0, lambda: 7) == 7


def test_two_who_ask_at_a_time_share_one() -> None:
    """The second waits for what the first makes."""
    cache: BoundedCache[object] = BoundedCache(most=4)
    begun, go = threading.Event(), threading.Event()
    found: list[object] = []

    def make() -> object:
        begun.set()
        assert go.wait(300)
        return object()

    threads = [threading.Thread(target=lambda: found.append(cache.get("a", 0, make))) for _ in range(2)]
    threads[0].start()
    assert begun.wait(300)
    threads[1].start()
    go.set()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
