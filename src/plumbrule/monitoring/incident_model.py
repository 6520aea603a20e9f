"""Everything known of one interaction, before it is written in any format; the HTML and the JSON say the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from plumbrule.rubrics import LEVELS
from plumbrule.support.kept_support import AnswerSupport

INCIDENT_VERSION = 2

Finding = Literal["PROBLEMS FOUND", "LOOK AGAIN", "NOTHING FOUND"]
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing that stands out, where it is told, and whether it is grave."""

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
    revisions: tuple[Revision, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What all ratings in one campaign come to, by the rubric in force."""

    campaign: str | None
    settlement: Body
    decision: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An entry of the ledger that bears on the interaction: who took it up in a campaign, or an alert."""

    kind: str
    subject: str
    author: str
    recorded_at_utc: str
    sequence: int
    body: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Involvement:
    """A campaign that the interaction is in; what else the campaign looks at is nobody's business here."""

    campaign: str
    trigger: str | None
    scope: str | None
    depth: str | None
    evaluators: int
    rubric: Body
    opened_at_utc: str
    opened_by: str
    closed_at_utc: str | None
    closed_by: str | None
    taken_as: Literal["item", "earlier"]  # reviewed itself, or only held beside a later model's answer
    stratum: str | None
    why: tuple[str, ...]
    work: tuple[Event, ...]  # who was given it, took it, gave it back
    decision: Body | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a benchmark run made of the interaction as a sample."""

    run_id: str
    name: str
    sample_id: str
    repeat: int
    result: Body
    judgement: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Another interaction that reads alike, without its words: they may be another customer's.

    How alike is the cosine of the questions, and that of the answers or refusals.
    """

    trace_id: str
    grounding_status: str | None
    question_similarity: float
    answer_similarity: float
    recommendations: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the interaction stands in the ledger; its own entry is None where it came from a file."""

    ledger_id: str
    sequence: int | None
    entry_sha256: str | None
    recorded_at_utc: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One interaction and all that bears on it."""

    incident_version: int
    trace_id: str
    week: str | None
    refused: bool
    finding: Finding
    remarks: tuple[Remark, ...]
    response: Body
    question: str
    answer: str | None
    grounding_status: str | None
    citations: tuple[Body, ...]
    refusal: Body | None
    trace: Body | None
    passages: tuple[Body, ...]
    passages_from: str
    findings: tuple[Body, ...]
    prescore: Body
    prescore_kept: bool  # as it was proposed when the interaction was kept; else made anew
    verdict: Body
    support: AnswerSupport | None  # the verdict's, with the texts; None where there is nothing to bear out
    records: tuple[RecordHistory, ...]
    settled: tuple[Settled, ...]
    campaigns: tuple[Involvement, ...]
    alerts: tuple[Event, ...]
    runs: tuple[RunResult, ...]
    similar: tuple[Similar, ...]
    rubrics: tuple[Body, ...]
    ledger: Place | None


def remarks_on(
    *,
    findings: tuple[Body, ...],
    prescore: Body,
    verdict: Body,
    settled: tuple[Settled, ...],
    alerts: tuple[Event, ...],
) -> tuple[Remark, ...]:
    """Return what stands out, what people said first, then what the rules found."""
    remarks = []
    for each in settled:
        decision, where = each.decision, f" in {each.campaign}" if each.campaign else ""
        for blocker in decision["blockers"]:
            said = f"Reviewed{where}: {blocker['rule']} blocks ({', '.join(blocker['dimensions'])})"
            remarks.append(Remark(part="records", grave=True, text=said))
        failed = decision["recommendation"] == "Fail"
        if failed and not decision["blockers"]:
            remarks.append(Remark(part="records", grave=True, text=f"Reviewed{where}: overall {decision['overall']:g}"))
        if each.settlement["open"]:
            waiting = ", ".join(each.settlement["open"])
            remarks.append(
                Remark(part="records", grave=False, text=f"Reviewed{where}: {waiting} wait for an adjudicator")
            )
    if verdict["verdict"] != "PASS":
        reasons = "; ".join(verdict["reasons"]) or "no reason given"
        said = f"Verdict {verdict['verdict']}: {reasons}"
        remarks.append(Remark(part="verdict", grave=verdict["verdict"] == "FAIL", text=said))
    for name, dimension in prescore["dimensions"].items():
        for cap in dimension["caps"]:
            if cap["cap"] is not None:
                said = f"{name}: at most {cap['cap']}: {cap['message']} ({cap['rule']})"
                remarks.append(Remark(part="prescore", grave=cap["cap"] == LEVELS[-1], text=said))
    remarks += [
        Remark(part="findings", grave=False, text=f"{found['code']}: {found['message']}")
        for found in findings
        if found["severity"] == "error"
    ]
    remarks += [
        Remark(part="alerts", grave=False, text=f"Alert in the same week: {alert.body['figure']}") for alert in alerts
    ]
    return tuple(remarks)


def overall(remarks: tuple[Remark, ...]) -> Finding:
    """Return what the remarks come to."""
    if any(remark.grave for remark in remarks):
        return "PROBLEMS FOUND"
    return "LOOK AGAIN" if remarks else "NOTHING FOUND"
