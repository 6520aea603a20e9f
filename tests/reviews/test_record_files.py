"""Records are read from an object, an array or lines, and a bad place is named."""

import gzip
from pathlib import Path

import pytest

from plumbrule.errors import InputError
from plumbrule.reviews.record_files import read_given


@pytest.mark.parametrize(
    ("name", "content", "places"),
    [
        ("a.json", b'{"a": 1}', [":1"]),
        ("a.json", b'\n\n {"a":\n 1}\n', [":1"]),
        ("a.json", b'[{"a": 1}, {"a": 2}]', [": record 1", ": record 2"]),
        ("a.json", b'{"a": 1}\n\n{"a": 2}\n', [":1", ":3"]),
        ("a.jsonl", b'{"a": 1}', [":1"]),
        ("a.jsonl", b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": 2}', [":1", ":3"]),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n{"a": 2}\n', mtime=0), [":1", ":2"]),
        ("a", b'{"a": 1}\n{"a": 2}\n', [":1", ":2"]),
    ],
)
def test_forms(tmp_path: Path, name: str, content: bytes, places: list[str]) -> None:
    """One object over many lines, an array, one object a line, packed or not, whatever the name."""
    path = tmp_path / name
    path.write_bytes(content)
    read = list(read_given(str(path)))
    assert [place for place, _ in read] == [f"{path}{place}" for place in places]
    assert [record for _, record in read] == [{"a": number} for number in range(1, len(places) + 1)]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.json", b"", ": there are no records in it"),
        ("a.jsonl", b"\n \n", ": there are no records in it"),
        ("a.json", b"[]", ": there are no records in it"),
        ("a.json", b'{"a": 1', ":1: not valid JSON"),
        ("a.json", b'{\n"a": 1,\n\n}', ":4: not valid JSON"),
        ("a.jsonl", b'{"a": 1}\n{"a"\n', ":2: not valid JSON"),
        ("a.jsonl", b'{"a": 1}\n{"a": 1, "a": 2}\n', ":2: 'a' stands twice"),
        ("a.json", b'{"scores": {"x": 1,\n "x": 2}}', ":1: 'x' stands twice"),
        ("a.jsonl", b'{"notes": "\\ud83d\\ude00"}\n{"notes": "\\ud83d"}\n', ":2: holds half of a character"),
        ("a.jsonl", b'{"a": NaN}\n', ":1: NaN is not a JSON number"),
        ("a.jsonl", b'{"a": 1}\n"\xff"\n', ":2: not valid UTF-8 (byte 2)"),
        ("a.jsonl", b"[" * 100_000, ":1: not valid JSON"),
        ("a.json", b"9" * 10_000, ":1: not valid JSON"),
        ("a.json", b"[" + b" " * 17_000_000 + b"1]", ": a JSON document of more than 16 MB"),
        ("a.jsonl", b'"' + b"x" * 17_000_000 + b'"\n', ":1: line is longer than 16 MB"),
    ],
    ids=lambda value: value[:20] if isinstance(value, bytes | str) else "",
)
def test_a_bad_place_is_named(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    """The error names file and line; a rating that stands twice is one, since one of the two would be lost."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_given(str(path)))
    assert str(caught.value).startswith(f"{path}{complaint}")
