"""A progress bar over a reading, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Protocol, TypeVar

from rich.console import Console

from plumbrule.terminal import safe

_EVERY = 16

T_co = TypeVar("T_co", covariant=True)


class Watched(Protocol[T_co]):
    """A reading that knows how far it is."""

    source: str

    def __iter__(self) -> Iterator[T_co]: ...

    def position(self) -> tuple[int, int | None]:
        """Return what was read so far, and all there is where known, in bytes."""


@contextmanager
def progress_over(reading: Watched[T_co], console: Console, *, unit: str = "samples") -> Iterator[Iterator[T_co]]:
    """Give what ``reading`` gives; a terminal shows how far it is and how long it will take."""
    samples: Iterator[T_co] = iter(reading)
    if not console.is_terminal:
        yield samples
        return
    samples = chain(list(islice(samples, 1)), samples)  # a file that cannot be read is said before a bar is drawn
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(f"{{task.fields[count]}} {unit}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(safe(reading.source), total=None, count=0)

        def watched() -> Iterator[T_co]:
            for count, sample in enumerate(samples, 1):
                if count % _EVERY == 1:
                    done, total = reading.position()
                    progress.update(task, completed=done, total=total, count=count)
                yield sample

        yield watched()
