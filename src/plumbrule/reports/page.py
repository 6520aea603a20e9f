"""One HTML page from a template: the same style, the same strict policy and the same escaping for every report."""

import base64
import hashlib

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from plumbrule.reports import figure_text
from plumbrule.terminal import safe

LONGEST_TEXT = 20_000


def render_page(template: str, **values: object) -> bytes:
    """Return the page: no script, nothing from outside, every text escaped."""
    environment = _environment()
    css, _, _ = PackageLoader("plumbrule.reports").get_source(environment, "report.css")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    page = environment.get_template(template).render(
        css=Markup(css),  # noqa: S704 - our own file
        style_hash=digest,
        **values,
    )
    return page.encode()


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("plumbrule.reports"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "figure": figure_text.figure,
        "signed": figure_text.signed,
        "percent": figure_text.percent,
        "interval": figure_text.interval_text,
        "counted": figure_text.counts_text,
        "numbers": figure_text.numbers_text,
        "clipped": _clipped,
    }
    return environment


def _shown(value: object) -> object:
    """Return what a template prints: text from outside is made safe before it is escaped."""
    return safe(value) if type(value) is str else value


def _clipped(text: str) -> str:
    over = len(text) - LONGEST_TEXT
    return text if over <= 0 else f"{text[:LONGEST_TEXT]}\n[{over:,} more characters; the JSON report has them all]"
