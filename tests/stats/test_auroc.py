"""How well a score ranks, as scikit-learn has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from plumbrule.stats.auroc import auroc

rows = st.lists(st.tuples(st.integers(-5, 5).map(float), st.booleans()), min_size=1, max_size=60)


@given(rows)
def test_it_is_that_of_the_reference(given_rows: list[tuple[float, bool]]) -> None:
    """Ties count half; where one kind is missing there is none."""
    scores, labels = zip(*given_rows, strict=True)
    found = auroc(scores, labels)
    if len(set(labels)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(roc_auc_score(labels, scores))


def test_a_worked_example() -> None:
    """Of four pairs, three are won and one is tied."""
    assert auroc([0.9, 0.5, 0.5, 0.1], [True, True, False, False]) == 3.5 / 4
