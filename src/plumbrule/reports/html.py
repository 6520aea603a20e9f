"""The report as one HTML file: no script, nothing from outside, every text escaped, less than 5 MB.

Failing samples are shown in full, the worst first, as far as there is room; all samples are listed with the beginnings
of their texts, so that the search of a browser finds them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import escape

from plumbrule.reports import charts
from plumbrule.reports.figure_text import METHODS
from plumbrule.reports.page import clipped, render_page, report_values
from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.run_report import Failure, Report, SampleLine
from plumbrule.terminal import safe, shortened

MOST_FAILURES = 300
MOST_LISTED = 10_000
MOST_CATEGORIES = 100
_FAILURES_ROOM = 1_500_000  # bytes of the texts of the failing samples
_LIST_ROOM = 2_800_000  # bytes of the rows of all samples
_ROW_MARKUP = 130  # bytes of a row without its texts, at most
_LONGEST_CELLS = (160, 80, 40, 20)  # characters: the first that leaves room for every row is taken


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSample:
    """A sample in the list of all: its texts are cut."""

    sample: SampleLine
    sample_id: str
    category: str
    question: str
    answer: str
    number: int | None  # of the failure that is shown in full

    @property
    def size(self) -> int:
        """How many bytes its row has, at most."""
        causes = sum(len(CAUSES[cause]) + 2 for cause in self.sample.causes)
        texts = self.sample_id, self.category, self.question, self.answer
        return _ROW_MARKUP + causes + len(self.sample.headline) + sum(map(_size, texts))


def render_html(report: Report) -> bytes:
    """Return the report as one HTML file."""
    limits = {gate.name: gate.limit for gate in report.gates}
    shown = fitting_failures(report.failures[:MOST_FAILURES])
    return render_page(
        "report.html",
        **report_values(report, shown=shown, most_suspects=MOST_FAILURES),
        listed=list_samples(report, shown),
        most_rows=MOST_FAILURES,
        most_categories=MOST_CATEGORIES,
        gate_charts={gate.name: charts.gate_chart(gate) for gate in report.gates},
        score_chart=charts.spread_chart(report.scores, title="sample_score over the samples"),
        latency_chart=charts.spread_chart(report.latencies, title="latency_e2e_ms over the samples", unit=" ms"),
        repeats_chart=charts.repeats_chart(report.repeats, limit=limits.get("aggregate_score")),
        category_charts=[
            charts.rate_chart(
                category.pass_rate, category.interval.low, category.interval.high, limit=limits.get("pass_rate")
            )
            for category in report.categories[:MOST_CATEGORIES]
        ],
        heat=heat_rows(report),
        methods=METHODS,
    )


def fitting_failures(failures: Sequence[Failure]) -> Sequence[Failure]:
    """Return the failures from the first that there is room for, and the first at least."""
    size = 0
    for count, failure in enumerate(failures):
        size += sum(_size(clipped(text)) for text in _texts(failure))
        if count and size > _FAILURES_ROOM:
            return failures[:count]
    return failures


def _texts(failure: Failure) -> Iterator[str]:
    sample = failure.sample
    texts = (failure.question, failure.answer, failure.refusal, failure.reference, failure.expected, sample.rationale)
    errors = (sample.evaluator_error, sample.candidate_error, failure.error_detail, *failure.flags)
    yield from (text for text in (sample.sample_id, sample.category, *texts, *errors) if text is not None)
    for context in failure.contexts:
        yield from (text for text in (context.id, context.title, context.text) if text is not None)


def list_samples(report: Report, shown: Sequence[Failure]) -> list[ListedSample]:
    """Return the samples for the list of all, those that fail first: as many as there is room for."""
    numbers = {failure.sample.sample_id: failure.number for failure in shown}
    samples = sorted(report.samples, key=lambda sample: sample.passed)[:MOST_LISTED]
    rows: list[ListedSample] = []
    for longest in _LONGEST_CELLS:
        rows = [_listed(sample, longest, numbers.get(sample.sample_id)) for sample in samples]
        if sum(row.size for row in rows) <= _LIST_ROOM:
            return rows
    room = _LIST_ROOM
    for count, row in enumerate(rows):
        room -= row.size
        if room < 0:
            return rows[:count]
    return rows


def _listed(sample: SampleLine, longest: int, number: int | None) -> ListedSample:
    return ListedSample(
        sample=sample,
        sample_id=shortened(sample.sample_id, max(longest, 60)),
        category=shortened(sample.category or "", 40),
        question=shortened(sample.question, longest),
        answer=shortened(sample.answer, longest),
        number=number,
    )


def _size(text: str) -> int:
    return len(escape(safe(text)).encode())


def heat_rows(report: Report) -> list[tuple[int | None, list[tuple[int, int]]]]:
    """Return the table of the two scores: each row's accuracy with the count and the shade (0 to 4) of every cell."""
    most = max((cell.samples for cell in report.heat), default=0) or 1
    rows: dict[int | None, list[tuple[int, int]]] = {}
    for cell in report.heat:
        rows.setdefault(cell.accuracy_score, []).append((cell.samples, -(-cell.samples * 4 // most)))
    return list(rows.items())
