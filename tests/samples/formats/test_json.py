"""One JSON document may be an array, an object around one, a single sample, or JSON Lines after all."""

from collections.abc import Callable
from typing import Any

import pytest

from plumbrule.errors import InputError

Read = Callable[..., Any]


@pytest.mark.parametrize(
    "content",
    [
        '[{"answer": "1"}, {"answer": "2"}]',
        '\ufeff\n [\n{"answer": "1"},\n{"answer": "2"}\n]\n',
        '{"results": [{"answer": "1"}, {"answer": "2"}], "metrics": {"a": [1]}}',
        '{"about": {"x": [1, {}]}, "samples": [{"answer": "1"}, {"answer": "2"}]}',
        '{\n"data": [{"answer": "1"}, {"answer": "2"}]}',
        '{"examples": [{"answer": "1"}, {"answer": "2"}]}\n\n',
        '{"answer": "1"}\n\n{"answer": "2"}\n',
        '{\n "answer": "1"\n}\n{\n "answer": "2"\n}',
    ],
)
def test_samples_are_found(read: Read, content: str) -> None:
    """The samples come out in order from every shape of document."""
    assert [sample.answer for sample in read("a.json", content).samples] == ["1", "2"]


@pytest.mark.parametrize("content", ['{"answer": "1"}', '{\n"answer": "1", "data": [{"answer": "no"}]}'])
def test_a_single_sample(read: Read, content: str) -> None:
    """An object with an answer is one sample, whatever lists it holds besides."""
    assert [sample.answer for sample in read("a.json", content).samples] == ["1"]


def test_lines_in_a_json_file_are_told_by_line(read: Read) -> None:
    """JSON Lines under the suffix .json are read as such, with line numbers."""
    outcome = read("a.json", '\n{"answer": "1"}\n\n{"answer": null}\n')

    assert outcome.reading.format == "jsonl"
    assert [line for line, _ in outcome.complaints] == [4]


def test_bad_records_are_told_by_number(read: Read) -> None:
    """Records of an array are numbered from one; a value that is no object is a bad record."""
    outcome = read("a.json", '[{"answer": "1"}, 3, {"answer": null}, {"id": "a", "answer": "1"}, {"id": "a"}]')

    assert [number for number, _ in outcome.complaints] == [2, 3, 5]
    assert outcome.complaints[0][1] == "a sample must be a JSON object, not a number"


def test_numbers_stay_numbers(read: Read) -> None:
    """Numbers are plain floats and ints, never decimals."""
    [sample] = read("a.json", '[{"answer": "1", "metadata": {"a": 1.5, "b": 2}}]').samples

    assert sample.metadata == {"a": 1.5, "b": 2}
    assert type(sample.metadata["a"]) is float


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'[{"answer": "1"}', "the document ends early, after record 1"),
        (b'[{"answer": "1"}, {"answer": NaN}]', "NaN and Infinity are not JSON numbers"),
        (b'[{"answer": "1"}, {"answer": 1e999}]', "a number is too large"),
        (b'[{"answer": "\xff"}]', "not valid UTF-8"),
        (b'[{"answer": "1"}] x', "not valid JSON"),
        (b'[{"metadata": ' + b'{"a":' * 50_000, "nested more than 100 levels deep"),
        (b'[{"answer": "' + b"x" * 20_000_000 + b'"}]', "record 1 is longer than 16 MB"),
        (b'{"results": [{"answer": "1"}, {"answer": "' + b"x" * 20_000_000, "record 2 is longer than 16 MB"),
    ],
)
def test_a_broken_document_is_one_error(read: Read, content: bytes, words: str) -> None:
    """What comes after a break in a document cannot be told, so it ends the reading."""
    with pytest.raises(InputError) as caught:
        read("a.json", content)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
