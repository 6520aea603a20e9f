"""What in the evidence speaks against a sentence: an opposite in a word's place, or a denial that only one has."""

from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from plumbrule.scorers.support.findings import Finding
from plumbrule.scorers.support.ground import Ground, Window
from plumbrule.scorers.support.said import SaidSentence
from plumbrule.scorers.support.words import SupportWords

_MOST_OPPOSITES = 2
_ADDED_DENIAL = 0.5  # for a denial where the evidence has none, and again where it says the denied word plainly
_TURNED = 2.0  # for a denial that either has where both say nearly the same words
_DENIED, _REACH = 2, 4  # content words that a denial speaks of, among so many words after it
_LEAST_STEM = 4  # letters of a word that a prefix turns round
_NEAR = 3  # words on either side that tell what a word is said of
_LEAST_TWIN, _TWIN_SHARE = 2, 0.8  # words, and share of them, that a unit must have to say the same as a sentence


class Opposition(NamedTuple):
    """How much speaks against a sentence, and what."""

    amount: float
    too_strong: bool
    findings: list[Finding]
    has_twin: bool  # a unit of the evidence has nearly every word of the sentence


def oppose(said: SaidSentence, ground: Ground, window: Window, known: SupportWords) -> Opposition:
    """Return what the units of a window say against a sentence."""
    return _Opposing(said, ground, window, known).result()


class _Opposing:
    def __init__(self, said: SaidSentence, ground: Ground, window: Window, known: SupportWords) -> None:
        self._said, self._known = said, known
        self._evidence = ground.lemmas_of(window)
        self._units = [ground.sequence(unit) for unit in range(window.first, window.last + 1)]
        self._denied_there = [self._denied_in(unit) for unit in self._units]
        self._denied = self._denied_in(said.lemmas)
        self._twins = self._find_twins()
        self._is_data = ground.is_data(window)

    def result(self) -> Opposition:
        findings = self._opposites()
        amount = float(min(_MOST_OPPOSITES, len(findings)))
        denial = next((at for at, lemma in enumerate(self._said.lemmas) if lemma in self._known.negations), None)
        if denial is not None:
            plain = self._said_plainly()
            added = self._against_denial(plain)
            amount += added
            if added:
                findings.append(Finding(*self._said.spans[denial], "negation", min(plain, default="")))
        elif self._twins and all(not self._denied_there[twin].isdisjoint(self._said.content) for twin in self._twins):
            amount += _TURNED
            findings.append(Finding(*self._said.place, "denial"))
        stronger = self._stronger({each.start for each in findings})
        return Opposition(amount, bool(stronger), findings + stronger, bool(self._twins))

    def _opposites(self) -> list[Finding]:
        """Return the words whose opposite the evidence has in their place."""
        known, findings = self._known, []
        for at, lemma in enumerate(self._said.lemmas):
            if lemma in self._evidence or lemma in self._said.lemmas[:at]:
                continue
            opposites = known.antonyms.get(lemma, frozenset())
            if lemma not in known.stop and lemma not in known.talk:
                opposites = opposites.union(known.thesaurus.antonyms(lemma))
                opposites = opposites.union(self._by_prefix(lemma))
            found = [other for other in sorted(opposites) if self._stands_for(other, at)]
            if found:
                findings.append(Finding(*self._said.spans[at], "opposite", found[0]))
        return findings

    def _by_prefix(self, lemma: str) -> list[str]:
        """Return the words that a prefix more or less makes of a word: unprofessional, professional."""
        prefixes = self._known.turning_prefixes
        longer = [prefix + lemma for prefix in prefixes] if len(lemma) >= _LEAST_STEM else []
        shorter = [lemma.removeprefix(prefix) for prefix in prefixes if lemma.startswith(prefix)]
        return longer + [each for each in shorter if len(each) >= _LEAST_STEM]

    def _stands_for(self, other: str, at: int) -> bool:
        """Tell whether the evidence has another word beside a word that stands beside the sentence's own."""
        said = self._said
        if other not in self._evidence or other in said.lemmas:
            return False
        beside = {lemma for lemma in _around(said.lemmas, at) if lemma in said.content and lemma != said.lemmas[at]}
        denied = said.lemmas[at] in self._denied
        return any(
            met == other
            and (other in denied_there) is denied  # to prohibit is not to allow
            and (not beside or not beside.isdisjoint(_around(unit, place)))
            for unit, denied_there in zip(self._units, self._denied_there, strict=True)
            for place, met in enumerate(unit)
        )

    def _stronger(self, told: Collection[int]) -> list[Finding]:
        """Return the first word that claims more than the weaker one that the evidence has in its place."""
        weaker = sorted(self._known.weaker & self._evidence)
        strong = [
            at
            for at, lemma in enumerate(self._said.lemmas)
            if lemma in self._known.strongest and lemma not in self._evidence and self._said.spans[at][0] not in told
        ]
        found = [at for at in strong if any(self._stands_for(other, at) for other in weaker)]
        return [Finding(*self._said.spans[at], "strength") for at in found[:1]]

    def _said_plainly(self) -> frozenset[str]:
        """Return what the sentence denies and the evidence says without a denial; data has its own check of denials."""
        if self._is_data or self._said.says_unknown(self._known):
            return frozenset()
        return (self._denied & self._evidence).difference(*self._denied_there)

    def _against_denial(self, plain: frozenset[str]) -> float:
        """Return what is against a denial: that the evidence has none, or that it says plainly what is denied."""
        if not self._denied:
            return 0.0
        none = self._evidence.isdisjoint(self._known.negations)
        return _TURNED if plain and self._twins else _ADDED_DENIAL * (none + bool(plain))

    def _denied_in(self, sequence: Sequence[str]) -> frozenset[str]:
        """Return the content words of a sequence that its denials speak of, and that it says nowhere plainly."""
        known = self._known
        denied: set[int] = set()
        for at, lemma in enumerate(sequence):
            if lemma in known.negations:
                reach = takewhile(
                    lambda place: sequence[place] not in known.turns, range(at + 1, min(at + 1 + _REACH, len(sequence)))
                )
                denied.update([place for place in reach if self._can_be_denied(sequence[place])][:_DENIED])
        return frozenset(sequence[place] for place in denied).difference(
            lemma for place, lemma in enumerate(sequence) if place not in denied
        )

    def _can_be_denied(self, lemma: str) -> bool:
        return lemma not in self._known.stop and self._known.thesaurus.kind(lemma) != "r"

    def _find_twins(self) -> list[int]:
        """Return which units have nearly every word of the sentence, its numbers left aside."""
        said = self._said
        content = {
            lemma
            for lemma, (start, _) in zip(said.lemmas, said.spans, strict=True)
            if lemma in said.content and start not in said.in_values
        }
        if len(content) < _LEAST_TWIN:
            return []
        least = _TWIN_SHARE * len(content)
        return [place for place, unit in enumerate(self._units) if len(content.intersection(unit)) >= least]


def _around(sequence: Sequence[str], at: int) -> Iterable[str]:
    return sequence[max(0, at - _NEAR) : at + _NEAR + 1]
