"""Finds passages by the words of a question: the share of its words, by their rarity, that a passage has."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from plumbrule.suites.suite_files import corpus_path
from plumbrule.text.sentences import sentences
from plumbrule.text.tokens import lemmas

POLICY = json.loads(Path(__file__).with_name("policy.json").read_text(encoding="utf-8"))

STOP = frozenset(POLICY["stop_words"].split())
KIND = frozenset(POLICY["kind_words"].split())
_SAME = {word: group[0] for group in POLICY["same_words"] for word in group}


def content_words(text: str) -> list[str]:
    """Return the words of a text that name something, as lemmas, each once; words of one meaning are one word."""
    named = (lemma for lemma in lemmas(text) if lemma not in STOP and lemma not in KIND)
    return list(dict.fromkeys(_SAME.get(lemma, lemma) for lemma in named))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage with its score, its words and its sentences; the first sentence is its heading where it has one."""

    passage: dict[str, str]
    score: float
    words: frozenset[str] = field(default=frozenset())
    heading: frozenset[str] = field(default=frozenset())
    sentences: tuple[str, ...] = ()


class Index:
    """The corpus, with how rare each word of it is."""

    def __init__(self, passages: list[dict[str, str]]) -> None:
        self._passages = passages
        self._found = [_read(passage, 0.0) for passage in passages]
        self.collections = sorted({passage["collection"] for passage in passages})
        self._count = Counter(word for each in self._found for word in each.words)
        sources = {(word, each.passage["source_id"]) for each in self._found for word in each.words}
        self._sources = Counter(word for word, _ in sources)

    def weight(self, word: str) -> float:
        """Return how much a word tells: the rarer, the more."""
        count = self._count[word]
        return math.log(1 + (len(self._passages) - count + 0.5) / (count + 0.5))

    def sources_with(self, word: str) -> int:
        """Return how many documents have a word."""
        return self._sources[word]

    def share(self, words: Iterable[str], there: frozenset[str]) -> float:
        """Return the share of the words, by weight, that are there."""
        wanted = list(words)
        total = math.fsum(self.weight(word) for word in wanted)
        return math.fsum(self.weight(word) for word in wanted if word in there) / total if total else 0.0

    def search(self, words: list[str], closed: list[str]) -> list[Found]:
        """Return the passages that share words with the question, the best first, without the closed collections."""
        scored = [
            _read(each.passage, round(math.sqrt(self.share(words, each.words)), 4))
            for each in self._found
            if each.passage["collection"] not in closed and not each.words.isdisjoint(words)
        ]
        return sorted(scored, key=lambda each: (-each.score, each.passage["id"]))[: POLICY["most_passages"]]

    def given(self, passages: list[dict[str, object]], words: list[str]) -> list[Found]:
        """Return passages that were given in place of a search; one without a score is scored here."""
        found = []
        for given in passages:
            passage = {name: str(value) for name, value in given.items() if value is not None}
            score = given.get("score")
            own = score if isinstance(score, int | float) else math.sqrt(self.share(words, _read(passage, 0.0).words))
            found.append(_read(passage, round(float(own), 4)))
        return sorted(found, key=lambda each: -each.score)


def _read(passage: dict[str, str], score: float) -> Found:
    text = passage["text"]
    parts = tuple(text[start:end].strip() for start, end in sentences(text))
    title = f"{passage.get('title', '')}. {parts[0] if len(parts) > 1 and len(parts[0]) < 60 else ''}"
    return Found(
        passage=passage,
        score=score,
        words=frozenset(content_words(f"{title} {text}")),
        heading=frozenset(content_words(title)),
        sentences=parts,
    )


def load_index() -> Index:
    """Return the index of the demo corpus."""
    return Index([json.loads(line) for line in corpus_path().read_text(encoding="utf-8").splitlines()])
