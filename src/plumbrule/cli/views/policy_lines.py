"""How the rubric in force differs from the one that ships, on a terminal."""

from collections.abc import Sequence

from rich.console import Console

from plumbrule.cli.terminal_console import plain
from plumbrule.rubrics import PolicyDifference, weaker_differences
from plumbrule.rubrics.policy_differences import Effect

_STYLES: dict[Effect, str] = {"weaker": "bold red", "stricter": "", "other": "dim"}
_MOST = 12


def show_policy(console: Console, policy: Sequence[PolicyDifference] | None) -> None:
    """Print the differences, the weaker first; nothing where there is none."""
    if not policy:
        return
    weaker = len(weaker_differences(policy))
    if weaker:
        count = "1 difference" if weaker == 1 else f"{weaker} differences"
        console.print(plain(f"WEAKER POLICY than the rubric that ships, in {count}", "bold red"), soft_wrap=True)
    else:
        console.print(plain("not the rubric that ships", "bold"), soft_wrap=True)
    for difference in policy[:_MOST]:
        console.print(plain(f"  {difference.effect}: {difference.text}", _STYLES[difference.effect]), soft_wrap=True)
    if len(policy) > _MOST:
        console.print(plain(f"  and {len(policy) - _MOST} more; --json lists all", "dim"), soft_wrap=True)
