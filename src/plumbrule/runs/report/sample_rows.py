"""Every result of a run as a row of a table: filtered by what is asked for, sorted, and page by page."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.run_report import Report, SampleLine, Spread
from plumbrule.runs.run_results import SampleSummary

LONGEST_QUESTION = 200  # characters of a question, and of an answer, that a row holds
LONGEST_SEARCHED = 2_000  # characters of a question and of an answer that a search looks into
NOT_THERE = "none"  # what a filter is given to ask for rows without a category, a band or an error
ANY_ERROR = "any"


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRow:
    """One result: what was measured, judged and graded, with its category, support and causes."""

    sample: SampleSummary
    line: SampleLine
    searched: str  # the text that a search looks into, in lower case

    @property
    def errors(self) -> tuple[str, ...]:
        """What went wrong: with the candidate, with the judge."""
        errors = self.sample.candidate_error, self.sample.evaluator_error
        return tuple(error for error in errors if error is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleChoices:
    """The values that a filter can ask for, each with how many rows have it."""

    verdict: Mapping[str, int]
    error: Mapping[str, int]
    flag: Mapping[str, int]
    category: Mapping[str, int]
    band: Mapping[str, int]
    cause: Mapping[str, int]
    repeat: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run for a page: its report without the texts of the failures, a row for each result, the spread of tokens."""

    report: Report
    rows: tuple[SampleRow, ...]  # by sample and repeat
    choices: SampleChoices  # what the rows can be filtered by
    tokens: Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFilter:
    """What rows are asked for; None asks for nothing."""

    verdict: str | None = None  # the headline: PASS, FAIL, or PASS with what the evidence has against it
    passed: bool | None = None
    error: str | None = None  # its kind, ANY_ERROR, or NOT_THERE
    flag: str | None = None
    category: str | None = None  # or NOT_THERE
    band: str | None = None  # of the support, or NOT_THERE
    cause: str | None = None
    refused: bool | None = None
    repeat: int | None = None
    text: str | None = None

    def words(self) -> tuple[tuple[str, str, str], ...]:
        """Return every condition as its field, a verb phrase and its value: ``("verdict", "verdict is", "FAIL")``."""
        yes_no = {True: "yes", False: "no", None: None}
        conditions: tuple[tuple[str, str, object], ...] = (
            ("verdict", "verdict is", self.verdict),
            ("passed", "passed is", yes_no[self.passed]),
            ("cause", "cause is", None if self.cause is None else CAUSES.get(self.cause, self.cause)),
            ("category", "category is", self.category),
            ("band", "support is", self.band),
            ("flag", "flag is", self.flag),
            ("error", "error is", self.error),
            ("refused", "refused is", yes_no[self.refused]),
            ("repeat", "repeat is", self.repeat),
            ("text", "text holds", self.text),
        )
        return tuple((name, verb, str(value)) for name, verb, value in conditions if value is not None)

    def select(self, rows: Iterable[SampleRow]) -> list[SampleRow]:
        """Return the rows that meet every condition."""
        left = list(rows)
        for test in self._tests():
            left = [row for row in left if test(row)]
        return left

    def _tests(self) -> Iterator[Callable[[SampleRow], bool]]:
        asked = self
        if asked.verdict is not None:
            yield lambda row: row.sample.headline == asked.verdict
        if asked.passed is not None:
            yield lambda row: row.sample.passed is asked.passed
        if asked.error is not None:
            yield (
                lambda row: (
                    bool(row.errors)
                    if asked.error == ANY_ERROR
                    else not row.errors
                    if asked.error == NOT_THERE
                    else asked.error in row.errors
                )
            )
        if asked.flag is not None:
            yield lambda row: asked.flag in row.sample.flags
        if asked.category is not None:
            yield lambda row: (row.line.category or NOT_THERE) == asked.category
        if asked.band is not None:
            yield lambda row: (row.line.support_band or NOT_THERE) == asked.band
        if asked.cause is not None:
            yield lambda row: asked.cause in row.line.causes
        if asked.refused is not None:
            yield lambda row: row.sample.refused is asked.refused
        if asked.repeat is not None:
            yield lambda row: row.sample.repeat == asked.repeat
        if asked.text is not None:
            folded = asked.text.casefold()
            yield lambda row: folded in row.searched


def choices_of(rows: Sequence[SampleRow]) -> SampleChoices:
    """Return what rows can be filtered by, the most frequent value first."""
    return SampleChoices(
        verdict=_counted(row.sample.headline for row in rows),
        error=_counted_errors(rows),
        flag=_counted(flag for row in rows for flag in row.sample.flags),
        category=_counted(row.line.category or NOT_THERE for row in rows),
        band=_counted(row.line.support_band or NOT_THERE for row in rows),
        cause=_counted(cause for row in rows for cause in row.line.causes),
        repeat=dict(sorted(Counter(row.sample.repeat for row in rows).items())),
    )


def _counted_errors(rows: Sequence[SampleRow]) -> dict[str, int]:
    """Return the kinds of errors, with any and none of them first; nothing where there is no error to ask for."""
    errors = _counted(error for row in rows for error in row.errors)
    failed = sum(bool(row.errors) for row in rows)
    return {ANY_ERROR: failed, NOT_THERE: len(rows) - failed, **errors} if errors else {}


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


_Value = float | str | None
_ORDERS: Mapping[str, Callable[[SampleRow], _Value]] = {
    "score": lambda row: row.sample.sample_score or 0.0,  # unknown as zero, as the worst samples are listed
    "sample": lambda row: row.sample.sample_id,
    "verdict": lambda row: row.sample.headline,
    "category": lambda row: row.line.category,
    "accuracy": lambda row: row.sample.accuracy_score,
    "faithfulness": lambda row: row.sample.faithfulness_score,
    "support": lambda row: row.line.support_score,
    "latency": lambda row: row.sample.latency_e2e_ms,
    "tokens": lambda row: row.sample.total_tokens,
}
ORDERS = tuple(_ORDERS)


def sort_rows(rows: Iterable[SampleRow], order: str) -> list[SampleRow]:
    """Sort rows by one of ``ORDERS``, with a minus sign before it the other way round; what is unknown comes last.

    Rows that are equal stay as they stand: those of a run by sample and repeat.
    """
    value_of = _ORDERS[order.removeprefix("-")]
    known: list[tuple[float | str, SampleRow]] = []
    unknown: list[SampleRow] = []
    for row in rows:
        value = value_of(row)
        if value is None:
            unknown.append(row)
        else:
            known.append((value, row))
    known.sort(key=itemgetter(0), reverse=order.startswith("-"))
    return [*(row for _, row in known), *unknown]
