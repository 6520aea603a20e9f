"""A review sample from the command line: drawn, opened as a campaign, shown as its manifest."""

from pathlib import Path
from typing import Any

from rich.table import Table

from plumbrule.cli.ledger_access import now, open_here
from plumbrule.cli.terminal_console import plain, print_json, stdout
from plumbrule.reviews.campaign_store import open_campaign
from plumbrule.reviews.sample_draw import Request, draw
from plumbrule.rubrics import load_scorecard, parse_override


def open_sample(
    request: Request,
    *,
    name: str | None,
    evaluators: int | None,
    person: str,
    rubric: Path | None,
    settings: tuple[str, ...],
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Draw, open and show; with no ledger (not even the usual one, which is ``""``) only draw."""
    loaded = load_scorecard(rubric, dict(parse_override(setting) for setting in settings))
    drawn = draw(request, loaded)
    shown: dict[str, Any] = {"campaign": None, **drawn.to_dict(loaded.rubric)}
    if ledger_url is not None:
        with open_here(ledger_url or None, make=True) as ledger:
            campaign = open_campaign(ledger, drawn, loaded, author=person, at=now(), name=name, evaluators=evaluators)
        for key in ("evaluators", "remarks"):
            shown[key] = campaign.plan[key]
        shown["campaign"] = campaign.name
    if as_json:
        print_json(shown)
    else:
        _show(shown)


def _show(shown: dict[str, Any]) -> None:
    console = stdout()
    manifest = shown["manifest"]
    people = f"{shown['evaluators']} evaluator{'s' if shown['evaluators'] > 1 else ''} for each"
    console.print(plain(shown["campaign"] or "a draw; nothing was opened", "bold"))
    console.print(plain(f"{shown['trigger']}: {shown['scope']}; {shown['depth']}; {people}"), soft_wrap=True)
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("stratum")
    for heading in ("share", "quota", "population", "drawn", "shortfall"):
        table.add_column(heading, justify="right")
    for stratum in manifest["strata"]:
        counts = (stratum["quota"], stratum["population"], len(stratum["drawn"]), stratum["shortfall"])
        table.add_row(plain(stratum["key"]), f"{stratum['share']:.0%}", *map(str, counts))
    total = (manifest["size"], manifest["population"], manifest["drawn"], manifest["shortfall"])
    table.add_row("all", "", *map(str, total), style="bold")
    console.print(table)
    console.print()
    for remark in shown["remarks"]:
        console.print(plain(remark, "yellow"), soft_wrap=True)
    stamp = manifest["rubric"]
    console.print(plain(f"read {shown['read']}, seed {manifest['seed']}: {manifest['method']}", "dim"), soft_wrap=True)
    console.print(
        plain(f"rubric: {stamp['name']} version {stamp['version']}, sha256 {stamp['sha256'][:12]}", "dim"),
        soft_wrap=True,
    )
    if shown["campaign"] is not None:
        console.print(plain(f"next: plumbrule review next --campaign {shown['campaign']} --as NAME"), soft_wrap=True)
