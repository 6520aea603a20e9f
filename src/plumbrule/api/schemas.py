"""The JSON schemas of everything that the commands print or write as JSON, by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from plumbrule.codec import schema_of
from plumbrule.errors import UsageError
from plumbrule.names import nearest

DRAFT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Described:
    """A type by its module and name, and where its JSON is found; ``given`` for a file that the user writes."""

    type: str
    about: str
    given: bool = False


# One line for each: the type is imported when its schema is asked for.
SCHEMAS: Mapping[str, Described] = {
    "agreement": Described("reviews.campaigns.campaign_agreement:CampaignAgreement", "'review agreement --json'"),
    "archive": Described("ledger.archive_folder:ArchiveManifest", "'ledger archive --json', and 'manifest.json' in it"),
    "archive-plan": Described("api.ledger:ArchivePlan", "'ledger archive --dry-run --json'"),
    "assigned-items": Described("reviews.campaigns.campaign_progress:AssignedItems", "'review assign --json'"),
    "bundle": Described("ledger.bundle:BundleVerification", "'ledger verify BUNDLE --json'"),
    "calibration": Described("support.calibration_results:FittedCalibration", "'support calibrate --json'"),
    "campaign-decision": Described("reviews.campaigns.campaign_decision:CampaignDecision", "'review close --json'"),
    "campaign-items": Described("reviews.campaigns.campaign_progress:ItemList", "'review list CAMPAIGN --json'"),
    "campaign-progress": Described(
        "reviews.campaigns.campaign_progress:CampaignReport",
        "'review progress --json', and without the decision one item of 'review list --json'",
    ),
    "checkpoint": Described(
        "ledger.checkpoint:Checkpoint", "'ledger checkpoint --json', and its file; the file of 'ledger verify --keep'"
    ),
    "claims": Described("reviews.campaigns.campaign_progress:ClaimList", "'review claim --json'"),
    "comparison": Described("runs.comparison:RunComparison", "'compare --json'"),
    "dataset-check": Described("samples.validation:DatasetCheck", "'validate --json'"),
    "decided-record": Described("reviews.evaluation_record:DecidedRecord", "one line of 'review decide --json'"),
    "draw": Described("reviews.sample_draw:DrawResult", "'sample --json'"),
    "export": Described("api.exports:Exported", "'export --json'"),
    "feedback": Described("monitoring.feedback_patterns:Feedback", "'feedback --json'"),
    "gate": Described("runs.gates:GateDecision", "'gate --json'"),
    "incident": Described("monitoring.incident_model:Incident", "the file of 'incident -o FILE.json'"),
    "installation": Described("api.installation:Installation", "'doctor --json'"),
    "judgement": Described("runs.run_results:SingleJudgement", "'judge --json'"),
    "label-plan": Described("runs.anchor.label_plan:LabelPlan", "'plan --json'"),
    "labels": Described("runs.anchor.anchor_results:LabelStatus", "'label --json'"),
    "ledger-verification": Described("ledger.chain:Verification", "'ledger verify --json'"),
    "monitoring": Described("monitoring.monitoring_report:MonitoringReport", "'monitor --json'"),
    "nothing-left": Described("reviews.queue:NothingLeft", "'review next --json' where nothing is left"),
    "plan": Described("runs.plan:PlanSummary", "'run --dry-run --json'"),
    "prescore": Described(
        "prescores.prescore_result:PrescoreResult", "one line of 'prescore --json' or of its -o file"
    ),
    "prescore-summary": Described("prescores.prescore_result:PrescoreSummary", "'prescore -o FILE --json'"),
    "record": Described(
        "reviews.record_store:ExportedRecord", "one line of 'review export', and what 'review submit --json' prints"
    ),
    "report": Described("runs.report.run_report:Report", "the file of 'report -o FILE.json'"),
    "rubric-stamp": Described(
        "verdicts.verdict_json:StampJson", "'rubric check --json', and one item of 'rubric list'"
    ),
    "run": Described("runs.run_results:RunSummary", "'show --json' and 'run --json'"),
    "run-config": Described("runs.config_schema:RunConfig", "the file that 'run' takes, as JSON", given=True),
    "run-line": Described("runs.run_results:RunLine", "one item of 'runs --json'"),
    "sheet": Described("reviews.sheets:Sheet", "'review next --json' and 'review show --json'"),
    "suite": Described("suites.suite_tally:SuiteSummary", "'suite run --json'"),
    "suite-coverage": Described("suites.suite_tally:SuiteCoverage", "'suite coverage --json'"),
    "taken-sample": Described("monitoring.regression_samples:TakenSample", "'feedback take --json'"),
    "verdict": Described("verdicts.verdict_json:VerdictJson", "one line of 'score --json' or of its -o file"),
    "verdict-summary": Described("verdicts.verdict_tally:VerdictSummary", "'score -o FILE --json'"),
}


def schema_named(name: str) -> dict[str, object]:
    """Return the JSON schema with this name."""
    if name not in SCHEMAS:
        known = f"; there are: {', '.join(sorted(SCHEMAS))}"
        raise UsageError(f"there is no schema '{name}'{nearest(name, SCHEMAS) or known}")
    described = SCHEMAS[name]
    module, _, kind = described.type.partition(":")
    schema = schema_of(getattr(import_module(f"plumbrule.{module}"), kind), given=described.given)
    return {"$schema": DRAFT, **schema, "title": name}
