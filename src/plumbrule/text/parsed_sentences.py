"""The parses of sentences as plain values, kept for as long as they are met again."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from plumbrule.text.dependency_parser import parsed

if TYPE_CHECKING:
    from spacy.tokens import Doc

_KEPT_CHARACTERS = 200_000


class ParsedToken:
    """A word of a parsed sentence, with the parser's own names for what it says of it."""

    __slots__ = ("children", "dep_", "head", "i", "idx", "is_currency", "like_num", "lower_", "tag_", "text")

    def __init__(self, place: int, offset: int, text: str, lower: str, tag: str, dependency: str) -> None:
        self.i, self.idx, self.text, self.lower_, self.tag_, self.dep_ = place, offset, text, lower, tag, dependency
        self.head = self
        self.children: list[ParsedToken] = []
        self.like_num = self.is_currency = False


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
        fresh = dict(zip(new, map(_plain, docs), strict=True))
    _KEPT.keep(fresh)
    known |= fresh
    return [known[sentence] for sentence in sentences]


def _plain(doc: "Doc") -> ParsedSentence:
    tokens = []
    for token in doc:
        plain = ParsedToken(token.i, token.idx, token.text, token.lower_, token.tag_, token.dep_)
        plain.like_num, plain.is_currency = token.like_num, token.is_currency
        tokens.append(plain)
    for plain, token in zip(tokens, doc, strict=True):
        head = tokens[token.head.i]
        if head is not plain:
            plain.head = head
            head.children.append(plain)  # in the order of the sentence, as the parser has them
    return tokens
