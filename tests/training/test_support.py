"""The trainer of the support score, on a few made answers in a folder of their own."""

import json
from pathlib import Path

import pytest

from plumbrule.errors import InputError
from plumbrule.support.constants import load_constants, read_data
from plumbrule.support.measures import LOWERS_RISK, MEASURES
from plumbrule.support.support_model import load_model, model_of
from training import support


def test_training_twice_writes_the_same_model(
    labelled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same answers give the same bytes, which the score reads back, and every weight keeps its sign."""
    written = []
    for name in ("first.json", "second.json"):
        support.main(["--data", str(labelled), "--output", str(tmp_path / name)])
        written.append((tmp_path / name).read_bytes())
    capsys.readouterr()

    assert written[0] == written[1]
    model = model_of(json.loads(written[0]), "")
    assert support.model_file(model) == written[0]
    assert model.constants == load_constants()
    signs = [-1 if name in LOWERS_RISK else 1 for name in MEASURES]
    assert all(sign * weight >= 0 for sign, weight in zip(signs, model.weights, strict=True))
    assert model.weights[MEASURES.index("specifics")] > 0  # all that is wrong in these answers is a number
    assert model.unsupported_share == 0.5


def test_the_trainer_writes_the_file_that_ships() -> None:
    """Byte for byte, so that training again changes nothing but what it fits."""
    assert support.model_file(load_model()) == read_data("model.json")
    assert load_model().version == support.VERSION


def test_a_data_set_left_out_is_not_seen(labelled: Path) -> None:
    """The model of a left-out data set stays the same whatever that data set says."""
    table = support.read_table(labelled)
    turned = [
        each._replace(labels=[1.0 - label for label in each.labels]) if one.data_set == "two" else each
        for one, each in zip(table.rows, table.compared, strict=True)
    ]

    assert support.fit(table, leave_out="two") == support.fit(table._replace(compared=turned), leave_out="two")
    assert support.fit(table) != support.fit(table._replace(compared=turned))


def test_a_further_column_has_its_sign(labelled: Path) -> None:
    """A column beside the measures gets a weight of the sign it is given, or none."""
    table = support.read_table(labelled)
    wider = table._replace(
        compared=[
            each._replace(
                measures=[(*one, label == 1.0) for one, label in zip(each.measures, each.labels, strict=True)]
            )
            for each in table.compared
        ],
        pair_measures=[(*one, 0.0) for one in table.pair_measures],
    )

    assert support.fit(wider, more=[1.0]).weights[-1] > 0
    assert support.fit(wider, more=[-1.0]).weights[-1] == 0


def test_no_labelled_answers_is_told(tmp_path: Path) -> None:
    """A folder without labelled answers is one line that names it."""
    with pytest.raises(InputError, match="no labelled answers there"):
        support.read_table(tmp_path)
