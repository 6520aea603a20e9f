"""What the evidence says against a sentence: an opposite in a word's place, or a denial that only one of them has."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from plumbrule.support.answer_sentence import SaidSentence
from plumbrule.support.evidence_index import Ground, Window
from plumbrule.support.findings import Finding
from plumbrule.support.word_lists import SupportWords


class Opposition(NamedTuple):
    """How much speaks against a sentence, and what."""

    amount: float
    too_strong: bool
    findings: tuple[Finding, ...]
    has_twin: bool  # a unit of the evidence has nearly every word of the sentence


def oppose(said: SaidSentence, ground: Ground, window: Window, known: SupportWords) -> Opposition:
    """Return what the unit of a window that is nearest to a sentence says against it."""
    return _Opposing(said, ground, window, known).result()


class _Opposing:
    def __init__(self, said: SaidSentence, ground: Ground, window: Window, known: SupportWords) -> None:
        self._said, self._known = said, known
        self._constants = known.constants.opposition
        units = range(window.first, window.last + 1)
        self._unit = max(units, key=lambda unit: (len(said.content.keys() & ground.units[unit]), -unit))
        self._ground = ground
        self._near = ground.sequence(self._unit)
        self._places: dict[str, list[int]] = {}
        for place, lemma in enumerate(self._near):
            self._places.setdefault(lemma, []).append(place)
        self._twins = self._find_twins(units)
        self._mine = frozenset(said.lemmas)
        self._denials = _denials_in_text(said.text, said.lemmas, known)
        self._denials_there = self._denials_of(self._unit)

    def result(self) -> Opposition:
        turned = self._constants.turned
        findings = self._opposites()
        amount = float(min(self._constants.most_opposites, len(findings)))
        if findings and self._says_the_rest(findings):
            amount = turned
        denial, finding = self._denial()
        if finding is not None and findings and denial == turned:  # turned round twice, it says the same
            amount, findings = 0.0, []
        elif finding is not None:
            amount += denial
            findings.append(finding)
        stronger = self._stronger({each.start for each in findings})
        return Opposition(amount, bool(stronger), (*findings, *stronger), bool(self._twins))

    def _denial(self) -> tuple[float, Finding | None]:
        """Return what a denial that only the sentence or only the nearest unit has weighs."""
        said, known, constants = self._said, self._known, self._constants
        mine, theirs = self._denials, self._denials_there
        if mine and not theirs:
            if self._ground.is_data(self._unit) or said.says_unknown(known):
                return 0.0, None  # data has its own check of denials
            first = mine[0]
            if any(self._rivals(word) for each in mine for word in each.denied):
                return 0.0, None  # not permitted is prohibited
            plain = self._shown(first.denied[0]) if first.denied[0] in self._places else ""
            amount = constants.added_denial_of_said if plain else constants.added_denial
            if plain and self._unit in self._twins:
                amount = constants.turned
            return amount, Finding(*said.spans[first.place], "negation", plain)
        if not mine:
            denied = [self._denied_by(unit) for unit in self._twins or (self._unit,)]
            if all(denied):
                return constants.turned, Finding(*said.place, "denial", denied[0])
        return 0.0, None

    def _denials_of(self, unit: int) -> "list[Denial]":
        sequence = self._ground.sequence(unit)
        if self._known.negations.isdisjoint(sequence):  # as most have none
            return []
        return _denials_in_text(self._ground.text_of(Window(unit, unit)), sequence, self._known)

    def _denied_by(self, unit: int) -> str:
        """Return the word that a unit denies, and says nowhere else, as it writes it: one that the sentence says.

        A unit that is no twin speaks of something else, unless the sentence says both words that it denies.
        """
        sequence = self._ground.sequence(unit)
        denials = self._denials_of(unit)
        if len(denials) != 1:  # two denials may say the same as none
            return ""
        words = [word for word in denials[0].denied if word in self._said.content and sequence.count(word) == 1]
        least = self._constants.twin_denied if unit in self._twins else self._constants.denied
        return self._ground.written(unit, sequence.index(words[0])) if len(words) >= least else ""

    def _opposites(self) -> list[Finding]:
        """Return the words whose opposite the nearest unit has in their place."""
        findings = []
        seen: set[str] = set()
        for at, lemma in enumerate(self._said.lemmas):
            if lemma in self._places or lemma in seen:
                continue
            seen.add(lemma)
            found = [other for other in self._rivals(lemma) if self._stands_for(other, at)]
            if found:
                findings.append(Finding(*self._said.spans[at], "opposite", self._shown(found[0])))
        return findings

    def _rivals(self, lemma: str) -> list[str]:
        """Return the opposites of a word that the nearest unit has and the sentence has not."""
        opposites = self._known.opposites[lemma]
        if opposites.isdisjoint(self._places):
            return []
        return sorted(other for other in opposites if other in self._places and other not in self._mine)

    def _stands_for(self, other: str, at: int) -> bool:
        """Tell whether another word of the unit has a word beside it that stands beside the sentence's own."""
        said, near = self._said, self._constants.near
        beside = {
            lemma for lemma in _around(said.lemmas, at, near) if lemma in said.content and lemma != said.lemmas[at]
        }
        mine = any(said.lemmas[at] in each.denied for each in self._denials)
        theirs = any(other in each.denied for each in self._denials_there)
        if mine != theirs:  # to prohibit is not to allow
            return False
        return not beside or any(
            not beside.isdisjoint(_around(self._near, place, near)) for place in self._places.get(other, ())
        )

    def _stronger(self, told: Collection[int]) -> list[Finding]:
        """Return the first word that claims more than the weaker one that the unit has in its place."""
        said = self._said
        for strong, weak in self._known.strengths:
            weaker = sorted(weak & self._places.keys())
            if not weaker or not strong.isdisjoint(self._places):
                continue
            at = next((at for at, lemma in enumerate(said.lemmas) if lemma in strong), None)
            if at is None or said.spans[at][0] in told:
                continue
            if any(self._stands_for(other, at) for other in weaker):
                return [Finding(*said.spans[at], "strength")]
        return []

    def _shown(self, lemma: str) -> str:
        """Return a word of the nearest unit as it is written there."""
        return self._ground.written(self._unit, self._places[lemma][0])

    def _find_twins(self, units: Sequence[int]) -> list[int]:
        """Return the units that have nearly every word of the sentence, its numbers left aside."""
        content = self._content()
        if len(content) < self._constants.least_twin:
            return []
        least = self._constants.twin_share * len(content)
        return [unit for unit in units if len(content & self._ground.units[unit]) >= least]

    def _says_the_rest(self, opposites: Collection[Finding]) -> bool:
        """Tell whether the nearest unit has nearly every word of the sentence but those that it turns round."""
        rest = self._content({each.start for each in opposites})
        return bool(rest) and len(rest & self._places.keys()) >= self._constants.twin_share * len(rest)

    def _content(self, without: Collection[int] = ()) -> set[str]:
        said = self._said
        return {
            lemma
            for lemma, (start, _) in zip(said.lemmas, said.spans, strict=True)
            if lemma in said.content and start not in said.in_values and start not in without
        }


class Denial(NamedTuple):
    """A word that denies, and the content words that it speaks of: one or two."""

    place: int
    denied: tuple[str, ...]


def _denials_in_text(text: str, sequence: Sequence[str], known: SupportWords) -> list[Denial]:
    """Return the denials of a sentence; one that it opens with answers a question, and denies nothing that follows."""
    if known.negations.isdisjoint(sequence):
        return []
    opening = text.lstrip("*_#- \t").casefold().startswith(known.opening_denials)
    return denials_in(sequence, known, after=1 if opening else 0)


def denials_in(sequence: Sequence[str], known: SupportWords, *, after: int = 0) -> list[Denial]:
    """Return the denials of a sequence of lemmas that deny something: not "no later than", not "those who do not"."""
    constants = known.constants.opposition
    found = []
    for at, lemma in enumerate(sequence):
        if at < after or lemma not in known.negations:
            continue
        reach = sequence[at + 1 : at + 1 + constants.reach]
        before = sequence[max(0, at - constants.condition_reach) : at]
        if (reach and reach[0] in known.idle) or not known.conditions.isdisjoint(before):
            continue
        end = next((place for place, word in enumerate(reach) if word in known.turns), len(reach))
        spoken = [word for word in reach[:end] if word not in known.stop and known.thesaurus.kind(word) != "r"]
        if spoken:
            found.append(Denial(at, tuple(spoken[: constants.denied])))
    return found


def _around(sequence: Sequence[str], at: int, near: int) -> Sequence[str]:
    return sequence[max(0, at - near) : at + near + 1]
