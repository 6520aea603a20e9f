"""The words that the support score knows: the lists and the thesaurus that ship with its model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from plumbrule.rubrics.yaml_reader import read_yaml
from plumbrule.text.tokens import lemmas

WORD_FILES = ("words.yaml", "thesaurus.tsv")
_LONGEST_NUMBERED = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportWords:
    """What turns a meaning round, how strong a word is, what claims nothing."""

    stop: frozenset[str]
    negations: frozenset[str]
    idle: frozenset[str]
    conditions: frozenset[str]
    opening_denials: tuple[str, ...]
    antonyms: dict[str, frozenset[str]]
    turning_prefixes: tuple[str, ...]
    strengths: tuple[tuple[frozenset[str], frozenset[str]], ...]  # strong words, and the weaker ones of their kind
    speakers: frozenset[str]
    pronouns: frozenset[str]
    small_numbers: frozenset[str]
    talk: frozenset[str]
    courtesies: tuple[str, ...]
    particles: frozenset[str]
    greeting: re.Pattern[str]
    openings: tuple[str, ...]
    unknowns: tuple[str, ...]
    unknowns_of_sources: tuple[str, ...]
    sources: frozenset[str]
    numbered: re.Pattern[str]
    days: tuple[str, ...]
    day_forms: dict[str, str]  # what a key may call a day
    day_spans: dict[str, tuple[str, str]]
    every_day: re.Pattern[str]
    shut: frozenset[str]
    shut_said: str
    turns: frozenset[str]
    restarts: frozenset[str]
    written_as: dict[str, str]
    thesaurus: "Thesaurus"

    def numbers(self, text: str, at: int) -> bool:
        """Tell whether what stands before a number makes it the number of a source or of a step: "passage 3"."""
        return self.numbered.search(text, max(0, at - _LONGEST_NUMBERED), at) is not None


class Thesaurus:
    """Which words mean the same and which the opposite; from WordNet, see the notice beside the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._entries: dict[str, str] = {}
        for line in lines:
            word, _, rest = line.partition("\t")
            self._entries[word] = rest

    def __contains__(self, lemma: str) -> bool:
        return lemma in self._entries

    def kind(self, lemma: str) -> str:
        """Return v for a verb, r for an adverb, - for any other word."""
        return self._entries.get(lemma, "-")[0]

    def synonyms(self, lemma: str) -> list[str]:
        """Return the words that may say the same."""
        entry = self._entries.get(lemma)
        return entry.split("\t")[1].split() if entry else []

    def antonyms(self, lemma: str) -> list[str]:
        """Return the words that say the opposite."""
        entry = self._entries.get(lemma)
        return entry.split("\t")[2].split() if entry else []


@cache
def support_words() -> SupportWords:
    """Return the words that ship, read once."""
    raw: dict[str, Any] = read_yaml(read_data("words.yaml").decode(), where="words.yaml").content
    thesaurus = Thesaurus(read_data("thesaurus.tsv").decode().splitlines())
    return SupportWords(
        stop=_lemma_set(raw["stop"]),
        negations=_lemma_set(raw["negations"]),
        idle=_lemma_set(raw["idle"]),
        conditions=_lemma_set(raw["conditions"]),
        opening_denials=tuple(raw["opening_denials"]),
        antonyms=_antonyms(raw["antonyms"]),
        turning_prefixes=tuple(raw["turning_prefixes"]),
        strengths=tuple((_lemma_set(kind["strong"]), _lemma_set(kind["weak"])) for kind in raw["strengths"]),
        speakers=_lemma_set(raw["speakers"]),
        pronouns=_lemma_set(raw["pronouns"]),
        small_numbers=frozenset(raw["small_numbers"]),
        talk=_lemma_set(raw["talk"]),
        courtesies=tuple(raw["courtesies"]),
        particles=frozenset(raw["particles"]),
        greeting=re.compile(rf"(?i:{'|'.join(map(re.escape, raw['greetings']))})(?:,? [A-Z]\w*){{0,2}}"),
        openings=tuple(raw["openings"]),
        unknowns=tuple(raw["unknowns"]),
        unknowns_of_sources=tuple(raw["unknowns_of_sources"]),
        sources=_lemma_set(raw["sources"]),
        numbered=re.compile(rf"(?i)\b(?:{'|'.join(raw['numbered'])})s?\s+#?(?:\d+\s*(?:,|and|&|-|to)\s*)*\Z"),
        days=tuple(raw["days"]),
        day_forms={lemma: day for day, forms in raw["days"].items() for lemma in _lemma_set([day, *forms])},
        day_spans={name: (first, last) for name, (first, last) in raw["day_spans"].items()},
        every_day=re.compile(rf"\b(?:{'|'.join(map(re.escape, raw['every_day']))})\b"),
        shut=_lemma_set(raw["shut"]),
        shut_said=raw["shut_said"],
        turns=_lemma_set(raw["turns"]),
        restarts=_lemma_set(raw["restarts"]),
        written_as=raw["written_as"],
        thesaurus=thesaurus,
    )


def read_data(name: str) -> bytes:
    """Return a data file that ships with the support score."""
    return files(__package__).joinpath(name).read_bytes()


def _antonyms(pairs: list[list[str]]) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in pairs:
        one, other = map(_lemma, pair)
        table.setdefault(one, set()).add(other)
        table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


def _lemma(word: str) -> str:
    return lemmas(word)[-1]


def _lemma_set(listed: list[str]) -> frozenset[str]:
    return frozenset(listed) | {_lemma(word) for word in listed}
