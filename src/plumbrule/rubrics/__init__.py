"""Policy as data: the rubric files that ship, and their typed loader."""

from plumbrule.rubrics.loader import RUBRICS, Loaded, content_of, load_verdict, parse_override, shipped_text
from plumbrule.rubrics.verdict import VerdictRubric

__all__ = [
    "RUBRICS",
    "Loaded",
    "VerdictRubric",
    "content_of",
    "load_verdict",
    "parse_override",
    "shipped_text",
]
