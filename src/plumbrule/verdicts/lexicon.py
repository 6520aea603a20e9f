"""The verdict rubric's word lists in the forms that the scorers compare: lemmas, phrases, rules of evidence."""

from collections.abc import Iterable
from dataclasses import dataclass

from plumbrule.rubrics import VerdictRubric
from plumbrule.text.claims import ClaimWords
from plumbrule.text.tokens import lemmas
from plumbrule.verdicts.claim_evidence import ClaimCheck
from plumbrule.verdicts.completeness import TopicWords
from plumbrule.verdicts.refusal_words import RefusalWording


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """All that the verdict rubric says of words."""

    stop: frozenset[str]
    topic: TopicWords
    claims: ClaimWords
    evidence: ClaimCheck
    refusal: RefusalWording


def lexicon_of(rubric: VerdictRubric) -> Lexicon:
    """Return the word lists of ``rubric``."""
    claims, words = rubric.claims, rubric.words
    stop = lemma_set(words.stop)
    topic = TopicWords(
        stop=stop | lemma_set(words.question), asking=lemma_set(words.asking), measure=lemma_set(words.measure)
    )
    return Lexicon(
        stop=stop,
        topic=topic,
        claims=ClaimWords(
            most_per_verb=claims.most_per_verb,
            modals=frozenset(claims.modals),
            hedge_verbs=lemma_set(claims.hedge_verbs),
            hedge_words=frozenset(claims.hedge_words),
            conditions=frozenset(claims.conditions),
            opaque_subjects=frozenset(claims.opaque_subjects),
            pronouns=frozenset(claims.pronouns),
        ),
        evidence=ClaimCheck(
            window=rubric.hallucination.claim_window,
            stop=stop,
            negations=lemma_set(claims.negations),
            negation_reach=claims.negation_reach,
            bounds=lemma_set(claims.bounds),
        ),
        refusal=RefusalWording(rubric.refusal, topic),
    )


def lemma_set(words: Iterable[str]) -> frozenset[str]:
    """Return the words with their lemmas, so that texts compared by lemma meet them."""
    listed = list(words)
    return frozenset(listed) | {lemma for word in listed for lemma in lemmas(word)}
