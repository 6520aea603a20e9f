"""Calibrating the support score from Python."""

from random import Random
from typing import Any

import pytest

import plumbrule
from plumbrule.api.support import calibrate_support, calibrate_to_prior, name_of
from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.samples.labels import SupportLabel, labelled_from
from plumbrule.support.calibration import Curve, logistic
from plumbrule.support.calibration_fit import Judged, fit
from plumbrule.support.support_model import load_model

CONTEXT = "The firm charges a fee of $25 for a domestic wire."
Records = list[dict[str, Any]]


@pytest.fixture
def labels() -> Records:
    """Return forty records, of which people found three in four supported, whatever they say."""
    answers = (CONTEXT, "The fee is $25.", "The firm charges $90.", "Cheques cost $7 in Peru.")
    return [{"answer": answers[number % 4], "contexts": [CONTEXT], "supported": number % 8 < 6} for number in range(40)]


def test_records_are_labels(labels: Records) -> None:
    """Records from Python are read as a file's are; the result goes into ``score``."""
    found = calibrate_support(labels, name="desk", version="2")
    assert (found.labels, found.unsupported, found.without_label, found.not_scored) == (40, 10, 0, 0)
    result = plumbrule.score(answer=CONTEXT, contexts=[CONTEXT], overrides=found.overrides)
    assert result.support is not None
    assert result.support.calibration == found.calibration.stamp()
    before = plumbrule.score(answer=CONTEXT, contexts=[CONTEXT]).support
    assert before is not None
    assert result.support.log_odds == before.log_odds
    assert result.support.score != before.score


def test_a_bad_label_among_records(labels: Records) -> None:
    """It is told by the record's number."""
    labels[4]["supported"] = "who knows"
    with pytest.raises(RecordError, match="labels: record 5: supported must be"):
        calibrate_support(labels)


def test_records_without_labels(labels: Records) -> None:
    """Nothing to fit by is an error, not a calibration."""
    with pytest.raises(InputError, match="no record has a label under 'other'"):
        calibrate_support(labels, label="other")
    assert [
        supported
        for _, supported in labelled_from([{**labels[0], "supported": " "}, labels[1]], SupportLabel("supported"))
    ] == [None, True]


def test_the_sentences_move_with_the_answers() -> None:
    """Labels are of answers: the sentences' curve is moved by the mean change of the answers' log-odds."""
    judged = [Judged(str(number), number / 10, number % 3 > 0) for number in range(-30, 30)]
    before = Curve(knots=((0.0, 0.0),), tail_slope=0.25)
    found = fit(judged, before, Curve(knots=((0.0, 1.0), (1.0, 2.0)), tail_slope=0.25))
    changes = [found.answers.log_odds(each.log_odds) - before.log_odds(each.log_odds) for each in judged]
    [first, second] = found.sentences.knots
    assert first[1] - 1.0 == pytest.approx(sum(changes) / len(changes), abs=1e-6)
    assert second[1] - first[1] == pytest.approx(1.0)
    assert (first[0], second[0]) == (0.0, 1.0)


def test_probabilities_that_are_far_off_come_near() -> None:
    """After fitting, the answers that were not fitted to are foretold better; ranking is not touched."""
    chance = Random(5)  # noqa: S311 - made-up labels
    places = [chance.uniform(-3, 3) for _ in range(2000)]
    judged = [Judged(str(at), place, chance.random() < logistic(place)) for at, place in enumerate(places)]
    found = fit(
        judged, Curve(knots=((-3.0, 1.0), (3.0, 5.0)), tail_slope=0.25), Curve(knots=((0.0, 0.0),), tail_slope=0.25)
    )
    assert found.before.error > 0.3
    assert found.after.error < 0.04
    assert found.auroc == pytest.approx(0.84, abs=0.02)


def test_a_perfect_calibration_is_not_called_worse_than_a_new_one() -> None:
    """A new curve has the smaller calibration error by chance; the log loss of the answers decides."""
    identity = Curve(knots=((-4.0, -4.0), (4.0, 4.0)), tail_slope=1.0)
    better = []
    for seed in range(8):
        chance = Random(seed)  # noqa: S311 - made-up labels
        places = [chance.uniform(-2, 2) for _ in range(200)]
        judged = [Judged(str(at), place, chance.random() < logistic(place)) for at, place in enumerate(places)]
        better.append(fit(judged, identity, identity).log_loss.better)
    assert "second" not in better


def test_a_calibration_that_is_far_off_is_clearly_worse() -> None:
    """And the interval of its error does not reach down to 0."""
    chance = Random(5)  # noqa: S311 - made-up labels
    places = [chance.uniform(-3, 3) for _ in range(300)]
    judged = [Judged(str(at), place, chance.random() < logistic(place)) for at, place in enumerate(places)]
    off = Curve(knots=((-3.0, 1.0), (3.0, 5.0)), tail_slope=0.25)
    found = fit(judged, off, off)
    assert found.log_loss.better == "second"
    assert found.before.interval_95 is not None
    assert found.before.interval_95.low > 0.2
    assert found.ranks


def test_a_ranking_by_chance_cannot_be_mended() -> None:
    """Labels that have nothing to do with the score: the interval of the AUROC holds 0.5."""
    chance = Random(2)  # noqa: S311 - made-up labels
    judged = [Judged(str(at), chance.uniform(-2, 2), chance.random() < 0.7) for at in range(120)]
    found = fit(judged, load_model().answers, load_model().sentences)
    assert not found.ranks
    assert found.auroc_interval is not None
    assert found.auroc_interval.low < 0.5 < found.auroc_interval.high


def test_the_decision_is_part_of_the_result(labels: Records) -> None:
    """With its interval."""
    found = calibrate_support(labels)
    shown = found.result()
    assert (shown.better, found.improved) == (found.better, found.better == "after")
    assert shown.log_loss.after - shown.log_loss.before == pytest.approx(shown.log_loss.difference)
    assert shown.log_loss.interval_95 is not None
    assert shown.ranks is found.ranks


def test_answers_that_are_all_alike() -> None:
    """One log-odds for all gives one knot: the share of the labels."""
    found = fit(
        [Judged(str(number), 0.3, number % 4 > 0) for number in range(40)], load_model().answers, load_model().sentences
    )
    [(place, _)] = found.answers.knots
    assert place == 0.3
    assert found.answers.probability(0.3) == pytest.approx(0.75, abs=0.001)
    assert found.auroc == 0.5


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, float("nan")])
def test_a_share_that_is_none(share: float) -> None:
    """A prior lies between 0 and 1."""
    with pytest.raises(UsageError, match="more than 0 and less than 1"):
        calibrate_to_prior(share)


@pytest.mark.parametrize(
    ("given", "name"),
    [("data/labels.jsonl.gz", "labels"), ("-", "labels"), ("", "labels"), (" .csv", "labels"), ([], "labels")],
)
def test_the_name_where_nobody_gives_one(given: object, name: str) -> None:
    """A calibration is named as its file is."""
    assert name_of(given) == name
