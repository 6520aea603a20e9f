"""One text seen through all that the scorers ask of it, each part worked out once and only when asked for."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from plumbrule.text.dates import Date
from plumbrule.text.sentences import Sentence, sentences
from plumbrule.text.tokens import lemmas, spans
from plumbrule.text.values import Value, comparable, extract_values, index_keys, rival_keys
from plumbrule.text.word_places import WordPlaces
from plumbrule.text.work_limits import FEW_VIEWS, MOST_COMPARED, MOST_RIVALS, MOST_RIVALS_IN_ALL

_CACHED_CHARACTERS = 1_000_000

T = TypeVar("T")
R = TypeVar("R")


class _Once(Generic[T]):
    """A property worked out on first use; functools' own takes a lock each time, which costs more than most parts."""

    def __init__(self, work: Callable[["TextView"], T]) -> None:
        self._work = work
        self._name = work.__name__
        self.__doc__ = work.__doc__

    def __get__(self, view: "TextView", owner: type) -> T:
        value = self._work(view)
        setattr(view, self._name, value)
        return value


class TextView:
    """A text with its lemmas, words, sentences and values; its content is what ``stop`` leaves of the lemmas."""

    def __init__(self, text: str, stop: frozenset[str] = frozenset()) -> None:
        self.text = text
        self.stop = stop
        self._by_rules: dict[Callable[..., Any], tuple[object, Any]] = {}
        self._beside: dict[int, frozenset[str]] = {}

    @_Once
    def lemmas(self) -> list[str]:
        """Give the lemma of each word, in order."""
        return lemmas(self.text)

    def by(self, work: Callable[["TextView", R], T], rules: R) -> T:
        """Return what ``work`` makes of this text by these rules, kept for as long as the rules stay the same."""
        known = self._by_rules.get(work)
        if known is None or known[0] is not rules:
            known = self._by_rules[work] = rules, work(self, rules)
        result: T = known[1]
        return result

    @_Once
    def content(self) -> list[str]:
        """Give the lemmas that are no stop words, in order."""
        stop = self.stop
        return [lemma for lemma in self.lemmas if lemma not in stop]

    @_Once
    def content_set(self) -> frozenset[str]:
        """Give the distinct lemmas that are no stop words."""
        return frozenset(self.content)

    @_Once
    def lemma_set(self) -> frozenset[str]:
        """Give the distinct lemmas."""
        return frozenset(self.lemmas)

    @_Once
    def spans(self) -> tuple[list[int], list[int]]:
        """Give where each word starts and where it ends."""
        return spans(self.text)

    @_Once
    def places(self) -> WordPlaces:
        """Give, for each lemma, which words have it."""
        return WordPlaces(zip(self.lemmas, strict=True))

    @_Once
    def sentences(self) -> list[Sentence]:
        """Give the sentences in order."""
        return sentences(self.text)

    @_Once
    def values(self) -> tuple[Value, ...]:
        """Give the numbers and dates in order."""
        return extract_values(self.text)

    @_Once
    def values_by_key(self) -> dict[Hashable, list[Value]]:
        """Give the values by their index keys, where a value that may match them looks them up."""
        table: dict[Hashable, list[Value]] = {}
        for value in self.values:
            for key in index_keys(value):
                table.setdefault(key, []).append(value)
        return table

    def values_under(self, keys: list[Hashable]) -> Iterable[Value]:
        """Return the values that may match one with these lookup keys."""
        table = self.values_by_key
        if table.keys().isdisjoint(keys):  # as in most contexts
            return ()
        return chain.from_iterable([table[key] for key in keys if key in table])

    @_Once
    def values_by_rival_key(self) -> dict[Hashable, list[Value]]:
        """Give the values by their rival keys: a value can be contradicted only by one that shares a key with it."""
        table: dict[Hashable, list[Value]] = {}
        for value in self.values:
            for key in rival_keys(value):
                table.setdefault(key, []).append(value)
        return table

    def rivals_of(self, value: Value) -> Iterable[Value]:
        """Return the values that would contradict ``value``, up to a number that bounds the work on endless lists."""
        table = self.values_by_rival_key
        candidates = [table[key] for key in rival_keys(value) if key in table]
        if not candidates:
            return ()
        looked_at = islice(chain.from_iterable(candidates), MOST_COMPARED)
        return islice((other for other in looked_at if comparable(value, other)), MOST_RIVALS)

    def values_between(self, start: int, end: int) -> tuple[Value, ...]:
        """Return the values that start in ``[start, end)``."""
        first = bisect_left(self.values, start, key=_start)
        return self.values[first : bisect_left(self.values, end, lo=first, key=_start)]

    def value_in(self, start: int, end: int) -> Value | None:
        """Return the first value that has a part in ``[start, end)``."""
        first = bisect_right(self.values, start, key=_end)
        value = self.values[first] if first < len(self.values) else None
        return value if value is not None and value.start < end else None

    def first_word(self, offset: int) -> int:
        """Return the index of the word that holds ``offset`` or, as with the sign of "$30", of the next one."""
        return min(bisect_right(self.spans[1], offset), max(0, len(self.lemmas) - 1))

    def words_between(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of words that start in ``[start, end)``."""
        starts = self.spans[0]
        return bisect_left(starts, start), bisect_left(starts, end)

    def words_of_stretch(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the range of words of ``[start, end)``; None where it begins or ends inside of a run of them.

        There the stretch by itself may have other words than the text has in it.
        """
        text = self.text
        if (start and not text[start - 1].isspace()) or (end < len(text) and not text[end].isspace()):
            return None
        return self.words_between(start, end)

    def sentence_at(self, offset: int) -> Sentence:
        """Return the sentence that holds ``offset``, or the last one before it."""
        index = bisect_right(self.sentences, (offset, len(self.text) + 1)) - 1
        return self.sentences[max(0, index)] if self.sentences else Sentence(0, len(self.text))

    def lemmas_beside(self, offset: int) -> frozenset[str]:
        """Return the lemmas of the sentence that holds ``offset``."""
        known = self._beside.get(offset)
        if known is None:
            start, end = self.sentence_at(offset)
            known = self._beside.get(start)
            if known is None:
                words = self.words_of_stretch(start, end)
                inside = lemmas(self.text[start:end]) if words is None else self.lemmas[slice(*words)]
                known = self._beside[start] = frozenset(inside)
            self._beside[offset] = known
        return known

    def lemmas_near(self, offset: int, reach: int) -> list[str]:
        """Return the lemmas of up to ``reach`` words on either side of ``offset``."""
        place = self.first_word(offset)
        return self.lemmas[max(0, place - reach) : place + reach]


def _start(value: Value) -> int:
    return value.start


def _end(value: Value) -> int:
    return value.end


class TextViews(list[TextView]):
    """The contexts of an answer, with tables over all of them that tell which may hold what is looked for.

    A few contexts are looked through one by one: that costs less than the tables.
    """

    def __init__(self, views: Iterable[TextView] = ()) -> None:
        super().__init__(views)
        self._holders: dict[str, dict[Hashable, list[int]]] = {}
        self._whole: dict[str, tuple[int, Sentence]] | None = None
        self._rivals: dict[tuple[Hashable, ...], list[tuple[int, TextView, Value]]] = {}

    def with_value(self, keys: Iterable[Hashable]) -> Sequence[int]:
        """Return which contexts may have a value under one of these lookup keys, in order."""
        return self._holding("values_by_key", keys)

    def rivals_of(self, value: Value) -> list[tuple[int, TextView, Value]]:
        """Return the values that would contradict ``value``, each with its context; not more than can be looked at."""
        if isinstance(value, Date):  # which dates differ depends on the date; which numbers, only on what they are of
            return self._find_rivals(value)
        keys = tuple(rival_keys(value))
        if keys not in self._rivals:
            self._rivals[keys] = self._find_rivals(value)
        return self._rivals[keys]

    def _find_rivals(self, value: Value) -> list[tuple[int, TextView, Value]]:
        holding = self._holding("values_by_rival_key", rival_keys(value))
        found = ((index, self[index], other) for index in holding for other in self[index].rivals_of(value))
        return list(islice(found, MOST_RIVALS_IN_ALL))

    def with_lemma(self, lemma: str) -> Sequence[int]:
        """Return which contexts may have a word with this lemma, in order."""
        return self._holding("places", (lemma,))

    def whole_sentence(self, text: str, stops: str) -> tuple[int, Sentence] | None:
        """Return the first sentence with exactly this text, its last ``stops`` left aside, and its context."""
        if self._whole is None:
            self._whole = {}
            for index, view in enumerate(self):
                for sentence in view.sentences:
                    self._whole.setdefault(view.text[slice(*sentence)].rstrip(stops), (index, sentence))
        return self._whole.get(text)

    def _holding(self, table: str, keys: Iterable[Hashable]) -> Sequence[int]:
        if len(self) <= FEW_VIEWS:
            return range(len(self))
        holders = self._holders.get(table)
        if holders is None:
            holders = self._holders[table] = {}
            for index, view in enumerate(self):
                for key in getattr(view, table):
                    holders.setdefault(key, []).append(index)
        lists = [holders[key] for key in keys if key in holders]
        return lists[0] if len(lists) == 1 else sorted(set(chain.from_iterable(lists)))


class ViewCache:
    """The views of the texts met last: passages come again and again in a dataset."""

    def __init__(self, characters: int = _CACHED_CHARACTERS, *, stop: frozenset[str] = frozenset()) -> None:
        self._capacity = characters
        self._stop = stop
        self._held = 0
        self._views: OrderedDict[str, TextView] = OrderedDict()

    def view(self, text: str) -> TextView:
        """Return the view of ``text``, new or from the cache."""
        known = self._views.get(text)
        if known is not None:
            self._views.move_to_end(text)
            return known
        view = TextView(text, self._stop)
        if len(text) <= self._capacity:
            self._views[text] = view
            self._held += len(text)
            while self._held > self._capacity:
                oldest, _ = self._views.popitem(last=False)
                self._held -= len(oldest)
        return view
