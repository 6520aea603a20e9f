"""Incidents: everything that is known about one interaction, found by its trace id, and as one file to take away."""

from functools import partial
from typing import Annotated

from fastapi import Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from plumbrule.api.monitoring import FORMATS, find_trace, incident, questions_of
from plumbrule.api.scoring import score
from plumbrule.errors import UsageError
from plumbrule.monitoring.incident_model import Incident
from plumbrule.monitoring.incident_timeline import timeline_of
from plumbrule.reports.marks.bounded_marks import mark_within
from plumbrule.rubrics import load_scorecard
from plumbrule.verdicts import Verdict
from plumbrule.web.access.roles import Role
from plumbrule.web.addresses import path_part
from plumbrule.web.desk.campaign_words import reason_words
from plumbrule.web.downloads import download
from plumbrule.web.kept_views import View, newest
from plumbrule.web.routes import Routes
from plumbrule.web.views.monitored_figures import Filters, recall_view
from plumbrule.web.visit import Visit, Visiting
from plumbrule.web.visit_errors import AbsentError, visitor_words

routes = Routes()

LONGEST_SHOWN = 6_000  # characters of one text; the file has them all
_LONGEST_MARKED = 60_000  # characters of answer and passages
_MOST_BYTES = 120_000  # of answer and passages on the page
_LONGEST_ID = 500
_MOST_PASSAGES = 20
_MOST_WEEKS = 8
_MOST_FOUND = 20
_READ_WHOLE = 1_000  # interactions and samples, among which runs and similar interactions are looked for on the page
_KINDS = ("interaction", "record", "campaign", "claim", "decision", "alert", "run")


@routes.page("/incidents", role=Role.VIEWER)
def look_up(
    visit: Visiting, trace: Annotated[str, Query(max_length=_LONGEST_ID)] = ""
) -> HTMLResponse | RedirectResponse:
    """Show the box to look an interaction up, or go to the one that is asked for by its trace id."""
    asked, problem = trace.strip(), None
    if asked:
        try:
            with visit.ledger() as ledger:
                return visit.redirect(f"/incidents/{path_part(find_trace(asked, ledger=ledger))}")
        except UsageError as error:
            problem = visitor_words(error)
    return _ask(visit, asked, problem, by_words=problem is not None)


def _ask(visit: Visit, asked: str, problem: str | None, *, by_words: bool = False) -> HTMLResponse:
    """Show the box, and ``by_words`` the reviewed interactions whose question has the words that are no trace id."""
    weeks = recall_view(visit, Filters()).value.weeks
    newest_first = [line for week in list(weeks.values())[::-1] for line in week.reviews]
    recent = [line for week in list(weeks.values())[::-1][:_MOST_WEEKS] for line in week.reviews if line.blocked]
    words = asked.casefold()
    found = [line for line in newest_first if by_words and words in (line.question or "").casefold()]
    return visit.render(
        "incidents.html",
        status=404 if problem and not found else 200,
        asked=asked,
        problem=None if found else problem,
        found=found[:_MOST_FOUND],
        count=len(found),
        recent=recent[:_MOST_FOUND],
    )


@routes.page("/incidents/{trace_id:path}/file{suffix}", role=Role.VIEWER)
def download_file(visit: Visiting, trace_id: str, suffix: str) -> Response:
    """Give everything that is known about one interaction as one file."""
    render = FORMATS.get(suffix)
    if render is None:
        raise AbsentError(f"An incident is written as {' or '.join(FORMATS)}.")
    try:
        known = _recall(visit, trace_id, thorough=True)
    except UsageError as error:
        raise AbsentError(str(error)) from None
    return download(render(known), f"incident-{known.trace_id[:80]}{suffix}")


@routes.page("/incidents/{trace_id:path}", role=Role.VIEWER)
def show_incident(visit: Visiting, trace_id: str) -> HTMLResponse:
    """Show everything that is known about one interaction; a large ledger is not read whole for it."""
    with visit.ledger() as ledger:
        thorough = not ledger.holds_more_than(_READ_WHOLE, "interaction", "sample")
    try:
        known = _recall(visit, trace_id, thorough=thorough)
    except UsageError as error:
        return _ask(visit, trace_id[:_LONGEST_ID], visitor_words(error))
    with visit.ledger() as ledger:
        questions = questions_of([similar.trace_id for similar in known.similar], ledger=ledger)
    shown = known.passages[:_MOST_PASSAGES]
    marked, unmarked = mark_within(
        known.answer or "", shown, known.citations, _verdict(known), longest=LONGEST_SHOWN, most_bytes=_MOST_BYTES
    )
    return visit.render(
        "incident.html",
        incident=known,
        thorough=thorough,
        marked=marked,
        unmarked=unmarked,
        happened=timeline_of(known),
        questions=questions,
        reason_words=reason_words,
        titles={dimension.key: dimension.title for dimension in load_scorecard().rubric.dimensions},
        longest=LONGEST_SHOWN,
    )


def _verdict(known: Incident) -> Verdict | None:
    """Return the verdict that marks the answer, where there is one and it is not too long to be marked."""
    shown = known.passages[:_MOST_PASSAGES]
    if known.answer is None or len(known.answer) + sum(len(passage.text) for passage in shown) > _LONGEST_MARKED:
        return None
    return score(question=known.question, answer=known.answer, contexts=[{"text": passage.text} for passage in shown])


def _recall(visit: Visit, trace_id: str, *, thorough: bool) -> Incident:
    view: View[Incident] = View(
        name=f"incident {trace_id[:_LONGEST_ID]}{' with all that is similar' if thorough else ''}",
        kind=Incident,
        stamp=partial(newest, kinds=_KINDS),
        make=lambda ledger: incident(trace_id, ledger=ledger, thorough=thorough),
    )
    return visit.recall(view).value
