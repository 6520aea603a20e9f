"""Policy as data: the rubric files that ship, and their typed loader."""

from plumbrule.rubrics.benchmark import BenchmarkRubric
from plumbrule.rubrics.compliance import LEVELS, ComplianceRubric, Level
from plumbrule.rubrics.loader import (
    RUBRICS,
    Loaded,
    content_of,
    kept_rubric,
    load_benchmark,
    load_compliance,
    load_refusals,
    load_rubric,
    load_rules,
    load_scorecard,
    load_verdict,
    parse_override,
    shipped_text,
)
from plumbrule.rubrics.refusals import RefusalCode, RefusalTaxonomy
from plumbrule.rubrics.rules import RulesPolicy
from plumbrule.rubrics.scorecard import ScorecardRubric
from plumbrule.rubrics.verdict import AnchorKind, Calibration, Outcome, SupportRules, VerdictRubric

__all__ = [
    "LEVELS",
    "RUBRICS",
    "AnchorKind",
    "BenchmarkRubric",
    "Calibration",
    "ComplianceRubric",
    "Level",
    "Loaded",
    "Outcome",
    "RefusalCode",
    "RefusalTaxonomy",
    "RulesPolicy",
    "ScorecardRubric",
    "SupportRules",
    "VerdictRubric",
    "content_of",
    "kept_rubric",
    "load_benchmark",
    "load_compliance",
    "load_refusals",
    "load_rubric",
    "load_rules",
    "load_scorecard",
    "load_verdict",
    "parse_override",
    "shipped_text",
]
