"""Runs in a real ledger, made of the results that a test asks for."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

from plumbrule.api.reports import report_on
from plumbrule.codec import to_json
from plumbrule.judges.judgement import JudgeIdentity, Judgement
from plumbrule.ledger import Draft, Ledger, ResultKey, open_ledger
from plumbrule.reports import Report
from plumbrule.rubrics import content_of, load_benchmark, load_verdict
from plumbrule.runs.run_entries import find_run
from plumbrule.runs.run_metadata import RunFacts, collect
from plumbrule.runs.sample_results import SampleResult

AT = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
JUDGE = {"name": "rules", "version": "1", "sha256": "f" * 64, "model_id": None, "template_sha256": None}
UNSAID: dict[str, Any] = {
    "accuracy_score": None,
    "faithfulness_score": None,
    "rationale": None,
    "judge": JudgeIdentity(name="rules", version="1", sha256="f" * 64),
}
GOOD = {
    "accuracy_score": 2,
    "faithfulness_score": 2,
    "latency_e2e_ms": 900.0,
    "input_tokens": 300,
    "output_tokens": 20,
    "rationale": "Accuracy: as the reference has it.",
}

Texts = Mapping[str, Any]
Make = Callable[..., Report]


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    """Return one ledger for all runs."""
    folder = tmp_path_factory.mktemp("ledger")
    with open_ledger(f"sqlite:///{folder}/ledger.db", at=AT) as opened:
        yield opened


@pytest.fixture(scope="session")
def make(ledger: Ledger, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Return a function that writes a run into the ledger, as 'run' does, and returns its report."""
    numbers = itertools.count()
    folder = tmp_path_factory.mktemp("config")

    def make_report(
        results: Sequence[Texts],
        *,
        samples: Mapping[str, Texts] | None = None,
        answers: Mapping[str, Texts] | None = None,
        judgement: Texts | None = None,
        judgements: Mapping[str, Texts] | None = None,
        facts: Texts | None = None,
        name: str = "made-up",
        planned: int | None = None,
        repeats: int = 1,
    ) -> Report:
        run = f"run-{next(numbers):06}"
        measured = [SampleResult(**{**GOOD, "sample_id": f"q{place}", **each}) for place, each in enumerate(results)]
        ids = dict.fromkeys(each.sample_id for each in measured)
        metadata = collect(RunFacts(**(facts or {})), run_id=run, now=AT, folder=folder)
        about = {
            "summary": {
                "name": name,
                "candidate": "model" if answers else "recorded",
                "samples": planned or len(ids),
                "repeats": repeats,
            },
            "floating_models_allowed": False,
            "metadata": {**to_json(metadata), "packages": {"plumbrule": "1"}},
            "missing_metadata": list(metadata.missing()),
        }
        drafts = [Draft(kind="run", subject=run, body=about, author="test", at=AT)]
        for rubric in (load_benchmark(), load_verdict()):
            body = {**rubric.stamp(), "content": content_of(rubric)}
            drafts.append(Draft(kind="rubric", subject=f"{run}/rubrics/{rubric.name}", body=body, author="test", at=AT))
        for place, sample in enumerate(ids):
            body = {"id": sample, "question": "What is the fee?", "answer": "$25", **(samples or {}).get(sample, {})}
            drafts.append(Draft(kind="sample", subject=f"{run}/samples/{place}", body=body, author="test", at=AT))
        for sample, answer in (answers or {}).items():
            subject = ResultKey(run=run, repeat=0, sample=sample).subject
            answered = {
                "sample": {"id": sample, **answer},
                "requests": 1,
                "cost_usd": None,
                "reported_model": None,
                "fingerprint": None,
            }
            body = {"answered": answered}
            drafts.append(Draft(kind="sample", subject=subject, body=body, author="test", at=AT))
        for each in measured:
            subject = ResultKey(run=run, repeat=each.repeat, sample=each.sample_id).subject
            said = {
                **Judgement(**UNSAID).to_dict(),
                "judge": JUDGE,
                **(judgement or {}),
                **(judgements or {}).get(each.sample_id, {}),
            }
            body = {"result": asdict(each), "judgement": said}
            drafts.append(Draft(kind="result", subject=subject, body=body, author="test", at=AT))
        ledger.append_many(drafts)
        return report_on(ledger, find_run(ledger, run))

    return make_report


@pytest.fixture(scope="session")
def mixed(make: Make) -> Report:
    """Return the report of a run with something of everything."""
    results: list[Texts] = [{} for _ in range(6)]
    results += [{"accuracy_score": 0, "faithfulness_score": 0} for _ in range(3)]
    results += [
        {"accuracy_score": 0},
        {"latency_e2e_ms": 9000.0},
        {"input_tokens": None},
        {"accuracy_score": None, "faithfulness_score": None, "evaluator_error": "parse_error", "rationale": None},
        {"accuracy_score": 0, "faithfulness_score": None, "timed_out": True, "latency_e2e_ms": 60_000.0},
        {"accuracy_score": 0, "faithfulness_score": None},
    ]
    samples = {
        f"q{place}": {
            "category": "fees" if place % 2 else "limits",
            "reference": "$25",
            "contexts": [{"id": "p1", "title": "Fees", "text": "The fee is $25."}],
        }
        for place in range(len(results))
    }
    return make(results, samples=samples)
