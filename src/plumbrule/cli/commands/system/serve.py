"""``plumbrule serve``: the web application."""

from pathlib import Path

import click

from plumbrule.cli.options import file_option, ledger_option
from plumbrule.errors import MissingExtraError, UsageError

_LOCAL = {"127.0.0.1", "::1", "localhost"}
_HOST, _PORT = "127.0.0.1", 8321


@click.command("serve")
@ledger_option
@click.option("--host", help=f"The address to listen on; {_HOST} by default, another one only with --team.")
@click.option("--port", type=click.IntRange(0, 65535), help=f"The port, {_PORT} by default; 0 for a free one.")
@click.option("--as", "person", metavar="NAME", help="Who you are; user.name of your settings by default.")
@click.option("--team", is_flag=True, help="People sign in, with the accounts of plumbrule accounts.")
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="A name that browsers reach it by, such as plumbrule.example.com; repeatable.",
)
@click.option(
    "--trust-proxy",
    "trust_proxy",
    multiple=True,
    metavar="CIDR",
    help="Believe X-Forwarded-For, -Proto and -Host from these addresses, such as 10.0.0.5 or 10.0.0.0/8; repeatable.",
)
@file_option("--config", text="A YAML file with these settings and openid_connect; options go before it.")
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    help="text: what went wrong, the default; json: a line for every request too, without texts, names or secrets.",
)
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
    host: str | None,
    port: int | None,
    person: str | None,
    team: bool,
    host_names: tuple[str, ...],
    trust_proxy: tuple[str, ...],
    config: Path | None,
    log_format: str | None,
    configs: Path | None,
    demo: bool,
    into: Path,
) -> None:
    """Open the pages of a ledger in a browser on this machine, or to a team.

    Without --team it listens on this machine only, and everything is done by you, without a login. With --team people
    sign in and do what their roles allow; the first administrator is made by plumbrule accounts add.

    \b
    Examples:
      plumbrule serve --demo
      plumbrule serve --as "Ada Lovelace"
      plumbrule serve --team --host 0.0.0.0 --host-name plumbrule.example.com --trust-proxy 10.0.0.5
    """
    try:
        from plumbrule.web.server import serve
    except ModuleNotFoundError:
        raise MissingExtraError(need="the web application", extra="web") from None
    from plumbrule.api.ledger_access import now
    from plumbrule.cli.views.demo_walk import LEDGER, demonstrate
    from plumbrule.demo.scripted_reviews import open_practice
    from plumbrule.ledger import open_ledger
    from plumbrule.settings import ledger_address, user_name
    from plumbrule.web.jobs.run_jobs import Configurations
    from plumbrule.web.serve_settings import ServeSettings, open_provider, read_settings
    from plumbrule.web.site import LOCAL_HOSTS, PATIENCE_S, Site
    from plumbrule.web.traffic.proxy_headers import read_network
    from plumbrule.web.web_store import Store, store_address

    settings = ServeSettings() if config is None else read_settings(config)
    host = host or settings.host or _HOST
    port = next(number for number in (port, settings.port, _PORT) if number is not None)
    team = team or settings.team
    if host not in _LOCAL and not team:
        raise UsageError(f"--host {host}: others could do anything there without a login; add --team, or leave it out")
    if team and person is not None:
        raise UsageError("--as goes without --team: with it, people are who they sign in as")
    if demo:
        if not (into / LEDGER).exists():
            demonstrate(into, as_json=False)
            with open_ledger(f"sqlite:///{into / LEDGER}", at=now()) as made:
                open_practice(made, into, now)  # so that there is something to rate and to decide
        ledger_url = f"sqlite:///{into / LEDGER}"
    address = ledger_address(ledger_url or settings.ledger)
    site = Site(
        ledger=address,
        store=Store(store_address(address)),
        team=team,
        local_person=None if team else person or user_name() or ("You" if demo else None),
        hosts=(*LOCAL_HOSTS, *host_names, *settings.host_names),
        proxies=tuple(read_network(text) for text in (*trust_proxy, *settings.trust_proxy)),
        provider=None if settings.openid_connect is None else open_provider(settings.openid_connect),
        configurations=Configurations(folder=(configs or (into if demo else Path())).resolve()),
        demo=demo,
        patience_s=PATIENCE_S,
    )
    if team and site.provider is None and not site.accounts.all():
        raise UsageError("there is no account to sign in with: plumbrule accounts add NAME --role admin")
    start = "try" if demo else ""  # a newcomer tries it first
    click.echo(f"Plumbrule is at http://{'localhost' if host in _LOCAL else host}:{port}/{start}  (Ctrl+C ends it)")
    form = log_format or settings.log_format
    serve(site, host=host, port=port, log_format="json" if form == "json" else "text")
