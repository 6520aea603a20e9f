"""Pre-scores for Python callers: of single interactions, and of whole files."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

from plumbrule.codec import json_line
from plumbrule.engines.local_processes import map_chunks
from plumbrule.errors import InputError, UsageError
from plumbrule.files import written_whole
from plumbrule.interactions.formats.contract import Contract, contract_of
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.interactions.interaction_reader import InteractionReading, Source, read_interactions
from plumbrule.names import pick
from plumbrule.prescores.prescore_result import PrescoreSummary
from plumbrule.prescores.prescore_tally import PrescoreTally
from plumbrule.prescores.prescorer import Prescore, PreScorer, rules_of_evidence
from plumbrule.rubrics import ComplianceRubric, Loaded, RefusalTaxonomy, VerdictRubric, load_compliance, load_refusals
from plumbrule.samples.value_types import Misfit
from plumbrule.settings import usable_cores

Progress = Callable[[InteractionReading], AbstractContextManager[Iterator[Interaction]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrescorePolicies:
    """The rubrics that pre-scores are made by."""

    compliance: Loaded[ComplianceRubric]
    refusals: Loaded[RefusalTaxonomy]
    verdict: Loaded[VerdictRubric]

    def scorer(self) -> PreScorer:
        """Return a pre-scorer that uses them."""
        return PreScorer(self.compliance, self.refusals, self.verdict)

    def tally(self) -> PrescoreTally:
        """Return an empty tally."""
        return PrescoreTally(pattern=float(self.compliance.rubric.refusal.over_refusal_pattern))

    def read(self, path: Source, passages: Source | None, *, strict: bool) -> InteractionReading:
        """Return a reading of the interactions at a path."""
        return read_interactions(path, passages, strict, compliance=self.compliance, refusals=self.refusals)

    def stamps(self) -> tuple[dict[str, str], ...]:
        """Return name, version and hash of each."""
        return self.compliance.stamp(), self.refusals.stamp(), self.verdict.stamp()


def load_policies(
    *,
    claims: bool = True,
    rubric: Source | None = None,
    refusals: Source | None = None,
    verdict_rubric: Source | None = None,
    overrides: Mapping[str, object] | None = None,
) -> PrescorePolicies:
    """Return the rubrics that ship, each with a file laid over it; ``overrides`` go over the compliance rubric."""
    return PrescorePolicies(
        compliance=load_compliance(Path(rubric) if rubric is not None else None, overrides),
        refusals=load_refusals(Path(refusals) if refusals is not None else None),
        verdict=rules_of_evidence(verdict_rubric, claims=claims),
    )


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
    prescores = prescore_many(
        [interaction],
        claims=claims,
        rubric=rubric,
        refusals=refusals,
        verdict_rubric=verdict_rubric,
        overrides=overrides,
    )
    return next(prescores)


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
    policies = load_policies(
        claims=claims, rubric=rubric, refusals=refusals, verdict_rubric=verdict_rubric, overrides=overrides
    )
    contract = contract_of(policies.compliance, policies.refusals)
    return policies.scorer().prescore_many(_typed(interactions, contract))


def prescore_file(
    path: str,
    *,
    passages: str | None = None,
    strict: bool = False,
    policies: PrescorePolicies | None = None,
    output: Path | BinaryIO | None = None,
    workers: int | None = None,
    progress: Progress = lambda reading: nullcontext(iter(reading)),
) -> PrescoreSummary:
    """Pre-score all interactions at a path and return the summary; ``output`` gets a line of JSON for each.

    ``progress`` gives the interactions of the reading that it is called with, one by one.
    """
    policies = policies if policies is not None else load_policies()
    if isinstance(output, Path):
        _check_output(output, (path, passages))
    reading = policies.read(path, passages, strict=strict)
    tally = policies.tally()
    with ExitStack() as stack:
        lines = stack.enter_context(written_whole(output)) if isinstance(output, Path) else output
        interactions = stack.enter_context(progress(reading))
        make_task = partial(_ChunkPrescorer, policies, written=lines is not None)
        # The record that an interaction was read from is not needed here, and need not go to another process.
        bare = (replace(interaction, given=None) for interaction in interactions)
        for text, part in map_chunks(make_task, bare, workers=workers or usable_cores()):
            tally.merge(part)
            if lines is not None:
                lines.write(text)
    tally.add_findings(reading.findings)
    return tally.summary(counts=reading.counts.to_dict(), rubrics=policies.stamps())


def prescore_one(
    path: str,
    wanted: str,
    *,
    passages: str | None = None,
    strict: bool = False,
    policies: PrescorePolicies | None = None,
) -> Prescore:
    """Pre-score one of the interactions at a path, by its trace id, its own id, or the start of either."""
    policies = policies if policies is not None else load_policies()
    reading = policies.read(path, passages, strict=strict)
    interaction = pick(wanted, reading, _names_of, where=reading.source, what="interactions")
    if interaction is None:
        raise UsageError(f"{reading.source}: there is no interaction '{wanted}' among {reading.counts.responses}")
    return policies.scorer().prescore(interaction)


class _ChunkPrescorer:
    """Pre-scores interactions to the lines of JSON that are written and the tally that is shown.

    Both are made in the process that does the work: passing evidence between processes takes longer than making it.
    """

    def __init__(self, policies: PrescorePolicies, *, written: bool) -> None:
        self._policies = policies
        self._scorer = policies.scorer()
        self._written = written

    def __call__(self, chunk: list[Interaction]) -> tuple[bytes, PrescoreTally]:
        tally = self._policies.tally()
        lines = []
        for proposal in self._scorer.prescore_many(chunk):
            tally.add(proposal)
            if self._written:
                lines.append(json_line(proposal.result()))
        return b"".join(lines), tally


def _check_output(output: Path, sources: Iterable[str | None]) -> None:
    if output.suffix.lower() not in {".jsonl", ".ndjson"}:
        raise UsageError(f"{output}: pre-scores are written as JSONL, to .jsonl or .ndjson: name the file so")
    for name in sources:
        if name is not None and output.exists() and Path(name).exists() and output.samefile(name):
            raise UsageError(f"{output}: this is what is read; write the results to another file")


def _names_of(interaction: Interaction) -> list[str]:
    sample = interaction.sample
    return [name for name in (sample.trace_id, sample.id) if name]


def _typed(interactions: Iterable[Interaction | Mapping[str, object]], contract: Contract) -> Iterator[Interaction]:
    for number, interaction in enumerate(interactions, 1):
        if isinstance(interaction, Interaction):
            yield interaction
            continue
        try:
            yield interaction_from(interaction, contract)
        except Misfit as misfit:
            raise InputError(f"interactions: record {number}: {misfit}") from None
