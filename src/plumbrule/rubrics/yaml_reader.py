"""The one reader of our own YAML: safe, bounded, and exact about the place of every fault.

The content is plain: text, numbers, true and false, null, lists, and mappings with text as keys. ``no``, ``on`` and
``2025-01-01`` are text. Other tags, merge keys and a key that stands twice are refused.
"""

import copy
import os
import re
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from plumbrule.errors import RubricError, UsageError
from plumbrule.names import nearest

T = TypeVar("T")
Key = tuple[str | int, ...]

MAX_BYTES = 1 << 20
MAX_DEPTH = 50
MAX_NODES = 100_000  # with every alias written out
MAX_WAIT_S = 10.0  # for a pipe or a device that brings nothing

# Both give the same events; libyaml's parser is much faster.
_PARSER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_TAG = "tag:yaml.org,2002:"
_PATTERNS: dict[str, list[tuple[str, re.Pattern[str]]]] = yaml.SafeLoader.yaml_implicit_resolvers  # by first character
_SCALARS: dict[str, Callable[..., Any]] = {
    "str": lambda node: node.value,
    "bool": lambda node: node.value == "true",
    "null": lambda _: None,
    "int": yaml.constructor.SafeConstructor().construct_yaml_int,
    "float": yaml.constructor.SafeConstructor().construct_yaml_float,
}
_LONGEST_NUMBER = 400  # characters
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_UNKNOWN = "unexpected_keyword_argument"
_BARE = re.compile(r"[\w-]+")


class KeyFault(ValueError):  # noqa: N818 - a validator raises it, and it never reaches a user as it is
    """What a typed form raises where the fault lies at a key inside it; ``key`` is dotted."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key: Key = tuple(key.split("."))
        self.problem = problem


_NOTHING: dict[str | int, "_Node"] = {}


@dataclass(slots=True)
class _Node:
    """A value with its line and what is below it; aliases count in full towards ``size`` and ``height``."""

    value: Any
    line: int
    below: dict[str | int, "_Node"] = field(default_factory=lambda: _NOTHING)  # one of its own for what has items
    size: int = 1
    height: int = 0


@dataclass(slots=True, kw_only=True)
class Document:
    """The content of a YAML file, as plain values, with the line of every key.

    With ``secrets``, a message quotes no text of the file: it may be a secret that stands in the wrong place.
    """

    where: str
    content: Any
    error_type: type[UsageError] = RubricError
    secrets: bool = False
    _root: _Node | None = None  # None: there is no file, hence no line to name
    _overridden: list[list[str]] = field(default_factory=list)

    def error(self, key: Key, problem: str, *, line: int | None = None) -> UsageError:
        """Return the error that names the file, the line, the dotted key and the problem."""
        names = [str(part) for part in key]
        dotted = ".".join(name if _BARE.fullmatch(name) else repr(name) for name in names)
        text = f"{dotted:.200}: {problem}" if dotted else problem
        if any(names[: len(over)] == over for over in self._overridden):
            return self.error_type(f"{self.where}: override {text}")
        place = self.where if self._root is None else f"{self.where}:{line or self._line_of(key)}"
        overrides = ", ".join(".".join(over) for over in self._overridden)
        return self.error_type(f"{place} (with --set {overrides}): {text}" if overrides else f"{place}: {text}")

    def override(self, dotted: str, value: object, *, add: bool = False) -> None:
        """Set the value at a dotted key; a KeyError says that there is none, unless a mapping may ``add`` it."""
        names = dotted.split(".")
        self._overridden.append(names)
        place: Any = self.content
        try:
            for name in names[:-1]:
                if add and isinstance(place, dict):
                    place.setdefault(name, {})
                place = place[_part(name, place)]
            last = _part(names[-1], place)
            if not (add and isinstance(place, dict)):
                place[last]
            place[last] = value
        except (IndexError, TypeError, ValueError):
            raise KeyError(dotted) from None

    def validate(self, adapter: TypeAdapter[T]) -> T:
        """Return the content in its typed form, or raise an error that names what to mend first."""
        try:
            return adapter.validate_python(self.content)
        except ValidationError as error:
            raise self._first_error(error, adapter.core_schema) from None

    def _first_error(self, error: ValidationError, schema: Any) -> UsageError:  # noqa: ANN401 - pydantic's schema is a dict of dicts
        """Return the first problem in the file; an unknown key goes first, since it may explain a missing one."""
        problems: dict[Key, ErrorDetails] = {}
        for problem in error.errors(include_url=False):
            problems.setdefault(_located(problem, schema)[0], problem)
        above = {key[:length] for key in problems for length in range(len(key))}
        keys = [key for key in problems if key not in above]  # of a union's choices, the one that went deepest
        first = min(keys, key=lambda key: (problems[key]["type"] != _UNKNOWN, self._line_of(key)))
        _, known = _located(problems[first], schema)
        more = f" (and {len(keys) - 1} more)" if len(keys) > 1 else ""
        return self.error(first, _worded(problems[first], known, secrets=self.secrets) + more)

    def _line_of(self, key: Key) -> int:
        """Return the line of a key, or of the nearest above it; an item of a list may go by one of its values."""
        node = self._root or _Node(None, 1)
        for part in key:
            below = node.below.get(part)
            if below is None and isinstance(node.value, list):
                named = (item for item in node.below.values() if isinstance(item.value, dict))
                below = next((item for item in named if part in item.value.values()), None)
            if below is None:
                break
            node = below
        return node.line


def _part(name: str, place: object) -> str | int:
    return int(name) if isinstance(place, list) and name.isdecimal() else name


def read_yaml(
    source: Path | str,
    *,
    where: str | None = None,
    mapping: str | None = None,
    error: type[UsageError] = RubricError,
    secrets: bool = False,
) -> Document:
    """Return what a file says, or a text of no file; ``mapping`` is its name where it must be a mapping."""
    where = where or ("text" if isinstance(source, str) else str(source))
    lines = None if isinstance(source, str) else _Node(None, 1)
    document = Document(where=where, content=None, error_type=error, secrets=secrets, _root=lines)
    try:
        root = _parse(source if isinstance(source, str) else _read_text(source))
    except _FaultError as fault:
        if fault.line is None:
            raise error(f"{where}: {fault.problem}" + (f"; {mapping} is a YAML file" if mapping else "")) from None
        raise document.error(fault.key, fault.problem, line=fault.line) from None
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the file's name
        raise error(f"{where}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    if mapping is not None and not isinstance(root.value, dict):
        raise document.error((), f"{mapping} is a mapping of keys to values")
    return replace(document, content=root.value, _root=root if lines is not None else None)


class _FaultError(Exception):
    """What is wrong at a place in the text, or with the whole file where there is no line."""

    def __init__(self, problem: str, line: int | None = None, key: Key = ()) -> None:
        super().__init__(problem)
        self.problem, self.line, self.key = problem, line, key


def _read_text(path: Path) -> str:
    """Return the text of a file, a pipe or a device, without reading or waiting for more than is allowed."""
    content = bytearray()
    until = time.monotonic() + MAX_WAIT_S
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        while len(content) <= MAX_BYTES:
            try:
                chunk = os.read(descriptor, MAX_BYTES + 1 - len(content))
            except BlockingIOError:  # a pipe that has a writer and no content yet
                left = until - time.monotonic()
                if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                    raise _FaultError(f"nothing more came from it in {MAX_WAIT_S:g} s") from None
                continue
            if not chunk:
                break
            content += chunk
    finally:
        os.close(descriptor)
    if len(content) > MAX_BYTES:
        raise _FaultError(f"larger than {MAX_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _FaultError("not a text file in UTF-8") from None


def _parse(text: str) -> _Node:
    """Return the root of a YAML text, which is null where the text is empty."""
    odd = _NOT_ALLOWED.search(text)
    if odd is not None:
        raise _FaultError(f"not YAML: the character U+{ord(odd[0]):04X} is not allowed", _lines_to(text, odd.start()))
    tree = _Tree()
    try:
        for event in yaml.parse(text, Loader=_PARSER):
            tree.add(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it cannot be parsed"
        line = min(mark.line + 1, _lines_to(text, len(text.rstrip()))) if mark is not None else 1
        raise _FaultError(f"not YAML: {problem}", line) from None
    return tree.root or _Node(None, 1)


def _lines_to(text: str, position: int) -> int:
    return len(_LINE_END.findall(text, 0, position)) + 1


@dataclass(slots=True)
class _Open:
    """A list or a mapping that has not ended; a mapping has a key between the key and its value."""

    node: _Node
    anchor: str | None
    key: str | None = None
    key_line: int = 0

    @property
    def part(self) -> str | int:
        return len(self.node.value) if isinstance(self.node.value, list) else "?" if self.key is None else self.key


class _Tree:
    """Builds the content from the parser's events, without recursion, and stops at the first thing that is refused."""

    def __init__(self) -> None:
        self.root: _Node | None = None
        self._open: list[_Open] = []
        self._anchors: dict[str, _Node | None] = {}  # None: what it names has not ended
        self._nodes = 0
        self._documents = 0

    def add(self, event: Any) -> None:  # noqa: ANN401 - yaml.Event declares none of the attributes of its kinds
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            node = self._admit(_Node(self._scalar(event, line), line))
            if event.anchor is not None:
                self._anchors[event.anchor] = node
            self._place(node, merge=event.value == "<<" and event.implicit[0])
        elif isinstance(event, yaml.CollectionStartEvent):
            self._begin(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            ended = self._open.pop()
            if ended.anchor is not None:
                self._anchors[ended.anchor] = ended.node
            self._place(ended.node)
        elif isinstance(event, yaml.AliasEvent):
            self._place(self._aliased(str(event.anchor), line))
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                self._fail(line, "a second document begins here; a file has one")

    def _begin(self, event: Any, line: int) -> None:  # noqa: ANN401 - as above
        kind: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        if event.tag not in {None, "!", _TAG + ("map" if isinstance(kind, dict) else "seq")}:
            self._refuse_tag(event.tag, line)
        if self._open and isinstance(self._open[-1].node.value, dict) and self._open[-1].key is None:
            self._fail(line, "a key must be text; write it in quotes")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(self._admit(_Node(kind, line, {}, height=1)), event.anchor))

    def _place(self, node: _Node, *, merge: bool = False) -> None:
        """Put a whole node where it belongs: it is the root, an item, a key or the value of a key."""
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        content = parent.node.value
        if isinstance(content, list):
            parent.node.below[len(content)] = node
            content.append(node.value)
        elif parent.key is None:
            self._place_key(parent, node, merge=merge)
        else:
            node.line = parent.key_line
            parent.node.below[parent.key] = node
            content[parent.key] = node.value
            parent.key = None
        parent.node.size += node.size
        parent.node.height = max(parent.node.height, node.height + 1)

    def _place_key(self, parent: _Open, node: _Node, *, merge: bool) -> None:
        parent.key, parent.key_line = str(node.value), node.line
        if not isinstance(node.value, str):
            self._fail(node.line, "a key must be text; write it in quotes")
        if merge:
            self._fail(node.line, "merge keys are not allowed; write the keys out")
        if node.value in parent.node.value:
            self._fail(node.line, f"stands twice, first on line {parent.node.below[node.value].line}")

    def _aliased(self, name: str, line: int) -> _Node:
        """Return a copy of what an alias names: a change at one place never shows at another."""
        if name not in self._anchors:
            self._fail(line, f"there is no anchor '&{name:.60}' before this alias")
        node = self._anchors[name]
        if node is None:
            self._fail(line, f"the alias '*{name:.60}' stands inside what it names")
        self._admit(replace(node, line=line))
        return replace(node, line=line, value=copy.deepcopy(node.value))

    def _scalar(self, event: Any, line: int) -> object:  # noqa: ANN401 - as above
        text: str = event.value
        plain, quoted = event.implicit
        if quoted:
            return text
        tags = (tag for tag, pattern in _PATTERNS.get(text[:1], ()) if pattern.match(text))
        kind = next(tags, "").removeprefix(_TAG)
        if kind not in _SCALARS or (kind == "bool" and text not in {"true", "false"}):
            kind = "str"
        if not plain:
            wanted = event.tag.removeprefix(_TAG)
            if wanted not in _SCALARS:
                self._refuse_tag(event.tag, line)
            if wanted not in {"str", kind, "float" if kind == "int" else kind}:
                self._fail(line, f"the value does not fit its tag, !!{wanted}")
            kind = wanted
        if kind != "str" and len(text) > _LONGEST_NUMBER:
            self._fail(line, f"a number of more than {_LONGEST_NUMBER} characters; write it in quotes if it is text")
        try:
            return _SCALARS[kind](yaml.ScalarNode(kind, text))
        except ValueError:  # such as 0x_
            self._fail(line, "not a number that can be read; write it in quotes if it is text")

    def _admit(self, node: _Node) -> _Node:
        """Return the node, unless it makes the content too large or too deep."""
        self._nodes += node.size
        if self._nodes > MAX_NODES:
            self._fail(node.line, f"more than {MAX_NODES:,} values, with every alias written out")
        if len(self._open) + node.height > MAX_DEPTH:
            self._fail(node.line, f"nested more than {MAX_DEPTH} deep")
        return node

    def _refuse_tag(self, tag: str, line: int) -> NoReturn:
        shown = tag.replace(_TAG, "!!")
        self._fail(line, f"the tag {shown!r:.60} is not allowed")

    def _fail(self, line: int, problem: str) -> NoReturn:
        raise _FaultError(problem, line, tuple(parent.part for parent in self._open))


def _located(problem: ErrorDetails, schema: Any) -> tuple[Key, list[str]]:  # noqa: ANN401 - pydantic's schema is a dict of dicts
    """Return the key of a problem as the file has it, and the keys that its mapping may have.

    Pydantic's own location also has a label for the choice of each union on the way.
    """
    key: Key = ()
    known: list[str] = []
    definitions: dict[str, Any] = {}
    for part in problem["loc"]:
        schema, known = _unwrapped(schema, definitions), []
        match schema.get("type"):
            case "tagged-union":
                schema = schema["choices"].get(part, {})
                continue
            case "union":
                choices = [_unwrapped(choice, definitions) for choice in schema["choices"]]
                schema = next((choice for choice in choices if choice["type"] == "tuple"), {})
                continue
            case "dataclass-args":
                below = {field["name"]: field["schema"] for field in schema["fields"]}
                known, schema = list(below), below.get(part, {})
            case "dict":
                schema = schema["values_schema"]
            case "tuple":
                schema = schema["items_schema"][min(int(part), len(schema["items_schema"]) - 1)]
            case _:
                schema = {}
        if part != "[key]":
            key = (*key, part)
    if problem["type"].startswith("union_tag"):
        key = (*key, str(problem["ctx"]["discriminator"]).strip("'"))
    fault = problem.get("ctx", {}).get("error")
    return (*key, *fault.key) if isinstance(fault, KeyFault) else key, known


def _unwrapped(schema: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
    """Return the schema of the values themselves, without defaults, null, and functions around it."""
    while True:
        definitions |= {each["ref"]: each for each in schema.get("definitions", ())}
        if schema.get("type") == "definition-ref":
            schema = definitions[schema["schema_ref"]]
        elif "schema" in schema:
            schema = schema["schema"]
        else:
            return schema


def _worded(problem: ErrorDetails, known: list[str], *, secrets: bool) -> str:
    given, kind, context = problem["input"], problem["type"], problem.get("ctx", {})
    match kind:
        case unknown if unknown == _UNKNOWN:
            return f"unknown key{nearest(problem['loc'][-1], known) or '; known are ' + ', '.join(known)}"
        case "missing" | "union_tag_not_found":
            return "missing key"
        case "union_tag_invalid":
            return f"must be one of {context['expected_tags']}, not {context['tag']!r:.60}"
        case "dataclass_type" | "dict_type" | "model_attributes_type":
            return "must be a mapping of keys to values"
        case "tuple_type":
            return "must be a list, in [ ]"
        case "too_short" if context["min_length"] == 1:
            return "must name at least one"
        case "string_type":
            quoted = "" if secrets else f', as "{str(given).lower()}"'
            return f"must be text; write it in quotes{quoted}" if isinstance(given, int | float) else "must be text"
        case "value_error":
            message = getattr(context["error"], "problem", str(context["error"]))
        case _:
            message = re.sub(r"^\w+ should ", "must ", problem["msg"].partition(", unable to ")[0])
            message = message.replace("a valid boolean", "true or false").replace("a valid i", "an i")
            message = message.replace("valid ", "").replace(" after validation", "")
    # a secret may stand where a text is wanted, but not in place of a known word
    shown = isinstance(given, int | float) or kind == "literal_error" or not secrets
    if not shown or isinstance(given, dict | list) or not message.startswith("must "):
        return message
    return f"{message}, not {given!r:.60}"
