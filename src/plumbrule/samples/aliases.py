"""The mapping of one raw record to the fields of a sample, by the names that other systems give them."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from plumbrule.errors import UsageError
from plumbrule.samples.field_names import FIELDS, MOST_NAMES, field_keys, numbered_contexts, ranked_keys
from plumbrule.samples.formats.cells import parse_cell
from plumbrule.samples.formats.conversations import question_of, read_conversation
from plumbrule.samples.formats.openinference import dig, may_be_span, read_span
from plumbrule.samples.formats.tool_records import Found, tool_of
from plumbrule.samples.value_types import Misfit

_EXPECTED = frozenset({"refuse", "refusal_code", "passages"})
_WRAPPED = (("question", "input"), ("answer", "output"))  # the columns that tools put whole messages into
_NUMBERED = "context_N"  # where the contexts stood that are a column each
# Records of one file share a few shapes; a file that does not must not fill the memory with them.
_MAX_PLANS = 256
_MAX_PLAN_CHARS = 10_000


@dataclass(slots=True)
class Mapped:
    """One record under canonical names: ``origins`` tells which key gave each field."""

    values: dict[str, object] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unmet: dict[str, str] = field(default_factory=dict)  # field -> the mapped column that this record lacks


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to do with every record of one shape: the keys to try for each field, and the unknown keys."""

    candidates: tuple[tuple[str, tuple[str, ...]], ...]
    numbered: tuple[str, ...]  # columns of one context each
    unknown: tuple[str, ...]
    span: bool
    tool: Callable[[Mapping[str, object]], Found] | None


class Mapper:
    """Maps raw records to canonical fields; ``mapping`` (field -> column) wins over every known name."""

    def __init__(self, mapping: Mapping[str, str] | None = None, *, flat: bool = False) -> None:
        self._mapping = check_mapping(mapping or {})
        self._flat = flat
        self._plans: dict[tuple[str, ...], _Plan] = {}

    def map(self, record: Mapping[str, object]) -> Mapped:
        """Return the canonical fields of ``record``; a null counts as missing."""
        opened = _opened_cells(record) if self._flat else {}
        if not opened:
            return self._mapped(record)
        mapped = self._mapped({**record, **opened})
        for name, key in _WRAPPED:
            if mapped.origins.get(name) == key in opened and not isinstance(mapped.values[name], str):
                mapped.values[name] = record[key]  # no text was found inside: the cell itself is the text
        return mapped

    def _mapped(self, record: Mapping[str, object]) -> Mapped:
        plan = self._plan_for(record)
        mapped = Mapped()
        values, origins = mapped.values, mapped.origins
        for name, keys in plan.candidates:
            for key in keys:
                value = record[key]
                if value is None:
                    continue
                if name in values:
                    mapped.ignored.append(key)
                else:
                    values[name] = value
                    origins[name] = key
        mapped.ignored.extend(plan.unknown)
        given = [record[key] for key in plan.numbered if record[key] is not None]
        if given and "contexts" not in values:
            values["contexts"], origins["contexts"] = given, self._mapping.get("contexts", _NUMBERED)
        self._settle_context(mapped)
        if plan.tool is not None:
            self._add_tool(mapped, plan.tool(record))
        if plan.span:
            self._add_span(mapped, record)
        self._settle_text(mapped)
        self._settle_expected(mapped)
        for name, path in self._mapping.items():
            value = dig(record, path, each=True)
            if value is None and not (given and name == "contexts"):
                mapped.notes.append(f"no {path} for {name}")
                mapped.unmet[name] = path
            elif value is not None:
                values[name] = value
                origins[name] = path
        return mapped

    def _plan_for(self, record: Mapping[str, object]) -> _Plan:
        if len(record) > MOST_NAMES:
            raise Misfit(f"the record has {len(record):,} keys; at most {MOST_NAMES:,} are read")
        shape = tuple(record)
        plan = self._plans.get(shape)
        if plan is None:
            plan = self._make_plan(shape)
            if len(self._plans) < _MAX_PLANS and sum(map(len, shape)) < _MAX_PLAN_CHARS:
                self._plans[shape] = plan
        return plan

    def _make_plan(self, shape: tuple[str, ...]) -> _Plan:
        candidates = []
        paths = tuple(self._mapping.values())
        taken = {key for key in shape if any(_leads_to(key, path) for path in paths)} if paths else set()
        known = field_keys(shape)
        for name in FIELDS:
            keys = ranked_keys(name, known)
            if keys and name not in self._mapping:
                candidates.append((name, keys))
                taken.update(keys)
        path = self._mapping.get("contexts")
        numbered = () if path in shape else numbered_contexts(shape, stem=path)
        taken.update(numbered)
        return _Plan(
            candidates=tuple(candidates),
            numbered=numbered,
            unknown=tuple(key for key in shape if key not in taken),
            span=any(may_be_span(key) for key in shape),
            tool=tool_of(shape),
        )

    def _settle_context(self, mapped: Mapped) -> None:
        """Read a span's ``context``, which names its trace and holds no passages."""
        context = mapped.values.get("contexts")
        if not (mapped.origins.get("contexts") == "context" and isinstance(context, dict)):
            return
        if "trace_id" in context or "span_id" in context:
            del mapped.values["contexts"], mapped.origins["contexts"]
            trace_id = context.get("trace_id")
            if trace_id is not None and "trace_id" not in mapped.values and "trace_id" not in self._mapping:
                mapped.values["trace_id"] = trace_id
                mapped.origins["trace_id"] = "context.trace_id"

    def _add_tool(self, mapped: Mapped, found: Found) -> None:
        """Take what a tool's own form gives; it wins over keys that only look like fields."""
        for name, (path, value) in found.items():
            if name not in self._mapping:
                mapped.values[name], mapped.origins[name] = value, path
        used = {path for path, _ in found.values()}
        mapped.ignored[:] = [key for key in mapped.ignored if not any(_leads_to(key, path) for path in used)]

    def _add_span(self, mapped: Mapped, record: Mapping[str, object]) -> None:
        used: set[str] = set()
        for name, (path, value) in read_span(record).items():
            used.update(key for key in record if may_be_span(key) and _same_place(key, path))
            if name not in mapped.values and name not in self._mapping:
                mapped.values[name] = value
                mapped.origins[name] = path
        mapped.ignored[:] = [key for key in mapped.ignored if key not in used]

    @staticmethod
    def _settle_text(mapped: Mapped) -> None:
        """Take the text out of an ``input`` or ``output`` around one text, and the question out of messages."""
        for name, key in _WRAPPED:
            value = mapped.values.get(name)
            if isinstance(value, dict) and mapped.origins[name] == key:
                inner = _only_text(value)
                if inner is not None:
                    mapped.origins[name], mapped.values[name] = f"{key}.{inner}", value[inner]
        messages = mapped.values.get("question")
        if not isinstance(messages, list):
            return
        conversation = None if "answer" in mapped.values else read_conversation(messages)
        if conversation is not None:
            mapped.values |= {"question": conversation.question, "answer": conversation.answer}
            mapped.origins["answer"] = mapped.origins["question"]
            if conversation.contexts and "contexts" not in mapped.values:
                mapped.values["contexts"] = conversation.contexts
                mapped.origins["contexts"] = mapped.origins["question"]
        elif (question := question_of(messages)) is not None:
            mapped.values["question"] = question

    def _settle_expected(self, mapped: Mapped) -> None:
        """Read an ``expected`` that is text, or an object around one text, as the reference answer."""
        expected = mapped.values.get("expected")
        if isinstance(expected, str) and not (self._flat and expected.lstrip().startswith("{")):
            origin, reference = "expected", expected
        elif isinstance(expected, dict) and not (_EXPECTED & expected.keys()):
            inner = _only_text(expected)
            if inner is None:
                return
            origin, reference = f"expected.{inner}", expected[inner]
        else:
            return
        del mapped.values["expected"], mapped.origins["expected"]
        if "reference" in mapped.values or "reference" in self._mapping:
            mapped.ignored.append("expected")
        else:
            mapped.values["reference"] = reference
            mapped.origins["reference"] = origin


def _opened_cells(record: Mapping[str, object]) -> dict[str, object]:
    """Return the objects and messages that stand as text in the cells of a table, as tools export their traces."""
    opened: dict[str, object] = {}
    for _, key in _WRAPPED:
        cell = record.get(key)
        if isinstance(cell, str) and cell.lstrip()[:1] in {"[", "{"}:
            with suppress(Misfit):
                value, _ = parse_cell(key, cell)
                if isinstance(value, dict):
                    value = value.get("messages") or (value.get("content") if "role" in value else None) or value
                if not isinstance(value, str) or value != cell:
                    opened[key] = value
    return opened


def check_mapping(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return ``mapping`` (field -> column) where it names canonical fields only."""
    for name, column in mapping.items():
        if name not in FIELDS:
            raise UsageError(f"--map {name}={column}: no field {name!r}; the fields are {', '.join(FIELDS)}")
        if not column:
            raise UsageError(f"--map {name}=: say which column holds {name}")
    return dict(mapping)


def parse_mapping(options: Iterable[str]) -> dict[str, str]:
    """Return the mapping that ``field=column`` options ask for."""
    mapping: dict[str, str] = {}
    for option in options:
        name, equals, column = (part.strip() for part in option.partition("="))
        if not equals:
            raise UsageError(f"--map {option}: write field=column, for example answer=my_column")
        if name in mapping:
            remedy = f"the fields are {', '.join(FIELDS)}"
            if name == "contexts":
                remedy = "columns with numbers go by their common name: --map contexts=Doc takes Doc 1 and Doc 2"
            raise UsageError(f"--map {option}: {name} is mapped twice, to {mapping[name]} and {column}; {remedy}")
        mapping[name] = column
    return check_mapping(mapping)


def _leads_to(key: str, path: str) -> bool:
    return path == key or path.startswith(f"{key}.")


def _same_place(key: str, path: str) -> bool:
    """Tell whether the top-level ``key`` holds what was found at ``path`` of a span."""
    if ".N." in path:
        stem = path[: path.index(".N.")]
        return _leads_to(key, stem) or key.startswith(f"{stem}.")
    return _leads_to(key, path)


def _only_text(value: Mapping[str, object]) -> str | None:
    """Return the key of the one text in ``value``; a span's ``value`` stands before its ``mime_type``."""
    keys = [key for key, inner in value.items() if isinstance(inner, str)]
    if "value" in keys:
        return "value"
    return keys[0] if len(keys) == 1 else None
