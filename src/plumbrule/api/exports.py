"""Runs for other tools: written to a file, or sent to a server where one is named."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from plumbrule.errors import EvaluationError, UsageError
from plumbrule.files import written_whole
from plumbrule.http.endpoint import Endpoint
from plumbrule.http.retry import Clock, Patience
from plumbrule.http.transport_errors import TransportError
from plumbrule.ledger import Ledger
from plumbrule.names import check_word
from plumbrule.reports.exports.export_format import ExportFormat, Request
from plumbrule.reports.exports.inspect_log import INSPECT
from plumbrule.reports.exports.langfuse_scores import LANGFUSE
from plumbrule.reports.exports.mlflow_calls import MLFLOW
from plumbrule.reports.exports.otlp_events import OTLP
from plumbrule.runs.report.exported_run import ExportedRun, exported_run
from plumbrule.runs.run_entries import find_run

EXPORTS: Mapping[str, ExportFormat] = {"inspect": INSPECT, "langfuse": LANGFUSE, "mlflow": MLFLOW, "otlp": OTLP}
_PATIENCE = Patience(deadline_s=90.0, call_timeout_s=30.0, calls=4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was handed over."""

    run_id: str
    to: str
    results: int
    evaluations: int
    requests: int  # that were sent; 0 where a file was written


def write_export(ledger: Ledger, run: str, to: str, file: Path) -> Exported:
    """Write a run to a file in the form of another tool: ``otlp``, ``langfuse``, ``mlflow`` or ``inspect``."""
    form = _format(to)
    if file.suffix.lower() != form.suffix:
        raise UsageError(f"{file}: {to} is written to {form.suffix}: name the file so")
    exported = exported_run(ledger, find_run(ledger, run))
    with written_whole(file) as written:
        written.write(form.render(exported))
    return _told(exported, to, requests=0)


def send_export(
    ledger: Ledger, run: str, to: str, url: str, *, key_env: str | None = None, allow_private: bool = False
) -> Exported:
    """Send a run to the server of another tool; ``key_env`` names the environment variable that holds its key."""
    form = _format(to)
    if form.requests is None:
        raise UsageError(f"{to} has no server to send to: write a file with -o")
    secret = None if key_env is None else os.environ.get(key_env, "").strip()
    if secret == "":
        raise UsageError(f"the environment variable {key_env} is not set: it holds the key for {to}")
    exported = exported_run(ledger, find_run(ledger, run))
    headers = {} if secret is None else {"authorization": form.authorization(secret)}
    try:
        sent = asyncio.run(_send(list(form.requests(exported)), url, headers, allow_private=allow_private))
    except TransportError as error:
        raise EvaluationError(f"--url: {error}: not all of the run was taken; it can be sent again") from None
    return _told(exported, to, requests=sent)


async def _send(requests: Sequence[Request], url: str, headers: Mapping[str, str], *, allow_private: bool) -> int:
    """Send the requests one after another; what one is answered may be needed for the next."""
    answers: dict[str, Mapping[str, Any]] = {}
    for request in requests:
        endpoint = Endpoint(f"{url.rstrip('/')}{request.path}", allow_private=allow_private, name="--url")
        if headers and url.lower().startswith("http:") and not (allow_private or endpoint.loopback):
            raise UsageError(f"--url: the key would travel to {endpoint.host} in the clear; use https")
        send = partial(_call, endpoint, request.body(answers), headers)
        try:
            answer = await Clock(_PATIENCE).call(send, lambda _: None)
        finally:
            await endpoint.aclose()
        if request.name is not None:
            answers[request.name] = answer
    return len(requests)


async def _call(endpoint: Endpoint, body: object, headers: Mapping[str, str], timeout_s: float) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        await endpoint.deliver(orjson.dumps(body), headers=headers, timeout_s=timeout_s)
        return {}
    answer = await endpoint.post(None, body, key_header=("", ""), headers=headers, timeout_s=timeout_s)
    return answer.content


def _format(to: str) -> ExportFormat:
    check_word("--to", to, tuple(EXPORTS))
    return EXPORTS[to]


def _told(run: ExportedRun, to: str, *, requests: int) -> Exported:
    return Exported(
        run_id=run.run_id,
        to=to,
        results=len(run.results),
        evaluations=sum(len(result.evaluations) for result in run.results),
        requests=requests,
    )
