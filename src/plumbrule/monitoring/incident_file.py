"""Everything known about one interaction, gathered from ledger, files and checks into the incident model."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from heapq import nsmallest
from urllib.parse import unquote
from uuid import UUID

import orjson

from plumbrule.codec import from_json, to_json
from plumbrule.interactions.contract_findings import Finding
from plumbrule.interactions.interaction_reader import Source
from plumbrule.ledger import Entry, Ledger, ResultKey, archived_kinds
from plumbrule.ledger.entry import utc_text
from plumbrule.monitoring.alerts import kept_alerts, read_alert
from plumbrule.monitoring.incident_model import (
    INCIDENT_VERSION,
    Body,
    Event,
    Incident,
    Involvement,
    Place,
    RecordHistory,
    Revision,
    RunResult,
    Settled,
    Similar,
    Version,
    overall,
    remarks_on,
)
from plumbrule.monitoring.interaction_lookup import Located, locate
from plumbrule.monitoring.reviewed_interactions import (
    interaction_of,
    reviewed_by_own_rubric,
    reviews_of,
)
from plumbrule.names import key_of_trace
from plumbrule.prescores.kept_prescore import read_prescore
from plumbrule.prescores.prescorer import PreScorer, rules_of_evidence
from plumbrule.reviews.campaigns.campaign import Campaign
from plumbrule.reviews.campaigns.campaign_decision import CampaignDecision
from plumbrule.reviews.campaigns.campaign_store import campaign_names, kept_decision, load_campaign
from plumbrule.reviews.interaction_archive import Wanted, find_version, stored_interactions, versions_of
from plumbrule.reviews.items import Item
from plumbrule.reviews.record_store import record_entries
from plumbrule.rubrics import load_compliance, load_refusals, load_scorecard
from plumbrule.runs.run_entries import SAMPLES
from plumbrule.samples.sample_model import Sample
from plumbrule.support.kept_support import answer_support
from plumbrule.text.similarity import compare_tokens
from plumbrule.text.tokens import lemmas
from plumbrule.verdicts.verdict import VerdictScorer

_MOST_SIMILAR = 5
# The parts of a decision that are about all items together; its cards, pairs and remarks are about single items.
_OF_A_DECISION = (
    *("release", "outcome", "recommendation", "mode", "decide_on", "records", "overall", "band", "action", "reasons"),
    *("as_is", "second", "policy"),
)


def incident_on(
    trace_id: str,
    *,
    ledger: Ledger | None,
    source: Source | None = None,
    passages: Source | None = None,
    verdict_rubric: Source | None = None,
    thorough: bool = True,
) -> Incident:
    """Return everything that is known about an interaction, in no format yet.

    ``verdict_rubric`` is a file laid over the verdict rubric, for the verdict and for checks that are not kept. Runs
    and similar interactions are looked for in the whole ledger, and left out where it is not ``thorough``.
    """
    located = locate(trace_id, ledger=ledger, source=source, passages=passages)
    interaction, sample, week = located.known.interaction, located.known.interaction.sample, located.known.week
    compliance, refusals = load_compliance(), load_refusals()
    evidence = rules_of_evidence(verdict_rubric, claims=True)
    prescore = located.prescore
    if prescore is None:
        prescore = PreScorer(compliance, refusals, evidence).prescore(interaction).to_dict()
    verdict = VerdictScorer(evidence).score(sample)
    verdict_json = verdict.to_dict()
    reviewed = () if ledger is None else reviewed_by_own_rubric(ledger, [located.trace_id])
    reviews = reviews_of(located.trace_id, reviewed)
    everywhere = ledger if thorough else None
    used = {review.rubric.sha256: review.rubric for review in reviews}
    scorecards = tuple(used.values()) or (load_scorecard(),)
    alerts = () if ledger is None or week is None else tuple(kept_alerts(ledger, week))
    versions = () if ledger is None else tuple(_versions(ledger, located))
    remarks = remarks_on(
        versions=versions,
        reviews=reviews,
        verdict=verdict,
        prescore=read_prescore(prescore, where=f"the pre-score of '{located.trace_id[:80]}'"),
        findings=[from_json(Finding, finding, where="findings") for finding in located.findings],
        alerts=[read_alert(entry) for entry in alerts],
    )
    return Incident(
        incident_version=INCIDENT_VERSION,
        trace_id=located.trace_id,
        interaction=located.version,
        versions=versions,
        week=week,
        refused=located.known.refused,
        finding=overall(remarks),
        remarks=remarks,
        response=located.response,
        question=sample.question,
        answer=sample.answer,
        grounding_status=sample.grounding_status,
        citations=sample.citations,
        refusal=None
        if sample.refusal is None
        else {name: part for name, part in asdict(sample.refusal).items() if part not in (None, ())},
        trace=located.trace,
        passages=interaction.passages,
        passages_from=interaction.passages_from,
        findings=located.findings,
        prescore=prescore,
        prescore_kept=located.prescore is not None,
        verdict=verdict_json,
        support=answer_support(
            verdict_json["support"], sample.answer or "", [passage.text for passage in sample.contexts]
        ),
        records=() if ledger is None else tuple(_histories(ledger, located.trace_id)),
        settled=tuple(
            Settled(
                campaign=review.campaign,
                interaction=review.interaction,
                settlement=to_json(review.settlement.result(review.rubric.rubric)),
                decision=to_json(review.decision.result()),
            )
            for review in reviews
        ),
        campaigns=() if ledger is None else tuple(_campaigns(ledger, located.trace_id)),
        alerts=tuple(_event_of(entry) for entry in alerts),
        runs=() if everywhere is None else tuple(_runs(everywhere, located.trace_id)),
        archived_runs=None if everywhere is None else _archived_runs(everywhere),
        similar=() if everywhere is None else tuple(_similar(everywhere, located)),
        rubrics=(
            *(compliance.stamp(), refusals.stamp(), evidence.stamp()),
            *(scorecard.stamp() for scorecard in scorecards),
        ),
        ledger=None if ledger is None else _place(ledger, located.entry),
    )


def _place(ledger: Ledger, entry: Entry | None) -> Place:
    return Place(
        ledger_id=ledger.ledger_id,
        sequence=None if entry is None else entry.sequence,
        entry_sha256=None if entry is None else entry.entry_sha256,
        recorded_at_utc=None if entry is None else entry.recorded_at_utc,
    )


def _versions(ledger: Ledger, located: Located) -> Iterator[Version]:
    """Yield every version of the interaction in the ledger, the latest last."""
    for stored in versions_of(ledger, located.trace_id):
        yield Version(
            interaction=stored.version,
            sequence=stored.entry.sequence,
            recorded_at_utc=stored.entry.recorded_at_utc,
            reply=_reply(interaction_of(stored.entry).sample),
            shown=stored.version == located.version,
        )


def _naming(entries: Iterable[Entry], trace_id: str) -> Iterator[Entry]:
    """Yield the entries whose body holds a trace id, in any spelling of a UUID, without parsing the others."""
    forms = {trace_id, key_of_trace(trace_id)}
    with suppress(ValueError):
        forms.add(str(UUID(trace_id)))
    written = [orjson.dumps(form).decode() for form in sorted(forms)]
    return (entry for entry in entries if any(form in entry.body for form in written))


def _histories(ledger: Ledger, trace_id: str) -> Iterator[RecordHistory]:
    """Yield every record on the interaction, with all its revisions, except those of open campaigns."""
    opened = set(campaign_names(ledger))
    blind: dict[str | None, bool] = {}
    for entries in record_entries(ledger, trace_id):
        last = entries[-1].value
        name = last["campaign"]
        if name not in blind:
            blind[name] = name in opened and load_campaign(ledger, name).campaign.closed is None
        if blind[name]:
            continue
        yield RecordHistory(
            campaign=last["campaign"],
            evaluator=last["record"]["evaluator"],
            role=last["role"],
            interaction=last.get("interaction"),
            revisions=tuple(_revision(entry) for entry in entries),
        )


def _revision(entry: Entry) -> Revision:
    body = entry.value
    return Revision(
        revision=body["revision"],
        reason=body["reason"],
        author=entry.author,
        recorded_at_utc=entry.recorded_at_utc,
        sequence=entry.sequence,
        entry_sha256=entry.entry_sha256,
        record=body["record"],
        decision=body["decision"],
    )


def _campaigns(ledger: Ledger, trace_id: str) -> Iterator[Involvement]:
    """Yield the campaigns that the interaction is in, as far as they concern it."""
    named = _naming(ledger.entries(kind="campaign"), trace_id)
    return _involvements(ledger, trace_id, dict.fromkeys(entry.subject.split("/")[1] for entry in named))


def _involvements(ledger: Ledger, trace_id: str, names: Iterable[str]) -> Iterator[Involvement]:
    """Yield what the campaigns with these names have to do with an interaction, in their order."""
    key = key_of_trace(trace_id)
    for name in names:
        standing = load_campaign(ledger, name)
        campaign = standing.campaign
        item = campaign.item(trace_id)
        paired = any(
            key_of_trace(other.earlier) == key for other in campaign.items.values() if other.earlier is not None
        )
        if campaign.opened is None or (item is None and not paired):
            continue
        plan, closed = campaign.plan, campaign.closed
        version = find_version(ledger, _drawn(campaign, item, key))
        yield Involvement(
            campaign=name,
            trigger=plan.trigger,
            scope=plan.scope,
            depth=plan.depth,
            evaluators=campaign.evaluators,
            rubric=dict(plan.rubric),
            opened_at_utc=utc_text(campaign.opened.at),
            opened_by=campaign.opened.author,
            closed_at_utc=None if closed is None else utc_text(closed.at),
            closed_by=None if closed is None else closed.author,
            taken_as="earlier" if item is None else "item",
            stratum=None if item is None else item.stratum,
            why=() if item is None else item.why,
            interaction=None if version is None else version.meant.version,
            newer_version=None if version is None else version.newer,
            work=tuple(_event_of(entry) for entry in standing.entries if _is_work_on(key, entry)),
            decision=None if closed is None else _decided(kept_decision(ledger, name)),
        )


def _drawn(campaign: Campaign, item: Item | None, key: str) -> Wanted:
    """Return the version that a campaign drew, as an item or as the earlier answer beside one."""
    if item is not None:
        return item.wanted
    beside = (other.wanted_earlier for other in campaign.items.values())
    return next(wanted for wanted in beside if wanted is not None and key_of_trace(wanted.trace_id) == key)


def _event_of(entry: Entry) -> Event:
    """Return an entry as an incident shows it."""
    return Event(
        kind=entry.kind,
        subject=unquote(entry.subject),
        author=entry.author,
        recorded_at_utc=entry.recorded_at_utc,
        sequence=entry.sequence,
        body=entry.value,
    )


def _is_work_on(key: str, entry: Entry) -> bool:
    """Tell whether an entry gives this one item to somebody, or takes it back; records are shown elsewhere."""
    return entry.kind in {"campaign", "claim"} and key_of_trace(entry.value.get("trace_id") or "") == key


def _decided(decision: CampaignDecision | None) -> Body | None:
    return None if decision is None else {name: to_json(getattr(decision, name)) for name in _OF_A_DECISION}


def _runs(ledger: Ledger, trace_id: str) -> Iterator[RunResult]:
    """Yield the results of runs whose dataset has the interaction, by its trace id or as the sample's own id."""
    for entry in _naming(ledger.entries(kind="sample", without_archived=True), trace_id):
        run, _, rest = entry.subject.partition("/")
        sample = entry.value
        names = {key_of_trace(str(sample.get(name))) for name in ("id", "trace_id")}
        if not rest.startswith(f"{SAMPLES}/") or key_of_trace(trace_id) not in names:
            continue
        [about] = ledger.entries(kind="run", subject=run)
        summary = about.value["summary"]
        for repeat in range(summary["repeats"]):
            key = ResultKey(run=run, repeat=repeat, sample=sample["id"])
            for result in ledger.entries(kind="result", subject=key.subject, without_archived=True):
                yield RunResult(
                    run_id=run,
                    name=summary["name"],
                    sample_id=sample["id"],
                    repeat=repeat,
                    result=result.value["result"],
                    judgement=result.value["judgement"],
                )


def _archived_runs(ledger: Ledger) -> tuple[str, ...] | None:
    """Return the runs that could not be looked into, because their samples or results are archived."""
    return tuple(run for run, kinds in archived_kinds(ledger).items() if {"sample", "result"} & {*kinds}) or None


def _similar(ledger: Ledger, located: Located) -> Iterator[Similar]:
    """Yield the stored interactions with the nearest question and answer; none without a word in common."""
    nearest = nsmallest(
        _MOST_SIMILAR,
        _with_words_in_common(ledger, located),
        key=lambda similar: (-(similar.question_similarity + similar.answer_similarity), similar.trace_id),
    )
    recommendations: dict[str, list[str]] = {}
    for review in reviewed_by_own_rubric(ledger, [similar.trace_id for similar in nearest]):
        recommendations.setdefault(key_of_trace(review.trace_id or ""), []).append(review.decision.recommendation)
    for similar in nearest:
        yield replace(similar, recommendations=tuple(recommendations.get(key_of_trace(similar.trace_id), ())))


def _with_words_in_common(ledger: Ledger, located: Located) -> Iterator[Similar]:
    own = located.known.interaction.sample
    question, answer = lemmas(own.question), lemmas(_reply(own))
    for stored in stored_interactions(ledger):
        trace_id = stored.trace_id
        if key_of_trace(trace_id) == key_of_trace(located.trace_id):
            continue
        sample = interaction_of(stored.entry).sample
        question_similarity, _ = compare_tokens(question, lemmas(sample.question))
        answer_similarity, _ = compare_tokens(answer, lemmas(_reply(sample)))
        if question_similarity or answer_similarity:
            yield Similar(
                trace_id=trace_id,
                grounding_status=sample.grounding_status,
                question_similarity=round(question_similarity, 6),
                answer_similarity=round(answer_similarity, 6),
                recommendations=(),
            )


def _reply(sample: Sample) -> str:
    """Return what the assistant said: its answer, else code and reason of its refusal."""
    if sample.answer is not None or sample.refusal is None:
        return sample.answer or ""
    return " ".join(part for part in (sample.refusal.code, sample.refusal.reason) if part)
