"""What WordNet says of common words: synonyms of verbs, opposites, and nouns of the same kind."""

from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

_PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_COMMON = 3  # times a word was tagged in WordNet's own texts
_MOSTLY = 0.6  # share of its uses in which a word is of the part of speech: no "long" as a verb
_MOST_SIBLINGS = 60  # a kind with more members is too wide to mean much: "person", "city"


class Words(NamedTuple):
    """Other words for a lemma, by what they do to a sentence."""

    synonyms: dict[str, list[str]]
    antonyms: dict[str, list[str]]
    siblings: dict[str, list[str]]


class _Synset(NamedTuple):
    words: list[str]
    above: list[str]
    opposites: list[tuple[int, str, int]]  # number of the own word, the other synset, number of its word


def read_words(folder: Path) -> Words:
    """Return the words of the folder with WordNet's data.* files and index.sense."""
    counts: dict[str, int] = defaultdict(int)
    by_part: dict[str, int] = defaultdict(int)
    first: dict[str, str] = {}  # part of speech and offset of a lemma's first sense
    for line in (folder / "index.sense").read_text(encoding="utf-8").splitlines():
        key, offset, number, count = line.split()
        lemma, sense = key.split("%")
        part = "nvara"[int(sense[0]) - 1]
        counts[lemma] += int(count)
        by_part[part + lemma] += int(count)
        if number == "1":
            first[part + lemma] = part + offset
    first = {key: offset for key, offset in first.items() if by_part[key] >= _MOSTLY * counts[key[1:]]}
    synsets = {
        part + line[:8]: _read_synset(line)
        for part, name in _PARTS.items()
        for line in (folder / f"data.{name}").read_text(encoding="utf-8").splitlines()
        if line[0] != " "
    }
    common = {lemma for lemma, count in counts.items() if count >= _COMMON and lemma.isalpha()}
    return Words(
        synonyms={
            key[1:]: others
            for key, offset in sorted(first.items())
            if key[0] == "v" and (others := _others(synsets[offset].words, key[1:], common))
        },
        antonyms=_antonyms(synsets, common),
        siblings=_siblings(first, synsets, common),
    )


def _read_synset(line: str) -> _Synset:
    fields = line.partition(" | ")[0].split()
    size = int(fields[3], 16)
    words = [word.split("(")[0].lower() for word in fields[4 : 4 + 2 * size : 2]]
    above, opposites = [], []
    at = 4 + 2 * size
    for index in range(at + 1, at + 1 + 4 * int(fields[at]), 4):
        symbol, offset, part, numbers = fields[index : index + 4]
        if symbol == "@":
            above.append(part + offset)
        elif symbol == "!":
            own, other = divmod(int(numbers, 16), 256)
            opposites.append((own, part.replace("s", "a") + offset, other))
    return _Synset(words, above, opposites)


def _others(words: list[str], lemma: str, common: set[str]) -> list[str]:
    return [word for word in words if word != lemma and word in common]


def _antonyms(synsets: dict[str, _Synset], common: set[str]) -> dict[str, list[str]]:
    antonyms: dict[str, list[str]] = defaultdict(list)
    for synset in synsets.values():
        for own, offset, other in synset.opposites:
            word, opposite = synset.words[own - 1], synsets[offset].words[other - 1]
            if word in common and opposite in common and opposite not in antonyms[word]:
                antonyms[word].append(opposite)
    return {word: sorted(others) for word, others in antonyms.items() if others}


def _siblings(first: dict[str, str], synsets: dict[str, _Synset], common: set[str]) -> dict[str, list[str]]:
    members: dict[str, list[str]] = defaultdict(list)
    kinds: dict[str, list[str]] = {}
    for key, offset in sorted(first.items()):
        if key[0] == "n" and key[1:] in common:
            kinds[key[1:]] = synsets[offset].above
            for kind in synsets[offset].above:
                members[kind].append(key[1:])
    siblings = {}
    for lemma, above in kinds.items():
        same = set(synsets[first["n" + lemma]].words)
        others = sorted({word for kind in above for word in members[kind]} - same)
        if 0 < len(others) <= _MOST_SIBLINGS:
            siblings[lemma] = others
    return siblings
