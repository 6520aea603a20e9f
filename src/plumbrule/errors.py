"""The errors a user can meet, each with the exit code that the command line gives it.

::

    PlumbruleError
    ├── UsageError             2  an option, a path or a combination that cannot work
    │   └── RubricError        2  a rubric file that is not a rubric
    ├── InputError             3  input data that cannot be read
    │   └── RecordError        3  one record of it, with its place in the file
    ├── MissingExtraError      2  a part that is installed separately
    └── EvaluationError        4  an evaluation that could not be completed
        └── InterruptedRunError 130  one that was interrupted, and can be gone on with
"""

from functools import partial
from typing import ClassVar, Literal


class PlumbruleError(Exception):
    """A problem that the user can mend: its message says what, where and what to do, on one line."""

    exit_code: ClassVar[int] = 2


class UsageError(PlumbruleError):
    """An option, a path or a combination of them that cannot work."""


class RubricError(UsageError):
    """A rubric file, or an override of one, that does not follow its form."""


class InputError(PlumbruleError):
    """Input data that cannot be read."""

    exit_code = 3


class RecordError(InputError):
    """One record that cannot be read; ``line`` is its line, or its number where the format has no lines."""

    def __init__(self, reason: str, *, source: str, line: int, unit: Literal["line", "record"] = "line") -> None:
        where = f"{source}:{line}" if unit == "line" else f"{source}: record {line}"
        super().__init__(f"{where}: {reason}")
        self.reason = reason
        self.line = line
        self._remake = partial(RecordError, reason, source=source, line=line, unit=unit)

    def __reduce__(self) -> tuple[object, ...]:
        return self._remake, ()  # pickled by its parts: it crosses from worker to worker


class EvaluationError(PlumbruleError):
    """An evaluation that could not be completed, through no fault of the input."""

    exit_code = 4


class InterruptedRunError(EvaluationError):
    """A run that was interrupted: what it finished is kept, and it can be gone on with."""

    exit_code = 130


class MissingExtraError(PlumbruleError):
    """A part of Plumbrule that is installed separately and is not here."""

    def __init__(self, *, need: str, extra: str) -> None:
        super().__init__(f"{need} needs an extra: pip install 'plumbrule[{extra}]'")
        self._remake = partial(MissingExtraError, need=need, extra=extra)

    def __reduce__(self) -> tuple[object, ...]:
        return self._remake, ()  # as above
