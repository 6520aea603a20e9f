"""``plumbrule incident``: everything known of one interaction, as one file."""

from pathlib import Path

import click

from plumbrule.cli.options import interaction_options, ledger_option, output_option


@click.command("incident")
@click.argument("trace_id")
@output_option("The file to write: .html or .json.")
@interaction_options
@ledger_option
def command(trace_id: str, output: Path, source: str | None, passages: str | None, ledger_url: str | None) -> None:
    """Gather everything known of one interaction into one file.

    Response, trace, passages, findings, mechanical checks, verdict, records with their revisions, campaigns, alerts of
    its week, results of runs, and the interactions most like it. With --from the interaction may come from files; what
    the ledger has on it is added. The same ledger and files give the same bytes. The start of an id will do.

    \b
    Examples:
      plumbrule incident 96d0cc5f -o incident.html
      plumbrule incident t-17 -o incident.json --from answers.jsonl --passages corpus.jsonl
    """
    from plumbrule.api.incidents import incident_renderer, write_incident
    from plumbrule.cli.console import plain, stdout
    from plumbrule.cli.storage import open_here, opened_if_there

    incident_renderer(output)  # a wrong name is told before anything is read
    with opened_if_there(ledger_url) if source is not None else open_here(ledger_url) as ledger:
        incident = write_incident(trace_id, output, ledger=ledger, source=source, passages=passages)
    stdout().print(
        plain(
            f"{output}: {incident.trace_id}, {incident.finding}, {len(incident.records)} records, "
            f"{len(incident.similar)} similar interactions"
        ),
        soft_wrap=True,
    )
