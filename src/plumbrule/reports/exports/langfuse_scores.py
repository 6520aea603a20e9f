"""Langfuse: each evaluation as a score of the trace that it is about."""

import base64
from collections.abc import Iterator

import orjson

from plumbrule.hashing import sha256_of
from plumbrule.reports.exports.export_format import ExportFormat, Request, constant, trace_id_of
from plumbrule.runs.report.exported_run import ExportedRun

_BATCH = 100  # scores of one request


def _render(run: ExportedRun) -> bytes:
    return b"".join(orjson.dumps(score) + b"\n" for score in _scores(run))


def _requests(run: ExportedRun) -> Iterator[Request]:
    scores = list(_scores(run))
    for start in range(0, len(scores), _BATCH):
        yield Request(path="/api/public/scores", body=constant(scores[start : start + _BATCH]))


def _scores(run: ExportedRun) -> Iterator[dict[str, object]]:
    for result in run.results:
        about = {"run_id": run.run_id, "sample_id": result.summary.sample_id, "repeat": result.summary.repeat}
        for evaluation in result.evaluations:
            value: float | str | None = evaluation.value if evaluation.value is not None else evaluation.label
            if value is None:
                continue
            score: dict[str, object] = {
                "id": sha256_of([*about.values(), evaluation.name])[:32],  # sent again, it is the same score
                "traceId": trace_id_of(result),
                "name": evaluation.name,
                "value": value,
                "dataType": "NUMERIC" if isinstance(value, float) else "CATEGORICAL",
                "comment": evaluation.explanation,
                "metadata": {**about, "label": evaluation.label, "error": evaluation.error},
            }
            yield {name: part for name, part in score.items() if part is not None}


def _authorization(secret: str) -> str:
    """Return the header for ``public key:secret key``."""
    return f"Basic {base64.b64encode(secret.encode()).decode()}"


LANGFUSE = ExportFormat(suffix=".jsonl", render=_render, requests=_requests, authorization=_authorization)
