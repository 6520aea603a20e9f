"""OpenTelemetry: each evaluation as an event ``gen_ai.evaluation.result``, in OTLP/JSON as a collector takes it."""

from collections.abc import Iterator

import orjson

from plumbrule._version import __version__
from plumbrule.reports.exports.export_format import ExportFormat, Request, bearer, constant, trace_id_of, unix_ms
from plumbrule.runs.report.exported_run import Evaluation, ExportedResult, ExportedRun

EVENT = "gen_ai.evaluation.result"
_INFO, _WARN = 9, 13  # severities of the data model of logs
_BATCH = 500  # events of one request


def _render(run: ExportedRun) -> bytes:
    return orjson.dumps(_document(run, list(_records(run)))) + b"\n"


def _requests(run: ExportedRun) -> Iterator[Request]:
    records = list(_records(run))
    for start in range(0, len(records), _BATCH):
        yield Request(path="/v1/logs", body=constant(_document(run, records[start : start + _BATCH])))


def _document(run: ExportedRun, records: list[object]) -> dict[str, object]:
    resource = [_attribute("service.name", "plumbrule"), _attribute("plumbrule.ledger.id", run.ledger_id)]
    scope = {"name": "plumbrule", "version": __version__}
    logs = {"scope": scope, "logRecords": records}
    return {"resourceLogs": [{"resource": {"attributes": resource}, "scopeLogs": [logs]}]}


def _records(run: ExportedRun) -> Iterator[object]:
    at = str(unix_ms(run) * 1_000_000)
    for result in run.results:
        for evaluation in result.evaluations:
            yield {
                "timeUnixNano": at,
                "observedTimeUnixNano": at,
                "severityNumber": _WARN if evaluation.label == "fail" else _INFO,
                "eventName": EVENT,
                "traceId": trace_id_of(result),
                "attributes": _attributes(run, result, evaluation),
            }


def _attributes(run: ExportedRun, result: ExportedResult, evaluation: Evaluation) -> list[object]:
    values: dict[str, str | float | int | None] = {
        "gen_ai.evaluation.name": evaluation.name,
        "gen_ai.evaluation.score.value": evaluation.value,
        "gen_ai.evaluation.score.label": evaluation.label,
        "gen_ai.evaluation.explanation": evaluation.explanation,
        "error.type": evaluation.error,
        "plumbrule.run.id": run.run_id,
        "plumbrule.sample.id": result.summary.sample_id,
        "plumbrule.repeat": result.summary.repeat,
    }
    return [_attribute(name, value) for name, value in values.items() if value is not None]


def _attribute(name: str, value: str | float) -> dict[str, object]:
    if isinstance(value, int):
        return {"key": name, "value": {"intValue": str(value)}}
    return {"key": name, "value": {"doubleValue" if isinstance(value, float) else "stringValue": value}}


OTLP = ExportFormat(suffix=".json", render=_render, requests=_requests, authorization=bearer)
