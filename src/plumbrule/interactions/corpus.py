"""The passages that an assistant can retrieve, by their id: from one file, or a folder of them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from plumbrule.errors import InputError
from plumbrule.files import read_file
from plumbrule.interactions.contract_findings import Finding, FindingLog
from plumbrule.interactions.evidence_files import Evidence, Record
from plumbrule.interactions.passages import has_text, named_as_here
from plumbrule.samples.byte_streams import MAX_RECORD_BYTES, Flaw
from plumbrule.samples.sample_fields import passage_of
from plumbrule.samples.sample_model import Passage
from plumbrule.samples.value_types import described

_TEXT_SUFFIXES = (".txt", ".md")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusNames:
    """What the corpus calls things: enough to know a cited source, and to see that one was named."""

    sources: frozenset[str]
    titles: tuple[str, ...]
    collections: tuple[str, ...]


class Corpus:
    """Passages by id and by source, held in memory."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._by_id: dict[str, Passage] = {}
        self._by_source: dict[str, list[Passage]] = {}
        self._names: CorpusNames | None = None

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, passage: Passage, where: str) -> None:
        """Take in one passage; the first of an id stands, and another text under the same id is noted."""
        log = FindingLog(where)
        if passage.id is None:
            log.add("field_missing", "a passage has no passage_id, so nothing can name it")
        elif passage.id in self._by_id:
            if self._by_id[passage.id].text != passage.text:
                log.add("passage_twice", f"passage {described(passage.id)} stands twice, with different texts")
        else:
            self._names = None
            self._by_id[passage.id] = passage
            if passage.source_id is not None:
                self._by_source.setdefault(passage.source_id, []).append(passage)
        self.findings += log.findings

    def passage(self, id_: str) -> Passage | None:
        """Return the passage with this id."""
        return self._by_id.get(id_)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All of them, in the order in which they came."""
        return tuple(self._by_id.values())

    def of_source(self, source_id: str) -> list[Passage]:
        """Return the passages of one source."""
        return self._by_source.get(source_id, [])

    @property
    def names(self) -> CorpusNames:
        """The sources, titles and collections there are; one value that all interactions share."""
        if self._names is None:
            passages = self._by_id.values()
            self._names = CorpusNames(
                sources=frozenset(self._by_source),
                titles=tuple(sorted({passage.title for passage in passages if passage.title})),
                collections=tuple(sorted({passage.collection for passage in passages if passage.collection})),
            )
        return self._names


def read_corpus(source: str | os.PathLike[str]) -> Corpus:
    """Read passages from a JSON or JSONL file, or from a folder of such files, of texts, or of one file each."""
    corpus = Corpus()
    evidence = Evidence(source, also=_TEXT_SUFFIXES)
    for record in evidence.records():
        _take_in(corpus, record)
    for path in evidence.texts:
        corpus.add(Passage(text=_text_of(path), id=path.stem), str(path))
    corpus.findings += evidence.skipped()
    if not len(corpus):
        first = f": {corpus.findings[0].message}" if corpus.findings else ""
        raise InputError(f"{source}: not one passage could be read from it{first}")
    return corpus


def _take_in(corpus: Corpus, record: Record) -> None:
    log = FindingLog(record.where)
    if isinstance(record.value, Flaw):
        log.add("record_bad", record.value.reason)
    else:
        for entry in _entries(record.value):
            passage = log.take(passage_of, "passage", named_as_here(entry))
            if passage is not None:
                corpus.add(passage, record.where)
    corpus.findings += log.findings


def _entries(value: object) -> Iterator[object]:
    """Yield the passages of one record: it is one, holds a list of them, or names each by its id."""
    if not isinstance(value, Mapping) or has_text(value):
        yield value
    elif isinstance(value.get("passages"), list):
        yield from value["passages"]
    elif value and all(has_text(inner) for inner in value.values()):
        for id_, inner in value.items():
            yield {"text": inner, "id": id_} if isinstance(inner, str) else {"id": id_, **inner}
    else:
        yield value


def _text_of(path: Path) -> str:
    try:
        return read_file(path, most=MAX_RECORD_BYTES).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file in UTF-8") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
