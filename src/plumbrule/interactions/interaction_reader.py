"""Reads interactions from files in any mix: responses, traces, passages and spans, joined by their trace id."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import orjson

from plumbrule.errors import InputError
from plumbrule.interactions.contract_findings import Finding, FindingLog, finding
from plumbrule.interactions.corpus import Corpus, read_corpus
from plumbrule.interactions.evidence_files import Evidence, Record
from plumbrule.interactions.formats.contract import Contract, contract_of, read_response
from plumbrule.interactions.formats.shapes import responses_in, shape_of, trace_in
from plumbrule.interactions.interaction import Given, Interaction, join
from plumbrule.interactions.passages import named_as_here
from plumbrule.interactions.trace import read_trace
from plumbrule.names import key_of_trace
from plumbrule.rubrics import ComplianceRubric, Loaded, RefusalTaxonomy, load_compliance, load_refusals
from plumbrule.samples.byte_streams import Flaw
from plumbrule.samples.formats.telemetry import SpanGroups, is_span, spans_of
from plumbrule.samples.id_index import Seen
from plumbrule.samples.sample_fields import passage_of
from plumbrule.samples.value_types import described

_MOST_KEPT = 1000  # findings that belong to no interaction; more are counted, not kept
_PASSES = 2
_SHOWN_KEYS = 5


@dataclass(slots=True)
class ReadCounts:
    """What was read, what came together and what was left over; it grows as the reading goes."""

    responses: int = 0
    traces: int = 0
    joined: int = 0
    untraced: int = 0  # responses with no trace
    orphaned: int = 0  # traces with no response
    bad: int = 0  # records that could not be understood
    passages: int = 0
    findings: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, int]:
        """Return the counts as they are written to JSON; findings are told apart."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "findings"}


class InteractionReading:
    """One reading of all the evidence at a path: iterate over it for the interactions.

    The files are read twice: first for the traces and spans, which are held in memory until their response comes,
    then for the responses, which are not. With ``strict`` the first finding is raised.
    """

    def __init__(
        self, source: str | os.PathLike[str], *, contract: Contract, corpus: Corpus | None = None, strict: bool = False
    ) -> None:
        self.counts = ReadCounts()
        self.findings: list[Finding] = []  # those that belong to no interaction
        self._evidence = Evidence(source)
        self.source = self._evidence.source
        self._contract = contract
        self._corpus = corpus if corpus is not None else Corpus()
        self._strict = strict
        self._traces: dict[str, tuple[str, bytes]] = {}
        self._seen = Seen()
        self._begun = False
        self._spans = SpanGroups()

    def position(self) -> tuple[int, int | None]:
        """Return how much was read of all that will be, in bytes."""
        done, total = self._evidence.position()
        return done, None if total is None else _PASSES * total

    def __iter__(self) -> Iterator[Interaction]:
        if self._begun:
            raise RuntimeError("a reading can be iterated over once; make another to read again")
        self._begun = True
        return self._interactions()

    def _interactions(self) -> Iterator[Interaction]:
        for deviation in (*self._corpus.findings, *self._evidence.skipped()):
            self._note(deviation)
        noted = len(self._corpus.findings)
        for record in self._evidence.records():
            self._gather(record)
        for deviation in self._corpus.findings[noted:]:
            self._note(deviation)
        self.counts.passages = len(self._corpus)
        for record in self._evidence.records():
            for response, trace in responses_in(record.value):
                yield self._join(response, trace, record.where)
        for where, response, trace in self._spans.interactions():
            yield self._join(response, trace, where)
        for trace_id, (where, _) in self._traces.items():
            self.counts.orphaned += 1
            self._note(finding("trace_orphan", where, f"trace {described(trace_id)} has no response"))
        if not self.counts.responses:
            first = f": {self.findings[0].message}" if self.findings else ""
            raise InputError(f"{self.source}: there is no response in it{first}")

    def _gather(self, record: Record) -> None:
        """Keep what belongs to responses that may stand elsewhere; note what belongs to nothing."""
        value, where = record.value, record.where
        if isinstance(value, Flaw):
            self._lose(where, value.reason)
            return
        if not isinstance(value, dict):
            self._lose(where, f"a record must be a JSON object, not {described(value)}")
            return
        match shape_of(value):
            case "spans":
                for span in filter(is_span, spans_of(value)):
                    self._spans.add(span, where)
            case "span":
                self._spans.add(value, where)
            case "langfuse part":
                self._spans.add_langfuse(value, where)
            case "trace":
                self._keep_trace(trace_in(value), where)
            case "passage":
                self._keep_passage(value, where)
            case "unknown":
                keys = ", ".join(list(value)[:_SHOWN_KEYS]) or "none"
                self._lose(where, f"neither a response nor a trace nor a passage; its keys are {keys}")

    def _keep_trace(self, trace: Mapping[str, object], where: str) -> None:
        self.counts.traces += 1
        trace_id = trace.get("trace_id")
        key = key_of_trace(str(trace_id)) if isinstance(trace_id, (str, int)) else ""
        if key and key not in self._traces:
            self._traces[key] = where, orjson.dumps(trace)
            return
        self.counts.orphaned += 1
        if key:
            said = f"trace {described(trace_id)} stands at {self._traces[key][0]} already"
            self._note(finding("trace_id_twice", where, said))
        else:
            self._note(finding("trace_orphan", where, "a trace has no trace_id, so no response can be its own"))

    def _keep_passage(self, value: Mapping[str, object], where: str) -> None:
        log = FindingLog(where)
        passage = log.take(passage_of, "passage", named_as_here(value))
        if passage is not None:
            self._corpus.add(passage, where)
        for deviation in log.findings:
            self._note(deviation)

    def _join(self, response: Mapping[str, object], own: Mapping[str, object] | None, where: str) -> Interaction:
        log = FindingLog(where)
        sample, has_contexts = read_response(response, self._contract, log)
        key = key_of_trace(sample.trace_id) if sample.trace_id is not None else None
        trace = None
        if own is not None:
            self.counts.traces += 1
            trace = read_trace(own, log)
        elif key is not None and key in self._traces:
            place, content = self._traces.pop(key)
            aside = FindingLog(place)
            own = orjson.loads(content)
            trace = read_trace(own, aside)
            log.findings += aside.findings
        if key is not None:
            first = self._seen.first_place(key, self.counts.responses + 1)
            if first is not None:
                log.add("trace_id_twice", f"trace_id {described(sample.trace_id)} is that of response {first} already")
        self.counts.responses += 1
        self.counts.joined += trace is not None
        self.counts.untraced += trace is None
        interaction = replace(
            join(sample, trace, self._corpus, log, own=has_contexts), given=Given(response=response, trace=own)
        )
        for each in interaction.findings:
            self._count(each)
        return interaction

    def _lose(self, where: str, reason: str) -> None:
        self.counts.bad += 1
        self._note(finding("record_bad", where, reason))

    def _note(self, deviation: Finding) -> None:
        self._count(deviation)
        if len(self.findings) < _MOST_KEPT:
            self.findings.append(deviation)

    def _count(self, deviation: Finding) -> None:
        if self._strict:
            raise InputError(f"{deviation.where}: {deviation.message} ({deviation.code})")
        self.counts.findings[deviation.code] = self.counts.findings.get(deviation.code, 0) + 1


Source = str | os.PathLike[str]


def read_interactions(
    path: Source,
    passages: Source | None = None,
    strict: bool = False,  # noqa: FBT001, FBT002 - the word of the command line, read as one
    *,
    compliance: Loaded[ComplianceRubric] | None = None,
    refusals: Loaded[RefusalTaxonomy] | None = None,
) -> InteractionReading:
    """Return a reading of the responses and traces at ``path``: iterate over it for the interactions.

    ``path`` is a JSON or JSONL file, or a folder of them; ``passages`` is the corpus, by passage id. Deviations from
    the response contract are findings of their interaction, or of the reading; with ``strict`` the first is raised.
    """
    corpus = read_corpus(passages) if passages is not None else None
    contract = contract_of(compliance or load_compliance(), refusals or load_refusals())
    return InteractionReading(path, contract=contract, corpus=corpus, strict=strict)
