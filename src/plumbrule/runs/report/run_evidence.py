"""What the ledger holds of a run, read once in the order of the chain: only what the report shows is kept."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from plumbrule.codec import take_fields
from plumbrule.errors import InputError
from plumbrule.judges.judgement import JudgeIdentity, total, total_cost
from plumbrule.ledger import Entry
from plumbrule.runs.report.run_report import Context, Failure, JudgeTotals, LedgerPlace, SampleLine
from plumbrule.runs.run_entries import (
    KeptJudgement,
    Key,
    ResultEntry,
    is_dataset_sample,
    read_answered,
    read_result,
    read_rubric,
    read_sample,
    task_key,
)
from plumbrule.runs.run_results import RubricStamp
from plumbrule.samples import Expected, Refusal, Sample

Support = Mapping[str, Any]


@dataclass(slots=True)
class _Used:
    """What one judge used, added up as the results come."""

    judgements: int = 0
    requests: int = 0
    input_tokens: list[int | None] = field(default_factory=list)
    output_tokens: list[int | None] = field(default_factory=list)
    costs: list[float | None] = field(default_factory=list)
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)

    def add(self, judgement: KeptJudgement) -> None:
        self.judgements += 1
        self.requests += judgement.requests
        if judgement.requests:
            self.input_tokens.append(judgement.input_tokens)
            self.output_tokens.append(judgement.output_tokens)
            self.costs.append(judgement.cost_usd)
        if judgement.reported_model is not None:
            self.models.add(judgement.reported_model)
        if judgement.fingerprint is not None:
            self.fingerprints.add(judgement.fingerprint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The parts of a run's entries that a report is made from."""

    categories: Mapping[str, str | None]
    samples: Mapping[str, Sample]  # of the failing results
    answers: Mapping[Key, Sample]  # what a live candidate answered
    results: Mapping[Key, ResultEntry]  # of the failing tasks
    supports: Mapping[Key, Support]  # of every result whose judge tells it
    rubrics: tuple[RubricStamp, ...]
    judges: tuple[JudgeTotals, ...]
    place: LedgerPlace
    questions: Mapping[str, str]  # their beginnings by sample, as long as was asked for, as the next
    answers_given: Mapping[Key | str, str]  # by sample for recorded answers, by task for those of a live candidate

    def answer(self, repeat: int, sample_id: str) -> str:
        """Return the beginning of the answer that was judged; a live candidate's own replaces the dataset's."""
        return self.answers_given.get((repeat, sample_id), self.answers_given.get(sample_id, ""))

    def failure(self, number: int, line: SampleLine) -> Failure:
        """Return a failing result with its texts; a live candidate's own answer replaces the dataset's."""
        key = line.repeat, line.sample_id
        result, sample = self.results[key], self.samples.get(key[1]) or Sample(id=key[1])
        answered = self.answers.get(key, sample)
        return Failure(
            number=number,
            sample=line,
            question=sample.question,
            answer=answered.answer,
            refusal=refusal_text(answered.refusal),
            reference=sample.reference,
            expected=expected_text(sample.expected),
            contexts=tuple(take_fields(Context, passage) for passage in answered.contexts),
            error_detail=result.result.error_detail,
            flags=result.judgement.flags,
        )


def read_evidence(
    entries: Iterable[Entry],
    failing: Collection[Key],
    finished: Iterable[ResultEntry],
    *,
    ledger_id: str,
    longest_text: int = 0,
) -> Evidence:
    """Read the entries of one run, in the order of the chain; whole texts are kept of the failing results alone.

    ``finished`` are the results that were read before, which need not be read again. The first ``longest_text``
    characters of every question and answer are kept, too.
    """
    known = {result.key: result for result in finished}
    questions: dict[str, str] = {}
    answers_given: dict[Key | str, str] = {}
    failing_ids = {sample for _, sample in failing}
    categories: dict[str, str | None] = {}
    samples: dict[str, Sample] = {}
    answers: dict[Key, Sample] = {}
    results: dict[Key, ResultEntry] = {}
    supports: dict[Key, Support] = {}
    rubrics: list[RubricStamp] = []
    used: dict[JudgeIdentity | None, _Used] = {}
    counts = {"result": 0, "exchange": 0, "correction": 0}
    first = last = None
    for entry in entries:
        first, last = first or entry, entry
        if entry.kind in counts:
            counts[entry.kind] += 1
        if entry.kind == "rubric":
            rubrics.append(read_rubric(entry).stamp)
        elif entry.kind == "sample" and is_dataset_sample(entry):
            sample = read_sample(entry)
            categories[sample.id] = sample.category
            questions[sample.id] = sample.question[:longest_text]
            answers_given[sample.id] = (sample.answer or "")[:longest_text]
            if sample.id in failing_ids:
                samples[sample.id] = sample
        elif entry.kind == "sample" and ((key := task_key(entry)) in failing or longest_text):
            answered = read_answered(entry).answered.sample
            if key in failing:
                answers[key] = answered
            answers_given[key] = (answered.answer or "")[:longest_text]
        elif entry.kind == "result":
            result = known.get(task_key(entry)) or read_result(entry)
            if result.key in failing:
                results[result.key] = result
            support = result.judgement.any_support
            if support is not None:
                supports[result.key] = {name: part for name, part in support.items() if name != "weakest"}
            used.setdefault(result.judgement.judge, _Used()).add(result.judgement)
    if first is None or last is None:
        raise InputError("the run has no entries: there is nothing to report")
    return Evidence(
        categories=categories,
        samples=samples,
        answers=answers,
        results=results,
        supports=supports,
        rubrics=tuple(rubrics),
        judges=tuple(_totals(judge, used[judge]) for judge in sorted(used, key=_order)),
        place=LedgerPlace(
            ledger_id=ledger_id,
            sequence=last.sequence,
            entry_sha256=last.entry_sha256,
            recorded_at_utc=last.recorded_at_utc,
            run_sequence=first.sequence,
            run_entry_sha256=first.entry_sha256,
            results=counts["result"],
            exchanges=counts["exchange"],
            corrections=counts["correction"],
        ),
        questions=questions,
        answers_given=answers_given,
    )


def _order(judge: JudgeIdentity | None) -> str:
    return repr(None if judge is None else tuple(asdict(judge).values()))


def _totals(judge: JudgeIdentity | None, used: _Used) -> JudgeTotals:
    return JudgeTotals(
        name="not recorded" if judge is None else judge.name or "not recorded",
        version=None if judge is None else judge.version,
        sha256=None if judge is None else judge.sha256,
        model_id=None if judge is None else judge.model_id,
        template_sha256=None if judge is None else judge.template_sha256,
        judgements=used.judgements,
        requests=used.requests,
        input_tokens=total(used.input_tokens),
        output_tokens=total(used.output_tokens),
        cost_usd=total_cost(used.costs),
        reported_models=tuple(sorted(used.models)),
        fingerprints=tuple(sorted(used.fingerprints)),
    )


def refusal_text(refusal: Refusal | None) -> str | None:
    """Return a refusal in words."""
    if refusal is None:
        return None
    parts = [part for part in (refusal.code, refusal.reason, refusal.user_guidance) if part]
    return "; ".join(parts) or "declared without a code or a reason"


def expected_text(expected: Expected | None) -> str | None:
    """Return what was expected of the assistant, in words."""
    if expected is None:
        return None
    parts = []
    if expected.refuse is not None:
        code = f" with {expected.refusal_code}" if expected.refusal_code else ""
        parts.append(f"a refusal{code}" if expected.refuse else "an answer")
    if expected.passages:
        parts.append("passages " + ", ".join(expected.passages))
    return "; ".join(parts) or None
