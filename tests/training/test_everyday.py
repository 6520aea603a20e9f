"""The figures of everyday rows: shares and intervals are those that can be counted by hand."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from training.data import Labelled
from training.everyday import Scored, by_kind, false_contradictions, figures_of, found_at, score_rows
from training.everyday_rows import EverydayRow
from training.support import scored_probability
from training.table import compare_row

from plumbrule.rubrics import load_verdict
from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.support_model import load_model
from plumbrule.support.support_scorer import Band, SupportScorer
from plumbrule.text.text_view import TextView

FEES = (
    "The bank charges $15 for an incoming wire and $45 for an outgoing international wire. Fees are taken on the day.",
    "Wires that are sent before noon arrive on the same day, and others on the next working day of the bank.",
)


def everyday(place: int, *, right: bool, answer: str = "It costs $15.") -> EverydayRow:
    """Return a row of the pair that two neighbours share."""
    return EverydayRow(
        id=str(place), author="oak", domain="fees", kind="paraphrase" if right else "number", right=right,
        pair=str(place // 2), question="What does an incoming wire cost?", contexts=FEES, answer=answer,
    )  # fmt: skip


def scored(place: int, probability: float, band: Band, *, right: bool, rival: bool = False) -> Scored:
    """Return a row as if it were scored."""
    return Scored(everyday(place, right=right), probability, band, rival, 0.5)


def test_the_share_found_at_false_alarms() -> None:
    """The limit lets through one right row in ten and no more, and never parts equal risks."""
    wrong = np.array([1.0] * 4 + [0.0] * 10)
    risks = np.array([9.0, 8.0, 6.0, 2.0, 7.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    weights = np.ones((1, 14))
    assert found_at(wrong, risks, weights, 0.1) == pytest.approx([0.75])
    assert found_at(wrong, risks, weights, 0.0) == pytest.approx([0.5])
    tied = np.where(risks == 8.0, 7.0, risks)
    assert found_at(wrong, tied, weights, 0.0) == pytest.approx([0.25])


def test_figures_by_hand() -> None:
    """A rival or the band unsupported flags a row; bands tell by what is right in them."""
    rows = [
        scored(0, 0.9, "supported", right=True),
        scored(1, 0.8, "supported", right=False, rival=True),
        scored(2, 0.5, "doubtful", right=True),
        scored(3, 0.1, "unsupported", right=False),
    ]
    found = figures_of([rows])
    assert (found.rows, found.wrong) == (4, 2)
    assert found.auroc.mean == pytest.approx(roc_auc_score([0, 1, 0, 1], [-0.9, -0.8, -0.5, -0.1]))
    assert found.coverage.mean == 0.5
    assert (found.balanced.mean, found.supported_right.mean) == (1.0, 0.5)
    assert (found.unsupported_wrong.mean, found.doubtful.mean) == (1.0, 0.25)
    assert figures_of([rows]) == found


def test_rows_of_a_pair_are_drawn_together() -> None:
    """Rows that repeat those of their pair make nothing surer: the interval stays as wide."""
    rng = np.random.default_rng(3)
    bands: list[Band] = ["supported", "doubtful", "unsupported", "doubtful"] * 20
    rows = [
        scored(place, float(rng.random()) + 0.2 * (place % 2), band, right=bool(place % 2))
        for place, band in enumerate(bands)
    ]
    once, twice = figures_of([rows]).auroc, figures_of([[*rows, *rows]]).auroc
    assert twice.high - twice.low == pytest.approx(once.high - once.low)


def test_kinds_that_are_found_come_first() -> None:
    """Wrong kinds stand before right ones, each with the share that is flagged."""
    rows = [
        scored(0, 0.9, "supported", right=True),
        scored(1, 0.2, "unsupported", right=False),
        scored(3, 0.6, "doubtful", right=False),
    ]
    assert [(each.kind, each.flagged, each.auroc) for each in by_kind(rows)] == [
        ("number", 0.5, 1.0),
        ("paraphrase", 0.0, None),
    ]


def test_rows_are_scored_as_the_product_scores_them() -> None:
    """A row gets the product's own score; with other weights of binding another one, and the same rivals."""
    rows = [everyday(0, right=True), everyday(1, right=False, answer="An incoming wire costs $45.")]
    scorer = SupportScorer(load_verdict().rubric.support)
    product = [
        scorer.score(TextView(row.answer), [TextView(context) for context in row.contexts], row.question)
        for row in rows
    ]
    shipped = score_rows(rows)
    assert [each.probability for each in shipped] == [each.score for each in product if each is not None]
    assert [each.rival for each in shipped] == [False, True]
    moved = score_rows(rows, replace(binding_words(), intercept=binding_words().intercept + 1.0))
    assert all(one.probability > other.probability for one, other in zip(shipped, moved, strict=True))
    assert [each.rival for each in moved] == [False, True]


def test_labelled_answers_are_scored_with_their_question() -> None:
    """The figures of agreement are of the product's score, where binding decides and where coverage does."""
    for question in ("What does an incoming wire cost?", "fees"):
        row = Labelled(
            id="one", data_set="one", task="task", generator=None, question=question,
            answer="An incoming wire costs $45. It arrives on the same day.", contexts=FEES, unsupported=True, spans=(),
        )  # fmt: skip
        scorer = SupportScorer(load_verdict().rubric.support)
        product = scorer.score(TextView(row.answer), [TextView(context) for context in FEES], question)
        compared = compare_row(row)
        assert bool(compared.bound) == question.endswith("?")
        assert product is not None
        assert scored_probability(load_model(), compared) == pytest.approx(product.score, abs=1e-6)


def test_false_contradictions_are_of_right_answers() -> None:
    """Answers that people found unsupported are not asked; a right one that binding speaks against counts."""
    right = Labelled(
        id="one", data_set="one", task="task", generator=None, question="What does an incoming wire cost?",
        answer="An incoming wire costs $45.", contexts=FEES, unsupported=False, spans=(),
    )  # fmt: skip
    wrong = replace(right, unsupported=True)
    assert [tuple(each) for each in false_contradictions([right, wrong, wrong])] == [("one", 1, 1, 1)]
