"""MLflow: the figures of a run as metrics, and each answer as a trace with its evaluations as feedback.

A file has the calls of MLflow's REST API one a line, with their paths.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial

import orjson

from plumbrule.hashing import sha256_of
from plumbrule.reports.exports.export_format import Answers, ExportFormat, Request, bearer, unix_ms
from plumbrule.runs.report.exported_run import Evaluation, ExportedResult, ExportedRun
from plumbrule.runs.run_results import FigureValues

EXPERIMENT = "0"  # the one that every server has
_RUN = "run"
_LONGEST = 1000  # characters of a preview
_PENDING = "RUN_ID"  # in a file, where the server's own id of the run goes


def _render(run: ExportedRun) -> bytes:
    pending: Answers = {_RUN: {"run": {"info": {"run_id": _PENDING}}}}
    calls = ({"path": request.path, "body": request.body(pending)} for request in _requests(run))
    return b"".join(orjson.dumps(call) + b"\n" for call in calls)


def _requests(run: ExportedRun) -> Iterator[Request]:
    at = unix_ms(run)
    yield Request(
        path="/api/2.0/mlflow/runs/create",
        name=_RUN,
        body=lambda _: {"experiment_id": EXPERIMENT, "run_name": run.name, "start_time": at, "tags": _tags(run)},
    )
    yield Request(
        path="/api/2.0/mlflow/runs/log-batch",
        body=lambda answers: {"run_id": _run_id(answers), "metrics": _metrics(run, at), "params": _params(run)},
    )
    for result in run.results:
        yield Request(path="/api/3.0/mlflow/traces", body=partial(_trace, run, result))
    yield Request(
        path="/api/2.0/mlflow/runs/update",
        body=lambda answers: {"run_id": _run_id(answers), "status": "FINISHED", "end_time": at},
    )


def _run_id(answers: Answers) -> str:
    return str(answers[_RUN]["run"]["info"]["run_id"])


def _tags(run: ExportedRun) -> list[dict[str, str]]:
    tags = {
        "plumbrule.run_id": run.run_id,
        "plumbrule.ledger_id": run.ledger_id,
        "plumbrule.outcome": run.summary.outcome,
    }
    return [{"key": key, "value": value} for key, value in tags.items()]


def _params(run: ExportedRun) -> list[dict[str, str]]:
    metadata = run.summary.metadata
    names = ("dataset_id", "model_id", "evaluator_model_id", "plumbrule_version", "config_sha256")
    return [{"key": name, "value": str(value)} for name in names if (value := getattr(metadata, name)) is not None]


def _metrics(run: ExportedRun, at: int) -> list[dict[str, object]]:
    figures = {field.name: getattr(run.summary.aggregates, field.name) for field in fields(FigureValues)}
    figures |= {f"gate.{gate.name}": int(gate.passed) for gate in run.summary.gates}
    known = {name: value for name, value in figures.items() if value is not None}
    return [{"key": name, "value": value, "timestamp": at, "step": 0} for name, value in known.items()]


def _trace(run: ExportedRun, result: ExportedResult, answers: Answers) -> Mapping[str, object]:
    summary, sample = result.summary, result.sample
    trace_id = f"tr-{sha256_of([run.run_id, summary.sample_id, summary.repeat])[:32]}"
    info = {
        "trace_id": trace_id,
        "client_request_id": f"{run.run_id}/{summary.repeat}/{summary.sample_id}",
        "trace_location": {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": EXPERIMENT}},
        "request_preview": None if sample is None else sample.question[:_LONGEST],
        "response_preview": None if sample is None or sample.answer is None else sample.answer[:_LONGEST],
        "request_time": _moment(run),
        "execution_duration": f"{(summary.latency_e2e_ms or 0) / 1000:.3f}s",
        "state": "ERROR" if summary.candidate_error is not None else "OK",
        "trace_metadata": {"mlflow.trace_schema.version": "3", "mlflow.sourceRun": _run_id(answers)},
        "tags": {"plumbrule.sample_id": summary.sample_id, "plumbrule.repeat": str(summary.repeat)},
        "assessments": [_feedback(run, trace_id, evaluation) for evaluation in result.evaluations],
    }
    return {"trace": {"trace_info": {name: value for name, value in info.items() if value is not None}}}


def _feedback(run: ExportedRun, trace_id: str, evaluation: Evaluation) -> dict[str, object]:
    value = evaluation.value if evaluation.value is not None else evaluation.label
    feedback: dict[str, object] = {"value": value}
    if evaluation.error is not None:
        feedback["error"] = {"error_code": evaluation.error}
    given: dict[str, object] = {
        "assessment_id": f"a-{sha256_of([trace_id, evaluation.name])[:32]}",
        "assessment_name": evaluation.name,
        "trace_id": trace_id,
        "source": {"source_type": "CODE", "source_id": "plumbrule"},
        "create_time": _moment(run),
        "last_update_time": _moment(run),
        "feedback": feedback,
        "valid": True,
    }
    if evaluation.explanation is not None:
        given["rationale"] = evaluation.explanation
    if evaluation.label is not None:
        given["metadata"] = {"label": evaluation.label}
    return given


def _moment(run: ExportedRun) -> str:
    return datetime.fromtimestamp(unix_ms(run) / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


MLFLOW = ExportFormat(suffix=".jsonl", render=_render, requests=_requests, authorization=bearer)
