"""Policy as data: the rubric files that ship, and their typed loader."""

from plumbrule.rubrics.benchmark import BenchmarkRubric
from plumbrule.rubrics.loader import (
    RUBRICS,
    Loaded,
    content_of,
    load_benchmark,
    load_rubric,
    load_scorecard,
    load_verdict,
    parse_override,
    shipped_text,
)
from plumbrule.rubrics.scorecard import ScorecardRubric
from plumbrule.rubrics.verdict import AnchorKind, Outcome, VerdictRubric

__all__ = [
    "RUBRICS",
    "AnchorKind",
    "BenchmarkRubric",
    "Loaded",
    "Outcome",
    "ScorecardRubric",
    "VerdictRubric",
    "content_of",
    "load_benchmark",
    "load_rubric",
    "load_scorecard",
    "load_verdict",
    "parse_override",
    "shipped_text",
]
