"""Two or more runs compared: every figure with its difference, and the samples that changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from plumbrule.errors import UsageError
from plumbrule.ledger import Entry, Ledger
from plumbrule.reports.charts import forest_chart
from plumbrule.reports.figure_text import METADATA_TITLES, SIGNS, compared_texts
from plumbrule.reports.marks.marked_text import MarkedText, Span, mark_text
from plumbrule.runs.changed_samples import ChangedSample, changed_samples
from plumbrule.runs.comparison import OtherDatasetError, RunComparison, comparison_title
from plumbrule.runs.differences import (
    DifferenceResult,
    FigureComparison,
    may_be_chance,
    nulls_matter,
)
from plumbrule.runs.report.gate_text import FIGURE_TITLES
from plumbrule.runs.run_entries import RunEntry, read_run
from plumbrule.runs.sample_detail import find_sample
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import with_query
from plumbrule.web.page_numbers import Paged, page_of
from plumbrule.web.routes import Routes
from plumbrule.web.views.named_sentences import NamedSentence, name_subject
from plumbrule.web.views.run_address import sample_address
from plumbrule.web.views.run_views import comparison, run_entry, run_lines, run_view
from plumbrule.web.views.word_differences import Stretch, word_differences
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import visitor_words

routes = Routes()
_MOST_RUNS = 5
_MOST_LISTED = 50  # to choose from
_PAGE = 10
_LONGEST_ANSWER = 4_000
_TITLES = {**FIGURE_TITLES, "total_tokens": "Mean tokens of a sample"}
_KINDS = {"better": "better", "worse": "worse", "no clear difference": "unclear"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One row of the table of figures; with nulls as zero it stands below the one without."""

    name: str
    title: str
    compared: FigureComparison | DifferenceResult
    chart: Markup | None
    by_chance: bool
    as_zero: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A run compared with the baseline."""

    compared: RunComparison
    title: str
    regressions: tuple[NamedSentence, ...]
    remarks: tuple[NamedSentence, ...]
    rows: tuple[FigureRow, ...]
    changed: tuple[ChangedSample, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BothAnswers:
    """A changed sample with both answers, the words that differ marked; None where no text is kept."""

    sample: ChangedSample
    first: MarkedText | None
    second: MarkedText | None
    addresses: tuple[str, str]


@routes.page("/compare", role=Role.VIEWER)
def show_comparison(
    visit: Visiting,
    runs: Annotated[list[str] | None, Query()] = None,
    order: str = "",
    other_dataset: str = "",
    against: int = 1,
    page: int = 1,
) -> HTMLResponse:
    """Compare runs with the first of them, or with the oldest."""
    asked = list(dict.fromkeys(runs or ()))
    query: dict[str, object] = {"runs": asked, "order": order, "other_dataset": other_dataset}
    with visit.ledger() as ledger:
        if not 1 < len(asked) <= _MOST_RUNS:
            return _ask(visit, asked)
        entries = [run_entry(ledger, run) for run in asked]
        if order == "oldest":
            entries.sort(key=lambda entry: entry.sequence)
        try:
            pairs = [_pair(visit, entries[0], other, other_dataset=other_dataset == "yes") for other in entries[1:]]
        except OtherDatasetError:
            anyway = with_query("/compare", {**query, "other_dataset": "yes"})
            return _ask(visit, asked, problem="They are of different datasets.", anyway=anyway)
        except UsageError as error:
            return _ask(visit, asked, problem=visitor_words(error))
        against = min(max(1, against), len(pairs))
        shown = page_of(
            pairs[against - 1].changed, page, size=_PAGE, path="/compare", query={**query, "against": against}
        )
        answers = list(_answers(ledger, entries[0], entries[against], shown))
        head = ledger.checkpoint()
    return visit.render(
        "compare.html",
        pairs=pairs,
        against=against,
        page=shown,
        answers=answers,
        titles=_TITLES,
        metadata_titles=METADATA_TITLES,
        signs=SIGNS,
        compared_texts=compared_texts,
        against_address=lambda number: with_query("/compare", {**query, "against": number}),
        swapped=with_query("/compare", {**query, "order": "", "runs": [entry.subject for entry in entries[::-1]]}),
        head=head,
    )


def _ask(visit: Visit, asked: Sequence[str], *, problem: str | None = None, anyway: str | None = None) -> HTMLResponse:
    """Show the newest runs to choose from; ``problem`` says why those that were chosen cannot be compared."""
    lines = visit.recall(run_lines()).value[:_MOST_LISTED]
    return visit.render(
        "compare_choice.html", lines=lines, asked=asked, most=_MOST_RUNS, problem=problem, anyway=anyway
    )


def _pair(visit: Visit, first: Entry, second: Entry, *, other_dataset: bool) -> Pair:
    compared = visit.recall(comparison(first, second, other_dataset=other_dataset)).value
    rows = [visit.recall(run_view(run)).value.rows for run in (first, second)]
    return Pair(
        compared=compared,
        title=comparison_title(compared),
        regressions=tuple(name_subject(sentence, _TITLES) for sentence in compared.regressions),
        remarks=tuple(name_subject(sentence, _TITLES) for sentence in compared.remarks),
        rows=tuple(_rows(compared.figures)),
        changed=changed_samples(rows[0], rows[1], compared),
    )


def _rows(figures: Sequence[FigureComparison]) -> Iterator[FigureRow]:
    for compared in figures:
        yield _row(compared.name, compared)
        if nulls_matter(compared) and compared.nulls_as_zero is not None:
            yield _row(compared.name, compared.nulls_as_zero, as_zero=True)


def _row(name: str, compared: FigureComparison | DifferenceResult, *, as_zero: bool = False) -> FigureRow:
    chart = None
    if compared.difference is not None:
        interval = compared.interval
        chart = forest_chart(compared.difference, interval.low, interval.high, kind=_KINDS[compared.verdict])
    return FigureRow(
        name=name,
        title=_TITLES.get(name, name),
        compared=compared,
        chart=chart,
        by_chance=may_be_chance(compared),
        as_zero=as_zero,
    )


def _answers(ledger: Ledger, first: Entry, second: Entry, page: Paged[ChangedSample]) -> Iterator[BothAnswers]:
    begun = read_run(first), read_run(second)
    for number, sample in enumerate(page.items, 1):
        standings = sample.first, sample.second
        texts = [
            _answer(ledger, run, standing.summary.sample_id, standing.summary.repeat)
            for run, standing in zip(begun, standings, strict=True)
        ]
        parts = word_differences(*((text or "")[:_LONGEST_ANSWER] for text in texts))
        marked = [
            None if text is None else _marked(text, stretches, f"{number}-{place}")
            for place, (text, stretches) in enumerate(zip(texts, parts, strict=True))
        ]
        yield BothAnswers(
            sample=sample,
            first=marked[0],
            second=marked[1],
            addresses=(
                sample_address(begun[0].run_id, sample.first.summary.sample_id, sample.first.summary.repeat),
                sample_address(begun[1].run_id, sample.sample_id, sample.second.summary.repeat),
            ),
        )


def _answer(ledger: Ledger, run: RunEntry, sample_id: str, repeat: int) -> str | None:
    sample = find_sample(ledger, run, sample_id, repeat)
    return None if sample is None else sample.answer


def _marked(text: str, stretches: Sequence[Stretch], name: str) -> MarkedText:
    spans, start = [], 0
    for number, stretch in enumerate(stretches, 1):
        end = start + len(stretch.text)
        if not stretch.same:
            words = start + len(stretch.text) - len(stretch.text.lstrip())
            title = "differs from the other answer"
            spans.append(Span(id=f"differs-{name}-{number}", start=words, end=end, kind="differs", title=title))
        start = end
    return mark_text(text, spans, longest=_LONGEST_ANSWER)
