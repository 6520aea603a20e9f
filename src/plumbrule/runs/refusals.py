"""Whether the candidate refused: because it declares so, or by the words of its answer."""

from collections.abc import Callable

from plumbrule.rubrics import VerdictRubric
from plumbrule.samples import Sample
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal import judge_refusal


def refusal_reader(rubric: VerdictRubric) -> Callable[[Sample], bool]:
    """Return what tells whether a sample is a refusal, by the same words as a verdict."""
    lexicon = lexicon_of(rubric)

    def refuses(sample: Sample) -> bool:
        finding = judge_refusal(sample, TextView(sample.answer or "", lexicon.stop), lexicon.refusal)
        return finding is not None and finding.refused

    return refuses
