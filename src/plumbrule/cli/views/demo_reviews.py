"""The demo's reviews on a terminal, for people who never saw a scorecard."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import OUTCOME_STYLES, plain, table
from plumbrule.cli.views.monitoring_tables import STATUS_STYLES, target_sign, value_text, weeks_line
from plumbrule.cli.views.review_tables import estimate_text
from plumbrule.demo.scripted_reviews import CapReason, Disagreement, ReleaseReview, WeeksReview
from plumbrule.monitoring.monitoring_report import Status, ThresholdAlert
from plumbrule.monitoring.weekly_figures import worst_of
from plumbrule.reports.figure_text import figure
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision, RevisedRecord
from plumbrule.rubrics import ScorecardRubric
from plumbrule.text.figure_format import score

_COLOURS = {"Strong": "green", "Adequate": "cyan", "Needs Review": "yellow", "Unsafe": "bold red"}
_STATES: dict[Status | None, str] = {"ON_TARGET": "ok", "WATCH": "watch", "ALERT": "ALERT", None: "none"}


def show_release(console: Console, review: ReleaseReview, rubric: ScorecardRubric) -> None:
    """Print what was proposed, how people rated, where they disagree, and the decision."""
    decision = review.decision
    if decision is None:
        return
    console.print(
        plain(
            f"{review.items} answers of the repaired assistant. Mechanical checks propose a level for each "
            "dimension, people decide; the last column is the average of what they gave."
        )
    )
    console.print()
    console.print(_dimension_table(review, decision, rubric))
    console.print()
    count = len(review.disagreements)
    times = {0: "nowhere", 1: "once"}.get(count, f"{count} times")
    console.print(plain(f"{review.ratings} records by two people who do not see each other's; they disagree {times}:"))
    for disagreement in review.disagreements:
        revised = [record for record in decision.revised if record.trace_id == disagreement.trace_id]
        _show_disagreement(console, disagreement, revised)
    console.print()
    console.print(plain(decision.headline, OUTCOME_STYLES[decision.outcome]))
    average = f"{decision.records} records, average {score(decision.overall)} of 4, {decision.band}"
    interval = "" if decision.estimate is None else f"; {estimate_text(decision.estimate)}"
    console.print(indented(plain(f"{average}{interval}", "dim")))
    for reason in decision.reasons:
        console.print(indented(plain(reason)))
    for remark in decision.remarks:
        console.print(indented(plain(remark, "yellow")))
    if not decision.blockers:
        console.print(plain("  no record sets off a rule that blocks; to be fixed next:"))
    for item in review.noted:
        console.print(_labelled({"asked": item.query, "because": item.notes}))


def show_weeks(console: Console, review: WeeksReview, rubric: ScorecardRubric) -> None:
    """Print how the figures developed, and what is behind each alert."""
    weeks = review.weeks
    console.print(
        plain(
            f"{weeks[0].week} to {weeks[-1].week}: {review.reviewed} records, "
            f"{len(weeks)} weekly samples drawn by strata."
        )
    )
    console.print()
    headings = ("figure", f"{len(weeks)} weeks", ">last", ">target", ">worst", "")
    rows = table(*headings, no_wrap=[heading.removeprefix(">") for heading in headings])
    for place, rule in enumerate(rubric.figures):
        figures = [week.figures[place] for week in weeks]
        worst = worst_of(figures, rule)
        rows.add_row(
            plain(rule.title.partition(" (")[0]),
            weeks_line(figures, rule),
            value_text(figures[-1], rule),
            target_sign(rule.target),
            value_text(worst, rule),
            Text(_STATES[worst.status], STATUS_STYLES[worst.status]),
        )
    console.print(rows)
    console.print()
    for alert in review.alerts:
        over = f" over {alert.total} records" if isinstance(alert, ThresholdAlert) else ""
        text = f" {alert.week}: {alert.title} is {figure(alert.value)}{over}"
        console.print(Text("ALERT", "bold red"), plain(text), sep="")
    if not review.alerts:
        console.print(plain("no alert", "green"))
    for failed in review.behind:
        low = ", ".join(f"{_words(key)} {level}" for key, level in failed.low.items())
        lines = {"asked": failed.query, "answered": failed.answer, "rated": low, "because": " ".join(failed.notes)}
        console.print(_labelled(lines))


def indented(text: Text) -> Padding:
    """Return a text with all its lines indented."""
    return Padding(text, (0, 0, 0, 2), expand=False)


def _dimension_table(review: ReleaseReview, decision: CampaignDecision, rubric: ScorecardRubric) -> Table:
    levels, first = [level.name for level in rubric.levels], "levels that the checks propose"
    rows = table(first, *(f">{level}" for level in levels), ">people", no_wrap=(first, *levels, "people"))
    for dimension in rubric.dimensions:
        counts = review.proposed[dimension.key]
        rows.add_row(
            plain(dimension.title),
            *(
                Text(str(counts.get(level, 0)), _COLOURS.get(level, "") if counts.get(level) else "dim")
                for level in levels
            ),
            figure(decision.dimension_means[dimension.key]),
        )
    return rows


def _show_disagreement(console: Console, item: Disagreement, revised: Sequence[RevisedRecord]) -> None:
    console.print(Panel(plain(f"{item.query}\n\n{item.answer}"), title="question and answer", title_align="left"))
    dimension = _words(item.dimension)
    rows = table("who", dimension, "why", no_wrap=("who", dimension))
    rows.add_row("the checks propose", _level(item.proposed), plain("; ".join(map(_why, item.why))))
    for given in item.given:
        settles = given.evaluator == item.adjudicator
        if settles:
            _add_revisions(rows, item.dimension, revised)
        who = plain(f"{given.evaluator} {'settles it' if settles else 'rates'}", "bold" if settles else "")
        rows.add_row(who, _level(given.level), plain(given.notes))
    console.print(rows)
    console.print(
        plain(f"Until it is settled the lower level counts, and the recommendation is {item.unsettled}.", "dim")
    )


def _add_revisions(rows: Table, dimension: str, revised: Sequence[RevisedRecord]) -> None:
    """Add what was revised after the ratings became visible, which raises no level."""
    for record in revised:
        for change in record.changes:
            if change.dimension == dimension:
                why = f"{' '.join(record.reasons)} Made when the other rating was visible: it raises no level."
                rows.add_row(plain(f"{record.evaluator} revises"), _level(change.revised), plain(why))


def _why(cap: CapReason) -> str:
    quoted = ", ".join(f"'{text}'" for text in cap.answer)
    return f"{cap.message} ({quoted})" if quoted else cap.message


def _labelled(lines: Mapping[str, str | None]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column()
    for label, text in lines.items():
        table.add_row("", Text(label, "dim"), plain(text or "none"))
    return table


def _words(key: str) -> str:
    return key.replace("_", " ")


def _level(level: str | None) -> Text:
    return Text(level or "none", _COLOURS.get(level or "", "dim"))
