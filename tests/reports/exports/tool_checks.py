"""Reads what was exported with the tools' own libraries, in their environment: python tool_checks.py TOOL FILE.

Prints JSON with what the library understood; nothing of Plumbrule is imported.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any


def check_otlp(path: Path) -> dict[str, Any]:
    """Parse OTLP/JSON, whose ids are hexadecimal, with the protocol's own messages."""
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as names

    document = json.loads(path.read_bytes())
    for record in document["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
        record["traceId"] = base64.b64encode(bytes.fromhex(record["traceId"])).decode()
    parsed = json_format.ParseDict(document, ExportLogsServiceRequest())
    records = parsed.resource_logs[0].scope_logs[0].log_records
    known = {getattr(names, name) for name in dir(names) if name.startswith("GEN_AI_EVALUATION")}
    used = {attribute.key for record in records for attribute in record.attributes}
    return {
        "records": len(records),
        "events": sorted({record.event_name for record in records}),
        "trace_bytes": sorted({len(record.trace_id) for record in records}),
        "unknown": sorted(key for key in used if key.startswith("gen_ai.") and key not in known),
    }


def check_langfuse(path: Path) -> dict[str, Any]:
    """Parse each score as the request that Langfuse's client sends."""
    from langfuse import Langfuse
    from langfuse.api import CreateScoreRequest

    given = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    scores = [CreateScoreRequest(**score) for score in given]
    again = [json.loads(score.json()) for score in scores]
    seeds = {score["metadata"]["sample_id"]: score["traceId"] for score in given}
    return {
        "scores": len(scores),
        "same": again == given,
        "names": sorted({score.name for score in scores}),
        "seeded": all(Langfuse.create_trace_id(seed=seed) == trace for seed, trace in seeds.items()),
    }


def check_mlflow(path: Path) -> dict[str, Any]:
    """Parse each call as the message of MLflow's protocol, and each trace as its own class."""
    from google.protobuf import json_format
    from mlflow.entities import TraceInfo
    from mlflow.protos.service_pb2 import CreateRun, LogBatch, StartTraceV3, UpdateRun

    messages = {"runs/create": CreateRun, "runs/log-batch": LogBatch, "traces": StartTraceV3, "runs/update": UpdateRun}
    calls = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    parsed = [json_format.ParseDict(call["body"], messages[call["path"].split("/mlflow/")[1]]()) for call in calls]
    traces = [TraceInfo.from_proto(message.trace.trace_info) for message in parsed if isinstance(message, StartTraceV3)]
    metrics = next(message for message in parsed if isinstance(message, LogBatch)).metrics
    return {
        "calls": len(calls),
        "metrics": sorted(metric.key for metric in metrics),
        "traces": len(traces),
        "assessments": sum(len(trace.assessments) for trace in traces),
        "first": [traces[0].request_preview, traces[0].response_preview, str(traces[0].state.value)],
    }


def check_inspect(path: Path) -> dict[str, Any]:
    """Read the log as Inspect does, and write it again beside it."""
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(path))
    write_eval_log(log, str(path.with_name("again.json")), format="json")
    samples = log.samples or []
    return {
        "status": log.status,
        "samples": len(samples),
        "first": [samples[0].id, samples[0].epoch, samples[0].output.completion],
        "scores": sorted(samples[0].scores or {}),
        "metrics": sorted(log.results.scores[0].metrics) if log.results else [],
    }


CHECKS = {"otlp": check_otlp, "langfuse": check_langfuse, "mlflow": check_mlflow, "inspect": check_inspect}

if __name__ == "__main__":
    print(json.dumps(CHECKS[sys.argv[1]](Path(sys.argv[2]))))
