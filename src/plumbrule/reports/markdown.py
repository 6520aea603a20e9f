"""The report as Markdown: a template, and how text is made safe in it.

Every text that the template prints is escaped for a line, as HTML is in the page; what is printed otherwise says so by
a filter.
"""

import re
from functools import cache

from jinja2 import Environment
from markupsafe import Markup

from plumbrule.reports.figure_text import NONE
from plumbrule.reports.page import clipped, make_environment, report_values
from plumbrule.runs.report.run_report import Report
from plumbrule.terminal import safe

MOST_FAILURES = 100
# What could begin markup inside a line. Entities stand where some readers of Markdown do not know the backslash, and
# for the bar, which ends a cell even behind a backslash in some of them.
_MARKUP = re.compile(r"[\\`*_\[\]~#!$]|://|(?<=www)\.|[&<>|@\n\t]", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "@": "&#64;", ".": "&#46;", "\n": " ⏎ ", "\t": " "}
_SIGNS_OF_DECISION = {"RELEASE": "✓", "NO RELEASE": "✗", "INCONCLUSIVE": "…"}


def render_markdown(report: Report) -> bytes:
    """Return the report as Markdown."""
    heat: dict[int | None, list[int]] = {}
    for cell in report.heat:
        heat.setdefault(cell.accuracy_score, []).append(cell.samples)
    template = _environment().get_template("report.md")
    text = template.render(
        **report_values(report, shown=report.failures[:MOST_FAILURES], most_suspects=MOST_FAILURES),
        sign=_SIGNS_OF_DECISION[report.decision],
        heat=list(heat.items()),
        heat_levels=list(dict.fromkeys(cell.faithfulness_score for cell in report.heat)),
    )
    return text.encode()


def inline(text: str) -> str:
    """Return hostile text as part of a line: it is shown, and is no markup, no link and no end of a cell."""
    return _MARKUP.sub(_escaped, safe(text).strip())


def block(text: str) -> str:
    """Return hostile text as a block of its own, indented: every reader of Markdown shows such a block as it is."""
    return "\n".join(f"    {line}" for line in safe(clipped(text)).split("\n")) if text.strip() else "(empty)"


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    return "&#58;//" if sign == "://" else _ENTITIES.get(sign, f"\\{sign}")


@cache
def _environment() -> Environment:
    # what is marked as safe here is safe in a line of Markdown
    filters = {
        "inline": _inline,
        "block": _block,
        "code": _code,
        "count": _count,
        "or_none": _or_none,
    }
    return make_environment(_shown, filters, keep_trailing_newline=True)


def _shown(value: object) -> object:
    """Return what the template prints: every text that is not marked as safe is escaped for a line."""
    return _inline(value) if type(value) is str else value


def _inline(text: str) -> Markup:
    return Markup(inline(text))  # noqa: S704 - escaped for Markdown


def _block(text: str) -> Markup:
    return Markup(block(text))  # noqa: S704 - indented, so that nothing in it is markup


def _code(name: str) -> Markup:
    return Markup(f"`{name}`")  # noqa: S704 - the name of a field, which is our own


def _count(number: int) -> str:
    return f"{number:,}"


def _or_none(value: str | None) -> str:
    return NONE if value is None else value
