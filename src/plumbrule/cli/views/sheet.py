"""The sheet that an evaluator works from, on a terminal: the interaction, the proposals, the questions and levels."""

import re
from collections.abc import Sequence

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.cli.views.review_tables import nothing_left_text, pair_text
from plumbrule.prescores.kept_prescore import Cap, HintLine
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.sheets import EarlierAnswer, Sheet, SheetDimension
from plumbrule.samples.sample_model import Passage
from plumbrule.terminal import safe, shortened

_MARKER = re.compile(r"\[\d+\]")
_SHOWN_EVIDENCE = 160
_MOST_EVIDENCE = 3
_SHOWN_HASH = 12
_BASES = {
    "rules": "by rules",
    "figures": "measured against gold passages",
    "hints": "by a hint",
    "refused": "does not apply to a refusal",
    "unknown": "too little is known",
}


def show_taken(taken: Sheet | NothingLeft, person: str, *, as_json: bool) -> None:
    """Print the sheet of an item, or that nothing is left for somebody."""
    if as_json:
        print_json(taken)
    elif isinstance(taken, Sheet):
        show_sheet(stdout(), taken)
    else:
        stdout().print(plain(nothing_left_text(person, taken)), soft_wrap=True)


def show_sheet(console: Console, sheet: Sheet) -> None:
    """Print all that is needed to rate one item."""
    show_interaction(console, sheet)
    for dimension in sheet.dimensions:
        console.print()
        show_dimension(console, sheet, dimension)
    if sheet.ratings:
        console.print()
        show_ratings(console, sheet)
    if sheet.pair is not None:
        console.print()
        console.print(plain(pair_text(sheet.pair), "bold"), soft_wrap=True)
    if sheet.claimed_until is not None:
        until = sheet.claimed_until[:16].replace("T", " ")
        console.print()
        console.print(plain(f"yours until {until} UTC", "dim"))


def show_interaction(console: Console, sheet: Sheet) -> None:
    """Print the guidelines, the question word for word, the answer with its markers, the passages in their order."""
    where = f"{sheet.campaign}, item {sheet.item} of {sheet.items}: {sheet.trace_id}"
    console.print(plain(where, "bold"), soft_wrap=True)
    about = [f"{sheet.trigger}: {sheet.depth}", *sheet.why]
    console.print(plain("; ".join(about), "dim"), soft_wrap=True)
    for number, guideline in enumerate(sheet.guidelines, 1):
        console.print(plain(f"{number}. {guideline.title}: {guideline.text}", "dim"), soft_wrap=True)
    console.print()
    _show_answer(console, sheet, "")
    if sheet.earlier is not None:
        console.print()
        _show_answer(console, sheet.earlier, "the earlier model's ")
    for finding in sheet.findings:
        console.print(plain(f"finding: {finding.message} ({finding.code})", "yellow"), soft_wrap=True)


def show_dimension(console: Console, sheet: Sheet, dimension: SheetDimension) -> None:
    """Print what a dimension asks, its levels, and what the rules propose, marked as a proposal."""
    focus = "  in focus" if dimension.in_view and not all(each.in_view for each in sheet.dimensions) else ""
    console.print(Text.assemble((safe(dimension.title), "bold"), ("  " + safe(dimension.asks), ""), (focus, "cyan")))
    for question in dimension.key_questions:
        console.print(plain(f"  - {question}"), soft_wrap=True)
    console.print(plain(f"  look at: {'; '.join(dimension.artifacts)}", "cyan"), soft_wrap=True)
    for level in dimension.levels:
        console.print(plain(f"  {level.score} {level.name}: {level.descriptor}", "dim"), soft_wrap=True)
    proposal = sheet.proposal(dimension.key)
    if proposal is None:
        return
    level_name = proposal.level or "none"
    console.print(
        Text.assemble(("  proposal, not a rating: ", "magenta"), (safe(level_name), "bold magenta"), "  ")
        + plain(_BASES.get(proposal.basis, proposal.basis), "dim")
    )
    earlier = sheet.earlier.proposal(dimension.key) if sheet.earlier is not None else None
    if earlier is not None:
        console.print(plain(f"  of the earlier answer: {earlier.level or 'none'}", "dim"))
    for cap in proposal.caps:
        _show_reason(console, f"at most {cap.cap}" if cap.cap else "a hint", cap.rule, cap)
    for hint in proposal.hints:
        _show_reason(console, "a hint", hint.code, hint)


def show_ratings(console: Console, sheet: Sheet) -> None:
    """Print the ratings that this person may see."""
    for rating in sheet.ratings:
        revised = f", revision {rating.revision}" if rating.revision else ""
        console.print(plain(f"rated by {rating.evaluator}{revised}", "bold"))
        levels = "; ".join(f"{key} {level}" for key, level in rating.scores.items())
        console.print(plain(f"  {levels}"), soft_wrap=True)
        if rating.notes:
            console.print(plain(f"  {rating.notes}", "italic"), soft_wrap=True)
        for reason in rating.reasons:
            console.print(plain(f"  reason for the revision: {reason}", "italic"), soft_wrap=True)
        if rating.late:
            blind = (
                "; ".join(f"{change.dimension} was {change.blind}" for change in rating.changes) or "no level changed"
            )
            console.print(
                plain(f"  revised after others' ratings became visible: the blind rating decides: {blind}", "yellow"),
                soft_wrap=True,
            )


def _show_answer(console: Console, shown: Sheet | EarlierAnswer, whose: str) -> None:
    status = shown.grounding_status or "no grounding status"
    if shown.newer_version is not None:
        text = (
            f"a newer version of {shown.trace_id} was kept later ({shown.newer_version[:_SHOWN_HASH]}): "
            f"this is the one that the campaign drew ({shown.interaction[:_SHOWN_HASH]}), and the one to rate"
        )
        console.print(plain(text, "yellow"), soft_wrap=True)
    console.print(plain(shown.query or "(no question)", "bold"), soft_wrap=True)
    refusal = shown.refusal
    if refusal is not None:
        parts = [refusal.code, refusal.reason, refusal.user_guidance, *refusal.next_steps]
        text = "\n".join(part for part in parts if part)
        console.print(
            Panel(plain(text), title=plain(f"{whose}refusal, {status}"), title_align="left", border_style="dim")
        )
    if shown.answer:
        answer = plain(shown.answer)
        answer.highlight_regex(_MARKER, "bold cyan")
        console.print(Panel(answer, title=plain(f"{whose}answer, {status}"), title_align="left", border_style="dim"))
    for citation in shown.citations:
        source = " ".join(filter(None, (citation.source_id, citation.source_title, citation.effective_date)))
        line = Text.assemble((safe(f"[{citation.citation_id}] "), "bold cyan"), plain(f"{source}: ", "dim"))
        console.print(line + plain(f"“{citation.passage or ''}”"), soft_wrap=True)
    _show_passages(console, shown.passages, shown.passages_from)


def _show_passages(console: Console, passages: Sequence[Passage], origin: str) -> None:
    if not passages:
        console.print(plain("no passages are known", "yellow"))
        return
    what = "retrieved" if origin in {"trace", "response"} else "of the cited sources"
    for number, passage in enumerate(passages, 1):
        names = [passage.id, passage.source_id, passage.title, passage.effective_date]
        score = f", score {passage.score}" if passage.score is not None else ""
        head = f"passage {number} of {len(passages)}, {what}: {' '.join(filter(None, names))}{score}"
        console.print(plain(head, "dim"), soft_wrap=True)
        console.print(plain(f"  {passage.text}"), soft_wrap=True)


def _show_reason(console: Console, how: str, rule: str, reason: Cap | HintLine) -> None:
    console.print(plain(f"    {how}, {rule}: {reason.message}", "magenta"), soft_wrap=True)
    for spot in reason.evidence[:_MOST_EVIDENCE]:
        place = spot.where + (f" ({spot.ref})" if spot.ref else "")
        place += f" at {spot.start}–{spot.end}" if spot.start is not None else ""
        text = " ".join(spot.text.split())
        cut = shortened(text, _SHOWN_EVIDENCE + 1)
        console.print(plain(f"      {place}  {cut}", "dim"), soft_wrap=True)
    if len(reason.evidence) > _MOST_EVIDENCE:
        console.print(plain(f"      and {len(reason.evidence) - _MOST_EVIDENCE} more", "dim"))
