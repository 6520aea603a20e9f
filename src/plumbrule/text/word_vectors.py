"""The vectors of words before their neighbours are looked at, kept for the words that come again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_MOST_WORDS = 20_000


class _KnownVectors:
    """The vector of each word, by the attributes that it is made from; emptied when full, so that memory stays flat.

    A row of a product of matrices is the same to the last bit whatever the other rows are, so that a vector does not
    depend on the words that it was worked out with.
    """

    def __init__(self, embedding: Any) -> None:  # noqa: ANN401 - a model of thinc, which has no types of its own
        import numpy as np  # noqa: PLC0415 - it loads slowly

        self._np = np
        self._attributes, _, looked_up, mixed, _ = embedding.layers
        self._layers = (looked_up.layers[0], mixed.layers[0])
        self._rows: dict[bytes, int] = {}
        self._table: Any = None

    def of(self, docs: "Sequence[Doc]") -> list[Any]:
        """Return the vectors of the words of each text."""
        attributes = [self._np.ascontiguousarray(each) for each in self._attributes.predict(docs)]
        size = attributes[0].itemsize * attributes[0].shape[1]
        whole = b"".join([each.tobytes() for each in attributes])
        words = [whole[start : start + size] for start in range(0, len(whole), size)]
        if not self._rows.keys() >= set(words):
            self._learn(words, attributes[0].dtype)
        vectors = self._table[[self._rows[word] for word in words]]
        return list(self._np.split(vectors, self._np.cumsum([len(each) for each in attributes])[:-1]))

    def _learn(self, words: Sequence[bytes], dtype: Any) -> None:  # noqa: ANN401 - one of numpy
        new = [word for word in dict.fromkeys(words) if word not in self._rows]
        if len(self._rows) + len(new) > _MOST_WORDS:
            self._rows.clear()
            new = list(dict.fromkeys(words))
        vectors = self._np.frombuffer(b"".join(new), dtype=dtype).reshape(len(new), -1)
        for layer in self._layers:
            vectors = layer.predict(vectors)
        first = len(self._rows)
        if self._table is None or first + len(new) > len(self._table):
            table = self._np.empty((max(_MOST_WORDS, len(new)), vectors.shape[1]), dtype=vectors.dtype)
            if first:
                table[:first] = self._table[:first]
            self._table = table
        self._table[first : first + len(new)] = vectors
        self._rows.update(zip(new, range(first, first + len(new)), strict=True))


def keep_word_vectors(language: "Language") -> None:
    """Let the parser look up the words that it met before instead of working out their vectors again.

    A good part of the work on word vectors is on each word by itself, and most words come again.
    """
    from thinc.api import Model  # noqa: PLC0415 - the parser loads slowly

    tok2vec: Any = language.get_pipe("tok2vec")
    layers = tok2vec.model.layers
    known = _KnownVectors(layers[0])

    def forward(_: object, docs: "Sequence[Doc]", is_train: bool) -> tuple[list[Any], Any]:  # noqa: ARG001, FBT001 - so thinc calls it
        return known.of(docs), None

    layers[0] = Model("known_words", forward)
