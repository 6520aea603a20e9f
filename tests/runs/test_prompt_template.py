"""A prompt template is a text file with three placeholders; a mistake in it is told with its place."""

import hashlib
from pathlib import Path

import pytest

from plumbrule.errors import UsageError
from plumbrule.runs.prompt_template import SHIPPED_ID, load_template
from plumbrule.samples import Passage, Sample

SAMPLE = Sample(id="1", question="Which fee?", contexts=(Passage(text="first"), Passage(text="second")))


def write(folder: Path, content: str | bytes) -> Path:
    """Write a template file."""
    path = folder / "answer.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_the_shipped_template_asks_for_grounded_answers_with_marks() -> None:
    """It has a system part, numbers the passages and ends with the question."""
    template = load_template()
    prompt = template.fill(SAMPLE)
    assert template.id == SHIPPED_ID
    assert "[1] first\n\n[2] second" in prompt.user
    assert prompt.user.endswith("Which fee?")
    assert "such as [1]" in (prompt.system or "")
    assert "do not hold the answer" in (prompt.system or "")


def test_a_file_is_known_by_its_name_and_its_bytes(tmp_path: Path) -> None:
    """The hash is that of the file, so that anyone can check it; line ends and a mark of order are no text."""
    content = b"\xef\xbb\xbfUse:\r\n{contexts}\r\nQ: {question}\r\n"
    template = load_template(write(tmp_path, content))
    assert (template.id, template.sha256) == ("answer.txt", hashlib.sha256(content).hexdigest())
    prompt = template.fill(SAMPLE)
    assert (prompt.system, prompt.user) == (None, "Use:\nfirst\n\nsecond\nQ: Which fee?")


def test_a_system_part_is_marked(tmp_path: Path) -> None:
    """Placeholders may stand in it too; a blank one is none."""
    prompt = load_template(write(tmp_path, "[system]\nKnow: {contexts}\n[user]\n{question}")).fill(SAMPLE)
    assert (prompt.system, prompt.user) == ("Know: first\n\nsecond", "Which fee?")
    assert load_template(write(tmp_path, "[system]\n\n[user]\n{question}")).fill(SAMPLE).system is None


def test_what_is_missing_is_said_to_be(tmp_path: Path) -> None:
    """A blank in the prompt could be read as the next line's."""
    template = load_template(write(tmp_path, "{question}|{contexts}|{contexts_numbered}"))
    assert template.fill(Sample(id="1")).user == "(none)|(none)|(none)"


def test_other_braces_are_text(tmp_path: Path) -> None:
    """JSON around a placeholder is no placeholder."""
    template = load_template(write(tmp_path, '{"q": {question}} {} {1} {"a": 1}'))
    assert template.fill(SAMPLE).user == '{"q": Which fee?} {} {1} {"a": 1}'


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{question}\n{context}", r":2: there is no placeholder {context}; the placeholders are {question}, "),
        ("Hello.\n", r": the user's part has no {question}"),
        ("", r": the user's part has no {question}"),
        ("[system]\n{question}\n[user]\nGo.", r": the user's part has no {question}"),
        ("[system]\n{question}", r":1: after \[system\] there must be a line \[user\]"),
        ("{{question}}", r":1: {{question}}: one pair of braces is enough: {question}"),
        (b"\xff{question}", r": not a text file in UTF-8"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, content: str | bytes, problem: str) -> None:
    """File, line where there is one, and what to write."""
    with pytest.raises(UsageError, match=rf"answer\.txt{problem}"):
        load_template(write(tmp_path, content))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """One line, no traceback."""
    with pytest.raises(UsageError, match=r"none\.txt: cannot be read: No such file"):
        load_template(tmp_path / "none.txt")
