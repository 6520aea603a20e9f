"""Feedback: the patterns in what was reviewed, where they gather, and the remedy for each."""

from fastapi.responses import HTMLResponse

from plumbrule.rubrics import load_scorecard
from plumbrule.stats.multiplicity import ALPHA
from plumbrule.web.access.roles import Role
from plumbrule.web.desk.campaign_words import stratum_words
from plumbrule.web.routes import Routes
from plumbrule.web.views.monitored_figures import Filtering, Filters, recall_view
from plumbrule.web.visit import Visiting

routes = Routes()

_MOST_GROUPS = 30  # of one pattern on a page
_MOST_TRACES = 8  # examples of one pattern
_MOST_OF_GROUP = 3  # examples of one group or dimension
_KINDS = {"refusal_code": "Refusal code", "category": "Topic", "source": "Source", "model": "Model"}


@routes.page("/feedback", role=Role.VIEWER)
def show_feedback(visit: Visiting, filters: Filtering) -> HTMLResponse:
    """Show the patterns, the most frequent first, with their examples and remedies."""
    within = Filters(triggers=filters.triggers, strata=filters.strata)  # patterns are of all weeks
    recalled = recall_view(visit, within)
    feedback = recalled.value.feedback
    rubric = load_scorecard().rubric
    return visit.render(
        "feedback.html",
        feedback=feedback,
        shown=[pattern for pattern in feedback.patterns if pattern.count],
        standing_out=sum(group.stands_out for pattern in feedback.patterns for group in pattern.groups),
        filters=within,
        triggers=rubric.triggers,
        strata=recalled.value.strata,
        kinds=_KINDS,
        most_groups=_MOST_GROUPS,
        most_traces=_MOST_TRACES,
        most_of_group=_MOST_OF_GROUP,
        questions={line.trace_id: line.question for week in recalled.value.weeks.values() for line in week.reviews},
        alpha=ALPHA,
        titles={dimension.key: dimension.title for dimension in rubric.dimensions},
        stratum_words=stratum_words,
        noted=rubric.note_required_at,
        recalled=recalled,
    )
