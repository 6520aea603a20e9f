"""At which places of a text each word stands."""

from collections.abc import Iterable, Iterator, Sequence


class WordPlaces:
    """Which of the parts of a text have each word, by their numbers; a part has a word once.

    Most words stand in one part, and that is kept as a mere number: making a list for each word takes longer, and
    leaves hundreds of objects for each context.
    """

    __slots__ = ("_places", "_stem", "_stems")

    def __init__(self, parts: Iterable[Iterable[str]], *, stem: int = 0) -> None:
        places: dict[str, int | list[int]] = {}
        for place, words in enumerate(parts):
            for word in words:
                known = places.setdefault(word, place)
                if isinstance(known, list):
                    known.append(place)
                elif known != place:
                    places[word] = [known, place]
        self._places = places
        self._stem = stem  # letters of a beginning that is asked for
        self._stems: dict[str, str | list[str]] | None = None

    def __contains__(self, word: str) -> bool:
        return word in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def get(self, word: str) -> Sequence[int]:
        """Return the parts that have a word, in their order."""
        known = self._places.get(word, ())
        return (known,) if isinstance(known, int) else known

    def beginning(self, letters: str) -> Sequence[str]:
        """Return the words that begin with these letters, as many as a stem has."""
        if self._stems is None:
            self._stems = {}
            for word in self._places:
                if len(word) >= self._stem:
                    known = self._stems.setdefault(word[: self._stem], word)
                    if isinstance(known, list):
                        known.append(word)
                    elif known is not word:
                        self._stems[word[: self._stem]] = [known, word]
        words = self._stems.get(letters, ())
        return (words,) if isinstance(words, str) else words
