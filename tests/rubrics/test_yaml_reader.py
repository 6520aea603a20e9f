"""Our own YAML is read safely and within bounds, and every fault is one line with file, line and key."""

import os
import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass
from tests.clock import LONG_S

import plumbrule.suites
from plumbrule.errors import RubricError, UsageError
from plumbrule.rubrics import load_verdict, shipped_text, yaml_reader
from plumbrule.rubrics.yaml_reader import MAX_BYTES, MAX_DEPTH, KeyFault, read_yaml
from plumbrule.runs.config_file import load_config
from plumbrule.suites import load_suite
from plumbrule.support.verifier.verifier_config import ConfigFile

PARSERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(params=PARSERS, ids=lambda parser: parser.__name__)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read with each of PyYAML's parsers."""
    monkeypatch.setattr(yaml_reader, "_PARSER", request.param)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the place of a file."""
    return tmp_path / "a.yaml"


def complaint(source: Path | str, **options: Any) -> str:
    """Return the one line that is said of a file, from its name on."""
    with pytest.raises(UsageError) as caught:
        read_yaml(source, **options)
    message = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in message
    return message.replace(f"{source.parent}/", "") if isinstance(source, Path) else message


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("", None),
        ("# nothing\n", None),
        ("---\na: 1\n...\n", {"a": 1}),
        ("[no, on, Yes, True, true, false]", ["no", "on", "Yes", "True", True, False]),
        ("[2025-01-01, 2025-01-01T10:00:00Z]", ["2025-01-01", "2025-01-01T10:00:00Z"]),
        ("[1, -2, 0x1F, 0b11, 010, 1_000, 1.5, .5, 1e5, 1.0e+3]", [1, -2, 31, 3, 8, 1000, 1.5, 0.5, "1e5", 1000.0]),
        ("[~, null, '', '~', =]", [None, None, "", "~", "="]),
        ("{a: , 'b': 'c: d', \"<<\": 1}", {"a": None, "b": "c: d", "<<": 1}),
        ("[!!str 5, !!int 5, !!float 1, !!bool true, !!null ~, !!seq [], !!map {}]", ["5", 5, 1.0, True, None, [], {}]),
        ("a: |\n  one\n  two\nb: >-\n  one\n  two\n", {"a": "one\ntwo\n", "b": "one two"}),
        ("a: 1\r\nb:\r\n  - x\r\n", {"a": 1, "b": ["x"]}),
        ("a: 'x\ty' # \t\n", {"a": "x\ty"}),
        ("a: &x {b: 1}\nc: *x\n", {"a": {"b": 1}, "c": {"b": 1}}),
        ("'': Zürich 東京\n", {"": "Zürich 東京"}),
    ],
)
def test_what_is_read(text: str, content: object) -> None:
    """Plain values, whichever parser is there; only true and false are booleans, and a date is text."""
    found = read_yaml(text).content
    assert found == content
    assert repr(found) == repr(content)


def test_both_parsers_give_what_ships(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rubric does not depend on how PyYAML was built."""
    for name in ("scorecard", "verdict"):
        found = []
        for parser in PARSERS:
            monkeypatch.setattr(yaml_reader, "_PARSER", parser)
            found.append(read_yaml(shipped_text(name)).content)
        assert found[0] == found[-1]


def test_an_alias_is_a_copy() -> None:
    """A change at one place does not show at another."""
    document = read_yaml("a: &x {b: [1]}\nc: *x\n")
    document.override("c.b.0", 2)
    assert document.content == {"a": {"b": [1]}, "c": {"b": [2]}}


def aliases(levels: int, *, merge: bool) -> str:
    """Return a text that grows tenfold with every level."""
    lines = ["a0: &a0 {x: 1}" if merge else "a0: &a0 [x]"]
    for n in range(1, levels):
        names = ", ".join([f"*a{n - 1}"] * 10)
        lines.append(f"a{n}: &a{n} {{<<: [{names}]}}" if merge else f"a{n}: &a{n} [{names}]")
    return "\n".join(lines)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a:\n  b: 1\n  c: 2\n  b: 3\n", "4: a.b: stands twice, first on line 2"),
        ("a: 1\n'a': 2\n", "2: a: stands twice, first on line 1"),
        ("a: {1: x}\n", "1: a.1: a key must be text; write it in quotes"),
        ("- ~: x\n", "1: 0.None: a key must be text; write it in quotes"),
        ("a:\n  ? [1]\n  : 2\n", "2: a.'?': a key must be text; write it in quotes"),
        ("a: {b: &b {x: 1}}\nc:\n  <<: *b\n", "3: c.'<<': merge keys are not allowed; write the keys out"),
        (aliases(9, merge=True), "2: a1.'<<': merge keys are not allowed; write the keys out"),
        (aliases(9, merge=False), "6: a5.3: more than 100,000 values, with every alias written out"),
        ("a: &a [*a]\n", "1: a.0: the alias '*a' stands inside what it names"),
        ("a: *b\n", "1: a: there is no anchor '&b' before this alias"),
        ("a: " + "[" * 100_000, f"1: a.{'.'.join('0' * (MAX_DEPTH - 1))}: nested more than 50 deep"),
        ("- " * 100_000, f"1: {'.'.join('0' * MAX_DEPTH)}: nested more than 50 deep"),
        ("a: !!int x\n", "1: a: the value does not fit its tag, !!int"),
        ("a: !!bool yes\n", "1: a: the value does not fit its tag, !!bool"),
        ("a:\n- !!timestamp x\n", "2: a.0: the tag '!!timestamp' is not allowed"),
        ("a: !!binary aGk=\n", "1: a: the tag '!!binary' is not allowed"),
        ("a: !!set {b}\n", "1: a: the tag '!!set' is not allowed"),
        ("a: !!seq {}\n", "1: a: the tag '!!seq' is not allowed"),
        ("a: !mine x\n", "1: a: the tag '!mine' is not allowed"),
        ("a: !!python/object/apply:os.system [ls]\n", "1: a: the tag '!!python/object/apply:os.system' is not allowed"),
        ("a: 0x_\n", "1: a: not a number that can be read; write it in quotes if it is text"),
        ("a: " + "9" * 5000, "1: a: a number of more than 400 characters; write it in quotes if it is text"),
        ("a: 1\n---\nb: 1\n", "2: a second document begins here; a file has one"),
        ("a: 1\nb: 'x\n\n", "2: not YAML: found unexpected end of stream"),
        ("a: 1\nb: \x00\n", "2: not YAML: the character U+0000 is not allowed"),
        ("a: 1\r\nb: \x1b[1m\n", "2: not YAML: the character U+001B is not allowed"),
        ("a: 1\n\ufeffb: 2\n", "2: not YAML: the character U+FEFF is not allowed"),
    ],
)
def test_what_is_refused(file: Path, text: str, said: str) -> None:
    """A fault of the text is named by file, line and key, soon and in little memory."""
    file.write_text(text, encoding="utf-8", newline="")
    began = time.thread_time()
    assert complaint(file) == f"a.yaml:{said}"
    assert time.thread_time() - began < 20


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text", ["a: [", "a: b: c", "{a: 1]", "a: 1\n\tb: 2\n", "%YAML 3.0\n---\na: 1\n", "@a", "a: 'b' c"]
)
def test_what_is_not_yaml(file: Path, text: str) -> None:
    """What the parser says of it is passed on, with a line that the file has."""
    file.write_text(text, encoding="utf-8")
    message = complaint(file)
    assert message.startswith(("a.yaml:1: not YAML: ", "a.yaml:2: not YAML: "))
    assert int(message.split(":")[1]) <= len(text.splitlines())


def test_too_many_values(file: Path) -> None:
    """The limit counts values that are written out too."""
    file.write_text("- a\n" * 100_000)
    assert complaint(file) == "a.yaml:100000: 99999: more than 100,000 values, with every alias written out"


def test_a_lone_surrogate() -> None:
    """A setting from the command line may hold bytes that are no text."""
    said = "override 'a': not YAML: the character U+DC80 is not allowed"
    assert complaint("x\udc80", where="override 'a'") == said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfea\x00", "not a text file in UTF-8; a rubric is a YAML file"),
        (b"a: \xe9\n", "not a text file in UTF-8; a rubric is a YAML file"),
        (b"#" * (MAX_BYTES + 1), "larger than 1,048,576 bytes; a rubric is a YAML file"),
        (b"", "a rubric is a mapping of keys to values"),
        (b"- a\n", "a rubric is a mapping of keys to values"),
    ],
)
def test_a_file_that_is_none(file: Path, content: bytes, said: str) -> None:
    """No text, too much of it, or no mapping where one is needed."""
    file.write_bytes(content)
    assert complaint(file, mapping="a rubric").removeprefix("a.yaml:").removeprefix("1:").strip() == said


def test_a_byte_order_mark_is_no_content(file: Path) -> None:
    """Some editors put it first."""
    file.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_yaml(file).content == {"a": 1}
    file.write_bytes(b"a: " + b"x" * (MAX_BYTES - 3))
    assert len(read_yaml(file).content["a"]) == MAX_BYTES - 3


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    """A folder, nothing, and a name that no file has."""
    assert complaint(tmp_path).endswith(": cannot be read: Is a directory")
    assert complaint(tmp_path / "none.yaml") == "none.yaml: cannot be read: No such file or directory"
    assert complaint(tmp_path / "a\0b").endswith(": cannot be read: embedded null byte")


def test_a_device_without_end() -> None:
    """No more is read than is allowed."""
    assert complaint(Path("/dev/zero")) == "zero: larger than 1,048,576 bytes"
    assert read_yaml(Path("/dev/null")).content is None


def test_a_pipe(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read where somebody writes to it; nobody is waited for without end."""
    monkeypatch.setattr(yaml_reader, "MAX_WAIT_S", LONG_S)
    os.mkfifo(file)
    assert complaint(file, mapping="a rubric") == "a.yaml:1: a rubric is a mapping of keys to values"

    def write() -> None:
        written = 0
        while not written:
            with suppress(BrokenPipeError):  # the reader had looked, and left before anything was written
                written = file.write_text("a: 1\n" + "#" * 200_000)

    writer = threading.Thread(target=write)
    writer.start()
    content = None
    while content is None:  # until the writer is there
        content = read_yaml(file).content
    writer.join()
    assert content == {"a": 1}


def test_a_pipe_that_stays_silent(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that writes nothing does not hold the reader up."""
    monkeypatch.setattr(yaml_reader, "MAX_WAIT_S", 0.05)
    os.mkfifo(file)
    end = os.open(file, os.O_RDWR)
    assert complaint(file) == "a.yaml: nothing more came from it in 0.05 s"
    os.close(end)


def _check_even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


def _check_names(whole: "Whole") -> "Whole":
    for part in whole.parts:
        if part.name == "bad":
            raise KeyFault("parts.bad.name", "is no name")
    return whole


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Text:
    """One choice; a field has the name of the other's tag."""

    kind: Literal["text"]
    number: str


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Number:
    """The other choice."""

    kind: Literal["number"]
    number: Annotated[int, Field(strict=True), AfterValidator(_check_even)]


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Part:
    """An item of a list."""

    name: str
    value: Annotated[Text | Number, Field(discriminator="kind")] | None = None


@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Whole:
    """A form with everything that our forms have."""

    title: Annotated[str, Field(min_length=1)]
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]
    table: dict[Annotated[str, Field(max_length=3)], Part] | None = None
    choice: Literal["all"] | tuple[Part, ...] = "all"
    mode: Literal["a", "b"] = "a"
    on: bool = False


WHOLE: TypeAdapter[Whole] = TypeAdapter(Annotated[Whole, AfterValidator(_check_names)])
GOOD = "title: t\nparts:\n- name: n\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD + "titel: x\n", "4: titel: unknown key; did you mean 'title'?"),
        (GOOD + "zzz: x\n", "4: zzz: unknown key; known are title, parts, table, choice, mode, on"),
        ("titel: x\nparts:\n- name: n\n", "1: titel: unknown key; did you mean 'title'? (and 1 more)"),
        ("parts:\n- name: n\n", "1: title: missing key"),
        ("title: 5\nparts:\n- name: n\n", '1: title: must be text; write it in quotes, as "5"'),
        ("title: ''\nparts:\n- name: [n]\n", "1: title: must have at least 1 character, not '' (and 1 more)"),
        ("title: t\nparts: []\n", "2: parts: must name at least one"),
        ("title: t\nparts: x\n", "2: parts: must be a list, in [ ]"),
        ("title: t\nparts: [x]\n", "2: parts.0: must be a mapping of keys to values"),
        (GOOD + "- nam: n\n", "4: parts.1.nam: unknown key; did you mean 'name'? (and 1 more)"),
        (GOOD + "  value: {kind: tex}\n", "4: parts.0.value.kind: must be one of 'text', 'number', not 'tex'"),
        (GOOD + "  value: {number: 1}\n", "4: parts.0.value.kind: missing key"),
        (GOOD + "  value:\n    kind: number\n    number: x\n", "6: parts.0.value.number: must be an integer, not 'x'"),
        (GOOD + "  value:\n    kind: number\n    number: 3\n", "6: parts.0.value.number: must be even, not 3"),
        (
            GOOD + "  value:\n    kind: number\n    numbr: 3\n",
            "6: parts.0.value.numbr: unknown key; did you mean 'numb",
        ),
        (GOOD + "table: {x: {nam: 1}}\n", "4: table.x.nam: unknown key; did you mean 'name'?"),
        (GOOD + "table:\n  xxxx: {name: n}\n", "5: table.xxxx: must have at most 3 characters, not 'xxxx'"),
        (GOOD + "choice:\n- name: n\n- name: 1\n", "6: choice.1.name: must be text; write it in quotes"),
        (GOOD + "choice:\n- name: n\n  nam: 1\n", "6: choice.0.nam: unknown key; did you mean 'name'?"),
        (GOOD + "on: maybe\n", "4: on: must be true or false, not 'maybe'"),
        (GOOD + "mode: c\n", "4: mode: must be 'a' or 'b', not 'c'"),
        (GOOD + "- name: bad\n", "4: parts.bad.name: is no name"),
        (GOOD + '"a\\nb": x\n', "4: 'a\\nb': unknown key"),
    ],
)
def test_a_value_that_does_not_fit(file: Path, text: str, said: str) -> None:
    """The typed form's faults are told with file, line and key, what is wrong and what is allowed."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RubricError) as caught:
        read_yaml(file).validate(WHOLE)
    assert str(caught.value).startswith(f"{file}:{said}")
    assert "\n" not in str(caught.value)


def test_a_secret_is_not_quoted(file: Path) -> None:
    """Where text may be a secret, only numbers and what stands for a known word are shown."""
    file.write_text(GOOD + "  value: {kind: number, number: hush}\n")
    with pytest.raises(UsageError, match=r"number: must be an integer$"):
        read_yaml(file, secrets=True).validate(WHOLE)


@pytest.mark.parametrize(
    ("dotted", "value", "said"),
    [
        ("mode", "c", ": override mode: must be 'a' or 'b', not 'c'"),
        ("parts.0", {"nam": "x"}, ": override parts.0.nam: unknown key; did you mean 'name'?"),
        ("title", "x", ":4 (with --set title): zzz: unknown key"),
    ],
)
def test_an_override_is_named(file: Path, dotted: str, value: object, said: str) -> None:
    """A fault in an override is not blamed on a line; one beside it names the overrides that were in force."""
    file.write_text(GOOD + ("mode: a\n" if "zzz" not in said else "zzz: 1\n"))
    document = read_yaml(file)
    document.override(dotted, value)
    with pytest.raises(RubricError) as caught:
        document.validate(WHOLE)
    assert str(caught.value).startswith(f"{file}{said}")


@pytest.mark.parametrize("dotted", ["b", "a.c", "a.b.c", "l.1", "l.-1", "l.x", "l.0.x", ""])
def test_an_override_of_no_key(dotted: str) -> None:
    """It sets what there is, or what a mapping may take in."""
    with pytest.raises(KeyError):
        read_yaml("a: {b: 1}\nl: [1]").override(dotted, 2)
    document = read_yaml("a: {b: 1}\nl: [1]")
    document.override("x.y", 2, add=True)
    assert document.content["x"] == {"y": 2}


def _suite(path: Path) -> None:
    for shipped in Path(plumbrule.suites.__file__).parent.glob("*.yaml"):
        shutil.copy(shipped, path.parent)
    load_suite(path.parent)


@pytest.mark.parametrize(
    ("name", "text", "read", "said"),
    [
        (
            "mine.yaml",
            "version: mine\nhallucination:\n  drift:\n    ngram: 9\n",
            load_verdict,
            "4: hallucination.drift.ngram: must be less than or equal to 8, not 9",
        ),
        (
            "run.yaml",
            "name: qa\ndataset:\n  path: a.jsonl\n  idd: a\ncandidate: {kind: recorded}\njudge: {kind: rules}\n",
            load_config,
            "4: dataset.idd: unknown key; did you mean 'id'? (and 1 more)",
        ),
        (
            "verifier.yaml",
            "name: v\nhead:\n  lables: [a]\n",
            ConfigFile,
            "3: head.lables: unknown key; did you mean 'labels'? (and 9 more)",
        ),
        (
            "own.yaml",
            "name: own\ntrace:\n  serched: any\n",
            _suite,
            "3: trace.serched: unknown key; did you mean 'searched'? (and 9 more)",
        ),
    ],
)
def test_every_kind_of_file(tmp_path: Path, name: str, text: str, read: Callable[[Path], object], said: str) -> None:
    """A rubric, a run configuration, a verifier and a suite name file, line and key alike."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{said}")


@pytest.mark.parametrize("read", [load_verdict, load_config, ConfigFile])
@pytest.mark.parametrize("source", ["/dev/zero", "bomb.yaml", "fifo"])
def test_no_kind_of_file_is_read_without_end(tmp_path: Path, read: Callable[[Path], object], source: str) -> None:
    """The bounds hold wherever a file is named by the user."""
    (tmp_path / "bomb.yaml").write_text(aliases(9, merge=True))
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(UsageError):
        read(tmp_path / source)
