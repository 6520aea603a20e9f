"""What a refusal gives away that its asker may not see: a collection, a title, a source, the words of a passage."""

import re
from collections.abc import Iterator

from plumbrule.prescores.checks import Spot, spot_in
from plumbrule.prescores.study import Study
from plumbrule.samples.sample_model import Refusal
from plumbrule.text.phrases import contains_any, find_phrase
from plumbrule.text.text_view import TextView

_PLAIN_WORD = re.compile(r"[a-z]+")


def find_leaks(study: Study, refusal: Refusal) -> Iterator[Spot]:
    """Yield each place of a refusal that names what it should not."""
    names, collections = _names(study)
    markers = study.policy.compliance.refusal.collection_words
    for where, text in refusal_texts(refusal):
        folded = _folded(text)
        for name in (name for name in names if _folded(name) in folded):
            for match in find_phrase(text, name):
                yield spot_in(where, text, match.start(), match.end())
        for name in (name for name in collections if _folded(name) in folded):
            for match in find_phrase(text, name):
                sentence = TextView(text).sentence_at(match.start())
                if contains_any(text[sentence.start : sentence.end], markers) is not None:
                    yield spot_in(where, text, match.start(), match.end())
        yield from _repeated(study, where, text)


def refusal_texts(refusal: Refusal) -> Iterator[tuple[str, str]]:
    """Yield every text of a refusal with its place."""
    parts = (
        ("refusal.reason", refusal.reason),
        ("refusal.user_guidance", refusal.user_guidance),
        *((f"refusal.next_steps[{index}]", step) for index, step in enumerate(refusal.next_steps)),
        ("refusal.retrieval_summary", refusal.retrieval_summary),
        ("refusal.conflict_summary", refusal.conflict_summary),
    )
    for where, value in parts:
        yield from _leaves(where, value)


def _leaves(where: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str) and value:
        yield where, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{where}.{key}", inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(f"{where}[{index}]", inner)


def _folded(text: str) -> str:
    """Return a text as phrases are looked for in it; a quick look spares most names the slow one."""
    return " ".join(text.casefold().replace("’", "'").split())


def _names(study: Study) -> tuple[list[str], list[str]]:
    """Return the names that give a thing away by themselves, and the plain words that do so only as a collection."""
    interaction = study.interaction
    corpus, trace = interaction.corpus, interaction.trace
    whole: dict[str, None] = {}
    collections: dict[str, None] = {}
    for passage in interaction.passages:
        whole |= dict.fromkeys(name for name in (passage.source_id, passage.title, passage.id) if name)
        collections |= dict.fromkeys([passage.collection] if passage.collection else [])
    if corpus is not None:
        whole |= dict.fromkeys((*sorted(corpus.sources), *corpus.titles))
        collections |= dict.fromkeys(corpus.collections)
    if trace is not None:
        collections |= dict.fromkeys(trace.retrieval.collections_searched or ())
    plain = [name for name in collections if _PLAIN_WORD.fullmatch(name)]
    return [*whole, *(name for name in collections if name not in plain)], plain


def _repeated(study: Study, where: str, text: str) -> Iterator[Spot]:
    """Yield a run of words that a passage has too."""
    least = study.policy.compliance.refusal.leak_words
    view = TextView(text)
    for passage in study.passages:
        known = set(zip(*(passage.lemmas[shift:] for shift in range(least)), strict=False))
        for first in range(len(view.lemmas) - least + 1):
            if tuple(view.lemmas[first : first + least]) in known:
                yield spot_in(where, text, view.spans[0][first], view.spans[1][first + least - 1])
                break
