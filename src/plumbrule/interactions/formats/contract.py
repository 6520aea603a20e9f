"""A compliance assistant's response as a sample, read tolerantly: each deviation from its contract is a finding."""

import datetime as dt
import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from plumbrule.interactions.contract_findings import FindingLog
from plumbrule.interactions.passages import named_as_here
from plumbrule.names import UUID_TEXT
from plumbrule.rubrics import ComplianceRubric, Loaded, RefusalTaxonomy
from plumbrule.samples.aliases import Mapped, Mapper
from plumbrule.samples.field_names import ANSWER_KEYS
from plumbrule.samples.sample_fields import sample_of
from plumbrule.samples.sample_model import Citation, Sample
from plumbrule.samples.value_types import SEQUENCES, Misfit, described

RESPONSE_KEYS = frozenset({"answer", "citations", "grounding_status", "refusal"})

_RESPONSE_FIELDS = {
    "trace_id": "trace_id",
    "timestamp": "timestamp",
    "question": "query",
    "grounding_status": "grounding_status",
    "metadata": "metadata",
}
_METADATA = ("corpus_release_id", "sources_consulted", "model_provider")
_CITATION = ("citation_id", "source_id", "source_title", "effective_date", "passage", "collection")
_REFUSAL = ("code", "reason", "user_guidance")
_OBJECTS = frozenset({"refusal", "expected", "metadata"})
_LISTS: Mapping[str, Mapping[str, object]] = {"citations": {}, "contexts": {"text": ""}, "tags": {}}  # least entries
_WARNING = re.compile(r"(?:\w+_)?warnings?")  # also partial_grounding_warning and the like


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a response may hold; it comes from the rubrics."""

    excerpt_characters: int
    sources: int
    query_characters: int
    response_tokens: int
    statuses: frozenset[str]
    refused: str
    refusal_codes: frozenset[str]


def read_response(record: Mapping[str, object], contract: Contract, log: FindingLog) -> tuple[Sample, bool]:
    """Return the response that ``record`` holds, and whether its contexts are its own and not borrowed excerpts."""
    given = dict(record)
    warnings = _gather_warnings(given, log)
    contexts = given.get("contexts")
    if isinstance(contexts, SEQUENCES):
        given["contexts"] = [named_as_here(entry) for entry in contexts]
    mapped = _mapper().map(given)
    own = "contexts" in mapped.values
    if "id" not in mapped.values and "trace_id" in mapped.values:
        mapped.values["id"] = mapped.values["trace_id"]  # what the response is known by
    sample = _sample(mapped, log)
    if warnings:
        sample = _with_warnings(sample, warnings)
    for name, shown in _RESPONSE_FIELDS.items():
        if name not in mapped.values:
            log.add("field_missing", f"{shown} is missing")
    _check_metadata(sample, log)
    _check_identity(sample, log)
    _check_status(sample, mapped, contract, log)
    _check_limits(sample, contract, log)
    _check_citations(sample, contract, log)
    return sample, own and bool(sample.contexts)


@functools.cache
def _mapper() -> Mapper:
    """Return one mapper for all: it remembers the shapes it met."""
    return Mapper()


def is_response(record: Mapping[str, object]) -> bool:
    """Tell whether a record has what only a response has."""
    return not RESPONSE_KEYS.isdisjoint(record)


def may_be_response(record: Mapping[str, object]) -> bool:
    """Tell whether a record answers anything, under whichever name."""
    return not ANSWER_KEYS.isdisjoint(record) or any("." in key or key == "attributes" for key in record)


def _gather_warnings(given: dict[str, object], log: FindingLog) -> list[object]:
    """Take the warnings from wherever they stand; the contract knows ``metadata.warnings`` alone."""
    metadata = given.get("metadata")
    gathered: list[object] = []
    names: list[str] = []
    for holder, prefix in ((given, ""), (metadata if isinstance(metadata, dict) else {}, "metadata.")):
        for name in filter(_WARNING.fullmatch, list(holder)):
            value = holder.get(name)
            if value is None or isinstance(value, (bool, int, float)) or value in ("", []):
                continue
            names.append(f"{prefix}{name}")
            gathered += value if isinstance(value, list) else [value]
    for name in filter(_WARNING.fullmatch, list(given)):
        del given[name]
    if len(names) > 1:
        log.add("warning_under_two_names", f"a warning stands under {' and '.join(names)}; both are kept")
    elif names and names != ["metadata.warnings"]:
        log.add("warning_renamed", f"a warning stands under {names[0]}, not metadata.warnings")
    return list({repr(value): value for value in gathered if isinstance(value, (str, dict))}.values())


def _with_warnings(sample: Sample, warnings: list[object]) -> Sample:
    metadata = {key: value for key, value in sample.metadata.items() if not _WARNING.fullmatch(key)}
    return replace(sample, metadata={**metadata, "warnings": warnings})


def _sample(mapped: Mapped, log: FindingLog) -> Sample:
    """Return the sample, without the values that cannot be read."""
    try:
        return sample_of(mapped)
    except Misfit as misfit:
        first = str(misfit)
    for name, value in list(mapped.values.items()):
        try:
            _probe(name, value)
        except Misfit as misfit:
            log.add("field_type", str(misfit))
            mended = _mended(name, value)
            if mended is None:
                del mapped.values[name]
            else:
                mapped.values[name] = mended
    if not log.findings or "answer is null" in first:
        log.add("answer_missing", "answer is null and there is no refusal")
    try:
        return sample_of(mapped)
    except Misfit:
        mapped.values["answer"] = ""
        return sample_of(mapped)


def _probe(name: str, value: object) -> None:
    values = {"answer": "", name: value}
    sample_of(Mapped(values=values, origins={key: key for key in values}))


def _fits(name: str, value: object) -> bool:
    try:
        _probe(name, value)
    except Misfit:
        return False
    return True


def _mended(name: str, value: object) -> object:
    """Return what can be read of a value: the good entries of a list, the good parts of an object; None for none."""
    if isinstance(value, dict) and name in _OBJECTS:
        return {key: part for key, part in value.items() if _fits(name, {key: part})}
    if isinstance(value, SEQUENCES) and name in _LISTS:
        return [mended for entry in value if (mended := _mended_entry(name, entry)) is not None]
    return None


def _mended_entry(name: str, entry: object) -> object:
    if _fits(name, [entry]):
        return entry
    if not isinstance(entry, dict):
        return None
    kept = {key: part for key, part in entry.items() if _fits(name, [{**_LISTS[name], key: part}])}
    return kept if _fits(name, [kept]) else None


def _check_metadata(sample: Sample, log: FindingLog) -> None:
    for name in _METADATA:
        if sample.metadata and sample.metadata.get(name) is None:
            log.add("field_missing", f"metadata.{name} is missing")


def _check_identity(sample: Sample, log: FindingLog) -> None:
    if sample.trace_id is not None and not UUID_TEXT.fullmatch(sample.trace_id):
        log.add("trace_id_bad", f"trace_id {described(sample.trace_id)} is not a UUID")
    if sample.timestamp is not None:
        try:
            dt.datetime.fromisoformat(sample.timestamp)
        except ValueError:
            log.add("timestamp_bad", f"timestamp {described(sample.timestamp)} is not an ISO 8601 date and time")


def _check_status(sample: Sample, mapped: Mapped, contract: Contract, log: FindingLog) -> None:
    status, refusal = sample.grounding_status, sample.refusal
    answered = bool((sample.answer or "").strip())
    missed = any(each.code == "answer_missing" for each in log.findings)
    if not answered and not sample.refused and not missed:
        log.add("answer_missing", "answer is empty and there is no refusal")
    if status is not None and status not in contract.statuses:
        known = ", ".join(sorted(contract.statuses))
        log.add("status_unknown", f"grounding_status {described(status)} is none of {known}")
    elif status == contract.refused and answered:
        log.add("status_mismatch", f"grounding_status is {status} and there is an answer")
    elif status is not None and status != contract.refused and refusal is not None:
        log.add("status_mismatch", f"grounding_status is {status} and there is a refusal")
    if answered and refusal is not None:
        log.add("answer_and_refusal", "there is an answer and a refusal; exactly one of them is null")
    if sample.refused and refusal is None:
        log.add("field_missing", "refusal is missing, though grounding_status says that it was refused")
    if not sample.refused and "citations" not in mapped.values:
        log.add("field_missing", "citations is missing")
    if refusal is None:
        return
    for name in _REFUSAL:
        if not getattr(refusal, name):
            log.add("field_missing", f"refusal.{name} is missing")
    if refusal.code and refusal.code not in contract.refusal_codes:
        known = ", ".join(sorted(contract.refusal_codes))
        log.add("refusal_code_unknown", f"refusal.code {described(refusal.code)} is none of {known}")


def _check_limits(sample: Sample, contract: Contract, log: FindingLog) -> None:
    asked = len(sample.question)
    if asked > contract.query_characters:
        log.add("query_too_long", f"the query has {asked} characters; {contract.query_characters} are allowed")
    tokens = sample.output_tokens
    if tokens is not None and tokens > contract.response_tokens:
        log.add("response_too_long", f"the response has {tokens} tokens; {contract.response_tokens} are allowed")


def _check_citations(sample: Sample, contract: Contract, log: FindingLog) -> None:
    seen: set[str] = set()
    for index, citation in enumerate(sample.citations):
        _check_citation(f"citations[{index}]", citation, contract, log)
        if citation.citation_id is not None and citation.citation_id in seen:
            log.add("citation_twice", f"citations[{index}]: citation_id {described(citation.citation_id)} again")
        seen.add(citation.citation_id or "")
    sources = {citation.source_id for citation in sample.citations if citation.source_id}
    if len(sources) > contract.sources:
        log.add("too_many_sources", f"{len(sources)} sources are cited; {contract.sources} are allowed")


def _check_citation(name: str, citation: Citation, contract: Contract, log: FindingLog) -> None:
    missing = [field for field in _CITATION if getattr(citation, field) in (None, "")]
    if missing:
        log.add("field_missing", f"{name}: {', '.join(missing)} missing")
    length = len(citation.passage or "")
    if length > contract.excerpt_characters:
        log.add(
            "excerpt_too_long", f"{name}.passage has {length} characters; {contract.excerpt_characters} are allowed"
        )


def contract_of(compliance: Loaded[ComplianceRubric], refusals: Loaded[RefusalTaxonomy]) -> Contract:
    """Return what a response may hold, by these policies."""
    limits, statuses = compliance.rubric.limits, compliance.rubric.statuses
    return Contract(
        excerpt_characters=limits.excerpt_characters,
        sources=limits.sources,
        query_characters=limits.query_characters,
        response_tokens=limits.response_tokens,
        statuses=frozenset({statuses.full, statuses.partial, statuses.refused}),
        refused=statuses.refused,
        refusal_codes=frozenset(refusals.rubric.codes),
    )
