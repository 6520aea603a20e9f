"""The calls of the JSON API in words and examples, read from its OpenAPI description."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from plumbrule.web.addresses import path_part, with_query
from plumbrule.web.routes import PYTHON

_TITLES = {  # of the groups, in the order in which they are shown
    "verdicts": "Verdicts",
    "runs": "Runs",
    "reviews": "Reviews and campaigns",
    "monitoring": "Monitoring",
    "ledger": "Ledger",
}
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiField:
    """What a call takes or answers with: a parameter, or a field of a JSON object."""

    name: str
    kind: str
    place: str  # path, query, body or answer
    required: bool
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One call, with an example for the shell and one for Python."""

    id: str
    method: str
    path: str
    words: str
    takes: tuple[ApiField, ...]
    answers: str  # the name of the type
    fields: tuple[ApiField, ...]  # of the answer
    curl: str
    python: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiGroup:
    """The calls about one thing."""

    key: str
    title: str
    calls: tuple[ApiCall, ...]


def describe_api(description: Json, *, server: str, token: bool) -> tuple[ApiGroup, ...]:
    """Return the calls by group; the examples call this ``server``, with a ``token`` where it needs one."""
    grouped: dict[str, list[ApiCall]] = {key: [] for key in _TITLES}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            call = _call(method.upper(), path, operation, description, server=server, token=token)
            grouped.setdefault(operation["tags"][0], []).append(call)
    return tuple(
        ApiGroup(key=key, title=_TITLES.get(key, key.capitalize()), calls=tuple(calls))
        for key, calls in grouped.items()
        if calls
    )


def _call(method: str, path: str, operation: Json, description: Json, *, server: str, token: bool) -> ApiCall:
    parameters = operation.get("parameters", [])
    body = _content(operation.get("requestBody", {}))
    answer = _content(operation["responses"]["200"])
    sent = _resolved(body, description)
    return ApiCall(
        id=operation["operationId"],
        method=method,
        path=path,
        words=operation["description"],
        takes=(*map(_parameter, parameters), *_fields(sent, "body")),
        answers=_kind(answer),
        fields=tuple(_fields(_resolved(answer, description), "answer")),
        curl=_curl(method, f"{server}{_example_path(path, parameters)}", sent, token=token),
        python=operation.get(PYTHON),
    )


def _content(message: Json) -> Json:
    content: Json = message.get("content", {}).get("application/json", {}).get("schema", {})
    return content


def _resolved(schema: Json, description: Json) -> Json:
    """Return the schema that one refers to, of a list that of its items, of a choice the first."""
    while True:
        if "$ref" in schema:
            schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        elif "items" in schema:
            schema = schema["items"]
        elif "anyOf" in schema:
            schema = schema["anyOf"][0]
        else:
            return schema


def _parameter(parameter: Json) -> ApiField:
    schema = parameter["schema"]
    return ApiField(
        name=parameter["name"],
        kind=_kind(schema),
        place=parameter["in"],
        required=parameter.get("required", False),
        words=parameter.get("description", ""),
    )


def _fields(schema: Json, place: str) -> Iterator[ApiField]:
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        words = field.get("description", "") if place == "body" else ""
        yield ApiField(name=name, kind=_kind(field), place=place, required=name in required, words=words)


def _kind(schema: Json) -> str:
    """Return the name of a type."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return " or ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return {"string": "text", "integer": "whole number", "boolean": "true or false", None: "any"}.get(
        schema.get("type"), str(schema.get("type"))
    )


def _example_path(path: str, parameters: list[Json]) -> str:
    """Return a path with an example of everything in it, and of every query that it needs."""
    examples = {each["name"]: str(_example(each["schema"]) or each["name"].upper()) for each in parameters}
    for each in parameters:
        if each["in"] == "path":
            path = path.replace(f"{{{each['name']}}}", path_part(examples[each["name"]]))
    needed = [each["name"] for each in parameters if each["in"] == "query" and each.get("required")]
    return with_query(path, {name: examples[name] for name in needed})


def _example(schema: Json) -> Any:  # noqa: ANN401 - JSON
    examples = schema.get("examples", [])
    return examples[0] if examples else None


def _curl(method: str, address: str, body: Json, *, token: bool) -> str:
    parts = ["curl", shlex.quote(address)]
    if token:
        parts += ["-H", '"Authorization: Bearer $PLUMBRULE_TOKEN"']
    if method == "GET":
        return " ".join(parts)
    given = {name: _example(field) for name, field in body.get("properties", {}).items() if _example(field) is not None}
    header = "-H 'Content-Type: application/json'"
    return f"{' '.join(parts)} \\\n  {header} -d {shlex.quote(json.dumps(given, ensure_ascii=False))}"
