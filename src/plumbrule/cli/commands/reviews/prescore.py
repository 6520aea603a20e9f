"""``plumbrule prescore``: propose a level for each scorecard dimension, with the evidence."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option, output_option, rubric_options, verdict_rubric_option, workers_option


@click.command("prescore")
@click.argument("path")
@click.option("--passages", metavar="PATH", help="The corpus: a JSON or JSONL file, or a folder, of passages by id.")
@click.option("--strict", is_flag=True, help="Stop at the first deviation from the response contract.")
@output_option("Write the results as JSONL.", required=False)
@rubric_options
@click.option(
    "--refusals",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file laid over the refusal taxonomy; it states only what it changes.",
)
@verdict_rubric_option
@click.option("--no-claims", is_flag=True, help="Check numbers and dates only: no parser, several times faster.")
@click.option("--explain", metavar="TRACE_ID", help="Show one interaction with the evidence for each cap.")
@workers_option
@json_option
def command(
    path: str,
    passages: str | None,
    strict: bool,
    output: Path | None,
    rubric: Path | None,
    settings: tuple[str, ...],
    refusals: Path | None,
    verdict_rubric: Path | None,
    no_claims: bool,
    explain: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Pre-score the interactions at PATH: what mechanical rules say of each scorecard dimension.

    PATH is a JSON or JSONL file, also .gz or .zst, or a folder of them: responses and traces in any mix, joined by
    trace_id; OpenInference and OpenTelemetry GenAI spans; Langfuse traces. A level is a proposal that a person
    confirms or changes. Without -o the terminal gets a summary; --json prints each result as one line of JSON
    (with -o, the summary).

    \b
    Examples:
      plumbrule prescore answers.jsonl
      plumbrule prescore evidence/ --passages corpus.jsonl -o prescores.jsonl
      plumbrule prescore answers.jsonl --explain 96d0cc5f-d4c2-4c2e-bc26-847f0316909e
      plumbrule prescore answers.jsonl --set limits.sources=10 --json
      plumbrule prescore answers.jsonl --verdict-rubric calibration.yaml
    """
    import sys

    from plumbrule.api.prescores import load_policies, prescore_file, prescore_one
    from plumbrule.cli.progress import progress_over
    from plumbrule.cli.terminal_console import print_json, stderr, stdout
    from plumbrule.cli.views.prescore_tables import explain_command, show_explanation, show_summary
    from plumbrule.rubrics import parse_override

    if explain is not None and output is not None:
        raise click.UsageError("--explain shows one interaction and writes no file: leave out -o")
    policies = load_policies(
        claims=not no_claims,
        rubric=rubric,
        refusals=refusals,
        verdict_rubric=verdict_rubric,
        overrides=dict(parse_override(setting) for setting in settings),
    )
    if explain is not None:
        prescore = prescore_one(path, explain, passages=passages, strict=strict, policies=policies)
        if as_json:
            print_json(prescore.result())
        else:
            show_explanation(stdout(), prescore)
        return
    summary = prescore_file(
        path,
        passages=passages,
        strict=strict,
        policies=policies,
        output=output if output is not None else sys.stdout.buffer if as_json else None,
        workers=workers,
        progress=lambda reading: progress_over(reading, stderr(), unit="interactions"),
    )
    if not as_json:
        options = {
            "--passages": passages,
            "--rubric": rubric,
            "--set": settings,
            "--refusals": refusals,
            "--verdict-rubric": verdict_rubric,
            "--no-claims": no_claims,
        }
        show_summary(stdout(), summary, output=output, closer=explain_command(path, summary, options))
    elif output is not None:
        print_json(summary)
