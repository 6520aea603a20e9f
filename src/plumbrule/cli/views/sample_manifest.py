"""The manifest of a review sample on a terminal."""

from rich.console import Console
from rich.table import Table

from plumbrule.cli.terminal_console import plain
from plumbrule.reviews.sample_draw import DrawResult


def show_draw(console: Console, draw: DrawResult) -> None:
    """Print a draw: its strata, its remarks, and the campaign that was opened on it."""
    manifest = draw.manifest
    people = f"{draw.evaluators} evaluator{'s' if draw.evaluators > 1 else ''} for each"
    console.print(plain(draw.campaign or "a draw; nothing was opened", "bold"))
    console.print(plain(f"{draw.trigger}: {draw.scope}; {draw.depth}; {people}"), soft_wrap=True)
    console.print()
    table = Table(box=None, pad_edge=False)
    table.add_column("stratum")
    for heading in ("share", "quota", "population", "drawn", "shortfall"):
        table.add_column(heading, justify="right")
    for stratum in manifest.strata:
        counts = (stratum.quota, stratum.population, len(stratum.drawn), stratum.shortfall)
        table.add_row(plain(stratum.key), f"{stratum.share:.0%}", *map(str, counts))
    total = (manifest.size, manifest.population, manifest.drawn, manifest.shortfall)
    table.add_row("all", "", *map(str, total), style="bold")
    console.print(table)
    console.print()
    for remark in draw.remarks:
        console.print(plain(remark, "yellow"), soft_wrap=True)
    stamp = manifest.rubric
    console.print(plain(f"read {draw.read}, seed {manifest.seed}: {manifest.method}", "dim"), soft_wrap=True)
    console.print(
        plain(f"rubric: {stamp['name']} version {stamp['version']}, sha256 {stamp['sha256'][:12]}", "dim"),
        soft_wrap=True,
    )
    if draw.campaign is not None:
        console.print(plain(f"next: plumbrule review next --campaign {draw.campaign} --as NAME"), soft_wrap=True)
