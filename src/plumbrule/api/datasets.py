"""Datasets for Python callers and the command line: what a file holds, and what is wrong with it."""

from collections.abc import Callable

from plumbrule.engines import Progress, with_progress
from plumbrule.errors import RecordError
from plumbrule.samples import DatasetCheck, DatasetFile, check_samples


def validate_file(
    dataset: DatasetFile, *, on_bad: Callable[[RecordError], None] | None = None, progress: Progress | None = None
) -> DatasetCheck:
    """Read a whole dataset, say which fields were understood and from where, and list every bad record.

    With ``on_bad`` each bad record is handed over instead, so that memory does not grow with them.
    """
    bad: list[RecordError] = []
    reading = dataset.open(on_bad=on_bad or bad.append)
    return check_samples(with_progress(reading, progress), reading, bad)
