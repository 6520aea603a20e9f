"""What the support score costs: CPU time for an answer of RAGTruth and an everyday one, measured in this process."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_scorer import SupportScorer
from plumbrule.support.verifier import open_verifier
from plumbrule.text.claims import extract_claims
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.verdict import VerdictScorer, collector_paused
from training.data import Labelled
from training.everyday import VERIFIER
from training.everyday_rows import EverydayRow, read_everyday
from training.verdicts import sample_of

_EVERY = 3  # one answer in so many is timed
_TIMED = "ragtruth"
_EVERYDAY = "ash"


class Timing(NamedTuple):
    """Milliseconds of CPU time for an answer."""

    answers: int
    words: float  # of the answer
    context_words: float
    support: float  # every text read for the first time
    cached: float  # the contexts were met before
    verdict: float  # the whole verdict with claims and support
    parse: float  # of the whole, what the parse of the claims takes
    everyday: float  # support of an everyday answer, every text read for the first time
    verified: float  # the same with the verifier, for each sentence


def time_support(rows: Sequence[Labelled]) -> Timing:
    """Time each way once over the same answers, after a few to warm up."""
    timed = [row for row in rows if row.data_set == _TIMED][::_EVERY]
    loaded = load_verdict()
    support, verdicts = SupportScorer(loaded.rubric.support), VerdictScorer(loaded)
    words = lexicon_of(loaded.rubric).claims
    texts = [row.answer for row in timed]
    samples = [sample_of(row) for row in timed]
    fresh = [_views(row) for row in timed]
    everyday, others = ([_views(row) for row in read_everyday(_EVERYDAY)] for _ in range(2))
    verified = SupportScorer(loaded.rubric.support, open_verifier(VERIFIER))
    for views in [*map(_views, timed[:20]), *everyday[:20]]:
        support.score(*views)
    for views in others[:20]:
        verified.score(*views)
    extract_claims(texts[:20], words)

    def each(work: Callable[[], list[object]]) -> float:
        with collector_paused():  # as it is while samples are scored
            start = time.process_time()
            done = work()
            return 1000 * (time.process_time() - start) / len(done)

    anew = each(lambda: [support.score(*views) for views in fresh])
    again = [(TextView(answer.text), contexts, question) for answer, contexts, question in fresh]
    return Timing(
        answers=len(timed),
        words=sum(len(row.answer.split()) for row in timed) / len(timed),
        context_words=sum(len(row.source.split()) for row in timed) / len(timed),
        support=anew,
        cached=each(lambda: [support.score(*views) for views in again]),
        verdict=each(lambda: list(verdicts.score_many(samples))),
        parse=each(lambda: list(extract_claims(texts, words))),
        everyday=each(lambda: [support.score(*views) for views in everyday[20:]]),
        verified=each(lambda: [sentence for views in others[20:] for sentence in _sentences(verified, views)]),
    )


def _sentences(scorer: SupportScorer, views: tuple[TextView, list[TextView], str]) -> tuple[object, ...]:
    support = scorer.score(*views)
    return support.sentences if support is not None else ()


def _views(row: Labelled | EverydayRow) -> tuple[TextView, list[TextView], str]:
    """Return texts that nothing has read yet."""
    return TextView(row.answer), [TextView(context) for context in row.contexts], row.question
