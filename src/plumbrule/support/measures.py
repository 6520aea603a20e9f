"""What is compared between one sentence of an answer and its contexts; each measure has one meaning and one sign."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import fsum
from typing import Literal, NamedTuple

from plumbrule.support.answer_sentence import SaidSentence
from plumbrule.support.evidence_index import Ground, Window, bare
from plumbrule.support.findings import Finding, FindingKind
from plumbrule.support.opposition import Opposition, oppose
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

_AROUND = "*_#- \t\n.,!"  # what may stand around a greeting or a yes
_YEAR = re.compile(r"\b\d{4}\b")
_NO_OPPOSITION = Opposition(amount=0.0, too_strong=False, findings=(), has_twin=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What became of one sentence: its measures by name, its evidence, and what speaks against it."""

    sentence: Sentence
    claims: bool  # false for a courtesy or an announcement, which nothing need support
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
            found.append(_compare_sentence(current, ground, known, before))
            before = current
    if len(found) == 1:  # there is nothing that it could leave its claim to
        return found
    return [
        replace(each, claims=False, findings=()) if _leaves_it_to(each, following, answer.text, known) else each
        for each, following in zip_longest(found, found[1:])
    ]


def _leaves_it_to(each: Comparison, following: Comparison | None, text: str, known: SupportWords) -> bool:
    """Tell whether a sentence only greets, or is a mere "Yes, sure." whose claim is the next; small talk is one."""
    said = text[each.sentence.start : each.sentence.end].strip(_AROUND)
    if known.greeting.fullmatch(said):
        return True
    if following is None or following.measures[MEASURES.index("speaker")]:
        return False
    if text[following.sentence.start : following.sentence.end].rstrip().endswith("?"):
        return False
    return all(part.strip() in known.particles for part in said.casefold().replace("’", "'").split(","))


class _Evidence(NamedTuple):
    """What the contexts have nearest to a sentence, and what its missing words look like there."""

    forms: dict[str, str | None]  # of each word that the contexts do not have: the word that may be another form of it
    window: Window | None
    trimmed: Window | None  # without the units at its ends that add nothing
    lemmas: frozenset[str]
    view: TextView | None


class _Missing(NamedTuple):
    """How much of a sentence the contexts do not have, what that is, and where the words start that they do have."""

    amount: float
    findings: list[Finding]
    present: list[int]


class _Facts(NamedTuple):
    """How many facts of data a sentence speaks of though they are unknown, how many it speaks against, and which."""

    unknown: int
    against: int
    findings: list[Finding]


def _compare_sentence(
    said: SaidSentence, ground: Ground, known: SupportWords, before: SaidSentence | None
) -> Comparison:
    constants = known.constants.measures
    evidence = _find_evidence(said, ground, known, before)
    facts = _check_facts(said, ground)
    values = _missing_values(said, ground, known, evidence)
    names = _missing_names(said, ground, known)
    wrong_facts = constants.fact_weight * facts.against
    specifics = values.amount + names.amount + constants.fact_weight * facts.unknown + wrong_facts
    window = evidence.window
    opposition = oppose(said, ground, window, known) if window is not None else _NO_OPPOSITION
    opposites = opposition.amount + wrong_facts
    if opposition.has_twin and any(each.against for each in values.findings):
        opposites += constants.twin_rival_weight
    present = frozenset([*values.present, *names.present])
    told = said.in_values.union([each.start for each in names.findings])
    words = _missing_words(said, ground, known, evidence, present, told)
    speakers = _speakers(said, ground, known)
    measures = (
        words.amount,
        _missing_evidence(said, ground, known, evidence, present),
        min(constants.most, specifics),
        min(constants.most, opposites),
        float(opposition.too_strong),
        float(bool(speakers)),
        float(said.says_unknown(known)),
    )
    claims = not _claims_nothing(said, known)
    findings = {*facts.findings, *values.findings, *names.findings, *opposition.findings, *words.findings, *speakers}
    return Comparison(
        sentence=said.place,
        claims=claims,
        measures=measures,
        window=evidence.trimmed,
        findings=tuple(sorted(findings)) if claims else (),
    )


def _find_evidence(said: SaidSentence, ground: Ground, known: SupportWords, before: SaidSentence | None) -> _Evidence:
    """Return the window of the contexts that has most of a sentence's words, and what it holds."""
    forms = {lemma: ground.alike(lemma) for lemma in said.content if lemma not in ground.where}
    wanted = _wanted(said, ground, known, forms)
    window = ground.best_window({**_named_before(said, ground, known, before), **wanted})
    if window is None:
        return _Evidence(forms, None, None, frozenset(), None)
    return _Evidence(
        forms=forms,
        window=window,
        trimmed=ground.trimmed(window, wanted),
        lemmas=ground.lemmas_of(window),
        view=ground.view_of(window),
    )


def _wanted(
    said: SaidSentence, ground: Ground, known: SupportWords, forms: Mapping[str, str | None]
) -> dict[str, float]:
    """Return what evidence should have: the sentence's content by weight, a missing word by its other form."""
    constants = known.constants.measures
    wanted: dict[str, float] = {}
    for lemma in said.content:
        weight = ground.weight(lemma) * (constants.talk_weight if lemma in known.talk else constants.plain_weight)
        form = forms.get(lemma, lemma)
        if form is not None:
            credit = 1.0 if form == lemma else constants.form_credit
            wanted[form] = max(wanted.get(form, 0.0), weight * credit)
    return wanted


def _named_before(
    said: SaidSentence, ground: Ground, known: SupportWords, before: SaidSentence | None
) -> dict[str, float]:
    """Return the names of the sentence before, where this one opens with a pronoun that may stand for them."""
    if before is None or said.lemmas[0] not in known.pronouns:
        return {}
    places = [index for run in before.names(known) for index in run]
    named = [before.lemmas[index] for index in places if before.lemmas[index] in ground.where]
    share = known.constants.measures.named_before_share
    return {lemma: share * ground.weight(lemma) for lemma in named}


def _missing_values(said: SaidSentence, ground: Ground, known: SupportWords, evidence: _Evidence) -> _Missing:
    """Count the numbers and dates that the contexts do not have; one that they give otherwise counts more."""
    constants = known.constants.measures
    counts: list[float] = []
    findings: list[Finding] = []
    present: list[int] = []
    for value in said.values:
        shown = said.answer.text[value.start : value.end].casefold()
        if find_value(value, said.answer, ground.views) is not None or shown.rstrip("s") in ground.days:
            present += said.starts_in(value)
            continue
        dated = isinstance(value, Date)
        small = isinstance(value, Number) and value.unit is None and shown.split()[0] in known.small_numbers
        known_year = dated and any(year in ground.lemmas for year in _YEAR.findall(shown))
        there = ground.values_of(evidence.window) if evidence.window is not None else ()
        rivals = [other for other in there if comparable(value, other)]
        weight = constants.value_weight
        if small:
            weight = constants.small_number_weight
        elif known_year:
            weight = constants.known_year_weight
        counts.append(weight + (constants.rival_weight if rivals else 0.0))
        if not small or rivals:
            kind: FindingKind = "date" if dated else "number"
            findings.append(Finding(value.start, value.end, kind, _nearest(rivals, said, evidence)))
    return _Missing(fsum(counts), findings, present)


def _nearest(rivals: Sequence[Value], said: SaidSentence, evidence: _Evidence) -> str:
    """Return the rival whose own sentence has most of this sentence's words; none where none stands in one."""
    view = evidence.view
    if view is None or not rivals:
        return ""
    shared = [len(view.lemmas_beside(rival.start) & said.content.keys()) for rival in rivals]
    most = max(shared)
    if not most:
        return ""
    rival = rivals[shared.index(most)]
    return view.text[rival.start : rival.end]


def _missing_names(said: SaidSentence, ground: Ground, known: SupportWords) -> _Missing:
    """Count the words of names that the contexts do not have, in full, in part or by their initials."""
    text = said.answer.text
    findings: list[Finding] = []
    present: list[int] = []
    for run in said.names(known):
        shown = [text[slice(*said.spans[index])] for index in run]
        if ground.abbreviates(shown):
            present += [said.spans[index][0] for index in run]
            continue
        for index, word in zip(run, shown, strict=True):
            lemma = said.lemmas[index]
            day = known.day_forms.get(lemma) in ground.days
            if lemma in ground.where or day or ground.has_name(word) or bare(word) in ground.where:
                present.append(said.spans[index][0])
            else:
                findings.append(Finding(*said.spans[index], "name"))
    return _Missing(known.constants.measures.name_weight * len(findings), findings, present)


def _check_facts(said: SaidSentence, ground: Ground) -> _Facts:
    """Count the facts of data that a sentence speaks of though they are unknown, and those that it speaks against."""
    unknown = against = 0
    findings: list[Finding] = []
    for sheet in ground.sheets:
        found = sheet.check(said.lemmas, said.text, said.values, said.answer.text)
        unknown += len(found.unknown)
        against += len(found.denied) + len(found.other_value)
        findings += [Finding(*said.place, "unknown_fact", text) for text in found.unknown]
        findings += [Finding(*said.place, "denied_fact", text) for text in found.denied]
        findings += [Finding(*said.place, "other_value", text) for text in found.other_value]
    return _Facts(unknown, against, findings)


def _missing_words(
    said: SaidSentence,
    ground: Ground,
    known: SupportWords,
    evidence: _Evidence,
    present: AbstractSet[int],
    told: AbstractSet[int],
) -> _Missing:
    """Return the share of the words, by weight, that stand nowhere in the contexts.

    Words of names and values that the contexts have in another form start at ``present``; those that ``told`` has are
    no findings of their own.
    """
    constants, stop, forms = known.constants.measures, known.stop, evidence.forms
    plain = constants.plain_weight
    whole = [known.weights[lemma][0] for lemma in said.lemmas]
    missing = []
    findings: list[Finding] = []
    for lemma, (start, end), weight in zip(said.lemmas, said.spans, whole, strict=True):
        if lemma in ground.lemmas or start in present:
            continue
        credit = 0.0
        if lemma not in stop and (forms.get(lemma) is not None or _has_synonym(lemma, known, evidence)):
            credit = constants.form_credit
        elif lemma not in stop and weight == plain and start not in told:
            findings.append(Finding(start, end, "word"))
        missing.append(weight * (1.0 - credit))
    return _Missing(fsum(missing) / fsum(whole), findings, [])


def _has_synonym(lemma: str, known: SupportWords, evidence: _Evidence) -> bool:
    return not evidence.lemmas.isdisjoint(known.thesaurus.synonyms(lemma))


def _missing_evidence(
    said: SaidSentence, ground: Ground, known: SupportWords, evidence: _Evidence, present: AbstractSet[int]
) -> float:
    """Return the share of the words, by weight, that the evidence does not have."""
    constants = known.constants.measures
    whole = [known.weights[lemma][1] for lemma in said.lemmas]
    missing = []
    for lemma, (start, _), weight in zip(said.lemmas, said.spans, whole, strict=True):
        if lemma in evidence.lemmas or (start in present and lemma not in ground.lemmas):
            continue
        credit = 0.0
        if lemma not in known.stop and _has_synonym(lemma, known, evidence):
            credit = constants.form_credit
        elif lemma in ground.where:
            credit = constants.elsewhere_credit
        missing.append(weight * (1.0 - credit))
    return fsum(missing) / fsum(whole)


def _speakers(said: SaidSentence, ground: Ground, known: SupportWords) -> list[Finding]:
    """Return the first word with which a sentence speaks of itself, where no context does."""
    if not ground.lemmas.isdisjoint(known.speakers):
        return []
    for lemma, place in zip(said.lemmas, said.spans, strict=True):
        if lemma in known.speakers:
            return [Finding(*place, "speaker")]
    return []


def _claims_nothing(said: SaidSentence, known: SupportWords) -> bool:
    folded = said.folded.strip("*_#- \t")
    if folded.endswith(":") and folded.startswith(known.openings):
        return True
    return not said.values and any(phrase in folded for phrase in known.courtesies)
