"""A first look at answers without a ledger: one that is typed in, or the first rows of a small file; nothing is kept.

Whoever tries it may paste anything, so everything is bounded: the length of each text, the rows and the time of a file.
What is left out is counted.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plumbrule.api.results import ScoredSample
from plumbrule.api.scoring import ShippedRubric, shipped_scorer
from plumbrule.errors import InputError, RecordError, UsageError
from plumbrule.samples import DatasetFile, Sample, sample_from
from plumbrule.verdicts import VerdictSummary, VerdictTally

LONGEST_QUESTION = 2_000
LONGEST_ANSWER = 6_000
LONGEST_PASSAGES = 24_000  # all together
MOST_PASSAGES = 50
MOST_ROWS = 200
LONGEST_ROW = LONGEST_QUESTION + LONGEST_ANSWER + LONGEST_PASSAGES
LONGEST_S = 20.0
_SHOWN_ROWS = 25
_LISTED_BAD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedFile:
    """The summary of the first rows of a file, with some of them whole."""

    summary: VerdictSummary
    rows: tuple[ScoredSample, ...]  # the first ones
    scored: int
    left_out: int  # rows that are longer than is tried
    bad: int
    problems: tuple[RecordError, ...]  # the first bad rows
    more: bool  # the file has more rows than are tried
    out_of_time: bool


def try_answer(question: str, answer: str, passages: Sequence[str], *, rubric: ShippedRubric = None) -> ScoredSample:
    """Return the verdict on an answer; a text that is longer than is tried is an error."""
    lengths = {
        "question": (len(question), LONGEST_QUESTION, "characters"),
        "answer": (len(answer), LONGEST_ANSWER, "characters"),
        "passages": (sum(map(len, passages)), LONGEST_PASSAGES, "characters together"),
        "list of passages": (len(passages), MOST_PASSAGES, "passages"),
    }
    for what, (length, most, unit) in lengths.items():
        if length > most:
            raise UsageError(
                f"The {what} has {length:,} {unit}; at most {most:,} are tried here. A file has room for more."
            )
    sample = sample_from({"id": "trial", "question": question, "answer": answer, "contexts": list(passages)})
    return ScoredSample(sample=sample, verdict=shipped_scorer(rubric).score(sample))


def try_file(path: Path, *, rubric: ShippedRubric = None, clock: Callable[[], float] = time.monotonic) -> TriedFile:
    """Return the verdicts on the first rows of a file, as many as are tried and there is time for."""
    problems: list[RecordError] = []

    def keep(error: RecordError) -> None:
        if len(problems) < _LISTED_BAD:
            problems.append(error)

    reading = DatasetFile(path).open(on_bad=keep)
    scorer, tally = shipped_scorer(rubric), VerdictTally(0)
    rows: list[ScoredSample] = []
    left_out, more, out_of_time = 0, False, False
    end = clock() + LONGEST_S
    for sample in reading:
        if reading.read + reading.bad > MOST_ROWS:
            more = True
            break
        if clock() > end:
            more = out_of_time = True
            break
        if _length(sample) > LONGEST_ROW:
            left_out += 1
            continue
        verdict = scorer.score(sample)
        tally.add(sample, verdict)
        if len(rows) < _SHOWN_ROWS:
            rows.append(ScoredSample(sample=sample, verdict=verdict))
    if not tally.attempted and not left_out:
        first = f": {problems[0].reason}" if problems else ""
        raise InputError(f"Not one row could be read{first}")
    return TriedFile(
        summary=tally.summary(bad_records=reading.bad),
        rows=tuple(rows),
        scored=tally.attempted,
        left_out=left_out,
        bad=reading.bad,
        problems=tuple(problems),
        more=more,
        out_of_time=out_of_time,
    )


def _length(sample: Sample) -> int:
    return len(sample.question) + len(sample.answer or "") + sum(len(passage.text) for passage in sample.contexts)
