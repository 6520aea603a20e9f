"""Inspect AI: the run as an evaluation log in JSON, for ``inspect view`` and ``read_eval_log``."""

from dataclasses import fields

import orjson

from plumbrule._version import __version__
from plumbrule.reports.exports.export_format import ExportFormat, bearer
from plumbrule.runs.report.exported_run import Evaluation, ExportedResult, ExportedRun
from plumbrule.runs.run_results import FigureValues

_VERSION = 2  # of the log
_NO_MODEL = "none/none"


def _render(run: ExportedRun) -> bytes:
    metadata, summary = run.summary.metadata, run.summary
    model = metadata.model_id or _NO_MODEL
    ids = list(dict.fromkeys(result.summary.sample_id for result in run.results))
    epochs = 1 + max((result.summary.repeat for result in run.results), default=0)
    names = list(dict.fromkeys(evaluation.name for result in run.results for evaluation in result.evaluations))
    figures = {field.name: getattr(summary.aggregates, field.name) for field in fields(FigureValues)}
    metrics = {name: {"name": name, "value": value} for name, value in figures.items() if value is not None}
    log = {
        "version": _VERSION,
        "status": "success" if summary.complete else "cancelled",
        "eval": {
            "eval_id": run.run_id,
            "run_id": run.run_id,
            "created": run.recorded_at_utc,
            "task": run.name,
            "task_id": run.run_id,
            "task_version": 0,
            "dataset": {"name": metadata.dataset_id, "samples": len(ids), "sample_ids": ids},
            "model": model,
            "config": {"epochs": epochs},
            "packages": {"plumbrule": __version__},
            "metadata": {"ledger_id": run.ledger_id, "outcome": summary.outcome, "headline": summary.headline},
        },
        "results": {
            "total_samples": len(run.results),
            "completed_samples": len(run.results),
            "scores": [{"name": names[0] if names else "plumbrule", "scorer": "plumbrule", "metrics": metrics}],
        },
        "stats": {"started_at": run.recorded_at_utc, "completed_at": run.recorded_at_utc},
        "samples": [_sample(result, model) for result in run.results],
    }
    return orjson.dumps(log, option=orjson.OPT_INDENT_2) + b"\n"


def _sample(result: ExportedResult, model: str) -> dict[str, object]:
    sample, summary = result.sample, result.summary
    answer = None if sample is None else sample.answer
    said = [] if answer is None else [{"role": "assistant", "content": answer, "source": "generate"}]
    question = "" if sample is None else sample.question
    return {
        "id": summary.sample_id,
        "epoch": summary.repeat + 1,
        "input": question,
        "target": "" if sample is None else sample.reference or "",
        "messages": [{"role": "user", "content": question, "source": "input"}, *said],
        "output": {
            "model": model,
            "choices": [{"message": message, "stop_reason": "stop"} for message in said],
            "usage": _usage(result),
            "error": summary.candidate_error,
        },
        "scores": {evaluation.name: _score(evaluation, answer) for evaluation in result.evaluations},
        "metadata": {
            "contexts": [] if sample is None else [passage.text for passage in sample.contexts],
            "passed": summary.passed,
            "flags": list(summary.flags),
        },
    }


def _usage(result: ExportedResult) -> dict[str, int] | None:
    given, said = result.summary.input_tokens, result.summary.output_tokens
    if given is None or said is None:
        return None
    return {"input_tokens": given, "output_tokens": said, "total_tokens": given + said}


def _score(evaluation: Evaluation, answer: str | None) -> dict[str, object]:
    value = evaluation.value if evaluation.value is not None else evaluation.label or "N"
    about = {"label": evaluation.label, "error": evaluation.error}
    return {"value": value, "answer": answer, "explanation": evaluation.explanation, "metadata": about}


INSPECT = ExportFormat(suffix=".json", render=_render, requests=None, authorization=bearer)
