"""Answers that tests of a user's own project checked: what a test session gathers, decides on and keeps in a ledger."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Literal, get_args

from plumbrule.codec import from_json, to_json
from plumbrule.errors import UsageError
from plumbrule.ledger import Draft, Entry, Ledger
from plumbrule.outcomes import DecideOn
from plumbrule.rubrics import Outcome
from plumbrule.rubrics.exact_numbers import exact
from plumbrule.samples import Sample
from plumbrule.stats.mean_intervals import IntervalMethod, Measurement, measured_mean
from plumbrule.terminal import shortened
from plumbrule.verdicts import Verdict, VerdictJson

_SHOWN_FAILURES = 3
_LONGEST_MESSAGE = 2_000
_AUTHOR = "plumbrule pytest"
_OUTCOMES: tuple[Outcome, ...] = ("PASS", "WARN", "FAIL")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedText:
    """The texts of an answer with its whole verdict, as a ledger keeps them."""

    question: str
    answer: str | None
    contexts: tuple[str, ...]
    verdict: VerdictJson


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    """One answer that a test scored, or could not score."""

    test: str
    outcome: Outcome | None  # None: it could not be scored
    hallucination: float | None = None
    refused: bool = False
    error: str | None = None
    text: CheckedText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimit:
    """The pass rate that a test over a dataset must keep; None: none, so that each of its samples must pass."""

    min_pass_rate: float | None = None
    decide_on: DecideOn = "point"


def read_limit(rate: object, decide_on: object) -> RateLimit:
    """Return the limit that a test asks for, or refuse one that cannot be."""
    known = rate is None or (isinstance(rate, int | float) and not isinstance(rate, bool) and 0 <= rate <= 1)
    if not known:
        raise UsageError(f"min_pass_rate must be a number from 0 to 1, not {rate!r:.40}")
    if decide_on not in get_args(DecideOn):
        raise UsageError(f"decide_on must be 'point' or 'bound', not {decide_on!r:.40}")
    return from_json(RateLimit, {"min_pass_rate": rate, "decide_on": decide_on}, where="the limit")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedTask:
    """One sample in one repeat of a test over a dataset."""

    test: str
    sample: str
    repeat: int
    outcome: Literal["passed", "failed", "errored"]
    limit: RateLimit
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRate:
    """The share of the tasks of a test that passed, with its 95% interval; errored ones did not pass."""

    test: str
    attempted: int
    passed: int
    errored: int
    samples: int
    repeats: int
    value: float
    low: float
    high: float
    method: IntervalMethod
    limit: RateLimit
    held: bool  # the limit is kept, or there is none
    failures: tuple[str, ...]  # the first ones, each with its sample

    def in_words(self) -> str:
        """Return the rate in one line."""
        times = f" x {self.repeats} repeats" if self.repeats > 1 else ""
        text = (
            f"pass rate {self.value:.3f} ({self.passed} of {self.attempted}, {self.samples} samples{times}, "
            f"errored {self.errored}), 95% interval {self.low:.3f} to {self.high:.3f}"
        )
        if self.limit.min_pass_rate is None:
            return text
        what = "at least" if self.limit.decide_on == "point" else "the whole interval at least"
        return f"{text}; {what} {self.limit.min_pass_rate} wanted: {'kept' if self.held else 'MISSED'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """What a test session found: the counts beside the mean, and the pass rate of each test over a dataset."""

    attempted: int
    scored: int
    errored: int
    refused: int
    verdicts: Mapping[Outcome, int]
    hallucination_mean: float | None
    pass_rates: tuple[PassRate, ...]


def checked_answer(test: str, sample: Sample, verdict: Verdict, *, whole: bool) -> CheckedAnswer:
    """Return an answer that was scored; ``whole`` asks for its texts and its whole verdict."""
    text = None
    if whole:
        text = CheckedText(
            question=sample.question,
            answer=sample.answer,
            contexts=tuple(passage.text for passage in sample.contexts),
            verdict=from_json(VerdictJson, verdict.to_dict(), where=test),
        )
    return CheckedAnswer(
        test=test,
        outcome=verdict.verdict,
        hallucination=verdict.hallucination.score,
        refused="refusal" in verdict.flags,
        text=text,
    )


def summarise_session(answers: Sequence[CheckedAnswer], tasks: Sequence[CheckedTask]) -> SessionSummary:
    """Return the figures of a session."""
    scored = [answer for answer in answers if answer.outcome is not None]
    scores = [answer.hallucination for answer in scored if answer.hallucination is not None]
    return SessionSummary(
        attempted=len(answers),
        scored=len(scored),
        errored=len(answers) - len(scored),
        refused=sum(answer.refused for answer in scored),
        verdicts={outcome: sum(answer.outcome == outcome for answer in scored) for outcome in _OUTCOMES},
        hallucination_mean=sum(scores) / len(scores) if scores else None,
        pass_rates=tuple(_pass_rate(test, of) for test, of in _by_test(tasks).items()),
    )


def keep_session(
    ledger: Ledger,
    summary: SessionSummary,
    answers: Sequence[CheckedAnswer],
    tasks: Sequence[CheckedTask],
    at: datetime,
) -> str:
    """Append a session to a ledger, all of it at once, and return its subject."""
    subject = f"pytest-{at:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    bodies: list[tuple[str, object]] = [(subject, summary)]
    bodies += [(f"{subject}/answers/{number}", answer) for number, answer in enumerate(answers)]
    bodies += [(f"{subject}/tasks/{number}", task) for number, task in enumerate(tasks)]
    ledger.append_many(
        [Draft(kind="test", subject=place, body=to_json(body), author=_AUTHOR, at=at) for place, body in bodies]
    )
    return subject


def read_session(ledger: Ledger, subject: str) -> tuple[SessionSummary, tuple[CheckedAnswer, ...]]:
    """Return a session that a ledger keeps, with its answers."""
    [entry] = ledger.entries(kind="test", subject=subject)
    answers = ledger.entries(kind="test", run=f"{subject}/answers")
    return _read(SessionSummary, entry), tuple(_read(CheckedAnswer, answer) for answer in answers)


def short_message(text: str) -> str:
    """Return the message of a failure as it is handed on."""
    return shortened(text, _LONGEST_MESSAGE)


def _read(kind: Any, entry: Entry) -> Any:  # noqa: ANN401 - what the kind says
    return from_json(kind, entry.value, where=f"ledger entry {entry.sequence} ({entry.kind} {entry.subject})")


def _by_test(tasks: Iterable[CheckedTask]) -> dict[str, list[CheckedTask]]:
    found: dict[str, list[CheckedTask]] = {}
    for task in tasks:
        found.setdefault(task.test, []).append(task)
    return dict(sorted(found.items()))


def _pass_rate(test: str, tasks: Sequence[CheckedTask]) -> PassRate:
    """Return the rate of one test; repeats of a sample are not independent, so that the interval goes by samples."""
    ordered = sorted(tasks, key=lambda task: (task.sample, task.repeat))
    passed = [task.outcome == "passed" for task in ordered]
    estimate = measured_mean(
        [
            Measurement(value=int(held), sample=task.sample, repeat=task.repeat)
            for task, held in zip(ordered, passed, strict=True)
        ]
    )
    assert estimate is not None  # noqa: S101 - there are tasks
    limit, value = ordered[0].limit, Fraction(sum(passed), len(passed))
    decisive = value if limit.decide_on == "point" else Fraction(estimate.interval.low)
    failed = [task for task in ordered if task.outcome != "passed"]
    return PassRate(
        test=test,
        attempted=len(ordered),
        passed=sum(passed),
        errored=sum(task.outcome == "errored" for task in ordered),
        samples=estimate.samples,
        repeats=estimate.repeats,
        value=float(value),
        low=estimate.interval.low,
        high=estimate.interval.high,
        method=estimate.method,
        limit=limit,
        held=limit.min_pass_rate is None or decisive >= exact(limit.min_pass_rate),
        failures=tuple(f"{task.sample}, repeat {task.repeat}: {task.message}" for task in failed[:_SHOWN_FAILURES]),
    )
