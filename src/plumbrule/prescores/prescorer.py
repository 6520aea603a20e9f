"""Pre-scores: for each dimension a proposed level, the caps that fired with their evidence, and hints for a person."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from plumbrule.codec import to_json
from plumbrule.interactions.interaction import Interaction
from plumbrule.interactions.interaction_reader import Source
from plumbrule.prescores.attribution_checks import check_attribution
from plumbrule.prescores.checks import DIMENSIONS, Check, Dimension, Hint
from plumbrule.prescores.completeness_hints import completeness_hints
from plumbrule.prescores.compliance_checks import check_compliance
from plumbrule.prescores.grounding_checks import check_grounding, grounding_hints
from plumbrule.prescores.prescore_result import Basis, Cap, DimensionResult, HintResult, PrescoreResult, SupportBrief
from plumbrule.prescores.refusal_checks import check_refusal
from plumbrule.prescores.retrieval_checks import measure_retrieval, retrieval_hints
from plumbrule.prescores.study import Policy, Study, begin_study
from plumbrule.rubrics import LEVELS, ComplianceRubric, Level, Loaded, RefusalTaxonomy, VerdictRubric, load_verdict
from plumbrule.support.support_scorer import Support, support_scorer
from plumbrule.text.claims import Claim, extract_claims
from plumbrule.text.text_view import TextView, ViewCache
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal import judge_refusal

_BATCH = 128
# Where none of these rules could be applied, nothing was checked, and a proposal would say too much.
_TELLING: dict[Dimension, frozenset[str]] = {
    "attribution_accuracy": frozenset(
        {"source_not_retrieved", "source_not_in_corpus", "excerpt_not_in_passage", "weak_cited_support"}
    ),
    "grounding_integrity": frozenset({"claim_contradicted", "weak_support"}),
    "refusal_appropriateness": frozenset(
        {"answered_though_refusal_expected", "conflict_not_reported", "answered_below_threshold", "guidance_missing"}
    ),
    "compliance_alignment": frozenset({"prohibited_phrase"}),
}
_NOT_ON_REFUSAL: frozenset[Dimension] = frozenset(
    {"attribution_accuracy", "retrieval_relevance", "grounding_integrity", "response_completeness"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionScore:
    """What is proposed for one dimension; a level of None is no proposal, and ``basis`` says why."""

    dimension: Dimension
    level: Level | None
    basis: Basis
    checks: tuple[Check, ...] = ()
    hints: tuple[Hint, ...] = ()

    @property
    def caps(self) -> tuple[Check, ...]:
        """The rules that fired, the lowest cap first."""
        fired = [check for check in self.checks if check.outcome == "failed"]
        return tuple(sorted(fired, key=lambda check: -LEVELS.index(check.cap) if check.cap is not None else 1))

    def result(self) -> DimensionResult:
        """Return the proposal in the form that is written to JSON."""
        return DimensionResult(
            level=self.level,
            basis=self.basis,
            caps=tuple(
                Cap(rule=check.rule, cap=check.cap, message=check.message, evidence=check.evidence)
                for check in self.caps
            ),
            hints=tuple(
                HintResult(
                    code=hint.code,
                    message=hint.message,
                    level=hint.level,
                    figures=dict(hint.figures),
                    evidence=hint.evidence,
                )
                for hint in self.hints
            ),
            passed=tuple(check.rule for check in self.checks if check.outcome == "passed"),
            not_applicable={check.rule: check.message for check in self.checks if check.outcome == "not_applicable"},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prescore:
    """The proposal for one interaction, by dimension, with the policies that made it."""

    interaction: Interaction
    dimensions: dict[Dimension, DimensionScore]
    support: Support | None
    rubrics: tuple[dict[str, str], ...]

    @property
    def scores(self) -> dict[Dimension, Level | None]:
        """The proposed level of each dimension, as a scorecard has them."""
        return {name: score.level for name, score in self.dimensions.items()}

    def result(self) -> PrescoreResult:
        """Return the pre-score in the form that is written to JSON."""
        sample = self.interaction.sample
        return PrescoreResult(
            id=sample.id,
            trace_id=sample.trace_id,
            query=sample.question,
            grounding_status=sample.grounding_status,
            where=self.interaction.where,
            passages_from=self.interaction.passages_from,
            scores=self.scores,
            dimensions={name: score.result() for name, score in self.dimensions.items()},
            support=None if self.support is None else _brief(self.support),
            findings=self.interaction.findings,
            rubrics=self.rubrics,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the pre-score as a JSON-ready dict."""
        content: dict[str, Any] = to_json(self.result())
        return content


def _brief(support: Support) -> SupportBrief:
    return SupportBrief(
        score=support.score,
        band=support.band,
        model=support.model,
        calibration=support.calibration,
        verifier=support.verifier,
    )


class PreScorer:
    """Pre-scores interactions by one set of policies; the result for one does not depend on the others."""

    def __init__(
        self, compliance: Loaded[ComplianceRubric], refusals: Loaded[RefusalTaxonomy], verdict: Loaded[VerdictRubric]
    ) -> None:
        self._policy = Policy(
            compliance=compliance.rubric,
            refusals=refusals.rubric,
            verdict=verdict.rubric,
            words=lexicon_of(verdict.rubric),
            support=support_scorer(verdict.rubric),
        )
        self._stamps = tuple(loaded.stamp() for loaded in (compliance, refusals, verdict))
        self._parses = "claim" in verdict.rubric.hallucination.anchors
        self._cache = ViewCache()
        self._lock = Lock()

    def prescore(self, interaction: Interaction) -> Prescore:
        """Return the proposal for one interaction."""
        return next(self.prescore_many([interaction]))

    def prescore_many(self, interactions: Iterable[Interaction]) -> Iterator[Prescore]:
        """Yield the proposal for each interaction, in order; only one batch is held at a time."""
        pending = iter(interactions)
        while batch := list(islice(pending, _BATCH)):
            with self._lock:  # threads may share a scorer, and with it the cache
                prescores = [self._prescore(study) for study in self._studies(batch)]
            yield from prescores

    def _studies(self, batch: list[Interaction]) -> list[Study]:
        """Return the studies of a batch; the claims of all its answers are parsed together."""
        answers = [TextView(interaction.sample.answer or "") for interaction in batch]
        claims: list[tuple[Claim, ...]] = [()] * len(batch)
        if self._parses:
            claims = extract_claims([answer.text for answer in answers], self._policy.words.claims)
        return [
            begin_study(
                interaction,
                self._policy,
                question=TextView(interaction.sample.question),
                answer=answer,
                passages=[self._cache.view(passage.text) for passage in interaction.passages],
                refusal=judge_refusal(interaction.sample, answer, self._policy.words.refusal),
                claims=claimed,
            )
            for interaction, answer, claimed in zip(batch, answers, claims, strict=True)
        ]

    def _prescore(self, study: Study) -> Prescore:
        scores = {name: _SCORES[name](study) for name in DIMENSIONS}
        return Prescore(
            interaction=study.interaction, dimensions=scores, support=study.known_support, rubrics=self._stamps
        )


def _by_rules(
    dimension: Dimension, check: Callable[[Study], list[Check]], hints: Callable[[Study], Iterable[Hint]] = lambda _: ()
) -> Callable[[Study], DimensionScore]:
    """Return a scorer of a dimension: the best level that its caps leave, where its rules could be applied."""

    def score(study: Study) -> DimensionScore:
        checks = tuple(check(study))
        caps = [made.cap for made in checks if made.outcome == "failed" and made.cap is not None]
        level: Level | None = max(caps, key=LEVELS.index, default=None)
        basis: Basis = "rules"
        applied = {made.rule for made in checks if made.outcome != "not_applicable"}
        if level is None and study.refused and dimension in _NOT_ON_REFUSAL:
            basis = "refused"
        elif level is None and _TELLING[dimension].isdisjoint(applied):
            basis = "unknown"
        elif level is None:
            level = LEVELS[0]
        return DimensionScore(dimension=dimension, level=level, basis=basis, checks=checks, hints=tuple(hints(study)))

    return score


def _retrieval(study: Study) -> DimensionScore:
    measured = measure_retrieval(study)
    hints = retrieval_hints(study)
    if measured is not None:
        return DimensionScore(
            dimension="retrieval_relevance", level=measured.level, basis="figures", hints=(measured, *hints)
        )
    if study.refused:
        return DimensionScore(dimension="retrieval_relevance", level=None, basis="refused", hints=tuple(hints))
    return _by_hints("retrieval_relevance", hints)


def _completeness(study: Study) -> DimensionScore:
    if study.refused:
        return DimensionScore(dimension="response_completeness", level=None, basis="refused")
    return _by_hints("response_completeness", completeness_hints(study))


def _by_hints(dimension: Dimension, hints: list[Hint]) -> DimensionScore:
    levels = [hint.level for hint in hints if hint.level is not None]
    level = max(levels, key=LEVELS.index, default=None)
    basis: Basis = "unknown" if level is None else "hints"
    return DimensionScore(dimension=dimension, level=level, basis=basis, hints=tuple(hints))


_SCORES: dict[Dimension, Callable[[Study], DimensionScore]] = {
    "attribution_accuracy": _by_rules("attribution_accuracy", check_attribution),
    "retrieval_relevance": _retrieval,
    "grounding_integrity": _by_rules("grounding_integrity", check_grounding, grounding_hints),
    "response_completeness": _completeness,
    "refusal_appropriateness": _by_rules("refusal_appropriateness", check_refusal),
    "compliance_alignment": _by_rules("compliance_alignment", check_compliance),
}


def prescorer(
    compliance: Loaded[ComplianceRubric],
    refusals: Loaded[RefusalTaxonomy],
    *,
    claims: bool = True,
    verdict_rubric: Source | None = None,
) -> PreScorer:
    """Return a pre-scorer that uses these policies and the verdict rubric's rules of evidence."""
    return PreScorer(compliance, refusals, rules_of_evidence(verdict_rubric, claims=claims))


def rules_of_evidence(verdict_rubric: Source | None, *, claims: bool) -> Loaded[VerdictRubric]:
    """Return the verdict rubric that a pre-score uses, with a file laid over it; without claims there is no parsing."""
    path = Path(verdict_rubric) if verdict_rubric is not None else None
    loaded = load_verdict(path)
    kinds = loaded.rubric.hallucination.anchors
    if claims or "claim" not in kinds:
        return loaded
    return load_verdict(path, {"hallucination.anchors": [kind for kind in kinds if kind != "claim"]})
