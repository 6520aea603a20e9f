"""Verdicts for Python callers: wires rubrics, samples, scorers and engines together."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from plumbrule.engines.local_processes import map_chunks
from plumbrule.errors import UsageError
from plumbrule.rubrics import Loaded, VerdictRubric, load_verdict
from plumbrule.samples import ALIASES, FIELDS, Sample, sample_from, samples_from
from plumbrule.verdicts.verdict import Verdict, VerdictScorer

_KNOWN = frozenset(FIELDS).union(*ALIASES.values())


def score(
    *,
    question: str | None = None,
    answer: str | None = None,
    contexts: str | Sequence[str | Mapping[str, object]] | None = None,
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
    unknown = sorted(fields.keys() - _KNOWN)
    if unknown:
        raise UsageError(f"score() knows no field '{unknown[0]}'; the fields are {', '.join(FIELDS)}")
    record = {"question": question, "answer": answer, "contexts": contexts, **fields}
    return _scorer(rubric, overrides).score(sample_from(record))


def score_many(
    samples: Iterable[Sample | Mapping[str, object]],
    *,
    rubric: str | Path | None = None,
    overrides: Mapping[str, object] | None = None,
    workers: int = 1,
) -> Iterator[Verdict]:
    """Yield the verdict on each sample, in order, reading ``samples`` at most a few hundred ahead.

    A sample is a ``Sample`` or a mapping with any of the field names that files may have. With ``workers`` above
    one, a long input is spread over that many processes; the verdicts are the same.
    """
    make_task = functools.partial(_verdicts_task, _load(rubric, overrides))
    return chain.from_iterable(map_chunks(make_task, samples_from(samples), workers=workers))


def _verdicts_task(loaded: Loaded[VerdictRubric]) -> Callable[[list[Sample]], list[Verdict]]:
    scorer = VerdictScorer(loaded)
    return lambda chunk: list(scorer.score_many(chunk))


def _load(rubric: str | Path | None, overrides: Mapping[str, object] | None) -> Loaded[VerdictRubric]:
    return load_verdict(Path(rubric) if rubric is not None else None, overrides)


def _scorer(rubric: str | Path | None, overrides: Mapping[str, object] | None) -> VerdictScorer:
    if rubric is None and not overrides:
        return _shipped_scorer()
    return VerdictScorer(_load(rubric, overrides))


@functools.cache
def _shipped_scorer() -> VerdictScorer:
    return VerdictScorer(load_verdict())
