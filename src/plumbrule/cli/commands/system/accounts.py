"""``plumbrule accounts``: who may sign in to a site that is served to a team."""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import file_option, json_option, ledger_option
from plumbrule.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from plumbrule.web.access.accounts import Accounts

_ROLES = ("viewer", "evaluator", "adjudicator", "release manager", "admin")
_SCOPES = ("read", "run", "review")
_LARGEST_PASSWORD = 10_000

_role_option = click.option(
    "--role", "roles", type=click.Choice(_ROLES), multiple=True, help="What they may do; repeatable."
)
_author_option = click.option(
    "--as", "author", metavar="NAME", help="Who does this, for the ledger; else user.name in settings, else your login."
)
_password_option = file_option(
    "--password-file", text="Take the password from the first line of FILE; else it is asked for."
)


@click.group("accounts")
def command() -> None:
    """Make and change the accounts of those who sign in to plumbrule serve --team.

    Every change is an entry of the ledger, with who made it and when; passwords are not.

    \b
    Examples:
      plumbrule accounts add "Ada Lovelace" --role admin
      plumbrule accounts list
    """


@command.command("add")
@click.argument("name")
@_role_option
@_password_option
@_author_option
@ledger_option
def add(
    name: str, roles: tuple[str, ...], password_file: Path | None, author: str | None, ledger_url: str | None
) -> None:
    """Make an account; NAME is the name that the ledger keeps for what this person does.

    The password is asked for, or read from a file; it is never an argument, which others could see.

    \b
    Examples:
      plumbrule accounts add "Ada Lovelace" --role admin
      plumbrule accounts add "Ben Reyes" --role evaluator --role adjudicator --password-file ben.txt
    """
    from plumbrule.api.ledger_access import now
    from plumbrule.web.access.roles import Role

    with _accounts(ledger_url) as accounts:
        account = accounts.add(
            name,
            roles=[Role(role) for role in roles],
            password=_read_password(password_file),
            author=_author(author),
            at=now(),
        )
    click.echo(f"{account.name}: {_words(account.roles)}")


@command.command("list")
@json_option
@ledger_option
def list_(as_json: bool, ledger_url: str | None) -> None:
    """List the accounts with their roles.

    \b
    Examples:
      plumbrule accounts list
      plumbrule accounts list --json
    """
    from plumbrule.cli.terminal_console import print_json

    with _accounts(ledger_url) as accounts:
        found = accounts.all()
    if as_json:
        print_json(
            [
                {
                    "name": account.name,
                    "roles": sorted(account.roles),
                    "disabled": account.disabled,
                    "must_change_password": account.must_change,
                    "by_provider": account.by_provider,
                    "created_at_utc": account.created.isoformat(),
                }
                for account in found
            ]
        )
        return
    for account in found:
        click.echo(f"{account.name}: {_words(account.roles)}{', disabled' if account.disabled else ''}")
    if not found:
        click.echo('There is no account yet: plumbrule accounts add "Your Name" --role admin')


@command.command("set-roles")
@click.argument("name")
@_role_option
@_author_option
@ledger_option
def set_roles(name: str, roles: tuple[str, ...], author: str | None, ledger_url: str | None) -> None:
    """Give an account these roles and no others; its sessions end. The last admin stays one.

    \b
    Examples:
      plumbrule accounts set-roles "Ben Reyes" --role evaluator --role "release manager"
    """
    from plumbrule.api.ledger_access import now
    from plumbrule.web.access.roles import Role

    with _accounts(ledger_url) as accounts:
        account = accounts.set_roles(name, [Role(role) for role in roles], author=_author(author), at=now())
    click.echo(f"{account.name}: {_words(account.roles)}")


@command.command("disable")
@click.argument("name")
@click.option("--undo", is_flag=True, help="Let them in again.")
@_author_option
@ledger_option
def disable(name: str, undo: bool, author: str | None, ledger_url: str | None) -> None:
    """Keep somebody out: their sessions end, their API tokens are refused. What they did stays in the ledger.

    \b
    Examples:
      plumbrule accounts disable "Ben Reyes"
      plumbrule accounts disable "Ben Reyes" --undo
    """
    from plumbrule.api.ledger_access import now

    with _accounts(ledger_url) as accounts:
        account = accounts.set_disabled(name, disabled=not undo, author=_author(author), at=now())
    click.echo(f"{account.name}: {'disabled' if account.disabled else _words(account.roles)}")


@command.command("reset-password")
@click.argument("name")
@_password_option
@_author_option
@ledger_option
def reset_password(name: str, password_file: Path | None, author: str | None, ledger_url: str | None) -> None:
    """Give an account another password, and end its sessions; at the next sign-in its owner chooses their own.

    \b
    Examples:
      plumbrule accounts reset-password "Ben Reyes"
    """
    from plumbrule.api.ledger_access import now

    with _accounts(ledger_url) as accounts:
        accounts.find(name)  # before a password is asked for
        account = accounts.set_password(
            name, _read_password(password_file), author=_author(author), at=now(), must_change=True
        )
    click.echo(f"{account.name}: the password was set")


@command.command("token")
@click.argument("name")
@click.option("--for", "title", required=True, metavar="TEXT", help="What the token is for, such as CI.")
@click.option(
    "--scope", "scopes", type=click.Choice(_SCOPES), multiple=True, required=True, help="What it may do; repeatable."
)
@click.option("--days", type=click.IntRange(1, 366), default=90, show_default=True, help="After how many days it ends.")
@_author_option
@ledger_option
def token(
    name: str, title: str, scopes: tuple[str, ...], days: int, author: str | None, ledger_url: str | None
) -> None:
    """Make an API token of an account and print it: this once, it is not kept.

    A program sends it as "Authorization: Bearer TOKEN". It may do what both its scopes and the account's roles allow.

    \b
    Examples:
      plumbrule accounts token "Ben Reyes" --for CI --scope read --scope run --days 30
    """
    from plumbrule.api.ledger_access import now
    from plumbrule.web.access.roles import Scope

    with _accounts(ledger_url) as accounts:
        made = accounts.make_token(
            name, title=title, scopes=[Scope(scope) for scope in scopes], days=days, author=_author(author), at=now()
        )
    click.echo(made)


@contextmanager
def _accounts(ledger_url: str | None) -> Iterator["Accounts"]:
    try:
        from plumbrule.web.access.accounts import Accounts
    except ModuleNotFoundError:
        raise MissingExtraError(need="accounts", extra="web") from None
    from plumbrule.settings import ledger_address
    from plumbrule.web.web_store import Store, store_address

    address = ledger_address(ledger_url)
    store = Store(store_address(address))
    try:
        yield Accounts(store, address)
    finally:
        store.close()


def _author(given: str | None) -> str:
    from plumbrule.settings import user_name

    return given or user_name() or f"{getpass.getuser()} on the command line"


def _read_password(file: Path | None) -> str:
    from plumbrule.files import read_file

    if file is None:
        asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
        return asked
    try:
        lines = read_file(file, most=_LARGEST_PASSWORD).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{file}: cannot be read: {reason}") from None
    if not lines:
        raise UsageError(f"{file}: is empty: its first line is the password")
    return lines[0]


def _words(roles: frozenset[str]) -> str:
    return ", ".join(role for role in _ROLES if role in roles)
