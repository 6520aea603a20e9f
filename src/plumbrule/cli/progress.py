"""A progress bar over a reading, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice

from rich.console import Console

from plumbrule.hostile import safe
from plumbrule.samples import Reading, Sample

_EVERY = 16


@contextmanager
def progress_over(reading: Reading, console: Console) -> Iterator[Iterator[Sample]]:
    """Give the samples of ``reading``; a terminal shows how far it is and how long it will take."""
    samples: Iterator[Sample] = iter(reading)
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
        TextColumn("{task.fields[count]} samples"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(safe(reading.source), total=None, count=0)

        def watched() -> Iterator[Sample]:
            for count, sample in enumerate(samples, 1):
                if count % _EVERY == 1:
                    done, total = reading.position()
                    progress.update(task, completed=done, total=total, count=count)
                yield sample

        yield watched()
