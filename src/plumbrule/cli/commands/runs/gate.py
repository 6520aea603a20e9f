"""``plumbrule gate``: the release decision as exit code."""

from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import anchor_option, json_option, ledger_option, policy_options

if TYPE_CHECKING:
    from plumbrule.outcomes import DecideOn
    from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence


@click.command("gate")
@click.argument("run")
@click.option("--strict", is_flag=True, help="Also refuse a run with incomplete metadata or too few repeats.")
@policy_options
@anchor_option
@ledger_option
@json_option
def command(
    run: str,
    strict: bool,
    decide_on: "DecideOn | None",
    confidence: "Confidence | None",
    anchor: "Anchor | None",
    ledger_url: str | None,
    as_json: bool,
) -> int:
    """Decide whether RUN may be released, with the reasons.

    Exit code 0 is RELEASE, 1 NO RELEASE, and 5 INCONCLUSIVE: with --decide-on bound, no gate fails for certain, and
    some interval still contains its limit; or with --anchor people, labels are missing.

    \b
    Examples:
      plumbrule gate last
      plumbrule gate last --decide-on bound
      plumbrule gate last --anchor people
      plumbrule gate last --strict --json
    """
    from plumbrule.api.runs import gate
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.run_tables import show_decision
    from plumbrule.outcomes import EXIT_CODES

    decision = gate(run, ledger_url, strict=strict, decide_on=decide_on, confidence=confidence, anchor=anchor)
    print_result(decision, show_decision, as_json=as_json)
    return EXIT_CODES[decision.outcome]
