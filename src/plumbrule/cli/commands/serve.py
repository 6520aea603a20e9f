"""``plumbrule serve``: the web application."""

from pathlib import Path

import click

from plumbrule.cli.options import ledger_option
from plumbrule.errors import MissingExtraError, UsageError

_LOCAL = {"127.0.0.1", "::1", "localhost"}


@click.command("serve")
@ledger_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8321, show_default=True, help="The port; 0 for a free one."
)
@click.option("--as", "person", metavar="NAME", help="Who you are; user.name of your settings by default.")
@click.option(
    "--configs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Run configurations that may be started from the pages; the working directory by default.",
)
@click.option("--demo", is_flag=True, help="Make the demo's ledger in a folder, and show it.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    default="plumbrule-demo",
    help="With --demo: the folder; plumbrule-demo by default.",
)
def command(
    ledger_url: str | None,
    host: str,
    port: int,
    person: str | None,
    configs: Path | None,
    demo: bool,
    into: Path,
) -> None:
    """Open the pages of a ledger in a browser on this machine.

    Without --team it listens on this machine only, and everything is done by you, without a login.

    \b
    Examples:
      plumbrule serve --demo
      plumbrule serve --as "Ada Lovelace"
    """
    try:
        from plumbrule.web.server import serve
    except ModuleNotFoundError:
        raise MissingExtraError(need="the web application", extra="web") from None
    from plumbrule.cli.views.demo_walk import LEDGER, demonstrate
    from plumbrule.settings import ledger_address, user_name
    from plumbrule.web.run_jobs import Configurations
    from plumbrule.web.site import Site
    from plumbrule.web.store import Store, store_address

    if host not in _LOCAL:
        raise UsageError(f"--host {host}: others could reach it without a login; serve on 127.0.0.1")
    if demo:
        if not (into / LEDGER).exists():
            demonstrate(into, as_json=False)
        ledger_url = f"sqlite:///{into / LEDGER}"
    address = ledger_address(ledger_url)
    site = Site(
        ledger=address,
        store=Store(store_address(address)),
        local_person=person or user_name() or ("You" if demo else None),
        configurations=Configurations(folder=(configs or (into if demo else Path())).resolve()),
        demo=demo,
    )
    click.echo(f"Plumbrule is at http://{'localhost' if host in _LOCAL else host}:{port}/  (Ctrl+C ends it)")
    serve(site, host=host, port=port)
