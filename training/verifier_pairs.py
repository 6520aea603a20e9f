"""Pairs of evidence and sentence to fit a verifier to: those that people labelled, and those made by rule."""

import gzip
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

from plumbrule.text.sentences import sentences
from plumbrule.text.tokens import lemmas
from training.verifier_edits import corrupt, paraphrase
from training.verifier_words import Words

DATA_SETS = {
    "begin": ("begin",),
    "expertqa": ("expertqa_claims",),
    "ragtruth": ("ragtruth",),
    "summedits": ("summedits",),
    "wice": ("wice_claim_full", "wice_claim_oracle"),
}
_REACH = 1  # sentences on either side of the best one
_MOST_WORDS = 90
_LONGEST = 60  # words of a sentence that is learned from
_SHORTEST = 3
_LIKE = 0.75  # share of its words that another sentence may have and still be another
_CANDIDATES = 4  # neighbourhoods looked at
_RULE_WEIGHT = 0.5

Row = dict[str, Any]


class Pair(NamedTuple):
    """A sentence with evidence, and whether the evidence supports it."""

    evidence: str
    sentence: str
    supported: bool
    weight: float
    kind: str


def read_data(folder: Path) -> dict[str, dict[str, list[Row]]]:
    """Return the rows of each data set, by file."""
    return {name: {file: _read(folder / f"{file}.jsonl.gz") for file in files} for name, files in DATA_SETS.items()}


def _read(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Evidence:
    """The contexts of an answer as one row of sentences, in which windows are found by the words they share."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self.units = [unit for context in contexts for unit in _cut(context)]
        self.words = [frozenset(lemmas(unit)) for unit in self.units]
        self._sizes = [len(unit.split()) for unit in self.units]
        counts = Counter(word for unit in self.words for word in unit)
        self._idf = {word: log(1 + len(self.units) / count) for word, count in counts.items()}
        self._holders: dict[str, list[int]] = defaultdict(list)
        for index, unit in enumerate(self.words):
            for word in unit:
                self._holders[word].append(index)

    def windows(self, sentence: str, count: int, without: int | None = None) -> list[str]:
        """Return the best windows for a sentence, best first, and none that holds the unit ``without``."""
        wanted = frozenset(lemmas(sentence)) & self._idf.keys()
        shares: dict[int, float] = defaultdict(float)
        for word in sorted(wanted):
            for index in self._holders[word]:
                shares[index] += self._idf[word]
        best = sorted(shares, key=lambda index: (-shares[index], index))[: _CANDIDATES * count]
        scored: dict[tuple[int, int], float] = {}
        for index in best or range(min(1, len(self.units))):
            first, last = self.around(index, _REACH, without)
            if first <= last:
                held = frozenset().union(*self.words[first : last + 1]) & wanted
                scored[first, last] = sum(self._idf[word] for word in sorted(held))
        chosen: list[tuple[int, int]] = []
        for first, last in sorted(scored, key=lambda window: (-scored[window], window)):
            if all(abs(first - other) > _REACH for other, _ in chosen):
                chosen.append((first, last))
        return [self.text(first, last) for first, last in chosen[:count]]

    def around(self, index: int, reach: int, without: int | None = None) -> tuple[int, int]:
        """Return the first and last unit around one, as far as the words allow; none is a window from 1 to 0."""
        if index == without:
            return 1, 0
        first = last = index
        size = self._sizes[index]
        for _ in range(reach):
            for step in (-1, 1):
                other = first - 1 if step < 0 else last + 1
                if 0 <= other < len(self.units) and other != without and size + self._sizes[other] <= _MOST_WORDS:
                    first, last = min(first, other), max(last, other)
                    size += self._sizes[other]
        return first, last

    def text(self, first: int, last: int) -> str:
        """Return the text of a run of units."""
        return " ".join(self.units[first : last + 1])


def _cut(context: str) -> list[str]:
    """Return the sentences of a context, or the facts of one in JSON."""
    try:
        parsed = json.loads(context)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict | list):
        return list(_facts(parsed, ""))
    return [" ".join(context[start:end].split()) for start, end in sentences(context)]


def _facts(value: Any, name: str) -> Iterator[str]:
    """Give a line for each mapping of plain values, and the sentences of long texts."""
    if isinstance(value, dict):
        plain = [(key, each) for key, each in value.items() if not isinstance(each, dict | list)]
        short = [f"{_spaced(key)}: {_worded(each)}" for key, each in plain if len(str(each)) <= 200]
        if short:
            yield (f"{_spaced(name)}: " if name else "") + ", ".join(short)
        for key, each in value.items():
            if isinstance(each, dict | list) or len(str(each)) > 200:
                yield from _facts(each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _facts(each, name)
    else:
        yield from (" ".join(str(value)[start:end].split()) for start, end in sentences(str(value)))


def _spaced(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)


def _worded(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def answer_sentences(answer: str) -> list[tuple[int, int]]:
    """Return where the sentences of an answer stand; an answer with no words is one sentence."""
    found = [(start, end) for start, end in sentences(answer) if lemmas(answer[start:end])]
    return found or [(0, len(answer))]


def labelled_pairs(rows: Sequence[Row]) -> list[Pair]:
    """Return the pairs of the answers that people judged, classes weighing the same."""
    found: list[tuple[str, str, bool]] = []
    for row in rows:
        evidence = evidence_of(row["contexts"])
        for sentence, supported in _labelled_sentences(row, evidence):
            if _SHORTEST <= len(sentence.split()) <= _LONGEST:
                windows = evidence.windows(sentence, 1 if supported else 2)
                found += [(window, sentence, supported) for window in windows]
    counts = Counter(supported for *_, supported in found)
    return [
        Pair(window, sentence, supported, len(found) / (2 * counts[supported]), "labelled")
        for window, sentence, supported in found
    ]


def _labelled_sentences(row: Row, evidence: Evidence) -> list[tuple[str, bool]]:
    """Return the sentences of which the label is known, or of which one is likely the unsupported one."""
    answer = row["answer"]
    places = answer_sentences(answer)
    texts = [answer[start:end] for start, end in places]
    if not row["label"]:
        return [(text, True) for text in texts]
    if row["spans"]:
        marked = [any(span["start"] < end and start < span["end"] for span in row["spans"]) for start, end in places]
        return [(text, not bad) for text, bad in zip(texts, marked, strict=True)]
    known = frozenset().union(*evidence.words)
    return [(min(texts, key=lambda text: _overlap(frozenset(lemmas(text)), known)), False)]


def _overlap(words: frozenset[str], known: frozenset[str]) -> float:
    return len(words & known) / max(1, len(words))


_KEPT: dict[tuple[str, ...], Evidence] = {}


def evidence_of(contexts: Sequence[str]) -> Evidence:
    """Return the evidence of contexts, read once."""
    key = tuple(contexts)
    if key not in _KEPT:
        _KEPT[key] = Evidence(key)
    return _KEPT[key]


def rule_pairs(rows: Sequence[Row], words: Words, *, count: int, seed: int) -> list[Pair]:
    """Return ``count`` pairs made by rule from the sentences of the contexts, as many supported as not."""
    rng = random.Random(seed)  # noqa: S311 - a choice of examples, not a secret
    distinct = sorted({tuple(row["contexts"]) for row in rows})
    sources = [
        (contexts, index)
        for contexts in distinct
        for index, unit in enumerate(evidence_of(contexts).units)
        if 6 <= len(unit.split()) <= 45
    ]
    names = sorted({name for contexts in distinct for name in _names(" ".join(contexts))})
    made: dict[bool, list[Pair]] = {True: [], False: []}
    while sources and min(map(len, made.values())) < count // 2:
        rng.shuffle(sources)
        for contexts, index in sources:
            for pair in _made(rng, evidence_of(contexts), index, words, names):
                made[pair.supported].append(pair)
            if min(map(len, made.values())) >= count // 2:
                break
    return [pair for pairs in made.values() for pair in rng.sample(pairs, min(len(pairs), count // 2))]


def _names(text: str) -> list[str]:
    return re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,}", text)


def _made(rng: random.Random, evidence: Evidence, index: int, words: Words, names: Sequence[str]) -> Iterator[Pair]:
    """Give pairs from one sentence: with its own surroundings, changed or not, and with others that lack it."""
    unit = evidence.units[index]
    own = evidence.text(*evidence.around(index, rng.choice((0, 1, 1))))
    near = sorted(set(_names(own)) - set(_names(unit))) or sorted(rng.sample(names, min(3, len(names))))
    for _ in range(2):
        yield Pair(own, paraphrase(rng, unit, words), supported=True, weight=_RULE_WEIGHT, kind="supported")
    for kind, changed in corrupt(rng, unit, words, near, 3):
        yield Pair(own, paraphrase(rng, changed, words), supported=False, weight=_RULE_WEIGHT, kind=kind)
    if rng.random() < 0.3:
        for window in evidence.windows(unit, 1, without=index):
            if _overlap(evidence.words[index], frozenset(lemmas(window))) < _LIKE:
                yield Pair(window, paraphrase(rng, unit, words), supported=False, weight=_RULE_WEIGHT, kind="elsewhere")
