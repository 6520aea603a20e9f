"""Check a claim of an answer: subject and object must stand close together in a context that does not deny it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from plumbrule.support.evidence import Finding, evidence_in
from plumbrule.support.value_evidence import NEAR_WORDS
from plumbrule.text.claims import Claim
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView, TextViews
from plumbrule.text.values import Value, lookup_keys, match_value
from plumbrule.text.work_limits import MOST_CONTEXTS, MOST_OBJECTS, MOST_PAIRS
from plumbrule.verdicts.anchors import Triple

_STOPS = ".!"
_AFTER_PARTICLE = frozenset(",;:.!-–—")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCheck:
    """How near is near, and what denies; it comes from the rubric."""

    window: int
    stop: frozenset[str]
    negations: frozenset[str]
    negation_reach: int
    bounds: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A subject and an object that stand close together in a context."""

    context: int
    start: int
    end: int
    strength: int  # 2: one sentence that has the verb too; 1: one sentence; 0: near
    agrees: bool
    subject_words: int  # how much of the subject phrase the sentence has
    object_words: int  # how much of the object phrase stands just before its head


def check_claim(claim: Claim, answer: TextView, contexts: TextViews, rules: ClaimCheck) -> Finding:
    """Look for the claim in the contexts."""
    sentence_text = answer.text[claim.sentence.start : claim.sentence.end].rstrip(_STOPS)
    whole = contexts.whole_sentence(sentence_text, _STOPS)  # a part of one may mean something else ("$2" of "$25")
    if whole is not None:
        index, sentence = whole
        evidence = evidence_in(contexts, index, sentence.start, sentence.end)
        return Finding(supported=True, reason="found", evidence=evidence)
    return _Search(claim, answer, contexts, rules).finding()


def triple_of(claim: Claim, answer: TextView, rules: ClaimCheck) -> Triple:
    """Return the claim in words, as the answer has them."""
    text = answer.text
    return Triple(
        subject=text[claim.subject.start : claim.subject.end],
        verb=text[claim.verb.start : claim.verb.end],
        object=text[claim.object.start : claim.object.end],
        negated=_negated_in_answer(claim, answer, rules),
    )


class _Search:
    """One claim's search through its contexts."""

    def __init__(self, claim: Claim, answer: TextView, contexts: TextViews, rules: ClaimCheck) -> None:
        self._claim = claim
        self._answer = answer
        self._contexts = contexts
        self._rules = rules
        self._negated = _negated_in_answer(claim, answer, rules)
        self._subject_words = frozenset(claim.subject.lemmas) - rules.stop
        self._object_words = frozenset(claim.object.lemmas) - rules.stop - {claim.object.head}
        phrase = claim.object
        # what the object says in numbers, also as the count of its head noun
        self._value = value = answer.value_in(phrase.start, phrase.end)
        self._equal: tuple[TextView, list[int]] | None = None  # where the context looked at last has that value
        self._counts = value is not None and bool(phrase.head) and not value.start <= phrase.head_start < value.end

    def finding(self) -> Finding:
        holders = min(self._contexts.with_lemma(self._claim.subject.head), self._object_holders(), key=len)
        near = (pair for index in holders[:MOST_CONTEXTS] for pair in self._pairs(index))
        pairs = list(islice(near, MOST_PAIRS))
        rival = self._rival(max((pair.subject_words for pair in pairs), default=-1))
        if rival is not None:
            return rival
        if not pairs:
            return Finding(supported=False, reason="too_far" if self._both_somewhere() else "not_found")
        strongest = max((pair.object_words, pair.strength) for pair in pairs)
        candidates = [pair for pair in pairs if (pair.object_words, pair.strength) == strongest]
        agreeing = [pair for pair in candidates if pair.agrees]
        best = min(agreeing or candidates, key=lambda pair: (pair.end - pair.start, pair.context, pair.start))
        evidence = evidence_in(self._contexts, best.context, best.start, best.end)
        if agreeing:
            return Finding(supported=True, reason="near", evidence=evidence)
        return Finding(supported=False, reason="contradicted", evidence=evidence)

    def _pairs(self, index: int) -> Iterator[_Pair]:
        """Yield each object in a context with the subject nearest to it."""
        view = self._contexts[index]
        subjects = view.places.get(self._claim.subject.head)
        if not subjects:
            return
        starts, ends = view.spans
        for start, end in islice(self._objects(view, self._object_places(view, subjects)), MOST_OBJECTS):
            for place in _neighbours(subjects, view.first_word(start)):
                if starts[place] < end and start < ends[place]:
                    continue  # the same words
                if max(starts[place], start) - min(ends[place], end) <= self._rules.window:
                    yield self._pair(index, place, start, end)

    def _pair(self, index: int, place: int, start: int, end: int) -> _Pair:
        view = self._contexts[index]
        subject_start, subject_end = view.spans[0][place], view.spans[1][place]
        sentence = view.sentence_at(start)
        together = sentence.start <= subject_start < sentence.end
        target = view.first_word(start)
        verb = _nearest(view, self._claim.verb.head, sentence, target) if together else None
        agrees = True
        if verb is not None:
            agrees = _negated(view, (place, verb, target), sentence, self._rules) == self._negated
        before = view.lemmas[max(0, target - len(self._claim.object.lemmas)) : target]
        return _Pair(
            context=index,
            start=min(subject_start, start),
            end=max(subject_end, end),
            strength=together + (verb is not None),
            agrees=agrees,
            subject_words=len(self._subject_words & view.lemmas_beside(start)) if together else 0,
            object_words=len(self._object_words.intersection(before)),
        )

    def _object_places(self, view: TextView, subjects: Sequence[int]) -> Sequence[int]:
        """Return where the object's head noun stands; of many only those that a subject is near."""
        places = view.places.get(self._claim.object.head)
        if len(places) <= len(subjects):
            return places
        starts, ends = view.spans
        near: list[int] = []
        for subject in subjects:
            first = bisect_left(ends, starts[subject] - self._rules.window)
            last = bisect_right(starts, ends[subject] + self._rules.window)
            low = bisect_left(places, max(first, near[-1] + 1 if near else 0))
            near += places[low : bisect_left(places, last, low)]
        return near

    def _objects(self, view: TextView, places: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield where the claim's object stands: an equal value, or the head noun with an equal count."""
        if self._value is not None and not self._counts:
            for value in view.values_under(lookup_keys(self._value)):
                if self._matches(value, view):
                    yield value.start, value.end
            return
        for place in places:
            start, end = view.spans[0][place], view.spans[1][place]
            if self._value is not None and not self._has_equal(view, view.sentence_at(start)):
                continue
            yield start, end

    def _has_equal(self, view: TextView, sentence: Sentence) -> bool:
        """Tell whether a sentence of a context has the value of the object."""
        if self._value is None:
            return False
        if self._equal is None or self._equal[0] is not view:
            like = islice(view.values_under(lookup_keys(self._value)), MOST_OBJECTS)
            self._equal = view, sorted(value.start for value in like if self._matches(value, view))
        starts = self._equal[1]
        first = bisect_left(starts, sentence.start)
        return first < len(starts) and starts[first] < sentence.end

    def _matches(self, value: Value, view: TextView) -> bool:
        return self._value is not None and match_value(self._value, self._answer.text, value, view.text) is not None

    def _rival(self, supported_words: int) -> Finding | None:
        """Find another value for the same subject and verb, in a sentence that fits the subject better."""
        if self._value is None or self._negated:
            return None
        best: tuple[int, Value] | None = None
        best_fit: tuple[int, float] = supported_words, inf
        claimed = self._subject_words | self._object_words | {self._claim.verb.head}
        for index, view, value in self._contexts.rivals_of(self._value):
            beside = view.lemmas_beside(value.start)
            if self._claim.subject.head not in beside or self._claim.verb.head not in beside:
                continue
            if self._counts and self._claim.object.head not in beside:
                continue
            if self._has_equal(view, view.sentence_at(value.start)):
                continue
            words = len(self._subject_words & beside)
            if words < best_fit[0]:
                continue
            fit = words, len(claimed.intersection(view.lemmas_near(value.start, NEAR_WORDS)))
            if fit > best_fit:
                best, best_fit = (index, value), fit
        if best is None:
            return None
        index, value = best
        return Finding(
            supported=False, reason="contradicted", evidence=evidence_in(self._contexts, index, value.start, value.end)
        )

    def _both_somewhere(self) -> bool:
        contexts = self._contexts
        holders = contexts.with_lemma(self._claim.subject.head)
        if not any(self._claim.subject.head in contexts[index].places for index in holders):
            return False
        head = self._claim.object.head
        views = [contexts[index] for index in self._object_holders()[:MOST_CONTEXTS]]
        return any(next(self._objects(view, view.places.get(head)), None) is not None for view in views)

    def _object_holders(self) -> Sequence[int]:
        """Return which contexts may have the claim's object."""
        if self._value is not None and not self._counts:
            return self._contexts.with_value(lookup_keys(self._value))
        return self._contexts.with_lemma(self._claim.object.head)


def _neighbours(places: Sequence[int], place: int) -> Sequence[int]:
    """Return the places next to ``place`` on either side."""
    after = bisect_left(places, place)
    return places[max(0, after - 1) : after + 2]


def _nearest(view: TextView, lemma: str, sentence: Sentence, place: int) -> int | None:
    """Return the word of the sentence with this lemma that is nearest to ``place``."""
    first, last = view.words_between(sentence.start, sentence.end)
    inside = [index for index in _neighbours(view.places.get(lemma), place) if first <= index < last]
    return min(inside, key=lambda index: (abs(index - place), index)) if inside else None


def _negated_in_answer(claim: Claim, answer: TextView, rules: ClaimCheck) -> bool:
    places = tuple(
        answer.first_word(offset)
        for offset in (claim.mention.head_start, claim.verb.head_start, claim.object.head_start)
    )
    return _negated(answer, places, claim.sentence, rules)


def _negated(view: TextView, places: tuple[int, ...], sentence: Sentence, rules: ClaimCheck) -> bool:
    """Tell whether a denying word stands shortly before the subject, the verb or the object."""
    first, _ = view.words_between(sentence.start, sentence.end)
    for place in places:
        for index in range(max(first, place - rules.negation_reach - 1), place):
            if (
                view.lemmas[index] in rules.negations
                and view.lemmas[index + 1] not in rules.bounds
                and not (index == first and _is_particle(view, index))
            ):
                return True
    return False


def _is_particle(view: TextView, index: int) -> bool:
    """Tell whether a sentence's first word answers the question and denies nothing of what follows: "No, ..."."""
    end = view.spans[1][index]
    return view.text[end : end + 3].lstrip()[:1] in _AFTER_PARTICLE
