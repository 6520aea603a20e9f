"""What is compared between one sentence of an answer and its contexts; each measure has one meaning and one sign."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import fsum
from typing import Literal

from plumbrule.support.answer_sentence import SaidSentence
from plumbrule.support.evidence_index import Ground, Window, bare
from plumbrule.support.findings import Finding, FindingKind
from plumbrule.support.opposition import oppose
from plumbrule.support.value_evidence import find_value
from plumbrule.support.word_lists import SupportWords
from plumbrule.text.dates import Date
from plumbrule.text.numbers import Number
from plumbrule.text.sentences import Sentence
from plumbrule.text.text_view import TextView
from plumbrule.text.values import Value, comparable

MeasureName = Literal["words", "evidence", "specifics", "opposites", "strength", "speaker", "unknown"]
# Each is 0 where nothing speaks against the sentence; "unknown" alone speaks for it.
MEASURES: tuple[MeasureName, ...] = ("words", "evidence", "specifics", "opposites", "strength", "speaker", "unknown")
LOWERS_RISK: frozenset[MeasureName] = frozenset({"unknown"})

# How much a word weighs: what is done can be said in many ways, and talk is not what an answer claims.
_VERB, _ADVERB, _TALK, _STOP_IN_EVIDENCE = 0.4, 0.6, 0.3, 0.2
_FORM_CREDIT = 0.6  # for another form of the word, or a synonym in the evidence
_ELSEWHERE_CREDIT = 0.3  # for a word that the contexts have, outside the evidence
_SMALL_NUMBER, _PARTLY_DATED, _RIVALLED = 0.5, 0.5, 0.5
_PREVIOUS = 0.5  # of a name that the sentence before brought, for a sentence that opens with a pronoun
_MOST = 3.0
_AROUND = "*_#- \t\n.,!"  # what may stand around a greeting or a yes
_YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What became of one sentence: its measures by name, its evidence, and what speaks against it."""

    sentence: Sentence
    claims: bool  # false for a courtesy or an announcement, which nothing need bear out
    measures: tuple[float, ...]  # in the order of MEASURES
    window: Window | None
    findings: tuple[Finding, ...]


def compare(answer: TextView, ground: Ground, known: SupportWords) -> list[Comparison]:
    """Compare each sentence of an answer with its contexts."""
    found: list[Comparison] = []
    before: SaidSentence | None = None
    for sentence in answer.sentences:
        current = SaidSentence(answer, sentence, known)
        if current.lemmas:
            found.append(_Comparing(current, ground, known, before).result())
            before = current
    if len(found) == 1:  # there is nothing that it could leave its claim to
        return found
    return [
        replace(each, claims=False, findings=()) if _leaves_it_to(each, following, answer.text, known) else each
        for each, following in zip_longest(found, found[1:])
    ]


def _leaves_it_to(each: Comparison, following: Comparison | None, text: str, known: SupportWords) -> bool:
    """Tell whether a sentence only greets, or is a mere "Yes." whose claim is the next one; in small talk it is one."""
    said = text[each.sentence.start : each.sentence.end].strip(_AROUND)
    if known.greeting.fullmatch(said):
        return True
    if following is None or following.measures[MEASURES.index("speaker")]:
        return False
    if text[following.sentence.start : following.sentence.end].rstrip().endswith("?"):
        return False
    return said.casefold().replace("’", "'") in known.particles


class _Comparing:
    """The comparison of one sentence."""

    def __init__(self, said: SaidSentence, ground: Ground, known: SupportWords, before: SaidSentence | None) -> None:
        self._said, self._ground, self._known = said, ground, known
        self._findings: list[Finding] = []
        self._found: set[int] = set()  # where the words start that the contexts have in another form
        self._forms = {lemma: ground.alike(lemma) for lemma in said.content if lemma not in ground.where}
        wanted = self._wanted()
        query = {**self._named_before(before), **wanted}
        self._whole_window = window = ground.best_window(query)
        self._evidence = ground.lemmas_of(window) if window is not None else frozenset()
        self._values = ground.values_of(window) if window is not None else ()
        self._near = ground.view_of(window) if window is not None else None
        self._window = ground.trimmed(window, wanted) if window is not None else None

    def result(self) -> Comparison:
        claims = not self._claims_nothing()
        facts_unknown, facts_against = self._facts()
        specifics = self._missing_values() + self._missing_names() + facts_unknown + facts_against
        opposites, too_strong = self._opposed()
        opposites += facts_against
        measures = (
            self._missing_words(),  # after the names and values, which it does not tell again
            self._missing_evidence(),
            min(_MOST, specifics),
            min(_MOST, opposites),
            too_strong,
            self._speaks_of_itself(),
            float(self._said.says_unknown(self._known)),
        )
        return Comparison(
            sentence=self._said.place,
            claims=claims,
            measures=measures,
            window=self._window,
            findings=tuple(sorted(set(self._findings))) if claims else (),
        )

    def _wanted(self) -> dict[str, float]:
        """Return what evidence should have: the sentence's content by weight, a missing word by its other form."""
        ground, known = self._ground, self._known
        wanted: dict[str, float] = {}
        for lemma in self._said.content:
            weight = ground.weight(lemma) * (_TALK if lemma in known.talk else 1.0)
            form = self._forms.get(lemma, lemma)
            if form is not None:
                credit = 1.0 if form == lemma else _FORM_CREDIT
                wanted[form] = max(wanted.get(form, 0.0), weight * credit)
        return wanted

    def _named_before(self, before: SaidSentence | None) -> dict[str, float]:
        """Return the names of the sentence before, where this one opens with a pronoun that may stand for them."""
        if before is None or self._said.lemmas[0] not in self._known.pronouns:
            return {}
        places = [index for run in before.names(self._known) for index in run]
        named = [before.lemmas[index] for index in places if before.lemmas[index] in self._ground.where]
        return {lemma: _PREVIOUS * self._ground.weight(lemma) for lemma in named}

    def _weight(self, lemma: str) -> float:
        if lemma in self._known.talk:
            return _TALK
        if lemma in self._known.stop:
            return 1.0
        return {"v": _VERB, "r": _ADVERB}.get(self._known.thesaurus.kind(lemma), 1.0)

    def _has_synonym(self, lemma: str) -> bool:
        evidence = self._evidence
        return any(other in evidence for other in self._known.thesaurus.synonyms(lemma))

    def _missing_words(self) -> float:
        """Return the share of the words, by weight, that stand nowhere in the contexts."""
        whole, missing = [], []
        told = self._said.in_values.union([each.start for each in self._findings if each.kind == "name"])
        for lemma, (start, end) in zip(self._said.lemmas, self._said.spans, strict=True):
            weight = self._weight(lemma)
            whole.append(weight)
            if lemma in self._ground.lemmas or start in self._found:
                continue
            credit = 0.0
            if lemma not in self._known.stop and (self._forms.get(lemma) is not None or self._has_synonym(lemma)):
                credit = _FORM_CREDIT
            elif lemma not in self._known.stop and weight == 1.0 and start not in told:
                self._findings.append(Finding(start, end, "word"))
            missing.append(weight * (1.0 - credit))
        return fsum(missing) / fsum(whole)

    def _missing_evidence(self) -> float:
        """Return the share of the words, by weight, that the evidence does not have."""
        whole, missing = [], []
        for lemma, (start, _) in zip(self._said.lemmas, self._said.spans, strict=True):
            stop = lemma in self._known.stop
            verb = self._known.thesaurus.kind(lemma) == "v"
            talk = lemma in self._known.talk
            weight = _STOP_IN_EVIDENCE if stop else _TALK if talk else _VERB if verb else 1.0
            whole.append(weight)
            if lemma in self._evidence or (start in self._found and lemma not in self._ground.lemmas):
                continue
            credit = 0.0
            if not stop and self._has_synonym(lemma):
                credit = _FORM_CREDIT
            elif lemma in self._ground.where:
                credit = _ELSEWHERE_CREDIT
            missing.append(weight * (1.0 - credit))
        return fsum(missing) / fsum(whole)

    def _missing_values(self) -> float:
        """Count the numbers and dates that the contexts do not have; one that they give otherwise counts more."""
        counts = []
        views = [passage.view for passage in self._ground.passages]
        for value in self._said.values:
            shown = self._said.answer.text[value.start : value.end].casefold()
            if find_value(value, self._said.answer, views) is not None or shown.rstrip("s") in self._ground.days:
                self._found.update(self._said.starts_in(value))
                continue
            dated = isinstance(value, Date)
            small = isinstance(value, Number) and value.unit is None and shown.split()[0] in self._known.small_numbers
            known_year = dated and any(year in self._ground.lemmas for year in _YEAR.findall(shown))
            rivals = [other for other in self._values if comparable(value, other)]
            weight = _SMALL_NUMBER if small else _PARTLY_DATED if known_year else 1.0
            counts.append(weight + (_RIVALLED if rivals else 0.0))
            if not small or rivals:
                kind: FindingKind = "date" if dated else "number"
                self._findings.append(Finding(value.start, value.end, kind, self._nearest(rivals)))
        return fsum(counts)

    def _nearest(self, rivals: Sequence[Value]) -> str:
        """Return the rival whose own sentence has most of this sentence's words; none where none stands in one."""
        if self._near is None or not rivals:
            return ""
        view, content = self._near, self._said.content
        shared = [len(view.lemmas_beside(rival.start) & content.keys()) for rival in rivals]
        most = max(shared)
        if not most:
            return ""
        rival = rivals[shared.index(most)]
        return view.text[rival.start : rival.end]

    def _missing_names(self) -> float:
        """Count the words of names that the contexts do not have, in full, in part or by their initials."""
        said, known = self._said, self._known
        text, ground = said.answer.text, self._ground
        missing = 0
        for run in said.names(known):
            shown = [text[slice(*said.spans[index])] for index in run]
            if ground.abbreviates(shown):
                self._found.update([said.spans[index][0] for index in run])
                continue
            for index, word in zip(run, shown, strict=True):
                lemma = said.lemmas[index]
                day = known.day_forms.get(lemma) in ground.days
                if lemma in ground.where or day or ground.has_name(word) or bare(word) in ground.where:
                    self._found.add(said.spans[index][0])
                    continue
                missing += 1
                self._findings.append(Finding(*said.spans[index], "name"))
        return float(missing)

    def _facts(self) -> tuple[int, int]:
        """Count the facts of data that the sentence speaks of though they are unknown, and those it speaks against."""
        said = self._said
        unknown = against = 0
        for passage in self._ground.passages:
            if passage.sheet is None:
                continue
            found = passage.sheet.check(said.lemmas, said.text, said.values, said.answer.text)
            unknown += len(found.unknown)
            against += len(found.denied) + len(found.other_value)
            self._findings += [Finding(*said.place, "unknown_fact", text) for text in found.unknown]
            self._findings += [Finding(*said.place, "denied_fact", text) for text in found.denied]
            self._findings += [Finding(*said.place, "other_value", text) for text in found.other_value]
        return unknown, against

    def _opposed(self) -> tuple[float, float]:
        """Return how much the evidence says against the sentence, and 1 where the sentence claims more than it."""
        if self._whole_window is None:
            return 0.0, 0.0
        found = oppose(self._said, self._ground, self._whole_window, self._known)
        rivalled = found.has_twin and any(each.kind in {"number", "date"} and each.against for each in self._findings)
        self._findings += found.findings
        return found.amount + rivalled, float(found.too_strong)

    def _speaks_of_itself(self) -> float:
        said, known = self._said, self._known
        if not self._ground.lemmas.isdisjoint(known.speakers):
            return 0.0
        for lemma, place in zip(said.lemmas, said.spans, strict=True):
            if lemma in known.speakers:
                self._findings.append(Finding(*place, "speaker"))
                return 1.0
        return 0.0

    def _claims_nothing(self) -> bool:
        folded = self._said.folded.strip("*_#- \t")
        if folded.endswith(":") and folded.startswith(self._known.openings):
            return True
        return not self._said.values and any(phrase in folded for phrase in self._known.courtesies)
