"""A ledger that another machine serves: the same calls as the local functions, with the same results.

>>> import plumbrule
>>> with plumbrule.connect("https://plumbrule.example", token="...") as server:  # doctest: +SKIP
...     server.list_runs()[-1].outcome
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from plumbrule.api.monitoring import Monitored, MonitoringView
from plumbrule.codec import from_json, to_json
from plumbrule.errors import UsageError
from plumbrule.http.json_client import JsonClient
from plumbrule.interactions.interaction_reader import Source
from plumbrule.ledger.chain import Verification
from plumbrule.monitoring.feedback_patterns import Feedback
from plumbrule.monitoring.incident_model import Incident
from plumbrule.monitoring.monitoring_report import Acknowledgement, MonitoringReport
from plumbrule.outcomes import DecideOn
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
from plumbrule.reviews.queue import NothingLeft
from plumbrule.reviews.record_store import ExportedRecord
from plumbrule.reviews.sample_draw import DrawResult, Request
from plumbrule.reviews.sheets import Sheet
from plumbrule.rubrics.benchmark_rubric import Anchor, Confidence
from plumbrule.runs.comparison import RunComparison
from plumbrule.runs.gates import GateDecision
from plumbrule.runs.plan import PlanSummary
from plumbrule.runs.report.run_report import Report
from plumbrule.runs.run_results import RunLine, RunSummary
from plumbrule.verdicts.verdict_json import VerdictJson
from plumbrule.web.addresses import path_part
from plumbrule.web.jobs.run_jobs import Job
from plumbrule.web.traffic.request_guard import LARGEST_BODY

T = TypeVar("T")

_TIMEOUT_S = 60.0


def connect(address: str, *, token: str | None = None, timeout_s: float = _TIMEOUT_S) -> "Connection":
    """Return a connection to a server that ``plumbrule serve`` started; a team's server asks for an API token."""
    return Connection(JsonClient(address, token=token, timeout_s=timeout_s))


class Connection:
    """The calls of a server; what is changed is changed by the person whom the token belongs to."""

    def __init__(self, client: JsonClient) -> None:
        self._client = client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def score(
        self, *, answer: str, question: str | None = None, contexts: Iterable[str] = (), rubric: str = "verdict"
    ) -> VerdictJson:
        """Return the verdict on one answer."""
        body = {"question": question, "answer": answer, "contexts": list(contexts), "rubric": rubric}
        return self._post(VerdictJson, "/score", body)

    def list_runs(self) -> tuple[RunLine, ...]:
        """Return every run, the oldest first."""
        return self._get(tuple[RunLine, ...], "/runs")

    def show_run(self, reference: str = "last", *, samples: bool = False, anchor: Anchor | None = None) -> RunSummary:
        """Return the summary of a run."""
        return self._get(RunSummary, f"/runs/{path_part(reference)}", samples=samples, anchor=anchor)

    def gate(
        self,
        reference: str = "last",
        *,
        strict: bool = False,
        decide_on: DecideOn | None = None,
        confidence: Confidence | None = None,
        anchor: Anchor | None = None,
    ) -> GateDecision:
        """Decide whether a run may be released."""
        path = f"/runs/{path_part(reference)}/gate"
        return self._get(GateDecision, path, strict=strict, decide_on=decide_on, confidence=confidence, anchor=anchor)

    def report(self, reference: str = "last") -> Report:
        """Return the report of a run."""
        return self._get(Report, f"/runs/{path_part(reference)}/report")

    def compare(
        self, first: str, second: str, *, other_dataset: bool = False, margins: Mapping[str, float] | None = None
    ) -> RunComparison:
        """Compare two runs sample by sample."""
        margin = [f"{name}={float(value)}" for name, value in (margins or {}).items()]
        return self._get(
            RunComparison, "/comparison", first=first, second=second, other_dataset=other_dataset, margin=margin
        )

    def list_configurations(self) -> tuple[str, ...]:
        """Return the run configurations that the server may start."""
        return self._get(tuple[str, ...], "/configurations")

    def plan_run(self, configuration: str) -> PlanSummary:
        """Return what a run would do and use; nobody is called."""
        return self._get(PlanSummary, f"/configurations/{path_part(configuration)}/plan")

    def start_run(self, configuration: str, *, resume: str | None = None, decide_on: DecideOn | None = None) -> Job:
        """Start a run on the server, or resume one; ``job`` tells how far it is."""
        return self._post(Job, "/jobs", {"configuration": configuration, "resume": resume, "decide_on": decide_on})

    def list_jobs(self) -> tuple[Job, ...]:
        """Return the newest runs that were started on the server, the newest first."""
        return self._get(tuple[Job, ...], "/jobs")

    def job(self, job_id: str) -> Job:
        """Return how far a run on the server is."""
        return self._get(Job, f"/jobs/{path_part(job_id)}")

    def stop_job(self, job_id: str) -> Job:
        """Stop a run on the server; what it finished is kept."""
        return self._post(Job, f"/jobs/{path_part(job_id)}/stop")

    def open_campaign(
        self,
        request: Request,
        *,
        name: str | None = None,
        evaluators: int | None = None,
        terms: ReleaseTerms | None = None,
        rubric: Source | None = None,
    ) -> DrawResult:
        """Send the files that a request names, and open a campaign on what is drawn from them."""
        terms = terms or ReleaseTerms()
        deciding = {"name": name, "evaluators": evaluators, **to_json(terms)}
        return self._post(DrawResult, "/campaigns", {**_request_body(request, rubric), **deciding})

    def draw_sample(self, request: Request, *, rubric: Source | None = None) -> DrawResult:
        """Send the files that a request names, and return what would be drawn; nothing is opened."""
        return self._post(DrawResult, "/draws", _request_body(request, rubric))

    def list_campaigns(self) -> tuple[CampaignProgress, ...]:
        """Return every campaign, the oldest first."""
        return self._get(tuple[CampaignProgress, ...], "/campaigns")

    def campaign_progress(self, campaign: str = "last") -> CampaignReport:
        """Return how far a campaign is, and its decision where it is closed."""
        return self._get(CampaignReport, f"/campaigns/{path_part(campaign)}")

    def list_items(self, campaign: str = "last", *, mine: bool = False) -> ItemList:
        """Return the items of a campaign with their status."""
        return self._get(ItemList, f"/campaigns/{path_part(campaign)}/items", mine=mine)

    def campaign_agreement(self, campaign: str = "last", *, run: str | None = None) -> CampaignAgreement:
        """Return how far people agree."""
        return self._get(CampaignAgreement, f"/campaigns/{path_part(campaign)}/agreement", run=run)

    def export_records(self, campaign: str = "last") -> ExportedRecords:
        """Return the records of a campaign that the caller may see."""
        return self._get(ExportedRecords, f"/campaigns/{path_part(campaign)}/records")

    def close_campaign(
        self, campaign: str = "last", *, as_is: bool = False, second: str | None = None
    ) -> CampaignDecision:
        """Close a campaign, and return the decision."""
        return self._post(
            CampaignDecision, f"/campaigns/{path_part(campaign)}/close", {"as_is": as_is, "second": second}
        )

    def assign_items(self, trace_ids: Iterable[str], evaluator: str, *, campaign: str = "last") -> AssignedItems:
        """Reserve a place of each item for somebody."""
        body = {"trace_ids": list(trace_ids), "to": evaluator}
        return self._post(AssignedItems, f"/campaigns/{path_part(campaign)}/assign", body)

    def claim_next(self, *, campaign: str = "last") -> Sheet | NothingLeft:
        """Take the next item to rate, and return its sheet."""
        return self._sheet(self._client.call("POST", f"/api/v1/campaigns/{path_part(campaign)}/next"))

    def claim_items(
        self, trace_ids: Iterable[str] = (), *, count: int | None = None, campaign: str = "last"
    ) -> ClaimList:
        """Take the items that are named or, with ``count``, so many of those that are free."""
        body = {"trace_ids": list(trace_ids), "count": count}
        return self._post(ClaimList, f"/campaigns/{path_part(campaign)}/claim", body)

    def show_sheet(self, trace_id: str, *, campaign: str = "last") -> Sheet:
        """Return the sheet of one item."""
        return self._get(Sheet, f"/campaigns/{path_part(campaign)}/items/{path_part(trace_id)}")

    def release_item(self, trace_id: str, *, campaign: str = "last") -> ReleasedItem:
        """Give an item back."""
        return self._post(ReleasedItem, f"/campaigns/{path_part(campaign)}/items/{path_part(trace_id)}/release")

    def submit_record(
        self, record: Mapping[str, object], *, reason: str | None = None, campaign: str = "last"
    ) -> ExportedRecord:
        """Keep a record of an item that the caller holds or, with a reason, a revision of one."""
        return self._post(
            ExportedRecord, f"/campaigns/{path_part(campaign)}/records", {"record": dict(record), "reason": reason}
        )

    def show_adjudication(self, trace_id: str | None = None, *, campaign: str = "last") -> Sheet | NothingLeft:
        """Return an item that waits for an adjudicator; nothing is taken."""
        path = f"/api/v1/campaigns/{path_part(campaign)}/adjudication"
        return self._sheet(self._client.call("GET", path, query={"trace_id": trace_id}))

    def adjudicate(self, record: Mapping[str, object], *, trace_id: str, campaign: str = "last") -> ExportedRecord:
        """Decide an item on which the evaluators disagree."""
        path = f"/campaigns/{path_part(campaign)}/items/{path_part(trace_id)}/adjudicate"
        return self._post(ExportedRecord, path, {"record": dict(record)})

    def monitor(
        self,
        *,
        first: str | None = None,
        last: str | None = None,
        triggers: Iterable[str] = (),
        strata: Iterable[str] = (),
        decide_on: DecideOn | None = None,
    ) -> Monitored:
        """Return the figures week by week with their alerts, and keep new alerts in the ledger."""
        asked = {"first": first, "last": last, "triggers": list(triggers), "strata": list(strata)}
        report = self._post(MonitoringReport, "/monitoring", {**asked, "decide_on": decide_on})
        return Monitored(report=report, failure=None)

    def view_monitoring(
        self,
        *,
        first: str | None = None,
        last: str | None = None,
        triggers: Iterable[str] = (),
        strata: Iterable[str] = (),
    ) -> MonitoringView:
        """Return the figures, the reviews of every week, and the patterns in them; nothing is kept."""
        asked = {"trigger": list(triggers), "stratum": list(strata), "from": first, "to": last}
        return self._get(MonitoringView, "/monitoring", **asked)

    def acknowledge_alert(self, alert_id: str, *, owner: str, remedy: str, after: int | None = None) -> Acknowledgement:
        """Keep who sees to an alert and what is done about it."""
        body = {"owner": owner, "remedy": remedy, "after": after}
        return self._post(Acknowledgement, f"/alerts/{path_part(alert_id)}/acknowledgement", body)

    def feedback(self, *, triggers: Iterable[str] = ()) -> Feedback:
        """Return the patterns in what was reviewed."""
        return self._get(Feedback, "/feedback", trigger=list(triggers))

    def incident(self, trace_id: str) -> Incident:
        """Return everything that is known of one interaction."""
        return self._get(Incident, f"/incidents/{path_part(trace_id)}")

    def verify_ledger(self) -> Verification:
        """Verify the whole ledger."""
        return self._get(Verification, "/ledger/verification")

    def _get(self, kind: type[T], path: str, **query: object) -> T:
        asked = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()}
        return from_json(kind, self._client.call("GET", f"/api/v1{path}", query=asked), where=self._client.name)

    def _post(self, kind: type[T], path: str, body: object = None) -> T:
        return from_json(kind, self._client.call("POST", f"/api/v1{path}", body=body), where=self._client.name)

    def _sheet(self, content: Any) -> Sheet | NothingLeft:  # noqa: ANN401 - JSON
        kind: type[Sheet | NothingLeft] = Sheet if "dimensions" in content else NothingLeft
        return from_json(kind, content, where=self._client.name)


def _request_body(request: Request, rubric: Source | None) -> dict[str, object]:
    """Return what a request asks for, with the content of its files."""
    changed = request.changed
    listed = isinstance(changed, str) and not Path(changed).exists()  # ids, with commas between them
    files = {
        "interactions": request.path,
        "passages": request.passages,
        "changed_file": None if listed else changed,
        "earlier": request.earlier,
        "rubric": rubric,
        "verdict_rubric": request.verdict_rubric,
    }
    sent = {field: _sent_file(source) for field, source in files.items() if source is not None}
    if sum(len(file["content"]) for file in sent.values()) > LARGEST_BODY:
        most = f"a server takes {LARGEST_BODY >> 20} MiB in all"
        raise UsageError(f"{request.path}: {most}: open the campaign where the ledger is, with 'plumbrule sample'")
    return {
        **sent,
        "trigger": request.trigger,
        "seed": request.seed,
        "size": request.size,
        "week": request.week,
        "trace": request.trace,
        "changed": changed if listed else None,
        "strict": request.strict,
        "claims": request.claims,
    }


def _sent_file(source: Source) -> dict[str, str]:
    """Return a file with its content, as text where it is text."""
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{source}: is a folder; a server is sent one file: join what is in it")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{source}: cannot be read: {error.strerror}") from None
    try:
        return {"name": str(source), "content": content.decode(), "encoding": "utf-8"}
    except UnicodeDecodeError:
        return {"name": str(source), "content": b64encode(content).decode(), "encoding": "base64"}
