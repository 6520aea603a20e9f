"""Refusals counted: should against did, and the codes that were given against those that were right."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plumbrule.errors import InputError
from plumbrule.names import nearest
from plumbrule.reviews.levels import Scores
from plumbrule.rubrics import ScorecardRubric
from plumbrule.stats.intervals import Interval, wilson
from plumbrule.stats.rater_agreement import confusion_matrix

ANSWERED = "(answered)"
NO_CODE = "(no code)"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalFacts:
    """What is known of one interaction; None is what nobody said."""

    did_refuse: bool | None = None
    should_refuse: bool | None = None
    code: str | None = None
    expected_code: str | None = None

    @property
    def judged(self) -> bool:
        """Whether both sides are known."""
        return self.did_refuse is not None and self.should_refuse is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalCounts:
    """How refusals stood to what was expected, and the codes by expected and given."""

    correct: int  # refused and should have
    unneeded: int  # refused and should not have
    missing: int  # answered and should have refused
    unknown: int  # nobody said what was expected, or what happened
    code_right: int
    code_total: int  # correct refusals whose right code is known
    labels: tuple[str, ...]
    codes: tuple[tuple[int, ...], ...]  # rows: expected; columns: given

    @property
    def code_accuracy(self) -> Fraction | None:
        """The share of correct refusals with the right code; None where there are none."""
        return Fraction(self.code_right, self.code_total) if self.code_total else None

    @property
    def code_accuracy_interval(self) -> Interval | None:
        """Wilson's interval of the code accuracy."""
        return wilson(self.code_right, self.code_total)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON holds them."""
        accuracy, interval = self.code_accuracy, self.code_accuracy_interval
        return {
            "correct": self.correct,
            "unneeded": self.unneeded,
            "missing": self.missing,
            "unknown": self.unknown,
            "code_accuracy": None if accuracy is None else float(accuracy),
            "code_accuracy_interval_95": None if interval is None else list(interval),
            "code_total": self.code_total,
            "confusion": {"labels": list(self.labels), "counts": [list(row) for row in self.codes]},
        }


def should_have_refused(scores: Scores, rubric: ScorecardRubric, *, did_refuse: bool | None) -> bool | None:
    """Return what a card says of refusing; None where it says nothing.

    The rubric names the dimension and the level from which on a refusal is a correct one, for what is not applicable
    to it. At that level or better the assistant did what it should, below it should have done the other thing.
    """
    needs = rubric.not_applicable.needs
    if needs is None or did_refuse is None:
        return None
    score = scores[needs.dimension]
    if score is None:
        return None
    [least] = rubric.scores_of((needs.at_least,))
    return did_refuse if score >= least else not did_refuse


def count_refusals(facts: Sequence[RefusalFacts], rubric: ScorecardRubric) -> RefusalCounts:
    """Count refusals; a code that the rubric does not know is an error."""
    known = [code.key for code in rubric.refusal_codes]
    for each in facts:
        for code in (each.code, each.expected_code):
            if code is not None and code not in known:
                hint = nearest(code, known) or f"; there are {', '.join(known)}"
                raise InputError(f"there is no refusal code '{code[:40]}'{hint}")
    judged = [each for each in facts if each.judged]
    correct = [each for each in judged if each.should_refuse and each.did_refuse]
    coded = [each for each in correct if each.expected_code is not None]
    labels = (*known, ANSWERED, NO_CODE)
    pairs = [
        (expected, (each.code or NO_CODE) if each.did_refuse else ANSWERED)
        for each in judged
        if (expected := each.expected_code if each.should_refuse else ANSWERED) is not None
    ]
    return RefusalCounts(
        correct=len(correct),
        unneeded=sum(bool(each.did_refuse and not each.should_refuse) for each in judged),
        missing=sum(bool(each.should_refuse and not each.did_refuse) for each in judged),
        unknown=len(facts) - len(judged),
        code_right=sum(each.code == each.expected_code for each in coded),
        code_total=len(coded),
        labels=labels,
        codes=tuple(tuple(row) for row in confusion_matrix(pairs, labels)),
    )
