"""Interactions and their pre-scores for Python callers: wires rubrics, evidence and checks together."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from plumbrule.errors import InputError
from plumbrule.rubrics import (
    ComplianceRubric,
    Loaded,
    RefusalTaxonomy,
    VerdictRubric,
    load_compliance,
    load_refusals,
    load_verdict,
)
from plumbrule.samples.corpus import read_corpus
from plumbrule.samples.cra import Contract
from plumbrule.samples.interaction_reading import InteractionReading
from plumbrule.samples.interactions import Interaction, interaction_from
from plumbrule.samples.values import Misfit
from plumbrule.scorers.prescores import Prescore, PreScorer

Source = str | os.PathLike[str]


def read_interactions(
    path: Source,
    passages: Source | None = None,
    strict: bool = False,  # noqa: FBT001, FBT002 - the word of the command line, read as one
    *,
    compliance: Loaded[ComplianceRubric] | None = None,
    refusals: Loaded[RefusalTaxonomy] | None = None,
) -> InteractionReading:
    """Return a reading of the responses and traces at ``path``: iterate over it for the interactions.

    ``path`` is a JSON or JSONL file, or a folder of them; ``passages`` is the corpus, by passage id. Deviations from
    the response contract are findings of their interaction, or of the reading; with ``strict`` the first is raised.
    """
    corpus = read_corpus(passages) if passages is not None else None
    contract = contract_of(compliance or load_compliance(), refusals or load_refusals())
    return InteractionReading(path, contract=contract, corpus=corpus, strict=strict)


def prescore(
    interaction: Interaction | Mapping[str, object],
    *,
    claims: bool = True,
    rubric: Source | None = None,
    refusals: Source | None = None,
    verdict_rubric: Source | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Prescore:
    """Return the proposed level of each scorecard dimension for one interaction, with the evidence.

    ``interaction`` is what ``read_interactions`` gives, or a mapping: a response, or ``response``, ``trace`` and
    ``passages`` side by side. ``claims=False`` leaves the parser out. ``verdict_rubric`` is a file laid over the
    verdict rubric, such as a calibration of the support score.

    >>> prescore({"query": "What is the fee?", "answer": "It is probably $30."}).scores["compliance_alignment"]
    'Unsafe'
    """
    found = prescore_many(
        [interaction],
        claims=claims,
        rubric=rubric,
        refusals=refusals,
        verdict_rubric=verdict_rubric,
        overrides=overrides,
    )
    return next(found)


def prescore_many(
    interactions: Iterable[Interaction | Mapping[str, object]],
    *,
    claims: bool = True,
    rubric: Source | None = None,
    refusals: Source | None = None,
    verdict_rubric: Source | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Iterator[Prescore]:
    """Yield the pre-score of each interaction, in order; the claims of many are parsed together."""
    compliance = load_compliance(Path(rubric) if rubric is not None else None, overrides)
    taxonomy = load_refusals(Path(refusals) if refusals is not None else None)
    contract = contract_of(compliance, taxonomy)
    scorer = prescorer(compliance, taxonomy, claims=claims, verdict_rubric=verdict_rubric)
    return scorer.prescore_many(_typed(interactions, contract))


def prescorer(
    compliance: Loaded[ComplianceRubric],
    refusals: Loaded[RefusalTaxonomy],
    *,
    claims: bool = True,
    verdict_rubric: Source | None = None,
) -> PreScorer:
    """Return a pre-scorer that goes by these policies and by the verdict rubric's rules of evidence."""
    return PreScorer(compliance, refusals, rules_of_evidence(verdict_rubric, claims=claims))


def rules_of_evidence(verdict_rubric: Source | None, *, claims: bool) -> Loaded[VerdictRubric]:
    """Return the verdict rubric that a pre-score goes by, with a file laid over it; without claims, no parse."""
    path = Path(verdict_rubric) if verdict_rubric is not None else None
    loaded = load_verdict(path)
    kinds = loaded.rubric.hallucination.anchors
    if claims or "claim" not in kinds:
        return loaded
    return load_verdict(path, {"hallucination.anchors": [kind for kind in kinds if kind != "claim"]})


def contract_of(compliance: Loaded[ComplianceRubric], refusals: Loaded[RefusalTaxonomy]) -> Contract:
    """Return what a response may hold, by these policies."""
    limits, statuses = compliance.rubric.limits, compliance.rubric.statuses
    return Contract(
        excerpt_characters=limits.excerpt_characters,
        sources=limits.sources,
        query_characters=limits.query_characters,
        response_tokens=limits.response_tokens,
        statuses=frozenset({statuses.full, statuses.partial, statuses.refused}),
        refused=statuses.refused,
        refusal_codes=frozenset(refusals.rubric.codes),
    )


def _typed(interactions: Iterable[Interaction | Mapping[str, object]], contract: Contract) -> Iterator[Interaction]:
    for number, each in enumerate(interactions, 1):
        if isinstance(each, Interaction):
            yield each
            continue
        try:
            yield interaction_from(each, contract)
        except Misfit as misfit:
            raise InputError(f"interactions: record {number}: {misfit}") from None
