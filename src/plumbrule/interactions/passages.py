"""Passages from outside, under the names that other systems give to their parts."""

from collections.abc import Mapping

from plumbrule.interactions.contract_findings import FindingLog
from plumbrule.samples.sample_fields import passage_of
from plumbrule.samples.sample_model import Passage
from plumbrule.samples.value_types import SEQUENCES, described

TEXT_KEYS = ("text", "content", "context", "page_content", "pageContent", "passage")
_OTHER_NAMES = {
    "pageContent": "text",
    "chunk_id": "id",
    "passageId": "id",
    "source": "source_id",
    "sourceId": "source_id",
    "document_id": "source_id",
    "source_title": "title",
    "document_title": "title",
    "similarity": "score",
    "similarity_score": "score",
}


def named_as_here(entry: object) -> object:
    """Return a passage's entry with its metadata lifted beside its text and other tools' names replaced."""
    if not isinstance(entry, dict):
        return entry
    metadata = entry.get("metadata")
    lifted: dict[str, object] = {}
    for given in (metadata if isinstance(metadata, dict) else {}, entry):
        for key, value in given.items():
            name = _OTHER_NAMES.get(key, key)
            if isinstance(value, (str, int, float)) and not isinstance(value, bool):
                lifted[str(key if name in given else name)] = value
    return lifted


def has_text(entry: object) -> bool:
    """Tell whether an entry carries the passage itself, not its id alone."""
    return isinstance(entry, str) or (isinstance(entry, Mapping) and any(entry.get(key) for key in TEXT_KEYS))


def read_passages(name: str, value: object, log: FindingLog) -> tuple[Passage, ...]:
    """Return the passages of a list; entries with no text have only an id, and a bad one is noted and left out."""
    if value is None:
        return ()
    if isinstance(value, (str, dict)):
        value = [value]
    if not isinstance(value, SEQUENCES):
        log.add("field_type", f"{name} must be a list, not {described(value)}")
        return ()
    read = []
    for index, given in enumerate(value):
        entry = named_as_here(given)
        if isinstance(entry, dict) and not has_text(entry):
            entry["text"] = ""  # known by its id; the corpus has the rest
        passage = log.take(passage_of, f"{name}[{index}]", entry)
        if passage is not None:
            read.append(passage)
    return tuple(read)
