"""An interaction: a response joined with its trace and with the passages that it was given."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from plumbrule.interactions.contract_findings import Finding, FindingLog
from plumbrule.interactions.corpus import Corpus, CorpusNames
from plumbrule.interactions.formats.contract import Contract, read_response
from plumbrule.interactions.formats.shapes import responses_in
from plumbrule.interactions.trace import Trace, read_trace
from plumbrule.samples.sample_model import Passage, Sample
from plumbrule.samples.value_types import Misfit, described

PassagesFrom = Literal["trace", "response", "citations", "none"]

_ANSWERS, _REFUSALS = ("ANSWER", "PARTIAL_ANSWER"), ("REFUSE", "ESCALATE")
_FILLED = ("text", "source_id", "title", "collection", "effective_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What an interaction was read from: the response and the trace, as they came."""

    response: Mapping[str, object]
    trace: Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One response with all that is known of how it came about.

    ``passages`` are the retrieved ones in their order; where they come from the ``citations``, nobody said what was
    retrieved, and they are the corpus's passages that the citations quote.
    """

    sample: Sample
    trace: Trace | None = None
    passages: tuple[Passage, ...] = ()
    passages_from: PassagesFrom = "none"
    unresolved: tuple[str, ...] = ()  # ids of retrieved passages whose text nobody has
    corpus: CorpusNames | None = None
    findings: tuple[Finding, ...] = ()
    where: str = ""
    given: Given | None = field(default=None, compare=False, repr=False)

    @property
    def retrieval_known(self) -> bool:
        """Whether it is known which passages were retrieved, and all of them are here."""
        return self.passages_from in {"trace", "response"} and not self.unresolved


def interaction_from(
    record: Mapping[str, object], contract: Contract, corpus: Corpus | None = None, *, where: str = "record"
) -> Interaction:
    """Return one interaction from Python values: a response, or an object with response, trace and passages."""
    pair = next(responses_in(dict(record)), None)
    if pair is None:
        raise Misfit("this is no response: it has no answer and no refusal")
    response, given = pair
    log = FindingLog(where)
    sample, own = read_response(response, contract, log)
    trace = read_trace(given, log) if given is not None else None
    joined = join(sample, trace, corpus if corpus is not None else Corpus(), log, own=own)
    return replace(joined, given=Given(response=response, trace=given))


def authors_of(interaction: Interaction) -> tuple[str, ...]:
    """Return who wrote the answer, where response or trace name an ``author``, or several; else nobody is known."""
    if interaction.given is None:
        return ()
    response, trace = interaction.given.response, interaction.given.trace or {}
    named: list[object] = []
    for part in (response, response.get("metadata"), trace, trace.get("output"), trace.get("metadata")):
        author = part.get("author") if isinstance(part, Mapping) else None
        named += author if isinstance(author, list) else [author]
    return tuple(dict.fromkeys(name for name in named if isinstance(name, str) and name.strip()))


def join(sample: Sample, trace: Trace | None, corpus: Corpus, log: FindingLog, *, own: bool) -> Interaction:
    """Bring a response together with its trace and passages; ``own``: its contexts are more than cited excerpts."""
    _compare(sample, trace, log)
    passages, unresolved = _retrieved(sample.contexts if own else (), trace, corpus)
    origin: PassagesFrom = "none"
    if trace is not None and _names_passages(trace):
        origin = "trace"
    elif own:
        origin = "response"
    elif len(corpus):
        passages = _cited(sample, corpus)
        origin = "citations" if passages else "none"
    for id_ in unresolved:
        log.add("passage_unknown", f"retrieved passage {described(id_)} is in no file that was given")
    names = corpus.names if len(corpus) else None
    if origin != "none" and not unresolved:
        _look_for_sources(sample, passages, names, log)
    if passages:
        sample = replace(sample, contexts=passages)
    if sample.output_tokens is None and trace is not None and trace.output_tokens is not None:
        sample = replace(sample, output_tokens=trace.output_tokens)
    return Interaction(
        sample=sample,
        trace=trace,
        passages=passages,
        passages_from=origin,
        unresolved=unresolved,
        corpus=names,
        findings=tuple(log.findings),
        where=log.where,
    )


def _names_passages(trace: Trace) -> bool:
    """Tell whether a trace says which passages were retrieved; that there were none says it too."""
    retrieval = trace.retrieval
    return bool(retrieval.passage_ids or retrieval.passages) or retrieval.passages_retrieved == 0


def _compare(sample: Sample, trace: Trace | None, log: FindingLog) -> None:
    if trace is None:
        log.add("trace_missing", "there is no trace of this response")
        return
    if trace.query is not None and sample.question and trace.query.strip() != sample.question.strip():
        log.add("trace_differs", "the trace's input.query is not the response's query")
    code = sample.refusal.code if sample.refusal is not None else None
    for name, logged, said in (
        ("status", trace.grounding.status, sample.grounding_status),
        ("refusal code", trace.decision.refusal_code, code),
    ):
        if logged and said and logged != said:
            log.add("trace_differs", f"the trace's {name} is {described(logged)}, the response's {described(said)}")
    outcome = trace.decision.outcome
    if (outcome in _ANSWERS and sample.refused) or (outcome in _REFUSALS and not sample.refused):
        given = "a refusal" if sample.refused else "an answer"
        log.add("trace_differs", f"the trace's outcome is {outcome}, and the response is {given}")


def _look_for_sources(
    sample: Sample, passages: tuple[Passage, ...], names: CorpusNames | None, log: FindingLog
) -> None:
    known = {passage.source_id for passage in passages} | (names.sources if names is not None else frozenset())
    place = "corpus" if names is not None else "passages retrieved"
    for index, citation in enumerate(sample.citations):
        if known != {None} and citation.source_id is not None and citation.source_id not in known:
            source = described(citation.source_id)
            log.add("citation_nowhere", f"citations[{index}].source_id {source} is not in the {place}")


def _retrieved(
    contexts: tuple[Passage, ...], trace: Trace | None, corpus: Corpus
) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """Return the retrieved passages in the trace's order, then the others given, and the ids not found."""
    listed = trace.retrieval.passage_ids if trace is not None else ()
    inline = [
        _filled(passage, corpus) for passage in (*(trace.retrieval.passages if trace is not None else ()), *contexts)
    ]
    by_id = {passage.id: passage for passage in reversed(inline) if passage.id is not None and passage.text}
    resolved: list[Passage] = []
    unresolved: list[str] = []
    for id_ in dict.fromkeys(listed):
        passage = by_id.get(id_) or corpus.passage(id_)
        if passage is None:
            unresolved.append(id_)
        else:
            resolved.append(passage)
    resolved += [passage for passage in inline if passage.text and passage.id not in listed]
    return tuple(resolved), tuple(unresolved)


def _filled(passage: Passage, corpus: Corpus) -> Passage:
    """Return a passage with what the corpus knows and the record left out."""
    known = corpus.passage(passage.id) if passage.id is not None else None
    if known is None:
        return passage
    missing = {name: getattr(known, name) for name in _FILLED if not getattr(passage, name) and getattr(known, name)}
    return replace(passage, **missing) if missing else passage


def _cited(sample: Sample, corpus: Corpus) -> tuple[Passage, ...]:
    """Return the corpus's passages of the cited sources: all there is where nobody knows what was retrieved."""
    sources = dict.fromkeys(citation.source_id for citation in sample.citations if citation.source_id)
    return tuple(passage for source in sources for passage in corpus.of_source(source))
