"""``plumbrule schema``: the JSON schemas of what the commands print and write."""

import sys

import click


@click.command("schema")
@click.argument("name", required=False)
@click.option("--list", "listed", is_flag=True, help="List the names, as without NAME.")
def command(name: str | None, listed: bool) -> None:
    """Print the JSON schema called NAME; without NAME, list the schemas that there are.

    \b
    Examples:
      plumbrule schema
      plumbrule schema verdict > verdict.schema.json
    """
    from plumbrule.api.schemas import SCHEMAS, schema_named
    from plumbrule.codec import json_line

    if name is not None and not listed:
        sys.stdout.buffer.write(json_line(schema_named(name), indent=True))
        return
    width = max(map(len, SCHEMAS))
    for known, described in sorted(SCHEMAS.items()):
        click.echo(f"{known:{width}}  {described.about}")
