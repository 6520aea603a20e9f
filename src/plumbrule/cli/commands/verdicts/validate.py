"""``plumbrule validate``: say what a dataset holds and what is wrong with it."""

import click

from plumbrule.cli.options import dataset_options, json_option

_BAD_INPUT = 3


@click.command("validate")
@click.argument("dataset")
@dataset_options
@json_option
def command(
    dataset: str,
    mapping: tuple[str, ...],
    format_: str | None,
    delimiter: str | None,
    encoding: str | None,
    as_json: bool,
) -> int:
    """Read DATASET, say which fields were understood and from where, and what is wrong with each bad record.

    Exits with 3 if there is a bad record, so that a pipeline can stop before it scores.

    \b
    Examples:
      plumbrule validate answers.jsonl
      plumbrule validate answers.parquet --map question=prompt
      plumbrule validate answers.xlsx
      plumbrule validate answers.csv --delimiter tab --encoding cp1252
      plumbrule validate answers.jsonl --json
    """
    from plumbrule.api.datasets import validate_file
    from plumbrule.cli.progress import progress_bar
    from plumbrule.cli.terminal_console import print_result, stderr, stdout
    from plumbrule.cli.views.dataset_check import BadRecords, show_check
    from plumbrule.samples import DatasetFile, parse_mapping

    file = DatasetFile(dataset, parse_mapping(mapping), format_, delimiter, encoding)
    bad = BadRecords(stdout())
    with progress_bar(file.source, stderr()) as progress:
        check = validate_file(file, on_bad=None if as_json else bad.show, progress=progress)
    bad.show_rest()
    print_result(check, show_check, as_json=as_json)
    return _BAD_INPUT if check.counts.bad else 0
