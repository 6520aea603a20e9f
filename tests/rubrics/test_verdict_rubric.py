"""The form of the verdict rubric: closed, typed, bounded, and the only home of its numbers."""

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

import plumbrule
from plumbrule.codec import to_json
from plumbrule.errors import RubricError
from plumbrule.hashing import canonical_json
from plumbrule.rubrics import VerdictRubric, content_of, kept_rubric, load_verdict, shipped_text


def leaves(value: object, path: str = "") -> Iterator[str]:
    """Yield the dotted keys of all that is not a mapping."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    else:
        yield path


def test_the_file_states_every_key() -> None:
    """The shipped file is complete: no value hides in a default."""
    content = yaml.safe_load(shipped_text("verdict"))
    unsaid = leaves({"verdicts": content["verdicts"]})  # as shipped they are not written: see the next tests
    written = [*leaves(content_of(load_verdict())), *unsaid, "support.supported_unasked_from"]
    assert sorted(leaves(content)) == sorted(written)


def test_a_limit_that_is_left_to_the_model_leaves_the_hash() -> None:
    """Rubrics that were kept before there was such a limit keep theirs."""
    shipped = load_verdict()
    assert "supported_unasked_from" not in content_of(shipped)["support"]
    changed = load_verdict(overrides={"support.supported_unasked_from": 0.8})
    assert content_of(changed)["support"]["supported_unasked_from"] == 0.8
    assert changed.sha256 != shipped.sha256


def test_verdicts_that_are_not_changed_leave_the_hash() -> None:
    """The specification's verdicts are no part of the content that is hashed; another verdict of a rule is."""
    shipped = load_verdict()
    assert "verdicts" not in content_of(shipped)
    assert load_verdict(overrides={"verdicts.contradicted": "PASS"}).sha256 == shipped.sha256
    assert to_json(shipped.rubric.verdicts) == yaml.safe_load(shipped_text("verdict"))["verdicts"]
    changed = load_verdict(overrides={"verdicts.contradicted": "FAIL"})
    assert changed.sha256 != shipped.sha256
    assert content_of(changed)["verdicts"]["contradicted"] == "FAIL"


@pytest.mark.parametrize("key", sorted(leaves(content_of(load_verdict()))))
def test_no_key_may_be_missing(key: str) -> None:
    """A rubric without a value is no rubric."""
    content = content_of(load_verdict())
    place = content
    *parents, last = key.split(".")
    for parent in parents:
        place = place[parent]
    del place[last]
    with pytest.raises(ValidationError):
        TypeAdapter(VerdictRubric).validate_python(content)


def test_a_rubric_cannot_be_changed() -> None:
    """What is in force stays in force: another policy is another rubric."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        load_verdict().rubric.version = "2"  # type: ignore[misc]  # that is the point


def test_thresholds_are_data() -> None:
    """No scorer holds a threshold of the rubric as a literal."""
    package = Path(plumbrule.__file__).parent
    for path in [
        *package.glob("verdicts/*.py"),
        *package.glob("prescores/*.py"),
        package / "support/value_evidence.py",
    ]:
        assert not re.findall(r"(?<![\w.])0\.\d*[1-9]", path.read_text()), path


def test_drift_alone_can_never_fail_an_answer() -> None:
    """A penalty above the limit is refused (G2)."""
    with pytest.raises(RubricError, match="drift alone never fails an answer"):
        load_verdict(overrides={"hallucination.drift.penalty": 0.9})


def test_a_kept_rubric_is_read_back_whatever_the_order_of_its_keys() -> None:
    """The ledger keeps keys in their order of sorting: the parts of a refusal may then stand before those they need."""
    for shipped in (load_verdict(), load_verdict(Path("recommended"))):
        kept = orjson.loads(canonical_json(content_of(shipped)))
        assert list(kept["refusal"]["parts"]) == sorted(kept["refusal"]["parts"])
        assert kept_rubric("verdict", kept).sha256 == shipped.sha256


def test_parts_of_a_refusal_that_are_made_of_each_other_are_refused() -> None:
    """A part that is made of itself, however far round, has no end."""
    with pytest.raises(RubricError, match="made of each other: ONE, TWO"):
        load_verdict(None, {"refusal.parts": {"ONE": ["i TWO"], "TWO": ["you ONE"]}})
