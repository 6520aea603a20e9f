"""How well the stretches held unsupported fit those that people marked, by characters."""

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import SupportModel
from plumbrule.support.support_scorer import Support, SupportedSentence, SupportScorer
from plumbrule.text.text_view import TextView
from training.data import Labelled

MARKED = "ragtruth"  # the one data set whose annotators marked stretches
THRESHOLDS = (Fraction("0.3"), Fraction("0.4"), Fraction("0.5"))
_WORD = re.compile(r"\w+")

Spans = list[tuple[int, int]]


class Fit(NamedTuple):
    """How many characters were held unsupported, how many were marked, and how many were both."""

    held: int
    marked: int
    both: int

    @property
    def precision(self) -> float:
        """The share of what is held unsupported that people marked."""
        return self.both / self.held if self.held else 0.0

    @property
    def recall(self) -> float:
        """The share of what people marked that is held unsupported."""
        return self.both / self.marked if self.marked else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.both / (self.held + self.marked) if self.held + self.marked else 0.0


def score_spans(rows: Sequence[Labelled], model: SupportModel) -> dict[str, Fit]:
    """Return the fit of every way to hold stretches unsupported, over all marked answers together."""
    marked = [row for row in rows if row.data_set == MARKED]
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(_fits, marked, [model] * len(marked), chunksize=50))
    return {
        way: Fit(*[sum(figures) for figures in zip(*[each[way] for each in found], strict=True)]) for way in found[0]
    }


def _fits(row: Labelled, model: SupportModel) -> dict[str, Fit]:
    answer, contexts = TextView(row.answer), [TextView(context) for context in row.contexts]
    known = set(_WORD.findall(" ".join(row.contexts).lower()))
    lacking = [
        (each.start, each.end)
        for each in answer.sentences
        if not known.issuperset(_WORD.findall(row.answer[each.start : each.end].lower()))
    ]
    ways: dict[str, Spans] = {"everything": [(0, len(row.answer))], "sentences with a word missing": lacking}
    rules = load_verdict().rubric.support
    for threshold in THRESHOLDS:
        scorer = SupportScorer(replace(rules, unsupported_below=threshold), model=model)
        support = scorer.score(answer, contexts, row.question)
        below = f"below {float(threshold):g}"
        ways[f"sentences {below}"] = list(support.spans) if support is not None else []
        ways[f"first to last finding of sentences {below}"] = _cut(support, _between)
        ways[f"the findings alone of sentences {below}"] = _cut(support, _findings)
    return {way: _fit(spans, row) for way, spans in ways.items()}


def _cut(support: Support | None, cut: Callable[[SupportedSentence], Iterable[tuple[int, int]]]) -> Spans:
    """Return parts of the sentences held unsupported; a sentence without findings is held as a whole."""
    if support is None:
        return []
    held = [each for each in support.sentences if each.band == "unsupported"]
    return [span for each in held for span in (cut(each) if each.findings else [(each.start, each.end)])]


def _between(sentence: SupportedSentence) -> Spans:
    return [(min(each.start for each in sentence.findings), max(each.end for each in sentence.findings))]


def _findings(sentence: SupportedSentence) -> Spans:
    return [(each.start, each.end) for each in sentence.findings]


def _fit(spans: Spans, row: Labelled) -> Fit:
    held = {place for start, end in spans for place in range(start, end)}
    marked = {place for start, end in row.spans for place in range(start, end)}
    return Fit(len(held), len(marked), len(held & marked))
