"""Verdicts and runs in a notebook: the figures, and the worst answers with their evidence marked.

Everything is escaped, nothing is fetched, no script runs, and the size is bounded whatever the texts are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from jinja2 import Environment

from plumbrule.reports.marks.bounded_marks import marked_bytes
from plumbrule.reports.marks.marked_answer import MarkedAnswer, MarkedPassage, mark_answer
from plumbrule.reports.marks.marked_text import MarkedText, collapse, mark_text
from plumbrule.reports.page import make_environment, safe_text
from plumbrule.runs.run_results import RunSummary, SampleSummary
from plumbrule.samples import Sample
from plumbrule.terminal import shortened
from plumbrule.verdicts import Verdict, VerdictSummary

MOST_ANSWERS = 10
_OPEN = 3  # of these are shown at once, the others when they are clicked on
_MOST_PASSAGES = 3
_MOST_COMPARED = 50  # passages that are looked through for evidence
_LONGEST = 50_000  # characters of a text that are looked through for marks
_AROUND = 160  # characters kept around a mark
_MOST_BYTES = 24_000  # of one answer with its passages


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAnswer:
    """One answer as it is shown: what was decided, its question, the marked answer and its evidence."""

    id: str
    headline: str
    look: str  # pass, warn or fail
    reasons: tuple[str, ...]
    question: str
    answer: MarkedText
    passages: tuple[MarkedPassage, ...]
    more_passages: int
    none: str  # what stands there where there is no answer


def results_html(
    summary: VerdictSummary, rows: Sequence[tuple[Sample, Verdict]], *, remarks: Sequence[str] = ()
) -> str:
    """Return the verdicts on some answers; ``rows`` are those to show, the first of them whole."""
    return _render(
        "results",
        summary=summary,
        remarks=remarks,
        answers=[show_answer(sample, verdict) for sample, verdict in rows[:MOST_ANSWERS]],
        left_out=max(0, summary.counts.scored - MOST_ANSWERS),
    )


def run_html(summary: RunSummary, failures: Sequence[tuple[SampleSummary, ShownAnswer | None]], *, failed: int) -> str:
    """Return the decision on a run with its gates, and the first of the samples that failed."""
    return _render("run", summary=summary, failures=failures[:MOST_ANSWERS], failed=failed)


def show_answer(sample: Sample, verdict: Verdict) -> ShownAnswer:
    """Return an answer with its marks, and the passages that hold its evidence; all of it short."""
    concerned = verdict.headline != verdict.verdict
    answer, passages = _bounded(
        mark_answer(sample.answer or "", sample.contexts[:_MOST_COMPARED], sample.citations, verdict, longest=_LONGEST)
    )
    return ShownAnswer(
        id=verdict.id,
        headline=verdict.headline,
        look="warn" if concerned else verdict.verdict.lower(),
        reasons=verdict.reasons,
        question=sample.question,
        answer=answer,
        passages=passages,
        more_passages=len(sample.contexts) - len(passages),
        none="" if sample.answer else "(refused)" if sample.refused else "(no answer)",
    )


def _bounded(marked: MarkedAnswer) -> tuple[MarkedText, tuple[MarkedPassage, ...]]:
    """Return the answer and the passages with evidence, collapsed around the marks; without marks where too long."""
    with_evidence = [each for each in marked.passages if any(segment.spans for segment in each.text.segments)]
    passages = (with_evidence or marked.passages)[:_MOST_PASSAGES]
    answer = collapse(marked.answer, around=2 * _AROUND)
    shown = tuple(replace(each, text=collapse(each.text, around=_AROUND)) for each in passages)
    if sum(map(marked_bytes, (answer, *(each.text for each in shown)))) <= _MOST_BYTES:
        return answer, shown
    share = _MOST_BYTES // (len(shown) + 1) // len("&quot;")

    def plain(text: MarkedText) -> MarkedText:
        return mark_text("".join(segment.text for segment in text.segments), longest=share)

    return plain(answer), tuple(replace(each, text=plain(each.text)) for each in shown)


def _render(macro: str, **values: object) -> str:
    page = getattr(_environment().get_template("notebook.html").module, macro)(**values, open=_OPEN)
    return str(page)


@cache
def _environment() -> Environment:
    return make_environment(safe_text, {"shortened": shortened})
