"""Everything known about one interaction, before it is written in any format; the HTML and the JSON say the same."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from plumbrule.codec import optional_key
from plumbrule.interactions.contract_findings import Finding
from plumbrule.monitoring.monitoring_report import AnyAlert
from plumbrule.monitoring.reviewed_interactions import ReviewedInteraction
from plumbrule.prescores.kept_prescore import KeptPrescore
from plumbrule.rubrics import LEVELS, Stamp
from plumbrule.samples.sample_model import Citation, Passage
from plumbrule.support.kept_support import AnswerSupport
from plumbrule.verdicts.verdict import Verdict

INCIDENT_VERSION = 2

OverallFinding = Literal["PROBLEMS FOUND", "LOOK AGAIN", "NOTHING FOUND"]
Body = Mapping[str, Any]  # JSON as it was recorded or printed, verbatim


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that stands out, the section that shows it, and whether it is grave."""

    part: str  # the id of its section
    grave: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One state of a record; the last counts."""

    revision: int
    reason: str | None
    author: str
    recorded_at_utc: str
    sequence: int
    entry_sha256: str
    record: Body
    decision: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHistory:
    """One evaluator's record with its revisions, the oldest first."""

    campaign: str | None
    evaluator: str | None
    role: str
    interaction: str | None  # the hash of the version that it is about; None in older ledgers
    revisions: tuple[Revision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """All ratings of one campaign settled, and the decision on them, by the rubric that they were made with."""

    campaign: str | None
    interaction: str | None  # the hash of the version that was rated
    settlement: Body
    decision: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An entry of the ledger about the interaction: work on it in a campaign, or an alert of its week."""

    kind: str
    subject: str
    author: str
    recorded_at_utc: str
    sequence: int
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Involvement:
    """A campaign that the interaction is in, without anything about the other items of the campaign."""

    campaign: str
    trigger: str | None
    scope: str | None
    depth: str | None
    evaluators: int
    rubric: Stamp
    opened_at_utc: str
    opened_by: str
    closed_at_utc: str | None
    closed_by: str | None
    taken_as: Literal["item", "earlier"]  # reviewed itself, or only held beside a later model's answer
    stratum: str | None
    why: tuple[str, ...]
    interaction: str | None  # the hash of the version that the campaign drew
    newer_version: str | None  # the hash of the latest version, where it is another one
    work: tuple[Event, ...]  # who was given it, took it, gave it back
    decision: Body | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of the interaction in the ledger: what was kept under its trace id at one time."""

    interaction: str  # its hash
    sequence: int
    recorded_at_utc: str
    reply: str  # the answer, else code and reason of the refusal
    shown: bool  # it is the one that this incident shows


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The result of the interaction as a sample of a benchmark run."""

    run_id: str
    name: str
    sample_id: str
    repeat: int
    result: Body
    judgement: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Another interaction that is similar, without its text, which may be another customer's.

    The similarities are the cosine of the questions, and of the answers or refusals.
    """

    trace_id: str
    grounding_status: str | None
    question_similarity: float
    answer_similarity: float
    recommendations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the interaction is in the ledger; its own entry is None where it came from a file."""

    ledger_id: str
    sequence: int | None
    entry_sha256: str | None
    recorded_at_utc: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One interaction and everything about it."""

    incident_version: int
    trace_id: str
    interaction: str | None  # the hash of the version that is shown
    versions: tuple[Version, ...]  # every version in the ledger, the latest last
    week: str | None
    refused: bool
    finding: OverallFinding
    remarks: tuple[Remark, ...]
    response: Body
    question: str
    answer: str | None
    grounding_status: str | None
    citations: tuple[Citation, ...]
    refusal: Body | None
    trace: Body | None
    passages: tuple[Passage, ...]
    passages_from: str
    findings: tuple[Body, ...]
    prescore: Body
    prescore_kept: bool  # as it was when the interaction was kept; else made for this file
    verdict: Body
    support: AnswerSupport | None  # the verdict's, with the texts; None where there is nothing to support
    records: tuple[RecordHistory, ...]
    settled: tuple[Settled, ...]
    campaigns: tuple[Involvement, ...]
    alerts: tuple[Event, ...]
    runs: tuple[RunResult, ...]
    similar: tuple[Similar, ...]
    rubrics: tuple[Stamp, ...]
    ledger: Place | None
    archived_runs: tuple[str, ...] | None = optional_key()  # those that were not looked into


def remarks_on(
    *,
    reviews: Iterable[ReviewedInteraction],
    verdict: Verdict,
    prescore: KeptPrescore,
    findings: Sequence[Finding],
    alerts: Sequence[AnyAlert],
    versions: Sequence[Version] = (),
) -> tuple[Remark, ...]:
    """Return what stands out: first what people found, then what the rules found."""
    remarks = [remark for review in reviews for remark in _remarks_on_review(review, versions)]
    if len(versions) > 1:
        text = f"{len(versions)} versions were kept under this trace id: campaigns and records say which they are about"
        remarks.append(Remark(part="versions", grave=False, text=text))
    if verdict.headline != "PASS":
        text = ": ".join((f"Verdict {verdict.headline}", *(["; ".join(verdict.reasons)] if verdict.reasons else [])))
        remarks.append(Remark(part="verdict", grave=verdict.verdict == "FAIL", text=text))
    for name, dimension in prescore.dimensions.items():
        for cap in dimension.caps:
            if cap.cap is not None:
                text = f"{name}: at most {cap.cap}: {cap.message} ({cap.rule})"
                remarks.append(Remark(part="prescore", grave=cap.cap == LEVELS[-1], text=text))
    remarks += [
        Remark(part="findings", grave=False, text=f"{finding.code}: {finding.message}")
        for finding in findings
        if finding.severity == "error"
    ]
    remarks += [Remark(part="alerts", grave=False, text=f"Alert in the same week: {alert.figure}") for alert in alerts]
    return tuple(remarks)


def _remarks_on_review(review: ReviewedInteraction, versions: Sequence[Version]) -> Iterable[Remark]:
    decision, where = review.decision, f" in {review.campaign}" if review.campaign else ""
    if any(version.interaction == review.interaction and not version.shown for version in versions):
        where += " (another version)"
    for blocker in decision.blockers:
        text = f"Reviewed{where}: {blocker.rule} blocks ({', '.join(blocker.dimensions)})"
        yield Remark(part="records", grave=True, text=text)
    if decision.recommendation == "Fail" and not decision.blockers:
        yield Remark(part="records", grave=True, text=f"Reviewed{where}: overall {float(decision.overall):g}")
    if review.settlement.open:
        waiting = ", ".join(review.settlement.open)
        yield Remark(part="records", grave=False, text=f"Reviewed{where}: {waiting} wait for an adjudicator")


def overall(remarks: Iterable[Remark]) -> OverallFinding:
    """Return the finding that the remarks add up to."""
    graves = [remark.grave for remark in remarks]
    if any(graves):
        return "PROBLEMS FOUND"
    return "LOOK AGAIN" if graves else "NOTHING FOUND"
