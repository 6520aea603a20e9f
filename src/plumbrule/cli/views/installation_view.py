"""What is installed, on a terminal."""

from rich.console import Console

from plumbrule.api.installation import Installation, LedgerHealth, Part
from plumbrule.cli.terminal_console import plain, table

_PART_STYLES = {"installed": "green", "incomplete": "yellow", "missing": "dim"}
_LEDGER_STYLES = {"sound": "green", "none": "dim", "not sound": "bold red", "cannot be read": "bold red"}


def show_installation(console: Console, found: Installation) -> None:
    """Print the versions, the parts with what installs a missing one, and the state of the ledger."""
    cores = f"{found.cores} core{'' if found.cores == 1 else 's'}"
    console.print(plain(f"plumbrule {found.version}, Python {found.python}, {found.system}, {cores}", "bold"))
    user = found.user or "not set: commands that need a name take --as NAME"
    verifier = found.verifier or "none; the package plumbrule-verifier brings one"
    console.print(
        plain(f"settings: {found.settings}\nuser.name: {user}\nverifier: {verifier}\noutput: {found.output_encoding}")
    )
    console.print()
    rows = table("part", "for", "state", "what to do", no_wrap=("part", "state"), fold=("what to do",))
    for part in found.parts:
        state = plain(part.state, _part_style(part))
        rows.add_row(plain(part.extra or "default"), plain(part.purpose), state, plain(part.remedy or ""))
    console.print(rows)
    console.print()
    _show_ledger_health(console, found.ledger)


def _show_ledger_health(console: Console, ledger: LedgerHealth) -> None:
    """Print whether the ledger is sound, and what to know about it."""
    name = "" if ledger.name is None else f", {ledger.name}, {ledger.entries} entries"
    console.print(plain(f"ledger: {ledger.state}{name}", _LEDGER_STYLES[ledger.state]), soft_wrap=True)
    for remark in ledger.remarks:
        console.print(plain(f"  {remark}"), soft_wrap=True)


def _part_style(part: Part) -> str:
    return "bold red" if part.extra is None and part.missing else _PART_STYLES[part.state]
