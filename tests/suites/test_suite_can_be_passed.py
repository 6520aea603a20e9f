"""Every case can be passed: a response made from what the scenario itself expects meets all its criteria."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from plumbrule.interactions.corpus import read_corpus
from plumbrule.interactions.formats.contract import contract_of
from plumbrule.prescores.prescorer import prescorer
from plumbrule.rubrics import load_compliance, load_refusals
from plumbrule.samples import Passage
from plumbrule.suites import Case, corpus_path, load_suite
from plumbrule.suites.case_results import interaction_of, judge_case
from plumbrule.text.text_view import TextView

SUITE = load_suite()
COMPLIANCE, REFUSALS = load_compliance(), load_refusals()
LIMITS = COMPLIANCE.rubric.limits
SCORER = prescorer(COMPLIANCE, REFUSALS)
CORPUS = [Passage(**json.loads(line)) for line in corpus_path().read_text(encoding="utf-8").splitlines()]
TRACE_ID = "0d4c2d0e-7d2f-4a53-9f4e-3d3f1f3d9f10"
DISCLAIMERS = "This answer is educational and not investment advice. This answer may not capture recent changes."


def sentences(passages: list[Passage]) -> list[tuple[Passage, str]]:
    """Return every sentence with its passage."""
    return [
        (passage, passage.text[place.start : place.end].strip())
        for passage in passages
        for place in TextView(passage.text).sentences
    ]


def ideal(case: Case) -> Mapping[str, Any]:
    """Return the response that the scenario describes."""
    passages = list(case.passages or CORPUS)
    blocked = case.trace.searched == "none"
    above = 0 if blocked else len(passages)
    if case.passages is not None and not blocked:
        above = sum((each.score or 0) >= float(LIMITS.similarity_threshold) for each in passages)
    above = 0 if case.trace.above_threshold == "none" else above
    trace: dict[str, Any] = {
        "trace_id": TRACE_ID,
        "retrieval": {
            "collections_searched": [] if blocked else ["operations"],
            "passages_above_threshold": above,
            "passage_ids": [] if blocked or not above else [each.id for each in passages],
        },
        "grounding": {"conflict_detected": bool(case.trace.conflict), "grounding_coverage": 0.0},
        "decision": {
            "outcome": case.trace.outcome[0] if case.trace.outcome else "ANSWER",
            "refusal_code": case.code,
            "escalation_triggered": bool(case.trace.escalation),
        },
    }
    base = {"trace_id": TRACE_ID, "query": case.query, "trace": trace}
    if case.outcome != "answer":
        refusal = {
            "code": case.code or "AMBIGUOUS_QUERY",
            "reason": "It cannot be answered.",
            "user_guidance": "Ask the help desk.",
            "next_steps": ["Which one do you mean?"],
            "conflict_summary": " against ".join(case.says) or None,
        }
        return {**base, "grounding_status": "REFUSED", "answer": None, "refusal": refusal}
    return {**base, **answered(case, passages)}


def answered(case: Case, passages: list[Passage]) -> dict[str, Any]:
    """Return an answer: for each value that must be said, the nearest sentence that says it, quoted and cited."""
    asked = TextView(case.query).lemma_set
    said: list[str] = []
    citations: list[dict[str, str | None]] = []
    for wanted in case.says:
        saying = [each for each in sentences(passages) if wanted.lower() in each[1].lower()]
        passage, sentence = max(saying, key=lambda each: len(TextView(each[1]).lemma_set & asked))
        citations.append(
            {
                "citation_id": str(len(citations) + 1),
                "source_id": passage.source_id,
                "source_title": passage.title,
                "passage": sentence[: LIMITS.excerpt_characters],
                "collection": passage.collection,
            }
        )
        said.append(f"“{sentence.rstrip('.')}” [{len(citations)}].")
    status = case.status[0] if case.status else "FULLY_GROUNDED"
    warnings = ["A part of the question has no source."] if status == "PARTIALLY_GROUNDED" else []
    return {
        "grounding_status": status,
        "answer": f"{' '.join(said)} {DISCLAIMERS}",
        "citations": citations,
        "metadata": {"warnings": warnings},
    }


@pytest.mark.parametrize("case_set", SUITE.sets, ids=lambda each: each.name)
def test_what_a_scenario_describes_passes(case_set: Any) -> None:
    """No criterion contradicts another, and none asks for what the passages do not have."""
    contract = contract_of(COMPLIANCE, REFUSALS)
    responses = [ideal(case) for case in case_set.cases]
    interactions = [
        interaction_of(case, response, contract=contract, taxonomy=REFUSALS.rubric, corpus=read_corpus(corpus_path()))
        for case, response in zip(case_set.cases, responses, strict=True)
    ]
    failed = {}
    for case, response, prescore in zip(case_set.cases, responses, SCORER.prescore_many(interactions), strict=True):
        result = judge_case(case, prescore, SUITE.criteria, response)
        if result.outcome != "passed":
            failed[case.id] = [(each.name, each.message) for each in result.failed]
    assert failed == {}
