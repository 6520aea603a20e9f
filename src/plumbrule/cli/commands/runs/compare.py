"""``plumbrule compare``: two runs, sample by sample."""

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import confidence_option, json_option, ledger_option
from plumbrule.errors import UsageError

if TYPE_CHECKING:
    from plumbrule.rubrics.benchmark_rubric import Confidence
    from plumbrule.runs.comparison import RunComparison


@click.command("compare")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option(
    "--other-dataset",
    is_flag=True,
    help="Compare the samples that pair, although the runs do not ask the same questions.",
)
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="[FIGURE=]VALUE",
    help="Say whether a figure is shown to be worse by no more than VALUE; without FIGURE, every figure from 0 to 1.",
)
@click.option(
    "--fail-on",
    "fail_on",
    type=click.Choice(["worse", "margin"]),
    help="worse: exit with 1 if a figure of a gate is clearly worse in the second RUN. margin: exit with 1 if a figure "
    "is worse by more than its --margin, with 5 if that is not settled.",
)
@confidence_option
@ledger_option
@json_option
def command(
    first: str,
    second: str,
    other_dataset: bool,
    margins: tuple[str, ...],
    fail_on: str | None,
    confidence: "Confidence | None",
    ledger_url: str | None,
    as_json: bool,
) -> int:
    """Compare two runs of the same questions sample by sample: what is better or worse in the second RUN.

    Each difference has its 95% interval. It is called better or worse only where that excludes 0 and a test corrected
    for the number of figures agrees. RUN is a run's id, the start of one, last, or previous: the one before the last.

    \b
    Examples:
      plumbrule compare previous last
      plumbrule compare run-20250101T120000-a1b2c3 last
      plumbrule compare run-20250101 last --fail-on worse
      plumbrule compare run-20250101 last --margin 0.03 --margin latency_e2e_p95_ms=500 --fail-on margin
      plumbrule compare run-20250101 last --other-dataset --json
    """
    from plumbrule.api.runs import compare
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.comparison_table import show_comparison

    if fail_on == "margin" and not margins:
        raise UsageError("--fail-on margin needs a --margin")
    comparison = compare(
        first,
        second,
        ledger_url,
        other_dataset=other_dataset,
        margins=_read_margins(margins),
        confidence=confidence,
    )
    print_result(comparison, show_comparison, as_json=as_json)
    if fail_on == "margin":
        return _margin_exit_code(comparison)
    return int(bool(comparison.regressions) and fail_on is not None)


def _margin_exit_code(comparison: "RunComparison") -> int:
    from plumbrule.outcomes import EXIT_CODES

    states = {kept.state for kept in comparison.margins}
    if "not shown" in states or not comparison.second.complete:
        return EXIT_CODES["NO RELEASE"]
    return EXIT_CODES["INCONCLUSIVE" if "inconclusive" in states else "RELEASE"]


def _read_margins(given: Iterable[str]) -> dict[str, Fraction]:
    """Return margins by figure: each is FIGURE=VALUE, or a share alone for every figure between 0 and 1."""
    from plumbrule.runs.differences import SHARES

    shares: dict[str, Fraction] = {}
    named: dict[str, Fraction] = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            margin = Fraction(Decimal(number.strip()))
        except (ArithmeticError, ValueError):
            raise UsageError(f"--margin {text}: '{number}' is no number") from None
        if name:
            named[name.strip()] = margin
        else:
            shares = dict.fromkeys(SHARES, margin)
    return {**shares, **named}
