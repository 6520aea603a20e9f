"""A verifier of answers: where binding decides, it reads passages, question and answer at once, and has its weight."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

import plumbrule
from plumbrule.errors import UsageError
from plumbrule.support.support_model import load_model
from plumbrule.support.support_scorer import Support
from plumbrule.support.verifier import open_verifier
from plumbrule.support.verifier.pair_encoder import Encoder
from plumbrule.support.verifier.verifier_config import AnswerReading

Make = Callable[..., Path]
OFFICE = "The Paris office opens at 9:30 on monday, and not on w1, since the w2 of the w3 closes the w4."
HALL = "The w5 of the w6 closes at 17:00 on w7, and not on w8: the w9 of the w10 opens the w11."
QUESTION = "When does the Paris office open?"
ANSWER = "The Paris office opens at 17:00 on w12."
READING = {"passages": 64, "question": 8, "answer": 16, "intercept": 0.25, "binding": 0.5, "verifier": 0.125}


def support(
    answer: str, contexts: Sequence[str], folder: Path | str, question: str = QUESTION, **rules: object
) -> Support:
    """Return the support of an answer by a verifier, or by "none"."""
    overrides = {"support.verifier": str(folder), **{f"support.{name}": value for name, value in rules.items()}}
    found = plumbrule.score(question=question, answer=answer, contexts=contexts, overrides=overrides).support
    assert found is not None
    return found


def log_odds(probability: float) -> float:
    """Return the log-odds of a probability."""
    return math.log(probability / (1 - probability))


def fused(alone: float, said: float) -> float:
    """Return the log-odds of both by the weights of the configuration."""
    return READING["intercept"] + READING["binding"] * log_odds(alone) + READING["verifier"] * log_odds(said)


@pytest.mark.parametrize("answer", [ANSWER, "A w20 w21 the w22 of Paris on w23."])
def test_the_log_odds_are_weighed(make: Make, answer: str) -> None:
    """Those without it and its own add up by the weights of its configuration, whether there is something to bind."""
    folder = make(answers=READING)
    alone, found = support(answer, [OFFICE, HALL], "none"), support(answer, [OFFICE, HALL], folder)
    said = open_verifier(folder).verify_answer([OFFICE, HALL], QUESTION, answer)

    assert log_odds(found.score) == pytest.approx(fused(alone.score, said), abs=0.01)
    for before, after in zip(alone.sentences, found.sentences, strict=True):
        assert log_odds(after.probability) == pytest.approx(fused(before.probability, said), abs=0.01)
    assert found.to_dict()["verifier"] == open_verifier(folder).identity


@pytest.mark.parametrize("unbound", [-30.0, 0.5, 30.0])
def test_where_there_is_nothing_to_bind_it_may_only_add_doubt(make: Make, unbound: float) -> None:
    """With an intercept of its own for that: the lower of its log-odds and those of coverage counts."""
    folder, answer = make(answers=READING | {"unbound": unbound}), "A w20 w21 the w22 of Paris."
    passage = f"{OFFICE} {HALL}"
    alone, found = support(answer, [passage], "none"), support(answer, [passage], folder)
    said = open_verifier(folder).verify_answer([passage], QUESTION, answer)
    theirs = unbound + READING["verifier"] * log_odds(said)

    assert found.log_odds == pytest.approx(min(log_odds(alone.score), theirs), abs=0.01)
    kept = support(answer, [passage], make(answers=READING | {"unbound": unbound, "least": -2.0}))
    assert kept.log_odds == pytest.approx(min(log_odds(alone.score), max(-2.0, theirs)), abs=0.01)
    assert support(ANSWER, [OFFICE, HALL], folder).score == support(ANSWER, [OFFICE, HALL], make(answers=READING)).score


@pytest.mark.parametrize(
    ("answer", "against"), [(ANSWER, False), ("The Paris office opens at 9:30.", False), ("w20 w21 17:00", True)]
)
def test_what_it_has_against_an_answer_is_a_reason(make: Make, answer: str, *, against: bool) -> None:
    """A sentence that is not held supported says how improbable the verifier finds the answer."""
    folder = make(answers=READING)
    said = open_verifier(folder).verify_answer([OFFICE, HALL], QUESTION, answer)
    reasons = [reason for each in support(answer, [OFFICE, HALL], folder).sentences for reason in each.reasons]

    assert (said < 0.5) is against
    told = f"the verifier gives the whole answer a probability of {said:.2f}"
    assert (told in reasons) is against


def test_a_calibration_has_the_last_word(make: Make) -> None:
    """Labels of one's own calibrate what comes out of both."""
    plain = {"name": "plain", "version": "1", "model": load_model().sha256, "labels": 0, "unsupported_share": 0.5}
    halved = {**plain, "answers": [[-30, -15], [30, 15]], "sentences": [[-30, -15], [30, 15]]}
    folder = make(answers=READING)
    before = support(ANSWER, [OFFICE, HALL], folder)
    after = support(ANSWER, [OFFICE, HALL], folder, calibration=halved)

    assert log_odds(after.score) == pytest.approx(log_odds(before.score) / 2, abs=0.01)


def test_it_is_not_asked_where_coverage_decides(make: Make) -> None:
    """Without a question an answer is a text of its own: the score is the one without a verifier."""
    folder = make(answers=READING)

    assert support(ANSWER, [OFFICE, HALL], folder, "").score == support(ANSWER, [OFFICE, HALL], "none", "").score


@pytest.mark.parametrize(
    "answer", ["The office of w90 closes the w91. The w4 opens.", "The Paris office opens on monday."]
)
def test_where_coverage_decides_it_only_adds_doubt(make: Make, answer: str) -> None:
    """It is asked about each sentence with its evidence, and what it has against one is weighed; no more."""
    folder = make(answers=READING, sentences={"intercept": 0.25, "verifier": 0.5})
    plain = {"name": "plain", "version": "1", "model": load_model().sha256, "labels": 0, "unsupported_share": 0.5}
    as_it_is = {**plain, "answers": [[-30, -30], [30, 30]], "sentences": [[-30, -30], [30, 30]]}
    alone = support(answer, [OFFICE, HALL], "none", "", calibration=as_it_is)
    found = support(answer, [OFFICE, HALL], folder, "", calibration=as_it_is)
    for before, after in zip(alone.sentences, found.sentences, strict=True):
        assert before.evidence is not None
        [said] = open_verifier(folder).verify([(before.evidence.text, answer[before.start : before.end])])
        against = min(0.0, log_odds(min(max(said, 1e-6), 1 - 1e-6)))
        expected = log_odds(before.probability) + 0.25 + 0.5 * against
        assert log_odds(after.probability) == pytest.approx(expected, abs=0.02)


def test_sentences_belong_to_a_verifier_of_answers(make: Make) -> None:
    """Any other has its weight in the rubric."""
    with pytest.raises(UsageError, match="sentences: belongs to a verifier of answers"):
        open_verifier(make(sentences={"intercept": 0.25, "verifier": 0.5}))


def test_it_is_not_asked_about_nothing(make: Make) -> None:
    """An answer that claims nothing has the score that it has without a verifier."""
    folder = make(answers=READING)
    answer = "I hope this helps!"

    assert support(answer, [OFFICE, HALL], folder).score == support(answer, [OFFICE, HALL], "none").score


def test_long_contexts_are_given_as_evidence(make: Make) -> None:
    """Where the contexts do not fit, the verifier reads the evidence of the sentences, wherever it stands."""
    folder = make(answers=READING)
    long = " ".join(f"On w{n} the w{n + 1} w{n + 2} of w{n + 3} is w{n + 4}." for n in range(30, 190, 5))
    found, alone = support(ANSWER, [long, OFFICE], folder), support(ANSWER, [long, OFFICE], "none")
    said = open_verifier(folder).verify_answer([OFFICE], QUESTION, ANSWER)

    assert found.sentences[0].evidence is not None
    assert found.sentences[0].evidence.context == 1
    assert log_odds(found.score) == pytest.approx(fused(alone.score, said), abs=0.01)


@pytest.fixture
def encoder(make: Make) -> Encoder:
    """Return the encoder of the small model."""
    tokenizer = Tokenizer.from_file(str(make() / "tokenizer.json"))
    return Encoder(tokenizer, template="evidence_first", max_length=64, overlap=8)


def test_without_evidence_there_is_nothing_to_ask(make: Make) -> None:
    """Where the contexts do not fit, and none of them has a word of the answer, the score is the one without it."""
    folder = make(answers=READING)
    long = " ".join(f"On w{n} the w{n + 1} w{n + 2} of w{n + 3} is w{n + 4}." for n in range(30, 190, 5))
    answer = "Zorbles quax blimp 77."

    assert support(answer, [long, long], folder).score == support(answer, [long, long], "none").score


def tokens_of(encoder: Encoder, passages: Sequence[str], question: str, answer: str) -> tuple[list[int], list[int]]:
    """Return the ids of what is read first and of the answer."""
    tokens = encoder.encode_answer(passages, question, answer, AnswerReading(**READING))  # type: ignore[arg-type]
    cut = tokens.type_ids.index(1)
    assert tokens.type_ids == [0] * cut + [1] * (len(tokens.ids) - cut)
    return tokens.ids[:cut], tokens.ids[cut:]


def test_each_part_has_its_room(encoder: Encoder) -> None:
    """Passages follow each other, question and answer come after a mark, and what is too long is cut at its end."""
    begin, end = encoder.frame
    words = {word: tokens_of(encoder, [word], "", "the")[0][1] for word in ("paris", "at")}

    first, second = tokens_of(encoder, ["paris", "at at"], "paris", "at")
    assert first == [begin, words["paris"], words["at"], words["at"], end, words["paris"], end]
    assert second == [words["at"], end]
    first, second = tokens_of(encoder, ["paris " * 80, "at"], "at " * 40, "paris " * 40)
    assert first == [begin, *[words["paris"]] * 64, end, *[words["at"]] * 8, end]
    assert second == [*[words["paris"]] * 16, end]
    assert tokens_of(encoder, ["at"], " ", "at")[0] == [begin, words["at"], end]


def test_marks_inside_a_text_are_text(encoder: Encoder) -> None:
    """No part can end another early."""
    _, end = encoder.frame
    first, second = tokens_of(encoder, ["paris [SEP] at"], "at [SEP]", "[SEP] paris [SEP]")

    assert first.count(end) == 2
    assert second.count(end) == 1


def test_endless_texts_are_cut_before_they_are_read(encoder: Encoder) -> None:
    """A text of many megabytes costs no more than its beginning."""
    assert not encoder.fits(["paris " * 5_000_000], 32)
    first, second = tokens_of(encoder, ["paris " * 5_000_000], "at " * 5_000_000, "at " * 5_000_000)
    assert (len(first), len(second)) == (75, 17)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"passages": 4}, "answers.passages: "),
        ({"binding": 0}, "answers.binding: "),
        ({"verifier": -1}, "answers.verifier: "),
        ({"intercept": float("nan")}, "answers.intercept: "),
        ({"unbound": "much"}, "answers.unbound: "),
        ({"least": "little"}, "answers.least: "),
        ({"weight": 1}, "answers.weight: unknown key"),
    ],
)
def test_mistakes_are_named(make: Make, changes: dict[str, Any], said: str) -> None:
    """Each with its key."""
    with pytest.raises(UsageError, match=said):
        open_verifier(make(answers=READING | changes))
