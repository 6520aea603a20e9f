"""The words that the support score knows: the lists and the thesaurus that ship with its model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from plumbrule.rubrics.yaml_reader import read_yaml
from plumbrule.support.constants import Constants, MeasureConstants, load_constants, read_data
from plumbrule.text.tokens import lemmas
from plumbrule.text.work_limits import MOST_WORDS

WORD_FILES = ("words.yaml", "thesaurus.tsv")
Truth = Literal["yes", "no", "unknown"]

# Lists of the words file: those whose words count in every form, those that count as they are, and phrases in order.
_LEMMA_LISTS = (
    "stop", "negations", "idle", "conditions", "speakers", "pronouns", "talk", "sources", "shut", "turns", "restarts",
    "links",
)  # fmt: skip
_WORD_LISTS = ("small_numbers", "particles", "day_ranges", "day_joins", "name_joins")
_PHRASE_LISTS = (
    "opening_denials", "turning_prefixes", "courtesies", "openings", "unknowns", "unknowns_of_sources", "days",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportWords:
    """What turns a meaning round, how strong a word is, what claims nothing; with the constants of a model."""

    constants: Constants
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
    day_ranges: frozenset[str]
    day_joins: frozenset[str]
    dashed_days: re.Pattern[str]  # "Monday-Friday", of which the dash is no word
    every_day: re.Pattern[str]
    shut: frozenset[str]
    shut_said: str
    open_said: str
    truths: dict[str, Truth]  # what a value of data says of its key
    literal_truths: dict[str, Truth]
    turns: frozenset[str]
    restarts: frozenset[str]
    links: frozenset[str]
    name_joins: frozenset[str]
    written_as: dict[str, str]
    thesaurus: "Thesaurus"
    weights: "WordWeights"
    opposites: "Opposites"

    def numbers(self, text: str, at: int) -> bool:
        """Tell whether what stands before a number makes it the number of a source or of a step: "passage 3"."""
        return self.numbered.search(text, max(0, at - self.constants.words.longest_numbered), at) is not None


class Thesaurus:
    """Which words mean the same and which the opposite; from WordNet, see the notice beside the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._entries: dict[str, str] = {}
        self._read: dict[str, tuple[list[str], list[str]]] = {}  # of the words that were asked for
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
        return self._others(lemma)[0]

    def antonyms(self, lemma: str) -> list[str]:
        """Return the words that say the opposite."""
        return self._others(lemma)[1]

    def _others(self, lemma: str) -> tuple[list[str], list[str]]:
        entry = self._entries.get(lemma)
        if not entry:
            return [], []
        known = self._read.get(lemma)
        if known is None:  # there are no more of them than the file has words
            _, synonyms, antonyms, *_ = entry.split("\t")
            known = self._read[lemma] = synonyms.split(), antonyms.split()
        return known


class WordWeights(dict[str, tuple[float, float]]):
    """What each word weighs among all contexts and in the evidence; emptied when full, so that memory stays flat."""

    def __init__(
        self, constants: MeasureConstants, stop: frozenset[str], talk: frozenset[str], thesaurus: Thesaurus
    ) -> None:
        super().__init__()
        self._constants, self._stop, self._talk, self._thesaurus = constants, stop, talk, thesaurus

    def __missing__(self, lemma: str) -> tuple[float, float]:
        if len(self) >= MOST_WORDS:
            self.clear()
        weights = self[lemma] = self._among_all(lemma), self._in_evidence(lemma)
        return weights

    def _among_all(self, lemma: str) -> float:
        constants = self._constants
        if lemma in self._talk:
            return constants.talk_weight
        if lemma in self._stop:
            return constants.stop_weight
        kind = self._thesaurus.kind(lemma)
        if kind == "v":
            return constants.verb_weight
        return constants.adverb_weight if kind == "r" else constants.plain_weight

    def _in_evidence(self, lemma: str) -> float:
        """Return the weight in the evidence: there an adverb weighs as much as any other word."""
        constants = self._constants
        if lemma in self._stop:
            return constants.stop_weight_in_evidence
        if lemma in self._talk:
            return constants.talk_weight
        return constants.verb_weight if self._thesaurus.kind(lemma) == "v" else constants.plain_weight


class Opposites(dict[str, frozenset[str]]):
    """The words that say the opposite of each; emptied when full, so that memory stays flat."""

    def __init__(
        self,
        listed: dict[str, frozenset[str]],
        plain: frozenset[str],
        prefixes: tuple[str, ...],
        least: int,
        thesaurus: Thesaurus,
    ) -> None:
        super().__init__()
        self._listed, self._plain, self._prefixes, self._least = listed, plain, prefixes, least
        self._thesaurus = thesaurus

    def __missing__(self, lemma: str) -> frozenset[str]:
        if len(self) >= MOST_WORDS:
            self.clear()
        opposites = self._listed.get(lemma, frozenset())
        if lemma not in self._plain:
            opposites = opposites.union(self._thesaurus.antonyms(lemma), self._by_prefix(lemma))
        self[lemma] = opposites
        return opposites

    def _by_prefix(self, lemma: str) -> list[str]:
        """Return the words that a prefix more or less makes of a word: unprofessional, professional."""
        prefixes, least = self._prefixes, self._least
        longer = [prefix + lemma for prefix in prefixes] if len(lemma) >= least else []
        shorter = [lemma.removeprefix(prefix) for prefix in prefixes if lemma.startswith(prefix)]
        return longer + [each for each in shorter if len(each) >= least]


def support_words(constants: Constants | None = None) -> SupportWords:
    """Return the words that ship, with the constants of a model: those that ship, where no others are given."""
    return _words_with(load_constants() if constants is None else constants)


@lru_cache(maxsize=2)  # the model that ships, and one that is tried beside it
def _words_with(constants: Constants) -> SupportWords:
    raw: dict[str, Any] = read_yaml(read_data("words.yaml").decode(), where="words.yaml").content
    thesaurus = Thesaurus(read_data("thesaurus.tsv").decode().splitlines())
    limits = constants.words
    names = rf"(?:,? [A-Z]\w*){{0,{limits.greeted_names}}}"
    joins = "|".join(map(re.escape, raw["number_joins"]))
    first_day = rf"(\w{{{limits.shortest_day},{limits.longest_first_day}}})"
    last_day = rf"(\w{{{limits.shortest_day},{limits.longest_last_day}}})"
    plain: dict[str, Any] = {
        **{name: _lemma_set(raw[name]) for name in _LEMMA_LISTS},
        **{name: frozenset(raw[name]) for name in _WORD_LISTS},
        **{name: tuple(raw[name]) for name in _PHRASE_LISTS},
        **{name: raw[name] for name in ("shut_said", "open_said", "literal_truths", "written_as")},
    }
    antonyms = _antonyms(raw["antonyms"])
    stop, talk = plain["stop"], plain["talk"]
    return SupportWords(
        **plain,
        constants=constants,
        antonyms=antonyms,
        strengths=tuple((_lemma_set(kind["strong"]), _lemma_set(kind["weak"])) for kind in raw["strengths"]),
        greeting=re.compile(rf"(?i:{'|'.join(map(re.escape, raw['greetings']))}){names}"),
        numbered=re.compile(rf"(?i)\b(?:{'|'.join(raw['numbered'])})s?\s+#?(?:\d+\s*(?:{joins})\s*)*\Z"),
        day_forms={lemma: day for day, forms in raw["days"].items() for lemma in _lemma_set([day, *forms])},
        day_spans={name: (first, last) for name, (first, last) in raw["day_spans"].items()},
        dashed_days=re.compile(rf"\b{first_day}\s?[-–—]\s?{last_day}\b"),
        every_day=re.compile(rf"\b(?:{'|'.join(map(re.escape, raw['every_day']))})\b"),
        truths={word: truth for truth, listed in raw["truths"].items() for word in listed},
        thesaurus=thesaurus,
        weights=WordWeights(constants.measures, stop, talk, thesaurus),
        opposites=Opposites(
            antonyms, stop | talk, plain["turning_prefixes"], constants.opposition.least_stem, thesaurus
        ),
    )


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
