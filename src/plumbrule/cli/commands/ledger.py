"""``plumbrule ledger``: the store."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, ledger_option


@click.group("ledger")
def command() -> None:
    """Verify, export, back up and upgrade the append-only store of runs.

    \b
    Examples:
      plumbrule ledger verify
      plumbrule ledger export entries.jsonl
    """


@command.command("verify")
@click.option("--checkpoint", type=click.Path(path_type=Path), metavar="FILE", help="Hold the chain against this, too.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="Write the end of a whole chain to FILE.")
@ledger_option
@json_option
def verify(checkpoint: Path | None, keep: Path | None, ledger_url: str | None, as_json: bool) -> int:
    """Walk the hash chain and name the first broken entry: exit code 1 if there is one.

    A chain alone cannot stop its owner from rewriting all of it: keep a checkpoint elsewhere.

    \b
    Examples:
      plumbrule ledger verify --keep checkpoint.json
      plumbrule ledger verify --checkpoint checkpoint.json
    """
    from plumbrule.api.ledger import verify_ledger
    from plumbrule.cli.ledger_access import open_here
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.ledger_view import show_verification

    with open_here(ledger_url) as ledger:
        verification = verify_ledger(ledger, checkpoint=checkpoint, keep=keep)
    if as_json:
        print_json(verification)
    else:
        show_verification(stdout(), ledger.name, verification)
    return int(not verification.whole)


@command.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--with-open-ratings", is_flag=True, help="With the records of open campaigns; it is recorded.")
@click.option("--as", "person", metavar="NAME", help="Who sees them, and rates none of it.")
@ledger_option
def export(file: Path, with_open_ratings: bool, person: str | None, ledger_url: str | None) -> None:
    """Write every entry to FILE, .jsonl or .parquet.

    Evaluators rate blind, so that of the records of open campaigns only the hashes are written. --with-open-ratings
    writes all to somebody who rates in none of them, and who may not do so afterwards.

    \b
    Examples:
      plumbrule ledger export entries.jsonl
      plumbrule ledger export entries.jsonl --with-open-ratings --as Auditor
    """
    if with_open_ratings != (person is not None):
        raise click.UsageError("--with-open-ratings and --as NAME go together: who is to see the ratings?")
    from plumbrule.cli.ledger_access import now, open_here
    from plumbrule.cli.terminal_console import stdout
    from plumbrule.cli.views.ledger_view import show_export
    from plumbrule.reviews.disclosure import write_entries

    with open_here(ledger_url) as ledger:
        written = write_entries(ledger, file, to=person, at=now())
    show_export(stdout(), file, written)


@command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@ledger_option
def backup(file: Path, ledger_url: str | None) -> None:
    """Copy the ledger to FILE, verified, while others may go on writing.

    \b
    Example:
      plumbrule ledger backup ledger-backup.db
    """
    from plumbrule.api.ledger import back_up_ledger
    from plumbrule.cli.ledger_access import open_here
    from plumbrule.cli.terminal_console import stdout
    from plumbrule.cli.views.ledger_view import show_backup

    with open_here(ledger_url) as ledger:
        copy = back_up_ledger(ledger, file)
    show_backup(stdout(), file, copy)


@command.command("upgrade")
@ledger_option
def upgrade(ledger_url: str | None) -> None:
    """Bring the ledger to the version that this Plumbrule writes.

    \b
    Example:
      plumbrule ledger upgrade
    """
    from plumbrule.cli.ledger_access import now
    from plumbrule.ledger import upgrade as upgrade_to_current
    from plumbrule.settings import ledger_address

    before, after = upgrade_to_current(ledger_address(ledger_url), at=now())
    click.echo(f"already at version {after}" if before == after else f"from version {before} to {after}")
