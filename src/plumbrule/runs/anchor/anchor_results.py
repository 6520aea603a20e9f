"""The typed results of labels by people: the fields of each are the keys of its JSON, in their order."""

from collections.abc import Mapping
from dataclasses import dataclass

# The figures that a judge decides, alone or with what was measured. Latency and tokens need no labels.
JUDGED = (
    "accuracy_mean",
    "accuracy_full_credit_rate",
    "faithfulness_mean",
    "faithfulness_failure_rate",
    "pass_rate",
    "aggregate_score",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredEstimate:
    """What people would say of all answers: the estimate, its 95% interval, and what it was made from.

    ``tuning`` is how far the judge's word counts where nobody labelled: 1 in full, 0 not at all. ``labels_to_power``
    is how many labels in all would tell the figure from its limit with 80% power at the present estimate; None where
    there is no limit, or no number of labels of these answers would.
    """

    value: float
    low: float
    high: float
    level: float
    labels: int
    samples: int
    tuning: float
    labels_to_power: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchoredFigure(AnchoredEstimate):
    """The estimate over the answers that the judge scored, what the judge alone says of them, and nulls as zero."""

    judge: float
    nulls_as_zero: AnchoredEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAccuracy:
    """How the judge's passes compare with people's labels, each one counted; None where there were none of a kind."""

    passed_by_people: int
    failed_by_people: int
    sensitivity: float | None  # of the answers that people pass, the share that the judge passes
    specificity: float | None  # of the answers that people fail, the share that the judge fails

    def in_words(self) -> str:
        """Return both in words; a kind that no label is of is said to be missing."""
        passes, fails = "no label passes", "none fails"
        if self.sensitivity is not None:
            passes = f"the judge passes {self.sensitivity:.1%} of the {self.passed_by_people:,} labels that pass"
        if self.specificity is not None:
            fails = f"fails {self.specificity:.1%} of the {self.failed_by_people:,} that fail"
        return f"{passes}, and {'the judge ' if self.sensitivity is None else ''}{fails}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorSummary:
    """The labels of a run, the figures that they anchor, and why the others have none."""

    drawn: int
    draws: int  # in how many draws: each after the first is another look
    labelled: int
    missing: int  # answers that were drawn and have no label yet
    unanswered: int  # answers that never came: they fail without a label
    people: tuple[str, ...]
    labelled_by_several: int
    disagreements: int  # of these, how many have labels that differ
    changed: int  # labels that took the place of an earlier one by the same person
    figures: Mapping[str, AnchoredFigure]
    unavailable: Mapping[str, str]  # by figure, why there is no estimate
    judge: JudgeAccuracy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnAnswer:
    """One answer of a run that people are to label."""

    sample_id: str
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelStatus:
    """The labels of a run: which answers were drawn, which still wait, and what was done just now."""

    run_id: str
    drawn: tuple[DrawnAnswer, ...]
    waiting: tuple[DrawnAnswer, ...]
    labelled: int
    unanswered: int
    people: tuple[str, ...]
    drawn_now: tuple[DrawnAnswer, ...] = ()
    labels_now: int = 0
    rows_without_label: int = 0
