"""The verdict on one answer: relevance, completeness, hallucination, refusal."""

from plumbrule.verdicts.anchors import Anchor
from plumbrule.verdicts.hallucination import Hallucination
from plumbrule.verdicts.lexicon import Lexicon, lemma_set, lexicon_of
from plumbrule.verdicts.refusal import RefusalFinding
from plumbrule.verdicts.verdict import Verdict, VerdictScorer
from plumbrule.verdicts.verdict_json import StampJson, VerdictJson
from plumbrule.verdicts.verdict_tally import ScoreSummary, VerdictSummary, VerdictTally

__all__ = [
    "Anchor",
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
    "lemma_set",
    "lexicon_of",
]
