"""The pages of the site that are made from the program itself: help texts, rubrics, schemas, the JSON API.

MkDocs calls the two functions at the end (``hooks`` in mkdocs.yml). Nothing here is written by hand twice.
"""  # noqa: INP001 - loaded by MkDocs as a file

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from plumbrule.api.schemas import SCHEMAS, schema_named
from plumbrule.cli import cli
from plumbrule.rubrics import RUBRICS, shipped_text
from plumbrule.web.application import create_app
from plumbrule.web.site import Site
from plumbrule.web.web_store import Store

# A file of the repository that is no page: the site shows its name.
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./(?:\.\./)?(?:src|examples|training|bench|tests|deploy)[^)]*\)")
_RECIPES, _RECIPES_PAGE = Path(__file__).parents[1] / "examples" / "ci", "how-to/ci.md"
_OPERATIONS = ("get", "post", "put", "delete")


def help_page() -> str:
    """Return what every command prints with --help."""
    context = click.Context(cli, info_name="plumbrule", max_content_width=100)
    texts = [f"## {path}\n\n```text\n{text}\n```\n" for path, text in _helps(cli, context)]
    return "# Help texts\n\nWhat each command prints with `--help`.\n\n" + "\n".join(texts)


def _helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _helps(inner, click.Context(inner, info_name=name, parent=context, max_content_width=100))


def rubrics_page() -> str:
    """Return the rubric files that ship, as they are."""
    parts = [f"## {name}\n\n```yaml\n{shipped_text(name).rstrip()}\n```\n" for name in sorted(RUBRICS)]
    return "# Rubrics\n\nThe files that ship; `plumbrule rubric show NAME` prints one.\n\n" + "\n".join(parts)


def schema_pages() -> Mapping[str, str]:
    """Return a page for each JSON schema, and one that lists them."""
    rows = [f"| [{name}]({name}.md) | {described.about} |" for name, described in sorted(SCHEMAS.items())]
    pages = {
        "index": "# Schemas\n\n`plumbrule schema NAME` prints one.\n\n| schema | of |\n|---|---|\n" + "\n".join(rows)
    }
    for name, described in SCHEMAS.items():
        schema = json.dumps(schema_named(name), indent=2)
        pages[name] = f"# {name}\n\nThe JSON schema of {described.about}.\n\n```json\n{schema}\n```\n"
    return pages


def json_api_page() -> str:
    """Return the calls of the JSON API, from its OpenAPI description."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/store.db")
        description = create_app(Site(ledger=f"sqlite:///{folder}/ledger.db", store=store)).openapi()
        store.close()
    parts = [
        _operation(method, path, operations[method])
        for path, operations in sorted(description["paths"].items())
        for method in _OPERATIONS
        if method in operations
    ]
    head = "# JSON API\n\nEvery call under `/api/v1`; a server gives the whole description at `/api/v1/openapi.json`.\n"
    return head + "".join(parts)


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    lines = [f"\n## {method.upper()} {path}\n", operation.get("description") or operation.get("summary") or ""]
    parameters = operation.get("parameters") or ()
    if parameters:
        lines += ["\n| parameter | in | needed |", "|---|---|---|"]
        lines += [f"| `{one['name']}` | {one['in']} | {'yes' if one.get('required') else 'no'} |" for one in parameters]
    return "\n".join(lines) + "\n"


def generated_pages() -> Mapping[str, str]:
    """Return every page that is made, by its place in the site."""
    pages = {"help": help_page(), "rubrics": rubrics_page(), "json-api": json_api_page()}
    pages |= {f"schemas/{name}": text for name, text in schema_pages().items()}
    return {f"reference/{name}.md": text for name, text in pages.items()}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made."""
    for path, text in generated_pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Show files of the repository, which are no pages, by their names; those for CI in full, on their page."""
    shown = _OUTSIDE.sub(r"\1", markdown)
    return f"{shown}\n{recipes()}" if page.file.src_uri == _RECIPES_PAGE else shown


def recipes() -> str:
    """Return the files for CI, which no installation brings, to be copied from the page."""
    kinds = {".yml": "yaml", ".sh": "bash", ".mk": "make"}
    parts = [
        f"### {path.name}\n\n```{kinds[path.suffix]}\n{path.read_text(encoding='utf-8').rstrip()}\n```\n"
        for path in sorted(_RECIPES.iterdir())
    ]
    return "## The files\n\n" + "\n".join(parts)
