"""A word that comes again has the vector that it had, to the last bit, and the table of them does not grow for ever."""

from typing import Any

import numpy as np
import pytest

from plumbrule.text import dependency_parser, word_vectors
from plumbrule.text.dependency_parser import load_parser
from plumbrule.text.word_vectors import _KnownVectors

TEXTS = ("The firm sold 12 bonds.", "The firm, which sold 12 bonds, paid \n twice.", "", "It sold.")


class _Attributes:
    """Words as arrays of their attributes."""

    def predict(self, texts: list[str]) -> list[Any]:
        return [np.array([[len(word), ord(word[0])] for word in text.split()], dtype="uint64").reshape(-1, 2)
                for text in texts]  # fmt: skip


class _Array:
    """A layer over an array, which counts the words that it is asked for."""

    def __init__(self) -> None:
        self.layers, self.asked = [self], 0

    def predict(self, rows: Any) -> Any:
        self.asked += len(rows)
        return np.sqrt(rows.astype("float32"))


class _Embedding:
    def __init__(self) -> None:
        self.counted = _Array()
        self.layers = [_Attributes(), None, self.counted, _Array(), None]


def vectors_of(known: _KnownVectors, *texts: Any) -> list[Any]:
    """Return the vectors of the words of texts, which stand for docs here."""
    return known.of(texts)


def as_bytes(vectors: list[Any]) -> list[bytes]:
    """Return vectors to the last bit."""
    return [np.asarray(each).tobytes() for each in vectors]


def test_a_vector_does_not_depend_on_the_words_beside_it() -> None:
    """What the parser sees of a text is the same alone, in a batch, and when it comes again."""
    language = load_parser()
    alone = [language(text).tensor for text in TEXTS]
    others = [f"Bond {number} of the firm was sold {number * 7} times." for number in range(300)]
    for _ in range(2):
        among = [doc.tensor for doc in language.pipe([*TEXTS, *others], batch_size=1000)][: len(TEXTS)]
        assert as_bytes(among) == as_bytes(alone)


def test_the_vectors_are_those_of_the_model_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done in fewer steps gives the numbers of the model's own layers, to the last bit."""
    wanted = [doc.tensor for doc in load_parser().pipe(TEXTS)]
    monkeypatch.setattr(dependency_parser, "keep_word_vectors", lambda _: None)
    own = [doc.tensor for doc in load_parser.__wrapped__().pipe(TEXTS)]
    assert as_bytes(wanted) == as_bytes(own)


def test_a_word_that_comes_again_is_looked_up() -> None:
    """Only words that were not met before are worked out, each once."""
    embedding = _Embedding()
    known = _KnownVectors(embedding)
    first = vectors_of(known, "one two two", "one")
    assert embedding.counted.asked == 2
    assert as_bytes(vectors_of(known, "two", "", "one one")) == [
        first[0][1].tobytes(), b"", first[0][:1].tobytes() * 2
    ]  # fmt: skip
    assert embedding.counted.asked == 2


def test_the_table_is_emptied_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words without end fill no memory, and a text of more words than the table holds is read all the same."""
    monkeypatch.setattr(word_vectors, "_MOST_WORDS", 3)
    known = _KnownVectors(_Embedding())
    wanted = {
        text: as_bytes(vectors_of(_KnownVectors(_Embedding()), text)) for text in ("a bb", "ccc dddd", "a bb ccc dddd")
    }
    for text in ("a bb", "ccc dddd", "a bb", "a bb ccc dddd", "ccc dddd", "a bb"):
        assert as_bytes(vectors_of(known, text)) == wanted[text]
        assert len(known._rows) <= 4
