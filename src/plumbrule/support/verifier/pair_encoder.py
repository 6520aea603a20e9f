"""Turns evidence and sentence into the tokens that the graph reads, in as many windows as they need."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from plumbrule.support.verifier.verifier_config import AnswerReading

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Offsets = Sequence[tuple[int, int]]
_LONGEST_TOKEN = 16  # characters; tokens of no text have more in the mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What the graph reads: the ids, and which of the two texts each belongs to."""

    ids: list[int]
    type_ids: list[int]


class Encoder:
    """Fills the template and cuts what is longer than the graph can read."""

    def __init__(self, tokenizer: "Tokenizer", *, template: str, max_length: int, overlap: int) -> None:
        tokenizer.no_truncation()  # a tokenizer's file may set both, which would cut or change what is read here
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._template = template
        self._max_length = max_length
        self._overlap = overlap
        self._special = tuple(
            token.content for _, token in sorted(tokenizer.get_added_tokens_decoder().items()) if token.special
        )
        self.spare = max_length - len(self._filled("", "").ids)

    @property
    def frame(self) -> list[int]:
        """The marks that the tokenizer puts before and after a text."""
        return list(self._tokenizer.encode("").ids)

    def encode(self, evidence: str, sentence: str) -> list[list[Tokens]]:
        """Return the windows of the evidence, for each part of the sentence.

        What fits is one window for one part. A sentence that is longer than half the room is cut into parts.
        """
        evidence, sentence = self._plain(evidence), self._plain(sentence)
        whole = self._filled(evidence, sentence)
        if len(whole.ids) <= self._max_length:
            return [[_tokens(whole)]]
        parts = cut(sentence, self._offsets(sentence), room=self.spare // 2, overlap=0)
        return [self._windows(evidence, part) for part in parts]

    def fits(self, passages: Sequence[str], room: int) -> bool:
        """Tell whether passages have so few tokens that all of them are read."""
        if sum(map(len, passages)) > room * _LONGEST_TOKEN:
            return False
        return sum(len(self._offsets(self._plain(passage))) for passage in passages) <= room

    def encode_answer(self, passages: Sequence[str], question: str, answer: str, room: AnswerReading) -> Tokens:
        """Return passages and question, then the answer; of each part as much as there is room for."""
        begin, end = self.frame
        evidence = self._cut_ids(passages, room.passages)
        asked = [*self._cut_ids([question], room.question), end] if question.strip() else []
        first, second = [begin, *evidence, end, *asked], [*self._cut_ids([answer], room.answer), end]
        return Tokens(ids=first + second, type_ids=[0] * len(first) + [1] * len(second))

    def _cut_ids(self, texts: Sequence[str], room: int) -> list[int]:
        """Return the first tokens of these texts, one text after the other."""
        ids: list[int] = []
        for text in texts:
            if len(ids) >= room:
                break
            plain = self._plain(text[: room * _LONGEST_TOKEN])
            ids += self._tokenizer.encode(plain, add_special_tokens=False).ids
        return ids[:room]

    def _windows(self, evidence: str, sentence: str) -> list[Tokens]:
        offsets = self._offsets(evidence)
        room = self._max_length - len(self._filled("", sentence).ids)
        while True:
            windows = [
                self._filled(window, sentence) for window in cut(evidence, offsets, room=room, overlap=self._overlap)
            ]
            over = max(len(window.ids) for window in windows) - self._max_length
            if over <= 0 or room == 1:
                return [_tokens(window) for window in windows]
            room = max(1, room - over)  # a text cut out may have a token or two more than it had inside

    def _filled(self, evidence: str, sentence: str) -> "Encoding":
        match self._template:
            case "evidence_first":
                return self._tokenizer.encode(evidence, sentence)
            case "sentence_first":
                return self._tokenizer.encode(sentence, evidence)
        # filled by cutting the template, so that "{sentence}" inside the evidence stays what it is
        before, _, after = self._template.partition("{evidence}")
        before, after = (part.replace("{sentence}", sentence) for part in (before, after))
        return self._tokenizer.encode(f"{before}{evidence}{after}")

    def _offsets(self, text: str) -> Offsets:
        return self._tokenizer.encode(text, add_special_tokens=False).offsets

    def _plain(self, text: str) -> str:
        """Break what the tokenizer would take for a mark of its own: an answer must not end the evidence early."""
        text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text to the tokenizer
        for mark in self._special:
            if mark in text:
                text = text.replace(mark, f"{mark[0]} {mark[1:]}" if len(mark) > 1 else " ")
        return text


def cut(text: str, offsets: Offsets, *, room: int, overlap: int) -> list[str]:
    """Return the windows of at most ``room`` tokens that cover a text, each beginning ``overlap`` before the last ends.

    Windows begin and end with whole words, so that no number is cut in two, unless a word alone is too long.
    """
    total = len(offsets)
    if total <= room:
        return [text]
    gaps = (text[max(left[1] - 1, 0) : right[0] + 1] for left, right in pairwise(offsets))
    first_of_word = [True, *(any(map(str.isspace, gap)) for gap in gaps)]

    def word_start(number: int, above: int) -> int | None:
        return next((back for back in range(number, above, -1) if back == total or first_of_word[back]), None)

    windows = []
    start = 0
    while True:
        limit = min(start + room, total)
        end = word_start(limit, start) or limit
        windows.append(text[offsets[start][0] : offsets[end - 1][1]])
        if end == total:
            return windows
        back = end - overlap
        start = word_start(back, start) or (back if back > start else end)


def _tokens(encoding: "Encoding") -> Tokens:
    return Tokens(ids=encoding.ids, type_ids=encoding.type_ids)
