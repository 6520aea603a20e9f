"""The verdict on one answer: relevance, completeness, hallucination, refusal."""

from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.contradictions import Contradiction, contradictions
from plumbrule.verdicts.hallucination import Hallucination
from plumbrule.verdicts.headline import CONCERNS, Concern, headline_of
from plumbrule.verdicts.lexicon import Lexicon, lemma_set, lexicon_of
from plumbrule.verdicts.refusal import RefusalFinding
from plumbrule.verdicts.verdict import Verdict, VerdictScorer
from plumbrule.verdicts.verdict_json import StampJson, VerdictJson
from plumbrule.verdicts.verdict_tally import FAIL_ON, FailOn, ScoreSummary, VerdictSummary, VerdictTally

__all__ = [
    "CONCERNS",
    "FAIL_ON",
    "Anchor",
    "Concern",
    "Contradiction",
    "FailOn",
    "Hallucination",
    "Lexicon",
    "RefusalFinding",
    "ScoreSummary",
    "StampJson",
    "Verdict",
    "VerdictJson",
    "VerdictScorer",
    "VerdictSummary",
    "VerdictTally",
    "contradictions",
    "headline_of",
    "lemma_set",
    "lexicon_of",
]
