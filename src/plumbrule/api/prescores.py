"""Interactions and their pre-scores for Python callers: wires rubrics, evidence and checks together."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from plumbrule.errors import InputError
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.interactions.interaction_reader import Source
from plumbrule.prescores.prescorer import Prescore, prescorer
from plumbrule.rubrics import load_compliance, load_refusals
from plumbrule.samples.value_types import Misfit


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


def _typed(interactions: Iterable[Interaction | Mapping[str, object]], contract: Contract) -> Iterator[Interaction]:
    for number, each in enumerate(interactions, 1):
        if isinstance(each, Interaction):
            yield each
            continue
        try:
            yield interaction_from(each, contract)
        except Misfit as misfit:
            raise InputError(f"interactions: record {number}: {misfit}") from None
