"""The manifest of a review sample on a terminal."""

from rich.console import Console

from plumbrule.cli.terminal_console import plain, stamp_line, table
from plumbrule.cli.views.policy_lines import show_policy
from plumbrule.reviews.sample_draw import DrawResult


def show_draw(console: Console, draw: DrawResult) -> None:
    """Print a draw: its strata, its remarks, and the campaign that was opened on it."""
    manifest = draw.manifest
    people = f"{draw.evaluators} evaluator{'s' if draw.evaluators > 1 else ''} for each"
    console.print(plain(draw.campaign or "a draw; nothing was opened", "bold"))
    show_policy(console, draw.policy)
    console.print(plain(f"{draw.trigger}: {draw.scope}; {draw.depth}; {people}"), soft_wrap=True)
    if draw.mode is not None:
        console.print(plain(f"decides by {draw.mode}, on the {draw.decide_on}"), soft_wrap=True)
    console.print()
    rows = table("stratum", ">share", ">quota", ">population", ">drawn", ">shortfall")
    for stratum in manifest.strata:
        counts = (stratum.quota, stratum.population, len(stratum.drawn), stratum.shortfall)
        rows.add_row(plain(stratum.key), f"{stratum.share:.0%}", *map(str, counts))
    total = (manifest.size, manifest.population, manifest.drawn, manifest.shortfall)
    rows.add_row("all", "", *map(str, total), style="bold")
    console.print(rows)
    console.print()
    for remark in draw.remarks:
        console.print(plain(remark, "yellow"), soft_wrap=True)
    console.print(plain(f"read {draw.read}, seed {manifest.seed}: {manifest.method}", "dim"), soft_wrap=True)
    console.print(stamp_line(manifest.rubric), soft_wrap=True)
    if draw.campaign is not None:
        console.print(plain(f"next: plumbrule review next --campaign {draw.campaign} --as NAME"), soft_wrap=True)
