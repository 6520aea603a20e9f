"""Campaigns on a terminal: lists, progress, agreement, the comparison of a model change, the decision."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from plumbrule.cli.terminal_console import OUTCOME_STYLES, plain, table
from plumbrule.cli.views.policy_lines import show_policy
from plumbrule.outcomes import Settled
from plumbrule.reports.figure_text import figure
from plumbrule.reviews.campaigns.campaign_agreement import (
    CampaignAgreement,
    DimensionAgreement,
    EvaluatorAgreement,
    JudgeScoreAgreement,
    PrescoreAgreement,
)
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_progress import CampaignProgress, CampaignReport, ClaimLine, ItemLine
from plumbrule.reviews.items import Status
from plumbrule.reviews.model_change import FigureResult, ModelChange, PairedComparison, PairLine, Reason, Verdict
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.release_decision import OverallEstimate
from plumbrule.rubrics.scorecard_rubric import Recommendation
from plumbrule.terminal import listed, shortened
from plumbrule.text.figure_format import score

_STYLES: dict[Verdict, str] = {"better": "green", "worse": "red", "no clear difference": ""}
_PEOPLE, _PRESCORES = "people's cards", "pre-scores"
_WHY: dict[Reason, str] = {
    "new_missing": "nothing on the new answer",
    "earlier_missing": "nothing on the earlier answer",
    "other_rubric": "by another rubric",
    "withheld": "the earlier answer's campaign is open",
}


_STATES: dict[Settled, str] = {"holds": "not below", "fails": "below", "inconclusive": "on both sides of"}
_WORST: tuple[Recommendation, ...] = ("Fail", "Pass with notes", "Pass")
_STATUS: dict[Status, str] = {"open": "dim", "claimed": "cyan", "adjudication": "yellow", "done": "green"}
_WHOLE = {"status", "item", "trigger", "recommendation"}  # headings of columns that do not wrap
_WORDS = {*_WHOLE, "query", "stratum", "state", "lowest", "to you", "yours until"}  # and of those to the left
_SHOWN_ID = 13
_SHOWN_QUERY = 60
_SHOWN_RECORDS = 12
_SHOWN_NEWER = 5


def show_pairing(console: Console, change: ModelChange) -> None:
    """Print the new answers compared with the earlier model's, and what could not be paired."""
    by = "".join(f", {count} by {how}" for how, count in change.paired_by.items() if count)
    without = f"; {len(change.unpaired)} without a pair" if change.unpaired else ""
    paired = f"{change.paired} of {change.items} items paired{by}{without}"
    console.print()
    console.print(plain(f"beside the earlier model: {paired}", "bold"), soft_wrap=True)
    for title, compared in ((_PEOPLE, change.people), (_PRESCORES, change.prescores)):
        if compared is not None and change.paired:
            _show_compared(console, title, compared)


def pair_text(pair: PairLine) -> str:
    """Return the comparison of one item with the earlier answer, in a line."""
    differences = ((_PEOPLE, pair.people), (_PRESCORES, pair.prescores))
    known = [f"{title} {figure(difference)}" for title, difference in differences if difference is not None]
    return f"overall, new less earlier: {'; '.join(known) or 'none'}"


def _show_compared(console: Console, title: str, compared: PairedComparison) -> None:
    left = [f"{count} {_WHY[why]}" for why, count in compared.left_out.items() if count]
    if not compared.pairs:
        console.print(plain(f"{title}: no pair ({'; '.join(left)})"), soft_wrap=True)
        return
    console.print()
    headings = ("pairs", "earlier", "new", "diff", "95% interval", "better", "worse", "equal", "p")
    rows = table(title, *(f">{heading}" for heading in headings), no_wrap={title, *headings})
    for line in compared.figures:
        rows.add_row(
            plain(line.key),
            str(line.pairs),
            figure(line.earlier),
            figure(line.new),
            Text("none" if line.difference is None else f"{line.difference:+.3g}", _STYLES[line.verdict]),
            _interval(line.interval_95),
            *map(str, (line.better, line.worse, line.equal)),
            f"{line.sign_test_p if line.p_value_adjusted is None else line.p_value_adjusted:.3f}",
        )
    console.print(rows)
    by_chance = [line.key for line in compared.figures if _by_chance(line)]
    if by_chance:
        text = "the interval excludes 0, but with so many figures compared chance may have done it (Holm)"
        console.print(plain(f"{text}: {', '.join(by_chance)}", "dim"), soft_wrap=True)
    verdicts: tuple[Verdict, ...] = ("worse", "better")
    for verdict in verdicts:
        clear = [line.key for line in compared.figures if line.verdict == verdict]
        if clear:
            console.print(plain(f"clearly {verdict}: {', '.join(clear)}", _STYLES[verdict]), soft_wrap=True)
    if left:
        console.print(plain(f"left out: {'; '.join(left)}", "yellow"), soft_wrap=True)


def _by_chance(line: FigureResult) -> bool:
    """Whether the interval excludes 0, and the test that allows for all figures does not."""
    interval = line.interval_95
    return interval is not None and not interval[0] <= 0 <= interval[1] and line.verdict == "no clear difference"


def campaign_table(campaigns: Sequence[CampaignProgress]) -> Table:
    """Return the campaigns, one a row."""
    rows = _table("campaign", "trigger", "items", "ratings", "open", "adjudication", "done", "state")
    for campaign in campaigns:
        rows.add_row(
            plain(campaign.campaign),
            plain(campaign.trigger),
            str(campaign.items),
            f"{campaign.ratings} of {campaign.ratings_wanted}",
            str(campaign.unrated),
            str(campaign.status["adjudication"]),
            str(campaign.status["done"]),
            Text("closed", "green") if campaign.closed else Text("open", "cyan"),
        )
    return rows


def item_table(items: Sequence[ItemLine], *, whose: str | None) -> Table:
    """Return the items, one a row."""
    rows = _table("item", "query", "stratum", "rated", "status", *(["to you"] if whose is not None else []))
    for item in items:
        cells: list[str | Text] = [
            plain(_short(item.trace_id)),
            plain(_cut(item.query)),
            plain(item.stratum or ""),
            f"{item.rated} of {item.of}",
            Text(item.status, _STATUS[item.status]),
        ]
        rows.add_row(*cells, *([item.mine or ""] if whose is not None else []))
    return rows


def claim_table(claims: Sequence[ClaimLine]) -> Table:
    """Return what was claimed, one a row."""
    rows = _table("item", "query", "yours until")
    for claim in claims:
        rows.add_row(plain(claim.trace_id), plain(_cut(claim.query)), _minute(claim.until))
    return rows


def nothing_left_text(person: str, nothing: NothingLeft) -> str:
    """Return in words that nothing is left for somebody, and what waits for whom."""
    left, waiting = f"{nothing.campaign}: nothing is left for {person}", nothing.waiting
    if waiting.closed:
        return f"{left}: the campaign is closed"
    adjudicates = waiting.role == "adjudicator"
    if not waiting.items:
        if not adjudicates:
            return f"{left}: every item has its ratings"
        lacking = f", and {_items(waiting.unrated)} still to be rated" if waiting.unrated else ""
        return f"{left}: no item waits for an adjudicator{lacking}"
    whom = "another adjudicator" if adjudicates else "other evaluators"
    why = [f"{person} was shown the ratings"] if waiting.shown else []
    why += [f"{person} rated {waiting.rated} of them"] if waiting.rated else []
    why += [f"{person} wrote the answers of {waiting.written} of them"] if waiting.written else []
    why += [f"{waiting.held} with {', '.join(waiting.holders)}"] if waiting.held else []
    wait = "waits" if waiting.items == 1 else "wait"
    return "; ".join([f"{left}: {_items(waiting.items)} {wait} for {whom}", *why])


def show_progress(console: Console, report: CampaignReport) -> None:
    """Print how far a campaign is, and the decision of one that is closed."""
    console.print(plain(report.campaign, "bold"))
    about = f"{report.trigger}: {report.scope}; {report.depth}; {report.evaluators_per_item} for each item"
    console.print(plain(about), soft_wrap=True)
    if report.decision is None:
        show_policy(console, report.policy)
    console.print(f"ratings: {report.ratings} of {report.ratings_wanted} on {report.items} items")
    parts = [Text(f"{status} {count}", _STATUS[status]) for status, count in report.status.items()]
    console.print(Text(" · ").join(parts))
    if report.evaluators:
        console.print()
        rows = _table("evaluator", "rated", "claimed", "adjudicated")
        for person in report.evaluators:
            rows.add_row(plain(person.evaluator), *map(str, (person.rated, person.claimed, person.adjudicated)))
        console.print(rows)
    if report.revised and report.decision is None:
        revised = [f"{one.evaluator} on {_short(one.trace_id)}" for one in report.revised]
        named = listed(revised, _SHOWN_NEWER, between="; ")
        console.print(
            plain(f"revised after others' ratings became visible: {named}; the blind ratings decide", "yellow"),
            soft_wrap=True,
        )
    if report.newer_versions:
        names = listed([_short(name) for name in report.newer_versions], _SHOWN_NEWER)
        text = f"a newer version was kept later of {_items(len(report.newer_versions))}: {names}"
        console.print(plain(f"{text}; this campaign is about the versions that it drew", "yellow"), soft_wrap=True)
    if report.paired is not None:
        show_pairing(console, report.paired)
    if report.decision is not None:
        show_decision(console, report.decision)


def show_decision(console: Console, decision: CampaignDecision) -> None:
    """Print the decision of a campaign: the failing records first, then those with notes; what blocks, the remarks."""
    console.print()
    show_policy(console, decision.policy)
    rows = _table("", "item", "overall", "recommendation", "lowest")
    records = sorted(decision.cards, key=lambda item: (_WORST.index(item.recommendation), item.overall, item.record))
    for item in records[:_SHOWN_RECORDS]:
        rows.add_row(
            str(item.record),
            plain(_short(item.trace_id)),
            figure(item.overall),
            Text(item.recommendation, "red" if item.recommendation == "Fail" else ""),
            plain(", ".join(f"{key} {item.scores[key]}" for key in item.low)),
        )
    if records:
        console.print(rows)
    if len(records) > _SHOWN_RECORDS:
        rest = Counter(item.recommendation for item in records[_SHOWN_RECORDS:])
        counts = ", ".join(f"{rest[name]} {name}" for name in _WORST if rest[name])
        console.print(plain(f"and {counts}; --json lists all", "dim"))
    console.print()
    overall = f"average overall {score(decision.overall)}, {decision.band}" if records else "no cards"
    interval = "" if decision.estimate is None else f"; {estimate_text(decision.estimate)}"
    console.print(plain(f"{decision.records} cards, {decision.mode}: {overall}{interval}"), soft_wrap=True)
    console.print(plain(decision.headline, OUTCOME_STYLES[decision.outcome]), soft_wrap=True)
    for reason in decision.reasons:
        console.print(plain(f"  {reason}"), soft_wrap=True)
    for remark in decision.remarks:
        console.print(plain(remark, "yellow"), soft_wrap=True)
    if decision.paired is not None:
        show_pairing(console, decision.paired)


def estimate_text(estimate: OverallEstimate) -> str:
    """Return the interval of the average, its state against the limit, and what would settle it."""
    low, high = estimate.interval_95
    text = f"95% interval {score(low)} to {score(high)}, {_STATES[estimate.state]} {figure(estimate.limit)}"
    if estimate.state != "inconclusive":
        return text
    if estimate.more_items is None:
        return f"{text}: at this average no number of items would settle it"
    return f"{text}: about {estimate.more_items:,} more items would settle it, were this the true average"


def show_agreement(console: Console, agreement: CampaignAgreement) -> None:
    """Print how far people agree with each other, with the pre-scores and with a judge."""
    left_out = agreement.left_out
    left = f"; {left_out} are left out until you may see all their ratings" if left_out else ""
    console.print(plain(f"{agreement.campaign}: {agreement.items} items{left}"), soft_wrap=True)
    console.print()
    headings = ("rated twice", "alpha", "95% interval", "AC1")
    rows = _table("people with each other", *headings)
    for dimension in agreement.dimensions:
        rows.add_row(plain(dimension.key), *_agreed(dimension))
    console.print(rows)
    console.print()
    rows = _table("evaluator", "rated", "mean level", *headings)
    for person in agreement.evaluators:
        rows.add_row(plain(person.evaluator), str(person.rated), figure(person.mean_level), *_agreed(person))
    console.print(rows)
    console.print()
    rows = _table("people with pre-scores", "pairs", "same", "kappa", "95% interval")
    for prescore in agreement.prescores:
        rows.add_row(plain(prescore.key), *_beside(prescore))
    console.print(rows)
    for prescore in agreement.prescores:
        _show_confusion(console, prescore, f"{prescore.key}: people down, pre-score across")
    if agreement.judge is not None:
        console.print()
        rows = _table(f"people with the judge of {agreement.judge.run_id}", "pairs", "same", "kappa", "95% interval")
        for score in agreement.judge.scores:
            rows.add_row(plain(f"{score.score} for {score.dimension}"), *_beside(score))
        console.print(rows)
        for score in agreement.judge.scores:
            _show_confusion(console, score, f"{score.score}: people down, judge across")


def _show_confusion(console: Console, compared: PrescoreAgreement | JudgeScoreAgreement, title: str) -> None:
    if not compared.differs:
        return
    console.print()
    rows = _table(title, *compared.labels)
    for label, row in zip(compared.labels, compared.confusion, strict=True):
        rows.add_row(plain(label), *(Text(str(count), "" if count else "dim") for count in row))
    console.print(rows)


def _agreed(line: DimensionAgreement | EvaluatorAgreement) -> tuple[str, str, str, str]:
    return str(line.pairable), figure(line.alpha), _interval(line.alpha_interval_95), figure(line.ac1)


def _beside(line: PrescoreAgreement | JudgeScoreAgreement) -> tuple[str, str, str, str]:
    same = "none" if line.same is None else f"{line.same:.0%}"
    return str(line.pairs), same, figure(line.kappa), _interval(line.kappa_interval_95)


def _interval(interval: tuple[float, float] | None) -> str:
    return "none" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"


def _table(first: str, *headings: str) -> Table:
    aligned = (heading if heading in _WORDS else f">{heading}" for heading in headings)
    return table(first, *aligned, no_wrap={first, *_WHOLE}, fold=headings)


def _items(count: int) -> str:
    return f"{count} item{'' if count == 1 else 's'}"


def _minute(moment: str) -> str:
    return f"{moment[:16].replace('T', ' ')} UTC"


def _short(name: str) -> str:
    return shortened(name, _SHOWN_ID + 1)


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return shortened(flat, _SHOWN_QUERY)
