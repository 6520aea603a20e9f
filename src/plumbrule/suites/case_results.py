"""A suite's cases as requests, and the results of their responses by the pass criteria, with the evidence."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from plumbrule.hashing import sha256_of
from plumbrule.interactions.corpus import Corpus
from plumbrule.interactions.formats.contract import Contract
from plumbrule.interactions.interaction import Interaction, interaction_from
from plumbrule.interactions.trace import Trace
from plumbrule.prescores.checks import Check, Spot, spot_in
from plumbrule.prescores.leaks import refusal_texts
from plumbrule.prescores.prescorer import Prescore
from plumbrule.rubrics import RefusalTaxonomy
from plumbrule.runs.candidates.request_template import ask_question
from plumbrule.samples.sample_model import Passage, Sample
from plumbrule.suites import Case, Criterion
from plumbrule.text.phrases import find_phrase
from plumbrule.text.templates import sendable
from plumbrule.text.text_view import TextView
from plumbrule.text.values import match_value

CriterionOutcome = Literal["met", "failed", "not_checked"]
CaseOutcome = Literal["passed", "failed", "errored"]

_ID_LENGTH = 16
_OURS = ("expected", "id", "trace")  # what a response may not say about itself


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """The result of one criterion; a failed one has its evidence, an unchecked one its reason."""

    name: str
    outcome: CriterionOutcome
    message: str = ""
    evidence: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRecord:
    """The result of one criterion as it is written to JSON, under the criterion's name."""

    outcome: CriterionOutcome
    message: str
    evidence: tuple[Spot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """A case as it is written to JSON: an interaction that can be read again, and its result."""

    id: str
    test_case: str
    scenario: str
    kind: str
    code: str | None
    outcome: CaseOutcome
    error: str | None
    error_detail: str | None
    criteria: Mapping[str, CriterionRecord]
    request: Mapping[str, object]
    response: Mapping[str, object] | None
    trace: Mapping[str, object] | None
    passages: tuple[Passage, ...] | None
    expected: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of one case, with the interaction that shows it; an errored one has none."""

    case: Case
    outcome: CaseOutcome
    criteria: tuple[CriterionResult, ...] = ()
    interaction: Interaction | None = None
    response: Mapping[str, object] | None = None
    error: str | None = None
    error_detail: str | None = None

    @property
    def failed(self) -> tuple[CriterionResult, ...]:
        """The criteria that it fails."""
        return tuple(result for result in self.criteria if result.outcome == "failed")

    @property
    def over_refused(self) -> bool:
        """Whether it was refused and should have been answered."""
        return any(result.name == "answers" for result in self.failed)

    def record(self) -> CaseRecord:
        """Return the case as it is written to JSON."""
        case, trace = self.case, self.response.get("trace") if self.response is not None else None
        known = self.interaction.passages if self.interaction is not None and self.interaction.retrieval_known else ()
        return CaseRecord(
            id=case.id,
            test_case=case.set_name,
            scenario=case.scenario,
            kind=case.kind,
            code=case.code,
            outcome=self.outcome,
            error=self.error,
            error_detail=self.error_detail,
            criteria={
                result.name: CriterionRecord(outcome=result.outcome, message=result.message, evidence=result.evidence)
                for result in self.criteria
            },
            request=suite_request(sample_of(case)),
            response=own_part_of(self.response) if self.response is not None else None,
            trace=trace if isinstance(trace, Mapping) else None,
            passages=known or None,
            expected=expected_of(case),
        )


def sample_of(case: Case) -> Sample:
    """Return the case as a candidate is asked; the id does not show what is expected."""
    return Sample(
        id=sha256_of(case.id)[:_ID_LENGTH],
        question=case.query,
        contexts=case.passages or (),
        metadata={"role": case.role},
    )


def suite_request(sample: Sample) -> dict[str, object]:
    """Return the request of a case: the question, who asks, and the passages that replace a search, if any."""
    passages = [
        {name: sendable(value) if isinstance(value, str) else value for name, value in asdict(passage).items()}
        for passage in sample.contexts
    ]
    return {**ask_question(sample), "role": sample.metadata.get("role"), "passages": passages or None}


def expected_of(case: Case) -> dict[str, object] | None:
    """Return what is expected as a dataset has it; None where an answer and a refusal are both right."""
    if case.outcome == "either":
        return None
    return {"refuse": case.outcome == "refuse", "refusal_code": case.code}


def own_part_of(response: Mapping[str, object]) -> dict[str, object]:
    """Return a response without its trace, and without what a response may not say about itself."""
    return {name: value for name, value in response.items() if name not in _OURS}


def interaction_of(
    case: Case,
    response: Mapping[str, object],
    *,
    contract: Contract,
    taxonomy: RefusalTaxonomy,
    corpus: Corpus,
) -> Interaction:
    """Return the response to a case with its trace, joined with the passages that it was given or found.

    The passages of the case are added to ``corpus``, which is hence used for one case only.
    """
    own = own_part_of(response)
    record: dict[str, object] = {"id": case.id, "expected": expected_of(case), "response": own}
    trace = response.get("trace")
    if isinstance(trace, dict):
        record["trace"] = trace
    if case.passages is not None:
        own.pop("contexts", None)  # the passages that it was given are known; what it says about them may be wrong
        record["passages"] = [asdict(_as_given(passage, case, taxonomy)) for passage in case.passages]
        for passage in case.passages:
            corpus.add(passage, case.id)
    return interaction_from(record, contract, corpus, where=case.id)


def _as_given(passage: Passage, case: Case, taxonomy: RefusalTaxonomy) -> Passage:
    """Return a simulated passage; without its score where nothing should be searched, since nothing scored it."""
    code = taxonomy.codes.get(case.code or "")
    return passage if code is None or code.discloses else replace(passage, score=None)


def judge_case(
    case: Case, prescore: Prescore, criteria: Mapping[str, Criterion], response: Mapping[str, object]
) -> CaseResult:
    """Return the result of a response: it passes where no criterion fails."""
    checks = {check.rule: check for score in prescore.dimensions.values() for check in score.checks}
    results = tuple(_judge(name, criteria[name], case, prescore.interaction, checks) for name in case.criteria)
    failed = any(result.outcome == "failed" for result in results)
    return CaseResult(
        case=case,
        outcome="failed" if failed else "passed",
        criteria=results,
        interaction=prescore.interaction,
        response=response,
    )


def _judge(
    name: str, criterion: Criterion, case: Case, interaction: Interaction, checks: Mapping[str, Check]
) -> CriterionResult:
    refused = interaction.sample.refused
    if (criterion.applies_to == "refusal" and not refused) or (criterion.applies_to == "answer" and refused):
        why = "nothing was refused" if criterion.applies_to == "refusal" else "there is no answer"
        return CriterionResult(name=name, outcome="not_checked", message=why)
    if criterion.compares is not None:
        return _COMPARISONS[criterion.compares](name, case, interaction)
    applied = [checks[rule] for rule in criterion.rules if rule in checks]
    failed = [check for check in applied if check.outcome == "failed"]
    if failed:
        message = "; ".join(check.message for check in failed)
        spots = tuple(spot for check in failed for spot in check.evidence)
        return CriterionResult(name=name, outcome="failed", message=message, evidence=spots)
    if any(check.outcome == "passed" for check in applied):
        return CriterionResult(name=name, outcome="met")
    why = "; ".join(dict.fromkeys(check.message for check in applied if check.message))
    return CriterionResult(name=name, outcome="not_checked", message=why or "no rule applies")


def _texts(interaction: Interaction) -> Iterator[tuple[str, str]]:
    sample = interaction.sample
    if sample.answer:
        yield "answer", sample.answer
    if sample.refusal is not None:
        yield from refusal_texts(sample.refusal)


def _compare_says(name: str, case: Case, interaction: Interaction) -> CriterionResult:
    refused = interaction.sample.refused
    if case.outcome != "either" and refused != (case.outcome == "refuse"):
        why = "there is no answer" if refused else "nothing was refused"
        return CriterionResult(name=name, outcome="not_checked", message=why)
    texts = list(_texts(interaction))
    missing = [wanted for wanted in case.says if not any(_is_said(wanted, text) for _, text in texts)]
    spots = [Spot(where=where, text=text, start=0, end=len(text)) for where, text in texts] if missing else []
    return _decided(name, spots, f"it does not say: {', '.join(missing)}", missing=bool(missing))


def _is_said(wanted: str, text: str) -> bool:
    """Tell whether a text says something: a value in any form, or the words as they are."""
    value = next(iter(TextView(wanted).values), None)
    if value is not None and any(match_value(other, text, value, wanted) for other in TextView(text).values):
        return True
    return next(find_phrase(text, wanted), None) is not None


def _compare_never_says(name: str, case: Case, interaction: Interaction) -> CriterionResult:
    if not case.never_says:
        return CriterionResult(name=name, outcome="not_checked", message="the scenario forbids nothing")
    spots = [
        spot_in(where, text, phrase.start(), phrase.end())
        for where, text in _texts(interaction)
        for wanted in case.never_says
        for phrase in find_phrase(text, wanted)
    ]
    words = ", ".join(dict.fromkeys(spot.text for spot in spots))
    return _decided(name, spots, f"it says what the scenario forbids: {words}", missing=bool(spots))


def _compare_status(name: str, case: Case, interaction: Interaction) -> CriterionResult:
    status = interaction.sample.grounding_status
    wrong = status not in case.status
    spots = [Spot(where="grounding_status", text=status or "")] if wrong else []
    return _decided(name, spots, f"the status is {status}, not {' or '.join(case.status)}", missing=wrong)


def _compare_trace(name: str, case: Case, interaction: Interaction) -> CriterionResult:
    if interaction.trace is None:
        return CriterionResult(name=name, outcome="not_checked", message="there is no trace")
    facts = [(where, fact, fits) for where, fact, fits in _trace_facts(case, interaction.trace) if fact is not None]
    if not facts:
        return CriterionResult(name=name, outcome="not_checked", message="the trace says nothing of it")
    spots = [Spot(where=f"trace.{where}", text=_shown(fact)) for where, fact, fits in facts if not fits]
    differences = ", ".join(f"{spot.where} is {spot.text or 'empty'}" for spot in spots)
    return _decided(name, spots, f"not as expected: {differences}", missing=bool(spots))


def _trace_facts(case: Case, trace: Trace) -> Iterator[tuple[str, object, bool]]:
    """Yield each fact of the trace that something is expected of: its place, itself, and whether it is as expected."""
    wanted, retrieval, decided = case.trace, trace.retrieval, trace.decision
    if wanted.outcome:
        yield "decision.outcome", decided.outcome, decided.outcome in wanted.outcome
    if case.code is not None:
        yield "decision.refusal_code", decided.refusal_code, decided.refusal_code == case.code
    for where, presence, fact in (
        ("retrieval.collections_searched", wanted.searched, retrieval.collections_searched),
        ("retrieval.passages_above_threshold", wanted.above_threshold, retrieval.passages_above_threshold),
    ):
        if presence != "any":
            yield where, fact, bool(fact) == (presence == "some")
    for where, flag, logged in (
        ("grounding.conflict_detected", wanted.conflict, trace.grounding.conflict_detected),
        ("decision.escalation_triggered", wanted.escalation, decided.escalation_triggered),
    ):
        if flag is not None:
            yield where, logged, logged == flag


def _shown(fact: object) -> str:
    if isinstance(fact, bool):
        return str(fact).lower()
    return ", ".join(map(str, fact)) if isinstance(fact, tuple) else str(fact)


def _decided(name: str, spots: list[Spot], message: str, *, missing: bool) -> CriterionResult:
    if not missing:
        return CriterionResult(name=name, outcome="met")
    return CriterionResult(name=name, outcome="failed", message=message, evidence=tuple(spots))


_COMPARISONS: dict[str, Callable[[str, Case, Interaction], CriterionResult]] = {
    "says": _compare_says,
    "never_says": _compare_never_says,
    "trace": _compare_trace,
    "status": _compare_status,
}
