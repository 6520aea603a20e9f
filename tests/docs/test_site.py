"""The documentation builds as a site, whole and without another host."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plumbrule.api.schemas import SCHEMAS
from plumbrule.cli import cli
from plumbrule.rubrics import RUBRICS

ROOT = Path(__file__).parents[2]
FETCHED = re.compile(r"""<(?:script|img|link|iframe|source)\b[^>]*?(?:src|href)=["'](https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a page that is missing or a link that leads nowhere is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    """Each page of the repository, and the ones that are made of the program."""
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")}
    assert {"index.html" if page == "README.html" else page for page in pages} <= built
    assert {f"reference/schemas/{name}.html" for name in SCHEMAS} <= built


def test_nothing_is_fetched_from_another_host(site: Path) -> None:
    """No script, style, picture or font has an address elsewhere, so that the pages open without a network."""
    pages = list(site.rglob("*.html"))
    assert [page.name for page in pages if FETCHED.search(page.read_text(encoding="utf-8"))] == []


def test_the_reference_is_made_of_the_program(site: Path) -> None:
    """Every command has its help text, every rubric its file, every call of the JSON API its place."""
    told = {
        name: (site / "reference" / f"{name}.html").read_text(encoding="utf-8")
        for name in ("help", "rubrics", "json-api")
    }
    commands = cli.list_commands(None)  # type: ignore[arg-type]
    assert [name for name in commands if f">plumbrule {name}<" not in told["help"]] == []
    assert [name for name in RUBRICS if f'id="{name}"' not in told["rubrics"]] == []
    assert "GET /api/v1/runs" in told["json-api"]
