"""``plumbrule export``: a run for another tool."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, ledger_option, output_option

_TOOLS = ("otlp", "langfuse", "mlflow", "inspect")


@click.command("export")
@click.argument("run")
@click.option("--to", required=True, type=click.Choice(_TOOLS), help="The tool that it is for.")
@output_option("The file to write: .json for otlp and inspect, .jsonl for langfuse and mlflow.", required=False)
@click.option("--url", metavar="URL", help="Send it to the tool's server at this address.")
@click.option("--api-key-env", metavar="NAME", help="The environment variable with the key for --url.")
@click.option("--allow-private", is_flag=True, help="Let --url be an address of a private network.")
@ledger_option
@json_option
def command(
    run: str,
    to: str,
    output: Path | None,
    url: str | None,
    api_key_env: str | None,
    allow_private: bool,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Hand RUN over to another tool: every result with its scores, as a file or, with --url, to its server.

    otlp: events gen_ai.evaluation.result, for an OpenTelemetry collector. langfuse: scores of traces; the key is
    PUBLIC:SECRET. mlflow: metrics, and a trace for each answer. inspect: an evaluation log of Inspect AI.

    \b
    Examples:
      plumbrule export last --to inspect -o run.json
      plumbrule export last --to otlp --url http://localhost:4318
      plumbrule export last --to langfuse --url https://cloud.langfuse.com --api-key-env LANGFUSE_KEYS
    """
    if (output is None) == (url is None):
        raise click.UsageError("say where it goes: -o FILE, or --url URL")
    if url is None and (api_key_env is not None or allow_private):
        raise click.UsageError("--api-key-env and --allow-private go with --url")
    from plumbrule.api.exports import send_export, write_export
    from plumbrule.api.ledger_access import open_here
    from plumbrule.cli.terminal_console import plain, print_json, stdout

    with open_here(ledger_url) as ledger:
        if output is not None:
            exported = write_export(ledger, run, to, output)
        else:
            assert url is not None  # noqa: S101 - one of the two was given
            exported = send_export(ledger, run, to, url, key_env=api_key_env, allow_private=allow_private)
    if as_json:
        print_json(exported)
        return
    what = f"{exported.run_id} for {to}, {exported.results} results with {exported.evaluations} evaluations"
    where = str(output) if output is not None else f"sent in {exported.requests} requests"
    stdout().print(plain(f"{where}: {what}"), soft_wrap=True)
