"""``plumbrule validate``: say what a dataset holds and what is wrong with it."""

import click

from plumbrule.cli.options import dataset_options, json_option

_BAD_INPUT = 3


@click.command("validate")
@click.argument("dataset")
@dataset_options
@json_option
def command(dataset: str, mapping: tuple[str, ...], format_: str | None, as_json: bool) -> int:
    """Read DATASET, say which fields were understood and from where, and list every bad record.

    Exits with 3 if there is a bad record, so that a pipeline can stop before it scores.

    \b
    Examples:
      plumbrule validate answers.jsonl
      plumbrule validate answers.parquet --map question=prompt
      plumbrule validate answers.jsonl --json
    """
    from plumbrule.cli.views.dataset_check import validate

    return _BAD_INPUT if validate(dataset, mapping, format_, as_json=as_json) else 0
