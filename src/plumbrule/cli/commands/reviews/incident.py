"""``plumbrule incident``: everything known about one interaction, as one file."""

from pathlib import Path

import click

from plumbrule.cli.options import interaction_options, json_option, ledger_option, output_option, verdict_rubric_option


@click.command("incident")
@click.argument("trace_id")
@output_option("The file to write: .html or .json.", required=False)
@interaction_options
@verdict_rubric_option
@ledger_option
@json_option
def command(
    trace_id: str,
    output: Path | None,
    source: str | None,
    passages: str | None,
    verdict_rubric: Path | None,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Gather everything known of one interaction into one file.

    Response, trace, passages, findings, mechanical checks, verdict, records with their revisions, campaigns, alerts of
    its week, results of runs, and the interactions most like it. With --from the interaction may come from files; what
    the ledger has on it is added. The same ledger and files give the same bytes. The start of an id is enough. --json
    prints all of it as one line of JSON (with -o, what was written).

    \b
    Examples:
      plumbrule incident 96d0cc5f -o incident.html
      plumbrule incident 96d0cc5f --json
      plumbrule incident t-17 -o incident.json --from answers.jsonl --passages corpus.jsonl
    """
    from plumbrule.api.ledger_access import open_here, opened_if_there
    from plumbrule.api.monitoring import incident, incident_renderer, write_incident
    from plumbrule.cli.terminal_console import plain, print_json, stdout

    if output is None and not as_json:
        raise click.UsageError("name the file to write with -o, or print with --json")
    if output is not None:
        incident_renderer(output)  # a wrong name is an error before anything is read
    with opened_if_there(ledger_url) if source is not None else open_here(ledger_url) as ledger:
        if output is None:
            print_json(
                incident(trace_id, ledger=ledger, source=source, passages=passages, verdict_rubric=verdict_rubric)
            )
            return
        written = write_incident(
            trace_id, output, ledger=ledger, source=source, passages=passages, verdict_rubric=verdict_rubric
        )
    records, similar = len(written.records), len(written.similar)
    if as_json:
        summary = {"file": str(output), "trace_id": written.trace_id, "finding": written.finding}
        print_json({**summary, "records": records, "similar": similar})
        return
    text = f"{written.trace_id}, {written.finding}, {records} records, {similar} similar interactions"
    stdout().print(plain(f"{output}: {text}"), soft_wrap=True)
