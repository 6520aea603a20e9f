"""How much of a reference answer an answer says: its values, its key words, and what it says to the contrary."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from plumbrule.rubrics.rules_policy import AccuracyRules
from plumbrule.support.value_evidence import find_value
from plumbrule.text.text_view import TextView, TextViews
from plumbrule.text.tokens import lemmas
from plumbrule.text.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What of a reference stands in an answer, in the words of each."""

    found: tuple[str, ...]  # values of the reference
    missing: tuple[str, ...]
    contradicted: tuple[tuple[str, str], ...]  # what the reference says, what the answer says instead
    words: int  # key words of the reference
    missing_words: tuple[str, ...]

    @property
    def share(self) -> Fraction:
        """The share of the key words that the answer has; all of none."""
        return Fraction(self.words - len(self.missing_words), self.words) if self.words else Fraction(1)

    def score(self, rules: AccuracyRules) -> int:
        """Return the accuracy that this amounts to."""
        if self.contradicted:
            return 0
        spared = bool(self.found) and len(self.missing_words) <= rules.spare_words
        if not self.missing and (spared or self.share >= rules.full_share):
            return 2
        return 1 if self.found or (self.words and self.share >= rules.partial_share) else 0


def compare(
    reference: TextView, answer: TextView, question: TextView, *, stop: frozenset[str], rules: AccuracyRules
) -> Comparison:
    """Look in the answer for what the reference adds to the question: what was asked need not be said again."""
    values = [value for value in reference.values if not value.weak]
    added = [value for value in values if find_value(value, reference, TextViews([question])) is None]
    missing = [value for value in added if find_value(value, reference, TextViews([answer])) is None]
    words = _key_words(reference, values, question, stop, only=not added)
    return Comparison(
        found=tuple(_text(value, reference) for value in added if value not in missing),
        missing=tuple(_text(value, reference) for value in missing),
        contradicted=(
            *_opposite_opening(reference, answer, rules),
            *_rivals(missing, reference, answer, question, stop=stop, overlap=rules.contradiction_overlap),
        ),
        words=len(words),
        missing_words=tuple(word for word in words if word not in answer.lemma_set),
    )


def _key_words(
    reference: TextView, values: list[Value], question: TextView, stop: frozenset[str], *, only: bool
) -> list[str]:
    """Return the distinct content lemmas beside the values that the question does not have.

    Where that leaves nothing and the words are ``only`` there is to compare, all content lemmas, else all lemmas.
    """
    text = reference.text
    for value in values:
        text = text[: value.start] + " " * (value.end - value.start) + text[value.end :]
    every = list(dict.fromkeys(lemmas(text)))
    content = [lemma for lemma in every if lemma not in stop]
    new = [lemma for lemma in content if lemma not in question.lemma_set]
    return new if new or not only else content or every


def _rivals(
    missing: list[Value],
    reference: TextView,
    answer: TextView,
    question: TextView,
    *,
    stop: frozenset[str],
    overlap: Fraction,
) -> Iterator[tuple[str, str]]:
    """Yield each missing value with the other value that the answer gives for it, which the reference knows not."""
    for value in missing:
        topic = _topic(value, reference, question, stop)
        best: tuple[Fraction, Value] | None = None
        for other in answer.rivals_of(value):
            if not topic or any(
                find_value(other, answer, TextViews([known])) is not None for known in (reference, question)
            ):
                continue
            fit = Fraction(len(topic & answer.lemmas_beside(other.start)), len(topic))
            if fit >= overlap and (best is None or fit > best[0]):
                best = fit, other
        if best is not None:
            yield _text(value, reference), _text(best[1], answer)


def _topic(value: Value, reference: TextView, question: TextView, stop: frozenset[str]) -> set[str]:
    """Return what a value is said of: the words of its sentence, else, as with "91%.", those of the question."""
    sentence = reference.sentence_at(value.start)
    text = reference.text
    beside = lemmas(f"{text[sentence.start : value.start]} {text[value.end : sentence.end]}")
    words = {lemma for lemma in beside if lemma not in stop}
    return words or {lemma for lemma in question.lemmas if lemma not in stop}


def _opposite_opening(reference: TextView, answer: TextView, rules: AccuracyRules) -> Iterator[tuple[str, str]]:
    one, other = (view.lemmas[0] if view.lemmas else "" for view in (reference, answer))
    for left, right in ((rules.opens_yes, rules.opens_no), (rules.opens_no, rules.opens_yes)):
        if one in left and other in right:
            yield one, other


def _text(value: Value, view: TextView) -> str:
    return view.text[value.start : value.end]
