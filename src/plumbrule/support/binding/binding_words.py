"""The words and the constants of binding: typed parts of the model's data, covered by its hash."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import orjson

from plumbrule.rubrics.yaml_reader import read_yaml
from plumbrule.support.binding.chunk_signs import (
    CLOCK,
    COUNTED,
    EVERY_DAY,
    FREE,
    NUMBERED,
    SEVERAL,
    WEEKDAYS,
    WEEKENDS,
    ChunkSigns,
    telling_words,
)
from plumbrule.support.binding.trees import Trees, trees_of
from plumbrule.support.word_lists import SupportWords, support_words
from plumbrule.text.tokens import lemmas

BINDING_FILES = ("binding.json", "binding.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingConstants:
    """The numbers that shape a binding, as the model's data has them."""

    segment_decay: float  # of the weight of a word, with each mark or conjunction between it and a value
    later_share: float  # of the weight of a word in a later segment than the value
    question_weight: float  # of a word of the question beside the sentence's own
    before_weight: float  # of a word of the sentence before
    answer_weight: float  # of a word of any other sentence of the answer
    previous_weight: float  # of a word of the context's sentence before
    next_weight: float
    title_weight: float  # of a word of the context's opening
    title_words: int
    row_weight: float  # of a word of another cell of the row
    cell_weight: float  # of a word of the cell beside the value
    header_cell_weight: float  # of a word of a cell, for a value of its header
    form_share: float  # of a word that looks like another form of the word
    synonym_share: float
    stem: int  # letters that two forms of one word share at least
    form_letters: float  # share of the letters of the shorter form that they share at least
    smoothing: float  # of the duel's margin
    rarity_smoothing: float  # of the number of places that have a word
    column_share: float  # by which a rival of the same column counts more
    range_gain: float  # for a slot whose range has the asker's number
    unit_share: float  # of the margin against a rival in another unit
    swap_share: float  # by which a swap of two values must fit better to count
    most_rivals: int
    least_bound: float  # margin below which a value is bound for good
    shown_margin: float  # from which a rival is a contradiction that is shown
    shown_elsewhere: float  # the same, in an answer that binding does not decide on
    shown_step: float  # more of it for each value of an answer beyond a few: with many, some stand out by chance
    few_values: int
    rivalled: float  # fit from which the rival of a value that no context has speaks of the same thing
    rivalled_elsewhere: float  # the same, in an answer that binding does not decide on
    # the share of a sentence that its passage has, from which the passage's other value in the same place is shown
    shown_in_place: float  # where no context has the sentence's value
    shown_moved: float  # where a context has it elsewhere
    rounded: float  # share by which a converted or worked-out value may be rounded
    long_text: int  # characters from which a JSON value is text
    deepest: int  # levels of JSON that are read
    longest_side: int  # characters of what heads a cell, and of what stands beside it
    most_readings: int  # times that the length of a context is read as JSON in vain
    least_rows: int  # lines of a table
    candidates: int  # units that a sentence is aligned with
    least_run: int  # words of a run that counts as copied from another unit
    tail_reach: int  # words after the aligned stretch that may hold its condition
    head_reach: int
    stop_weight: float  # of a stop word in the share that is aligned
    run_weight: float  # of a copied word in the choice of the unit
    verbatim: float  # aligned share from which a sentence that changes nothing is a copy
    least_made_up: int  # words of a sentence that is made up, if no passage has one of them
    alone_share: float  # of the log-odds of coverage, in an answer that binding decides over one context alone
    longest_gap: int  # words between two runs that one of a sentence may stand for
    most_changes: int  # of a sentence that is a copy with a change
    most_answer_words: int  # of an answer that is short
    least_context_words: int  # of all contexts, so that few words of the question are enough
    least_asked: int  # words of the question that the only context has
    least_asked_unvalued: int  # the same where the answer has no value
    more_asked: int  # of them, where the contexts have fewer words than that
    most_document_words: int  # of contexts that are documents, so that they need no word of the question
    most_mentions: int  # values of an answer that are bound
    most_operands: int  # values of the contexts that another may follow from
    most_slots: int  # values of the contexts that are looked at
    most_units: int  # units of the contexts that are read
    most_sentences: int  # of an answer that are bound
    longest_question: int  # characters of a question that are read
    most_clauses: int  # of a sentence; what comes after them belongs to the last
    most_aligned: int  # words of a unit that a sentence is aligned with


@dataclass(frozen=True, slots=True, kw_only=True)
class BindingWords:
    """What binding knows of words, with the constants and the weights of its model."""

    constants: BindingConstants
    intercept: float
    weights: dict[str, float]  # of the measures that tell by themselves
    trees: Trees  # and what they tell together
    support_share: float  # of the log-odds of coverage, in an answer that binding decides
    support: SupportWords
    stop: frozenset[str]
    classes: dict[str, frozenset[str]]  # by lemma
    names: tuple[str, ...]
    negative: frozenset[str]
    denials: frozenset[str]  # the words that deny, of that class or negative
    swaps: tuple[tuple[str, str], ...]
    implied: tuple[tuple[str, str], ...]
    kept: frozenset[str]
    echoed: frozenset[str]
    affirming: frozenset[str]
    denying: frozenset[str]
    limits: tuple[str, ...]
    conditions: tuple[str, ...]
    joints: frozenset[str]
    asks: re.Pattern[str]  # what shows that a text asks something
    documents: re.Pattern[str]  # what says in a passage that it tells its reader what holds
    cues: re.Pattern[str]
    free: re.Pattern[str]
    numbered: re.Pattern[str]
    ordinals: dict[str, Fraction]
    fractions: dict[str, Fraction]
    several: re.Pattern[str]  # "three quarters"
    numerators: dict[str, Fraction]
    counted: re.Pattern[str]  # "twice", "first", "half", "fortnight"
    times: dict[str, Fraction]
    hours: dict[str, int]
    clock: re.Pattern[str]
    days: tuple[str, ...]
    months: tuple[str, ...]
    every_day: re.Pattern[str]
    weekdays: re.Pattern[str]
    weekends: re.Pattern[str]
    bounds: re.Pattern[str]
    under: frozenset[str]
    up_to: frozenset[str]
    over: frozenset[str]
    units: dict[str, str]
    prices: frozenset[str]
    small: frozenset[str]
    signs: ChunkSigns  # which of these patterns a text may hold


def read_binding_data(name: str) -> bytes:
    """Return a data file of binding."""
    return files(__package__).joinpath(name).read_bytes()


def _either(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def _phrases(words: Iterable[str]) -> str:
    """Return a pattern for words and signs: a word stands by itself, a sign anywhere."""
    letters = [word for word in words if word[0].isalnum()]
    signs = [word for word in words if not word[0].isalnum()]
    return rf"\b(?:{_either(letters)})\b" + (f"|{_either(signs)}" if signs else "")


def _asks(words: dict[str, list[str]]) -> re.Pattern[str]:
    """Return a pattern for a question: by its mark, unless an address has it, or by the words it opens with."""
    opening, relatives, verbs, subjects = (_either(words[name]) for name in ("words", "relatives", "verbs", "subjects"))
    return re.compile(
        rf"\?(?![\w/=&])|\A\W{{0,3}}(?:{verbs})\s(?!\s*not\b)|(?:\A|[.!:;–—-]\s)\W{{0,3}}(?:{relatives})\b"
        rf"|(?:\A|[.,!:;–—-]\s)\W{{0,3}}(?:(?:{opening})\b|(?:{verbs})\s{{1,3}}(?:{subjects})\b)",
        re.IGNORECASE,
    )


@cache
def binding_words() -> BindingWords:
    """Return the words, the constants and the weights that ship, read once."""
    raw: dict[str, Any] = read_yaml(read_binding_data("binding.yaml").decode(), where="binding.yaml").content
    model: dict[str, Any] = orjson.loads(read_binding_data("binding.json"))
    known = support_words()
    classes: dict[str, set[str]] = {}
    for name, words in raw["classes"].items():
        for word in words:
            for lemma in lemmas(word):
                classes.setdefault(lemma, set()).add(name)
    negative = frozenset(lemma for word in raw["negative"] for lemma in lemmas(word))
    hours = {word: at + 1 for at, word in enumerate(raw["hours"])}
    counted = [*raw["times"], *raw["ordinals"], *raw["fractions"], raw["fortnight"]]
    spoken = _either(hours)
    bounds = _either([*raw["under"], *raw["up_to"], *raw["over"], *raw["from"]])
    return BindingWords(
        constants=BindingConstants(**model["constants"]),
        intercept=model["intercept"],
        weights=model["weights"],
        trees=trees_of(model["trees"]),
        support_share=model["support_share"],
        support=known,
        stop=known.stop - {lemma for word in raw["roles"] for lemma in lemmas(word)},
        classes={lemma: frozenset(names) for lemma, names in classes.items()},
        names=tuple(raw["classes"]),
        negative=negative,
        denials=negative.union([lemma for lemma, names in classes.items() if "deny" in names]),
        swaps=tuple((one, other) for one, other in raw["swaps"]),
        implied=tuple((one, other) for one, other in raw["implied"]),
        kept=frozenset(raw["kept"]),
        echoed=frozenset(raw["echoed"]),
        affirming=frozenset(raw["affirming"]),
        denying=frozenset(raw["denying"]),
        limits=tuple(raw["limits"]),
        conditions=tuple(raw["conditions"]),
        joints=frozenset(raw["joints"]),
        asks=_asks(raw["asks"]),
        documents=re.compile(_phrases(raw["documents"]), re.IGNORECASE),
        cues=re.compile(_phrases(raw["cues"]), re.IGNORECASE),
        free=re.compile(rf"\b(?:{_either(raw['free'])})\b(?!-)(?! (?:{_either(raw['not_free'])})\b)", re.IGNORECASE),
        numbered=re.compile(rf"\b((?i:{_either(raw['numbered'])}))\s+([A-Z]?\d+(?:[.-]\d+)*[a-z]?\b|[A-Z]\b)(?!\s*%)"),
        ordinals={word: Fraction(at + 1) for at, word in enumerate(raw["ordinals"])},
        fractions={word: Fraction(value) for word, value in raw["fractions"].items()},
        several=re.compile(rf"\b({_either(raw['numerators'])}) ({_either(raw['fractions'])})s\b", re.IGNORECASE),
        numerators={word: Fraction(value) for word, value in raw["numerators"].items()},
        counted=re.compile(rf"\b({_either(counted)})\b", re.IGNORECASE),
        times={word: Fraction(value) for word, value in raw["times"].items()},
        hours=hours,
        clock=re.compile(
            rf"\b(?:(?P<part>half|quarter) (?P<side>past|to) (?P<of>\w+)"
            rf"|(?P<hour>\d\d?)\.(?P<minute>\d\d)\s*(?P<half>[ap])\.?m\b"
            rf"|(?P<sharp>{spoken}|\d+) o['’]clock"
            rf"|(?P<spoken>{spoken}) (?:in the (?P<day>morning|afternoon|evening)|at night))",
            re.IGNORECASE,
        ),
        days=tuple(raw["days"]),
        months=tuple(raw["months"]),
        every_day=re.compile(_phrases(raw["every_day"]), re.IGNORECASE),
        weekdays=re.compile(_phrases(raw["weekdays"]), re.IGNORECASE),
        weekends=re.compile(_phrases(raw["weekends"]), re.IGNORECASE),
        bounds=re.compile(
            rf"\b(?P<before>{bounds})[ -](?P<first>\d+)\b|\b(?P<last>\d+)(?: years)? (?:and|or) (?P<after>{bounds})\b",
            re.IGNORECASE,
        ),
        under=frozenset(raw["under"]),
        up_to=frozenset(raw["up_to"]),
        over=frozenset(raw["over"]),
        units=raw["units"],
        prices=frozenset(raw["prices"]),
        small=frozenset(raw["hours"]),
        signs=ChunkSigns(
            {
                NUMBERED: raw["numbered"],
                SEVERAL: [f"{word}s" for word in raw["fractions"]],
                COUNTED: counted,
                CLOCK: ["half", "quarter", "clock", "morning", "afternoon", "evening", "night"],
                FREE: telling_words(raw["free"]),
                EVERY_DAY: telling_words(raw["every_day"]),
                WEEKDAYS: telling_words(raw["weekdays"]),
                WEEKENDS: telling_words(raw["weekends"]),
            }
        ),
    )
