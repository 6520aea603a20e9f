"""Plumbrule tells whether a grounded assistant can be trusted, and proves it."""

from typing import TYPE_CHECKING, Any

from plumbrule._version import __version__

if TYPE_CHECKING:
    from plumbrule.api.datasets import validate_file
    from plumbrule.api.ledger import LedgerBackup, back_up_ledger, checkpoint_ledger, reset_checkpoint, verify_ledger
    from plumbrule.api.monitoring import Monitored, Reviews, feedback, incident, monitor, take_sample, write_incident
    from plumbrule.api.prescores import PrescorePolicies, prescore, prescore_file, prescore_many
    from plumbrule.api.reports import write_report
    from plumbrule.api.reviews import (
        adjudicate,
        assign_items,
        claim_adjudication,
        claim_items,
        claim_next,
        close_campaign,
        export_records,
        keep_records,
        open_campaign,
        release_item,
        show_adjudication,
        submit_record,
        submit_records,
    )
    from plumbrule.api.reviews import agreement as campaign_agreement
    from plumbrule.api.reviews import campaigns as list_campaigns
    from plumbrule.api.reviews import items as list_items
    from plumbrule.api.reviews import progress as campaign_progress
    from plumbrule.api.reviews import sheet as show_sheet
    from plumbrule.api.run_labels import add_campaign_labels, add_labels, draw_labels, plan_samples, show_labels
    from plumbrule.api.runs import compare, gate, judge, list_runs, run
    from plumbrule.api.runs import plan as plan_run
    from plumbrule.api.runs import show as show_run
    from plumbrule.api.scorecards import decide_records, decide_scorecard
    from plumbrule.api.scoring import ScoredFile, ScoredSample, explain, score, score_file, score_many, verdict_rules
    from plumbrule.api.suites import run_suite
    from plumbrule.api.support import SupportCalibration, calibrate_support
    from plumbrule.errors import (
        EvaluationError,
        InputError,
        InterruptedRunError,
        MissingExtraError,
        PlumbruleError,
        RecordError,
        RubricError,
        UsageError,
    )
    from plumbrule.http.transport_errors import TransportError
    from plumbrule.interactions.interaction import Interaction
    from plumbrule.interactions.interaction_reader import InteractionReading, read_interactions
    from plumbrule.ledger.chain import TimeBack, Verification
    from plumbrule.ledger.checkpoint import Checkpoint
    from plumbrule.ledger.entry import Entry
    from plumbrule.ledger.ledger_errors import LedgerError
    from plumbrule.ledger.migration import open_ledger
    from plumbrule.ledger.store import Ledger
    from plumbrule.monitoring.feedback_patterns import Feedback
    from plumbrule.monitoring.incident_model import Incident
    from plumbrule.monitoring.monitoring_report import MonitoringReport
    from plumbrule.monitoring.regression_samples import TakenSample
    from plumbrule.monitoring.webhook import Webhook
    from plumbrule.prescores.prescore_result import PrescoreSummary
    from plumbrule.prescores.prescorer import Prescore
    from plumbrule.reviews.campaign_agreement import CampaignAgreement
    from plumbrule.reviews.campaign_decision import CampaignDecision
    from plumbrule.reviews.campaign_progress import (
        AssignedItems,
        CampaignProgress,
        CampaignReport,
        ClaimList,
        ExportedRecords,
        ItemList,
        ReleasedItem,
    )
    from plumbrule.reviews.campaign_store import ReleaseTerms
    from plumbrule.reviews.evaluation_record import DecidedRecord
    from plumbrule.reviews.queue import NothingLeft
    from plumbrule.reviews.record_decision import Decision
    from plumbrule.reviews.sample_draw import DrawResult, Request
    from plumbrule.reviews.sheets import Sheet
    from plumbrule.reviews.submission import Submitted
    from plumbrule.rubrics.compliance_rubric import ComplianceRubric
    from plumbrule.rubrics.loader import Loaded, load_scorecard
    from plumbrule.rubrics.refusal_taxonomy import RefusalTaxonomy
    from plumbrule.rubrics.scorecard_rubric import ScorecardRubric
    from plumbrule.rubrics.verdict_rubric import VerdictRubric
    from plumbrule.runs.anchor.anchor_results import LabelStatus
    from plumbrule.runs.anchor.label_plan import LabelPlan
    from plumbrule.runs.comparison import RunComparison
    from plumbrule.runs.gates import GateDecision
    from plumbrule.runs.plan import PlanSummary
    from plumbrule.runs.report.run_report import Report
    from plumbrule.runs.run_results import RunLine, RunSummary, SingleJudgement
    from plumbrule.runs.session import RunOutcome
    from plumbrule.samples.dataset_reader import DatasetFile
    from plumbrule.samples.sample_model import Passage, Sample
    from plumbrule.samples.validation import DatasetCheck
    from plumbrule.suites.suite_run import SuiteOutcome
    from plumbrule.verdicts.verdict import Verdict

__all__ = [
    "AssignedItems",
    "CampaignAgreement",
    "CampaignDecision",
    "CampaignProgress",
    "CampaignReport",
    "Checkpoint",
    "ClaimList",
    "ComplianceRubric",
    "DatasetCheck",
    "DatasetFile",
    "DecidedRecord",
    "Decision",
    "DrawResult",
    "Entry",
    "EvaluationError",
    "ExportedRecords",
    "Feedback",
    "GateDecision",
    "Incident",
    "InputError",
    "Interaction",
    "InteractionReading",
    "InterruptedRunError",
    "ItemList",
    "LabelPlan",
    "LabelStatus",
    "Ledger",
    "LedgerBackup",
    "LedgerError",
    "Loaded",
    "MissingExtraError",
    "Monitored",
    "MonitoringReport",
    "NothingLeft",
    "Passage",
    "PlanSummary",
    "PlumbruleError",
    "Prescore",
    "PrescorePolicies",
    "PrescoreSummary",
    "RecordError",
    "RefusalTaxonomy",
    "ReleaseTerms",
    "ReleasedItem",
    "Report",
    "Request",
    "Reviews",
    "RubricError",
    "RunComparison",
    "RunLine",
    "RunOutcome",
    "RunSummary",
    "Sample",
    "ScorecardRubric",
    "ScoredFile",
    "ScoredSample",
    "Sheet",
    "SingleJudgement",
    "Submitted",
    "SuiteOutcome",
    "SupportCalibration",
    "TakenSample",
    "TimeBack",
    "TransportError",
    "UsageError",
    "Verdict",
    "VerdictRubric",
    "Verification",
    "Webhook",
    "__version__",
    "add_campaign_labels",
    "add_labels",
    "adjudicate",
    "assign_items",
    "back_up_ledger",
    "calibrate_support",
    "campaign_agreement",
    "campaign_progress",
    "checkpoint_ledger",
    "claim_adjudication",
    "claim_items",
    "claim_next",
    "close_campaign",
    "compare",
    "decide_records",
    "decide_scorecard",
    "draw_labels",
    "explain",
    "export_records",
    "feedback",
    "gate",
    "incident",
    "judge",
    "keep_records",
    "list_campaigns",
    "list_items",
    "list_runs",
    "load_scorecard",
    "monitor",
    "open_campaign",
    "open_ledger",
    "plan_run",
    "plan_samples",
    "prescore",
    "prescore_file",
    "prescore_many",
    "read_interactions",
    "release_item",
    "reset_checkpoint",
    "run",
    "run_suite",
    "score",
    "score_file",
    "score_many",
    "show_adjudication",
    "show_labels",
    "show_run",
    "show_sheet",
    "submit_record",
    "submit_records",
    "take_sample",
    "validate_file",
    "verdict_rules",
    "verify_ledger",
    "write_incident",
    "write_report",
]

# The module of each public name, and its name there where that is another.
_HOMES = {
    "AssignedItems": "reviews.campaign_progress",
    "CampaignAgreement": "reviews.campaign_agreement",
    "CampaignDecision": "reviews.campaign_decision",
    "CampaignProgress": "reviews.campaign_progress",
    "CampaignReport": "reviews.campaign_progress",
    "Checkpoint": "ledger.checkpoint",
    "ClaimList": "reviews.campaign_progress",
    "ComplianceRubric": "rubrics.compliance_rubric",
    "DatasetCheck": "samples.validation",
    "DatasetFile": "samples.dataset_reader",
    "DecidedRecord": "reviews.evaluation_record",
    "Decision": "reviews.record_decision",
    "DrawResult": "reviews.sample_draw",
    "Entry": "ledger.entry",
    "EvaluationError": "errors",
    "ExportedRecords": "reviews.campaign_progress",
    "Feedback": "monitoring.feedback_patterns",
    "GateDecision": "runs.gates",
    "Incident": "monitoring.incident_model",
    "InputError": "errors",
    "Interaction": "interactions.interaction",
    "InteractionReading": "interactions.interaction_reader",
    "InterruptedRunError": "errors",
    "ItemList": "reviews.campaign_progress",
    "LabelPlan": "runs.anchor.label_plan",
    "LabelStatus": "runs.anchor.anchor_results",
    "Ledger": "ledger.store",
    "LedgerBackup": "api.ledger",
    "LedgerError": "ledger.ledger_errors",
    "Loaded": "rubrics.loader",
    "MissingExtraError": "errors",
    "Monitored": "api.monitoring",
    "MonitoringReport": "monitoring.monitoring_report",
    "NothingLeft": "reviews.queue",
    "Passage": "samples.sample_model",
    "PlanSummary": "runs.plan",
    "PlumbruleError": "errors",
    "Prescore": "prescores.prescorer",
    "PrescorePolicies": "api.prescores",
    "PrescoreSummary": "prescores.prescore_result",
    "RecordError": "errors",
    "RefusalTaxonomy": "rubrics.refusal_taxonomy",
    "ReleaseTerms": "reviews.campaign_store",
    "ReleasedItem": "reviews.campaign_progress",
    "Report": "runs.report.run_report",
    "Request": "reviews.sample_draw",
    "Reviews": "api.monitoring",
    "RubricError": "errors",
    "RunComparison": "runs.comparison",
    "RunLine": "runs.run_results",
    "RunOutcome": "runs.session",
    "RunSummary": "runs.run_results",
    "Sample": "samples.sample_model",
    "ScorecardRubric": "rubrics.scorecard_rubric",
    "ScoredFile": "api.scoring",
    "ScoredSample": "api.scoring",
    "Sheet": "reviews.sheets",
    "SingleJudgement": "runs.run_results",
    "Submitted": "reviews.submission",
    "SuiteOutcome": "suites.suite_run",
    "SupportCalibration": "api.support",
    "TakenSample": "monitoring.regression_samples",
    "TimeBack": "ledger.chain",
    "TransportError": "http.transport_errors",
    "UsageError": "errors",
    "Verdict": "verdicts.verdict",
    "VerdictRubric": "rubrics.verdict_rubric",
    "Verification": "ledger.chain",
    "Webhook": "monitoring.webhook",
    "add_campaign_labels": "api.run_labels",
    "add_labels": "api.run_labels",
    "adjudicate": "api.reviews",
    "assign_items": "api.reviews",
    "back_up_ledger": "api.ledger",
    "calibrate_support": "api.support",
    "campaign_agreement": "api.reviews:agreement",
    "campaign_progress": "api.reviews:progress",
    "checkpoint_ledger": "api.ledger",
    "claim_adjudication": "api.reviews",
    "claim_items": "api.reviews",
    "claim_next": "api.reviews",
    "close_campaign": "api.reviews",
    "compare": "api.runs",
    "decide_records": "api.scorecards",
    "decide_scorecard": "api.scorecards",
    "draw_labels": "api.run_labels",
    "explain": "api.scoring",
    "export_records": "api.reviews",
    "feedback": "api.monitoring",
    "gate": "api.runs",
    "incident": "api.monitoring",
    "judge": "api.runs",
    "keep_records": "api.reviews",
    "list_campaigns": "api.reviews:campaigns",
    "list_items": "api.reviews:items",
    "list_runs": "api.runs",
    "load_scorecard": "rubrics.loader",
    "monitor": "api.monitoring",
    "open_campaign": "api.reviews",
    "open_ledger": "ledger.migration",
    "plan_run": "api.runs:plan",
    "plan_samples": "api.run_labels",
    "prescore": "api.prescores",
    "prescore_file": "api.prescores",
    "prescore_many": "api.prescores",
    "read_interactions": "interactions.interaction_reader",
    "release_item": "api.reviews",
    "reset_checkpoint": "api.ledger",
    "run": "api.runs",
    "run_suite": "api.suites",
    "score": "api.scoring",
    "score_file": "api.scoring",
    "score_many": "api.scoring",
    "show_labels": "api.run_labels",
    "show_adjudication": "api.reviews",
    "show_run": "api.runs:show",
    "show_sheet": "api.reviews:sheet",
    "submit_record": "api.reviews",
    "submit_records": "api.reviews",
    "take_sample": "api.monitoring",
    "validate_file": "api.datasets",
    "verdict_rules": "api.scoring",
    "verify_ledger": "api.ledger",
    "write_incident": "api.monitoring",
    "write_report": "api.reports",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Import a public name when it is first used, so that importing the package stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'plumbrule' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415 - only needed here

    module, _, there = _HOMES[name].partition(":")
    return getattr(import_module(f"plumbrule.{module}"), there or name)


def __dir__() -> list[str]:
    return __all__
