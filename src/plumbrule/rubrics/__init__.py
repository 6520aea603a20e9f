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
    names_rubric,
    parse_override,
    shipped_text,
)
from plumbrule.rubrics.policy_differences import (
    PolicyDifference,
    check_policy,
    policy_differences,
    weaker_differences,
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
    "PolicyDifference",
    "RefusalCode",
    "RefusalTaxonomy",
    "RulesPolicy",
    "ScorecardRubric",
    "Stamp",
    "SupportRules",
    "VerdictRubric",
    "check_policy",
    "content_of",
    "kept_rubric",
    "load_benchmark",
    "load_compliance",
    "load_refusals",
    "load_rubric",
    "load_rules",
    "load_scorecard",
    "load_verdict",
    "names_rubric",
    "parse_override",
    "policy_differences",
    "shipped_text",
    "weaker_differences",
]
