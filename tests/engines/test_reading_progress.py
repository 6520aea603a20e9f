"""A reading reports how far it is while it is used."""

from collections.abc import Iterator

from plumbrule.engines import with_progress


class Numbers:
    """A reading of forty numbers, ten bytes each."""

    source = "numbers"

    def __init__(self) -> None:
        self._read = 0

    def __iter__(self) -> Iterator[int]:
        for number in range(40):
            self._read += 10
            yield number

    def position(self) -> tuple[int, int | None]:
        """Return the bytes so far, and all of them."""
        return self._read, 400


def test_every_sixteenth_sample_is_reported() -> None:
    """The first one too, so that a bar is drawn once something was read."""
    reports: list[tuple[int, int, int | None]] = []
    assert list(with_progress(Numbers(), lambda *report: reports.append(report))) == list(range(40))
    assert reports == [(1, 10, 400), (17, 170, 400), (33, 330, 400)]


def test_without_a_callback_nothing_is_added() -> None:
    """The samples are the same."""
    assert list(with_progress(Numbers(), None)) == list(range(40))
