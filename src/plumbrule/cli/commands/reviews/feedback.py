"""``plumbrule feedback``: patterns in what was reviewed, and interactions taken into a dataset."""

from pathlib import Path

import click

from plumbrule.cli.options import (
    interaction_options,
    json_option,
    ledger_option,
    output_option,
    records_options,
    rubric_options,
)


@click.group("feedback", invoke_without_command=True)
@click.option("--trigger", "triggers", multiple=True, metavar="KEY", help="Take only records of this trigger.")
@records_options
@rubric_options
@ledger_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    triggers: tuple[str, ...],
    records: str | None,
    interactions: str | None,
    rubric: Path | None,
    settings: tuple[str, ...],
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Show the patterns in what was reviewed, where they gather, and the remedy for each.

    A pattern is one of the rubric's: dimensions at levels that need something done. It is counted over all that was
    reviewed, and by refusal code, category, source and model.

    \b
    Examples:
      plumbrule feedback
      plumbrule feedback --json
      plumbrule feedback take 96d0cc5f-d4c2-4c2e-bc26-847f0316909e -o regressions.jsonl
    """
    if context.invoked_subcommand is not None:
        return
    from plumbrule.api.monitoring import feedback
    from plumbrule.cli.review_source import reviews_from
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.feedback_tables import show_feedback
    from plumbrule.rubrics import load_scorecard, parse_override

    loaded = load_scorecard(rubric, dict(parse_override(setting) for setting in settings))
    with reviews_from(records, interactions, triggers, loaded, ledger_url) as reviews:
        print_result(feedback(reviews), show_feedback, as_json=as_json)


@command.command("take")
@click.argument("trace_id")
@output_option("The dataset to add to, .jsonl; it is made where it is not there.")
@interaction_options
@ledger_option
@json_option
def take(
    trace_id: str, output: Path, source: str | None, passages: str | None, ledger_url: str | None, as_json: bool
) -> None:
    """Take an interaction into a dataset, so that the next benchmark run tries it again.

    What should have been is taken from the log, else from the evaluators' records. The start of an id is enough. An
    interaction that the dataset has already is refused, and the file is changed whole or not at all.

    \b
    Examples:
      plumbrule feedback take t-17 -o regressions.jsonl
      plumbrule feedback take t-17 -o regressions.jsonl --from answers.jsonl --passages corpus.jsonl
    """
    from plumbrule.api.ledger_access import open_here, opened_if_there
    from plumbrule.api.monitoring import take_sample
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.feedback_tables import show_taken

    with opened_if_there(ledger_url) if source is not None else open_here(ledger_url) as ledger:
        taken = take_sample(trace_id, output, ledger=ledger, source=source, passages=passages)
    print_result(taken, show_taken, as_json=as_json)
