"""The model: a weighted sum of the measures by sentence, and what the sentences make of the answer."""

import hashlib
import math

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.support import support_model as model_module
from plumbrule.support.binding.binding_words import BINDING_FILES, read_binding_data
from plumbrule.support.constants import MODEL_FILE, read_data
from plumbrule.support.measures import LOWERS_RISK, MEASURES
from plumbrule.support.support_model import load_model, model_of
from plumbrule.support.word_lists import WORD_FILES

MODEL = load_model()
SMALL = model_of(
    {
        "name": "small",
        "version": "1",
        "intercept": -1.0,
        "weights": dict(zip(MEASURES, (1.0, 2.0, 0.5, 3.0, 0.0, 1.0, -2.0), strict=True)),
        "length_power": 0.5,
        "constants": orjson.loads(read_data("model.json"))["constants"],
        "calibration": {"sentences": [[0, 0]], "answers": [[0, 0]], "unsupported_share": 0.5},
    },
    "0" * 64,
)


def test_log_odds_by_hand() -> None:
    """1 - 0.5 - 2 * 0.25 - 0.5 * 2 + 2 is the sum of what each measure adds."""
    assert SMALL.log_odds((0.5, 0.25, 2.0, 0.0, 1.0, 0.0, 1.0)) == pytest.approx(1.0 - 0.5 - 0.5 - 1.0 + 2.0)


def test_contributions_stand_by_their_size() -> None:
    """The greatest first, what adds nothing not at all, and equals in the order of the measures."""
    assert SMALL.contributions((0.5, 0.25, 1.0, 0.0, 1.0, 0.0, 1.0)) == [
        ("unknown", -2.0),
        ("words", 0.5),
        ("evidence", 0.5),
        ("specifics", 0.5),
    ]


def test_an_answer_of_one_sentence_is_its_sentence() -> None:
    """The log-odds stay the same."""
    assert SMALL.answer_log_odds([1.25]) == pytest.approx(1.25)
    assert MODEL.answer_log_odds([-3.0]) == pytest.approx(-3.0)


def test_sentences_add_up_by_hand() -> None:
    """Four even sentences: the risks ln 2 add up and are divided by the root of four."""
    assert SMALL.answer_log_odds([0.0] * 4) == pytest.approx(-math.log(math.expm1(2 * math.log(2))))


def test_extreme_log_odds_stay_numbers() -> None:
    """Neither overflows."""
    for log_odds in ([1e6] * 100, [-1e6] * 100, [1e6, -1e6]):
        assert math.isfinite(MODEL.answer_log_odds(log_odds))


def test_the_hash_covers_every_data_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another byte in the weights, the words, the thesaurus or the files of binding is another hash."""
    shipped = {
        **{name: read_data(name) for name in (MODEL_FILE, *WORD_FILES)},
        **{name: read_binding_data(name) for name in BINDING_FILES},
    }
    assert list(shipped) == ["model.json", "words.yaml", "thesaurus.tsv", "binding.json", "binding.yaml"]

    def changed(name: str) -> str:
        for reader in ("read_data", "read_binding_data"):
            monkeypatch.setattr(model_module, reader, lambda each: shipped[each] + (b"\n" if each == name else b""))
        return load_model.__wrapped__().sha256

    hashes = {changed(name) for name in ("", *shipped)}
    assert len(hashes) == 1 + len(shipped)
    assert MODEL.sha256 in hashes
    whole = b"".join(hashlib.sha256(content).digest() for content in shipped.values())
    assert MODEL.stamp == {"name": "plumbrule-support", "version": "10", "sha256": hashlib.sha256(whole).hexdigest()}


def test_every_weight_has_its_sign() -> None:
    """Risk rises with each measure but "unknown", and the shipped file has no other keys than the measures."""
    weights = orjson.loads(read_data("model.json"))["weights"]
    assert list(weights) == list(MEASURES)
    assert all((weight <= 0) == (name in LOWERS_RISK) for name, weight in weights.items())


def test_the_shipped_curves_rise() -> None:
    """In both numbers, for sentences and for answers."""
    for curve in (MODEL.sentences, MODEL.answers):
        for numbers in zip(*curve.knots, strict=True):
            assert list(numbers) == sorted(set(numbers))


MEASURED = st.tuples(*[st.floats(0, 3)] * len(MEASURES))


@given(MEASURED, st.sampled_from(MEASURES), st.floats(0.001, 3), st.lists(st.floats(-5, 5), max_size=5))
def test_more_against_a_sentence_never_raises_its_probability(
    measures: tuple[float, ...], name: str, more: float, others: list[float]
) -> None:
    """Nor that of its answer; "unknown" alone never lowers them."""
    raised = tuple(value + more * (each == name) for each, value in zip(MEASURES, measures, strict=True))
    before, after = MODEL.log_odds(measures), MODEL.log_odds(raised)
    if name in LOWERS_RISK:
        before, after = after, before
    assert MODEL.sentences.probability(after) <= MODEL.sentences.probability(before)
    answers = [MODEL.answers.probability(MODEL.answer_log_odds([*others, each])) for each in (after, before)]
    assert answers[0] <= answers[1]


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20))
def test_the_order_of_sentences_does_not_count(sentences: list[float]) -> None:
    """The same sentences the other way round make the same answer."""
    assert MODEL.answer_log_odds(sentences) == MODEL.answer_log_odds(sentences[::-1])
