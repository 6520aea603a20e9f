"""Rating in the terminal: one key a dimension, a note where one is needed, and what the card comes to."""

import sys
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console

from plumbrule.cli.ledger_access import now, open_here
from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.cli.views.cards import show_decided
from plumbrule.cli.views.review_tables import nothing_left
from plumbrule.cli.views.sheet import proposal_of, show_dimension, show_interaction, show_ratings
from plumbrule.ledger import Ledger
from plumbrule.reviews.campaign_store import claim_next, find_name, load_campaign, load_item
from plumbrule.reviews.card_decision import decide
from plumbrule.reviews.evaluation_record import EvaluationRecord, asking_for_a_note
from plumbrule.reviews.items import Item, Role
from plumbrule.reviews.levels import level_name
from plumbrule.reviews.queue import waiting_for_others
from plumbrule.reviews.sheets import sheet_of
from plumbrule.reviews.submission import adjudicate_item, submit_records
from plumbrule.rubrics import ScorecardRubric

_ENTER = ("\r", "\n", "")


class _Stopped(Exception):  # noqa: N818 - no error: the evaluator is done
    """The evaluator asked to stop."""


def rate_items(
    reference: str, *, person: str, adjudicate: bool, count: int | None, ledger_url: str | None, as_json: bool
) -> None:
    """Take, show, ask and keep, one item after the other."""
    console = stderr() if as_json else stdout()
    role: Role = "adjudicator" if adjudicate else "evaluator"
    kept = 0
    with open_here(ledger_url) as ledger:
        name = find_name(ledger, reference)
        while count is None or kept < count:
            found = claim_next(ledger, name, person, at=now(), role=role)
            if found is None:
                waiting = waiting_for_others(load_campaign(ledger, name).campaign, person, at=now(), role=role)
                console.print(plain(nothing_left(name, person, waiting)), soft_wrap=True)
                break
            try:
                given = _ask_card(ledger, name, found[0], person, console, adjudicate=adjudicate)
            except _Stopped:
                console.print(plain(f"stopped; {kept} kept. This item stays yours: what you keyed in is not kept"))
                break
            if adjudicate:
                record = adjudicate_item(ledger, name, given, person, at=now())
            else:
                [record] = submit_records(ledger, name, [("", given)], at=now(), evaluator=person)
            kept += 1
            if as_json:
                print_json(record.to_dict())
            else:
                console.print(plain("kept", "green"))
                console.print()


def _ask_card(
    ledger: Ledger, name: str, item: Item, person: str, console: Console, *, adjudicate: bool
) -> dict[str, Any]:
    """Show one item and return the record that the evaluator confirmed."""
    campaign, item = load_item(ledger, name, item.trace_id)
    sheet = sheet_of(ledger, campaign, item, person, at=now())
    show_interaction(console, sheet)
    settled = campaign.settlement(item) if adjudicate else None
    if settled is not None:
        console.print()
        show_ratings(console, sheet)
    open_keys = None if settled is None else set(settled.open)
    dimensions = [each for each in sheet["dimensions"] if open_keys is None or each["key"] in open_keys]
    standing = {} if settled is None else dict(settled.scores)
    while True:
        scores = {**standing, **_ask_levels(sheet, dimensions, campaign.loaded.rubric, console)}
        record = _noted(scores, item, person, campaign.loaded.rubric, console)
        decision = decide(record.scores, campaign.loaded)
        show_decided([(record, decision, ())], console=console)
        answer = _key(console, "keep it? y yes, n again from the start, q stop: ")
        if answer in {"y", *_ENTER}:
            return {"trace_id": item.trace_id, "scores": scores, "notes": record.notes}
        if answer == "q":
            raise _Stopped


def _ask_levels(
    sheet: Mapping[str, Any], dimensions: list[Mapping[str, Any]], rubric: ScorecardRubric, console: Console
) -> dict[str, int | None]:
    scores: dict[str, int | None] = {}
    place = 0
    while place < len(dimensions):
        dimension = dimensions[place]
        console.print()
        show_dimension(console, sheet, dimension)
        chosen = _ask_level(dimension, proposal_of(sheet, dimension["key"]), rubric, console)
        if chosen == "back":
            place = max(0, place - 1)
            continue
        scores[dimension["key"]] = None if chosen == "none" else int(chosen)
        place += 1
    return scores


def _ask_level(
    dimension: Mapping[str, Any], proposal: Mapping[str, Any] | None, rubric: ScorecardRubric, console: Console
) -> str:
    """Return the key of a level, ``none`` for not applicable, or ``back``."""
    digits = {str(level["score"]): level["name"] for level in dimension["levels"]}
    proposed = next((key for key, name in digits.items() if proposal and name == proposal["level"]), None)
    excusable = dimension["may_be_not_applicable"]
    if proposed is None and proposal is not None and proposal["basis"] == "refused" and excusable:
        proposed = "0"
    ways = [", ".join(f"{key} {name}" for key, name in digits.items())]
    ways += [f"0 {rubric.not_applicable.name}"] if excusable else []
    ways += [f"Enter {digits.get(proposed, rubric.not_applicable.name)}"] if proposed is not None else []
    while True:
        answer = _key(console, f"  {'; '.join(ways)}; b back, q stop: ")
        if answer == "q":
            raise _Stopped
        if answer == "b":
            return "back"
        if answer in _ENTER and proposed is not None:
            answer = proposed
        if answer in digits:
            console.print(plain(f"  {digits[answer]}", "bold"))
            return answer
        if answer == "0" and excusable:
            console.print(plain(f"  {rubric.not_applicable.name}", "bold"))
            return "none"
        console.print(plain("  that is none of the keys", "yellow"))


def _noted(
    scores: dict[str, int | None], item: Item, person: str, rubric: ScorecardRubric, console: Console
) -> EvaluationRecord:
    """Ask for a note until there is one where one is needed."""
    bare = EvaluationRecord(scores=scores, evaluator=person, trace_id=item.trace_id, query=item.query)
    asking = asking_for_a_note(bare, rubric)
    needed = "; needed for " + ", ".join(f"{key} {level_name(scores[key], rubric)}" for key in asking) if asking else ""
    while True:
        console.print()
        console.print(plain(f"note (Enter ends it{needed}): "), end="", soft_wrap=True)
        line = _line(console)
        if not line and asking:
            raise _Stopped
        if line.strip() or not asking:
            return EvaluationRecord(
                scores=scores, evaluator=person, trace_id=item.trace_id, query=item.query, notes=line.strip()
            )


def _key(console: Console, prompt: str) -> str:
    """Return the key that was pressed; where there is no terminal, the next line."""
    console.print(plain(prompt), end="", soft_wrap=True)
    if sys.stdin.isatty():
        try:
            pressed = click.getchar()
        except EOFError:
            raise _Stopped from None
        finally:
            console.print()
        return pressed.lower()
    line = _line(console)
    if not line:
        raise _Stopped
    return line.strip().lower()[:1]


def _line(console: Console) -> str:
    """Return the next line; bytes that are no text are asked for again."""
    while True:
        try:
            line = sys.stdin.readline()
            line.encode()
        except UnicodeError:
            console.print(plain("  that is no text in UTF-8; once more: ", "yellow"), end="", soft_wrap=True)
        else:
            return line
