"""``plumbrule gate``: the release decision as exit code."""

from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import json_option, ledger_option, policy_options

if TYPE_CHECKING:
    from plumbrule.outcomes import DecideOn
    from plumbrule.rubrics.benchmark_rubric import Confidence


@click.command("gate")
@click.argument("run")
@click.option("--strict", is_flag=True, help="Also refuse a run with incomplete metadata or too few repeats.")
@policy_options
@ledger_option
@json_option
def command(
    run: str,
    strict: bool,
    decide_on: "DecideOn | None",
    confidence: "Confidence | None",
    ledger_url: str | None,
    as_json: bool,
) -> int:
    """Decide whether RUN may be released, with the reasons.

    Exit code 0 is RELEASE, 1 NO RELEASE, and 5 INCONCLUSIVE: with --decide-on bound, no gate fails for certain, and
    some interval still contains its limit.

    \b
    Examples:
      plumbrule gate last
      plumbrule gate last --decide-on bound
      plumbrule gate last --strict --json
    """
    from plumbrule.api.runs import gate
    from plumbrule.cli.terminal_console import print_json, stdout
    from plumbrule.cli.views.run_tables import show_decision
    from plumbrule.outcomes import EXIT_CODES

    decision = gate(run, ledger_url, strict=strict, decide_on=decide_on, confidence=confidence)
    if as_json:
        print_json(decision)
    else:
        show_decision(stdout(), decision)
    return EXIT_CODES[decision.outcome]
