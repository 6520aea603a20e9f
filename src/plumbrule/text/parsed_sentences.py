"""The parses of sentences as plain values, kept for as long as they are met again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plumbrule.text.dependency_parser import parsed

if TYPE_CHECKING:
    from spacy.strings import StringStore
    from spacy.tokens import Doc

_KEPT_CHARACTERS = 200_000
_HEAD = 5  # its place among the attributes that are asked for
_WORD_SIZE = 1 << 64  # a place before a word is told as a number below 0, without its sign


class ParsedToken:
    """A word of a parsed sentence, with the parser's own names for what it says of it."""

    __slots__ = ("children", "dep_", "head", "i", "idx", "is_currency", "like_num", "lower_", "tag_", "text")

    def __init__(
        self, place: int, offset: int, text: str, lower: str, tag: str, dependency: str, *, number: bool, currency: bool
    ) -> None:
        self.i = place
        self.idx = offset
        self.text = text
        self.lower_ = lower
        self.tag_ = tag
        self.dep_ = dependency
        self.like_num = number
        self.is_currency = currency
        self.head = self
        self.children: list[ParsedToken] = []


ParsedSentence = list[ParsedToken]


class _Kept(dict[str, ParsedSentence]):
    """The sentences parsed last; emptied when full, so that memory does not grow with the text read."""

    def __init__(self) -> None:
        super().__init__()
        self._characters = 0

    def keep(self, parses: dict[str, ParsedSentence]) -> None:
        characters = sum(map(len, parses))
        if self._characters + characters > _KEPT_CHARACTERS:
            self.clear()
            self._characters = 0
        if characters <= _KEPT_CHARACTERS:
            self.update(parses)
            self._characters += characters


_KEPT = _Kept()


def parse_sentences(sentences: Sequence[str]) -> list[ParsedSentence]:
    """Return the parse of each sentence; one that comes again is parsed once, and what it gets is the same."""
    known = {sentence: parse for sentence in sentences if (parse := _KEPT.get(sentence)) is not None}
    new = list(dict.fromkeys(sentence for sentence in sentences if sentence not in known))
    with parsed(new) as docs:
        fresh = dict(zip(new, _plain(docs), strict=True))
    _KEPT.keep(fresh)
    known |= fresh
    return [known[sentence] for sentence in sentences]


def _plain(docs: Sequence["Doc"]) -> list[ParsedSentence]:
    """Return parses as plain values; each attribute is taken from a whole sentence at once."""
    if not docs:
        return []
    from spacy import attrs  # noqa: PLC0415 - it loads slowly

    asked = [attrs.IDX, attrs.ORTH, attrs.LOWER, attrs.TAG, attrs.DEP, attrs.HEAD, attrs.LIKE_NUM, attrs.IS_CURRENCY]
    texts = _Texts(docs[0].vocab.strings)
    parses = []
    for doc in docs:
        rows = doc.to_array(asked).tolist()
        tokens = [
            ParsedToken(
                place, offset, texts[orth], texts[lower], texts[tag], texts[dependency],
                number=bool(number), currency=bool(currency),
            )
            for place, (offset, orth, lower, tag, dependency, _, number, currency) in enumerate(rows)
        ]  # fmt: skip
        for token, row in zip(tokens, rows, strict=True):
            away = row[_HEAD]
            if away:
                token.head = head = tokens[(token.i + away) % _WORD_SIZE]  # how far it stands off, backward too
                head.children.append(token)  # in the order of the sentence, as the parser has them
        parses.append(tokens)
    return parses


class _Texts(dict[int, str]):
    """What the parser calls by numbers, looked up once each."""

    def __init__(self, strings: "StringStore") -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, number: int) -> str:
        text = self[number] = self._strings[number]
        return text
