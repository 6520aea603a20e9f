"""What the ledger holds of a run, read once in the order of the chain: only what the report shows is kept."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from plumbrule.errors import InputError
from plumbrule.judges.judgement import total, total_cost
from plumbrule.ledger import Entry, ResultKey
from plumbrule.reports.run_report import Context, JudgeTotals, LedgerPlace, RubricStamp
from plumbrule.support.kept_support import support_in

Key = tuple[str, int]  # of a result: the sample and the repeat
Body = Mapping[str, Any]


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

    def add(self, judgement: Body) -> None:
        self.judgements += 1
        self.requests += judgement["requests"]
        if judgement["requests"]:
            self.input_tokens.append(judgement["input_tokens"])
            self.output_tokens.append(judgement["output_tokens"])
            self.costs.append(judgement["cost_usd"])
        for kept, name in ((self.models, "reported_model"), (self.fingerprints, "fingerprint")):
            if judgement.get(name) is not None:
                kept.add(str(judgement[name]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The parts of a run's entries that a report is made from."""

    categories: Mapping[str, str | None]
    samples: Mapping[str, Body]  # of the failing samples
    answers: Mapping[Key, Body]  # what a live candidate made of them
    results: Mapping[Key, Body]  # of the failing results
    supports: Mapping[Key, Body]  # of every result whose judge told it
    rubrics: tuple[RubricStamp, ...]
    benchmark: Body
    judges: tuple[JudgeTotals, ...]
    place: LedgerPlace

    def texts(self, key: Key) -> dict[str, Any]:
        """Return what stood behind a failing result: the candidate's own answer, where it is not the dataset's."""
        sample, result = self.samples.get(key[0], {}), self.results.get(key, {})
        answered = {**sample, **self.answers.get(key, {})}
        judgement = result.get("judgement") or {}
        return {
            "question": str(sample.get("question") or ""),
            "answer": answered.get("answer"),
            "refusal": _refusal_text(answered.get("refusal")),
            "reference": sample.get("reference"),
            "expected": _expected_text(sample.get("expected")),
            "contexts": tuple(_context(each) for each in answered.get("contexts") or ()),
            "error_detail": (result.get("result") or {}).get("error_detail"),
            "flags": tuple(map(str, judgement.get("flags") or ())),
        }


def read_evidence(entries: Iterable[Entry], failing: Collection[Key], *, ledger_id: str) -> Evidence:
    """Read the entries of one run, in the order of the chain; texts are kept of the failing results alone."""
    failing_ids = {sample for sample, _ in failing}
    categories: dict[str, str | None] = {}
    samples: dict[str, Body] = {}
    answers: dict[Key, Body] = {}
    results: dict[Key, Body] = {}
    supports: dict[Key, Body] = {}
    rubrics: list[RubricStamp] = []
    benchmark: Body = {}
    used: dict[tuple[str | None, ...], _Used] = {}
    counts = {"result": 0, "exchange": 0, "correction": 0}
    first = last = None
    for entry in entries:
        first, last = first or entry, entry
        if entry.kind in counts:
            counts[entry.kind] += 1
        if entry.kind == "rubric":
            stamp = entry.value
            rubrics.append(RubricStamp(name=stamp["name"], version=stamp["version"], sha256=stamp["sha256"]))
            benchmark = stamp["content"] if stamp["name"] == "benchmark" else benchmark
        elif entry.kind == "sample":
            sample = entry.value
            if "answered" in sample:  # by a live candidate
                key = ResultKey.read(entry.subject)
                if (key.sample, key.repeat) in failing:
                    answers[key.sample, key.repeat] = sample["answered"]["sample"]
                continue
            categories[sample["id"]] = sample.get("category")
            if sample["id"] in failing_ids:
                samples[sample["id"]] = sample
        elif entry.kind == "result":
            value = entry.value
            place = (value["result"]["sample_id"], value["result"]["repeat"])
            if place in failing:
                results[place] = value
            judgement = value.get("judgement") or {}
            support = support_in(judgement)
            if support is not None:
                supports[place] = {name: part for name, part in support.items() if name != "weakest"}
            used.setdefault(_identity(judgement.get("judge") or {}), _Used()).add(judgement)
    if first is None or last is None:
        raise InputError("the run has no entries: there is nothing to report")
    return Evidence(
        categories=categories,
        samples=samples,
        answers=answers,
        results=results,
        supports=supports,
        rubrics=tuple(rubrics),
        benchmark=benchmark,
        judges=tuple(_totals(identity, used[identity]) for identity in sorted(used, key=repr)),
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
    )


def _identity(judge: Body) -> tuple[str | None, ...]:
    return tuple(judge.get(name) for name in ("name", "version", "sha256", "model_id", "template_sha256"))


def _totals(identity: tuple[str | None, ...], used: _Used) -> JudgeTotals:
    name, version, sha256, model_id, template_sha256 = identity
    return JudgeTotals(
        name=name or "not recorded",
        version=version,
        sha256=sha256,
        model_id=model_id,
        template_sha256=template_sha256,
        judgements=used.judgements,
        requests=used.requests,
        input_tokens=total(used.input_tokens),
        output_tokens=total(used.output_tokens),
        cost_usd=total_cost(used.costs),
        reported_models=tuple(sorted(used.models)),
        fingerprints=tuple(sorted(used.fingerprints)),
    )


def _refusal_text(refusal: object) -> str | None:
    if not isinstance(refusal, Mapping):
        return None
    parts = [str(refusal[name]) for name in ("code", "reason", "user_guidance") if refusal.get(name)]
    return "; ".join(parts) or "declared without a code or a reason"


def _expected_text(expected: object) -> str | None:
    if not isinstance(expected, Mapping):
        return None
    parts = []
    if expected.get("refuse") is not None:
        code = f" with {expected['refusal_code']}" if expected.get("refusal_code") else ""
        parts.append(f"a refusal{code}" if expected["refuse"] else "an answer")
    if expected.get("passages"):
        parts.append("passages " + ", ".join(map(str, expected["passages"])))
    return "; ".join(parts) or None


def _context(passage: object) -> Context:
    if not isinstance(passage, Mapping):
        return Context(id=None, title=None, text=str(passage))
    return Context(id=passage.get("id"), title=passage.get("title"), text=str(passage.get("text") or ""))
