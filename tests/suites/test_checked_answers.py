"""What a test session found: counts beside the mean, and pass rates that allow for repeats."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from plumbrule import open_ledger
from plumbrule.errors import UsageError
from plumbrule.stats.mean_intervals import Measurement, clopper_pearson, measured_mean
from plumbrule.suites.checked_answers import (
    CheckedAnswer,
    CheckedTask,
    RateLimit,
    keep_session,
    read_limit,
    read_session,
    summarise_session,
)

AT = datetime(2026, 1, 2, tzinfo=UTC)


def tasks(passed: dict[str, str], limit: RateLimit | None = None) -> list[CheckedTask]:
    """Return tasks by sample: a letter for each repeat, p for passed, f for failed, e for errored."""
    words = {"p": "passed", "f": "failed", "e": "errored"}
    return [
        CheckedTask(
            test="t.py::test_it",
            sample=sample,
            repeat=repeat,
            outcome=words[letter],  # type: ignore[arg-type]  # one of the three
            limit=limit or RateLimit(),
            message="no",
        )
        for sample, letters in passed.items()
        for repeat, letter in enumerate(letters)
    ]


def test_one_repeat_has_the_exact_interval() -> None:
    """Nine of ten independent samples; an errored one did not pass."""
    [rate] = summarise_session([], tasks({**{f"q{n}": "p" for n in range(9)}, "bad": "e"})).pass_rates
    assert (rate.passed, rate.attempted, rate.errored, rate.method) == (9, 10, 1, "clopper_pearson")
    assert (rate.low, rate.high) == clopper_pearson(9, 10)
    assert rate.failures == ("bad, repeat 0: no",)


def test_repeats_count_as_one_sample() -> None:
    """Three answers to one question are worth less than three questions."""
    given = tasks({"a": "ppp", "b": "ppp", "c": "fff", "d": "ppf"})
    [rate] = summarise_session([], given).pass_rates
    expected = measured_mean(
        [Measurement(value=int(task.outcome == "passed"), sample=task.sample, repeat=task.repeat) for task in given]
    )
    assert expected is not None
    assert (rate.low, rate.high, rate.method) == (*expected.interval, "korn_graubard")
    independent = clopper_pearson(8, 12)
    assert independent is not None
    assert rate.high - rate.low > independent.high - independent.low


@pytest.mark.parametrize(
    ("limit", "held"),
    [(RateLimit(min_pass_rate=0.9), True), (RateLimit(min_pass_rate=0.91), False),
     (RateLimit(min_pass_rate=0.9, decide_on="bound"), False), (RateLimit(), True)],
)  # fmt: skip
def test_the_limit_is_kept_exactly(limit: RateLimit, held: bool) -> None:  # noqa: FBT001 - a column
    """Nine of ten is nine tenths; under bound the whole interval must keep it."""
    [rate] = summarise_session([], tasks({**{f"q{n}": "p" for n in range(9)}, "bad": "f"}, limit)).pass_rates
    assert rate.held == held
    assert ("MISSED" in rate.in_words()) == (not held)


def test_a_limit_that_cannot_be_is_refused() -> None:
    """A percentage is none, nor is a truth value."""
    for rate, decide_on in ((90, "point"), (True, "point"), ("0.9", "point"), (0.9, "luck")):
        with pytest.raises(UsageError):
            read_limit(rate, decide_on)
    assert read_limit(1, "bound") == RateLimit(min_pass_rate=1.0, decide_on="bound")


def test_a_session_is_kept_at_once_and_read_back(tmp_path: Path) -> None:
    """Under one subject, in a chain that verifies."""
    answers = [
        CheckedAnswer(test="t.py::test_it", outcome="PASS", hallucination=0.0),
        CheckedAnswer(test="t.py::test_it", outcome="FAIL", hallucination=1.0, refused=True),
        CheckedAnswer(test="t.py::test_it", outcome=None, error="down"),
    ]
    given = tasks({"a": "p"})
    summary = summarise_session(answers, given)
    assert (summary.attempted, summary.scored, summary.errored, summary.refused) == (3, 2, 1, 1)
    assert (summary.hallucination_mean, summary.verdicts) == (0.5, {"PASS": 1, "WARN": 0, "FAIL": 1})
    with open_ledger(f"sqlite:///{tmp_path}/ledger.db", at=AT) as ledger:
        subject = keep_session(ledger, summary, answers, given, AT)
        assert read_session(ledger, subject) == (summary, tuple(answers))
        assert ledger.verify().whole
