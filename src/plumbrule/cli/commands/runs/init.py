"""``plumbrule init``: a commented run configuration to start from."""

from pathlib import Path

import click


@click.command("init")
@click.argument("file", type=click.Path(path_type=Path), default="run.yaml")
def command(file: Path) -> None:
    """Write a commented run configuration to FILE, run.yaml by default; a file that is there stays.

    \b
    Example:
      plumbrule init run.yaml
    """
    from plumbrule.errors import UsageError
    from plumbrule.files import written_whole
    from plumbrule.runs.config_file import starter_text

    if file.exists():
        raise UsageError(f"{file}: is there already; name another file")
    with written_whole(file) as target:
        target.write(starter_text().encode())
    click.echo(f"{file}: name your dataset in it, then: plumbrule run {file}")
