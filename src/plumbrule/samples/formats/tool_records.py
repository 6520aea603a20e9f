"""Records of other tools that keep a sample in parts: promptfoo, LangSmith, MLflow, TREC answers, conversations."""

from collections.abc import Callable, Iterable, Mapping

from plumbrule.samples.field_names import ranked_keys
from plumbrule.samples.formats.cells import parse_cell
from plumbrule.samples.formats.chat_messages import text_of
from plumbrule.samples.formats.conversations import CONVERSATIONS, question_of, read_conversation
from plumbrule.samples.formats.openinference import dig

Found = dict[str, tuple[str, object]]  # field -> (where it stood, value)

_DEEPEST = 3


def tool_of(keys: Iterable[str]) -> Callable[[Mapping[str, object]], Found] | None:
    """Return what reads the records with these keys, or None where they belong to no tool known here."""
    present = frozenset(keys)
    return next((read for signs, read in _TOOLS if signs <= present), None) or (
        _read_messages if not present.isdisjoint(CONVERSATIONS) else None
    )


def _read_promptfoo(record: Mapping[str, object]) -> Found:
    given, said = record.get("vars"), record.get("response")
    found = _parts("vars", given, "response", said)
    if "question" not in found:
        found |= _at(record, {"question": "prompt.raw"})
    return found | _at(
        record,
        {
            "latency_e2e_ms": "latencyMs",
            "model_id": "provider.id",
            "input_tokens": "response.tokenUsage.prompt",
            "output_tokens": "response.tokenUsage.completion",
        },
    )


def _read_inputs(record: Mapping[str, object]) -> Found:
    found = _parts("inputs", record.get("inputs"), "outputs", record.get("outputs"))
    for holder in ("reference_outputs", "expectations", "reference outputs"):
        expected = _opened(record.get(holder))
        reference = _field(expected, "reference", holder) or _field(expected, "answer", holder)
        if reference is not None:
            found["reference"] = reference
            break
    return found


def _read_trec(record: Mapping[str, object]) -> Found:
    answer, references = record.get("answer"), record.get("references")
    if not isinstance(answer, list) or not isinstance(references, list):
        return {}
    texts = [part.get("text") for part in answer if isinstance(part, Mapping)]
    found: Found = {"answer": ("answer[].text", " ".join(text for text in texts if isinstance(text, str)))}
    if all(isinstance(reference, str | int) for reference in references):
        cited = [
            {"citation_id": str(number), "source_id": str(reference)} for number, reference in enumerate(references)
        ]
        found["citations"] = ("references", cited)
    else:
        found["contexts"] = ("references", references)
    paths = ("topic", "title", "narrative", "metadata.narrative", "query", "question")
    ids = ("topic_id", "narrative_id", "metadata.narrative_id", "metadata.topic_id", "qid")
    for field, places in (("question", paths), ("id", ids)):
        place = next((place for place in places if dig(record, place) is not None), None)
        if place is not None:
            found[field] = place, dig(record, place)
    return found


def _read_phoenix(record: Mapping[str, object]) -> Found:
    """Read a row of Phoenix's questions with what was retrieved, which older versions call the reference."""
    retrieved = "reference" if "reference" in record else "context"
    return _at(record, {"question": "input", "answer": "output", "contexts": retrieved, "id": "context.span_id"})


def _read_inspect(record: Mapping[str, object]) -> Found:
    """Read a sample of an Inspect AI log; in a later epoch its id has the number of the epoch behind it."""
    answer = text_of(record.get("output"), "assistant")
    asked = record.get("input")
    question = asked if isinstance(asked, str) else question_of(asked)
    found: Found = {"id": ("id", _epoch_id(record))}
    if question:
        found["question"] = "input", question
    if answer is not None:
        found["answer"] = "output.choices", answer
    target = record.get("target")
    if isinstance(target, str) and target:
        found["reference"] = "target", target
    contexts = _field(_opened(record.get("metadata")), "contexts", "metadata")
    return found if contexts is None else found | {"contexts": contexts}


def _epoch_id(record: Mapping[str, object]) -> object:
    epoch = record.get("epoch")
    return f"{record.get('id')}@{epoch}" if isinstance(epoch, int) and epoch > 1 else record.get("id")


def _read_messages(record: Mapping[str, object]) -> Found:
    key = next(key for key in CONVERSATIONS if key in record)
    messages = _opened(record[key])
    conversation = None if _field(record, "answer", "") is not None else read_conversation(messages)
    if conversation is None:  # the answer stands elsewhere
        question = question_of(messages)
        return {} if question is None or _field(record, "question", "") else {"question": (key, question)}
    found: Found = {"question": (key, conversation.question), "answer": (key, conversation.answer)}
    if conversation.contexts:
        found["contexts"] = key, conversation.contexts
    return found


def _parts(asking: str, asked: object, answering: str, said: object) -> Found:
    """Return what the inputs and the outputs of one call hold."""
    asked, said = _opened(asked), _opened(said)
    found = {
        "question": _asked(asked, asking),
        "answer": _said(said, answering),
        "contexts": _field(said, "contexts", answering) or _field(asked, "contexts", asking),
        "reference": _field(asked, "reference", asking),
    }
    return {field: place for field, place in found.items() if place is not None}


def _asked(asked: object, place: str) -> tuple[str, object] | None:
    if isinstance(asked, str):
        return place, asked
    direct = _field(asked, "question", place)
    if direct is not None and isinstance(direct[1], str):
        return direct
    messages = direct[1] if direct is not None else _messages(asked)
    question = question_of(messages)
    return direct if question is None else (place, question)


def _said(said: object, place: str) -> tuple[str, object] | None:
    if isinstance(said, str):
        return place, said
    direct = _field(said, "answer", place)
    if direct is not None:
        return _said(direct[1], direct[0]) if isinstance(direct[1], Mapping) else direct
    conversation = read_conversation(_messages(said))
    return None if conversation is None else (place, conversation.answer)


def _messages(holder: object) -> object:
    if not isinstance(holder, Mapping):
        return holder
    return next((holder[key] for key in CONVERSATIONS if key in holder), None)


def _field(holder: object, field: str, place: str, depth: int = 0) -> tuple[str, object] | None:
    """Return a field of a sample in an object, under any of its names, or in the one object inside it."""
    if not isinstance(holder, Mapping) or depth > _DEEPEST:
        return None
    for key in ranked_keys(field, tuple(holder)):
        value = holder[key]
        if value is not None and not (field == "contexts" and isinstance(value, Mapping) and "trace_id" in value):
            return f"{place}.{key}", value
    inner = [(key, value) for key, value in holder.items() if isinstance(value, Mapping)]
    if len(inner) == 1:
        return _field(inner[0][1], field, f"{place}.{inner[0][0]}", depth + 1)
    return None


def _at(record: Mapping[str, object], places: Mapping[str, str]) -> Found:
    values = {field: (place, dig(record, place)) for field, place in places.items()}
    return {field: (place, value) for field, (place, value) in values.items() if value is not None}


def _opened(value: object) -> object:
    """Return what a cell of a flat file holds as text."""
    return parse_cell("the record", value)[0] if isinstance(value, str) else value


_TOOLS: tuple[tuple[frozenset[str], Callable[[Mapping[str, object]], Found]], ...] = (
    (frozenset({"vars", "response"}), _read_promptfoo),
    (frozenset({"epoch", "id", "input", "output", "target"}), _read_inspect),
    (frozenset({"inputs", "outputs"}), _read_inputs),
    (frozenset({"answer", "references"}), _read_trec),
    (frozenset({"context.span_id", "input", "output", "reference"}), _read_phoenix),
    (frozenset({"context.span_id", "input", "output", "context"}), _read_phoenix),
)
