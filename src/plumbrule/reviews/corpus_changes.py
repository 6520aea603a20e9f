"""What a new release of the corpus affects: the interactions that cite, retrieved or ask about what changed."""

from dataclasses import dataclass
from pathlib import Path

import orjson

from plumbrule.errors import InputError, UsageError
from plumbrule.files import read_file
from plumbrule.interactions.corpus import Corpus, read_corpus
from plumbrule.interactions.evidence_files import NamedFile
from plumbrule.interactions.interaction import Interaction
from plumbrule.rubrics import load_compliance, load_verdict
from plumbrule.samples.sample_model import Passage
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of

_LISTS = (".txt", ".csv", ".list")
_SHOWN = 60
_LARGEST_LIST = 1 << 24  # bytes; a larger file holds passages


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The ids that changed, of sources or of passages, and the texts of those that are known."""

    ids: tuple[str, ...]
    passages: tuple[Passage, ...]


def read_changes(given: str | NamedFile, corpus: Corpus | None) -> Changes:
    """Read what changed: ids with commas between them, a file with one id a line, or a file or folder of passages."""
    path, shown = Path(given), str(given)[:_SHOWN]
    if path.is_dir() or (path.is_file() and path.suffix.lower() not in _LISTS and _ids_in(path) is None):
        passages = read_corpus(given).passages
        named = [id_ for passage in passages for id_ in (passage.id, passage.source_id) if id_]
        return Changes(ids=tuple(dict.fromkeys(named)), passages=passages)
    listed = _ids_in(path) if path.is_file() else str(given).split(",")
    ids = tuple(dict.fromkeys(word.strip() for word in listed or () if word.strip()))
    if not ids:
        raise UsageError(f"--changed {shown}: names nothing; give source or passage ids, or a file of them")
    if path.suffix and not path.is_file() and len(ids) == 1:
        raise UsageError(f"--changed {shown}: there is no such file; ids are written with commas between them")
    known: list[Passage] = []
    if corpus is not None:
        single = (corpus.passage(id_) for id_ in ids)
        known = [
            *(passage for passage in single if passage),
            *(passage for id_ in ids for passage in corpus.of_source(id_)),
        ]
    return Changes(ids=ids, passages=tuple(dict.fromkeys(known)))


class Affected:
    """Finds what a change affects: by id, else by topic, where the texts that changed are known."""

    def __init__(self, changes: Changes) -> None:
        self._changed = frozenset(changes.ids)
        self._topic = lexicon_of(load_verdict().rubric).topic
        self._enough = load_compliance().rubric.retrieval.relevant_from
        self._texts = [(passage, TextView(passage.text).lemma_set) for passage in changes.passages if passage.text]
        self.met: set[str] = set()  # ids that some interaction names

    def reasons(self, interaction: Interaction) -> tuple[str, ...]:
        """Return why an interaction is affected; nothing where it is not."""
        sample, trace = interaction.sample, interaction.trace
        listed = trace.retrieval.passage_ids if trace is not None else ()
        retrieved = [id_ for passage in interaction.passages for id_ in (passage.id, passage.source_id)]
        named = {
            "cites": [citation.source_id for citation in sample.citations],
            "retrieved": [*retrieved, *listed, *interaction.unresolved],
        }
        reasons = [
            f"{how} {id_}" for how, ids in named.items() for id_ in dict.fromkeys(ids) if id_ and id_ in self._changed
        ]
        self.met.update(id_ for ids in named.values() for id_ in ids if id_ and id_ in self._changed)
        return tuple(reasons or self._by_topic(sample.question))

    def _by_topic(self, question: str) -> list[str]:
        words = self._topic.stop | self._topic.asking
        asked = {lemma for lemma in TextView(question).lemma_set if lemma not in words}
        if not asked:
            return []
        shared = [
            passage.id or passage.source_id or "a changed passage"
            for passage, lemmas in self._texts
            if len(asked & lemmas) >= self._enough * len(asked)
        ]
        return [f"asks about {shared[0]}"] if shared else []


def _ids_in(path: Path) -> list[str] | None:
    """Return the ids of a file that is a list of them; None where it holds passages."""
    try:
        if path.suffix.lower() not in _LISTS and path.stat().st_size > _LARGEST_LIST:
            return None
        content = read_file(path, most=_LARGEST_LIST)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if path.suffix.lower() in _LISTS:
        try:
            return content.decode("utf-8-sig").replace(",", "\n").splitlines()
        except UnicodeDecodeError:
            raise InputError(f"{path}: not a text file in UTF-8") from None
    try:
        listed = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    ids = isinstance(listed, list) and all(isinstance(id_, str) for id_ in listed)
    return listed if ids else None
