"""The names of a sample's fields: its own, those that other systems give them, and how either may be written."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from plumbrule.samples.sample_model import Sample

FIELDS = tuple(field.name for field in fields(Sample))

# In the order in which they win; the canonical name always comes first.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "question": (
        "task",  # document 004
        "user_input",  # Ragas
        "query",  # CRA response, Azure, RAGChecker
        "input",  # DeepEval, Phoenix, Opik, autoevals
    ),
    "answer": (
        "candidate_answer",  # document 004
        "response",  # Ragas, Azure, RAGChecker, RAGBench
        "actual_output",  # DeepEval
        "output",  # Phoenix, Opik, autoevals
    ),
    "contexts": (
        "provided_context",  # document 004
        "retrieved_contexts",  # Ragas
        "retrieval_context",  # DeepEval; its "context" is the ideal one, so this wins
        "retrieved_context",  # RAGChecker
        "context",  # Phoenix, Opik, autoevals, Azure
        "source_documents",  # LangChain
        "documents",  # RAGBench, Haystack
    ),
    "reference": (
        "reference_answer",  # document 004
        "ground_truth",  # Ragas v1, Azure
        "expected_output",  # DeepEval
        "gt_answer",  # RAGChecker
    ),
}
ANSWER_KEYS = frozenset({"answer", "refusal", "grounding_status", *ALIASES["answer"]})
MOST_NAMES = 16_384  # of a record or a table: as many columns as a sheet of Excel has
ONE_CONTEXT = ("passage", "document", "chunk")  # what a numbered column of contexts may be called as well

_RANKED = {name: (name, *ALIASES.get(name, ())) for name in FIELDS}
_NUMBERED = re.compile(r"(.{1,60}?)[ _.\-\[]{0,3}([0-9]{1,4})\]?(?:[ _.](?:text|content))?")
_FOLDED = str.maketrans("", "", " _-")


def names_of(field: str) -> tuple[str, ...]:
    """Return the names that a field is understood by, its own first."""
    return _RANKED[field]


def folded(key: str) -> str:
    """Return a name without what tools write differently: capitals, spaces, hyphens and underscores."""
    return key.strip().casefold().translate(_FOLDED)


_FORMS = {field: {name: folded(name) for name in names} for field, names in _RANKED.items()}
_EVERY_FORM = frozenset(form for forms in _FORMS.values() for form in forms.values())


def field_keys(keys: Iterable[str]) -> list[str]:
    """Return those of ``keys`` that name any field: a record may have a million others."""
    return [key for key in keys if folded(key) in _EVERY_FORM]


def ranked_keys(field: str, keys: Iterable[str]) -> tuple[str, ...]:
    """Return those of ``keys`` that name a field, the one that wins first; a name as it is written here goes first."""
    given = {key: folded(key) for key in keys}
    found = [
        key
        for name, wanted in _FORMS[field].items()
        for key, form in sorted(given.items(), key=lambda pair: pair[0] != name)
        if form == wanted
    ]
    return tuple(dict.fromkeys(found))


def numbered_contexts(keys: Sequence[str], *, stem: str | None = None) -> tuple[str, ...]:
    """Return the columns that hold one passage each, such as ``context_1``, in the order of their numbers.

    ``stem`` is what they are called before the number, where it is none of the known names.
    """
    wanted = {folded(name) for name in ((*_RANKED["contexts"], *ONE_CONTEXT) if stem is None else (stem,))}
    wanted |= {name.removesuffix("s") for name in wanted}
    found, last, fits = [], None, False
    for order, key in enumerate(keys):
        match = _NUMBERED.fullmatch(key.strip())
        if match is None:
            continue
        if match[1] != last:  # of a million numbered columns most are called alike
            last = match[1]
            fits = folded(last) in wanted
        if fits:
            found.append((int(match[2]), order, key))
    return tuple(key for _, _, key in sorted(found))
