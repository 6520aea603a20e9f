"""``plumbrule score``: give every answer of a dataset a verdict."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plumbrule.cli.options import (
    CommaSeparated,
    dataset_options,
    json_option,
    verdict_options,
    workers_option,
)
from plumbrule.errors import UsageError

if TYPE_CHECKING:
    from plumbrule.engines.chunks import Engine
    from plumbrule.verdicts import FailOn


@click.command("score")
@click.argument("dataset")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    metavar="FILE|FOLDER/",
    help="Write the results, by suffix: .jsonl, .csv, .xlsx, .parquet, .html, .md, .xml (JUnit); or as chunk files "
    "into a folder, whose name ends with /, also s3://bucket/folder/. A folder is gone on with where it was left.",
)
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
    help="The folder of a verifier to ask for the support score, or none; without it, the installed one is asked.",
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
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where to score: on this machine, or on a Ray cluster.",
)
@click.option("--address", metavar="HOST:PORT", help="With --engine ray: the cluster, such as 10.0.0.1:6379, or auto.")
@click.option("--chunk-size", type=click.IntRange(1, 1_000_000), help="With a folder: samples in each file, else 1000.")
@json_option
def command(
    dataset: str,
    output: str | None,
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
    engine: str,
    address: str | None,
    chunk_size: int | None,
    as_json: bool,
) -> int:
    """Score DATASET by the verdict rubric: relevance, completeness, hallucination; PASS, WARN or FAIL.

    The support score beside them says how likely it is that the contexts support the answer, by sentence.

    DATASET is JSONL, JSON, CSV, XLSX, Parquet or Arrow, also .gz or .zst, also in an object store (s3://bucket/answers.jsonl);
    - reads JSONL from standard input. Without -o the
    terminal gets a summary; --json prints each result as one line of JSON (with -o, the summary).

    \b
    Examples:
      plumbrule score answers.jsonl
      plumbrule score answers.jsonl --rubric recommended --fail-on fail
      plumbrule score answers.jsonl -o verdicts.jsonl --fail-on fail,contradicted,unsupported
      plumbrule score answers.xlsx -o verdicts.xlsx
      plumbrule score answers.jsonl --rubric recommended --fail-on fail -o verdicts.xml
      plumbrule score answers.csv --map answer=bot_reply --map contexts=passages
      plumbrule score answers.csv --delimiter ";" --encoding cp1252
      plumbrule score answers.jsonl --explain q17
      plumbrule score answers.jsonl --set relevance.fail_below=0.05
      plumbrule score answers.jsonl --no-claims --support
      plumbrule score s3://bucket/answers.parquet --engine ray --address auto -o s3://bucket/verdicts/
      cat answers.jsonl | plumbrule score - --json
    """
    if output is not None and explain is not None:
        raise click.UsageError("--explain shows one sample and writes no file: leave out -o")
    if output == "-":
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
    folder = _folder(output, engine=engine, address=address, workers=workers, chunk_size=chunk_size)
    with progress_bar(file.source, stderr()) as progress:
        if folder is not None:
            with redirect_stdout(sys.stderr):  # Ray prints there that a worker died
                scored = scoring.score_into_folder(
                    file,
                    folder,
                    engine=_engine(address, workers),
                    rules=rules,
                    chunk_size=chunk_size or scoring.CHUNK_SIZE,
                    worst=worst,
                    skip_bad=skip_bad,
                    progress=progress,
                )
        else:
            into = Path(output) if output is not None else sys.stdout.buffer if as_json else None
            scored = scoring.score_file(
                file,
                rules=rules,
                into=into,
                worst=worst,
                skip_bad=skip_bad,
                workers=workers,
                progress=progress,
                fail_on=fail_on,
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


def _folder(
    output: str | None, *, engine: str, address: str | None, workers: int | None, chunk_size: int | None
) -> str | None:
    """Return the folder to write to; None where the results go to a file, to the terminal, or nowhere."""
    from plumbrule.api.scoring import RESULT_SUFFIXES
    from plumbrule.object_stores import is_url

    is_folder = output is not None and (output.endswith("/") or is_url(output) or engine == "ray")
    if engine == "ray" and (address is None or output is None):
        raise click.UsageError("--engine ray needs --address HOST:PORT and -o FOLDER/")
    if is_folder and Path(str(output)).suffix in RESULT_SUFFIXES:
        raise click.UsageError(f"-o {output}: chunk files go into a folder: name one, with a / at its end")
    if engine == "ray" and workers is not None:
        raise click.UsageError("--engine ray uses the cores of the cluster: leave out --workers")
    if engine == "local" and address is not None:
        raise click.UsageError("--address is that of a cluster: add --engine ray")
    if chunk_size is not None and not is_folder:
        raise click.UsageError("--chunk-size is for the files of a folder: -o FOLDER/, with a / at its end")
    return output if is_folder else None


def _engine(address: str | None, workers: int | None) -> "Engine":
    from plumbrule.engines.local_processes import LocalEngine
    from plumbrule.engines.ray_tasks import RayEngine
    from plumbrule.settings import usable_cores

    return RayEngine(address) if address is not None else LocalEngine(workers or usable_cores())
