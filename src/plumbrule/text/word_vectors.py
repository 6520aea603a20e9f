"""The vectors of words: those of each word by itself are kept, and its neighbours are looked at in few steps."""

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

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


class _Layer(NamedTuple):
    """The numbers of one layer: of its product, of which the greatest are chosen, and of the scale of what it gives."""

    weights: Any
    bias: Any
    scale: Any
    shift: Any


class _Neighbours:
    """The layers that add to the vector of each word what its neighbours tell.

    They do what thinc's own do, to the last bit, in three quarters of the time: the numbers of which the greatest is
    chosen lie in blocks, mean and variance share their work, and arrays are changed in place.
    """

    def __init__(self, encoder: Any) -> None:  # noqa: ANN401 - a model of thinc
        import numpy as np  # noqa: PLC0415 - it loads slowly

        self._np = np
        self._gemm = encoder.ops.gemm
        self._pad = encoder.attrs["pad"]  # rows between texts, so that no word looks at those of another
        self._layers = [_layer(np, residual.layers[0]) for residual in encoder.layers[0].layers]

    def add(self, vectors: Sequence[Any]) -> list[Any]:
        """Return the vectors of the words of each text with their neighbours looked at."""
        pad = self._pad
        ends = list(accumulate([len(each) + pad for each in vectors], initial=pad))
        rows = self._np.zeros((ends[-1], vectors[0].shape[1]), dtype=vectors[0].dtype)
        places = [slice(start, start + len(each)) for start, each in zip(ends, vectors, strict=False)]
        for place, each in zip(places, vectors, strict=True):
            rows[place] = each
        self._change(rows)
        return [rows[place] for place in places]

    def _change(self, rows: Any) -> None:  # noqa: ANN401 - an array
        np, width = self._np, rows.shape[1]
        windows = np.zeros((len(rows), 3 * width), dtype=rows.dtype)  # each row between those beside it
        products = squares = None
        for layer in self._layers:
            windows[1:, :width] = rows[:-1]
            windows[:, width : 2 * width] = rows
            windows[:-1, 2 * width :] = rows[1:]
            products = self._gemm(windows, layer.weights, out=products, trans2=True)
            products += layer.bias
            best = np.maximum(products[:, :width], products[:, width : 2 * width])
            for first in range(2 * width, products.shape[1], width):
                np.maximum(best, products[:, first : first + width], out=best)
            best -= np.add.reduce(best, axis=1, keepdims=True) / width
            squares = np.multiply(best, best, out=squares)
            variance = np.add.reduce(squares, axis=1, keepdims=True) / width + 1e-08
            best *= variance ** (-1.0 / 2.0)
            best *= layer.scale
            best += layer.shift
            rows += best


def _layer(np: Any, model: Any) -> _Layer:  # noqa: ANN401 - numpy, and a model of thinc
    by_name = {layer.name: layer for layer in model.walk()}
    maxout, norm = by_name["maxout"], by_name["layernorm"]
    weights, bias = maxout.get_param("W"), maxout.get_param("b")
    return _Layer(
        weights=np.ascontiguousarray(weights.transpose(1, 0, 2).reshape(-1, weights.shape[2])),
        bias=bias.T.ravel(),
        scale=norm.get_param("G"),
        shift=norm.get_param("b"),
    )


def keep_word_vectors(language: "Language") -> None:
    """Let the parser look up the words that it met before, and take the layers of their neighbours in fewer steps.

    A good part of the work on word vectors is on each word by itself, and most words come again.
    """
    from thinc.api import Model  # noqa: PLC0415 - the parser loads slowly

    tok2vec: Any = language.get_pipe("tok2vec")
    layers = tok2vec.model.layers
    known, neighbours = _KnownVectors(layers[0]), _Neighbours(layers[1])

    def look_up(_: object, docs: "Sequence[Doc]", is_train: bool) -> tuple[list[Any], Any]:  # noqa: ARG001, FBT001 - so thinc calls it
        return known.of(docs), None

    def look_around(_: object, vectors: list[Any], is_train: bool) -> tuple[list[Any], Any]:  # noqa: ARG001, FBT001 - the same
        return neighbours.add(vectors), None

    layers[:] = [Model("known_words", look_up), Model("neighbours", look_around)]
