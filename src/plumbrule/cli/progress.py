"""A progress bar, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console

from plumbrule.engines import PositionedReading, Progress, with_progress
from plumbrule.terminal import safe

T = TypeVar("T")


@contextmanager
def progress_bar(source: str, console: Console, *, unit: str = "samples") -> Iterator[Progress | None]:
    """Give the callback that draws the bar, from its first call on; None where the console is not a terminal."""
    if not console.is_terminal:
        yield None
        return
    from rich import progress as rich_progress

    bar = rich_progress.Progress(
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.TaskProgressColumn(),
        rich_progress.TextColumn(f"{{task.fields[count]}} {unit}"),
        rich_progress.TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task(safe(source), total=None, count=0)

    def show(count: int, done: int, total: int | None) -> None:
        bar.start()
        bar.update(task, completed=done, total=total, count=count)

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()


@contextmanager
def progress_over(reading: PositionedReading[T], console: Console, *, unit: str = "samples") -> Iterator[Iterator[T]]:
    """Give what ``reading`` gives; a terminal shows how far it is and how long it will take."""
    with progress_bar(reading.source, console, unit=unit) as progress:
        yield with_progress(reading, progress)
