"""From the canonical fields of one record to a typed sample, or to the reason why it cannot be one."""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields

from plumbrule.hashing import tagged_id
from plumbrule.samples.aliases import Mapped
from plumbrule.samples.field_names import ANSWER_KEYS
from plumbrule.samples.formats.cells import STRUCTURED, parse_cell
from plumbrule.samples.sample_model import Citation, Expected, Passage, Refusal, Sample
from plumbrule.samples.value_types import (
    SEQUENCES,
    Misfit,
    amount_of,
    count_of,
    described,
    flag,
    label,
    number,
    plain,
    text,
)

FROM_CITATIONS = "citations[].passage"
MADE_ID = "id made from the content"

_SHOWN_KEYS = 5
_TEXT_KEYS = ("text", "content", "context", "page_content", "pageContent", "passage", "segment")
_ID_KEYS = ("id", "passage_id", "doc_id", "docid")
_HOLDERS = ("document", "doc", "node", "chunk", "kwargs", "payload", "_source")  # what may hold the text of an entry
_PASSAGE_LABELS = ("source_id", "title", "collection", "effective_date")
_MADE = re.compile(r"sample-[0-9a-f]{16}(-[0-9]+)?")  # with a number where rows repeat
_CITATION_FIELDS = tuple(field.name for field in fields(Citation))


def sample_of(mapped: Mapped, *, flat: bool = False, answered: bool = True) -> Sample:
    """Return the sample that ``mapped`` describes; remarks on how it was read are added to ``mapped``.

    Where it need not be ``answered``, a question is enough.
    """
    if flat:
        _open_cells(mapped)
    typed = _typed(mapped, flat=flat)
    if "contexts" not in typed and "citations" in typed:
        _borrow_contexts(mapped, typed)
    if "answer" not in typed and not _answers_nothing(typed) and (answered or "question" not in typed):
        raise Misfit(_no_answer(mapped))
    if not typed.get("id"):
        typed.pop("id", None)
        typed["id"] = tagged_id("sample", {name: _bare(value) for name, value in typed.items()})
        mapped.notes.append(MADE_ID)
    return Sample(**typed)  # type: ignore[arg-type]  # each value was read as its field's type above


def is_made_id(sample_id: str) -> bool:
    """Tell whether an id was made from the content of a sample that came without one: another answer has another."""
    return _MADE.fullmatch(sample_id) is not None


def _no_answer(mapped: Mapped) -> str:
    unknown = [key for key in mapped.ignored if key not in ANSWER_KEYS][:_SHOWN_KEYS]
    path = mapped.unmet.get("answer")
    if path is not None:
        known = f"; there is {', '.join(unknown)}" if unknown else ""
        return f"--map answer={path}: '{path}' is missing or empty here{known}"
    hint = f"; --map answer=COLUMN takes it from another key, such as {', '.join(unknown)}" if unknown else ""
    return f"answer is null and there is no refusal{hint}"


def _answers_nothing(typed: dict[str, object]) -> bool:
    """Tell whether a record says why it has no answer: it was refused, or it timed out."""
    return (
        "refusal" in typed or str(typed.get("grounding_status")).upper() == "REFUSED" or typed.get("timed_out") is True
    )


def _typed(mapped: Mapped, *, flat: bool) -> dict[str, object]:
    typed: dict[str, object] = {}
    field = ""
    try:
        for field, value in mapped.values.items():
            if type(value) is str and field in _TEXTS and value.isascii():
                typed[field] = value  # what most fields of most records are: nothing to check
            elif field in _PLAIN:
                read = _PLAIN[field](field, value)
                if read is not None:
                    typed[field] = read
            elif field in _NUMERIC:
                typed[field] = _NUMERIC[field](field, value, flat=flat)
            else:
                typed[field] = _NOTED[field](field, value, mapped.notes)
    except Misfit as misfit:
        # The user knows the field by the name in the file.
        origin = mapped.origins.get(field, field)
        if origin == field:
            raise
        place, _, rest = str(misfit).partition(" ")
        raise Misfit(f"{place} (from {origin}) {rest}") from None
    return typed


def _open_cells(mapped: Mapped) -> None:
    for field in STRUCTURED:
        cell = mapped.values.get(field)
        if isinstance(cell, str):
            mapped.values[field], note = parse_cell(field, cell)
            if note:
                mapped.notes.append(note)


def _contexts(name: str, value: object, notes: list[str]) -> tuple[Passage, ...]:
    if isinstance(value, str):
        notes.append("contexts given as one string")
        value = [value]
    elif isinstance(value, (dict, Passage)):
        notes.append("contexts given as one object")
        value = [value]
    elif not isinstance(value, SEQUENCES):
        raise Misfit(f"{name} must be a list, not {described(value)}")
    return tuple(
        [
            Passage(text=entry) if type(entry) is str and entry.isascii() else passage_of(f"{name}[{index}]", entry)
            for index, entry in enumerate(value)
        ]
    )


def passage_of(name: str, entry: object) -> Passage:
    """Return one passage, given as text or as an object with its text; ``name`` is its place, for complaints."""
    if isinstance(entry, str):
        return Passage(text=text(name, entry))
    if isinstance(entry, Passage):
        return entry
    if not isinstance(entry, dict):
        raise Misfit(f"{name} must be text or an object with text, not {described(entry)}")
    key = _text_key(entry)
    if key is None:
        entry = _opened(entry)
        key = _text_key(entry)
    if key is None:
        inside = f"also inside {', '.join(_HOLDERS)}"
        raise Misfit(f"{name} has no text; it is looked for under {', '.join(_TEXT_KEYS)}, {inside}")
    known: dict[str, str] = {}
    for field in _PASSAGE_LABELS:
        value = entry.get(field)
        if value is not None:
            known[field] = label(f"{name}.{field}", value)
    for field in _ID_KEYS:
        value = entry.get(field)
        if value is not None:
            known["id"] = label(f"{name}.{field}", value)
            break
    score = entry.get("score")
    return Passage(
        text=text(f"{name}.{key}", entry[key]), score=None if score is None else number(f"{name}.score", score), **known
    )


def _text_key(entry: Mapping[str, object]) -> str | None:
    return next((key for key in _TEXT_KEYS if entry.get(key) is not None), None)


def _opened(entry: Mapping[str, object]) -> dict[str, object]:
    """Return an entry of a search result with what is inside its document beside what stands around it."""
    for holder in _HOLDERS:
        inner = entry.get(holder)
        if isinstance(inner, str):
            return {**entry, "text": inner}
        if isinstance(inner, dict) and _text_key(inner) is not None:
            return {**entry, **inner}
    return {key.removeprefix("document."): value for key, value in entry.items()}


def _tags(name: str, value: object, notes: list[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        notes.append("tags given as one string")
        return (text(name, value),)
    return _labels(name, value)


def _labels(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, SEQUENCES):
        raise Misfit(f"{name} must be a list, not {described(value)}")
    return tuple([label(f"{name}[{index}]", item) for index, item in enumerate(value)])


def _object(name: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise Misfit(f"{name} must be an object, not {described(value)}")
    return value


def _citations(name: str, value: object) -> tuple[Citation, ...]:
    if not isinstance(value, SEQUENCES):
        raise Misfit(f"{name} must be a list, not {described(value)}")
    return tuple([_citation(f"{name}[{index}]", entry) for index, entry in enumerate(value)])


def _citation(name: str, entry: object) -> Citation:
    if isinstance(entry, Citation):
        return entry
    given = _object(name, entry)
    return Citation(
        **{
            field: (text if field == "passage" else label)(f"{name}.{field}", given[field])
            for field in _CITATION_FIELDS
            if given.get(field) is not None
        }
    )


def _borrow_contexts(mapped: Mapped, typed: dict[str, object]) -> None:
    """Take the cited excerpts as contexts: a compliance assistant's response carries no others."""
    citations: tuple[Citation, ...] = typed["citations"]  # type: ignore[assignment]  # read by _citations
    borrowed = tuple(
        Passage(
            text=citation.passage,
            source_id=citation.source_id,
            title=citation.source_title,
            collection=citation.collection,
            effective_date=citation.effective_date,
        )
        for citation in citations
        if citation.passage is not None
    )
    if borrowed:
        typed["contexts"] = borrowed
        mapped.origins["contexts"] = FROM_CITATIONS


def _refusal(name: str, value: object) -> Refusal | None:
    if isinstance(value, Refusal):
        return value
    given = _object(name, value)
    if all(part is None for part in given.values()):
        return None  # an object of nulls is how some writers say null
    steps = given.get("next_steps")
    if isinstance(steps, str):
        steps = [steps]
    known = {
        field: label(f"{name}.{field}", given[field])
        for field in ("code", "reason", "user_guidance")
        if given.get(field) is not None
    }
    return Refusal(
        next_steps=() if steps is None else _labels(f"{name}.next_steps", steps),
        retrieval_summary=plain(f"{name}.retrieval_summary", given.get("retrieval_summary")),
        conflict_summary=plain(f"{name}.conflict_summary", given.get("conflict_summary")),
        **known,
    )


def _expected(name: str, value: object) -> Expected:
    if isinstance(value, Expected):
        return value
    given = _object(name, value)
    refuse, code, passages = (given.get(key) for key in ("refuse", "refusal_code", "passages"))
    return Expected(
        refuse=None if refuse is None else flag(f"{name}.refuse", refuse),
        refusal_code=None if code is None else label(f"{name}.refusal_code", code),
        passages=None if passages is None else _labels(f"{name}.passages", passages),
    )


def _metadata(name: str, value: object) -> object:
    return plain(name, _object(name, value))


def _bare(value: object) -> object:
    """Return the content of a typed value without what nobody gave, so that new fields change no id."""
    if isinstance(value, tuple):
        return [_bare(item) for item in value]
    if isinstance(value, (Passage, Citation, Refusal, Expected)):
        given = {name: getattr(value, name) for name in value.__slots__}
        return {name: _bare(inner) for name, inner in given.items() if inner is not None and inner != ()}
    return value


_PLAIN: Mapping[str, Callable[[str, object], object]] = {
    "id": label,
    "question": text,
    "answer": text,
    "reference": text,
    "expected": _expected,
    "citations": _citations,
    "refusal": _refusal,
    "grounding_status": text,
    "trace_id": label,
    "timestamp": label,
    "metadata": _metadata,
    "model_id": label,
    "category": label,
}
_TEXTS = frozenset(field for field, read in _PLAIN.items() if read in {text, label})
_NUMERIC: Mapping[str, Callable[..., float | int | bool]] = {
    "latency_e2e_ms": amount_of,
    "latency_model_ms": amount_of,
    "input_tokens": count_of,
    "output_tokens": count_of,
    "timed_out": flag,
}
_NOTED: Mapping[str, Callable[[str, object, list[str]], object]] = {"contexts": _contexts, "tags": _tags}
