"""``plumbrule ledger``: the store."""

from datetime import UTC, datetime
from pathlib import Path

import click

from plumbrule.cli.options import author_option, json_option, ledger_option


@click.group("ledger")
def command() -> None:
    """Verify, export, archive, back up and upgrade the append-only store of runs, and keep checkpoints of it.

    \b
    Examples:
      plumbrule ledger verify
      plumbrule ledger export entries.jsonl
    """


@command.command("verify")
@click.argument("bundle", type=click.Path(path_type=Path), required=False)
@click.option("--checkpoint", type=click.Path(path_type=Path), metavar="FILE", help="Hold the chain against this, too.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="Write the end of a whole chain to FILE.")
@click.option(
    "--archive",
    "archives",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    multiple=True,
    help="Hash the bodies in this archive, too; can be given several times.",
)
@ledger_option
@json_option
def verify(
    bundle: Path | None,
    checkpoint: Path | None,
    keep: Path | None,
    archives: tuple[Path, ...],
    ledger_url: str | None,
    as_json: bool,
) -> int:
    """Walk the hash chain and name the first broken entry: exit code 1 if there is one, or if a guard is missing.

    The chain is held against the checkpoint that every command keeps outside the database, signed; also against one
    that you keep elsewhere. Bodies that were archived are counted, and hashed where their archive is given. With
    BUNDLE, an audit bundle is checked in place of a ledger.

    \b
    Examples:
      plumbrule ledger verify --keep checkpoint.json
      plumbrule ledger verify --checkpoint checkpoint.json
      plumbrule ledger verify audit.zip
    """
    if bundle is not None:
        if keep is not None or ledger_url is not None or archives:
            raise click.UsageError("a bundle has its own ledger: leave out --keep, --archive and --ledger")
        return _verify_bundle(bundle, checkpoint, as_json=as_json)
    from plumbrule.api.ledger import verify_ledger
    from plumbrule.api.ledger_access import open_here
    from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
    from plumbrule.cli.views.ledger_view import show_verification
    from plumbrule.ledger import LedgerBrokenError

    try:
        with open_here(ledger_url, checked=False) as ledger:
            verification = verify_ledger(ledger, checkpoint=checkpoint, keep=keep, archives=archives)
    except LedgerBrokenError as error:  # too broken to be walked along, or not the ledger that it was
        stderr().print(plain(f"plumbrule: {error}"), soft_wrap=True)
        return 1
    if as_json:
        print_json(verification)
    else:
        show_verification(stdout(), ledger.name, verification)
    return int(not verification.whole or bool(verification.missing_guards))


def _verify_bundle(bundle: Path, checkpoint: Path | None, *, as_json: bool) -> int:
    from plumbrule.api.ledger import check_bundle
    from plumbrule.cli.terminal_console import plain, print_json, stderr, stdout
    from plumbrule.cli.views.ledger_view import show_bundle
    from plumbrule.ledger import LedgerBrokenError

    try:
        held = check_bundle(bundle, checkpoint=checkpoint)
    except LedgerBrokenError as error:
        stderr().print(plain(f"broken: {error}", "bold red"), soft_wrap=True)
        return 1
    if as_json:
        print_json(held)
    else:
        show_bundle(stdout(), bundle, held)
    return 0


@command.command("bundle")
@click.argument("run")
@click.argument("file", type=click.Path(path_type=Path))
@ledger_option
def bundle(run: str, file: Path, ledger_url: str | None) -> None:
    """Write an audit bundle of RUN to FILE, a .zip: results, rubrics, reports, the chain, and what checks it.

    It can be checked on another machine with Python alone, by the script that is in it; of everything else in the
    ledger it has the hashes only. The same ledger gives the same file.

    \b
    Examples:
      plumbrule ledger bundle last audit.zip
      plumbrule ledger verify audit.zip
      unzip -p audit.zip verify.py > verify.py; python verify.py audit.zip
    """
    if file.suffix.lower() != ".zip":
        raise click.UsageError(f"{file}: a bundle is written to .zip: name the file so")
    from plumbrule.api.ledger import bundle_run
    from plumbrule.api.ledger_access import open_here
    from plumbrule.cli.terminal_console import stdout
    from plumbrule.cli.views.ledger_view import show_bundle

    with open_here(ledger_url) as ledger:
        held = bundle_run(ledger, run, file)
    show_bundle(stdout(), file, held)


@command.command("checkpoint")
@click.option("--to", type=click.Path(path_type=Path), metavar="FILE", help="Write it to FILE, to keep elsewhere.")
@click.option("--reset", is_flag=True, help="Accept the ledger as it is; it is recorded.")
@click.option("--as", "person", metavar="NAME", help="With --reset: who accepts it, by default user.name.")
@ledger_option
@json_option
def checkpoint(to: Path | None, reset: bool, person: str | None, ledger_url: str | None, as_json: bool) -> None:
    """Show the signed end of the verified chain, write it elsewhere, or accept a ledger as it is.

    Every command holds the ledger against the checkpoint of the command before. After a restored backup, a lost key or
    a checkpoint that was damaged, --reset verifies the whole chain, puts missing guards back, records who accepted it
    in the ledger, and keeps a new checkpoint.

    \b
    Examples:
      plumbrule ledger checkpoint --to checkpoint.json
      plumbrule ledger checkpoint --reset --as "Ada Lovelace"
    """
    from plumbrule.settings import ledger_address, user_name

    accepting = (person or user_name()) if reset else None
    if reset and accepting is None:
        raise click.UsageError("--reset needs --as NAME: who accepts the ledger as it is?")
    if person is not None and not reset:
        raise click.UsageError("--as NAME goes with --reset")
    from plumbrule.api.ledger import checkpoint_ledger, reset_checkpoint
    from plumbrule.api.ledger_access import now, open_here
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.ledger_view import show_checkpoint

    if accepting is not None:
        reset_checkpoint(ledger_address(ledger_url), accepting, at=now())
    with open_here(ledger_url) as ledger:
        end = checkpoint_ledger(ledger, to=to)
    if as_json:
        print_json(end)
    else:
        show_checkpoint(stdout(), ledger.name, end, to=to, accepted_by=accepting)


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
    from plumbrule.api.ledger_access import now, open_here
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
    from plumbrule.api.ledger_access import open_here
    from plumbrule.cli.terminal_console import stdout
    from plumbrule.cli.views.ledger_view import show_backup

    with open_here(ledger_url) as ledger:
        copy = back_up_ledger(ledger, file)
    show_backup(stdout(), file, copy)


@command.command("archive")
@click.option(
    "--output", "-o", "folder", type=click.Path(path_type=Path), metavar="FOLDER", help="The new folder to write to."
)
@click.option("--run", "runs", metavar="RUN", multiple=True, help="A finished run; can be given several times.")
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="Every run that was decided before this day (UTC), such as 2026-01-01.",
)
@click.option(
    "--retention", type=click.Path(path_type=Path), metavar="FILE", help="What a retention policy says is due."
)
@click.option("--reason", metavar="TEXT", help="Why; it is recorded.")
@click.option("--dry-run", is_flag=True, help="Show what would be archived, and change nothing.")
@click.option("--as", "person", metavar="NAME", help="Who archives it; else user.name in settings.")
@ledger_option
@json_option
def archive(
    folder: Path | None,
    runs: tuple[str, ...],
    before: datetime | None,
    retention: Path | None,
    reason: str | None,
    dry_run: bool,
    person: str | None,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Move samples, results and model calls of finished runs to Parquet files; the chain stays verifiable.

    The ledger keeps everything else, and of what was archived the hashes and where it is. Runs stay in the list of runs
    with their decision; to show one with its samples, restore it.

    \b
    Examples:
      plumbrule ledger archive --before 2026-01-01 -o archive-2025 --reason "older than a year"
      plumbrule ledger archive --retention retention.yaml --dry-run
    """
    if sum([bool(runs), before is not None, retention is not None]) != 1:
        raise click.UsageError("say what to archive: --run RUN, --before DATE or --retention FILE")
    if not dry_run and (folder is None or reason is None):
        raise click.UsageError("an archive needs -o FOLDER and --reason TEXT; --dry-run shows what there is")
    from plumbrule.api.ledger import archive_runs, plan_archive, select_for_archive
    from plumbrule.api.ledger_access import now, open_here
    from plumbrule.cli.options import author_name
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.ledger_view import show_archive, show_archive_plan

    author = None if dry_run else author_name(person)
    at = now()
    with open_here(ledger_url) as ledger:
        moment = None if before is None else before.replace(tzinfo=UTC)
        selection = select_for_archive(ledger, at=at, runs=runs, before=moment, retention=retention)
        if folder is None or reason is None or author is None or not selection:
            plan = plan_archive(ledger, selection)
            print_json(plan) if as_json else show_archive_plan(stdout(), ledger.name, plan)
            return
        written = archive_runs(ledger, selection, folder, author=author, reason=reason, at=at)
    print_json(written.manifest) if as_json else show_archive(stdout(), written)


@command.command("restore")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--reason", metavar="TEXT", help="Why; it is recorded.")
@author_option("Who restores it")
@ledger_option
def restore(folder: Path, reason: str | None, person: str, ledger_url: str | None) -> None:
    """Put back what is in the archive in FOLDER, each body checked against the chain; the archive stays.

    \b
    Example:
      plumbrule ledger restore archive-2025
    """
    from plumbrule.api.ledger import restore_runs
    from plumbrule.api.ledger_access import now, open_here
    from plumbrule.cli.terminal_console import stdout
    from plumbrule.cli.views.ledger_view import show_restored

    with open_here(ledger_url) as ledger:
        archive = restore_runs(ledger, folder, author=person, at=now(), reason=reason)
    show_restored(stdout(), ledger.name, archive)


@command.command("upgrade")
@ledger_option
def upgrade(ledger_url: str | None) -> None:
    """Bring the ledger to the version that this Plumbrule writes.

    \b
    Example:
      plumbrule ledger upgrade
    """
    from plumbrule.api.ledger_access import now
    from plumbrule.ledger import upgrade as upgrade_to_current
    from plumbrule.settings import ledger_address

    before, after = upgrade_to_current(ledger_address(ledger_url), at=now())
    click.echo(f"already at version {after}" if before == after else f"from version {before} to {after}")
