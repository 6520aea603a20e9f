"""Reports from templates: the same values and filters in every format; one style, policy and escaping of HTML."""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from plumbrule.reports import figure_text
from plumbrule.reports.charts import spread_words
from plumbrule.runs.gates import gate_figures
from plumbrule.runs.report.fix_first import CAUSES
from plumbrule.runs.report.run_report import Failure, Report
from plumbrule.terminal import safe

LONGEST_TEXT = 20_000


def render_page(template: str, **values: object) -> bytes:
    """Return the page: no script, nothing from outside, every text escaped."""
    environment, style = page_environment()
    return environment.get_template(template).render(**style, **values).encode()


def page_environment() -> tuple[Environment, dict[str, object]]:
    """Return the environment of an HTML page, and its style with the hash that its policy allows."""
    environment = make_environment(safe_text, {"clipped": clipped})
    css, _, _ = PackageLoader("plumbrule.reports").get_source(environment, "report.css")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return environment, {"css": Markup(css), "style_hash": digest}  # noqa: S704 - our own file


def make_environment(
    show: Callable[[object], object],
    filters: Mapping[str, Any],
    *,
    package: str = "plumbrule.reports",
    keep_trailing_newline: bool = False,
) -> Environment:
    """Return the environment of a package's templates, which print what ``show`` makes of every value."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        finalize=show,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )
    environment.filters |= {
        "figure": figure_text.figure,
        "signed": figure_text.signed,
        "percent": figure_text.percent,
        "counted": figure_text.counts_text,
        "numbers": figure_text.numbers_text,
        **filters,
    }
    environment.globals |= {"measured": figure_text.measured, "gate_figures": gate_figures}
    return environment


def report_values(report: Report, *, shown: Sequence[Failure], most_suspects: int) -> dict[str, object]:
    """Return what the template of a report is given in every format; ``shown`` are the failures shown in full."""
    return {
        "report": report,
        "shown": shown,
        "suspects": report.passed_against_evidence[:most_suspects],
        "concern_gates": figure_text.concern_gates(report.gates),
        "left_out": len(report.failures) - len(shown),
        "metadata": figure_text.metadata_rows(report.metadata),
        "causes": CAUSES,
        "signs": figure_text.SIGNS,
        "settling": partial(figure_text.settling_text, confidence=report.confidence),
        "policy": figure_text.policy_text(report.decide_on, report.confidence, report.anchor),
        "worst": figure_text.worst_text,
        "labels_line": figure_text.labels_text,
        "spread_words": spread_words,
        "support_words": figure_text.support_text,
        "bands": figure_text.bands_text,
    }


def safe_text(value: object) -> object:
    """Return what a template prints: text from outside is made safe before it is escaped."""
    return safe(value) if type(value) is str else value


def clipped(text: str) -> str:
    """Return a text without what is beyond the longest that a report shows."""
    over = len(text) - LONGEST_TEXT
    return text if over <= 0 else f"{text[:LONGEST_TEXT]}\n[{over:,} more characters; the JSON report has them all]"
