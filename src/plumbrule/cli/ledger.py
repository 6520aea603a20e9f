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
    from plumbrule.cli.storage import verify_chain

    return int(not verify_chain(checkpoint, keep, ledger_url=ledger_url, as_json=as_json))


@command.command("export")
@click.argument("file", type=click.Path(path_type=Path))
@ledger_option
def export(file: Path, ledger_url: str | None) -> None:
    """Write every entry to FILE, .jsonl or .parquet.

    \b
    Example:
      plumbrule ledger export entries.jsonl
    """
    from plumbrule.cli.storage import export_entries

    export_entries(file, ledger_url=ledger_url)


@command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@ledger_option
def backup(file: Path, ledger_url: str | None) -> None:
    """Copy the ledger to FILE, verified, while others may go on writing.

    \b
    Example:
      plumbrule ledger backup ledger-backup.db
    """
    from plumbrule.cli.storage import back_up

    back_up(file, ledger_url=ledger_url)


@command.command("upgrade")
@ledger_option
def upgrade(ledger_url: str | None) -> None:
    """Bring the ledger to the version that this Plumbrule writes.

    \b
    Example:
      plumbrule ledger upgrade
    """
    from plumbrule.cli.storage import upgrade_ledger

    upgrade_ledger(ledger_url=ledger_url)
