"""Find the assertive claims of a text: who does what to what, with hedges, conditions and questions left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from plumbrule.text.parsed_sentences import ParsedSentence, ParsedToken, parse_sentences
from plumbrule.text.sentences import Sentence, sentences
from plumbrule.text.tokens import lemmas
from plumbrule.text.work_limits import MOST_PARSED

_LONGEST_PARSED = 1_500
# What a parser would stumble over: emphasis, code marks, citation markers. Replaced by as many spaces.
_NOISE = re.compile(r"[*_`#|]+|[\[【]\^?\d+(?:\s*,\s*\d+)*[\]】]")
_LETTERS = re.compile(r"[^\W\d_]{2}")

_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_OBJECTS = frozenset({"dobj", "attr", "acomp", "oprd"})
_PREPOSITIONS = frozenset({"prep", "agent"})
_PHRASE = frozenset({"det", "amod", "compound", "nummod", "poss", "quantmod", "nmod", "npadvmod", "punct", "case"})
_CLAUSES = frozenset({"ccomp", "xcomp", "advcl", "relcl", "acl", "conj", "pcomp", "acomp", "prep", "dobj", "attr"})
_NOUNS = ("NN", "CD", "PRP", "DT", "$", "VBG", "JJ", "FW", "X", "%")
_NOT_PREDICATES = frozenset({"aux", "auxpass", "amod", "compound"})
_RELATIVE = frozenset({"WDT", "WP", "WP$", "IN"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWords:
    """The word lists that decide what is asserted; they come from the rubric."""

    most_per_verb: int
    modals: frozenset[str]
    hedge_verbs: frozenset[str]
    hedge_words: frozenset[str]
    conditions: frozenset[str]
    opaque_subjects: frozenset[str]
    pronouns: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A noun phrase, a verb or a complement: its span, its head's place and lemma, and all its lemmas."""

    start: int
    end: int
    head_start: int
    head: str
    lemmas: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One asserted subject-verb-object triple, with offsets into the text it stands in.

    ``mention`` is where the subject stands in this sentence; ``subject`` is what it names, which for a
    pronoun is the last subject named before.
    """

    start: int
    end: int
    sentence: Sentence
    mention: Phrase
    subject: Phrase
    verb: Phrase
    object: Phrase


def extract_claims(
    texts: Sequence[str], words: ClaimWords, known: Sequence[Sequence[Sentence]] | None = None
) -> list[tuple[Claim, ...]]:
    """Return the claims of each text; all their sentences are parsed together, for speed.

    ``known`` are the sentences of each text where they are read already.
    """
    places = known if known is not None else map(sentences, texts)
    pieces = [
        (index, piece)
        for index, (text, places_there) in enumerate(zip(texts, places, strict=True))
        for piece in _pieces(text, places_there)
    ]
    claims_of: list[list[Claim]] = [[] for _ in texts]
    parses = parse_sentences([_quiet(texts[index][piece.start : piece.end]) for index, piece in pieces])
    for (index, piece), parse in zip(pieces, parses, strict=True):
        claims = claims_of[index]
        named = claims[-1].subject if claims else None
        claims.extend(_Clauses(parse, piece, words, named).claims())
    return [tuple(claims) for claims in claims_of]


def _pieces(text: str, places: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences worth parsing, the long ones in pieces, up to the limit: a question claims nothing."""
    for sentence in places:
        start = sentence.start
        if start >= MOST_PARSED:
            return
        while start < sentence.end:
            end = sentence.end
            if end - start > _LONGEST_PARSED:
                space = text.rfind(" ", start + 1, start + _LONGEST_PARSED)
                end = space if space > start else start + _LONGEST_PARSED
            piece = text[start:end]
            if "?" not in piece and _LETTERS.search(piece):
                yield Sentence(start, end)
            start = end


def _quiet(text: str) -> str:
    return _NOISE.sub(lambda noise: " " * len(noise[0]), text)


class _Clauses:
    """The clauses of one parsed sentence."""

    def __init__(self, parse: ParsedSentence, sentence: Sentence, words: ClaimWords, named: Phrase | None) -> None:
        self._parse = parse
        self._sentence = sentence
        self._words = words
        self._named = named

    def claims(self) -> Iterator[Claim]:
        for verb in self._parse:
            if not verb.tag_.startswith("VB") or verb.dep_ in _NOT_PREDICATES or not _finite(verb):
                continue
            subjects = self._subjects(verb)
            if not subjects or not self._asserted(verb):
                continue
            pairs = product(subjects, self._objects(verb))
            for subject, target in islice(pairs, self._words.most_per_verb):
                claim = self._claim(subject, verb, target)
                if claim is not None:
                    yield claim

    def _claim(self, subject: ParsedToken, verb: ParsedToken, target: ParsedToken) -> Claim | None:
        mention, action, complement = self._phrase(subject), self._word(verb), self._phrase(target)
        if mention is None or action is None or complement is None or subject.i == target.i:
            return None
        if mention.head in self._words.opaque_subjects or subject.lower_ in self._words.opaque_subjects:
            return None
        if target.lower_ in self._words.pronouns or target.tag_ in _RELATIVE:
            return None
        named = mention
        if subject.lower_ in self._words.pronouns:
            if self._named is None:
                return None
            named = self._named
        else:
            self._named = mention
        return Claim(
            start=min(mention.start, action.start, complement.start),
            end=max(mention.end, action.end, complement.end),
            sentence=self._sentence,
            mention=mention,
            subject=named,
            verb=action,
            object=complement,
        )

    def _subjects(self, verb: ParsedToken) -> list[ParsedToken]:
        """Return who the verb is said of; a later verb of a list shares the first one's subject."""
        own = [child for child in verb.children if child.dep_ in _SUBJECTS]
        if own:
            subject = own[0]
            if verb.dep_ == "relcl" and subject.tag_ in _RELATIVE:
                return [verb.head]
            if subject.dep_ == "csubj" or not subject.tag_.startswith(_NOUNS):
                return []
            return [subject, *_joined(subject)]
        if verb.dep_ == "conj" and verb.head.tag_.startswith("VB") and verb.tag_ != "VBG":
            return self._subjects(verb.head)
        return []

    def _objects(self, verb: ParsedToken) -> list[ParsedToken]:
        """Return what is said: the direct objects and complements, else what a preposition brings in."""
        direct = [child for child in verb.children if child.dep_ in _OBJECTS]
        if not direct:  # "lasts 12 months"
            direct = [child for child in verb.children if child.dep_ == "npadvmod" and child.i > verb.i]
        if not direct:
            for child in verb.children:
                if child.dep_ in _PREPOSITIONS and child.i > verb.i:
                    direct = [inner for inner in child.children if inner.dep_ == "pobj"][:1]
                    if direct:
                        break
        if not direct:
            inner = next((child for child in verb.children if child.dep_ == "xcomp"), None)
            return self._objects(inner) if inner is not None and inner.i > verb.i else []
        return [target for head in direct for target in (head, *_joined(head))]

    def _asserted(self, verb: ParsedToken) -> bool:
        """Tell whether the clause and all that it hangs from state a fact."""
        clause = verb
        while True:
            if self._hedged(clause) or self._conditional(clause):
                return False
            head = clause.head
            while head.i != clause.i and not head.tag_.startswith("VB"):
                if head.dep_ not in _CLAUSES and head.dep_ not in _SUBJECTS and head.dep_ != "pobj":
                    break
                if head.head.i == head.i:
                    break
                head = head.head
            if head.i == clause.i or not head.tag_.startswith("VB"):
                return True
            if clause.dep_ == "conj" and any(child.dep_ in _SUBJECTS for child in clause.children):
                # A clause with a subject of its own stands for itself; only a shared condition reaches it.
                return not self._conditional(head)
            clause = head

    def _hedged(self, verb: ParsedToken) -> bool:
        words = self._words
        if not words.hedge_verbs.isdisjoint(lemmas(verb.text)):
            return True
        for child in verb.children:
            folded = child.lower_
            if child.dep_ == "aux" and folded in words.modals:
                return True
            if folded in words.hedge_words and child.dep_ in {"advmod", "acomp", "attr", "oprd", "neg"}:
                return True
            if child.dep_ in {"acomp", "attr"} and any(inner.lower_ in words.hedge_words for inner in child.children):
                return True
        return False

    def _conditional(self, verb: ParsedToken) -> bool:
        conditions = self._words.conditions
        for child in verb.children:
            if child.dep_ in {"mark", "advmod"} and child.lower_ in conditions:
                return True
            if child.dep_ in {"advcl", "prep"} and (
                child.lower_ in conditions or any(inner.lower_ in conditions for inner in child.children)
            ):
                return True
        return False

    def _phrase(self, head: ParsedToken) -> Phrase | None:
        members = sorted(_phrase_members(head), key=lambda token: token.i)
        offset = self._sentence.start
        head_lemmas = lemmas(head.text)
        if not head_lemmas and not any(member.like_num for member in members):
            return None
        last = members[-1]
        inner = [lemma for member in (*members, *_of(head)) for lemma in lemmas(member.text)]
        return Phrase(
            start=offset + members[0].idx,
            end=offset + last.idx + len(last.text),
            head_start=offset + head.idx,
            head=head_lemmas[-1] if head_lemmas else "",
            lemmas=tuple(inner),
        )

    def _word(self, token: ParsedToken) -> Phrase | None:
        word_lemmas = lemmas(token.text)
        if not word_lemmas:
            return None
        start = self._sentence.start + token.idx
        return Phrase(
            start=start, end=start + len(token.text), head_start=start, head=word_lemmas[-1], lemmas=tuple(word_lemmas)
        )


def _finite(verb: ParsedToken) -> bool:
    """Tell whether a verb asserts: "to file" and "reviewers praising" name a deed, they do not state it."""
    helpers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    if any(child.tag_ == "TO" for child in helpers):
        return False
    return verb.tag_ != "VBG" or bool(helpers)


def _joined(head: ParsedToken) -> list[ParsedToken]:
    """Return what ``and`` or ``or`` joins to a head, all along the list."""
    joined: list[ParsedToken] = []
    step = head
    while True:
        following = next((child for child in step.children if child.dep_ == "conj"), None)
        if following is None or following.tag_.startswith("VB"):
            return joined
        joined.append(following)
        step = following


def _phrase_members(head: ParsedToken) -> Iterator[ParsedToken]:
    yield head
    for child in head.children:
        if child.dep_ in _PHRASE and (child.dep_ != "punct" or child.text == "-" or child.is_currency):
            yield from _phrase_members(child)


def _of(head: ParsedToken) -> Iterator[ParsedToken]:
    """Yield what ``of`` or ``for`` adds to a head: the period *of retention*."""
    for child in head.children:
        if child.dep_ == "prep" and child.lower_ in {"of", "for"}:
            for inner in child.children:
                if inner.dep_ == "pobj":
                    yield from _phrase_members(inner)
