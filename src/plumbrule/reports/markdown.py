"""The report as Markdown: a template, and how text is made safe in it.

Every text that the template prints is escaped for a line, as HTML is in the page; what is printed otherwise says so by
a filter.
"""

import re
from functools import cache, partial

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from plumbrule.reports import figure_text
from plumbrule.reports.charts import spread_words
from plumbrule.reports.fix_first import CAUSES
from plumbrule.reports.run_report import Report
from plumbrule.terminal import safe

MOST_FAILURES = 100
LONGEST_TEXT = 20_000
# What could begin markup inside a line. Entities stand where some readers of Markdown do not know the backslash, and
# for the bar, which ends a cell even behind a backslash in some of them.
_MARKUP = re.compile(r"[\\`*_\[\]~#!$]|://|(?<=www)\.|[&<>|@\n\t]", re.IGNORECASE)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "@": "&#64;", ".": "&#46;", "\n": " ⏎ ", "\t": " "}
_SIGNS_OF_DECISION = {"RELEASE": "✓", "NO RELEASE": "✗", "INCONCLUSIVE": "…"}


def render_markdown(report: Report) -> bytes:
    """Return the report as Markdown."""
    shown = report.failures[:MOST_FAILURES]
    heat: dict[int | None, list[int]] = {}
    for cell in report.heat:
        heat.setdefault(cell.accuracy_score, []).append(cell.samples)
    text = (
        _environment()
        .get_template("report.md")
        .render(
            report=report,
            sign=_SIGNS_OF_DECISION[report.decision],
            shown=shown,
            suspects=report.passed_against_evidence[:MOST_FAILURES],
            concern_gates=figure_text.concern_gates(report.gates),
            left_out=len(report.failures) - len(shown),
            heat=list(heat.items()),
            heat_levels=list(dict.fromkeys(cell.faithfulness_score for cell in report.heat)),
            metadata=figure_text.metadata_rows(report.metadata),
            causes=CAUSES,
            signs=figure_text.SIGNS,
            settling=partial(figure_text.settling_text, confidence=report.confidence),
            policy=figure_text.policy_text(report.decide_on, report.confidence, report.anchor),
            worst=figure_text.worst_text,
            labels_line=figure_text.labels_text,
            spread_words=spread_words,
            support_words=figure_text.support_text,
            bands=figure_text.bands_text,
        )
    )
    return text.encode()


def inline(text: str) -> str:
    """Return hostile text as part of a line: it is shown, and is no markup, no link and no end of a cell."""
    return _MARKUP.sub(_escaped, safe(text).strip())


def block(text: str) -> str:
    """Return hostile text as a block of its own, indented: every reader of Markdown shows such a block as it is."""
    over = len(text) - LONGEST_TEXT
    if over > 0:
        text = f"{text[:LONGEST_TEXT]}\n[{over:,} more characters; the JSON report has them all]"
    return "\n".join(f"    {line}" for line in safe(text).split("\n")) if text.strip() else "(empty)"


def _escaped(match: re.Match[str]) -> str:
    sign = match[0]
    return "&#58;//" if sign == "://" else _ENTITIES.get(sign, f"\\{sign}")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("plumbrule.reports"),
        autoescape=True,  # what is marked as safe here is safe in a line of Markdown
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "inline": _inline,
        "block": _block,
        "code": _code,
        "count": _count,
        "or_none": _or_none,
        "figure": figure_text.figure,
        "signed": figure_text.signed,
        "percent": figure_text.percent,
        "interval": figure_text.interval_text,
        "numbers": figure_text.numbers_text,
    }
    return environment


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
    return figure_text.NONE if value is None else value
