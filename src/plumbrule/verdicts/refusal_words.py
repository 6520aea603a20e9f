"""A refusal known by its wording: which clauses of an answer decline, and whether the rest answers anything.

Each word that the rubric names is written as one character and every other word as ``_``, so that a clause is a short
string and the rubric's patterns are regular expressions over it. Their gaps are bounded, and so is the work.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from plumbrule.rubrics.verdict_rubric import RefusalRules
from plumbrule.text.phrases import quotations
from plumbrule.text.text_view import TextView
from plumbrule.text.tokens import lemmas
from plumbrule.verdicts.completeness import TopicWords, extract_keywords

Extent = Literal["full", "partial"]
_Kind = Literal["declines", "doubts", "answers", "refers", "idle"]

_FIRST_CODE = 0xE000  # the first character for private use
_OPENING_QUOTE = 1  # an answer that is a quotation as a whole is read like any other
_UNNAMED = "_"
_BREAK = re.compile(r"[;:—–()\n]|\s-\s|[.!?]\s")
_END_MARKS = 4  # characters at the end of a sentence among which its question mark is
_MARKS = {"^": r"\A", "$": r"\Z", ",": ",", ".": "[^,]"}
_CONTENT_WORDS = 3  # fewer are the rest of something: "However", "As for that"


class DecliningClause(NamedTuple):
    """Where in the answer a clause declines: the words that say so, and the clause."""

    start: int
    end: int
    clause_start: int
    clause_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WordedRefusal:
    """What the wording of an answer refuses, all of it or a part, and the clauses that say so.

    There are none where the answer does nothing but send the asker elsewhere, or ask back.
    """

    extent: Extent
    clauses: tuple[DecliningClause, ...]
    answers_beside: bool  # a clause answers something, also where the refusal is of all that was asked


class _Clause(NamedTuple):
    """A clause in codes; ``words`` tells the word of each code, the next one for a comma."""

    code: str
    words: list[int]
    first: str  # its first lemma
    joined: bool  # by a word that joins the things of a list as well


class _Reading(NamedTuple):
    """What a clause does, and from where to where its code says so."""

    kind: _Kind
    clause: _Clause
    start: int = 0
    end: int = 0


class RefusalWording:
    """How a refusal is known by its words; it comes from the rubric."""

    def __init__(self, rules: RefusalRules, topic: TopicWords) -> None:
        self._topic = topic
        self._at_most_words = rules.at_most_words
        self._read_words = rules.read_words
        self._codes = codes = _Codes(rules)
        self._declines = codes.compile(rules.declines)
        self._doubts = codes.compile(rules.doubts)
        self._facts = codes.compile(rules.facts, gap="[^,]")
        self._courtesies = re.compile(rf"\A(?:(?:{codes.compile(rules.courtesies).pattern}),?)+")
        self._referrals = codes.compile(rules.referrals)
        self._asides = codes.compile(rules.asides)
        self._whole = codes.compile(rules.whole)
        self._place_asked = codes.compile(rules.place_asked)
        self._verbs = codes.compile(["VERB"])
        self._conflicts = _lemma_set(rules.conflicts)
        self._joins = _lemma_set(rules.joins)
        self._joins_after_comma = _lemma_set(rules.joins_after_comma)
        self._reasons = _lemma_set(rules.reasons)
        self._results = _lemma_set(rules.results)
        self._signs = _lemma_set(rules.signs)
        self._sign_codes = codes.compile(["|".join(rules.signs)])
        self._referring = _lemma_set([*rules.words["REFER"], "please"])

    def find(self, question: str, answer: TextView) -> WordedRefusal | None:
        """Return what the answer to a question refuses by its wording; None where it refuses nothing."""
        if not self._may_refuse(answer):
            return None
        readings = self._read(answer)
        kinds = [reading.kind for reading in readings]
        kind: _Kind = "declines" if "declines" in kinds or "answers" in kinds else "doubts"
        if kind not in kinds:
            return self._judge_referrals(question, kinds)
        declining = [reading for reading in readings if reading.kind == kind]
        whole = "answers" not in kinds or self._is_whole(
            question, answer, declining[0].clause, opens=kinds.index(kind) < kinds.index("answers")
        )
        clauses = [_place(answer, reading) for reading in declining]
        return WordedRefusal(
            extent="full" if whole else "partial", clauses=tuple(clauses), answers_beside="answers" in kinds
        )

    def _may_refuse(self, answer: TextView) -> bool:
        """Tell soon, as for most answers, that there is nothing to find: no clause declines, and it is no referral."""
        known = answer.lemma_set
        if not self._signs.isdisjoint(known):
            kinds = {reading.kind for reading in self._read(answer, only_signed=True)}
            if "declines" in kinds or "doubts" in kinds:
                return True
        short = len(answer.lemmas) <= self._at_most_words
        return short and ("?" in answer.text or not self._referring.isdisjoint(known))

    def _read(self, answer: TextView, *, only_signed: bool = False) -> list[_Reading]:
        """Tell what each clause of the answer does, or only those of sentences with a sign of a refusal."""
        readings: list[_Reading] = []
        for sentence in answer.sentences:
            first, last = answer.words_between(*sentence)
            if first >= self._read_words:
                break
            if only_signed and self._signs.isdisjoint(answer.lemmas[first:last]):
                continue
            asks = "?" in answer.text[max(sentence.start, sentence.end - _END_MARKS) : sentence.end]
            before: _Reading | None = None
            for clause in self._clauses(answer, first, min(last, self._read_words)):
                reading = self._read_clause(clause, answer, only_signed=only_signed)
                if reading.kind == "answers" and (asks or self._explains(reading, before)):
                    reading = _Reading("idle", clause)
                elif reading.kind == "declines" and before is not None and clause.first in self._results:
                    readings[-1] = _Reading("idle", before.clause) if before.kind == "answers" else before
                readings.append(reading)
                before = reading
        return _unquoted(readings, answer)

    def _explains(self, reading: _Reading, before: _Reading | None) -> bool:
        """Tell whether a clause says why the one before it declines."""
        return before is not None and before.kind == "declines" and reading.clause.first in self._reasons

    def _read_clause(self, clause: _Clause, answer: TextView, *, only_signed: bool) -> _Reading:
        if only_signed and self._sign_codes.search(clause.code) is None:  # as in most clauses
            return _Reading("idle", clause)
        courtesy = self._courtesies.match(clause.code)
        skipped = courtesy.end() if courtesy is not None else 0
        bare = clause.code[skipped:]
        if self._sign_codes.search(bare) is None:
            return _Reading("idle" if only_signed else self._kind_of(clause, bare, answer), clause)
        kinds: tuple[tuple[_Kind, re.Pattern[str]], ...] = (("declines", self._declines), ("doubts", self._doubts))
        for kind, patterns in kinds:
            place = self._find(patterns, bare)
            if place is not None:
                return _Reading(kind, clause, place[0] + skipped, place[1] + skipped)
        return _Reading("idle" if only_signed else self._kind_of(clause, bare, answer), clause)

    def _clauses(self, answer: TextView, first: int, last: int) -> Iterator[_Clause]:
        """Yield the clauses of a sentence, cut at breaks, at words that join and after a clause that opens with one."""
        text, (starts, ends) = answer.text, answer.spans
        code: list[str] = []
        words: list[int] = []
        joined = opens = False
        for index in range(first, last):
            lemma = answer.lemmas[index]
            between = text[ends[index - 1] : starts[index]] if code else " "
            comma = "," in between
            if not code:
                opens = lemma in self._joins
            elif (
                lemma in self._joins
                or (comma and (opens or lemma in self._joins_after_comma))
                or (between != " " and _BREAK.search(between) is not None)
            ):
                yield _Clause("".join(code), words, answer.lemmas[words[0]], joined)
                code, words, opens = [], [], False
                joined = lemma in self._joins_after_comma
            elif comma:
                code.append(",")
                words.append(index)
            code.append(self._codes.table.get(lemma, _UNNAMED))
            words.append(index)
        if code:
            yield _Clause("".join(code), words, answer.lemmas[words[0]], joined)

    def _find(self, patterns: re.Pattern[str], code: str) -> tuple[int, int] | None:
        """Return the first place of a pattern that is no part of a fact."""
        found = patterns.search(code)
        facts = [fact.span() for fact in self._facts.finditer(code)] if found is not None else []
        while found is not None and any(start < found.end() and found.start() < end for start, end in facts):
            found = patterns.search(code, found.start() + 1)
        return found.span() if found is not None else None

    def _kind_of(self, clause: _Clause, bare: str, answer: TextView) -> _Kind:
        """Tell what a clause does that declines nothing; ``bare`` is without its courtesies."""
        if self._referrals.search(bare) is not None or self._referrals.search(clause.code) is not None:
            return "refers"
        if self._asides.search(clause.code) is not None or (clause.joined and self._verbs.search(bare) is None):
            return "idle"
        text = answer.text[answer.spans[0][clause.words[0]] : answer.spans[1][clause.words[-1]]]
        says_something = len(bare) >= _CONTENT_WORDS or any(sign.isdigit() for sign in text)
        return "answers" if says_something else "idle"

    def _is_whole(self, question: str, answer: TextView, clause: _Clause, *, opens: bool) -> bool:
        """Tell whether an answer that says something besides declines all that was asked.

        It does where it names a conflict of its sources, or opens with a refusal of the question, or of each thing
        that was asked for.
        """
        if len(answer.lemmas) > self._at_most_words:
            return False
        if not self._conflicts.isdisjoint(answer.lemma_set):
            return True
        if not opens:
            return False
        if self._whole.search(clause.code) is not None:
            return True
        asked = extract_keywords(TextView(question), self._topic)
        return bool(asked) and asked.keys() <= {answer.lemmas[word] for word in clause.words}

    def _judge_referrals(self, question: str, kinds: list[_Kind]) -> WordedRefusal | None:
        """Tell whether an answer only refers the asker to somebody, or asks back: unless that is what was asked for."""
        if "answers" in kinds or "doubts" in kinds or "refers" not in kinds:
            return None
        asked = "".join([self._codes.table.get(lemma, _UNNAMED) for lemma in lemmas(question)])
        if self._place_asked.search(asked) is not None:
            return None
        return WordedRefusal(extent="full", clauses=(), answers_beside=False)


def _place(answer: TextView, reading: _Reading) -> DecliningClause:
    words = reading.clause.words
    starts, ends = answer.spans
    return DecliningClause(
        starts[words[reading.start]], ends[words[reading.end - 1]], starts[words[0]], ends[words[-1]]
    )


def _unquoted(readings: list[_Reading], answer: TextView) -> list[_Reading]:
    """Return the readings, with those that decline inside a quotation as part of the answer."""
    if not any(reading.kind == "declines" for reading in readings):
        return readings
    inner = [quoted for quoted in quotations(answer.text) if quoted[0] > _OPENING_QUOTE]
    if not inner:
        return readings
    starts = [start for start, _ in inner]
    kept = []
    for reading in readings:
        if reading.kind == "declines":
            place = _place(answer, reading)
            index = bisect_right(starts, place.start) - 1
            if index >= 0 and place.end <= inner[index][1]:
                reading = _Reading("answers", reading.clause)  # noqa: PLW2901 - the same one, read again
        kept.append(reading)
    return kept


class _Codes:
    """One character for each word that the rubric names, and its patterns as regular expressions over them."""

    def __init__(self, rules: RefusalRules) -> None:
        self._words = rules.words
        self._parts = rules.parts
        self.table: dict[str, str] = {}

    def compile(self, patterns: Iterable[str], *, gap: str = ".") -> re.Pattern[str]:
        return re.compile("|".join([self._pattern(pattern, gap) for pattern in patterns]) or r"(?!)")

    def _pattern(self, pattern: str, gap: str) -> str:
        return "".join([self._element(element, gap) for element in pattern.split()])

    def _element(self, element: str, gap: str) -> str:
        if element in _MARKS:
            return _MARKS[element]
        if element.startswith(("*", "~")):
            kept = gap if element.startswith("*") else f"(?!{self._element('VERB', gap)})[^,]"
            return f"(?:{kept}){{0,{int(element[1:])}}}?"
        bare = element.rstrip("?").lstrip("!")
        characters: set[str] = set()
        parts: list[str] = []
        for name in bare.split("|"):
            if name in self._parts:
                parts += [self._pattern(pattern, gap) for pattern in self._parts[name]]
            else:
                characters.update(map(self._code, _lemma_set(self._words.get(name, [name]))))
        listed = [f"[{''.join(sorted(characters))}]"] if characters else []
        group = f"(?:{'|'.join([*listed, *parts])})"
        return f"(?!{group})" if element.startswith("!") else f"{group}?" if element.endswith("?") else group

    def _code(self, lemma: str) -> str:
        return self.table.setdefault(lemma, chr(_FIRST_CODE + len(self.table)))


def _lemma_set(words: Iterable[str]) -> frozenset[str]:
    return frozenset([lemma for word in words for lemma in lemmas(word)[-1:]])
