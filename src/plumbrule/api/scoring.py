"""Verdicts for Python callers and the command line: wires rubrics, samples, scorers and engines together."""

import functools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal

import orjson

from plumbrule._version import __version__
from plumbrule.api.results import Results, ScoredSample
from plumbrule.codec import from_json, json_line
from plumbrule.engines import Progress, map_chunks, with_progress
from plumbrule.engines.chunk_folder import ChunkFolder, InputEntry, Manifest, open_folder
from plumbrule.engines.chunks import Chunk, DoneChunk, Engine, chunks_of
from plumbrule.engines.local_processes import LocalEngine
from plumbrule.errors import EvaluationError, InputError, RecordError, UsageError
from plumbrule.files import written_whole
from plumbrule.rubrics import Loaded, VerdictRubric, load_verdict
from plumbrule.samples import (
    ALIASES,
    FIELDS,
    ArrowTable,
    DatasetFile,
    Passage,
    Reading,
    Sample,
    records_of,
    sample_from,
    samples_from,
)
from plumbrule.settings import usable_cores
from plumbrule.support.support_scorer import gives_support
from plumbrule.support.verifier import PackedVerifier, pack_verifier, verifier_folder
from plumbrule.verdicts import FailOn, StampJson, Verdict, VerdictJson, VerdictScorer, VerdictSummary, VerdictTally

ShippedRubric = Literal["recommended"] | None  # None is the specification's
_LINES = frozenset({".jsonl", ".ndjson"})
RESULT_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".xlsx", ".parquet", ".html", ".md", ".xml")  # of a file of verdicts
CHUNK_SIZE = 1000  # samples in each file of a folder of verdicts
_LISTED_BAD = 5  # bad records that are listed; the others are counted
_KNOWN = frozenset(FIELDS).union(*ALIASES.values())


def score(
    *,
    question: str | None = None,
    answer: str | None = None,
    contexts: str | Sequence[str | Mapping[str, object] | Passage] | None = None,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    **fields: object,
) -> Verdict:
    """Return the verdict on one answer.

    ``fields`` are further fields of a sample, such as ``refusal`` or ``expected``, or other tools' names of them.
    The result reads as an object
    (``result.verdict``, ``result.hallucination.score``) and like its JSON (``result["verdict"]``).

    >>> score(question="What is the fee?", answer="The fee is $30.", contexts=["The fee is $25."]).verdict
    'FAIL'
    """
    given: dict[str, object] = {"question": question, "answer": answer, "contexts": contexts, **fields}
    return score_sample(rubric=rubric, overrides=overrides, **given).verdict


def score_sample(
    *, rubric: str | Path | None = None, overrides: Mapping[str, object] | None = None, **fields: object
) -> ScoredSample:
    """Return one answer, given by its fields, with its verdict."""
    unknown = sorted(fields.keys() - _KNOWN)
    if unknown:
        raise UsageError(f"score() knows no field '{unknown[0]}'; the fields are {', '.join(FIELDS)}")
    sample = sample_from(fields)
    return ScoredSample(sample=sample, verdict=_scorer(rubric, overrides).score(sample))


def score_many(
    samples: str | os.PathLike[str] | DatasetFile | ArrowTable | Iterable[Sample | Mapping[str, object]],
    *,
    map: Mapping[str, str] | None = None,  # noqa: A002 - the word of the command line
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    workers: int = 1,
    skip_bad: bool = False,
) -> Results:
    """Return the verdict on each sample, in order.

    ``samples`` are a list of mappings or of ``Sample``, a DataFrame of pandas or Polars, an Arrow table, a Hugging
    Face dataset, or the path of a file; ``map`` says which column holds a field (``{"answer": "my_column"}``). NaN is
    a missing value. A bad record is an error; with ``skip_bad`` it is counted and left out. With ``workers`` above
    one, a long input is spread over that many processes; the verdicts are the same. An iterator, such as a generator,
    is a stream: its verdicts are made while they are taken, at most a few hundred samples ahead.
    """
    rules = _load(rubric, overrides)
    skipped: list[RecordError] = []
    labels = None
    if isinstance(samples, str | os.PathLike):
        samples = DatasetFile(samples, map or {})
    elif isinstance(samples, DatasetFile) and map:
        samples = replace(samples, mapping={**samples.mapping, **map})
    if isinstance(samples, DatasetFile):
        read: Iterable[Sample] = samples.open(on_bad=skipped.append if skip_bad else None)
    else:
        records = records_of(samples)
        labels = records.labels
        read = samples_from(records.rows, mapping=map, flat=records.flat, on_bad=skipped.append if skip_bad else None)
    rows = _scored_rows(rules, read, workers)
    if isinstance(samples, Iterator):
        return Results(rows, skipped=skipped, stream=True)
    scored = list(rows)
    if skipped and not scored:
        raise InputError(f"not one of the {len(skipped)} records could be read; the first: {skipped[0]}")
    if labels is not None and skipped:
        bad = {error.line for error in skipped}
        labels = [label for number, label in enumerate(labels, 1) if number not in bad]
    return Results(scored, skipped=skipped, labels=labels)


def _scored_rows(rules: Loaded[VerdictRubric], samples: Iterable[Sample], workers: int) -> Iterator[ScoredSample]:
    """Yield each sample with its verdict; the samples stay here, only verdicts come back from other processes."""
    pending: deque[Sample] = deque()

    def kept() -> Iterator[Sample]:
        for sample in samples:
            pending.append(sample)
            yield sample

    for verdicts in map_chunks(functools.partial(_verdicts_task, rules), kept(), workers=workers):
        for verdict in verdicts:
            yield ScoredSample(sample=pending.popleft(), verdict=verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredFile:
    """The summary of a scored dataset, its worst samples, and what was left out of it."""

    source: str
    summary: VerdictSummary
    worst: tuple[ScoredSample, ...]  # the worst first
    skipped: tuple[RecordError, ...]  # the first bad records that were skipped
    unread: tuple[str, ...]  # fields that a verdict uses and that no record has
    ungrounded: bool  # not one sample has a passage, so that the verdicts say nothing of the answers


def score_file(
    dataset: DatasetFile,
    *,
    rules: Loaded[VerdictRubric] | None = None,
    into: Path | BinaryIO | None = None,
    worst: int = 5,
    skip_bad: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
    fail_on: Iterable[FailOn] = (),
) -> ScoredFile:
    """Score a whole dataset over several processes; ``into`` gets the verdicts, a file in the format of its suffix.

    JSONL has each verdict whole as one line, which is also what a stream gets; XML is a JUnit report, in which a sample
    fails by ``fail_on``; the other formats are tables with one row for each. A file is written whole or not at all.
    With ``skip_bad`` bad records are counted; without, the first is an error.
    """
    rules = rules if rules is not None else load_verdict()
    if isinstance(into, Path):
        _check_output(into, dataset)
    skipped: list[RecordError] = []
    reading = dataset.open(on_bad=_keep_first(skipped) if skip_bad else None)
    tally: VerdictTally[Verdict] = VerdictTally(worst)
    form, write = _writer_for(into, fail_on)

    def written() -> Iterator[Any]:
        make_task = functools.partial(_ChunkScorer, rules, worst=worst, form=form)
        samples = with_progress(reading, progress)
        for results, part in map_chunks(make_task, samples, workers=workers or usable_cores()):
            tally.merge(part)
            yield from results

    with ExitStack() as stack:
        file = stack.enter_context(written_whole(into)) if isinstance(into, Path) else into
        for piece in write(written()):
            if file is not None:
                file.write(piece)
        _check_scored(reading, tally)
    return _scored_file(reading, tally, rules, skipped)


def score_into_folder(
    dataset: DatasetFile,
    address: str,
    *,
    engine: Engine | None = None,
    rules: Loaded[VerdictRubric] | None = None,
    chunk_size: int = CHUNK_SIZE,
    worst: int = 5,
    skip_bad: bool = False,
    progress: Progress | None = None,
) -> ScoredFile:
    """Score a whole dataset into a folder of chunk files, a path or the address of an object store.

    The files one after another are what ``score_file`` writes as JSONL. A manifest says what is there: after an
    interruption, or a change of the dataset, only the chunks that are missing or no longer right are scored.
    """
    rules = rules if rules is not None else load_verdict()
    engine = engine if engine is not None else LocalEngine(usable_cores())
    scorer = VerdictScorer(rules)
    skipped: list[RecordError] = []
    reading = dataset.open(on_bad=_keep_first(skipped) if skip_bad else None)
    tally: VerdictTally[Verdict] = VerdictTally(worst)
    head = Manifest(
        plumbrule=__version__,
        rubric=rules.stamp(),
        support=scorer.support_identity,
        chunk_size=chunk_size,
        input=InputEntry(source=reading.source, bytes=None, bad_records=None),
    )
    folder = ChunkFolder(open_folder(address), head)

    def missing() -> Iterator[Chunk[Sample]]:
        for chunk in chunks_of(with_progress(reading, progress), chunk_size):
            lines = folder.kept(chunk)
            part = None if lines is None else _tally_of(lines, chunk.samples, worst)
            if part is None:
                yield chunk
            else:
                tally.merge(part.rescored(scorer.score), before=chunk.first - 1)

    make_task = functools.partial(
        _ChunkScorer,
        rules,
        worst=worst,
        form=_line,
        packed=_packed_verifier(rules, engine),
        identity=scorer.support_identity,
    )
    try:
        for done in engine(make_task, missing()):
            _add_chunk(done, tally, folder)
        _check_scored(reading, tally)
    except BaseException:
        folder.save()
        raise
    folder.complete(InputEntry(source=reading.source, bytes=reading.position()[1], bad_records=reading.bad))
    return _scored_file(reading, tally, rules, skipped)


def _add_chunk(
    done: DoneChunk[Sample, tuple[list[bytes], VerdictTally[Verdict]]],
    tally: VerdictTally[Verdict],
    folder: ChunkFolder,
) -> None:
    """Count and write a chunk; one that could not be finished is not written."""
    if done.error is not None:
        raise done.error
    before = done.chunk.first - 1
    for _, part in done.results:
        tally.merge(part, before=before)
        before += part.attempted
    folder.add(done.chunk, b"".join(line for lines, _ in done.results for line in lines))


def _tally_of(lines: bytes, samples: list[Sample], worst: int) -> VerdictTally[VerdictJson] | None:
    """Return the tally of verdicts that were written before; None where they are not those of these samples."""
    tally: VerdictTally[VerdictJson] = VerdictTally(worst)
    try:
        for sample, line in zip(samples, lines.splitlines(), strict=True):
            verdict = from_json(VerdictJson, orjson.loads(line), where="a verdict")
            if verdict.id != sample.id:
                return None
            tally.add(sample, verdict)
    except (ValueError, InputError):  # it is no JSON, there are more or fewer, or it is no verdict
        return None
    return tally


def _packed_verifier(rules: Loaded[VerdictRubric], engine: Engine) -> PackedVerifier | None:
    """Return the files of the verifier, where an engine runs on machines that do not have them."""
    folder = verifier_folder(rules.rubric.support.verifier) if gives_support(rules.rubric) else None
    return None if folder is None or isinstance(engine, LocalEngine) else pack_verifier(folder)


def _check_scored(reading: Reading, tally: VerdictTally[Verdict]) -> None:
    if not tally.attempted:
        raise InputError(f"{reading.source}: not one of its {reading.bad} records could be read, so none was scored")


def _scored_file(
    reading: Reading, tally: VerdictTally[Verdict], rules: Loaded[VerdictRubric], skipped: list[RecordError]
) -> ScoredFile:
    return ScoredFile(
        source=reading.source,
        summary=tally.summary(bad_records=reading.bad, rubric=StampJson(**rules.stamp())),
        worst=tuple(ScoredSample(sample=sample, verdict=verdict) for sample, verdict in tally.worst()),
        skipped=tuple(skipped),
        unread=tuple(name for name in ("question", "contexts") if name not in reading.fields),
        ungrounded=not reading.with_contexts,
    )


def explain(
    dataset: DatasetFile, sample_id: str, *, rules: Loaded[VerdictRubric] | None = None, skip_bad: bool = False
) -> ScoredSample:
    """Score the one sample of a dataset with this id."""
    reading = dataset.open(on_bad=_keep_first([]) if skip_bad else None)
    for sample in reading:
        if sample.id == sample_id:
            return ScoredSample(sample=sample, verdict=VerdictScorer(rules or load_verdict()).score(sample))
    raise UsageError(f"{reading.source}: there is no sample '{sample_id}' among {reading.read}")


def verdict_rules(
    rubric: Path | None = None,
    overrides: Mapping[str, object] | None = None,
    *,
    claims: bool = True,
    support: bool | None = None,
    verifier: Path | None = None,
) -> Loaded[VerdictRubric]:
    """Return the verdict rubric with some choices laid over it.

    ``claims=False`` leaves the parser out; ``support`` says whether the support score is given, and None leaves that
    to the rubric; ``verifier`` is the folder of a cross-encoder that the support score asks as well.
    """
    changes = dict(overrides or {})
    anchors = load_verdict(rubric, changes).rubric.hallucination.anchors
    if support is not None:
        changes["support.when"] = "always" if support else "never"
    if verifier is not None:
        changes["support.verifier"] = str(verifier)
    if not claims and "claim" in anchors:
        changes["hallucination.anchors"] = [kind for kind in anchors if kind != "claim"]
    rules = load_verdict(rubric, changes)
    if verifier is not None and not gives_support(rules.rubric):
        raise UsageError("--verifier has a part in the support score, which is not given here: add --support")
    return rules


def check_fail_on(conditions: Iterable[FailOn], rules: Loaded[VerdictRubric]) -> None:
    """Raise where a condition could never be met, since the rubric does not give what it is about."""
    if "unsupported" in conditions and not gives_support(rules.rubric):
        raise UsageError("--fail-on unsupported goes by the support score, which is not given here: add --support")


class _ChunkScorer:
    """Scores samples to the lines of JSON that are written and the tally that is shown.

    Both are made where the scoring is done: handing verdicts from process to process costs more than making them.
    """

    def __init__(
        self,
        rules: Loaded[VerdictRubric],
        *,
        worst: int,
        form: Callable[[Sample, Verdict], Any] | None,
        packed: PackedVerifier | None = None,
        identity: Mapping[str, Mapping[str, str] | None] | None = None,
    ) -> None:
        self._scorer = VerdictScorer(rules, packed=packed)
        if identity is not None and self._scorer.support_identity != identity:
            raise EvaluationError("a worker has another model of support than this machine: install the same Plumbrule")
        self._worst = worst
        self._form = form

    def __call__(self, chunk: list[Sample]) -> tuple[list[Any], VerdictTally[Verdict]]:
        tally: VerdictTally[Verdict] = VerdictTally(self._worst)
        results: list[Any] = []
        for sample, verdict in zip(chunk, self._scorer.score_many(chunk), strict=True):
            tally.add(sample, verdict)
            if self._form is not None:
                results.append(self._form(sample, verdict))
        return results, tally


def _line(_sample: Sample, verdict: Verdict) -> bytes:
    return json_line(verdict.to_dict())


def _writer_for(
    into: Path | BinaryIO | None, fail_on: Iterable[FailOn]
) -> tuple[Callable[[Sample, Verdict], object] | None, Callable[[Iterator[Any]], Iterator[bytes]]]:
    """Return what is made of each verdict where it is scored, and what makes the pieces of the file of all of them."""
    if into is None:
        return None, iter
    if not isinstance(into, Path) or into.suffix.lower() in _LINES:
        return _line, iter
    if into.suffix.lower() == ".xml":
        from plumbrule.reports.verdict_junit import case_form, write_junit  # noqa: PLC0415 - few need it

        return case_form(fail_on), write_junit
    from plumbrule.reports.table_files import TABLE_FILES, Table  # noqa: PLC0415 - heavy, and only tables need it
    from plumbrule.reports.verdict_files import VERDICT_COLUMNS, verdict_row  # noqa: PLC0415 - the same

    kind = TABLE_FILES[into.suffix.lower()]
    return verdict_row, lambda rows: kind.write(Table(title="verdicts", columns=VERDICT_COLUMNS, rows=rows))


def _keep_first(errors: list[RecordError]) -> Callable[[RecordError], None]:
    """Return what keeps the first few bad records in ``errors``."""

    def keep(error: RecordError) -> None:
        if len(errors) < _LISTED_BAD:
            errors.append(error)

    return keep


def _check_output(output: Path, dataset: DatasetFile) -> None:
    if output.suffix.lower() not in RESULT_SUFFIXES:
        packed = f"; leave out {output.suffix}" if output.suffix in {".gz", ".zst"} else ""
        raise UsageError(f"{output}: results are written to {', '.join(RESULT_SUFFIXES)}: name the file so{packed}")
    if output.exists() and Path(dataset.path).exists() and output.samefile(dataset.path):
        raise UsageError(f"{output}: is the dataset itself; write the results to another file")


def _verdicts_task(loaded: Loaded[VerdictRubric]) -> Callable[[list[Sample]], list[Verdict]]:
    scorer = VerdictScorer(loaded)
    return lambda chunk: list(scorer.score_many(chunk))


def _load(rubric: str | Path | None, overrides: Mapping[str, object] | None) -> Loaded[VerdictRubric]:
    return load_verdict(Path(rubric) if rubric is not None else None, overrides)


def _scorer(rubric: str | Path | None, overrides: Mapping[str, object] | None) -> VerdictScorer:
    if not overrides and rubric is None:
        return shipped_scorer(None)
    if not overrides and rubric == "recommended":
        return shipped_scorer("recommended")
    return VerdictScorer(_load(rubric, overrides))


@functools.cache
def shipped_scorer(rubric: ShippedRubric = None) -> VerdictScorer:
    """Return the scorer by a rubric that ships, made once; threads may share it."""
    return VerdictScorer(_load(rubric, None))
