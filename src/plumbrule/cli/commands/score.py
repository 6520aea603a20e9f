"""``plumbrule score``: give every answer of a dataset a verdict."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import (
    CommaSeparated,
    dataset_options,
    json_option,
    output_option,
    verdict_options,
    workers_option,
)
from plumbrule.errors import UsageError

if TYPE_CHECKING:
    from plumbrule.verdicts import FailOn


@click.command("score")
@click.argument("dataset")
@output_option("Write the results, by suffix: .jsonl, .csv, .xlsx, .parquet, .html, .md.", required=False)
@dataset_options
@verdict_options
@click.option("--no-claims", is_flag=True, help="Check numbers and dates only: no parser, many times faster.")
@click.option(
    "--support/--no-support",
    default=None,
    help="Say how likely it is that the contexts support each sentence; by default where claims are checked.",
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
    type=CommaSeparated("fail", "warn", "contradicted", "unsupported"),
    default="never",
    show_default=True,
    help="Exit with 1 if a verdict is FAIL (fail) or worse than PASS (warn), if a context contradicts an answer, or if "
    "the contexts hardly support one; such as fail,contradicted,unsupported.",
)
@click.option("--worst", default=5, show_default=True, type=click.IntRange(0, 1000), help="How many to show.")
@workers_option
@json_option
def command(
    dataset: str,
    output: Path | None,
    mapping: tuple[str, ...],
    format_: str | None,
    delimiter: str | None,
    encoding: str | None,
    rubric: Path | None,
    settings: tuple[str, ...],
    no_claims: bool,
    support: bool | None,
    verifier: Path | None,
    skip_bad: bool,
    explain: str | None,
    fail_on: "tuple[FailOn, ...]",
    worst: int,
    workers: int | None,
    as_json: bool,
) -> int:
    """Score DATASET by the verdict rubric: relevance, completeness, hallucination; PASS, WARN or FAIL.

    The support score beside them says how likely it is that the contexts support the answer, by sentence.

    DATASET is JSONL, JSON, CSV, XLSX or Parquet, also .gz or .zst; - reads JSONL from standard input. Without -o the
    terminal gets a summary; --json prints each result as one line of JSON (with -o, the summary).

    \b
    Examples:
      plumbrule score answers.jsonl
      plumbrule score answers.jsonl --rubric recommended --fail-on fail
      plumbrule score answers.jsonl -o verdicts.jsonl --fail-on fail,contradicted,unsupported
      plumbrule score answers.xlsx -o verdicts.xlsx
      plumbrule score answers.csv --map answer=bot_reply --map contexts=passages
      plumbrule score answers.csv --delimiter ";" --encoding cp1252
      plumbrule score answers.jsonl --explain q17
      plumbrule score answers.jsonl --set relevance.fail_below=0.05
      plumbrule score answers.jsonl --no-claims --support
      cat answers.jsonl | plumbrule score - --json
    """
    if output is not None and explain is not None:
        raise click.UsageError("--explain shows one sample and writes no file: leave out -o")
    if str(output) == "-":
        raise UsageError("-o -: --json prints the results to standard output")
    from plumbrule.api import scoring
    from plumbrule.cli.progress import progress_bar
    from plumbrule.cli.terminal_console import option_words, print_json, stderr, stdout
    from plumbrule.cli.views.verdict_tables import show_explanation, show_remarks, show_summary, show_warning
    from plumbrule.rubrics import parse_override
    from plumbrule.samples import DatasetFile, parse_mapping

    overrides = dict(parse_override(setting) for setting in settings)
    rules = scoring.verdict_rules(rubric, overrides, claims=not no_claims, support=support, verifier=verifier)
    scoring.check_fail_on(fail_on, rules)
    file = DatasetFile(dataset, parse_mapping(mapping), format_, delimiter, encoding)
    if explain is not None:
        explained = scoring.explain(file, explain, rules=rules, skip_bad=skip_bad)
        if as_json:
            print_json(explained.verdict.to_dict())
        else:
            show_explanation(stdout(), explained)
        return int(explained.fails_on(fail_on))
    into = output if output is not None or not as_json else sys.stdout.buffer
    with progress_bar(file.source, stderr()) as progress:
        scored = scoring.score_file(
            file, rules=rules, into=into, worst=worst, skip_bad=skip_bad, workers=workers, progress=progress
        )
    if not as_json:
        again = option_words(  # what reads and scores the dataset in the same way again
            {
                "--map": mapping,
                "--format": format_,
                "--delimiter": delimiter,
                "--encoding": encoding,
                "--rubric": rubric,
                "--set": settings,
                "--no-claims": no_claims,
                "--support": support is True,
                "--no-support": support is False,
                "--verifier": verifier,
                "--skip-bad": skip_bad,
            }
        )
        show_summary(stdout(), scored, output=output, again=() if dataset == "-" else (dataset, *again))
    else:
        show_warning(stderr(), scored)
        if output is not None:
            print_json(scored.summary)
    show_remarks(stderr(), scored)
    return int(scored.summary.fails_on(fail_on))
