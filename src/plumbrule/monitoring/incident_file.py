"""Everything known of one interaction, gathered into one file: wires ledger, files, checks and the incident model."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from heapq import nsmallest
from uuid import UUID

import orjson

from plumbrule.codec import to_json
from plumbrule.interactions.interaction_reader import Source
from plumbrule.ledger import Entry, Ledger, ResultKey
from plumbrule.monitoring.incident_model import (
    INCIDENT_VERSION,
    Event,
    Incident,
    Involvement,
    Place,
    RecordHistory,
    Revision,
    RunResult,
    Settled,
    Similar,
    overall,
    remarks_on,
)
from plumbrule.monitoring.interaction_lookup import Located, locate
from plumbrule.monitoring.involvement import event_of, involvements
from plumbrule.monitoring.reviewed_interactions import Case, interaction_of, own_cases
from plumbrule.names import key_of_trace
from plumbrule.prescores.prescorer import PreScorer, rules_of_evidence
from plumbrule.reviews.interaction_archive import stored_interactions
from plumbrule.reviews.record_store import open_campaigns
from plumbrule.rubrics import load_compliance, load_refusals, load_scorecard
from plumbrule.runs.journal import SAMPLES
from plumbrule.samples.sample_model import Sample
from plumbrule.support.kept_support import answer_support
from plumbrule.text.similarity import compare_tokens
from plumbrule.text.tokens import lemmas
from plumbrule.verdicts.verdict import VerdictScorer

_MOST_SIMILAR = 5


def incident_on(
    trace_id: str,
    *,
    ledger: Ledger | None,
    source: Source | None = None,
    passages: Source | None = None,
    verdict_rubric: Source | None = None,
) -> Incident:
    """Return all that is known of an interaction, in no format yet.

    ``verdict_rubric`` is a file laid over the verdict rubric, for the verdict and for checks that are made anew.
    """
    located = locate(trace_id, ledger=ledger, source=source, passages=passages)
    interaction, sample = located.known.interaction, located.known.interaction.sample
    compliance, refusals = load_compliance(), load_refusals()
    evidence = rules_of_evidence(verdict_rubric, claims=True)
    kept = located.prescore
    prescore = kept if kept is not None else PreScorer(compliance, refusals, evidence).prescore(interaction).to_dict()
    verdict = VerdictScorer(evidence).score(sample).to_dict()
    blind = frozenset[str]() if ledger is None else frozenset(open_campaigns(ledger))
    cases = () if ledger is None else own_cases(ledger)
    settled = tuple(
        Settled(
            campaign=case.campaign,
            settlement=to_json(case.settlement.result(case.rubric.rubric)),
            decision=to_json(case.decision.result()),
        )
        for case in cases
        if _is(case, located.trace_id)
    )
    used = {case.rubric.sha256: case.rubric for case in cases if _is(case, located.trace_id)}
    scorecards = tuple(used.values()) or (load_scorecard(),)
    alerts = () if ledger is None or located.known.week is None else tuple(_alerts(ledger, located.known.week))
    findings = tuple(located.findings)
    remarks = remarks_on(findings=findings, prescore=prescore, verdict=verdict, settled=settled, alerts=alerts)
    return Incident(
        incident_version=INCIDENT_VERSION,
        trace_id=located.trace_id,
        week=located.known.week,
        refused=located.known.refused,
        finding=overall(remarks),
        remarks=remarks,
        response=located.response,
        question=sample.question,
        answer=sample.answer,
        grounding_status=sample.grounding_status,
        citations=tuple(asdict(citation) for citation in sample.citations),
        refusal=None
        if sample.refusal is None
        else {name: part for name, part in asdict(sample.refusal).items() if part not in (None, ())},
        trace=located.trace,
        passages=tuple(asdict(passage) for passage in interaction.passages),
        passages_from=interaction.passages_from,
        findings=findings,
        prescore=prescore,
        prescore_kept=kept is not None,
        verdict=verdict,
        support=answer_support(verdict["support"], sample.answer or "", [each.text for each in sample.contexts]),
        records=() if ledger is None else tuple(_histories(ledger, located.trace_id, blind)),
        settled=settled,
        campaigns=() if ledger is None else tuple(_campaigns(ledger, located.trace_id)),
        alerts=alerts,
        runs=() if ledger is None else tuple(_runs(ledger, located.trace_id)),
        similar=() if ledger is None else tuple(_similar(ledger, located, cases)),
        rubrics=(
            *(rubric.stamp() for rubric in (compliance, refusals, evidence)),
            *(scorecard.stamp() for scorecard in scorecards),
        ),
        ledger=None if ledger is None else _place(ledger, located.entry),
    )


def _is(case: Case, trace_id: str) -> bool:
    return case.trace_id is not None and key_of_trace(case.trace_id) == key_of_trace(trace_id)


def _place(ledger: Ledger, entry: Entry | None) -> Place:
    return Place(
        ledger_id=ledger.ledger_id,
        sequence=None if entry is None else entry.sequence,
        entry_sha256=None if entry is None else entry.entry_sha256,
        recorded_at_utc=None if entry is None else entry.recorded_at_utc,
    )


def _naming(entries: Iterable[Entry], trace_id: str) -> Iterator[Entry]:
    """Yield the entries whose body holds a trace id, however a UUID is written, without parsing the others."""
    forms = {trace_id, key_of_trace(trace_id)}
    with suppress(ValueError):
        forms.add(str(UUID(trace_id)))
    written = [orjson.dumps(form).decode() for form in sorted(forms)]
    return (entry for entry in entries if any(form in entry.body for form in written))


def _histories(ledger: Ledger, trace_id: str, blind: frozenset[str]) -> Iterator[RecordHistory]:
    """Yield every record on the interaction, with all its revisions, save those of campaigns that rate blind."""
    by_subject: dict[str, list[Entry]] = {}
    for entry in _naming(ledger.entries(kind="record"), trace_id):
        if key_of_trace(entry.value["record"]["trace_id"] or "") == key_of_trace(trace_id):
            by_subject.setdefault(entry.subject, []).append(entry)
    for entries in by_subject.values():
        last = entries[-1].value
        if last["campaign"] in blind:
            continue
        yield RecordHistory(
            campaign=last["campaign"],
            evaluator=last["record"]["evaluator"],
            role=last["role"],
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
    return involvements(ledger, trace_id, dict.fromkeys(entry.subject.split("/")[1] for entry in named))


def _alerts(ledger: Ledger, week: str) -> Iterator[Event]:
    return map(event_of, ledger.entries(kind="alert", run=f"monitor/{week}"))


def _runs(ledger: Ledger, trace_id: str) -> Iterator[RunResult]:
    """Yield the results of runs whose dataset has the interaction, by its trace id or as the sample's own id."""
    for entry in _naming(ledger.entries(kind="sample"), trace_id):
        run, _, rest = entry.subject.partition("/")
        sample = entry.value
        names = {key_of_trace(str(sample.get(name))) for name in ("id", "trace_id")}
        if not rest.startswith(f"{SAMPLES}/") or key_of_trace(trace_id) not in names:
            continue
        [about] = ledger.entries(kind="run", subject=run)
        summary = about.value["summary"]
        for repeat in range(summary["repeats"]):
            result = ledger.result(ResultKey(run=run, repeat=repeat, sample=sample["id"]))
            if result is not None:
                yield RunResult(
                    run_id=run,
                    name=summary["name"],
                    sample_id=sample["id"],
                    repeat=repeat,
                    result=result.value["result"],
                    judgement=result.value["judgement"],
                )


def _similar(ledger: Ledger, located: Located, cases: Iterable[Case]) -> list[Similar]:
    """Return the stored interactions whose question and answer are nearest; those without a word in common are not."""
    return nsmallest(
        _MOST_SIMILAR,
        _with_words_in_common(ledger, located, cases),
        key=lambda each: (-(each.question_similarity + each.answer_similarity), each.trace_id),
    )


def _with_words_in_common(ledger: Ledger, located: Located, cases: Iterable[Case]) -> Iterator[Similar]:
    own = located.known.interaction.sample
    question, answer = lemmas(own.question), lemmas(_said(own))
    reviewed: dict[str, list[str]] = {}
    for case in cases:
        reviewed.setdefault(key_of_trace(case.trace_id or ""), []).append(case.decision.recommendation)
    for each in stored_interactions(ledger):
        trace_id = each.trace_id
        if key_of_trace(trace_id) == key_of_trace(located.trace_id):
            continue
        sample = interaction_of(each.entry).sample
        asked, _ = compare_tokens(question, lemmas(sample.question))
        said, _ = compare_tokens(answer, lemmas(_said(sample)))
        if asked or said:
            yield Similar(
                trace_id=trace_id,
                grounding_status=sample.grounding_status,
                question_similarity=round(asked, 6),
                answer_similarity=round(said, 6),
                recommendations=tuple(reviewed.get(key_of_trace(trace_id), ())),
            )


def _said(sample: Sample) -> str:
    if sample.answer is not None or sample.refusal is None:
        return sample.answer or ""
    return " ".join(part for part in (sample.refusal.code, sample.refusal.reason) if part)
