"""The compliance policy and the refusal taxonomy: closed, typed, complete, and open to a user's own file."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter, ValidationError

from plumbrule.errors import RubricError
from plumbrule.rubrics import (
    LEVELS,
    ComplianceRubric,
    Loaded,
    RefusalTaxonomy,
    content_of,
    load_compliance,
    load_refusals,
    shipped_text,
)

FORMS: dict[str, tuple[Callable[[], Loaded[Any]], type]] = {
    "compliance": (load_compliance, ComplianceRubric),
    "refusals": (load_refusals, RefusalTaxonomy),
}


def leaves(value: object, path: str = "") -> Iterator[str]:
    """Yield the dotted keys of all that is not a mapping."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    else:
        yield path


def test_the_limits_are_those_of_the_contract() -> None:
    """Every figure of the response contract, exactly."""
    limits = load_compliance().rubric.limits
    assert (limits.excerpt_characters, limits.sources, limits.query_characters, limits.response_tokens) == (
        150,
        5,
        1000,
        500,
    )
    assert (limits.similarity_threshold, limits.partial_coverage) == (Fraction(7, 10), Fraction(6, 10))
    phrases = ("I think", "probably", "might be", "guaranteed", "always", "never")
    assert load_compliance().rubric.prohibited_phrases == phrases


def test_the_taxonomy_has_the_five_codes() -> None:
    """Each with its meaning; a conflict of sources always escalates, a blocked query discloses nothing."""
    codes = load_refusals().rubric.codes
    assert set(codes) == {
        "NO_ELIGIBLE_DOCS",
        "INSUFFICIENT_GROUNDING",
        "POLICY_BLOCKED",
        "AMBIGUOUS_QUERY",
        "CONFLICTING_SOURCES",
    }
    assert [name for name, code in codes.items() if code.escalation == "required"] == ["CONFLICTING_SOURCES"]
    assert [name for name, code in codes.items() if not code.discloses] == ["POLICY_BLOCKED"]
    assert all(code.guidance == "required" for code in codes.values())


@pytest.mark.parametrize("name", FORMS)
def test_the_file_states_every_key(name: str) -> None:
    """The shipped file is complete: no value hides in a default."""
    content = yaml.safe_load(shipped_text(name))
    load, _ = FORMS[name]
    assert sorted(leaves(content)) == sorted(leaves(content_of(load())))


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, (load, _) in FORMS.items() for key in leaves(content_of(load()))]
)
def test_no_key_may_be_missing(name: str, key: str) -> None:
    """A policy without a value is none; a kind of disclaimer or a code may be left out as a whole, not in part."""
    load, form = FORMS[name]
    content = content_of(load())
    place = content
    *parents, last = key.split(".")
    for parent in parents:
        place = place[parent]
    del place[last]
    with pytest.raises(ValidationError):
        TypeAdapter(form).validate_python(content)


def test_a_file_is_laid_over(tmp_path: Path) -> None:
    """A user's file adds a code, a disclaimer and a phrase list, and leaves the rest as shipped."""
    path = tmp_path / "mine.yaml"
    path.write_text(
        "codes:\n  OUT_OF_HOURS:\n    meaning: Closed.\n    severity: info\n"
        "    guidance: optional\n    next_steps: optional\n"
        "    conflict_summary: optional\n    escalation: optional\n    discloses: true\n"
        "    trace: {searched: any, above_threshold: any, conflict: any, coverage: any}\n"
    )
    assert len(load_refusals(path).rubric.codes) == 6
    path.write_text(
        "prohibited_phrases: [trust me]\n"
        "disclaimers: {tax: {told_by: [tax], at_least: 1, wording: [not tax advice]}}\n"
        "caps: {compliance_alignment: {disclaimer_missing: null}}\n"
    )
    rubric = load_compliance(path).rubric
    assert rubric.prohibited_phrases == ("trust me",)
    assert sorted(rubric.disclaimers) == ["investment", "regulatory", "tax"]
    assert rubric.caps.compliance_alignment.disclaimer_missing is None
    assert rubric.limits == load_compliance().rubric.limits


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("limits.sources", 0, "limits.sources"),
        ("limits.partial_coverage", 1.5, "between 0 and 1"),
        ("caps.compliance_alignment.prohibited_phrase", "Bad", "prohibited_phrase"),
        ("caps.compliance_alignment.nothing", "Unsafe", "no key"),
    ],
)
def test_a_wrong_value_is_named(key: str, value: object, message: str) -> None:
    """What is out of bounds is refused with its key."""
    with pytest.raises(RubricError, match=message):
        load_compliance(overrides={key: value})


def test_levels_run_from_best_to_worst() -> None:
    """The four levels of the scorecard, in order."""
    assert LEVELS == ("Strong", "Adequate", "Needs Review", "Unsafe")
