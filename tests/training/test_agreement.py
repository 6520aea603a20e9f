"""The page of agreement: it is of the model that ships, and its figures are those of outside references."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from training.calibrating import bands_of
from training.data import Labelled
from training.page import diagram, signed, table
from training.ranking import intervals
from training.span_scores import Fit
from training.verdicts import Checked, balanced_accuracy, gain

from plumbrule.support.calibration import Bin
from plumbrule.support.support_model import load_model

PAGE = Path(__file__).parents[2] / "docs" / "agreement.md"


def rows_of(labels: list[bool], data_set: str = "one") -> list[Labelled]:
    """Return rows with these labels, each of a source of its own."""
    return [
        Labelled(
            id=str(place),
            data_set=data_set,
            task="task",
            generator=None,
            question="",
            answer="",
            contexts=(f"{data_set} {place}",),
            unsupported=bad,
            spans=(),
        )
        for place, bad in enumerate(labels)
    ]


def test_the_page_is_of_the_model_that_ships() -> None:
    """A newly trained model needs a new page: the page names the hash of the one that ships, and no other."""
    assert set(re.findall(r"\b[0-9a-f]{64}\b", PAGE.read_text(encoding="utf-8"))) == {load_model().sha256}


def test_the_interval_is_of_the_mean_auroc() -> None:
    """The mean is scikit-learn's AUROC, also with ties, and lies between the bounds; a score is not above itself."""
    rng = np.random.default_rng(1)
    labels = [bool(value) for value in rng.random(200) < 0.4]
    risks = [float(value) for value in np.round(rng.random(200) + 0.3 * np.array(labels), 1)]
    rows = rows_of(labels)

    found = intervals(rows, risks, risks)

    assert found["support"].mean == pytest.approx(roc_auc_score(labels, risks))
    assert found["support"].low < found["support"].mean < found["support"].high
    assert found["above overlap"] == (0.0, 0.0, 0.0)
    assert intervals(rows, risks, risks) == found


def test_the_interval_is_as_wide_as_chance() -> None:
    """The bounds are those of drawing rows again and asking scikit-learn each time."""
    rng = np.random.default_rng(2)
    labels = np.array([bool(value) for value in rng.random(150) < 0.5])
    risks = rng.random(150) + 0.5 * labels
    drawn = [rng.integers(0, 150, 150) for _ in range(1000)]
    low, high = np.percentile([roc_auc_score(labels[some], risks[some]) for some in drawn], [2.5, 97.5])

    found = intervals(rows_of([bool(label) for label in labels]), [float(risk) for risk in risks], [0.0] * 150)

    assert found["support"].low == pytest.approx(low, abs=0.02)
    assert found["support"].high == pytest.approx(high, abs=0.02)


def test_rows_of_one_claim_or_question_are_drawn_together() -> None:
    """Four rows on each of fifty claims that rank alike are worth fifty: the interval is about twice as wide."""
    rng = np.random.default_rng(3)
    labels = [bool(value) for value in rng.random(50) < 0.5]
    risks = [float(value) for value in rng.random(50) + 0.4 * np.array(labels)]

    def width(data_set: str, shared: str = "") -> float:
        rows = [
            replace(
                row,
                data_set=data_set,
                contexts=(f"passage {row.id} {part}",),
                answer=row.id if shared == "answer" else "",
                question=row.id if shared == "question" else "",
            )
            for row in rows_of(labels)
            for part in range(4)
        ]
        found = intervals(rows, [risk for risk in risks for _ in range(4)], [0.0] * 200)["support"]
        return found.high - found.low

    alone = width("other")
    assert width("wice", "answer") > 1.6 * alone
    assert width("expertqa", "question") > 1.6 * alone


def test_tasks_of_one_data_set_share_its_sources() -> None:
    """The same claims in two tasks are drawn at once: their mean is no surer than one of them."""
    rng = np.random.default_rng(4)
    labels = [bool(value) for value in rng.random(80) < 0.5]
    risks = [float(value) for value in rng.random(80) + 0.4 * np.array(labels)]
    claims = [replace(row, data_set="wice", answer=row.id) for row in rows_of(labels)]
    twice = [*claims, *(replace(row, task="full") for row in claims)]

    one, both = intervals(claims, risks, [0.0] * 80), intervals(twice, risks * 2, [0.0] * 160)

    assert both["support"].high - both["support"].low == pytest.approx(one["support"].high - one["support"].low)


def test_a_new_data_set_is_less_sure_than_the_mean_of_these() -> None:
    """Student's t of the data sets' means, for one more of them; a single data set tells nothing of others."""
    rng = np.random.default_rng(5)
    rows, risks = [], []
    for name, gap in (("one", 0.1), ("two", 0.4), ("three", 1.0)):
        labels = [bool(value) for value in rng.random(200) < 0.5]
        rows += rows_of(labels, name)
        risks += [float(value) for value in rng.random(200) + gap * np.array(labels)]

    found = intervals(rows, risks, [0.0] * 600)

    means = [
        roc_auc_score([row.unsupported for row in rows[start : start + 200]], risks[start : start + 200])
        for start in (0, 200, 400)
    ]
    reach = 4.302652729911275 * np.std(means, ddof=1) * np.sqrt(4 / 3)
    assert found["support, new"].low == pytest.approx(max(0, np.mean(means) - reach))
    assert found["support, new"].high == pytest.approx(min(1, np.mean(means) + reach))
    assert found["support, new"].low < found["support"].low
    assert intervals(rows[:200], risks[:200], [0.0] * 200)["support, new"][1:] == (0.0, 1.0)


def test_balanced_accuracy_and_its_gain() -> None:
    """Both classes weigh the same: always failing is a coin, being always right gains one half on it."""
    labels = [True, True, True, False]
    rows = rows_of(labels)
    checked = [
        Checked(proximity=1.0, failed_by_proximity=True, evidence=float(bad), failed_by_evidence=bad) for bad in labels
    ]

    assert balanced_accuracy(rows, [True] * 4) == {"one": {"task": 0.5}}
    assert balanced_accuracy(rows, labels) == {"one": {"task": 1.0}}
    many = rows_of(labels * 50)
    assert gain(many, checked * 50) == (0.5, 0.5, 0.5)


def test_what_bands_hold() -> None:
    """Each with the share of its answers that people found as the band says."""
    labels = [False, True, True, False, True]
    found = bands_of(rows_of(labels), ["supported", "supported", "unsupported", "doubtful", "unsupported"])
    assert found.keys() == {"one"}
    assert list(found["one"]) == pytest.approx([2, 1, 2, 2, 0.2])


def test_the_fit_of_spans() -> None:
    """Precision, recall and F1 are by characters; nothing held is no error."""
    fit = Fit(held=40, marked=20, both=10)
    assert (fit.precision, fit.recall) == (0.25, 0.5)
    assert fit.f1 == pytest.approx(1 / 3)
    assert (Fit(0, 20, 0).precision, Fit(0, 0, 0).f1) == (0.0, 0.0)


def test_the_parts_of_a_page() -> None:
    """A table has a line for each row, a difference its sign, and nought none that misleads."""
    assert table(["task", "AUROC"], [["qa", "0.8"]]) == "| task | AUROC |\n| --- | ---: |\n| qa | 0.8 |"
    assert [signed(0.0123), signed(-0.5), signed(-0.0001)] == ["+0.012", "-0.500", "+0.000"]
    assert diagram({"one": [Bin(0.0, 0.1, 5, 0.05, 0.1)]}).count("<circle") == 1
