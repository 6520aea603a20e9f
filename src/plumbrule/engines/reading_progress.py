"""How far a reading is, reported to a callback while its samples or interactions are used."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

_EVERY = 16  # samples between two reports

# Called with the number of samples so far, the bytes read and, where it is known, the size of the file in bytes.
Progress = Callable[[int, int, int | None], None]

T_co = TypeVar("T_co", covariant=True)


class PositionedReading(Protocol[T_co]):
    """A reading that knows how far it is."""

    source: str

    def __iter__(self) -> Iterator[T_co]: ...

    def position(self) -> tuple[int, int | None]:
        """Return the bytes read so far, and the size of the file where it is known."""


def with_progress(reading: PositionedReading[T_co], progress: Progress | None) -> Iterator[T_co]:
    """Yield what ``reading`` yields, and report how far it is from the first sample on."""
    if progress is None:
        yield from reading
        return
    for count, sample in enumerate(reading, 1):
        if count % _EVERY == 1:
            progress(count, *reading.position())
        yield sample
