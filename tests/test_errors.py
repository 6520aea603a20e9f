"""The error tree: every error a user can meet has its exit code and one line."""

import inspect
import pickle

import pytest

from plumbrule import errors
from plumbrule.errors import (
    EvaluationError,
    InputError,
    InterruptedRunError,
    MissingExtraError,
    PlumbruleError,
    RecordError,
    RubricError,
    UsageError,
)

EXIT_CODES = {
    PlumbruleError: 2,
    UsageError: 2,
    RubricError: 2,
    MissingExtraError: 2,
    InputError: 3,
    RecordError: 3,
    EvaluationError: 4,
    InterruptedRunError: 130,
}


def test_every_error_has_its_exit_code() -> None:
    """2 for usage and configuration, 3 for input that cannot be read, 4 for what could not be completed."""
    found = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, PlumbruleError)]
    assert {each: each.exit_code for each in found} == EXIT_CODES


def test_the_tree_is_drawn_in_the_docstring() -> None:
    """Each error stands in the drawing, with its exit code."""
    for error, code in EXIT_CODES.items():
        [line] = [line for line in (errors.__doc__ or "").splitlines() if error.__name__ in line]
        assert error is PlumbruleError or f" {code} " in line


def test_a_record_error_names_its_place() -> None:
    """The message begins with file and line, as editors and compilers write it."""
    error = RecordError("answer is null", source="data.jsonl", line=7)
    assert str(error) == "data.jsonl:7: answer is null"
    assert (error.reason, error.line) == ("answer is null", 7)


def test_a_record_of_a_format_without_lines_has_a_number() -> None:
    """Parquet and Python have records, not lines."""
    error = RecordError("answer is null", source="data.parquet", line=7, unit="record")
    assert str(error) == "data.parquet: record 7: answer is null"


def test_a_record_error_crosses_processes() -> None:
    """A worker's error arrives as it left."""
    error = RecordError("answer is null", source="data.jsonl", line=7)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (str(again), again.reason, again.line) == (str(error), error.reason, error.line)


def test_a_missing_extra_says_what_to_install() -> None:
    """The command to mend it stands in the message."""
    assert str(MissingExtraError(need="reading Parquet", extra="parquet")) == (
        "reading Parquet needs an extra: pip install 'plumbrule[parquet]'"
    )


@pytest.mark.parametrize("error", [UsageError, RubricError, InputError])
def test_one_except_clause_catches_all(error: type[PlumbruleError]) -> None:
    """Callers can catch every error of Plumbrule by its root."""
    with pytest.raises(PlumbruleError):
        raise error("x")
