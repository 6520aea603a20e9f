"""One sentence of an answer with its words, its numbers and its names."""

import re
from bisect import bisect_left

from plumbrule.support.word_lists import SupportWords
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView
from plumbrule.text.values import Value

_MARKER = re.compile(r"[\[【][\d\s,;^–-]*\Z")  # before a number of a citation marker
_OPENING = frozenset('.:!?*•\n("“')


class SaidSentence:
    """One sentence with its words."""

    def __init__(self, answer: TextView, sentence: Sentence, known: SupportWords) -> None:
        self.answer, self.place = answer, sentence
        longest = known.constants.sentences.longest_marker
        first, last = answer.words_between(sentence.start, sentence.end)
        words = [
            (lemma, (begin, end))
            for lemma, begin, end in zip(answer.lemmas[first:last], answer.spans[0][first:last],
                                         answer.spans[1][first:last], strict=True)
            if lemma.strip("0123456789,")
            or not (_in_marker(answer.text, begin, longest) or known.numbers(answer.text, begin))
        ]  # fmt: skip
        self.lemmas = [lemma for lemma, _ in words]  # without the numbers of citation markers
        self.spans = [span for _, span in words]
        self.text = answer.text[sentence.start : sentence.end]
        self.folded = self.text.casefold().replace("’", "'")
        self.values = [
            value
            for value in answer.values_between(*sentence)
            if not value.weak and not known.numbers(answer.text, value.start)
        ]
        self._starts = [start for start, _ in self.spans]
        self.in_values = frozenset(start for value in self.values for start in self.starts_in(value))
        self.content = dict.fromkeys([lemma for lemma in self.lemmas if lemma not in known.stop])

    def starts_in(self, value: Value) -> list[int]:
        """Return where the words of a number or a date start."""
        return self._starts[bisect_left(self._starts, value.start) : bisect_left(self._starts, value.end)]

    def says_unknown(self, known: SupportWords) -> bool:
        """Tell whether the sentence says that its sources do not tell something."""
        named = not known.sources.isdisjoint(self.lemmas)
        phrases = known.unknowns + known.unknowns_of_sources if named else known.unknowns
        return any(phrase in self.folded for phrase in phrases)

    def names(self, known: SupportWords) -> list[list[int]]:
        """Return the runs of capitalised words that are no mere openings, each as the places of its words."""
        text, constants = self.answer.text, known.constants.sentences
        least = constants.least_name
        capital = [text[start].isupper() and end - start >= least for start, end in self.spans]
        if len(capital) >= constants.title_words and sum(capital) > constants.title_share * len(capital):
            return []
        runs: list[list[int]] = []
        for index, lemma in enumerate(self.lemmas):
            if not capital[index] or lemma in known.stop or text[slice(*self.spans[index])].isdigit():
                continue
            if lemma in known.thesaurus and self._opens(index):  # any word begins a sentence with a capital
                continue
            if lemma in known.sources or known.thesaurus.kind(lemma) == "r":
                continue
            if runs and runs[-1][-1] == index - 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        return runs

    def _opens(self, index: int) -> bool:
        """Tell whether a word begins the sentence, an item of a list, or what follows a colon or an opening mark."""
        return index == 0 or not _OPENING.isdisjoint(self.answer.text[self.spans[index - 1][1] : self.spans[index][0]])


def _in_marker(text: str, at: int, longest: int) -> bool:
    """Tell whether the number at ``at`` is one of a citation marker: [1], [2, 3], [^1]."""
    return _MARKER.search(text, max(0, at - longest), at) is not None
