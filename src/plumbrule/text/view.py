"""One text seen through all that the scorers ask of it, each part worked out once and only when asked for."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from functools import cached_property

from plumbrule.text.sentences import Sentence, sentences
from plumbrule.text.tokens import lemmas, spans
from plumbrule.text.values import Value, extract_values

_CACHED_CHARACTERS = 2_000_000


class TextView:
    """A text with its lemmas, words, sentences and values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._beside: dict[int, frozenset[str]] = {}

    @cached_property
    def lemmas(self) -> list[str]:
        """The lemma of each word, in order."""
        return lemmas(self.text)

    @cached_property
    def lemma_set(self) -> frozenset[str]:
        """The distinct lemmas."""
        return frozenset(self.lemmas)

    @cached_property
    def spans(self) -> tuple[list[int], list[int]]:
        """Where each word starts and where it ends."""
        return spans(self.text)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """For each lemma, which words have it."""
        places: dict[str, list[int]] = {}
        for index, lemma in enumerate(self.lemmas):
            places.setdefault(lemma, []).append(index)
        return places

    @cached_property
    def sentences(self) -> list[Sentence]:
        """The sentences in order."""
        return sentences(self.text)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The numbers and dates in order."""
        return extract_values(self.text)

    def word_at(self, offset: int) -> int:
        """Return the index of the word that holds ``offset``, or of the last one before it."""
        return max(0, bisect_right(self.spans[0], offset) - 1)

    def words_between(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of words that start in ``[start, end)``."""
        starts = self.spans[0]
        return bisect_left(starts, start), bisect_left(starts, end)

    def sentence_at(self, offset: int) -> Sentence:
        """Return the sentence that holds ``offset``, or the last one before it."""
        index = bisect_right(self.sentences, (offset, len(self.text) + 1)) - 1
        return self.sentences[max(0, index)] if self.sentences else Sentence(0, len(self.text))

    def lemmas_beside(self, offset: int) -> frozenset[str]:
        """Return the lemmas of the sentence that holds ``offset``."""
        sentence = self.sentence_at(offset)
        known = self._beside.get(sentence.start)
        if known is None:
            known = self._beside[sentence.start] = frozenset(lemmas(self.text[sentence.start : sentence.end]))
        return known


class ViewCache:
    """The views of the texts met last: passages come again and again in a dataset."""

    def __init__(self, characters: int = _CACHED_CHARACTERS) -> None:
        self._room = characters
        self._views: OrderedDict[str, TextView] = OrderedDict()

    def view(self, text: str) -> TextView:
        """Return the view of ``text``, made anew or kept from before."""
        known = self._views.get(text)
        if known is not None:
            self._views.move_to_end(text)
            return known
        view = TextView(text)
        if len(text) <= self._room:
            self._views[text] = view
            self._room -= len(text)
            while self._room < 0:
                old, _ = self._views.popitem(last=False)
                self._room += len(old)
        return view
