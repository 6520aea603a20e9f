"""One sample of a run: question, answer with its marks, passages, why it passed or failed, its history."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import orjson
from fastapi.responses import HTMLResponse

from plumbrule.api.runs import show_sample
from plumbrule.errors import PlumbruleError, UsageError
from plumbrule.reports.marks.marked_answer import mark_answer
from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.run_evidence import expected_text, refusal_text
from plumbrule.runs.report.sample_rows import SampleRow
from plumbrule.runs.run_results import RunLine
from plumbrule.runs.sample_detail import SampleDetail, sample_history
from plumbrule.verdicts import Verdict
from plumbrule.web.access.roles import Role
from plumbrule.web.routes import Routes
from plumbrule.web.verdict_scorers import VerdictScorers
from plumbrule.web.views.run_address import sample_address, samples_address
from plumbrule.web.views.run_query import AskedSamples, SampleQuery
from plumbrule.web.views.run_views import run_entry, run_lines, run_view
from plumbrule.web.visit import Visiting
from plumbrule.web.visit_errors import AbsentError

routes = Routes()
LONGEST = 12_000  # characters of a text that the page shows at first
_LONGEST_EXCHANGE = 20_000
_MOST_PASSAGES = 20
_MOST_RUNS = 12  # of the history


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The verdict on the kept texts, and how far it is the one that the run was made with."""

    verdict: Verdict | None
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The samples before and after one in the list that the visitor came from."""

    before: str | None
    after: str | None
    place: int | None  # from 1; None: it is not in that list
    total: int


@routes.page("/runs/{run_id:run}/samples/{sample_id:path}", role=Role.VIEWER)
def show(
    visit: Visiting, run_id: str, sample_id: str, asked: AskedSamples, *, repeat: int | None = None, whole: bool = False
) -> HTMLResponse:
    """Show one sample whole."""
    with visit.ledger() as ledger:
        entry = run_entry(ledger, run_id)
        lines = visit.recall(run_lines()).value
        view = visit.recall(run_view(entry)).value  # before the sample: making it verifies what the sample is read from
        try:
            detail = show_sample(entry.subject, sample_id, ledger, repeat=repeat)
        except UsageError as error:
            raise AbsentError(str(error)) from None
        history = sample_history(ledger, sample_id, _comparable(lines, detail))
    rows = asked.select(view.rows)
    sample, shown = detail.sample, None if whole else LONGEST
    evidence = _evidence(detail, visit.site.scorers)
    marked = None
    if sample is not None and sample.answer is not None:
        passages = sample.contexts if whole else sample.contexts[:_MOST_PASSAGES]
        marked = mark_answer(sample.answer, passages, sample.citations, evidence.verdict, longest=shown)
    elif sample is not None:
        marked = mark_answer("", sample.contexts if whole else sample.contexts[:_MOST_PASSAGES], longest=shown)
    here = partial(sample_address, detail.run.run_id, sample_id, detail.summary.repeat)
    return visit.render(
        "sample.html",
        detail=detail,
        run=detail.run,
        sample=sample,
        summary=detail.summary,
        evidence=evidence,
        marked=marked,
        hidden_passages=0 if marked is None or sample is None else len(sample.contexts) - len(marked.passages),
        refusal=None if sample is None else refusal_text(sample.refusal),
        expected=None if sample is None else expected_text(sample.expected),
        causes=CAUSES,
        history=history,
        neighbours=_neighbours(detail, rows, asked),
        exchanges=[
            (each, _readable(each.request), (each.response or "")[:_LONGEST_EXCHANGE]) for each in detail.exchanges
        ],
        here=here(asked.query),
        whole_address=here({**asked.query, "whole": "true"}),
        list_address=samples_address(detail.run.run_id, asked.query),
        asked=asked,
        sample_address=sample_address,
        longest=LONGEST if not whole else 10**9,
    )


def _evidence(detail: SampleDetail, scorers: VerdictScorers) -> Evidence:
    """Score the kept texts by the rubric that the run was made with: the same texts give the same marks."""
    sample, rubric = detail.sample, detail.verdict_rubric
    if sample is None:
        return Evidence(verdict=None, remark="The ledger keeps no texts of this sample, so nothing can be marked.")
    if sample.answer is None:
        return Evidence(verdict=None, remark="There is no answer to mark.")
    if rubric is None:
        return Evidence(
            verdict=None, remark="The ledger keeps no verdict rubric of this run that this version can score by."
        )
    try:
        verdict = scorers.of(rubric).score(sample)
    except PlumbruleError as error:
        return Evidence(verdict=None, remark=f"The answer could not be marked: {error}")
    return Evidence(verdict=verdict, remark=_remark(detail, verdict))


def _remark(detail: SampleDetail, verdict: Verdict) -> str:
    text = f"Marked by the run's own verdict rubric, version {verdict.rubric['version']}"
    if verdict.support is None:
        return f"{text}."
    model, kept = verdict.support.model, detail.support.get("model")
    text += f", and by the support model {model['name']}, version {model['version']}"
    if kept is None:
        return f"{text}; the run's own judge gave no support score."
    if kept["sha256"] != model["sha256"]:
        return f"{text}. The run was judged by version {kept['version']} of that model: its own score may be another."
    return f"{text}, which judged the run, too."


def _comparable(lines: Sequence[RunLine], detail: SampleDetail) -> Sequence[RunLine]:
    """Return the newest runs of the same dataset, the oldest of them first; this run is always among them."""
    dataset, run_id = detail.run.body.summary.dataset, detail.run.run_id
    same = [line for line in lines if line.dataset == dataset]
    newest = same[:_MOST_RUNS]
    if all(line.run_id != run_id for line in newest):
        newest = [*newest[: _MOST_RUNS - 1], *(line for line in same if line.run_id == run_id)]
    return newest[::-1]


def _neighbours(detail: SampleDetail, rows: Sequence[SampleRow], asked: SampleQuery) -> Neighbours:
    key = detail.summary.sample_id, detail.summary.repeat
    keys = [(row.sample.sample_id, row.sample.repeat) for row in rows]
    if key not in keys:
        return Neighbours(before=None, after=None, place=None, total=len(keys))
    place = keys.index(key)

    def address(index: int) -> str | None:
        if not 0 <= index < len(keys):
            return None
        return sample_address(detail.run.run_id, *keys[index], asked.query)

    return Neighbours(before=address(place - 1), after=address(place + 1), place=place + 1, total=len(keys))


def _readable(request: object) -> str:
    return orjson.dumps(request, option=orjson.OPT_INDENT_2).decode()[:_LONGEST_EXCHANGE]
