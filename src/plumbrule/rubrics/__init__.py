"""Policy as data: the rubric files that ship, and their typed loader."""

from plumbrule.rubrics.benchmark_rubric import BenchmarkRubric
from plumbrule.rubrics.compliance_rubric import LEVELS, ComplianceRubric, Level
from plumbrule.rubrics.loader import (
    RUBRICS,
    Loaded,
    Stamp,
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
from plumbrule.rubrics.refusal_taxonomy import RefusalCode, RefusalTaxonomy
from plumbrule.rubrics.rules_policy import RulesPolicy
from plumbrule.rubrics.scorecard_rubric import ScorecardRubric
from plumbrule.rubrics.verdict_rubric import AnchorKind, Calibration, Outcome, SupportRules, VerdictRubric

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
    "Stamp",
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
