"""What the verifier weighs: what is fitted to is what the product adds up, and weights go into its configuration."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from training.everyday import VERIFIER
from training.everyday_rows import read_everyday
from training.verifier_weights import Weighed, reading_of, write_weights

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_scorer import SupportScorer
from plumbrule.support.verifier import open_verifier
from plumbrule.text.text_view import TextView


def test_both_add_up_as_in_the_product() -> None:
    """The log-odds without the verifier and its own, by its weights, are those that the scorer gives."""
    rows = read_everyday("birch")[:6]
    verifier = open_verifier(VERIFIER)
    scorer = SupportScorer(load_verdict().rubric.support, verifier)
    given = [scorer.score(TextView(row.answer), [*map(TextView, row.contexts)], row.question) for row in rows]
    weighed = Weighed(VERIFIER, rows)

    assert np.count_nonzero(weighed.said) > 3
    assert [each.log_odds for each in given if each] == pytest.approx(list(weighed.fused(reading_of(verifier))))


def test_the_weights_are_written_and_nothing_else(tmp_path: Path) -> None:
    """Other keys of the configuration stay."""
    folder = tmp_path / "verifier"
    shutil.copytree(VERIFIER, folder)
    before = yaml.safe_load((folder / "verifier.yaml").read_text(encoding="utf-8"))
    write_weights(folder, {"intercept": 0.5, "binding": 1.5, "verifier": 0.25})
    after = yaml.safe_load((folder / "verifier.yaml").read_text(encoding="utf-8"))

    assert after.pop("answers") == before.pop("answers") | {"intercept": 0.5, "binding": 1.5, "verifier": 0.25}
    assert after == before
