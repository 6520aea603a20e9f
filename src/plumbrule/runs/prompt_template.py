"""What a chat model is asked: a template from a text file, filled in with a question and its contexts.

The placeholders are ``{question}``, ``{contexts}`` (the texts, a blank line between them) and ``{contexts_numbered}``
(each text after its ``[N]``). Any other word in braces is a mistake; braces around anything else are plain text. A
file whose first line is ``[system]`` has a system part, up to the line ``[user]``; any other file is the user's part.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from plumbrule.errors import UsageError
from plumbrule.files import read_file
from plumbrule.samples.sample_model import Sample
from plumbrule.text import templates
from plumbrule.text.templates import or_none

PLACEHOLDERS = ("question", "contexts", "contexts_numbered")
SHIPPED_ID = "plumbrule-answer"

_LARGEST = 1 << 20  # bytes
_SHIPPED_FILE = "answer_template.txt"
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_DOUBLED = re.compile(r"\{(\{[A-Za-z_]\w*\})\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is sent to a model for one sample."""

    system: str | None
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """A template cut at its placeholders; ``sha256`` is over the bytes of its file."""

    id: str
    sha256: str
    system: tuple[str, ...] | None
    user: tuple[str, ...]

    def fill(self, sample: Sample) -> Prompt:
        """Return the prompt for a sample; nothing of the sample is read as template."""
        texts = [passage.text for passage in sample.contexts]
        inputs = {
            "question": or_none(sample.question),
            "contexts": or_none("\n\n".join(texts)),
            "contexts_numbered": or_none(
                "\n\n".join(f"[{number}] {text}" for number, text in enumerate(texts, start=1))
            ),
        }
        system = None if self.system is None else templates.fill(self.system, inputs)
        return Prompt(system=system, user=templates.fill(self.user, inputs))


def load_template(path: Path | None = None) -> PromptTemplate:
    """Return the template in the file at ``path``, which gives it its name; without a path, the one that ships."""
    if path is None:
        content = resources.files("plumbrule.runs").joinpath(_SHIPPED_FILE).read_bytes()
        return _parse(content, name=_SHIPPED_FILE, id_=SHIPPED_ID)
    try:
        content = read_file(path, most=_LARGEST)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    return _parse(content, name=str(path), id_=path.name)


def _parse(content: bytes, *, name: str, id_: str) -> PromptTemplate:
    try:
        lines = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        raise UsageError(f"{name}: not a text file in UTF-8") from None
    for number, line in enumerate(lines, start=1):
        _check(line, f"{name}:{number}")
    system: tuple[str, ...] | None = None
    if lines[0].strip() == "[system]":
        marks = [number for number, line in enumerate(lines) if line.strip() == "[user]"]
        if not marks:
            raise UsageError(f"{name}:1: after [system] there must be a line [user], with the user's part below it")
        above, lines = lines[1 : marks[0]], lines[marks[0] + 1 :]
        system = _cut(above) if any(line.strip() for line in above) else None
    user = _cut(lines)
    if "question" not in user[1::2]:
        raise UsageError(f"{name}: the user's part has no {{question}}: write it where the question shall stand")
    return PromptTemplate(id=id_, sha256=hashlib.sha256(content).hexdigest(), system=system, user=user)


def _check(line: str, where: str) -> None:
    doubled = _DOUBLED.search(line)
    if doubled:
        raise UsageError(f"{where}: {doubled[0]}: one pair of braces is enough: {doubled[1]}")
    unknown = [word for word in _PLACEHOLDER.findall(line) if word not in PLACEHOLDERS]
    if unknown:
        known = ", ".join(f"{{{word}}}" for word in PLACEHOLDERS)
        raise UsageError(f"{where}: there is no placeholder {{{unknown[0]}}}; the placeholders are {known}")


def _cut(lines: Sequence[str]) -> tuple[str, ...]:
    return templates.cut("\n".join(lines).strip("\n"), _PLACEHOLDER)
