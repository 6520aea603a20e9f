"""The numbers that shape a support score beside the weights: a typed part of the model file, covered by its hash."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import orjson

from plumbrule.errors import InputError

MODEL_FILE = "model.json"

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureConstants:
    """What a word, a value, a name or a fact weighs in the measures of a sentence."""

    plain_weight: float  # of a word that is none of the following
    verb_weight: float  # what is done can be said in many ways
    adverb_weight: float
    talk_weight: float  # talk is not what an answer claims
    stop_weight: float  # of a stop word that no context has
    stop_weight_in_evidence: float  # of a stop word that the evidence does not have
    form_credit: float  # for another form of the word, or a synonym in the evidence
    elsewhere_credit: float  # for a word that the contexts have, outside the evidence
    value_weight: float  # of a number or a date that the contexts do not have
    small_number_weight: float  # of a small count
    known_year_weight: float  # of a date whose year the contexts have
    rival_weight: float  # more, where the evidence has another value of the same kind
    name_weight: float  # of each word of a name that the contexts do not have
    fact_weight: float  # of a fact of data that the sentence speaks against, or that is not known
    twin_rival_weight: float  # of another value where the evidence says nearly the same words
    named_before_share: float  # of a name that the sentence before has, for a sentence that opens with a pronoun
    most: float  # that specifics and opposites count


@dataclass(frozen=True, slots=True, kw_only=True)
class OppositionConstants:
    """What an opposite or a denial weighs, and how far a denial reaches."""

    most_opposites: int  # that count where the rest of the sentence is not said
    added_denial: float  # for a denial where the nearest unit has none
    added_denial_of_said: float  # the same, where the nearest unit says the denied word
    turned: float  # for a denial or an opposite that only one has, where both say nearly the same words
    reach: int  # words after a denial among which are those that it denies
    denied: int  # how many of them it denies; a unit that is no twin must deny as many that the sentence says
    twin_denied: int  # how many words that the sentence says its twin must deny
    condition_reach: int  # words before a denial that may make it a condition: "those who do not"
    near: int  # words on either side that tell what a word is said of
    least_stem: int  # letters of a word that a prefix turns round
    least_twin: int  # words that a sentence needs to have a twin
    twin_share: float  # of the words of a sentence that its twin has


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundConstants:
    """How evidence is found, and which forms of a word or a name are taken for one."""

    candidates: int  # units whose neighbourhoods are compared
    reach: int  # units on either side of the best one that belong to its window
    rarity_smoothing: float  # added to the numbers of units from which the weight of a word is worked out
    stem: int  # letters that two forms of one word share at least
    form_share: float  # of the shorter form that they share at least
    name_stem: int  # letters that two forms of one name share at least
    name_difference: int  # letters by which two forms of one name differ in length at most
    longest_name: int  # words of which initials are made
    least_initials: int
    joined_key_words: int  # words of a key of data that a sentence may write as one


@dataclass(frozen=True, slots=True, kw_only=True)
class FactConstants:
    """How data is read as facts."""

    deepest: int  # levels of JSON that are read
    long_text: int  # characters from which a value is text to be read by its sentences
    least_bars: int  # of a table


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheckConstants:
    """How far the words of a sentence reach to a key of data."""

    near: int  # words between a number and the name of what it counts
    denial_reach: int  # words after a key in which a denial still denies it


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceConstants:
    """Which words of a sentence are names, and which numbers mark a citation."""

    longest_marker: int  # characters before a number in which a citation marker begins
    title_words: int  # from which a line can be a title
    title_share: float  # of capitalised words above which a line is a title, and its words are no names
    least_name: int  # letters


@dataclass(frozen=True, slots=True, kw_only=True)
class WordConstants:
    """The limits of what is found with the word lists."""

    longest_numbered: int  # characters before a number in which its source is named: "passages 1, 2 and 3"
    greeted_names: int  # capitalised words that a greeting may have
    shortest_day: int  # letters of a day in a range with a dash
    longest_first_day: int
    longest_last_day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerConstants:
    """How sentences are added up to an answer, and how a score is written."""

    least_odds: float  # of an answer that is not supported
    most_risk: float
    tail_slope: float  # of a calibration beyond its first and last knot
    verifier_bound: float  # how near to 0 or 1 the probability of a verifier may be
    decimals: int  # of a probability
    supported_unasked_from: float  # without a question small changes are not looked for, so more is asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """All constants of a model, by what they shape."""

    measures: MeasureConstants
    opposition: OppositionConstants
    ground: GroundConstants
    facts: FactConstants
    fact_checks: FactCheckConstants
    sentences: SentenceConstants
    words: WordConstants
    answers: AnswerConstants

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the constants as a model file has them."""
        return asdict(self)


@cache
def load_constants() -> Constants:
    """Return the constants of the model that ships, read once."""
    return constants_of(orjson.loads(read_data(MODEL_FILE)))


def constants_of(model: Mapping[str, Any]) -> Constants:
    """Return the constants that a model file states: all of them, and no others."""
    return _read(Constants, model.get("constants"), "constants")


def read_data(name: str) -> bytes:
    """Return a data file that ships with the support score."""
    return files(__package__).joinpath(name).read_bytes()


def _read(kind: type[T], raw: object, path: str) -> T:
    """Return one part of the constants; a key that is missing, unknown or of another type is named."""
    if not isinstance(raw, Mapping):
        raise InputError(f"{MODEL_FILE}: '{path}' is not a mapping of constants")
    types: dict[str, Any] = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    for name in raw:
        if name not in types:
            raise InputError(f"{MODEL_FILE}: unknown constant '{path}.{name}'")
    for name in types:
        if name not in raw:
            raise InputError(f"{MODEL_FILE}: missing constant '{path}.{name}'")
    return kind(**{name: _value(expected, raw[name], f"{path}.{name}") for name, expected in types.items()})


def _value(expected: Any, raw: object, path: str) -> object:  # noqa: ANN401 - the type of a field
    if expected not in (int, float):
        return _read(expected, raw, path)
    if type(raw) is not expected:  # a bool is not a number here
        what = "a whole number" if expected is int else "a number with a decimal point"
        raise InputError(f"{MODEL_FILE}: constant '{path}' is {what}, not {raw!r}")
    return raw
