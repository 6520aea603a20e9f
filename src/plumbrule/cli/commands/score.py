"""``plumbrule score``: give every answer of a dataset a verdict."""

from pathlib import Path
from typing import Literal

import click

from plumbrule.cli.options import dataset_options, json_option, rubric_options, workers_option

_FAILING: dict[str, tuple[Literal["WARN", "FAIL"], ...]] = {"fail": ("FAIL",), "warn": ("FAIL", "WARN"), "never": ()}


@click.command("score")
@click.argument("dataset")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the results as JSONL.")
@dataset_options
@rubric_options
@click.option("--no-claims", is_flag=True, help="Check numbers and dates only: no parser, many times faster.")
@click.option(
    "--support/--no-support",
    default=None,
    help="Tell how likely the contexts bear out each sentence; by default where claims are checked.",
)
@click.option(
    "--verifier",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A folder with an ONNX cross-encoder that the support score asks as well.",
)
@click.option("--skip-bad", is_flag=True, help="Go on without bad records, and count them.")
@click.option("--explain", metavar="ID", help="Show one answer with its anchors, its sentences and their evidence.")
@click.option(
    "--fail-on",
    type=click.Choice(list(_FAILING)),
    default="never",
    show_default=True,
    help="Exit with 1 if any verdict is that bad.",
)
@click.option("--worst", default=5, show_default=True, type=click.IntRange(0, 1000), help="How many to show.")
@workers_option
@json_option
def command(
    dataset: str,
    output: Path | None,
    mapping: tuple[str, ...],
    format_: str | None,
    rubric: Path | None,
    settings: tuple[str, ...],
    no_claims: bool,
    support: bool | None,
    verifier: Path | None,
    skip_bad: bool,
    explain: str | None,
    fail_on: str,
    worst: int,
    workers: int | None,
    as_json: bool,
) -> int:
    """Score DATASET by the verdict rubric: relevance, completeness, hallucination; PASS, WARN or FAIL.

    Beside them stands the support score: how likely the contexts bear the answer out, sentence by sentence.

    DATASET is JSONL, JSON, CSV or Parquet, also .gz or .zst; - reads JSONL from standard input. Without -o the
    terminal gets a summary; --json prints each result as one line of JSON (with -o, the summary).

    \b
    Examples:
      plumbrule score answers.jsonl
      plumbrule score answers.jsonl -o verdicts.jsonl --fail-on fail
      plumbrule score answers.csv --map answer=bot_reply --map contexts=passages
      plumbrule score answers.jsonl --explain q17
      plumbrule score answers.jsonl --set relevance.fail_below=0.05
      plumbrule score answers.jsonl --no-claims --support
      cat answers.jsonl | plumbrule score - --json
    """
    from plumbrule.cli.views.score_job import ScoreJob

    job = ScoreJob(
        dataset=dataset,
        mapping=mapping,
        format=format_,
        rubric=rubric,
        settings=settings,
        claims=not no_claims,
        support=support,
        verifier=verifier,
        skip_bad=skip_bad,
        workers=workers,
    )
    if explain is not None:
        if output is not None:
            raise click.UsageError("--explain shows one sample and writes no file: leave out -o")
        return int(job.explain(explain, as_json=as_json).verdict in _FAILING[fail_on])
    tally = job.run(output=output, worst=worst, as_json=as_json)
    return int(any(tally.verdicts[outcome] for outcome in _FAILING[fail_on]))
