"""Rating in the terminal: one key a dimension, a note where one is needed, and the decision before it is kept."""

import sys
from typing import Literal

import click
from rich.console import Console

from plumbrule.api import reviews
from plumbrule.api.ledger_access import open_here
from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
from plumbrule.cli.views.record_tables import show_decided
from plumbrule.cli.views.review_tables import nothing_left_text
from plumbrule.cli.views.sheet import show_dimension, show_interaction, show_ratings
from plumbrule.reviews.levels import Scores
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.sheets import RatingForm, Sheet, SheetDimension

_ENTER = ("\r", "\n", "")


class _Stopped(Exception):  # noqa: N818 - no error: the evaluator is done
    """The evaluator asked to stop."""


def rate_items(
    campaign: str, *, person: str, adjudicate: bool, count: int | None, ledger_url: str | None, as_json: bool
) -> None:
    """Take, show, ask and keep, one item after the other."""
    console = stderr() if as_json else stdout()
    role: Literal["evaluator", "adjudicator"] = "adjudicator" if adjudicate else "evaluator"
    kept = 0
    with open_here(ledger_url) as ledger:
        while count is None or kept < count:
            held = adjudicate and _holds(reviews.show_adjudication(person, campaign=campaign, ledger=ledger))
            form = reviews.next_form(person, role=role, campaign=campaign, ledger=ledger)
            if isinstance(form, NothingLeft):
                console.print(plain(nothing_left_text(person, form)), soft_wrap=True)
                break
            try:
                record = _ask_record(form, console, adjudicate=adjudicate)
            except _Stopped:
                stays = "stays yours"
                if adjudicate and not held:  # looking takes nothing: only --take keeps it
                    reviews.release_item(form.sheet.trace_id, person, campaign=form.sheet.campaign, ledger=ledger)
                    stays = "is given back"
                console.print(plain(f"stopped; {kept} kept. This item {stays}: what you keyed in is not kept"))
                break
            if adjudicate:
                submitted = reviews.adjudicate(record, person, campaign=form.sheet.campaign, ledger=ledger)
            else:
                submitted = reviews.submit_record(record, evaluator=person, campaign=form.sheet.campaign, ledger=ledger)
            kept += 1
            if as_json:
                print_json(submitted.records[0].exported())
            else:
                console.print(plain("kept", "green"))
                console.print()


def _holds(shown: Sheet | NothingLeft) -> bool:
    """Tell whether an adjudicator took the item already."""
    return isinstance(shown, Sheet) and shown.claimed_until is not None


def _ask_record(form: RatingForm, console: Console, *, adjudicate: bool) -> dict[str, object]:
    """Show one item and return the record that the evaluator confirmed."""
    show_interaction(console, form.sheet)
    if adjudicate:
        console.print()
        show_ratings(console, form.sheet)
    while True:
        scores = {**form.settled, **_ask_levels(form, console)}
        notes = _ask_note(form, scores, console)
        show_decided([form.preview(scores, notes)], console=console)
        answer = _key(console, "keep it? y yes, n again from the start, q stop: ")
        if answer in {"y", *_ENTER}:
            return {"trace_id": form.sheet.trace_id, "scores": scores, "notes": notes}
        if answer == "q":
            raise _Stopped


def _ask_levels(form: RatingForm, console: Console) -> dict[str, int | None]:
    scores: dict[str, int | None] = {}
    place = 0
    while place < len(form.dimensions):
        dimension = form.dimensions[place]
        console.print()
        show_dimension(console, form.sheet, dimension)
        chosen = _ask_level(form, dimension, console)
        if chosen == "back":
            place = max(0, place - 1)
            continue
        scores[dimension.key] = None if chosen == "none" else int(chosen)
        place += 1
    return scores


def _ask_level(form: RatingForm, dimension: SheetDimension, console: Console) -> str:
    """Return the key of a level, ``none`` for not applicable, or ``back``."""
    levels = {str(level.score): level.name for level in dimension.levels}
    keys = {**({"0": form.not_applicable} if dimension.may_be_not_applicable else {}), **levels}
    proposed = form.proposed(dimension)
    ways = [", ".join(f"{key} {name}" for key, name in levels.items())]
    ways += [f"0 {form.not_applicable}"] if dimension.may_be_not_applicable else []
    ways += [f"Enter {proposed}"] if proposed is not None else []
    while True:
        answer = _key(console, f"  {'; '.join(ways)}; b back, q stop: ")
        if answer == "q":
            raise _Stopped
        if answer == "b":
            return "back"
        chosen = proposed if answer in _ENTER else keys.get(answer)
        if chosen is not None:
            console.print(plain(f"  {chosen}", "bold"))
            return next((key for key, name in levels.items() if name == chosen), "none")
        console.print(plain("  that is none of the keys", "yellow"))


def _ask_note(form: RatingForm, scores: Scores, console: Console) -> str:
    """Ask for a note until there is one where one is needed."""
    needing = form.notes_needed(scores)
    needed = "; needed for " + ", ".join(f"{key} {level}" for key, level in needing.items()) if needing else ""
    while True:
        console.print()
        console.print(plain(f"note (Enter ends it{needed}): "), end="", soft_wrap=True)
        line = _line(console)
        if not line and needing:
            raise _Stopped
        if line.strip() or not needing:
            return line.strip()


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
