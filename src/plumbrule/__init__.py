"""Plumbrule tells whether a grounded assistant can be trusted, and proves it."""

from typing import TYPE_CHECKING, Any

from plumbrule._version import __version__

if TYPE_CHECKING:
    from plumbrule.api.assertions import assert_grounded, assert_verdict
    from plumbrule.api.datasets import validate_file
    from plumbrule.api.finished_runs import RunResults
    from plumbrule.api.ledger import LedgerBackup, back_up_ledger, checkpoint_ledger, reset_checkpoint, verify_ledger
    from plumbrule.api.monitoring import Monitored, Reviews, feedback, incident, monitor, take_sample, write_incident
    from plumbrule.api.prescores import PrescorePolicies, prescore, prescore_file, prescore_many
    from plumbrule.api.reports import write_report
    from plumbrule.api.results import Results, ScoredSample
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
    from plumbrule.api.scoring import ScoredFile, explain, score, score_file, score_many, verdict_rules
    from plumbrule.api.suites import run_suite
    from plumbrule.api.support import SupportCalibration, calibrate_support
    from plumbrule.client import Connection, connect
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
    from plumbrule.reviews.campaigns.campaign_agreement import CampaignAgreement
    from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
    from plumbrule.reviews.campaigns.campaign_progress import (
        AssignedItems,
        CampaignProgress,
        CampaignReport,
        ClaimList,
        ExportedRecords,
        ItemList,
        ReleasedItem,
    )
    from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
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
    from plumbrule.samples.data_frames import ArrowTable
    from plumbrule.samples.dataset_reader import DatasetFile
    from plumbrule.samples.sample_model import Passage, Sample
    from plumbrule.samples.validation import DatasetCheck
    from plumbrule.suites.suite_run import SuiteOutcome
    from plumbrule.verdicts.verdict import Verdict

__all__ = [
    "ArrowTable",
    "AssignedItems",
    "CampaignAgreement",
    "CampaignDecision",
    "CampaignProgress",
    "CampaignReport",
    "Checkpoint",
    "ClaimList",
    "ComplianceRubric",
    "Connection",
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
    "Results",
    "Reviews",
    "RubricError",
    "RunComparison",
    "RunLine",
    "RunResults",
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
    "assert_grounded",
    "assert_verdict",
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
    "connect",
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

# The public names by their modules, and what those are called there that have another name.
_NAMES = {
    "api.assertions": "assert_grounded assert_verdict",
    "api.datasets": "validate_file",
    "api.finished_runs": "RunResults",
    "api.ledger": "LedgerBackup back_up_ledger checkpoint_ledger reset_checkpoint verify_ledger",
    "api.monitoring": "Monitored Reviews feedback incident monitor take_sample write_incident",
    "api.prescores": "PrescorePolicies prescore prescore_file prescore_many",
    "api.reports": "write_report",
    "api.reviews": (
        "adjudicate assign_items campaign_agreement campaign_progress claim_adjudication claim_items claim_next "
        "close_campaign export_records keep_records list_campaigns list_items open_campaign release_item "
        "show_adjudication show_sheet submit_record submit_records"
    ),
    "api.results": "Results ScoredSample",
    "api.run_labels": "add_campaign_labels add_labels draw_labels plan_samples show_labels",
    "api.runs": "compare gate judge list_runs plan_run run show_run",
    "api.scorecards": "decide_records decide_scorecard",
    "api.scoring": "ScoredFile explain score score_file score_many verdict_rules",
    "api.suites": "run_suite",
    "api.support": "SupportCalibration calibrate_support",
    "client": "Connection connect",
    "errors": (
        "EvaluationError InputError InterruptedRunError MissingExtraError PlumbruleError RecordError RubricError "
        "UsageError"
    ),
    "http.transport_errors": "TransportError",
    "interactions.interaction": "Interaction",
    "interactions.interaction_reader": "InteractionReading read_interactions",
    "ledger.chain": "TimeBack Verification",
    "ledger.checkpoint": "Checkpoint",
    "ledger.entry": "Entry",
    "ledger.ledger_errors": "LedgerError",
    "ledger.migration": "open_ledger",
    "ledger.store": "Ledger",
    "monitoring.feedback_patterns": "Feedback",
    "monitoring.incident_model": "Incident",
    "monitoring.monitoring_report": "MonitoringReport",
    "monitoring.regression_samples": "TakenSample",
    "monitoring.webhook": "Webhook",
    "prescores.prescore_result": "PrescoreSummary",
    "prescores.prescorer": "Prescore",
    "reviews.campaigns.campaign_agreement": "CampaignAgreement",
    "reviews.campaigns.campaign_decision": "CampaignDecision",
    "reviews.campaigns.campaign_progress": (
        "AssignedItems CampaignProgress CampaignReport ClaimList ExportedRecords ItemList ReleasedItem"
    ),
    "reviews.campaigns.campaign_store": "ReleaseTerms",
    "reviews.evaluation_record": "DecidedRecord",
    "reviews.queue": "NothingLeft",
    "reviews.record_decision": "Decision",
    "reviews.sample_draw": "DrawResult Request",
    "reviews.sheets": "Sheet",
    "reviews.submission": "Submitted",
    "rubrics.compliance_rubric": "ComplianceRubric",
    "rubrics.loader": "Loaded load_scorecard",
    "rubrics.refusal_taxonomy": "RefusalTaxonomy",
    "rubrics.scorecard_rubric": "ScorecardRubric",
    "rubrics.verdict_rubric": "VerdictRubric",
    "runs.anchor.anchor_results": "LabelStatus",
    "runs.anchor.label_plan": "LabelPlan",
    "runs.comparison": "RunComparison",
    "runs.gates": "GateDecision",
    "runs.plan": "PlanSummary",
    "runs.report.run_report": "Report",
    "runs.run_results": "RunLine RunSummary SingleJudgement",
    "samples.data_frames": "ArrowTable",
    "samples.dataset_reader": "DatasetFile",
    "samples.sample_model": "Passage Sample",
    "samples.validation": "DatasetCheck",
    "suites.suite_run": "SuiteOutcome",
    "verdicts.verdict": "Verdict",
}
_RENAMED = {
    "campaign_agreement": "agreement",
    "campaign_progress": "progress",
    "list_campaigns": "campaigns",
    "list_items": "items",
    "plan_run": "plan",
    "show_run": "show",
    "show_sheet": "sheet",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Import a public name when it is first used, so that importing the package stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module 'plumbrule' has no attribute '{name}'")
    from importlib import import_module  # noqa: PLC0415 - only needed here

    return getattr(import_module(f"plumbrule.{_HOMES[name]}"), _RENAMED.get(name, name))


def __dir__() -> list[str]:
    return __all__
