"""Trees over measures: which leaf a sentence comes to, and that they are read and written alike."""

import math

import orjson
import pytest

from plumbrule.errors import InputError
from plumbrule.support.binding.binding_words import binding_words, read_binding_data
from plumbrule.support.binding.bound_answer import log_risk
from plumbrule.support.binding.trees import trees_of

RAW = {"names": ["absent", "near"], "decimals": 2, "roots": [[0, 0.5, -1.0, [1, 0.25, 2.0, 4.0]], 0.5]}


@pytest.mark.parametrize(
    ("measures", "total"),
    [
        ({}, -0.5),
        ({"absent": 0.5}, -0.5),
        ({"absent": 1.0}, 2.5),
        ({"absent": 1.0, "near": 0.254}, 2.5),
        ({"absent": 1.0, "near": 0.256}, 4.5),
        ({"other": 9.0}, -0.5),
    ],
    ids=["nothing", "at the limit", "above it", "rounded down", "rounded up", "not asked for"],
)
def test_the_leaves_add_up(measures: dict[str, float], total: float) -> None:
    """A limit belongs to the lower part, a measure is rounded first, and one that is not there is 0."""
    assert trees_of(RAW).total(measures) == total


def test_trees_are_written_as_they_are_read() -> None:
    """Also those that ship."""
    shipped = orjson.loads(read_binding_data("binding.json"))["trees"]
    for raw in (RAW, shipped):
        assert trees_of(raw).to_dict() == raw


def test_a_branch_must_name_a_measure() -> None:
    """One that is not listed is an error that says which."""
    with pytest.raises(InputError, match=r"measure 2, and there are 2"):
        trees_of({**RAW, "roots": [[2, 0.5, 0.0, 1.0]]})


def test_the_risk_of_a_sentence_is_what_weights_and_trees_add() -> None:
    """From where the model starts."""
    known = binding_words()
    measures = {"absent": 1.0, "put_all": 0.8, "length": 6.0}
    alone = sum(known.weights.get(name, 0.0) * amount for name, amount in measures.items())
    assert math.isclose(log_risk(measures, known), known.intercept + alone + known.trees.total(measures))


@pytest.mark.parametrize("measure", ["absent", "absent_rivalled", "duel", "put_all", "left_deny", "stray", "deny_lost"])
def test_a_finding_never_speaks_for_a_sentence(measure: str) -> None:
    """Whatever else is measured of it, more of the finding is no less risk."""
    known = binding_words()
    for others in ({}, {"length": 8.0, "values": 1.0}, {"length": 20.0, "bound": 2.0, "copy_with_change": 0.6}):
        risks = [log_risk({**others, measure: amount}, known) for amount in (0.0, 0.2, 0.5, 1.0, 2.0)]
        assert risks == sorted(risks)
