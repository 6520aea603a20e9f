"""``plumbrule demo``: the main job end to end, on data that ships with the package."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option


@click.command("demo")
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="Also copy the demo dataset to FILE.")
@json_option
def command(keep: Path | None, as_json: bool) -> None:
    """Score the answers of a fictional compliance assistant, and show what stands behind a verdict.

    \b
    Examples:
      plumbrule demo
      plumbrule demo --keep answers.jsonl
    """
    from plumbrule.cli.scoring import ScoreJob
    from plumbrule.demo import samples_path
    from plumbrule.writing import written_whole

    if keep is not None:
        with written_whole(keep) as copy:
            copy.write(samples_path().read_bytes())
    job = ScoreJob(dataset=str(keep or samples_path()), bundled=keep is None)
    tally = job.run(output=None, worst=3, as_json=as_json)
    if as_json:
        return
    job.explain(tally.worst()[0][1].id, as_json=False)
    following = f"plumbrule score {keep}" if keep is not None else "plumbrule demo --keep answers.jsonl"
    click.echo(f"\nNext: {following}")
